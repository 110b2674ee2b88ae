package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Median is that of the differences B-A over cases.
type Median struct {
	Estimate float64  `json:"estimate"`
	Interval Interval `json:"interval"`
	Note     string   `json:"note,omitempty"` // why the interval is unknown
}

// Median gives the interval between two of the differences that were measured: those whose ranks are the ends of the interval of
// the share of cases below the median, .5 ± t·SE, the SE being CR2's for clusters (Woodruff, JASA 47, 1952). Without groups that
// comes to the ranks of the sign test; nothing is assumed of how differences are distributed. It is unknown below 9 clusters,
// whether or not they differ, and where these ranks lie beyond the smallest or the largest difference.
func (p Paired) Median() Median {
	d := p.differences()
	if len(d) == 0 {
		return Median{Note: "there are no cases"}
	}
	sorted := slices.Sorted(slices.Values(d))
	n := len(sorted)
	out := Median{Estimate: sorted[(n-1)/2]/2 + sorted[n/2]/2}
	if p.clusters < leastForMedian { // cases with the same difference tell no more than others: without this, 2 of them would be sure of it
		out.Note = "too few independent cases for an interval"
		return out
	}
	clusters := make([]weighted, p.clusters)
	for i, v := range d {
		c := &clusters[p.cluster[i]]
		c.size++
		switch {
		case v < out.Estimate:
			c.total += .5
		case v > out.Estimate:
			c.total -= .5
		}
	}
	variance, df := cr2(clusters)
	half := math.Sqrt(variance) * distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1-Alpha/2)
	low, high := int(math.Floor((.5-half)*float64(n))), int(math.Ceil((.5+half)*float64(n)))
	if low < 1 || high > n {
		out.Note = "too few independent cases for an interval"
		return out
	}
	out.Interval = Interval{sorted[low-1], sorted[high-1], true}
	return out
}

// leastForMedian is how many independent cases the interval of a median needs where no two differences are the same.
const leastForMedian = 9
