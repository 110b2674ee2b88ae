// Package outbound sends HTTP requests to where they were meant to go. Link-local addresses (169.254.0.0/16, fe80::/10, also
// written as IPv6) are where machines in a cloud hand out their own credentials: nothing goes there because a name
// resolves to it or a server redirects to it, but only where the URL of the request itself names that address.
package outbound

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"pflow/internal/fault"
)

// Transport is net/http's default transport, guarded. It dials with the dialer given; nil stands for net/http's own.
func Transport(d *net.Dialer) *Guarded {
	if d == nil {
		d = &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	}
	dialer := *d
	dialer.ControlContext = mayDial // an address is what it is only once names are resolved
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = dialer.DialContext
	t.MaxIdleConnsPerHost = 16
	return &Guarded{t}
}

// Guarded is a guarded transport.
type Guarded struct{ *http.Transport }

// RoundTrip implements http.RoundTripper. A URL that names a link-local address is looked at here too: a connection may
// be there already, or a proxy may make it.
func (g *Guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if addr, ok := linkLocal(r.URL.Hostname()); ok && !asked(r.Context(), addr) {
		return nil, refused(addr)
	}
	return g.Transport.RoundTrip(r)
}

type contextKey struct{}

// Asks notes the URL that a request was asked to go to, as far as it names a link-local address: redirects of the
// request may go there too.
func Asks(ctx context.Context, u *url.URL) context.Context {
	if addr, ok := linkLocal(u.Hostname()); ok {
		return context.WithValue(ctx, contextKey{}, addr)
	}
	return ctx
}

func asked(ctx context.Context, addr netip.Addr) bool {
	named, ok := ctx.Value(contextKey{}).(netip.Addr)
	return ok && named == addr
}

// mayDial is asked before each connection, with the address that a name was resolved to.
func mayDial(ctx context.Context, _, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if addr, ok := linkLocal(host); ok && !asked(ctx, addr) {
		return refused(addr)
	}
	return nil
}

// linkLocal reads a link-local address, without its zone.
func linkLocal(host string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return addr, false
	}
	addr = addr.WithZone("").Unmap()
	return addr, addr.IsLinkLocalUnicast()
}

func refused(addr netip.Addr) error {
	return fault.New(fault.Permission, "%s is a link-local address, where machines keep their own credentials; only a request whose own URL names it goes there", addr)
}
