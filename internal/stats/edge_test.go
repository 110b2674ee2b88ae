package stats

import (
	"math"
	"strings"
	"testing"
)

func TestPair(t *testing.T) {
	p, err := Pair([]Case{
		{ID: "1", A: []float64{1, 0, 0}, B: []float64{0, 0, 1}},
		{ID: "2", A: []float64{1}, B: []float64{1, 0}},
		{ID: "3", A: []float64{1}},
		{ID: "4", Group: "g", A: []float64{0}, B: []float64{1}},
		{ID: "5", Group: "g", A: []float64{0}, B: []float64{1}},
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	if p.Cases() != 4 || p.clusters != 3 || p.Missing != 1 || p.Repeats != 3 || p.Differ() != 3 {
		t.Errorf("%+v", p)
	}
	near(t, "mean of A", p.MeanA(), (1./3+1)/4, 1e-12)
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e101, 1.5, -1} {
		if _, err := Pair([]Case{{ID: "x", A: []float64{bad}, B: []float64{0}}}, true); err == nil || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// Repeats are averaged, never pooled: three equal runs say as much as one.
func TestRepeatsAreNotPooled(t *testing.T) {
	var once, thrice []Case
	for i := range sleep1 {
		once = append(once, Case{A: sleep1[i : i+1], B: sleep2[i : i+1]})
		thrice = append(thrice, Case{A: []float64{sleep1[i], sleep1[i], sleep1[i]}, B: []float64{sleep2[i], sleep2[i], sleep2[i]}})
	}
	p, _ := Pair(once, false)
	q, _ := Pair(thrice, false)
	near(t, "p", q.TTest().P, p.TTest().P, 1e-12)
	near(t, "df", q.TTest().DF, 9, 1e-9)
	if _, err := q.McNemar(); err == nil {
		t.Error("McNemar's test takes repeats")
	}
}

// No input gives NaN or an infinite number.
func TestNeverNaN(t *testing.T) {
	ones, zeros := make([]float64, 25), make([]float64, 25)
	for i := range ones {
		ones[i] = 1
	}
	group := strings.Split(strings.Repeat("g ", 24)+"h", " ")
	one := strings.Split(strings.Repeat("g ", 24)+"g", " ")
	for name, p := range map[string]Paired{
		"none":                  {},
		"one case":              pairs(t, true, zeros[:1], ones[:1]),
		"two cases":             pairs(t, true, zeros[:2], ones[:2]),
		"no difference":         pairs(t, true, ones, ones),
		"all fixed":             pairs(t, true, zeros, ones),
		"all broken":            pairs(t, true, ones, zeros),
		"all equal, no rate":    pairs(t, false, zeros, ones),
		"one cluster":           pairs(t, true, zeros, ones, one...),
		"two uneven clusters":   pairs(t, true, zeros, ones, group...),
		"huge":                  pairs(t, false, []float64{0, 1e100, 1e100}, []float64{1e100, 0, -1e100}),
		"tiny":                  pairs(t, false, []float64{0, 1e-320, 0}, []float64{1e-310, 0, 1e-308}),
		"no variance, no group": pairs(t, false, []float64{.1, .2, .3}, []float64{.2, .3, .4}),
	} {
		r := p.TTest()
		flip := p.SignFlip(1, 99)
		numbers := []float64{r.Mean, r.SE, r.DF, r.T, r.P, r.Interval.Low, r.Interval.High, flip.P}
		ratio, median := p.Ratio(), p.Median()
		numbers = append(numbers, ratio.Estimate, ratio.Interval.Low, ratio.Interval.High, ratio.P, median.Estimate, median.Interval.Low, median.Interval.High)
		if !ratio.Interval.Known && ratio.Note == "" || !median.Interval.Known && median.Note == "" {
			t.Errorf("%s: no note says why an interval is unknown: %+v, %+v", name, ratio, median)
		}
		if d, ok := r.Detectable(Power); ok {
			numbers = append(numbers, d)
		}
		for i, x := range numbers {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: number %d is %v of %+v", name, i, x, r)
			}
		}
		if r.P < 0 || r.P > 1 || flip.P <= 0 || flip.P > 1 {
			t.Errorf("%s: p %v and %v", name, r.P, flip.P)
		}
		if d := Decide(r, Rule{}); d.Verdict == "" || d.Reason == "" || strings.Contains(d.Reason, "NaN") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// Rates always have an interval with a width: seeing no difference in 25 cases does not rule one out.
func TestFewDifferingRates(t *testing.T) {
	a, b := make([]float64, 25), make([]float64, 25)
	none := pairs(t, true, a, b).TTest()
	if none.P != 1 || none.Method != MethodAdded || none.Interval.Low >= -.05 || none.Interval.High <= .05 {
		t.Errorf("%+v", none)
	}
	for i := range 4 {
		b[i] = 1
	}
	if four := pairs(t, true, a, b).TTest(); four.P < Alpha || !four.Interval.Contains(0) {
		t.Errorf("four of four: %+v", four)
	}
	b[4], b[5] = 1, 1
	if six := pairs(t, true, a, b).TTest(); six.P > Alpha || six.Interval.Contains(0) {
		t.Errorf("six of six: %+v", six)
	}
	// Bonett and Price for 6 and 0 of 25 by hand: centre 6/27, variance (8 - 36/27)/(27·26).
	near(t, "se", pairs(t, true, a, b).TTest().SE, math.Sqrt((8-36./27)/(27*26)), 1e-12)
}

// p is at most Alpha just when the interval excludes 0.
func TestIntervalAgreesWithP(t *testing.T) {
	r := source(5)
	for n := 3; n < 60; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = float64(r.Uint64()%2), float64(min(1, r.Uint64()%4))
		}
		got := pairs(t, true, a, b).TTest()
		if (got.P <= Alpha) == got.Interval.Contains(0) {
			t.Errorf("%d cases: %+v", n, got)
		}
	}
}

// The number of cases and the detectable difference are two views of one thing.
func TestDetectableAndCases(t *testing.T) {
	r := pairs(t, false, sleep1, sleep2).TTest()
	d, ok := r.Detectable(Power)
	if n, ok2 := r.CasesToDecide(d, Power); !ok || !ok2 || n != 10 {
		t.Errorf("%v takes %d cases", d, n)
	}
	if n, ok := r.CasesToDecide(d/2, Power); !ok || n < 30 || n > 40 {
		t.Errorf("half of it takes %d cases", n)
	}
	if _, ok := r.CasesToDecide(0, Power); ok {
		t.Error("no number of cases shows that there is no difference")
	}
	if _, ok := r.CasesToDecide(1e-9, Power); ok {
		t.Error("more than MaxCases")
	}
}
