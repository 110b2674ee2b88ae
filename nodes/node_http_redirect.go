package nodes

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/outbound"
)

// ownTransport carries the requests of all http nodes where none is given.
var ownTransport = sync.OnceValue(func() http.RoundTripper { return outbound.Transport(nil) })

// httpClient is the client given, or the default one, with redirects bounded: not to plain http from https, where
// anybody could read along; to another host without the request's own headers, where a key is nobody's business, also on
// the way back; and not there at all with a body that holds a secret. (net/http keeps back Authorization and cookies, but
// no X-Api-Key, and sends bodies anywhere.)
func httpClient(given *http.Client) *http.Client {
	client := http.Client{}
	if given != nil {
		client = *given
	}
	if client.Transport == nil {
		client.Transport = ownTransport()
	}
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		last, first := via[len(via)-1], via[0]
		switch {
		case len(via) > maxRedirects:
			return fault.New(fault.InvalidRequest, "more than %d redirects", maxRedirects)
		case last.URL.Scheme == "https" && req.URL.Scheme != "https":
			return fault.New(fault.Permission, "the redirect to %s leaves https and was not followed", where(req.URL))
		}
		left := func(r *http.Request) bool { return !sameOrigin(first.URL, r.URL) }
		if !left(req) && !slices.ContainsFunc(via, left) {
			return nil
		}
		secrets := mask.From(req.Context())
		if req.GetBody != nil && bodyHas(secrets, req) {
			return fault.New(fault.Permission, "the redirect to %s leaves %s with a body that holds a secret and was not followed; if that is where it belongs, ask there", where(req.URL), first.URL.Host)
		}
		for name, values := range req.Header {
			if !slices.Contains([]string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "If-Range", "Range", "User-Agent"}, name) || secrets.Has(strings.Join(values, "\n")) {
				req.Header.Del(name)
			}
		}
		return nil
	}
	return &client
}

// sameOrigin reports whether a redirect stays where the request was sent: the same host and port, or the same host by https
// instead of http, both at their usual port.
func sameOrigin(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return from.Scheme == "http" && to.Scheme == "https" && port(from) == "80" && port(to) == "443"
}

func bodyHas(secrets *mask.Masker, req *http.Request) bool {
	body, err := req.GetBody()
	if err != nil {
		return true
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return err != nil || secrets.Has(string(text))
}
