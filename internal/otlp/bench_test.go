package otlp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/cputime"
	"pflow/internal/otlp"
)

// BenchmarkStep compares the processor time of a run that nobody is told of, of one whose spans all go to a collector, with that
// one's share of reading them, and of one whose spans find the queue full: that is what the run itself does for them.
func BenchmarkStep(b *testing.B) {
	const steps = 2000
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	nodes := make([]engine.DAGNode, steps)
	for i := range nodes {
		nodes[i] = node("n"+string(rune('a'+i%26))+time.Duration(i).String(), "read-file", func(context.Context, engine.Input) (engine.Output, error) {
			return engine.Output{Result: map[string]any{"content": "x"}}, nil
		})
	}
	flow := dag(b, "bench", nodes...)
	over := make(chan bool)
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer hangs.Close()
	defer close(over)
	full := exporter(hangs.URL, nil)
	measure := func(e *otlp.Exporter) time.Duration {
		ctx, before := context.Background(), cputime.Used()
		if e != nil {
			ctx = engine.WithTracer(ctx, e)
		}
		if _, err := engine.Execute(ctx, flow, nil, engine.Options{}); err != nil {
			b.Fatal(err)
		}
		if e != nil && e != full {
			if warning := e.Close(time.Minute); warning != "" {
				b.Fatal(warning)
			}
		}
		return cputime.Used() - before
	}
	measure(full)
	measure(full)
	var untold, told, dropped time.Duration
	for b.Loop() {
		untold += measure(nil)
		told += measure(exporter(collector.URL, nil))
		dropped += measure(full)
	}
	per := float64(b.N * steps)
	b.ReportMetric(float64(untold)/per, "ns/step")
	b.ReportMetric(float64(dropped-untold)/per, "run-ns/span")
	b.ReportMetric(float64(told-untold)/per, "all-ns/span")
	b.ReportMetric(float64(dropped)/float64(untold), "x-run")
	b.ReportMetric(float64(told)/float64(untold), "x-all")
	full.Close(0)
}
