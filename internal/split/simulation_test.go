//go:build !race

package split

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"pflow/engine/journal"
	"pflow/internal/runs"
)

// rows are a history that is in memory: what the index would list.
type rows []runs.Row

func (r rows) List(runs.Query) ([]runs.Row, error) { return r, nil }

// habits are what people do with plans, whichever arm made them, and what planning takes.
type habits struct {
	name                           string
	arms                           Split
	noPlan, declined, edited, gone float64 // of the requests; the others are approved
	runFails                       float64
	failed                         float64 // plannings that end in an error
	spread                         float64 // of the logarithm of time and cost
	drift                          float64 // how much more is declined in the end than in the beginning
	better                         float64 // share of what is declined that is not, with the last arm
}

// live makes a history of requests as pflow writes it, through the ledger's own entries, the assignment, the outcomes read from rows and
// the comparison. It looks after every request, and gives how many were there when an arm was first found to lose; 0 if none was.
func (h *habits) live(r *rand.Rand, requests int, every int) (lost int, loser string, err error) {
	s := &State{trials: map[string]*trial{}, stops: map[string][]Stop{}}
	of, key := map[string]*unit{}, fmt.Appendf(nil, "%d", r.Uint64())
	type waiting struct {
		*unit
		*past // what the history holds of it
	}
	var open []waiting
	for n := range requests {
		at := day.Add(time.Duration(n) * time.Hour)
		text := fmt.Sprint("request ", n)
		arm, run := h.arms.Choose(key, text).Flow, fmt.Sprint("plan", n)
		s.add(&entry{E: entryPlan, At: at, Run: run, Arms: h.arms, Unit: Unit(key, text), Arm: arm, Hash: arm, Asked: Person}, of)
		u := of[run]
		made := rows(h.rows(r, run, arm, at, float64(n)/float64(requests)))
		p, err := History{Runs: made, Kept: func(string) string { return "" }}.since(at)
		if err != nil {
			return 0, "", err
		}
		open = append(open, waiting{u, p})
		s.add(&entry{E: entryEnded, At: at, Run: run, Ended: p.ended(run)}, of)
		open = slices.DeleteFunc(open, func(w waiting) bool { // answers come when they come, silence at the horizon
			settled := w.outcome(w.unit, at)
			if settled == nil || r.Float64() > .3 && at.Sub(w.at) < Horizon {
				return false
			}
			s.add(&entry{E: entryScored, At: at, Run: w.runs[0], Scored: settled}, of)
			return true
		})
		if every > 0 && n%every == 0 || n == requests-1 {
			losing, err := s.Losing(h.arms)
			if err != nil {
				return 0, "", err
			}
			if len(losing) > 0 {
				return n + 1, losing[0].Flow, nil
			}
		}
	}
	return 0, "", nil
}

// rows are those of one request: of its planning, and of the first run where it came to one. The newest is first, as in a list.
func (h *habits) rows(r *rand.Rand, run, arm string, at time.Time, progress float64) []runs.Row {
	plan := runs.Row{ID: run, Kind: journal.OfPlan, Status: runs.Ready, Name: arm, Arm: arm, Started: at,
		DurationMS: 50 * math.Exp(h.spread*r.NormFloat64()), CostUSD: .004 * math.Exp(h.spread*r.NormFloat64())}
	first := runs.Row{ID: run + "-run", Kind: journal.OfWorkflow, Status: runs.Done, Name: "w" + run, Parent: run, Request: "asked", Started: at.Add(time.Minute)}
	declined := h.declined + h.drift*progress
	if arm == h.arms[len(h.arms)-1].Flow {
		declined *= 1 - h.better
	}
	x := r.Float64()
	for _, c := range []struct {
		share float64
		do    func()
	}{
		{h.failed, func() { plan.Status = runs.Failed }},
		{h.noPlan, func() { plan.Status = runs.Infeasible }},
		{declined, func() { plan.Status, plan.Decided = runs.Declined, runs.ByDeclining }},
		{h.edited, func() { plan.Decided = runs.ByEditing }},
		{h.gone, func() {}},
	} {
		if x -= c.share; x < 0 {
			c.do()
			return []runs.Row{plan}
		}
	}
	plan.Decided = runs.ByApproving
	if r.Float64() < h.runFails {
		first.Status = runs.Failed
	}
	return []runs.Row{first, plan}
}

// histories makes so many, and gives how often an arm was found to lose, and how many requests that took.
func (h *habits) histories(t *testing.T, many, requests int) (share, mean float64) {
	t.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	lost, took := 0., 0.
	for w := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := w; i < many; i += runtime.GOMAXPROCS(0) {
				n, _, err := h.live(rand.New(rand.NewPCG(uint64(i), 7)), requests, 0)
				mu.Lock()
				if err != nil {
					t.Error(err)
				} else if n > 0 {
					lost, took = lost+1, took+float64(n)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return lost / float64(many), took / max(lost, 1)
}

// TestFalsePositives: where the arms are the same, at most Level of the histories ever find one that loses, by its score or a guardrail,
// whenever they look. PFLOW_HISTORIES=2000 makes more of them, and longer ones. What was decided at a look stays decided, and the units are taken in the order in which they were noted, so that a
// look at the end tells of all before it; TestEveryLook holds it to that.
func TestFalsePositives(t *testing.T) {
	many, requests := 60, 300
	if n, err := strconv.Atoi(os.Getenv("PFLOW_HISTORIES")); err == nil {
		many, requests = n, 600
	}
	for _, h := range same {
		share, _ := h.histories(t, many, requests)
		t.Logf("%s: %.2f%% of %d histories of %d requests find a difference that is not there", h.name, 100*share, many, requests)
		if most := Level + 3*math.Sqrt(Level*(1-Level)/float64(many)); share > most {
			t.Errorf("%s: %.4f, want at most %.2f", h.name, share, Level)
		}
	}
}

var (
	even = Split{{"a", 50}, {"b", 50}}
	few  = Split{{"a", 90}, {"b", 10}}
	same = []habits{
		{name: "half to each", arms: even, noPlan: .1, declined: .2, edited: .05, gone: .05, runFails: .1, failed: .02, spread: 1},
		{name: "a tenth to one", arms: few, noPlan: .1, declined: .2, edited: .05, gone: .05, runFails: .1, failed: .02, spread: 1},
		{name: "nearly all is taken", arms: few, declined: .02, runFails: .02, failed: .001, spread: .3},
		{name: "nearly nothing is taken", arms: even, declined: .9, gone: .05, failed: .01, spread: 2},
		{name: "more is declined from day to day", arms: few, declined: .1, drift: .6, failed: .05, spread: 1},
		{name: "three", arms: Split{{"a", 80}, {"b", 10}, {"c", 10}}, noPlan: .1, declined: .3, runFails: .1, failed: .05, spread: 1},
	}
)

// TestEveryLook looks after every request, as somebody does who cannot wait, and must find what a look at the end finds.
func TestEveryLook(t *testing.T) {
	found := 0
	for i := range 12 {
		h := same[i%2]
		h.better = []float64{0, .9}[i/2%2]
		h.declined = .5
		n, loser, err := h.live(rand.New(rand.NewPCG(uint64(i), 9)), 250, 1)
		if err != nil {
			t.Fatal(err)
		}
		last, atEnd, err := h.live(rand.New(rand.NewPCG(uint64(i), 9)), 250, 0)
		if err != nil {
			t.Fatal(err)
		}
		if (n > 0) != (last > 0) || n > last || loser != atEnd {
			t.Errorf("history %d: a look after each finds %s after %d, one at the end %s", i, loser, n, atEnd)
		}
		if n > 0 {
			found++
		}
	}
	if found == 0 {
		t.Error("nothing was found, not even where an arm is far better")
	}
}

// TestFindsLoser finds an arm that people turn away far more often.
func TestFindsLoser(t *testing.T) {
	h := habits{arms: even, declined: .5, better: .9, runFails: .05, spread: 1}
	share, mean := h.histories(t, 40, 400)
	t.Logf("a difference of 43 points is found in %.0f%% of the histories within 400 requests", 100*share)
	if share < .95 {
		t.Errorf("found in %.2f of the histories; a look at the end is at %.0f requests", share, mean)
	}
}
