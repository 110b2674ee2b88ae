package mcpserve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
)

// Path is where the server answers over HTTP.
const Path = "/mcp"

// requestMark is a header by which a call finds the HTTP request that carries it. What a client sends under it is dropped.
const requestMark = "Pflow-Request"

// idle is how long a session over HTTP is kept without a request.
const idle = time.Hour

// Loopback checks an address to listen on: an IP address of this machine alone, or localhost, and a port.
func Loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fault.New(fault.InvalidRequest, "want HOST:PORT, such as 127.0.0.1:8123")
	}
	if !isLoopback(host) {
		return fault.New(fault.InvalidRequest, "%q is reached from other machines: want 127.0.0.1, [::1] or localhost", host)
	}
	return nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// Serve answers over streamable HTTP until ctx is done. Every request needs the token.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string) error {
	server := &http.Server{Handler: s.handlerFor(token), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	ended := fault.Async(func() (struct{}, error) { return struct{}{}, server.Serve(l) })
	select {
	case o := <-ended:
		return o.Err
	case <-ctx.Done():
	}
	s.calls.end("", errStopped)
	s.calls.done.Wait()
	server.Close()
	<-ended
	return ctx.Err()
}

func (s *Server) handlerFor(token string) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		SessionTimeout: idle, MaxRequestBodyBytes: MaxMessage,
	})
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, why := admits(r, token); why != "" {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			http.Error(w, why, status)
			return
		}
		mark := strconv.FormatInt(n.Add(1), 10)
		r.Header.Set(requestMark, mark)
		defer s.calls.carry(mark, r.Context())()
		if r.Method == http.MethodDelete {
			s.calls.end(orNone(r.Header.Get("Mcp-Session-Id")), errGone)
		}
		inner.ServeHTTP(w, r)
	})
}

// orNone is a session's id, or a text that is none: "" would mean every session.
func orNone(session string) string {
	if session == "" {
		return "none"
	}
	return session
}

// carry notes the request that carries calls until it has ended.
func (s *calls) carry(mark string, ctx context.Context) (ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests == nil {
		s.requests = map[string]context.Context{}
	}
	s.requests[mark] = ctx
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.requests, mark)
	}
}

// admits checks where a request goes and comes from, and its token. A page in a browser on this machine can send requests here,
// under a name that it made lead here: so Host must be this machine's, and Origin, which browsers add, the server itself.
func admits(r *http.Request, token string) (status int, why string) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if !isLoopback(host) {
		return http.StatusForbidden, "the Host header names another machine"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" || !strings.EqualFold(u.Host, r.Host) {
			return http.StatusForbidden, "the Origin header names another page"
		}
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	if !ok || subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
		return http.StatusUnauthorized, "the token is missing or wrong: send it as Authorization: Bearer TOKEN"
	}
	if r.URL.Path != Path {
		return http.StatusNotFound, "there is nothing here; the server is at " + Path
	}
	return 0, ""
}
