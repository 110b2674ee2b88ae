// Package github reads and changes what GitHub keeps: issues, pull requests, files, releases. It is google/go-github with a
// token that goes to one host only, bounds on what is read, waits for rate limits, and errors that say what to do.
//
//	SiteOf      the environment -> where the API is, and the host of its web pages
//	ParseRepo   OWNER/NAME or the URL of a remote -> Repo
//	New         a Client of one site and token
//
// Values are given as GitHub's REST API names them, each with all of its keys, so that they can be relied on.
package github

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/google/go-github/v82/github"

	"pflow/internal/fault"
)

// maxAnswer bounds one answer of the server, in bytes.
const maxAnswer = 64 << 20

// Token lets in whoever has it. From says where it comes from, such as GITHUB_TOKEN, for messages.
type Token struct{ Text, From string }

// Client calls the API. It is safe for concurrent use.
type Client struct {
	api   *github.Client
	site  Site
	token Token
}

// New makes a client. transport sends its requests.
func New(site Site, token Token, transport http.RoundTripper) *Client {
	c := &Client{site: site, token: token}
	c.api = github.NewClient(&http.Client{Transport: &guard{next: transport, site: site, token: token.Text}, CheckRedirect: c.redirect})
	c.api.BaseURL, c.api.UserAgent = site.API, "pflow"
	return c
}

// guard adds the token to requests to the site, and to no others, and bounds answers.
type guard struct {
	next  http.RoundTripper
	site  Site
	token string
}

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.token != "" && sameOrigin(r.URL, g.site.API) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+g.token)
	}
	resp, err := g.next.RoundTrip(r)
	if err == nil {
		resp.Body = &limited{resp.Body, maxAnswer}
	}
	return resp, err
}

// limited fails where a body is longer than what is left.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fault.New(fault.InvalidRequest, "the answer is larger than %d MiB; ask for less at once", maxAnswer>>20)
	}
	return n, err
}

// redirect follows where a repository has moved to on the same host. Elsewhere, and in another method than the one
// meant, nothing is sent.
func (c *Client) redirect(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > 5:
		return fault.New(fault.InvalidRequest, "more than 5 redirects")
	case !sameOrigin(r.URL, c.site.API):
		return fault.New(fault.Permission, "the redirect to %s leaves %s and was not followed", r.URL.Host, c.site.API.Host)
	case r.Method != via[0].Method:
		return fault.New(fault.InvalidRequest, "the repository has moved to %s; give repo as it is called now", r.URL.Path)
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Host, b.Host)
}

// call is one thing that is asked of the API.
type call struct {
	doing string // for messages, such as "read issue 12 of octo/tool"
	what  string // what a 404 says there is not: "issue 12 of octo/tool"
	// once says that doing it twice is not doing it once: no failure after which it may have been done is temporary.
	once bool
}

// do makes a call. What it asks for waits where GitHub wants to be left alone, as long as ctx lasts.
func (c *Client) do(ctx context.Context, what call, send func(ctx context.Context) (*github.Response, error)) error {
	if c.token.Text != "" && c.site.API.Scheme != "https" && !loopback(c.site.API.Hostname()) {
		return fault.New(fault.Permission, "cannot %s: the token of %s is not sent to %s, where anybody could read it along; set %s to an address with https://", what.doing, c.token.From, c.site.API, c.site.From)
	}
	for waits := 0; ; waits++ {
		var sent atomic.Bool
		traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
		_, err := send(context.WithValue(traced, github.BypassRateLimitCheck, true))
		if err == nil {
			return nil
		}
		if limit := limitOf(err); limit != nil {
			if err := c.wait(ctx, what, limit, waits); err != nil {
				return err
			}
			continue
		}
		return c.fault(ctx, what, err, sent.Load())
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isTimeout reports whether an error is that of a time that is over.
func isTimeout(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}
