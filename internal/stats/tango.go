package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// tango is the score interval of the difference of two rates over the same n cases, of which B fixes and breaks some (Tango, Statistics in
// Medicine 17, 1998): the differences d that
//
//	(fixes - breaks - n·d) / sqrt(n·(2q + d·(1-d))),   q the most likely share of broken cases if the rates differ by d
//
// does not reject. Each d is tested with the variance that it would have itself, so that few or no differing cases are not taken for sureness.
func tango(n, fixes, breaks float64) Interval {
	z := distuv.UnitNormal.Quantile(1 - Alpha/2)
	seen := (fixes - breaks) / n
	rejected := func(d float64) bool {
		b := -fixes - breaks + (2*n-fixes+breaks)*d
		q := (math.Sqrt(max(0, b*b+8*n*breaks*d*(1-d))) - b) / (4 * n)
		e := fixes - breaks - n*d
		return e*e > z*z*n*max(0, 2*q+d*(1-d))
	}
	end := func(towards float64) float64 {
		if !rejected(towards) {
			return towards
		}
		in, out := seen, towards
		for range 60 {
			if mid := (in + out) / 2; rejected(mid) {
				out = mid
			} else {
				in = mid
			}
		}
		return in
	}
	return Interval{end(-1), end(1), true}
}
