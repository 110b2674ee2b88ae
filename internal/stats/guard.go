package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Guard is a metric that may not get much worse: cost and latency may not grow, rates may not fall.
type Guard struct {
	Metric     string
	HigherWins bool     // more of the metric is better, so that the limits are of how far it falls
	Relative   *float64 // the share by which the mean may get worse: .1 is 10%; nil is no such limit
	Absolute   *float64 // by how much it may, in the metric's unit; nil is no such limit
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
	Worse  TTest  `json:"worse"`            // B-A, or for a relative limit B-(1+limit)·A; where more is better, B-(1-limit)·A
	Over   *Over  `json:"over,omitempty"`   // of a Target
}

// Over is the share of cases beyond the limit of a Target.
type Over struct {
	Share    float64  `json:"share"`
	Interval Interval `json:"interval"`
	Allowed  float64  `json:"allowed"`
	Cases    int      `json:"cases"` // independent ones
}

// Check is a test of non-inferiority (Piaggio, Elbourne, Pocock, Evans and Altman, JAMA 308, 2012). For an absolute limit it
// looks at the interval of B-A; for a relative one at that of B-(1+limit)·A, which is above 0 just when B's mean is above the
// limit, needs no division, and is fine with A = 0 (Fieller, JRSS B 16, 1954); where more is better, of B-(1-limit)·A. The guardrail
// is kept if the whole interval is within the limit, broken if it is all beyond, else unclear. Where that interval is a point,
// because all differences are the same, it is broken only if p is at most Alpha. Of rates few or no cases that differ are no
// proof of being alike: for an absolute limit, with one run a case and without groups, the interval is Tango's (see tango), else
// they get the two added cases of Paired.TTest. Of two limits the worse state counts. Without a limit it is kept.
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
		c := g.check(p, *limit.at, limit.relative)
		if rank := map[State]int{Kept: 0, Unclear: 1, Broken: 2}; first || rank[c.State] > rank[out.State] {
			out, first = c, false
		}
	}
	return out
}

// check holds p to one limit.
func (g Guard) check(p Paired, limit float64, relative bool) Checked {
	c := Checked{Metric: g.Metric, State: Unclear}
	c.Worse = g.test(p, limit, relative)
	if p.Cases() == 0 {
		c.Reason = "no case has a value of " + name(g.Metric) + " under both variants"
		return c
	}
	bound := limit
	if relative {
		bound = 0
	}
	// From here on more is worse.
	mean, low, high := Rule{LowerWins: g.HigherWins}.towards(c.Worse.Mean, c.Worse.Interval)
	change := g.change(p, limit, relative)
	switch {
	case !c.Worse.Interval.Known:
		c.Reason = change + "; " + c.Worse.Note
	case high <= bound:
		c.State, c.Reason = Kept, change
	case low > bound && c.Worse.point() && c.Worse.P > Alpha:
		c.Reason = fmt.Sprintf("%s, beyond it in all of %d independent cases, which are too few to say so", change, c.Worse.Clusters)
		c.Needed, _ = c.Worse.CasesToDecide(mean-bound, Power)
	case low > bound:
		c.State, c.Reason = Broken, change
	default:
		c.Reason = change + ", which chance could have crossed either way"
		if n, ok := c.Worse.CasesToDecide(math.Abs(mean-bound), Power); ok {
			c.Needed = max(n, p.Cases()+1) // the standard error is that of the t test, which may be sure where the score test is not
		}
	}
	return c
}

// test compares B with A, or with as much of A as a relative limit allows. What two added cases gain and lose goes by B-A in both.
func (g Guard) test(p Paired, limit float64, relative bool) TTest {
	added := 0.
	if p.Rate {
		added = p.added(p.sums(), p.differences())
	}
	p.Rate = p.Rate && !relative // else differences may lie beyond -1..1
	if relative {
		if g.HigherWins {
			limit = -limit
		}
		allowed := make([]float64, len(p.A))
		for i, a := range p.A {
			allowed[i] = a * (1 + limit)
		}
		p.A = allowed
	}
	t := p.test(added)
	if !p.Rate || relative || t.Method == MethodUndefined {
		return t
	}
	if m, err := p.McNemar(); err == nil {
		t.Method, t.Note, t.Interval = MethodScore, "", tango(float64(t.Cases), float64(m.Fixed), float64(m.Broken))
		t.T, t.P = 0, 1
		if n := m.Fixed + m.Broken; n > 0 {
			t.T = float64(m.Fixed-m.Broken) / math.Sqrt(float64(n))
			t.P = min(1, 2*distuv.UnitNormal.CDF(-math.Abs(t.T)))
		}
	}
	return t
}

// change says what became of the metric, and what may.
func (g Guard) change(p Paired, limit float64, relative bool) string {
	show, amount := short, short(limit)
	if p.Rate {
		show, amount = func(x float64) string { return trimmed(100*x, 1) + "%" }, Points.amount(limit)
	}
	if relative {
		amount = short(100*limit) + "%"
	}
	text := fmt.Sprintf("%s goes from %s to %s, ", name(g.Metric), show(p.MeanA()), show(p.MeanB()))
	switch {
	case !g.HigherWins:
		return text + "limit +" + amount
	case relative:
		return text + "may fall by " + amount + " of that"
	}
	return text + "may fall by " + amount
}
