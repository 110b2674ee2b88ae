package stats

import (
	"strings"
	"testing"
)

// settledCases gives n cases of which B fixes some and breaks some.
func settledCases(t *testing.T, n, fixed, broken int) Paired {
	a, b := make([]float64, n), make([]float64, n)
	for i := range n {
		switch {
		case i < fixed:
			b[i] = 1
		case i < fixed+broken:
			a[i] = 1
		}
	}
	return pairs(t, true, a, b)
}

func TestDecide(t *testing.T) {
	tenth := .1
	cost := func(factor float64) Paired {
		var a, b []float64
		for i := range 40 {
			x := 1 + float64(i%5)
			a, b = append(a, x), append(b, x*factor+.1*float64(i%2))
		}
		return pairs(t, false, a, b)
	}
	guard := func(p Paired) []Checked { return []Checked{Guard{Metric: "cost", Relative: &tenth}.Check(p)} }
	noisy := pairs(t, false, []float64{1, 9, 2, 8, 3, 7, 1, 9, 4, 6, 1, 9, 2, 8, 3, 7, 1, 9, 4, 6}, []float64{9, 1, 8, 3, 7, 3, 9, 1, 6, 4, 9, 2, 8, 3, 7, 3, 9, 1, 6, 4})
	for _, c := range []struct {
		name   string
		p      Paired
		rule   Rule
		want   Verdict
		reason string
	}{
		{"clear gain", settledCases(t, 40, 14, 1), Rule{Threshold: .02}, Promote, "at least the 0.02"},
		{"clear loss", settledCases(t, 40, 1, 14), Rule{Threshold: .02}, Reject, "B is worse"},
		{"too small", settledCases(t, 400, 20, 1), Rule{Threshold: .2}, Reject, "ruled out"},
		{"nearly", settledCases(t, 40, 9, 3), Rule{Threshold: .02}, Extend, "more cases would decide"},
		{"nearly, but no more cases", settledCases(t, 40, 9, 3), Rule{Threshold: .02, MaxFurther: 5}, Inconclusive, "more than the 5"},
		{"as many", settledCases(t, 40, 8, 8), Rule{}, Inconclusive, "no number of cases"},
		{"not after Holm", settledCases(t, 40, 14, 1), Rule{P: .06}, Extend, "chance could do"},
		{"cost kept", settledCases(t, 40, 14, 1), Rule{Guards: guard(cost(1))}, Promote, "every guardrail is kept"},
		{"cost broken", settledCases(t, 40, 14, 1), Rule{Guards: guard(cost(1.5))}, Reject, "guardrail broken: cost goes from 3 to 4.55, limit +10%"},
		{"cost unclear", settledCases(t, 20, 14, 1), Rule{Guards: guard(noisy)}, Inconclusive, "guardrail unclear: cost"},
		{"less is better", cost(.5), Rule{LowerWins: true, Threshold: .1}, Promote, "improves by 1.45"},
		{"one case", settledCases(t, 1, 1, 0), Rule{}, Inconclusive, "at least two"},
	} {
		got := Decide(c.p.TTest(), c.rule)
		if got.Verdict != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %+v", c.name, got)
		}
		if (got.Warning != "") != (c.p.Cases() < LoudBelow) {
			t.Errorf("%s: warning %q for %d cases", c.name, got.Warning, c.p.Cases())
		}
	}
}

func TestGuard(t *testing.T) {
	one := 1.
	p := differences(t, []float64{.1, .2, .3, .2, .1, .2, .3, .2})
	if got := (Guard{Metric: "latency", Absolute: &one}).Check(p); got.State != Kept {
		t.Errorf("%+v", got)
	}
	zero := 0.
	if got := (Guard{Metric: "latency", Absolute: &zero}).Check(p); got.State != Broken {
		t.Errorf("%+v", got)
	}
	if got := (Guard{Metric: "latency", Absolute: &one, Relative: &zero}).Check(p); got.State != Broken {
		t.Errorf("the worse of two limits counts: %+v", got)
	}
	if got := (Guard{Metric: "latency", Absolute: &one}).Check(differences(t, []float64{.1})); got.State != Unclear {
		t.Errorf("one case: %+v", got)
	}
	if got := (Guard{Metric: "latency"}).Check(p); got.State != Kept {
		t.Errorf("no limit: %+v", got)
	}
}
