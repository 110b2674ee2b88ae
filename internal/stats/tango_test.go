package stats

import (
	"math"
	"testing"
)

// TestTango holds the ends to the definition: there the score, with the most likely rates found by search, is just the normal quantile.
func TestTango(t *testing.T) {
	const z = 1.959963984540054
	for _, c := range []struct{ n, fixes, breaks float64 }{{44, 0, 1}, {32, 9, 3}, {54, 1, 0}, {100, 3, 8}, {200, 40, 2}, {10, 5, 5}} {
		got, mirror := tango(c.n, c.fixes, c.breaks), tango(c.n, c.breaks, c.fixes)
		near(t, "the other way round", got.Low, -mirror.High, 1e-12)
		for _, d := range []float64{got.Low, got.High} {
			likelihood := func(q float64) float64 {
				sum := 0.
				for _, x := range [][2]float64{{c.fixes, q + d}, {c.breaks, q}, {c.n - c.fixes - c.breaks, 1 - 2*q - d}} {
					if x[0] > 0 {
						sum += x[0] * math.Log(max(x[1], 1e-300))
					}
				}
				return sum
			}
			low, high := max(0, -d), (1-d)/2
			for range 200 {
				if a, b := low+(high-low)/3, high-(high-low)/3; likelihood(a) < likelihood(b) {
					low = a
				} else {
					high = b
				}
			}
			q := (low + high) / 2
			near(t, "score", math.Abs(c.fixes-c.breaks-c.n*d)/math.Sqrt(c.n*(2*q+d*(1-d))), z, 1e-5)
		}
	}
	for _, n := range []float64{2, 20, 72, 73, 1000} { // none differs: closed
		got := tango(n, 0, 0)
		near(t, "none differs", got.High, z*z/(n+z*z), 1e-9)
	}
	if all := tango(5, 5, 0); all.High != 1 || all.Low <= 0 {
		t.Errorf("all fixed: %+v", all)
	}
}
