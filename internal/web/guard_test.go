package web

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
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

// TestMalformedForm: of a form that cannot be read nothing is done, not even what its other fields say.
func TestMalformedForm(t *testing.T) {
	g := newGuard(Listening{IP: netip.MustParseAddr("127.0.0.1"), Port: 7353})
	h := g.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for body, want := range map[string]int{"name=report&sure=yes": 200, "name=%zz&sure=yes": 400, "name=a;b&sure=yes": 400} {
		r := httptest.NewRequest("POST", "http://127.0.0.1:7353/library/report/delete", strings.NewReader("token="+g.form+"&"+body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(&http.Cookie{Name: g.name, Value: g.cookie})
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", body, w.Code, want)
		}
	}
}

// deadlines is an answer that knows when it ends.
type deadlines struct {
	*httptest.ResponseRecorder
	last time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.last = at
	return nil
}

// TestSlowAnswer: over HTTP/2, where an answer ends at its deadline though nothing is being written, what was sent leaves none. What is
// being sent has one.
func TestSlowAnswer(t *testing.T) {
	g := newGuard(Listening{IP: netip.MustParseAddr("127.0.0.1"), TLS: true})
	for _, major := range []int{1, 2} {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		h := g.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := w.Write([]byte("first")); err != nil || d.last.IsZero() {
				t.Errorf("HTTP/%d: a piece without a deadline (%v)", major, err)
			}
			if err := http.NewResponseController(w).Flush(); err != nil || d.last.IsZero() != (major == 2) {
				t.Errorf("HTTP/%d: between pieces the deadline is %v (%v)", major, d.last, err)
			}
			if _, err := w.Write([]byte("last")); err != nil || d.last.IsZero() {
				t.Errorf("HTTP/%d: the last piece has no deadline (%v)", major, err)
			}
		}))
		r := httptest.NewRequest("GET", "https://127.0.0.1/settings", nil)
		r.ProtoMajor = major
		r.AddCookie(&http.Cookie{Name: g.name, Value: g.cookie})
		if h.ServeHTTP(d, r); d.Body.String() != "firstlast" {
			t.Errorf("HTTP/%d: %s", major, d.Body)
		}
	}
}

// TestLargeBodies: of large bodies a few are worked on at once, those that are small meanwhile; then the places are free again.
func TestLargeBodies(t *testing.T) {
	g := newGuard(Listening{IP: netip.MustParseAddr("127.0.0.1")})
	began, goOn := make(chan struct{}), make(chan struct{})
	h := g.wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.ContentLength > largeBody {
			began <- struct{}{}
			<-goOn
		}
	}))
	post := func(size int) int {
		r := httptest.NewRequest("POST", "http://127.0.0.1/api/v1/plans", strings.NewReader(strings.Repeat(" ", size)))
		r.Header.Set("Authorization", "Bearer "+g.token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	ended := make(chan int)
	for range 2 {
		for range maxLarge {
			go func() { ended <- post(largeBody + 1) }()
			<-began
		}
		if got := post(largeBody + 1); got != http.StatusServiceUnavailable {
			t.Errorf("one more: %d", got)
		}
		if got := post(largeBody); got != http.StatusOK {
			t.Errorf("a small one: %d", got)
		}
		for range maxLarge {
			goOn <- struct{}{}
			if got := <-ended; got != http.StatusOK {
				t.Errorf("one of them: %d", got)
			}
		}
	}
}
