// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package stats

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestGuardRate: a rate may fall by so much, in points or as a share of what it was.
func TestGuardRate(t *testing.T) {
	limit := func(x float64) *float64 { return &x }
	// passes gives n cases of which B breaks some, fixes some, and neither passes some.
	passes := func(n, broken, fixed, neither int) Paired {
		a, b := make([]float64, n), make([]float64, n)
		for i := range n {
			switch {
			case i < broken:
				a[i] = 1
			case i < broken+fixed:
				b[i] = 1
			case i >= broken+fixed+neither:
				a[i], b[i] = 1, 1
			}
		}
		return pairs(t, true, a, b)
	}
	for _, c := range []struct {
		name               string
		p                  Paired
		absolute, relative *float64
		state              State
		reason             string
		needed             bool
	}{
		{"kept", passes(176, 3, 1, 19), limit(.05), nil, Kept, "pass goes from 88.6% to 87.5%, may fall by 5 points", false},
		{"broken", passes(100, 20, 2, 10), limit(.05), nil, Broken, "pass goes from 88% to 70%, may fall by 5 points", false},
		{"unclear", passes(100, 10, 2, 10), limit(.05), nil, Unclear, "pass goes from 88% to 80%, may fall by 5 points, which chance could have crossed either way", true},
		{"better is kept", passes(100, 2, 20, 10), limit(.05), nil, Kept, "pass goes from 70% to 88%, may fall by 5 points", false},
		{"no better where it may not fall", passes(100, 0, 0, 10), limit(0), nil, Unclear, "may fall by 0 points, which chance", false},
		{"alike, enough", passes(88, 0, 0, 11), limit(.05), nil, Kept, "pass goes from 87.5% to 87.5%, may fall by 5 points", false},
		{"alike, too few", passes(20, 0, 0, 2), limit(.05), nil, Unclear, "pass goes from 90% to 90%", true},
		{"alike, too few of a share", passes(20, 0, 0, 2), nil, limit(.05), Unclear, "may fall by 5% of that, which chance", true},
		{"all pass, too few of a share", passes(20, 0, 0, 0), nil, limit(.05), Unclear, "may fall by 5% of that, which chance", true},
		{"share kept", passes(400, 3, 1, 200), nil, limit(.1), Kept, "pass goes from 49.8% to 49.2%, may fall by 10% of that", false},
		{"share broken", passes(400, 60, 1, 200), nil, limit(.1), Broken, "may fall by 10% of that", false},
		{"points kept, share broken", passes(400, 8, 0, 385), limit(.05), limit(.1), Broken, "pass goes from 3.8% to 1.8%, may fall by 10% of that", false},
		{"one case", passes(1, 0, 0, 0), limit(.05), nil, Unclear, "needs at least two independent cases", false},
		{"no case", Paired{Rate: true}, limit(.05), nil, Unclear, "no case has a value of pass under both variants", false},
	} {
		got := Guard{Metric: "pass", HigherWins: true, Absolute: c.absolute, Relative: c.relative}.Check(c.p)
		if got.State != c.state || !strings.Contains(got.Reason, c.reason) || (got.Needed > c.p.Cases()) != c.needed {
			t.Errorf("%s: %s, %s, needed %d, %+v", c.name, got.State, got.Reason, got.Needed, got.Worse)
		}
	}
	// Differences that are all the same have no spread: p says whether there are enough of them.
	for n, want := range map[int]State{5: Unclear, 6: Broken} {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = 5, 3
		}
		if got := (Guard{Metric: "score", HigherWins: true, Absolute: limit(1)}).Check(pairs(t, false, a, b)); got.State != want || !strings.HasPrefix(got.Reason, "score goes from 5 to 3, may fall by 1") {
			t.Errorf("%d cases: %+v", n, got)
		}
	}
}

// TestGuardFalselyKept: where pass falls by just as much as it may, at most 1 of 40 experiments say that it is kept, which is nominal, and
// 1 of 33 that it is broken. The chances are summed over all that can come of the cases, not drawn.
func TestGuardFalselyKept(t *testing.T) {
	const limit = .05
	for _, c := range []struct {
		n             int
		breaks, fixes float64
	}{{30, .1, .05}, {60, .05, 0}, {60, .07, .02}, {100, .08, .03}, {100, .15, .1}, {200, .06, .01}} {
		kept, broken, all := 0., 0., 0.
		lg := func(k int) float64 { l, _ := math.Lgamma(float64(k + 1)); return l }
		for b := range c.n + 1 {
			for f := range c.n - b + 1 {
				if c.fixes == 0 && f > 0 {
					break
				}
				chance := lg(c.n) - lg(b) - lg(f) - lg(c.n-b-f) + float64(b)*math.Log(c.breaks) + float64(c.n-b-f)*math.Log(1-c.breaks-c.fixes)
				if f > 0 {
					chance += float64(f) * math.Log(c.fixes)
				}
				if chance = math.Exp(chance); chance < 1e-7 {
					continue
				}
				all += chance
				i := Guard{HigherWins: true}.test(settledCases(t, c.n, f, b), limit, false).Interval
				switch {
				case i.Low >= -limit:
					kept += chance
				case i.High < -limit:
					broken += chance
				}
			}
		}
		t.Logf("%+v: falsely kept %.4f, broken %.4f", c, kept, broken)
		if all < .9999 || kept > .025 || broken > .03 {
			t.Errorf("%+v: kept %v, broken %v, of %v", c, kept, broken, all)
		}
	}
}

// TestGuardFalselyKeptElse: with repeats, groups or a limit that is a share, the t interval is used, and is kept falsely by up to 1 of 18.
func TestGuardFalselyKeptElse(t *testing.T) {
	const runs, limit = 3000, .05
	r := rand.New(source(3))
	for _, c := range []struct {
		name     string
		n        int
		repeats  int
		grouped  bool
		relative bool
	}{{"3 repeats", 60, 3, false, false}, {"groups of two", 60, 1, true, false}, {"a share", 60, 1, false, true}, {"3 repeats", 150, 3, false, false}, {"groups of two", 150, 1, true, false}, {"a share", 150, 1, false, true}} {
		kept, broken := 0., 0.
		for range runs {
			cases := make([]Case, c.n)
			for i := range cases {
				a := 1. // of cases that all pass with A, one of 20 fails with B
				b := bernoulli(r, 1-limit)
				group := ""
				if c.grouped {
					group = strconv.Itoa(i / 2)
					if i%2 == 1 {
						b = cases[i-1].B[0]
					}
				}
				cases[i] = Case{Group: group, A: []float64{a}, B: []float64{b}}
				for range c.repeats - 1 { // a case fails always or never
					cases[i].A, cases[i].B = append(cases[i].A, a), append(cases[i].B, b)
				}
			}
			p, err := Pair(cases, true)
			if err != nil {
				t.Fatal(err)
			}
			bound := -limit
			if c.relative {
				bound = 0
			}
			switch i := (Guard{HigherWins: true}).test(p, limit, c.relative).Interval; {
			case i.Low >= bound:
				kept += 1. / runs
			case i.High < bound:
				broken += 1. / runs
			}
		}
		t.Logf("%s, %d cases: falsely kept %.2f%%, broken %.2f%%", c.name, c.n, 100*kept, 100*broken)
		if kept > .066 || broken > .035 {
			t.Errorf("%s: kept %v, broken %v", c.name, kept, broken)
		}
	}
}

func bernoulli(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}
