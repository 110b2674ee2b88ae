package stats

import (
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bootstrap is an estimate with a BCa interval.
type Bootstrap struct {
	Estimate float64  `json:"estimate"`
	Interval Interval `json:"interval"`
	Note     string   `json:"note,omitempty"` // why the interval is unknown or a point

	bias, acceleration float64
}

// Statistic is what BCa estimates from the means of the cases it is given.
type Statistic func(a, b []float64) float64

// MedianDifference is the median over cases of B-A.
func MedianDifference(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = b[i] - a[i]
	}
	return median(d)
}

// RatioOfMeans is mean B / mean A; NaN unless A's mean is above 0.
func RatioOfMeans(a, b []float64) float64 { return ratio(mean(a), mean(b)) }

func ratio(a, b float64) float64 {
	if a <= 0 {
		return math.NaN()
	}
	return b / a
}

// median puts x into another order.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return nth(x, (len(x)-1)/2)/2 + nth(x, len(x)/2)/2
}

// nth is the number that would stand at a place if x were sorted: quickselect (Hoare, CACM 4, 1961) with a middle part for those
// that equal the pivot, since most differences are 0. A resample needs no more of its order, and there are thousands of them. It
// puts x into another order.
func nth(x []float64, at int) float64 {
	for {
		first, middle, last := x[0], x[len(x)/2], x[len(x)-1]
		pivot := max(min(first, middle), min(max(first, middle), last))
		below, i, above := 0, 0, len(x)
		for i < above {
			switch v := x[i]; {
			case v < pivot:
				x[below], x[i] = v, x[below]
				below++
				i++
			case v > pivot:
				above--
				x[i], x[above] = x[above], v
			default:
				i++
			}
		}
		switch {
		case at < below:
			x = x[:below]
		case at < above:
			return pivot
		default:
			x, at = x[above:], at-above
		}
	}
}

// BCa gives the bias-corrected and accelerated bootstrap interval (Efron, JASA 82, 1987; Efron and Tibshirani, An
// Introduction to the Bootstrap, 1993, section 14.3). Whole clusters are drawn with replacement, and the acceleration
// is the jackknife's over clusters. resamples of 0 are DefaultResamples. Resamples equal to the estimate count half for the bias.
//
// The interval is unknown below two clusters, and when the statistic is not a number for the data, a resample or with
// one cluster left out, as a ratio is when A is 0. It is a point when all resamples agree. The jackknife of a median is
// rough, and so is its interval below some 20 cases.
func (p Paired) BCa(of Statistic, seed uint64, resamples int) Bootstrap {
	return bcaAt(p, of, seed, resamples, Alpha/2)
}

// bcaAt is BCa with another share beyond each end of the interval.
func bcaAt(p Paired, of Statistic, seed uint64, resamples int, tail float64) Bootstrap {
	members := make([][]int, p.clusters)
	for i, c := range p.cluster {
		members[c] = append(members[c], i)
	}
	a, b := make([]float64, 0, len(p.A)), make([]float64, 0, len(p.B))
	value := func(n int, cluster func(int) int) float64 {
		a, b = a[:0], b[:0]
		for i := range n {
			for _, at := range members[cluster(i)] {
				a, b = append(a, p.A[at]), append(b, p.B[at])
			}
		}
		return of(a, b)
	}
	if p.clusters == 0 {
		return Bootstrap{Note: "there are no cases"}
	}
	out := Bootstrap{Estimate: value(p.clusters, func(i int) int { return i })}
	if unusable(out.Estimate) {
		return Bootstrap{Note: "the ratio is undefined, since A is not above 0"}
	}
	if p.clusters < 2 {
		out.Note = "an interval needs at least two independent cases"
		return out
	}
	left := make([]float64, p.clusters)
	for drop := range left {
		left[drop] = value(p.clusters-1, func(i int) int {
			if i >= drop {
				i++
			}
			return i
		})
		if unusable(left[drop]) {
			out.Note = "the ratio is undefined without one of the cases, since A is then not above 0"
			return out
		}
	}
	if resamples <= 0 {
		resamples = DefaultResamples
	}
	r := rand.New(source(seed))
	drawn := make([]float64, resamples)
	for i := range drawn {
		drawn[i] = value(p.clusters, func(int) int { return r.IntN(p.clusters) })
		if unusable(drawn[i]) {
			out.Note = "the ratio is undefined for some resamples, since A is not above 0 there"
			return out
		}
	}
	sort.Float64s(drawn)
	out.bias, out.acceleration = bias(drawn, out.Estimate), acceleration(left)
	if drawn[0] == drawn[len(drawn)-1] {
		out.Note = "all resamples give the same value"
	}
	at := func(z float64) float64 {
		z += out.bias
		level := distuv.UnitNormal.CDF(out.bias + z/(1-out.acceleration*z))
		if out.acceleration*z >= 1 { // beyond the pole of the formula: the end of what was drawn
			level = 1
			if z < 0 {
				level = 0
			}
		}
		return quantile(drawn, level)
	}
	z := distuv.UnitNormal.Quantile(1 - tail)
	out.Interval = Interval{at(-z), at(z), true}
	return out
}

func unusable(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// bias is z0: how far the estimate is from the median of the sorted resamples, in normal quantiles. It is kept finite.
func bias(drawn []float64, estimate float64) float64 {
	below := sort.SearchFloat64s(drawn, estimate)
	upTo := sort.Search(len(drawn), func(i int) bool { return drawn[i] > estimate })
	share := (float64(below) + float64(upTo)) / 2 / float64(len(drawn))
	least := 1 / float64(len(drawn)+1)
	return distuv.UnitNormal.Quantile(min(1-least, max(least, share)))
}

// acceleration is Efron and Tibshirani's equation 14.15; 0 if leaving out a cluster changes nothing.
func acceleration(left []float64) float64 {
	m := mean(left)
	var two, three float64
	for _, x := range left {
		two += (m - x) * (m - x)
		three += (m - x) * (m - x) * (m - x)
	}
	if two <= 1e-24*m*m || two == 0 {
		return 0
	}
	return three / (6 * math.Pow(two, 1.5))
}

// quantile of sorted values, linear between the neighbours of (n+1)·level.
func quantile(sorted []float64, level float64) float64 {
	at := level*float64(len(sorted)+1) - 1
	if at <= 0 {
		return sorted[0]
	}
	if at >= float64(len(sorted)-1) {
		return sorted[len(sorted)-1]
	}
	low := math.Floor(at)
	i := int(low)
	return sorted[i] + (at-low)*(sorted[i+1]-sorted[i])
}
