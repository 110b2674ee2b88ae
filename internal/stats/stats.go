// Package stats decides between two variants that were run on the same cases.
//
// The unit is the case. Repeats of a case are averaged before anything else is done, so that K repeats of n cases count
// as n observations and never as K·n; cases that share a group count as one cluster. Cases are taken as drawn from the
// population one wants to know about: an interval says where the mean difference over all such cases may lie, not only
// over these. (Miller, "Adding Error Bars to Evals", arXiv:2411.00640, 2024, sections 2.2, 3 and 4.)
//
// The way through the package:
//
//	Score           runs of each case under one variant -> Estimate: the mean and where it may lie
//	Pair            runs of each case -> Paired: one pair of means a case, and its cluster
//	Paired.TTest    mean difference, interval and p (Student; CR2 with clusters; few differing pass rates)
//	Paired.SignFlip p of the sign-flip permutation test
//	McNemar         exact p for one run of pass or fail a case
//	Paired.Ratio    the ratio of the means of what is paid for: interval and p
//	Paired.Median   the median difference and its interval
//	Holm            p values of several variants against one baseline
//	Target.Check    whether a percentile is within a limit (exact binomial interval)
//	Detectable      the smallest difference these cases would have shown; CasesToDecide: how many would be enough
//	Decide          PROMOTE, REJECT, EXTEND or INCONCLUSIVE, with the reason in words
//	PassK           the chance that k runs all pass
//
// Nothing here reads a clock or global randomness: the same input and seed give the same numbers. No result is NaN or
// infinite: what cannot be computed has an Interval that is not Known, p = 1, and a note that says why.
package stats

import "math/rand/v2"

// Alpha is the two-sided error rate of every interval and decision; Power is the chance of Detectable and CasesToDecide in reports.
const (
	Alpha = .05
	Power = .8
)

// LoudBelow is the number of cases below which every result carries a warning.
const LoudBelow = 20

// Interval is a 95% confidence interval. Unknown ones have both ends 0 and mean "could be anything".
type Interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Known bool    `json:"known"`
}

// Contains reports whether x may be the true value. An unknown interval contains everything.
func (i Interval) Contains(x float64) bool { return !i.Known || i.Low <= x && x <= i.High }

// source is the randomness of one computation.
func source(seed uint64) *rand.PCG { return rand.NewPCG(seed, 0x9e3779b97f4a7c15) }
