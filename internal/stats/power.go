package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// MaxCases bounds CasesToDecide.
const MaxCases = 1_000_000

// Detectable is the smallest true difference that a test with these cases finds with a chance of power, taking the
// standard error seen for the true one. ok is false if there is no standard error.
func (t TTest) Detectable(power float64) (difference float64, ok bool) {
	if t.SE <= 0 || t.DF <= 0 {
		return 0, false
	}
	return t.SE * noncentrality(t.DF, power), true
}

// CasesToDecide is the number of cases, those there are included, with which a difference of this size is found with a
// chance of power, if spread and cluster sizes stay as they were. If all differences are the same, it is the number with
// which 2^(1-G) is at most Alpha. ok is false if there is no standard error for another reason, or when it would take more
// than MaxCases.
func (t TTest) CasesToDecide(difference, power float64) (cases int, ok bool) {
	difference = math.Abs(difference)
	if t.point() && difference > 0 {
		clusters := 1 - math.Log2(Alpha)
		return int(math.Ceil(math.Ceil(clusters) * float64(t.Cases) / float64(t.Clusters))), true
	}
	if t.SE <= 0 || t.DF <= 0 || difference == 0 {
		return 0, false
	}
	enough := func(n int) bool {
		f := float64(n) / float64(t.Cases)
		df := max(1, (t.DF+1)*f-1)
		return difference >= t.SE/math.Sqrt(f)*noncentrality(df, power)
	}
	low, high := 1, 2
	for !enough(high) {
		if low, high = high, high*2; high > 2*MaxCases {
			return 0, false
		}
	}
	for low+1 < high {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, high <= MaxCases
}

// Discordant foresees the test of a pass rate, before any case has run: cases lie in clusters of these sizes, and on this
// share of them the variants will differ.
type Discordant struct {
	Sizes []int   // of the clusters; a case of its own is a cluster of 1
	Share float64 // of the cases that differ, above 0 to 1
}

// Test is the t test that is to be expected if the true difference is so large. The variance of a paired difference is
// then Share - difference² (Miettinen, Biometrics 24, 1968; Connor, Biometrics 43, 1987). Cases of a cluster are taken to
// change together, which is the worst they can do: the design effect is Σn²/N (Kish, Survey Sampling, 1965, with
// correlation 1). ok is false if so large a difference takes more differing cases, or there are too few clusters.
func (d Discordant) Test(difference float64) (t TTest, ok bool) {
	if len(d.Sizes) < 2 || math.Abs(difference) > d.Share {
		return TTest{}, false
	}
	clusters, cases, squares := make([]weighted, len(d.Sizes)), 0., 0.
	for i, n := range d.Sizes {
		clusters[i].size = float64(n)
		cases, squares = cases+float64(n), squares+float64(n)*float64(n)
	}
	_, df := cr2(clusters)
	variance := (d.Share - difference*difference) * squares / cases
	return TTest{Cases: int(cases), Clusters: len(d.Sizes), SE: math.Sqrt(variance / cases), DF: df, Mean: difference, rate: true}, true
}

// Detectable is the smallest true difference that is found with a chance of power. ok is false if none is, since more
// cases would have to differ.
func (d Discordant) Detectable(power float64) (difference float64, ok bool) {
	t, ok := d.Test(0)
	if !ok {
		return 0, false
	}
	// difference = c·SE(difference), solved for it: SE² falls with its square.
	k := math.Pow(noncentrality(t.DF, power)*t.SE, 2) / d.Share
	difference = math.Sqrt(k * d.Share / (1 + k))
	return difference, difference <= d.Share
}

// noncentrality is the mean, in standard errors, that a two-sided t test finds with a chance of power.
func noncentrality(df, power float64) float64 {
	low, high := 0., 100.
	for range 60 {
		if mid := (low + high) / 2; tPower(mid, df) < power {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// tPower is the chance that a two-sided t test at Alpha rejects towards the side of delta, the mean in standard errors:
// that of a noncentral t to exceed the critical value, E[Φ(δ - t·sqrt(X/df))] for X chi-square with df degrees of
// freedom (Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2, 1995, chapter 31). The other side is
// left out, as R's power.t.test does.
func tPower(delta, df float64) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - Alpha/2)
	if df > 1000 {
		return distuv.UnitNormal.CDF(delta - t)
	}
	chi := distuv.ChiSquared{K: df}
	// In u = sqrt(X/df) the density is smooth; its spread is below 1/sqrt(2 df), or 1 for the smallest df.
	spread := 8 * math.Max(1/math.Sqrt(2*df), 0)
	return quad.Fixed(func(u float64) float64 {
		return distuv.UnitNormal.CDF(delta-t*u) * chi.Prob(df*u*u) * 2 * df * u
	}, math.Max(0, 1-spread), 1+spread, 200, quad.Legendre{}, 0)
}
