package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestOnce: forms are remembered up to a bound; what a browser left is carried out, and stops when the server does.
func TestOnce(t *testing.T) {
	sent := sentForms{of: map[[32]byte]*sentForm{}}
	serving, stop := context.WithCancel(t.Context())
	post := func(ctx context.Context, once string, f func(r *http.Request) (string, *view, error)) (string, error) {
		r := httptest.NewRequestWithContext(ctx, "POST", "/x", strings.NewReader(url.Values{"once": {once}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		next, _, err := sent.once(serving, r, f)
		return next, err
	}
	done := 0
	to := func(next string) func(r *http.Request) (string, *view, error) {
		return func(*http.Request) (string, *view, error) {
			done++
			return next, nil, nil
		}
	}
	for i := range 3 * maxSent {
		for range 2 {
			if next, err := post(t.Context(), fmt.Sprint("form", i), to(fmt.Sprint("/", i))); err != nil || next != fmt.Sprint("/", i) {
				t.Fatal(next, err)
			}
		}
	}
	if done != 3*maxSent || len(sent.of) != maxSent || len(sent.order) != maxSent {
		t.Errorf("%d were done; %d and %d are remembered", done, len(sent.of), len(sent.order))
	}

	// What came to nothing is done again.
	failing := func(*http.Request) (string, *view, error) { return "", nil, fmt.Errorf("not now") }
	if _, err := post(t.Context(), "fails", failing); err == nil {
		t.Error("a failure is no error")
	}
	if next, err := post(t.Context(), "fails", to("/better")); err != nil || next != "/better" {
		t.Error(next, err)
	}

	left, leave := context.WithCancel(t.Context())
	leave()
	next, err := post(left, "left", func(r *http.Request) (string, *view, error) {
		if err := r.Context().Err(); err != nil {
			t.Errorf("what the browser left is stopped: %v", err)
		}
		stop()
		<-r.Context().Done()
		return "/left", nil, nil
	})
	if next != "/left" || err != nil {
		t.Error(next, err)
	}
}
