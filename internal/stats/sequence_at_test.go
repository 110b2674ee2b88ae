package stats

import (
	"math/rand/v2"
	"testing"
)

// TestSequenceAt gives units that had another chance what is theirs: where the shares change with the rates, an estimate that takes one
// share for all sees a difference that is not there.
func TestSequenceAt(t *testing.T) {
	const runs, units = 300, 1000
	wrong, fixed := 0, 0
	for seed := range uint64(runs) {
		r := rand.New(source(seed))
		at, all := newSequence(t), newSequence(t)
		for u := range units {
			share, rate := .1, .3
			if u >= units/2 {
				share, rate = .7, .7
			}
			b, y := r.Float64() < share, 0.
			if r.Float64() < rate {
				y = 1
			}
			if err := at.Add(b, share, y); err != nil {
				t.Fatal(err)
			}
			if err := all.Add(b, .3, y); err != nil {
				t.Fatal(err)
			}
		}
		if at.State().Decided {
			wrong++
		}
		if all.State().Decided {
			fixed++
		}
	}
	if wrong > runs*8/100 {
		t.Errorf("%d of %d find a difference that is not there", wrong, runs)
	}
	if fixed < runs/4 {
		t.Errorf("with one share for all only %d of %d go wrong: this shows nothing", fixed, runs)
	}
	for _, share := range []float64{0, 1, -1, 2} {
		if newSequence(t).Add(true, share, 1) == nil {
			t.Errorf("a share of %v is taken", share)
		}
	}
}

func newSequence(t *testing.T) *Sequence {
	t.Helper()
	s, err := NewSequence(SequenceOptions{Share: .3, Expected: 500})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSequenceNeeded: about as many units decide as it says.
func TestSequenceNeeded(t *testing.T) {
	s, err := NewSequence(SequenceOptions{Share: .5, Expected: 500})
	if err != nil {
		t.Fatal(err)
	}
	before, ok := s.Needed(.2)
	if !ok || before < 100 || before > 600 {
		t.Errorf("before any unit it takes %d", before)
	}
	if more, _ := s.Needed(.1); more < 3*before || more > 6*before {
		t.Errorf("half the difference takes %d, the whole %d", more, before)
	}
	if _, ok := s.Needed(1e-9); ok {
		t.Error("a difference of nothing is found")
	}
	sum := 0.
	const runs = 100
	for seed := range uint64(runs) {
		r := rand.New(source(seed))
		s, _ := NewSequence(SequenceOptions{Share: .5, Expected: 500})
		for u := 0; !s.State().Decided; u++ {
			b, rate, y := r.Float64() < .5, .4, 0.
			if b {
				rate = .6
			}
			if r.Float64() < rate {
				y = 1
			}
			if err := s.Add(b, .5, y); err != nil {
				t.Fatal(err)
			}
		}
		sum += float64(s.State().DecidedAt)
	}
	if mean := sum / runs; mean < .4*float64(before) || mean > 1.6*float64(before) {
		t.Errorf("it takes %.0f, and was said to take %d", mean, before)
	}
}
