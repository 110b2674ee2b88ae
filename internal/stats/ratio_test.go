// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package stats

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// The ends of Fieller's interval are just where the t test of B-r·A has p = .05, with groups, too.
func TestRatio(t *testing.T) {
	var a, b []float64
	var groups []string
	for i := range 42 {
		x := 1 + float64(i%7)
		a, b, groups = append(a, x), append(b, 2*x+float64(i%5)-2), append(groups, strconv.Itoa(i%7))
	}
	for _, p := range []Paired{pairs(t, false, a, b), pairs(t, false, a, b, groups...), pairs(t, false, []float64{3, 4, 5, 4}, []float64{9, 1, 0, 6})} {
		got := p.Ratio()
		if !got.Interval.Known || !got.Interval.Contains(got.Estimate) || got.P != p.TTest().P {
			t.Fatalf("%+v", got)
		}
		for _, end := range []float64{got.Interval.Low, got.Interval.High} {
			if end == 0 {
				continue
			}
			scaled := p
			scaled.A = make([]float64, len(p.A))
			for i := range p.A {
				scaled.A[i] = end * p.A[i]
			}
			near(t, "p at the end of the interval", scaled.TTest().P, Alpha, 1e-9)
		}
	}
	for name, p := range map[string]Paired{
		"to 0":          pairs(t, false, make([]float64, 5), []float64{1, 2, 3, 4, 5}),
		"A hardly ever": pairs(t, false, []float64{0, 0, 0, 0, 9}, []float64{1, 2, 3, 4, 5}),
		"one case":      pairs(t, false, []float64{1}, []float64{2}),
	} {
		if got := p.Ratio(); got.Interval.Known || got.Note == "" || got.P > 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestMedianOfDifferences(t *testing.T) {
	// 20 cases: the sign test's 95% interval goes from the 6th to the 15th difference, ours is one rank wider at most.
	d := make([]float64, 20)
	for i := range d {
		d[i] = float64((i*7)%20 + 1)
	}
	got := differences(t, d).Median()
	near(t, "median", got.Estimate, 10.5, 1e-12)
	if i := got.Interval; !i.Known || i.Low < 5 || i.Low > 6 || i.High < 15 || i.High > 16 {
		t.Errorf("%+v", got)
	}
	if got := differences(t, []float64{1, 2, 3}).Median(); got.Interval.Known || got.Note == "" {
		t.Errorf("three cases: %+v", got)
	}
	for _, d := range [][]float64{make([]float64, 2), make([]float64, 8), {0, 0, 0, 0, 1}} { // that they are the same makes of few cases no more
		if got := differences(t, d).Median(); got.Interval.Known || got.Note == "" {
			t.Errorf("%v: %+v", d, got)
		}
	}
	if got := differences(t, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}).Median(); !got.Interval.Known {
		t.Errorf("nine cases: %+v", got)
	}
	if got := differences(t, make([]float64, 30)).Median(); !got.Interval.Known || got.Interval != (Interval{0, 0, true}) {
		t.Errorf("no difference: %+v", got)
	}
}

// TestSkewed holds p and intervals of ratios and medians to lognormal costs, some of which are 0, alone and in groups.
func TestSkewed(t *testing.T) {
	const runs = 1000
	for _, sd := range []float64{.5, 1} {
		for _, zeros := range []float64{0, .3} {
			for _, n := range []int{20, 100} {
				for _, grouped := range []bool{false, true} {
					r := rand.New(source(uint64(n)))
					var wrong, in, median, found float64
					cases := make([]Case, n)
					for range runs {
						shared := 0.
						for i := range cases {
							if !grouped || i%4 == 0 {
								shared = sd * r.NormFloat64()
							}
							draw := func() float64 {
								x := math.Exp(shared + .5*r.NormFloat64())
								if r.Float64() < zeros {
									return 0
								}
								return x
							}
							cases[i] = Case{A: []float64{draw()}, B: []float64{draw()}}
							if grouped {
								cases[i].Group = strconv.Itoa(i / 4)
							}
						}
						p, err := Pair(cases, false)
						if err != nil {
							t.Fatal(err)
						}
						ratio := p.Ratio()
						count(&wrong, ratio.P <= Alpha)
						count(&in, ratio.Interval.Contains(1))
						count(&median, p.Median().Interval.Contains(0))
						for i := range p.B {
							p.B[i] *= .69
						}
						count(&found, p.Ratio().P <= Alpha)
					}
					for _, v := range []*float64{&wrong, &in, &median, &found} {
						*v *= 100. / runs
					}
					t.Logf("sd %g, %g%% zeros, %d cases, groups %v: false positives %.1f%%, coverage %.1f%%, of the median %.1f%%, 31%% less found %.1f%%", sd, 100*zeros, n, grouped, wrong, in, median, found)
					if wrong > 7 || in < 93 || median < 93 {
						t.Errorf("sd %g, %g%% zeros, %d cases, groups %v: false positives %.1f%%, want at most 7%%; coverage %.1f%% and %.1f%%, want at least 93%%", sd, 100*zeros, n, grouped, wrong, in, median)
					}
				}
			}
		}
	}
}
