package web

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestBehindProxy: behind a proxy that encrypts, the page is known by the public name, and by no other.
func TestBehindProxy(t *testing.T) {
	g := newGuard(Listening{IP: netip.MustParseAddr("127.0.0.1"), Port: 7353, Public: "https://pflow.example.com"})
	h := g.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"pflow.example.com", "https://pflow.example.com", 200},
		{"127.0.0.1:7353", "https://pflow.example.com", 200}, // a proxy that says its own name
		{"127.0.0.1:7353", "http://127.0.0.1:7353", 200},
		{"pflow.example.com", "https://evil.example", 403},
		{"pflow.example.com", "http://evil.example", 403},
		{"pflow.example.com", "null", 403},
		{"example.com", "https://pflow.example.com", 421},
		{"", "https://pflow.example.com", 421},
	} {
		r := httptest.NewRequest("POST", "/runs/prune", strings.NewReader("token="+g.form))
		r.Host = c.host
		r.Header.Set("Origin", c.origin)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(&http.Cookie{Name: g.name, Value: g.cookie})
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("Host %q, Origin %q: %d, want %d", c.host, c.origin, w.Code, c.want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "https://pflow.example.com/?token="+g.token, nil))
	if c := w.Header().Get("Set-Cookie"); w.Code != http.StatusSeeOther || !strings.Contains(c, "Secure") {
		t.Errorf("%d %s", w.Code, c)
	}
}
