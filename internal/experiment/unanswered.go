package experiment

import (
	"fmt"
	"math"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/planner"
	"pflow/internal/stats"
)

// noAnswer begins what a row without an answer is not as expected for.
const noAnswer = "no answer: "

// ofModels are the kinds of errors of plans that failed for a model that gave no answer.
var ofModels = map[string]bool{
	planner.NoModelAnswered: true, string(fault.Unavailable): true, string(fault.Network): true, string(fault.RateLimit): true,
	string(fault.Authentication): true, string(fault.Quota): true,
}

// unanswered takes a verdict back that may come of models that could not be asked: such a plan counts as a fail, and says nothing
// of the flow. So a difference stands only where it is larger than all that they make up.
func (x *results) unanswered(r *Report, variant int, difference float64, d stats.Decision) (_ stats.Decision, instead string) {
	a, b := x.silence(0), x.silence(variant)
	switch decided := d.Verdict == stats.Promote || d.Verdict == stats.Reject; {
	case a == 1 || b == 1:
	case decided && a+b > 0 && r.Primary.Rate() && math.Abs(difference) <= a+b:
	default:
		return d, ""
	}
	var of []string
	for _, v := range []int{0, variant} {
		if share := x.silence(v); share > 0 {
			of = append(of, fmt.Sprintf("on %.3g%% of the plans of %s", 100*share, x.variants[v].Name))
		}
	}
	d.Verdict, d.Further = stats.Inconclusive, 0
	d.Reason = fmt.Sprintf("%s is not judged: a model gave no answer %s, which count as fails and say nothing of a flow", r.Primary, strings.Join(of, " and "))
	return d, "plan those again that have no answer"
}

// silence is the share of the plans of a variant that failed for a model that gave no answer.
func (x *results) silence(variant int) float64 {
	silent, rows := 0, 0
	for i, n := range x.silent[variant] {
		silent, rows = silent+n, rows+len(x.values[Pass][variant][i])
	}
	if rows == 0 {
		return 0
	}
	return float64(silent) / float64(rows)
}

// firstUnanswered says of the first row without an answer why it has none.
func (x *results) firstUnanswered() string {
	for i := range x.cases {
		for v := range x.variants {
			if x.failed[v][i] == 0 {
				continue
			}
			row := x.cases[i].ord
			if x.from[v].joined != nil {
				row = i
			}
			if why := whyNoAnswer(x.matrix[row].Cells[v].Failed); why != "" {
				return fmt.Sprintf(". The first, %s of %s: %s", x.cases[i].id, x.variants[v].Name, why)
			}
		}
	}
	return ""
}

// whyNoAnswer is why a row has no answer, "" if it does not say.
func whyNoAnswer(failed []string) string {
	for _, f := range failed {
		if why, is := strings.CutPrefix(f, noAnswer); is {
			return clip(oneLine(why), 300)
		}
	}
	return ""
}

// answerable refuses variants of which each plan would fail for want of a model.
func (x *Experiment) answerable() error {
	if x.o.Answers == nil {
		return nil
	}
	for i, v := range x.Spec.Variants {
		if err := x.o.Answers(v, x.flows[i]); err != nil {
			return err
		}
	}
	return nil
}
