package nodes

import (
	"net/http"
	"slices"

	"pflow/internal/fault"
)

// httpClient is the client given, or the default one, with redirects bounded: not to plain http from https, where
// anybody could read along, and without the request's own headers to another host, where a key is nobody's business.
// (net/http keeps back Authorization and cookies, but no X-Api-Key.)
func httpClient(given *http.Client) *http.Client {
	client := http.Client{}
	if given != nil {
		client = *given
	}
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		last := via[len(via)-1]
		switch {
		case len(via) > maxRedirects:
			return fault.New(fault.InvalidRequest, "more than %d redirects", maxRedirects)
		case last.URL.Scheme == "https" && req.URL.Scheme != "https":
			return fault.New(fault.Permission, "the redirect to %s leaves https and was not followed", where(req.URL))
		case req.URL.Host != via[0].URL.Host:
			for name := range req.Header {
				if !slices.Contains([]string{"Accept", "Accept-Language", "Content-Type", "User-Agent", "Referer"}, name) {
					req.Header.Del(name)
				}
			}
			req.Header.Del("Referer")
		}
		return nil
	}
	return &client
}
