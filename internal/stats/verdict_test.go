// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

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
		{"clear loss", settledCases(t, 40, 1, 14), Rule{Threshold: .02}, Reject, "more than chance"},
		{"too small", settledCases(t, 400, 20, 1), Rule{Threshold: .2}, Inconclusive, "no more cases would help: an improvement of 0.2, the least worth having, is ruled out"},
		{"nearly", settledCases(t, 40, 9, 3), Rule{Threshold: .02}, Extend, "more cases would decide"},
		{"nearly, but no more cases", settledCases(t, 40, 9, 3), Rule{Threshold: .02, MaxFurther: 5}, Inconclusive, "more than the 5"},
		{"as many", settledCases(t, 40, 8, 8), Rule{}, Inconclusive, "no number of cases"},
		{"not after Holm", settledCases(t, 40, 14, 1), Rule{P: .06}, Extend, "chance could do"},
		{"cost kept", settledCases(t, 40, 14, 1), Rule{Guards: guard(cost(1))}, Promote, "every guardrail is kept"},
		{"cost broken", settledCases(t, 40, 14, 1), Rule{Guards: guard(cost(1.5))}, Reject, "guardrail broken: cost goes from 3 to 4.55, limit +10%"},
		{"cost unclear", settledCases(t, 20, 14, 1), Rule{Guards: guard(noisy)}, Inconclusive, "guardrail unclear: cost"},
		{"less is better", cost(.5), Rule{LowerWins: true, Threshold: .1}, Promote, "lower by 1.45"},
		{"loss, not after Holm", settledCases(t, 40, 1, 14), Rule{P: .06, Comparisons: 4, Threshold: .02}, Inconclusive, "an improvement of 0.02, the least worth having, is ruled out"},
		{"small loss, not after Holm", settledCases(t, 88, 3, 12), Rule{P: .126, Comparisons: 4, Threshold: .15, Unit: Points}, Inconclusive, "is worse by 10.2 points (95% interval 1.7 to 18.8 points worse); no more cases would help: an improvement of 15 points"},
		{"gain, not after Holm", settledCases(t, 88, 12, 3), Rule{P: .126, Comparisons: 4, Threshold: .02, Unit: Points}, Extend, "which chance could do in one of 4 comparisons"},
		{"ruled out alone, not among 9", settledCases(t, 100, 6, 6), Rule{Comparisons: 9, P: 1, Threshold: .08, Unit: Points}, Extend, "is no different (95% interval 6.9 points worse to 6.9 points better): less than the 8 points worth having, which is not ruled out"},
		{"no case differs", settledCases(t, 40, 0, 0), Rule{Threshold: .05, Unit: Points}, Extend, "is the same in all 40 cases (95% interval"},
		{"what more cases are for", settledCases(t, 40, 0, 0), Rule{Threshold: .05, Unit: Points}, Extend, "): they do not tell the two apart, and do not rule out 5 points, the least worth having; about 108 more cases would decide this"},
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

// TestDecideIdentical: variants that do the same are no reason to reject, however many cases there are.
func TestDecideIdentical(t *testing.T) {
	for _, n := range []int{2, 20, 88, 500, 10_000} {
		for _, threshold := range []float64{0, .05, .2} {
			same := make([]float64, n)
			for i := range same {
				same[i] = float64(i % 2)
			}
			for _, rate := range []bool{true, false} {
				if got := Decide(pairs(t, rate, same, same).TTest(), Rule{Threshold: threshold, LowerWins: !rate}); got.Verdict == Reject || got.Verdict == Promote {
					t.Errorf("%d cases, threshold %v, rate %v: %+v", n, threshold, rate, got)
				}
			}
		}
	}
	got := Decide(settledCases(t, 88, 0, 0).TTest(), Rule{Metric: "pass", Threshold: .05})
	if got.Verdict != Inconclusive || !strings.Contains(got.Reason, "no more cases would help: an improvement of 0.05") || got.Further != 0 {
		t.Errorf("%+v", got)
	}
}

// TestDecideBounds puts the interval of the improvement on every side of 0 and of the threshold.
func TestDecideBounds(t *testing.T) {
	for _, c := range []struct {
		low, high, threshold float64
		want                 Verdict
		reason               string
	}{
		{-.3, -.1, .05, Reject, "more than chance"},
		{-.3, -.1, 0, Reject, "more than chance"},
		{-.3, -1e-9, .05, Reject, "more than chance"},
		{-.3, 0, .05, Inconclusive, "an improvement of 0.05, the least worth having, is ruled out"},
		{-.3, 0, 0, Inconclusive, "any improvement is ruled out"},
		{-.02, .02, .05, Inconclusive, "no more cases would help"},
		{.01, .04, .05, Inconclusive, "no more cases would help"},
		{-.02, .02, 0, Inconclusive, "no number of cases"},
		{-.02, .05, .05, Extend, "not ruled out"},
		{-.05, .1, .05, Extend, "not ruled out"},
		{.01, .07, .05, Extend, "not ruled out"},
		{-.01, .13, .05, Extend, "which chance could do"},
		{0, .2, .05, Extend, "which chance could do"},
		{.01, .11, .05, Promote, "more than chance"},
		{.01, .11, 0, Promote, "more than chance"},
	} {
		half := (c.high - c.low) / 2
		r := TTest{Method: MethodT, Cases: 40, Clusters: 40, Differ: 20, Mean: c.low + half, SE: half / 2.0227, DF: 39, P: 1, Interval: Interval{c.low, c.high, true}}
		if c.low > 0 || c.high < 0 {
			r.P = .01
		}
		for _, lowerWins := range []bool{false, true} {
			if lowerWins {
				r.Mean, r.Interval = -r.Mean, Interval{-c.high, -c.low, true}
			}
			got := Decide(r, Rule{Threshold: c.threshold, LowerWins: lowerWins, MaxFurther: 1_000_000})
			if got.Verdict != c.want || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("%v to %v, threshold %v, less is better %v: %+v", c.low, c.high, c.threshold, lowerWins, got)
			}
		}
	}
}

// TestConstant: equal differences give an interval that is a point however few they are, so p must carry what is said.
func TestConstant(t *testing.T) {
	zero := 0.
	for _, c := range []struct {
		cases   int
		verdict Verdict
		state   State
	}{{2, Extend, Unclear}, {5, Extend, Unclear}, {6, Reject, Broken}, {40, Reject, Broken}} {
		one := make([]float64, c.cases)
		for i := range one {
			one[i] = 1
		}
		p := differences(t, one)
		if got := Decide(p.TTest(), Rule{Metric: "calls", LowerWins: true}); got.Verdict != c.verdict {
			t.Errorf("%d cases with a call more: %+v", c.cases, got)
		}
		for _, g := range []Guard{{Metric: "calls", Relative: &zero}, {Metric: "calls", Absolute: &zero}} {
			got := g.Check(p)
			if got.State != c.state || c.state == Unclear && got.Needed != 6 {
				t.Errorf("%d cases with a call more: %+v", c.cases, got)
			}
			clear := settledCases(t, 40, 14, 1).TTest()
			if d := Decide(clear, Rule{Guards: []Checked{got}}); d.Verdict != c.verdict {
				t.Errorf("the guardrail over %d cases: %+v", c.cases, d)
			}
		}
	}
	if got := Decide(differences(t, []float64{0, 0}).TTest(), Rule{LowerWins: true, Threshold: 1}); got.Verdict != Extend || strings.Contains(got.Reason, "is ruled out") {
		t.Errorf("two cases rule nothing out: %+v", got)
	}
	grouped := differences(t, []float64{1, 1, 1, 1, 1, 1, 1, 1}, "a", "a", "a", "a", "b", "b", "b", "b")
	if n, ok := grouped.TTest().CasesToDecide(1, Power); !ok || n != 24 {
		t.Errorf("two groups of four: %d cases, want six groups of four", n)
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
