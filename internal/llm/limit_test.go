package llm

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pflow/internal/fault"
)

// fake answers without a network, so that time can be that of a bubble.
func fake(status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

const fine = `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`

func bubbleClient(t *testing.T, models string, next func(*http.Request) (*http.Response, error)) *Client {
	t.Helper()
	m, found := ParseModels("models.yaml", []byte(models))
	if found.HasErrors() {
		t.Fatal(found.Text())
	}
	c, err := New(Options{Models: m, Model: "ollama/x", Transport: roundTripper(next)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var hello = Request{Messages: []Message{{Role: "user", Content: "hello"}}}

// TestBucket sends 30 requests against a limit of 60 a minute: the bucket holds 6, then one a second.
func TestBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bubbleClient(t, "providers: {ollama: {limits: {concurrency: 50, requests_per_minute: 60}}}", func(*http.Request) (*http.Response, error) {
			return fake(200, nil, fine), nil
		})
		start := time.Now()
		var wait sync.WaitGroup
		var waited atomic.Int64
		for range 30 {
			wait.Go(func() {
				r, err := c.Call(t.Context(), hello)
				if err != nil {
					t.Error(err)
				}
				waited.Add(int64(r.Waited))
			})
		}
		wait.Wait()
		if took := time.Since(start); took < 23*time.Second || took > 25*time.Second {
			t.Errorf("30 requests took %s, want 24s", took)
		}
		if total := time.Duration(waited.Load()); total < 290*time.Second || total > 310*time.Second { // 1 + 2 + … + 24
			t.Errorf("waited %s in all, want 300s", total)
		}
	})
}

func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		c := bubbleClient(t, "providers: {ollama: {limits: {concurrency: 3}}}", func(*http.Request) (*http.Response, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return fake(200, nil, fine), nil
		})
		start := time.Now()
		var wait sync.WaitGroup
		for range 9 {
			wait.Go(func() {
				if _, err := c.Call(t.Context(), hello); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if took := time.Since(start); most.Load() != 3 || took != 3*time.Second {
			t.Errorf("%d at once, %s in all; want 3 and 3s", most.Load(), took)
		}
	})
}

// TestRetryAfter holds every call to a provider back for as long as it demands.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var calls atomic.Int64
		c := bubbleClient(t, "", func(*http.Request) (*http.Response, error) {
			if calls.Add(1) == 1 {
				return fake(429, http.Header{"Retry-After": {"20"}}, `{}`), nil
			}
			if since := time.Since(start); since < 20*time.Second {
				t.Errorf("a request after %s", since)
			}
			return fake(200, nil, fine), nil
		})
		var wait sync.WaitGroup
		wait.Go(func() {
			r, err := c.Call(t.Context(), hello)
			if fault.Of(err) == nil || fault.Of(err).Kind != fault.RateLimit || r.Waited != 0 || r.Usage.Calls != 1 {
				t.Errorf("%+v, %v", r, err)
			}
			r, err = c.Call(t.Context(), hello)
			if err != nil || r.Waited < 20*time.Second || r.Waited > 21*time.Second || r.Usage.Calls != 1 {
				t.Errorf("%+v, %v", r, err)
			}
		})
		synctest.Wait()
		wait.Go(func() {
			if _, err := c.Call(t.Context(), hello); err != nil {
				t.Error(err)
			}
		})
		wait.Wait()
	})
}

// TestUsedUp holds back the next request when an answer says that none is left.
func TestUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bubbleClient(t, "", func(*http.Request) (*http.Response, error) {
			return fake(200, http.Header{"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"7s"}}, fine), nil
		})
		for i, want := range []time.Duration{0, 7 * time.Second} {
			r, err := c.Call(t.Context(), hello)
			if err != nil || r.Waited < want || r.Waited > want+want/14 { // half a second of jitter
				t.Errorf("call %d waited %s, want %s and a little (%v)", i, r.Waited, want, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := c.Call(ctx, hello); fault.Of(err) == nil || fault.Of(err).Kind != fault.RateLimit || time.Since(start) != 0 {
			t.Errorf("a wait that does not fit: %v after %s", err, time.Since(start))
		}
	})
}

// TestNotRepeated: what the endpoint did not work on is told at once, after one request; the flow's retry policy rules.
func TestNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, status := range []int{429, 503, 529} {
			calls := 0
			c := bubbleClient(t, "", func(*http.Request) (*http.Response, error) { calls++; return fake(status, nil, "busy"), nil })
			start := time.Now()
			_, err := c.Call(t.Context(), hello)
			if fault.Of(err) == nil || !fault.Of(err).Kind.Temporary() || calls != 1 || time.Since(start) != 0 {
				t.Errorf("%d: %v after %d calls and %s", status, err, calls, time.Since(start))
			}
		}
	})
}

func TestDefaultDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bubbleClient(t, "", func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() })
		start := time.Now()
		_, err := c.Call(context.Background(), hello)
		if fault.Of(err) == nil || fault.Of(err).Kind != fault.Timeout || time.Since(start) != DefaultTimeout {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestHeaders(t *testing.T) {
	now := time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		name, text  string
		after, used time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second, 0},
		{"Retry-After", "1.5", 1500 * time.Millisecond, 0},
		{"Retry-After", "Tue, 04 Mar 2025 05:06:17 GMT", 10 * time.Second, 0},
		{"Retry-After", "Tue, 04 Mar 2025 05:06:00 GMT", 0, 0},
		{"Retry-After", "-1", 0, 0},
		{"Retry-After", "NaN", 0, 0},
		{"Retry-After", "1e300", 24 * time.Hour, 0},
		{"Retry-After", "soon", 0, 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond, 0},
		{"X-Ratelimit-Reset-Requests", "1m3s", 0, mostWait},
		{"X-Ratelimit-Reset-Requests", "17ms", 0, 17 * time.Millisecond},
		{"X-Ratelimit-Reset-Requests", "2", 0, 2 * time.Second},
		{"X-Ratelimit-Reset-Requests", "1741064800", 0, 0},
		{"Anthropic-Ratelimit-Requests-Reset", "2025-03-04T05:06:12Z", 0, 5 * time.Second},
	} {
		h := http.Header{c.name: {c.text}, "X-Ratelimit-Remaining-Requests": {"0"}, "Anthropic-Ratelimit-Requests-Remaining": {"0"}}
		if after, used := retryAfter(h, now), usedUp(h, now); after != c.after || used != c.used {
			t.Errorf("%s: %s gives %s and %s, want %s and %s", c.name, c.text, after, used, c.after, c.used)
		}
	}
	left := http.Header{"X-Ratelimit-Remaining-Requests": {"1"}, "X-Ratelimit-Reset-Requests": {"5s"}}
	if d := usedUp(left, now); d != 0 {
		t.Errorf("some are left, but it waits %s", d)
	}
}
