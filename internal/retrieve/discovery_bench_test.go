package retrieve

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"pflow/internal/cputime"
)

// BenchmarkDiscovery ranks requests in a library of 100,000 workflows with two past requests each, of 3,000 words as common
// as words of a language are. It gives how long the index takes to build, what it holds, and the times of a
// ranking, all in processor time.
func BenchmarkDiscovery(b *testing.B) {
	const workflows = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 3000)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += string("bcdfghklmnprst"[r.IntN(14)]) + string("aeiou"[r.IntN(5)])
		}
	}
	zipf := rand.NewZipf(r, 1.1, 8, uint64(len(words)-1))
	text := func(n int) (out string) {
		for range n {
			out += words[zipf.Uint64()] + " "
		}
		return out
	}
	all := make([]Candidate, workflows)
	for i := range all {
		all[i] = Candidate{Name: fmt.Sprintf("%s-%d", words[zipf.Uint64()], i), Description: text(8), Examples: []string{text(9), text(9)}}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := cputime.Used()
	x, err := NewDiscovery(b.Context(), all)
	if err != nil {
		b.Fatal(err)
	}
	took := cputime.Used() - start
	runtime.GC()
	runtime.ReadMemStats(&after)
	var times []time.Duration
	for b.Loop() {
		request := text(10)
		start := cputime.Used()
		if _, err := x.First(b.Context(), request, 10); err != nil {
			b.Fatal(err)
		}
		times = append(times, cputime.Used()-start)
	}
	slices.Sort(times)
	b.ReportMetric(took.Seconds(), "s/index")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB/index")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "ms-p95")
}
