package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// NearestRank is the percentile of sorted values that at least so many of 100 are at or below: the one at rank
// ceil(percent/100·n), a value that was measured (the inverse of the empirical distribution, type 1 of Hyndman and Fan, The
// American Statistician 50, 1996). It is 0 without values.
func NearestRank(sorted []float64, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := (percent*len(sorted) + 99) / 100
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Target is a percentile that may not be above a limit: at most 100-Percent of 100 values lie beyond it.
type Target struct {
	Metric  string
	Percent int     // 1 to 99
	Within  float64 // in the metric's unit
	Unit    string
}

// Check holds a target against the values of cases, each with those of all its repeats. A percentile is within a limit just
// when the share of values beyond the limit is at most 1-Percent/100; so it is that share which is estimated, with the exact
// binomial interval (Clopper and Pearson, Biometrika 26, 1934), which is the interval of a quantile by order statistics read
// from the other side (Conover, Practical Nonparametric Statistics, section 3.2): nothing is assumed of how values are
// distributed. The target is kept if the whole 95% interval is at most that share, broken if it is all beyond, else unclear.
// The unit is the case, or the group of cases: a case with repeats counts once, with its share of them. Cases without a value
// count for nothing.
func (t Target) Check(cases []Case) Checked {
	out := Checked{Metric: t.Metric, State: Unclear}
	index := map[string]int{}
	var over, size []float64
	var all []float64
	for _, c := range cases {
		if len(c.B) == 0 {
			continue
		}
		at, seen := index[c.Group]
		if !seen || c.Group == "" {
			at = len(over)
			index[c.Group] = at
			over, size = append(over, 0), append(size, 0)
		}
		n := 0
		for _, v := range c.B {
			if v > t.Within {
				n++
			}
		}
		over[at] += float64(n) / float64(len(c.B))
		size[at]++
		all = append(all, c.B...)
	}
	limit := fmt.Sprintf("%s %s", short(t.Within), t.Unit)
	if len(all) == 0 {
		out.Reason = fmt.Sprintf("%s was never measured, so that its limit of %s says nothing", t.Metric, limit)
		return out
	}
	slices.Sort(all)
	total := 0.
	for i := range over {
		total += over[i] / size[i]
	}
	n, allowed := float64(len(over)), 1-float64(t.Percent)/100
	share := total / n
	i := shareInterval(total, n)
	out.Over = &Over{Share: share, Interval: i, Allowed: allowed, Cases: len(over)}
	seen := fmt.Sprintf("%s is %s %s, limit %s: %s%% of %d independent cases beyond it (95%% interval %s%% to %s%%, Clopper-Pearson), allowed %d%%",
		t.Metric, short(NearestRank(all, t.Percent)), t.Unit, limit, short(100*share), len(over), short(100*i.Low), short(100*i.High), 100-t.Percent)
	switch {
	case i.High <= allowed:
		out.State = Kept
	case i.Low > allowed:
		out.State = Broken
	default:
		seen += ", which is too few to say"
		out.Needed = casesForShare(share, allowed)
	}
	out.Reason = seen
	return out
}

// shareInterval is the exact 95% interval of a binomial share, of x in n, by quantiles of the beta distribution, which also
// take an x that is no whole number.
func shareInterval(x, n float64) Interval {
	i := Interval{Low: 0, High: 1, Known: true}
	if x > 0 {
		i.Low = distuv.Beta{Alpha: x, Beta: n - x + 1}.Quantile(Alpha / 2)
	}
	if x < n {
		i.High = distuv.Beta{Alpha: x + 1, Beta: n - x}.Quantile(1 - Alpha/2)
	}
	return i
}

// casesForShare is about how many cases decide whether a share is allowed, if it stays what it was seen to be. 0 is none that
// could be run.
func casesForShare(share, allowed float64) int {
	const most = 1 << 20
	decides := func(n int) bool {
		i := shareInterval(share*float64(n), float64(n))
		return i.High <= allowed || i.Low > allowed
	}
	if math.Abs(share-allowed) < 1e-9 || !decides(most) {
		return 0
	}
	low, high := 1, most
	for low < high {
		if mid := (low + high) / 2; decides(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}
