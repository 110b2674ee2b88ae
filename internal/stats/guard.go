package stats

import (
	"fmt"
	"math"
)

// Guard is a metric that may not get much worse, as cost and latency. Less is better.
type Guard struct {
	Metric   string
	Relative *float64 // the share by which the mean may grow: .1 is 10%; nil is no such limit
	Absolute *float64 // by how much it may grow, in the metric's unit; nil is no such limit
}

// State of a guardrail.
type State string

// The states: kept and broken are sure by the 95% interval, unclear is neither.
const (
	Kept    State = "kept"
	Broken  State = "broken"
	Unclear State = "unclear"
)

// Checked is a guardrail held against what was measured.
type Checked struct {
	Metric string `json:"metric"`
	State  State  `json:"state"`
	Reason string `json:"reason"`
	Needed int    `json:"needed,omitempty"` // cases in all that would decide an unclear one; 0 is unknown
	Worse  TTest  `json:"worse"`            // B-A, or for a relative limit B-(1+limit)·A
	Over   *Over  `json:"over,omitempty"`   // of a Target
}

// Over is the share of cases beyond the limit of a Target.
type Over struct {
	Share    float64  `json:"share"`
	Interval Interval `json:"interval"`
	Allowed  float64  `json:"allowed"`
	Cases    int      `json:"cases"` // independent ones
}

// Check is a test of non-inferiority. For an absolute limit it looks at the interval of B-A; for a relative one at that of
// B-(1+limit)·A, which is above 0 just when B's mean is above the limit, needs no division, and is fine with A = 0
// (Fieller, JRSS B 16, 1954). The guardrail is kept if the whole interval is within the limit, broken if it is all beyond, else
// unclear. Where that interval is a point, because all differences are the same, it is broken only if p is at most Alpha.
// Of two limits the worse state counts. Without a limit it is kept.
func (g Guard) Check(p Paired) Checked {
	out := Checked{Metric: g.Metric, State: Kept, Reason: name(g.Metric) + " has no limit", Worse: p.TTest()}
	first := true
	for _, limit := range []struct {
		at       *float64
		relative bool
	}{{g.Relative, true}, {g.Absolute, false}} {
		if limit.at == nil {
			continue
		}
		c := Checked{Metric: g.Metric, State: Unclear}
		bound, text := *limit.at, short(*limit.at)
		scaled := p
		scaled.Rate = false
		if limit.relative {
			scaled.A = make([]float64, len(p.A))
			for i, a := range p.A {
				scaled.A[i] = a * (1 + bound)
			}
			bound, text = 0, short(100**limit.at)+"%"
		}
		c.Worse = scaled.TTest()
		i := c.Worse.Interval
		change := fmt.Sprintf("%s goes from %s to %s, limit +%s", name(g.Metric), short(p.MeanA()), short(p.MeanB()), text)
		switch {
		case !i.Known:
			c.Reason = change + "; " + c.Worse.Note
		case i.High <= bound:
			c.State, c.Reason = Kept, change
		case i.Low > bound && c.Worse.point() && c.Worse.P > Alpha:
			c.Reason = fmt.Sprintf("%s, beyond it in all of %d independent cases, which are too few to say so", change, c.Worse.Clusters)
			c.Needed, _ = c.Worse.CasesToDecide(c.Worse.Mean - bound)
		case i.Low > bound:
			c.State, c.Reason = Broken, change
		default:
			c.Reason = change + ", which chance could have crossed either way"
			if n, ok := c.Worse.CasesToDecide(math.Abs(c.Worse.Mean - bound)); ok {
				c.Needed = n
			}
		}
		if rank := map[State]int{Kept: 0, Unclear: 1, Broken: 2}; first || rank[c.State] > rank[out.State] {
			out, first = c, false
		}
	}
	return out
}
