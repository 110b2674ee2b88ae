package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// stream is one cell of the sequential simulation: rates of A and B at each unit, looked at after every unit.
type stream struct {
	name     string
	a, b     func(unit int) float64
	share    float64
	expected int
	horizon  int  // units of a run
	graded   bool // half of the units give half of what they would
	regular  bool // long enough for coverage to be bounded from above, too
	race     bool // there is a difference: how soon is it found? expected is the fixed design's number

	decided, covered, early, units float64 // shares of runs; units: mean at which a race ended
}

func constant(rate float64) func(int) float64 { return func(int) float64 { return rate } }

// run draws the cell. A run ends at its first error, or where a race is decided: nothing after that counts.
func (c *stream) run(runs int, seed uint64) error {
	r := rand.New(source(seed))
	same := !c.race && c.a(0) == c.b(0)
	for range runs {
		s, err := NewSequence(SequenceOptions{Share: c.share, Expected: c.expected})
		if err != nil {
			return err
		}
		effect, missed, u := 0., false, 0
		for u < c.horizon && !missed {
			b := r.Float64() < c.share
			rateA, rateB := c.a(u), c.b(u)
			rate, y := rateA, 0.
			if b {
				rate = rateB
			}
			if r.Float64() < rate {
				y = 1
			}
			if c.graded && r.Float64() < .5 {
				y /= 2
			}
			if err := s.Add(b, c.share, y); err != nil {
				return err
			}
			u++
			effect += rateB - rateA
			switch {
			case same || c.race:
				missed = s.decidedAt > 0 // the interval no longer holds 0
			case s.known():
				missed = s.against(effect/float64(u)) <= s.level // nor the average difference so far
			}
		}
		count(&c.decided, s.decidedAt > 0)
		count(&c.covered, !missed)
		count(&c.early, missed && u <= c.expected)
		c.units += float64(u)
	}
	for _, sum := range []*float64{&c.decided, &c.covered, &c.early, &c.units} {
		*sum /= float64(runs)
	}
	return nil
}

// faults says which bounds a cell breaks.
func (c *stream) faults() []string {
	var out []string
	bound := func(broken bool, what string) {
		if broken {
			out = append(out, what)
		}
	}
	if c.race {
		bound(c.units > .8*float64(c.expected), "more than 80% of the fixed design's units")
		bound(c.decided < .95, "power below 95%")
		return out
	}
	bound(c.covered < .94, "coverage below 94%")
	bound(c.regular && c.covered > .96, "coverage above 96%")
	bound(c.a(0) == c.b(0) && c.covered < .95, "more than 5% false positives")
	return out
}

// fixedUnits is how many units of both arms together a z test of two rates needs, two-sided at Alpha, for a power of 95%
// (Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 2003, 4.2, without continuity correction).
func fixedUnits(a, b, share float64) int {
	p := share*b + (1-share)*a
	z := 1.959964*math.Sqrt(p*(1-p)*(1/share+1/(1-share))) + 1.644854*math.Sqrt(b*(1-b)/share+a*(1-a)/(1-share))
	return int(math.Ceil(z * z / ((a - b) * (a - b))))
}

func race(a, b, share float64) *stream {
	n := fixedUnits(a, b, share)
	return &stream{name: fmt.Sprintf("%g to %g", a, b), a: constant(a), b: constant(b), share: share, expected: n, horizon: 20 * n, race: true}
}

func same(rate, share float64, expected, times int) *stream {
	return &stream{name: fmt.Sprintf("both %g", rate), a: constant(rate), b: constant(rate), share: share, expected: expected, horizon: times * expected}
}

func drifting(share float64, expected int) []*stream {
	horizon := 20 * expected
	rising := func(u int) float64 { return .3 + .4*float64(u)/float64(horizon) }
	wave := func(u int) float64 { return .5 + .4*math.Sin(2*math.Pi*float64(u)/float64(expected)) }
	return []*stream{
		{name: "both rise from .3 to .7", a: rising, b: rising, share: share, expected: expected, horizon: horizon},
		{name: "both swing between .1 and .9", a: wave, b: wave, share: share, expected: expected, horizon: horizon},
	}
}

func differing(a, b, share float64, expected, times int) *stream {
	return &stream{name: fmt.Sprintf("%g and %g", a, b), a: constant(a), b: constant(b), share: share, expected: expected, horizon: times * expected}
}

// BenchmarkSequential measures false positives at any look, simultaneous coverage and the units a real gain takes, prints
// the table, and fails when a bound is broken. The bounds are those of docs/statistics.md.
func BenchmarkSequential(b *testing.B) {
	const runs = 10000
	var cells []*stream
	for _, share := range []float64{.5, .1} {
		for _, rate := range []float64{.05, .2, .5, .8, .95} {
			cells = append(cells, same(rate, share, 200, 20))
		}
		for _, rate := range []float64{.05, .5, .95} {
			cells = append(cells, same(rate, share, 1000, 20))
		}
		cells = append(cells, same(.5, share, 50, 20), same(.9, share, 50, 20))
		cells = append(cells, drifting(share, 200)...)
		graded := same(.7, share, 200, 20)
		graded.name, graded.graded = "both .7, half of it half", true
		cells = append(cells, graded, differing(.05, .15, share, 1000, 10), differing(.95, 1, share, 1000, 10), differing(.9, .6, share, 200, 20))
		long := differing(.5, .6, share, 200, 100)
		long.regular = share == .5 // at 90/10 errors come later: 96.7% after 100 times the expected
		again := same(.5, share, 200, 100)
		again.regular = share == .5
		cells = append(cells, long, again, race(.5, .6, share), race(.7, .8, share), race(.85, .95, share))
	}
	for range b.N {
		work := make(chan int)
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for i := range work {
					if err := cells[i].run(runs, uint64(i+1)); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for i := range cells {
			work <- i
		}
		close(work)
		wg.Wait()
	}
	fmt.Printf("\n| rates | to B | expected | units of a run | false positives | coverage at every look | wrong by the expected |\n|---|---|---|---|---|---|---|\n")
	for _, c := range cells {
		if c.race {
			continue
		}
		positives := ""
		if c.a(0) == c.b(0) {
			positives = fmt.Sprintf("%.2f%%", 100*c.decided)
		}
		fmt.Printf("| %s | %g | %d | %d | %s | %.2f%% | %.2f%% |\n", c.name, c.share, c.expected, c.horizon, positives, 100*c.covered, 100*c.early)
	}
	fmt.Printf("\n| a real gain | to B | fixed design | mean units to the decision | of the fixed design | decided by the fixed number | decided |\n|---|---|---|---|---|---|---|\n")
	for _, c := range cells {
		if c.race {
			fmt.Printf("| %s | %g | %d | %.0f | %.1f%% | %.1f%% | %.1f%% |\n", c.name, c.share, c.expected, c.units, 100*c.units/float64(c.expected), 100*c.early, 100*c.decided)
		}
	}
	for _, c := range cells {
		for _, why := range c.faults() {
			b.Errorf("%s, %g to B, expected %d: %s: %+v", c.name, c.share, c.expected, why, []float64{c.decided, c.covered, c.units})
		}
	}
}

// TestSequenceErrors is the simulation in small. With a fixed interval at every look a third of these runs would err.
func TestSequenceErrors(t *testing.T) {
	for i, c := range append(drifting(.1, 100), same(.05, .5, 100, 10), same(.5, .5, 100, 10), same(.95, .1, 100, 10), differing(.95, 1, .5, 100, 10), race(.7, .9, .5), race(.85, .95, .1)) {
		if err := c.run(300, uint64(i+1)); err != nil {
			t.Fatal(err)
		}
		if c.race {
			c.units *= .9 // so few runs, and so few units of a fixed design, vary
		} else {
			c.covered += .02
		}
		for _, why := range c.faults() {
			t.Errorf("%s, %g to B: %s: %+v", c.name, c.share, why, []float64{c.decided, c.covered, c.units / float64(c.expected)})
		}
	}
}

// TestSequenceConstant: units that all give the same value show no difference, however many come.
func TestSequenceConstant(t *testing.T) {
	for _, y := range []float64{0, .3, 1} {
		for _, share := range []float64{.5, .1, .9} {
			s, err := NewSequence(SequenceOptions{Share: share, Expected: 100})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(source(7))
			width := 2.
			for u := range 20000 {
				if err := s.Add(r.Float64() < share, share, y); err != nil {
					t.Fatal(err)
				}
				if u == 1000 {
					i := s.State().Interval
					width = i.High - i.Low
				}
			}
			got := s.State()
			if got.Decided || !got.Interval.Contains(0) || math.Abs(got.Difference) > .01 || got.Interval.High-got.Interval.Low > min(.1, width/2) {
				t.Errorf("all %v, %v to B: %+v", y, share, got)
			}
		}
	}
}

// TestSequenceState: what is said agrees with itself, in the units of the values, and A and B are each other's mirror.
func TestSequenceState(t *testing.T) {
	o := SequenceOptions{Share: .3, Expected: 300}
	cents := o
	cents.Max = 400
	mirror := o
	mirror.Share = .7
	var all [3]*Sequence
	for i, options := range []SequenceOptions{o, cents, mirror} {
		s, err := NewSequence(options)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = s
	}
	r := rand.New(source(11))
	for u := range 2000 {
		b := r.Float64() < .3
		y := math.Round(r.Float64() * 2 / 3 * 4)
		if b {
			y++
		}
		y /= 4
		for i, add := range []func() error{func() error { return all[0].Add(b, .3, y) }, func() error { return all[1].Add(b, .3, 400*y) }, func() error { return all[2].Add(!b, .7, y) }} {
			if err := add(); err != nil {
				t.Fatalf("%d: %v", i, err)
			}
		}
		got := all[0].State()
		if got.A < 10 || got.B < 10 {
			if got.Interval.Known || got.P != 1 || got.Note == "" {
				t.Fatalf("after %d units: %+v", u+1, got)
			}
			continue
		}
		if !got.Interval.Known || !got.Interval.Contains(got.Difference) || got.Decided != (got.P <= Alpha) || got.DecidedAt == u+1 && got.Interval.Contains(0) {
			t.Fatalf("after %d units: %+v", u+1, got)
		}
	}
	got, scaled, turned := all[0].State(), all[1].State(), all[2].State()
	if !got.Decided || got.Better != ArmB || got.Units != 2000 || got.A+got.B != 2000 || got.DecidedAt == 0 {
		t.Errorf("%+v", got)
	}
	near(t, "difference", got.Difference, .25, .04)
	near(t, "scaled", scaled.Interval.High, 400*got.Interval.High, 1e-6)
	near(t, "turned", turned.Interval.Low, -got.Interval.High, 1e-9)
	near(t, "turned p", turned.P, got.P, 1e-12)
	if turned.Better != ArmA {
		t.Errorf("%+v", turned)
	}
}

func TestSequenceRefuses(t *testing.T) {
	for _, c := range []struct {
		o    SequenceOptions
		want string
	}{
		{SequenceOptions{Share: 0, Expected: 1}, "share 0"}, {SequenceOptions{Share: 1, Expected: 1}, "share 1"}, {SequenceOptions{Share: math.NaN(), Expected: 1}, "share NaN"},
		{SequenceOptions{Share: .5}, "0 units"}, {SequenceOptions{Share: .5, Expected: 1, Level: 1}, "level 1"}, {SequenceOptions{Share: .5, Expected: 1, Max: math.Inf(1)}, "largest value"},
	} {
		if _, err := NewSequence(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	s, err := NewSequence(SequenceOptions{Share: .5, Expected: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range []float64{-.1, 1.1, math.NaN(), math.Inf(1)} {
		if err := s.Add(true, .5, y); err == nil {
			t.Errorf("%v was taken", y)
		}
	}
	if got := s.State(); got.Units != 0 || got.Interval.Known || got.Note == "" {
		t.Errorf("%+v", got)
	}
}
