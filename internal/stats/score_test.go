// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package stats

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// alone gives cases of one value each.
func alone(values ...float64) []Case {
	out := make([]Case, len(values))
	for i, v := range values {
		out[i] = Case{ID: strconv.Itoa(i), A: []float64{v}}
	}
	return out
}

func passes(of, n int) []Case {
	list := make([]float64, n)
	for i := range of {
		list[i] = 1
	}
	return alone(list...)
}

func TestScore(t *testing.T) {
	repeated := func(n int) []Case {
		var out []Case
		for i := range n {
			out = append(out, Case{ID: strconv.Itoa(i), A: []float64{1, 1, 0}})
		}
		return out
	}
	grouped := passes(81, 100)
	for i := range grouped {
		grouped[i].Group = strconv.Itoa(i / 50)
	}
	for _, c := range []struct {
		name      string
		cases     []Case
		rate      bool
		method    string
		mean      float64
		low, high float64
	}{
		// Newcombe, Statistics in Medicine 17, 1998, table I, method 3; and n/(n+z²) by hand
		{"Wilson", passes(81, 263), true, MethodWilson, 81. / 263, .25526, .36621},
		{"all pass", passes(10, 10), true, MethodWilson, 1, .72247, 1},
		{"all agree in their repeats", repeated(20), true, MethodEffective, 2. / 3, .43349, .83929},
		{"two groups", grouped, true, MethodEffective, .81, 0, 1},
		{"scores", alone(.2, .4, .6, .8, 1, 0, .1, .9), true, MethodEffective, .5, .19, .81},
		{"cost", alone(1, 2, 3, 4, 5), false, MethodOneT, 3, 3 - 2.776445*math.Sqrt(.5), 3 + 2.776445*math.Sqrt(.5)},
		{"same cost", alone(2, 2, 2), false, MethodExact, 2, 2, 2},
	} {
		got, err := Score(c.cases, c.rate)
		if err != nil || got.Method != c.method || math.Abs(got.Mean-c.mean) > 1e-12 || !got.Interval.Known {
			t.Errorf("%s: %+v %v", c.name, got, err)
		}
		wide := 1e-4
		if c.method == MethodEffective {
			wide = .05 // by the formula, not by another program
		}
		if math.Abs(got.Interval.Low-c.low) > wide || math.Abs(got.Interval.High-c.high) > wide {
			t.Errorf("%s: %.5f to %.5f, want %.5f to %.5f", c.name, got.Interval.Low, got.Interval.High, c.low, c.high)
		}
	}
	for _, list := range [][]Case{nil, passes(1, 1), {{ID: "x"}, {ID: "y"}}} {
		if got, err := Score(list, true); err != nil || got.Interval.Known || got.Note == "" || got.Method != MethodUndefined {
			t.Errorf("%v: %+v %v", list, got, err)
		}
	}
	if got, _ := Score([]Case{{ID: "lost"}, {ID: "a", A: []float64{1}}, {ID: "b", A: []float64{0}}}, true); got.Cases != 2 || got.Mean != .5 {
		t.Errorf("a case without a value: %+v", got)
	}
	for _, bad := range []float64{2, -1, math.NaN()} {
		if _, err := Score(alone(bad, 0), true); err == nil {
			t.Errorf("%v was taken as a rate", bad)
		}
	}
}

// TestScoreCoverage draws populations anew and counts how often the interval holds their mean.
func TestScoreCoverage(t *testing.T) {
	const runs = 1000
	for _, m := range []model{always(.5), always(.9), own(.6, .8), own(.9, .8), own(.8, 5), settled(.6), settled(.9), clustered(own(.6, .8)), clustered(settled(.9))} {
		for _, k := range []int{1, 3} {
			for _, n := range []int{20, 100} {
				r := rand.New(source(uint64(n + k)))
				in := 0
				truth := 0.
				for range 200_000 {
					a, _ := m.draw(r)
					truth += a / 200_000
				}
				cases := make([]Case, n)
				for range runs {
					chance, group, left := 0., 0, 0
					for i := range cases {
						if left == 0 {
							chance, _ = m.draw(r)
							group, left = group+1, 1
							if m.grouped {
								left = groupSizes[r.IntN(len(groupSizes))]
							}
						}
						left--
						c := &cases[i]
						c.A = c.A[:0]
						for range k {
							x := 0.
							if r.Float64() < chance {
								x = 1
							}
							c.A = append(c.A, x)
						}
						if m.grouped {
							c.Group = strconv.Itoa(group)
						}
					}
					got, err := Score(cases, true)
					if err != nil {
						t.Fatal(err)
					}
					if got.Interval.Contains(truth) {
						in++
					}
				}
				t.Logf("%s, K=%d, %d cases: %.1f%%", m.name, k, n, 100*float64(in)/runs)
				if share := float64(in) / runs; share < .925 {
					t.Errorf("%s, K=%d, %d cases: the interval holds the mean %.1f%% of the time, want at least 92.5%%", m.name, k, n, 100*share)
				}
			}
		}
	}
}
