package stats

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// model draws one case from a population: the chances that A and B pass it. Cases are drawn anew in every run of the
// simulation, since they stand for a population; a run of a case is a coin of its chance.
type model struct {
	name    string
	effect  float64 // the true mean difference
	draw    func(r *rand.Rand) (a, b float64)
	grouped bool // groups of 1 to 8 cases share what draw gives
	settled bool // cases pass always or never, and alike under both
	binom   bool // the differences are a binomial share: coverage jumps with it, so only its lower bound is held
}

func always(rate float64) model {
	return model{name: fmt.Sprintf("same chance %g", rate), draw: func(*rand.Rand) (float64, float64) { return rate, rate }}
}

// own: each case has a chance of its own, most of them near 0 or 1 (Beta with a+b = spread).
func own(rate, spread float64) model {
	return model{name: fmt.Sprintf("own chances around %g, spread %g", rate, spread), draw: func(r *rand.Rand) (float64, float64) {
		p := beta(r, rate*spread, (1-rate)*spread)
		return p, p
	}}
}

// swap: B fixes a share of cases for good and breaks as many; the others are as in the model rest.
func swap(share float64, rest model) model {
	return model{name: fmt.Sprintf("%g%% fixed, %g%% broken, else %s", 50*share, 50*share, rest.name), draw: func(r *rand.Rand) (float64, float64) {
		switch u := r.Float64(); {
		case u < share/2:
			return 0, 1
		case u < share:
			return 1, 0
		}
		return rest.draw(r)
	}}
}

// settled: cases pass always or never, and alike under both.
func settled(rate float64) model {
	return model{settled: true, name: fmt.Sprintf("settled %g", rate), draw: func(r *rand.Rand) (float64, float64) {
		if r.Float64() < rate {
			return 1, 1
		}
		return 0, 0
	}}
}

// gain: the chance to fail of every case falls by one share, chosen so that the mean rises by effect. With most chances
// near 0 or 1 the repeats of a case agree, as those of a planner do, and effects vary little between cases.
func gain(rate, spread, effect float64) model {
	share := effect / (1 - rate)
	m := own(rate, spread)
	return model{name: fmt.Sprintf("%s, %+.1f points", m.name, 100*effect), effect: effect, draw: func(r *rand.Rand) (float64, float64) {
		a, _ := m.draw(r)
		return a, a + (1-a)*share
	}}
}

// fixed: B fixes a share of cases for good and breaks none.
func fixed(share float64, rest model) model {
	return model{binom: rest.settled, name: fmt.Sprintf("%.3g%% fixed, none broken, else %s", 100*share, rest.name), effect: share, draw: func(r *rand.Rand) (float64, float64) {
		if r.Float64() < share {
			return 0, 1
		}
		return rest.draw(r)
	}}
}

func beta(r *rand.Rand, a, b float64) float64 { return distuv.Beta{Alpha: a, Beta: b, Src: r}.Rand() }

// clustered: what a model draws for a case holds for its whole group.
func clustered(m model) model {
	m.name, m.grouped = "groups: "+m.name, true
	return m
}

// groupSizes are drawn with equal chance; the mean is 3.1.
var groupSizes = []int{1, 1, 2, 3, 3, 4, 8}

// measured is what the runs of one cell of the table gave; all but differ are shares.
type measured struct {
	m                         model
	n, k                      int
	differ                    float64 // cases that differ, mean
	reject, flip, mcnemar, in float64 // p of at most Alpha by t, by sign flips, by McNemar; intervals that hold the effect
}

// simulate runs one cell. The sign-flip test draws 199 patterns, for which p is as valid as for more.
func simulate(m model, n, k, runs int, seed uint64) (measured, error) {
	r := rand.New(source(seed))
	out := measured{m: m, n: n, k: k}
	cases := make([]Case, n)
	toss := func(into []float64, chance float64) []float64 {
		into = into[:0]
		for range k {
			x := 0.
			if r.Float64() < chance {
				x = 1
			}
			into = append(into, x)
		}
		return into
	}
	for run := range runs {
		var a, b float64
		group, left := 0, 0
		for i := range cases {
			if left == 0 {
				a, b = m.draw(r)
				group, left = group+1, 1
				if m.grouped {
					left = groupSizes[r.IntN(len(groupSizes))]
				}
			}
			left--
			c := &cases[i]
			c.A, c.B = toss(c.A, a), toss(c.B, b)
			if m.grouped {
				c.Group = strconv.Itoa(group)
			}
		}
		p, err := Pair(cases, true)
		if err != nil {
			return out, err
		}
		t := p.TTest()
		out.differ += float64(t.Differ)
		count(&out.reject, t.P <= Alpha)
		count(&out.in, t.Interval.Contains(m.effect))
		count(&out.flip, p.SignFlip(uint64(run), 199).P <= Alpha)
		if k == 1 && !m.grouped {
			exact, err := p.McNemar()
			if err != nil {
				return out, err
			}
			count(&out.mcnemar, exact.P <= Alpha)
		}
	}
	for _, sum := range []*float64{&out.differ, &out.reject, &out.flip, &out.mcnemar, &out.in} {
		*sum /= float64(runs)
	}
	return out, nil
}

func count(n *float64, yes bool) {
	if yes {
		*n++
	}
}

// faults says which bounds a cell breaks. The lower bound of errors and the upper one of coverage hold where at least 10
// cases are expected to differ (.05 allows for the mean of the runs); with groups those 10 would be groups, and neither is held.
func (c measured) faults() []string {
	var out []string
	bound := func(broken bool, what string) {
		if broken {
			out = append(out, what)
		}
	}
	many := c.differ >= 9.95 && !c.m.grouped
	bound(c.in < .935, "coverage below 93.5%")
	bound(many && !c.m.binom && c.in > .965, "coverage above 96.5%")
	if c.m.effect == 0 {
		bound(c.reject > .065, "t: more than 6.5% false positives")
		bound(many && c.reject < .035, "t: less than 3.5% false positives")
		bound(c.flip > .065, "sign flips: more than 6.5% false positives")
		bound(c.mcnemar > .05, "McNemar: more than 5% false positives")
	}
	return out
}

// needsPower marks the cell of the table whose power must be at least 50%. It is the population in which the repeats of a
// case mostly agree; power falls with the spread of the differences, as the other populations with a gain show.
func (c measured) needsPower() bool { return c.m.name == powered.name && c.n == 40 && c.k == 3 }

var powered = gain(.6, .3, .087)

// BenchmarkErrorRates measures false positives, coverage and power, prints the table, and fails when a bound is broken.
// The bounds are those of docs/experiments.md.
func BenchmarkErrorRates(b *testing.B) {
	const runs = 10000
	models := []model{
		always(.02), always(.1), always(.3), always(.5), always(.7), always(.9),
		own(.2, .8), own(.6, .8), own(.9, .8),
		swap(.05, settled(.6)), swap(.2, settled(.6)), swap(.5, settled(.6)), swap(.2, own(.6, .8)), swap(.3, always(.5)),
		powered, gain(.6, .8, .087), gain(.9, .8, .03), fixed(.087, own(.6, .3)),
		fixed(.087, settled(.6)), fixed(.3, settled(.6)), fixed(.8, settled(.6)),
		clustered(always(.5)), clustered(own(.6, .8)), clustered(swap(.4, own(.6, .8))), clustered(swap(.6, settled(.6))), clustered(powered),
	}
	var cells []measured
	for _, m := range models {
		for _, k := range []int{1, 3} {
			for _, n := range []int{20, 40, 100, 400} {
				cells = append(cells, measured{m: m, n: n, k: k})
			}
		}
	}
	for range b.N { // a run takes longer than the benchmark's time, so there is one
		work := make(chan int)
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for i := range work {
					got, err := simulate(cells[i].m, cells[i].n, cells[i].k, runs, uint64(i+1))
					if err != nil {
						b.Error(err)
					}
					cells[i] = got
				}
			})
		}
		for i := range cells {
			work <- i
		}
		close(work)
		wg.Wait()
	}
	fmt.Printf("\n| population | cases | K | differ | t | sign flips | McNemar | coverage |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range cells {
		exact := "" // McNemar's test is for K=1 without groups
		if c.k == 1 && !c.m.grouped {
			exact = fmt.Sprintf("%.1f%%", 100*c.mcnemar)
		}
		broken := c.faults()
		if c.needsPower() && c.reject < .5 {
			broken = append(broken, "power below 50%")
		}
		fmt.Printf("| %s | %d | %d | %.1f | %.1f%% | %.1f%% | %s | %.1f%% |\n", c.m.name, c.n, c.k, c.differ, 100*c.reject, 100*c.flip, exact, 100*c.in)
		for _, why := range broken {
			b.Errorf("%s, %d cases, K=%d: %s: %+v", c.m.name, c.n, c.k, why, []float64{c.differ, c.reject, c.flip, c.mcnemar, c.in})
		}
	}
}
