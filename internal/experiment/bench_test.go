package experiment_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/planner"
	"pflow/nodes"
)

// BenchmarkThroughput runs an experiment of 10,000 cases and two variants of the offline planner, and beside it the same
// requests in a bare loop over planner.Plan with as many goroutines. It reports plans a second of both, their share, and
// how much the heap grew between the first tenth of the run and its end.
func BenchmarkThroughput(b *testing.B) {
	const cases = 10_000
	workers := min(2, runtime.GOMAXPROCS(0))
	for range b.N {
		s := specOf(b, cases, fmt.Sprintf("concurrency: %d\n", workers))
		o := surroundings(b, nodes.Deps{})
		bare := bareLoop(b, s, o, cases, workers)

		x, _ := started(b, s, o)
		var early, late uint64
		x.Progress = func(p experiment.Progress) {
			switch p.Rows {
			case p.Total / 10:
				early = heap()
			case p.Total:
				late = heap()
			}
		}
		began := time.Now()
		if _, err := x.Run(context.Background(), false); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		b.ReportMetric(2*cases/took.Seconds(), "plans/s")
		b.ReportMetric(2*cases/bare.Seconds(), "bare-plans/s")
		b.ReportMetric(100*bare.Seconds()/took.Seconds(), "%of-bare")
		b.ReportMetric(float64(int64(late)-int64(early))/(1<<20), "MB-grown")
		b.ReportMetric(float64(late)/(1<<20), "MB-heap")
	}
}

// bareLoop plans what the experiment would, and does nothing with the plans.
func bareLoop(b *testing.B, s *experiment.Spec, o experiment.Options, cases, workers int) time.Duration {
	b.Helper()
	flows := []*engine.Flow{}
	for _, v := range s.Variants {
		f, err := o.Load(v)
		if err != nil {
			b.Fatal(err)
		}
		flows = append(flows, f)
	}
	next := make(chan int)
	began := time.Now()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				request := fmt.Sprintf("copy file-%d.txt to backup/file-%d.txt", i, i)
				if i%3 == 2 {
					request = fmt.Sprintf("paint picture %d in oil", i)
				}
				for _, f := range flows {
					planner.Plan(context.Background(), f, planner.Request{Text: request, Source: "file"}, engine.Options{})
				}
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	wg.Wait()
	return time.Since(began)
}

// heap is what is in use after a collection, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
