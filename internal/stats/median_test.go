package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMedian: it is what stands in the middle of the sorted numbers, however many of them are equal, and in linear time.
func TestMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 300; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(1 + n/(1+n%7)))
			if n%3 == 0 {
				x[i] = r.NormFloat64()
			}
		}
		sorted := slices.Sorted(slices.Values(x))
		want := sorted[(n-1)/2]/2 + sorted[n/2]/2
		if got := median(x); got != want {
			t.Fatalf("%d numbers: %v, want %v", n, got, want)
		}
		slices.Sort(x)
		if !slices.Equal(x, sorted) {
			t.Fatalf("%d numbers: some are lost", n)
		}
	}
}
