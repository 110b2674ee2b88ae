package otlp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/otlptest"
)

// run runs a workflow of one step.
func run(t testing.TB, ctx context.Context) {
	t.Helper()
	if _, err := engine.Execute(ctx, dag(t, "d", node("a", "x", nil)), nil, engine.Options{}); err != nil {
		t.Fatal(err)
	}
}

// TestCollectorsThatRefuse: what may pass is tried again, what is lost is counted and said, and a collector that takes a part of it
// is believed.
func TestCollectorsThatRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(w http.ResponseWriter, n int) bool
		requests int
		want     string
	}{
		"takes all": {func(http.ResponseWriter, int) bool { return false }, 1, ""},
		"is busy once": {func(w http.ResponseWriter, n int) bool {
			if n == 1 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return n == 1
		}, 2, ""},
		"is busy for a day": {func(w http.ResponseWriter, _ int) bool {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}, 1, "traces: 2 of 2 spans did not reach URL/v1/traces: it answered 429 Too Many Requests"},
		"is busy until a date": {func(w http.ResponseWriter, _ int) bool {
			w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, 1, "traces: 2 of 2 spans did not reach URL/v1/traces: it answered 503 Service Unavailable"},
		"refuses": {func(w http.ResponseWriter, _ int) bool {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code": 3, "message": "no \u001b[31mtenant sk-key-of-a-provider"}`)
			return true
		}, 1, `traces: 2 of 2 spans did not reach URL/v1/traces: it answered 400 Bad Request: no \x1b[31mtenant {"$env":"KEY"}`},
		"redirects": {func(w http.ResponseWriter, _ int) bool {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}, 1, "traces: 2 of 2 spans did not reach URL/v1/traces: it answered 307 Temporary Redirect"},
		"takes a part": {func(w http.ResponseWriter, _ int) bool {
			_, _ = io.WriteString(w, `{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}`)
			return true
		}, 1, "traces: 1 of 2 spans did not reach URL/v1/traces: it did not take them: too old"},
		"says that it took all": {func(w http.ResponseWriter, _ int) bool {
			_, _ = io.WriteString(w, `{"partialSuccess": {"errorMessage": "use the other port"}}`)
			return true
		}, 1, ""},
		"answers with a page": {func(w http.ResponseWriter, _ int) bool {
			_, _ = io.WriteString(w, `<html>{`)
			return true
		}, 1, ""},
		"hangs up": {func(http.ResponseWriter, int) bool { panic(http.ErrAbortHandler) }, 1, "traces: 2 of 2 spans did not reach URL/v1/traces: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			server, e, ctx := started(t, nil, func(s *otlptest.Collector) { s.Answer(c.answer) })
			run(t, ctx)
			if name == "is busy once" { // at the end of the process nothing is tried again
				for len(server.Requests()) < 2 {
					time.Sleep(time.Millisecond)
				}
			}
			got := strings.ReplaceAll(e.Close(time.Minute), server.URL, "URL")
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if n := len(server.Requests()); n != c.requests && name != "hangs up" {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}

// TestCollectorThatIsNotThere: a run ends as it would, and what is lost is said once.
func TestCollectorThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	e := exporter("http://user:password@"+l.Addr().String()+"/otel?key=k3y", nil)
	run(t, engine.WithTracer(t.Context(), e))
	got := e.Close(time.Minute)
	if want := "traces: 2 of 2 spans did not reach http://" + l.Addr().String() + "/otel/v1/traces: dial tcp "; !strings.HasPrefix(got, want) || strings.Contains(got, "k3y") || strings.Contains(got, "password") {
		t.Errorf("got %s", got)
	}
}

// TestCollectorThatNeverAnswers: the end of a process waits for it as long as it is told.
func TestCollectorThatNeverAnswers(t *testing.T) {
	asked, over := make(chan bool, 1), make(chan bool)
	c, e, ctx := started(t, nil, func(c *otlptest.Collector) {
		c.Answer(func(http.ResponseWriter, int) bool { asked <- true; <-over; return true })
	})
	defer close(over)
	run(t, ctx)
	<-asked
	if got, want := e.Close(0), "traces: 2 of 2 spans did not reach "+c.URL+"/v1/traces: it did not answer in time"; got != want {
		t.Errorf("got %s", got)
	}
}

// TestNothingWaitsForACollector: while one batch hangs, the spans of a long run beyond the room for them are dropped and counted.
func TestNothingWaitsForACollector(t *testing.T) {
	const steps = 10_000
	over := make(chan bool)
	c, e, ctx := started(t, nil, func(c *otlptest.Collector) {
		c.Answer(func(http.ResponseWriter, int) bool { <-over; return true })
	})
	defer close(over)
	each := node("get", "x", nil)
	items := make([]any, steps)
	each.Batch = &engine.Batch{Items: value(items)}
	if res, err := engine.Execute(ctx, dag(t, "d", each), nil, engine.Options{}); err != nil || res.Status != engine.Done {
		t.Fatal(res, err)
	}
	got := e.Close(0)
	if want := fmt.Sprintf("traces: %d of %[1]d spans did not reach %s/v1/traces: it did not answer in time", steps+2, c.URL); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSpansAreSentTogether, and what is begun soon is sent while the run goes on.
func TestSpansAreSentTogether(t *testing.T) {
	c, e, ctx := started(t, map[string]string{"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}, nil)
	var went atomic.Bool
	wait := node("wait", "x", func(context.Context, engine.Input) (engine.Output, error) {
		for len(c.Spans()) == 0 {
			time.Sleep(time.Millisecond)
		}
		went.Store(true)
		return engine.Output{}, nil
	})
	each := node("get", "x", nil)
	each.Batch = &engine.Batch{Items: value(make([]any, 1000))}
	if _, err := engine.Execute(ctx, dag(t, "d", each, wait), nil, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	sent(t, c, e)
	if len(c.Spans()) != 1003 || len(c.Requests()) > 100 || c.Requests()[0].Header.Get("Content-Encoding") != "gzip" || !went.Load() {
		t.Errorf("%d spans in %d requests", len(c.Spans()), len(c.Requests()))
	}
}
