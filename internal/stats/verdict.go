package stats

import (
	"fmt"
	"math"
	"strings"
)

// Verdict is what to do with B.
type Verdict string

// The verdicts; Decide says when each is given.
const (
	Promote      Verdict = "PROMOTE"
	Reject       Verdict = "REJECT"
	Extend       Verdict = "EXTEND"
	Inconclusive Verdict = "INCONCLUSIVE"
)

// Rule is what a decision goes by.
type Rule struct {
	Metric      string    // its name in reasons
	Unit        Unit      // how its values are written in reasons
	Threshold   float64   // the smallest improvement worth having, 0 or more, in the metric's unit
	LowerWins   bool      // less of the metric is better
	P           float64   // the p to compare with Alpha, as adjusted by Holm; 0 takes the test's own
	Comparisons int       // that the experiment makes; 0 is 1
	MaxFurther  int       // cases that could still be run; 0 is three times as many as there are, and at least LoudBelow
	Guards      []Checked // guardrails, from Guard.Check
}

// Decision is a verdict with its reason. p and interval stay where they were computed.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	Further int     `json:"further,omitempty"` // about as many more cases would decide; 0 is unknown or none
	Warning string  `json:"warning,omitempty"` // there are fewer than LoudBelow cases
}

// Decide gives, by the first of these that holds,
//
//	REJECT        a guardrail is broken, or B is worse: p is at most Alpha and the interval of the improvement lies below 0
//	INCONCLUSIVE  the whole interval lies below the threshold (at or below 0 if the threshold is 0), but B is not shown to be
//	              worse: what is worth having is ruled out, so that no more cases would help
//	PROMOTE       p is at most Alpha, the interval lies above 0, the improvement seen is at least the threshold, and
//	              every guardrail is kept
//	EXTEND        neither, and if the differences stay as they were, at most MaxFurther more cases would decide it with a chance of Power
//	INCONCLUSIVE  neither, and they would not, or nothing can be computed
//
// With several comparisons p is the one that Holm's method adjusted, for worse as for better, and what is ruled out is ruled
// out by the interval at Alpha/Comparisons, which hold together with a chance of at least 95% (Bonferroni; Dunn, JASA 56, 1961).
// An interval that is a point says nothing by itself (see TTest): the threshold is ruled out only by as many cases as it
// takes for such a p.
//
// PROMOTE is the dual criterion of Roychoudhury, Scheuer and Neuenschwander (Clinical Trials 15, 2018): significant, and
// large enough to matter. The cases needed are those for the improvement to be significant if it is at least the
// threshold, and those to rule the threshold out if it is less; an unclear guardrail may need more.
func Decide(t TTest, rule Rule) Decision {
	d := Decision{}
	if t.Cases < LoudBelow {
		d.Warning = fmt.Sprintf("ONLY %d CASES: below %d, intervals rest on assumptions that cannot be checked; take no verdict from this alone", t.Cases, LoudBelow)
	}
	gain, low, high := rule.towards(t.Mean, t.Interval)
	p := t.P
	if rule.P > 0 {
		p = rule.P
	}
	threshold := max(0, rule.Threshold)
	seen := rule.seen(t)
	clear := true
	for _, g := range rule.Guards {
		switch g.State {
		case Broken:
			d.Verdict, d.Reason = Reject, "guardrail broken: "+g.Reason
			return d
		case Unclear:
			clear = false
		}
	}
	if !t.Interval.Known {
		d.Verdict, d.Reason = Inconclusive, "nothing can be said of "+name(rule.Metric)+": "+t.Note
		return d
	}
	if high < 0 && p <= Alpha {
		d.Verdict, d.Reason = Reject, seen+": more than chance"
		return d
	}
	most := high
	if rule.Comparisons > 1 {
		_, _, most = rule.towards(t.Mean, t.at(Alpha/float64(rule.Comparisons)))
	}
	if (most < threshold || threshold == 0 && most <= 0) && (!t.point() || signs(t.Clusters) <= Alpha) {
		ruledOut := "any improvement"
		if threshold > 0 {
			ruledOut = fmt.Sprintf("an improvement of %s, the least worth having,", rule.Unit.amount(threshold))
		}
		d.Verdict, d.Reason = Inconclusive, fmt.Sprintf("%s; no more cases would help: %s is ruled out", seen, ruledOut)
		return d
	}
	better := p <= Alpha && low > 0 && gain >= threshold
	if better && clear {
		d.Verdict, d.Reason = Promote, fmt.Sprintf("%s: more than chance, and at least the %s worth having", seen, rule.Unit.amount(threshold))
		if len(rule.Guards) > 0 {
			d.Reason += "; every guardrail is kept"
		}
		return d
	}
	return d.undecided(t, rule, seen, gain, better)
}

// towards turns a difference and its interval so that more is better.
func (r Rule) towards(mean float64, i Interval) (gain, low, high float64) {
	if r.LowerWins {
		return -mean, -i.High, -i.Low
	}
	return mean, i.Low, i.High
}

// undecided is the verdict where the cases there are decide nothing: EXTEND if more would, that could be run.
func (d Decision) undecided(t TTest, rule Rule, seen string, gain float64, better bool) Decision {
	threshold := max(0, rule.Threshold)
	var why []string
	needed, feasible := t.Cases, true
	need := func(cases int, ok bool) {
		feasible = feasible && ok
		needed = max(needed, cases)
	}
	chance := ", which chance could do"
	if rule.Comparisons > 1 && t.P <= Alpha {
		chance = fmt.Sprintf(", which chance could do in one of %d comparisons", rule.Comparisons)
	}
	switch {
	case better:
		why = append(why, seen)
	case gain >= threshold && gain > 0:
		why = append(why, seen+chance)
		need(t.CasesToDecide(gain, Power))
	case t.Differ == 0:
		why = append(why, fmt.Sprintf("%s: they do not tell the two apart, and do not rule out %s, the least worth having", seen, rule.Unit.amount(threshold)))
		need(t.CasesToDecide(threshold, Power))
	default:
		why = append(why, fmt.Sprintf("%s: less than the %s worth having, which is not ruled out", seen, rule.Unit.amount(threshold)))
		need(t.CasesToDecide(threshold-gain, Power))
	}
	for _, g := range rule.Guards {
		if g.State == Unclear {
			need(g.Needed, g.Needed > 0)
			why = append(why, "guardrail unclear: "+g.Reason)
		}
	}
	most := rule.MaxFurther
	if most <= 0 {
		most = max(LoudBelow, 3*t.Cases)
	}
	d.Verdict = Inconclusive
	switch further := max(1, needed-t.Cases, LoudBelow-t.Cases); {
	case !feasible:
		why = append(why, "no number of cases that could be run would decide this")
	case further > most:
		d.Further = further
		why = append(why, fmt.Sprintf("about %d more cases would decide this, more than the %d that could be run", further, most))
	default:
		d.Verdict, d.Further = Extend, further
		why = append(why, fmt.Sprintf("about %d more cases would decide this", further))
	}
	d.Reason = strings.Join(why, "; ")
	return d
}

func name(metric string) string {
	if metric == "" {
		return "the metric"
	}
	return metric
}

func short(x float64) string {
	if math.Abs(x) < 5e-13 {
		x = 0
	}
	return fmt.Sprintf("%.4g", x)
}
