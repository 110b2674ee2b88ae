package experiment_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/planner"
	"pflow/internal/shelf"
	"pflow/nodes"
)

// What BenchmarkThroughput holds the engine of experiments to.
const (
	leastOfBare = 80       // percent of the plans a second of a bare loop
	mostGrown   = 16 << 20 // bytes of heap over 18,000 rows: below 1 KB a row, and no plan is that small
	measured    = 3        // times at most, since other processes take the same cores
)

// BenchmarkThroughput runs an experiment of 10,000 cases and two variants of the offline planner, and around it, half
// before and half after, the same requests in a bare loop over planner.Plan with as many goroutines. It reports plans a
// second of both, their share, and how much the heap grew between the first tenth of the run and its end. Then it kills
// a run of as many cases, and goes on with it.
func BenchmarkThroughput(b *testing.B) {
	const cases = 10_000
	workers := min(2, runtime.GOMAXPROCS(0))
	for range b.N {
		s := specOf(b, cases, fmt.Sprintf("concurrency: %d\n", workers))
		o := surroundings(b, nodes.Deps{})
		share := 0.
		for times := 0; times < measured && share < leastOfBare; times++ {
			bare := bareLoop(b, s, o, 0, cases/2, workers)
			took, early, late := timedRun(b, s, o)
			bare += bareLoop(b, s, o, cases/2, cases, workers)

			share = 100 * bare.Seconds() / took.Seconds()
			grown := int64(late) - int64(early)
			b.ReportMetric(2*cases/took.Seconds(), "plans/s")
			b.ReportMetric(2*cases/bare.Seconds(), "bare-plans/s")
			b.ReportMetric(share, "%of-bare")
			b.ReportMetric(float64(grown)/(1<<20), "MB-grown")
			b.ReportMetric(float64(late)/(1<<20), "MB-heap")
			if grown > mostGrown {
				b.Errorf("the heap grew by %d MB, want at most %d MB", grown>>20, mostGrown>>20)
			}
		}
		if share < leastOfBare {
			b.Errorf("%.0f%% of the plans a second of a bare loop, and no more in %d runs; want at least %d%%", share, measured, leastOfBare)
		}
		killAndResume(b, o, cases)
	}
}

// timedRun runs an experiment and gives what heap is in use, in bytes, after a tenth of its rows and after all.
func timedRun(b *testing.B, s *experiment.Spec, o experiment.Options) (took time.Duration, early, late uint64) {
	b.Helper()
	spec := *s // Create changes it
	x, _ := started(b, &spec, o)
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
	return time.Since(began), early, late
}

// killAndResume kills the process that runs an experiment once it has made a tenth of the rows, and goes on with it in this
// one. What was written stays as it was, what was not is planned, once, and in the end every row is there.
func killAndResume(b *testing.B, o experiment.Options, cases int) {
	b.Helper()
	dir, total := folderOf(b, cases), 4*cases // two variants, two repeats
	c, ended := startChild(b, dir)
	for len(rowsOf(b, dir)) < total/10 {
		select {
		case err := <-ended:
			b.Fatalf("the run ended before it was killed: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
	}
	if err := c.Process.Kill(); err != nil {
		b.Fatal(err)
	}
	<-ended
	seen := rowsOf(b, dir)
	if len(seen) == total {
		b.Fatal("the run was over when it was killed")
	}
	var plans atomic.Int64
	with := o.Shelf
	o.Shelf = func(c *experiment.Case) (*shelf.Shelf, error) {
		plans.Add(1)
		return with(c)
	}
	store, err := experiment.OpenStore(filepath.Join(dir, "exp"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	x, err := experiment.Resume(store, o)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := x.Run(context.Background(), false); err != nil {
		b.Fatal(err)
	}
	rows := rowsOf(b, dir)
	if n := int(plans.Load()); len(rows) != total || n != total-len(seen) {
		b.Errorf("killed after %d rows: %d more plans and %d rows, want %d", len(seen), n, len(rows), total)
	}
	for k, plan := range seen {
		if rows[k] != plan {
			b.Fatalf("row %+v was lost or made again", k)
		}
	}
}

// bareLoop plans what the experiment would of some of its cases, and does nothing with the plans.
func bareLoop(b *testing.B, s *experiment.Spec, o experiment.Options, from, to, workers int) time.Duration {
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
	for i := from; i < to; i++ {
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
