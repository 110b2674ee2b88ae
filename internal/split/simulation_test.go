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
	"pflow/internal/stats"
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
	// delay is how long an answer takes, by arm and by whether it is a good one, below Horizon; nil: some hours, whatever it is.
	delay func(arm string, worked bool) time.Duration
}

// told is what came of a history.
type told struct {
	lost  int     // how many requests there were when an arm was first found to lose; 0 if none was
	loser string  // that arm
	noted []*unit // those with an outcome, in the order in which these were known
}

// live makes a history of requests as pflow writes it, through the ledger's own entries, the assignment, the outcomes read from rows and
// the comparison. It looks after so many requests (0: never), and once all answers are there.
func (h *habits) live(r *rand.Rand, requests int, every int) (out told, err error) {
	s := newState()
	of, key := map[string]*unit{}, fmt.Appendf(nil, "%d", r.Uint64())
	type waiting struct {
		*unit
		*past // what the history holds of it
	}
	var open []waiting
	settle := func(now time.Time) { // answers come when they come, silence at the horizon
		open = slices.DeleteFunc(open, func(w waiting) bool {
			settled := w.outcome(w.unit, now)
			if settled == nil {
				return false
			}
			switch waited := now.Sub(w.at); {
			case waited >= Horizon:
			case h.delay != nil && waited < h.delay(w.arm, settled.Outcome == Worked), h.delay == nil && r.Float64() > .3:
				return false
			}
			s.add(&entry{E: entryScored, At: now, Run: w.runs[0], Scored: settled}, of)
			out.noted = append(out.noted, w.unit)
			return true
		})
	}
	for n := range requests {
		at := day.Add(time.Duration(n) * time.Hour)
		text := fmt.Sprint("request ", n)
		arm, run := h.arms.Choose(key, text).Flow, fmt.Sprint("plan", n)
		s.add(&entry{E: entryPlan, At: at, Run: run, Arms: h.arms, Unit: Unit(key, text), Arm: arm, Hash: arm, Asked: Person}, of)
		u := of[run]
		made := rows(h.rows(r, run, arm, at, float64(n)/float64(requests)))
		p, err := History{Runs: made, Kept: func(string) string { return "" }}.since(at)
		if err != nil {
			return out, err
		}
		open = append(open, waiting{u, p})
		s.add(&entry{E: entryEnded, At: at, Run: run, Ended: p.ended(u, at)}, of)
		if settle(at); n == requests-1 {
			settle(at.Add(Horizon))
		}
		if every > 0 && n%every == 0 || n == requests-1 {
			losing, err := s.Losing(h.arms)
			if err != nil {
				return out, err
			}
			if len(losing) > 0 && out.lost == 0 {
				out.lost, out.loser = n+1, losing[0].Flow
			}
		}
	}
	return out, nil
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

// histories makes so many, and gives how often an arm was found to lose, and how many requests that took; each also gets the history.
func (h *habits) histories(t *testing.T, many, requests, every int, each func(told)) (share, mean float64) {
	t.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	lost, took := 0., 0.
	for w := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := w; i < many; i += runtime.GOMAXPROCS(0) {
				got, err := h.live(rand.New(rand.NewPCG(uint64(i), 7)), requests, every)
				mu.Lock()
				if err != nil {
					t.Error(err)
				} else if got.lost > 0 {
					lost, took = lost+1, took+float64(got.lost)
				}
				if each != nil {
					each(got)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return lost / float64(many), took / max(lost, 1)
}

// TestFalsePositives: where the arms are the same, at most Level of the histories ever find one that loses, by its score or a guardrail,
// whenever they look. PFLOW_HISTORIES=2000 makes more of them, and longer ones. What was decided at a look stays decided, and what is looked at
// is a beginning of the units in the order in which they came, so that a look at the end tells of all before it; TestEveryLook holds it to that.
func TestFalsePositives(t *testing.T) {
	many, requests := 60, 300
	if n, err := strconv.Atoi(os.Getenv("PFLOW_HISTORIES")); err == nil {
		many, requests = n, 600
	}
	for _, h := range same {
		share, _ := h.histories(t, many, requests, 0, nil)
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
		{name: "answers take unequally long", arms: even, declined: .5, spread: 1, delay: unequal},
		{name: "answers take unequally long, a tenth to one", arms: few, declined: .3, gone: .05, runFails: .1, spread: 1, delay: unequal},
		{name: "three", arms: Split{{"a", 80}, {"b", 10}, {"c", 10}}, noPlan: .1, declined: .3, runFails: .1, failed: .05, spread: 1},
	}
)

// unequal: with the first arm a no takes as long as it can, with the others a yes does.
func unequal(arm string, worked bool) time.Duration {
	if worked == (arm == "a") {
		return time.Hour
	}
	return Horizon - time.Hour
}

// inOrderNoted is the score as it would be if units counted in the order in which their outcomes are known.
func inOrderNoted(t *testing.T, arms Split, units []*unit) stats.Sequential {
	t.Helper()
	share := arms[1].Weight / (arms[0].Weight + arms[1].Weight)
	seq, err := stats.NewSequence(stats.SequenceOptions{Level: scoreLevel, Share: share, Expected: expectedUnits})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units {
		if err := seq.Add(u.arm == arms[1].Flow, share, u.scored.Score()); err != nil {
			t.Fatal(err)
		}
	}
	return seq.State()
}

// TestUnequalDelays: how long answers take with either arm decides nothing, neither where the arms are the same nor where the slow one is
// better. The same histories, counted in the order in which outcomes are known, show what the order of arrival is for.
func TestUnequalDelays(t *testing.T) {
	many := 60
	if n, err := strconv.Atoi(os.Getenv("PFLOW_HISTORIES")); err == nil {
		many = n
	}
	for _, c := range []struct {
		better      float64
		least, most float64 // of the histories in which a is found to lose
	}{{0, 0, Level + 3*math.Sqrt(Level*(1-Level)/float64(many))}, {.8, .95, 1}} {
		h := habits{arms: even, declined: .5, spread: 1, better: c.better, delay: unequal}
		a, b, wrong := 0., 0., 0.
		_, mean := h.histories(t, many, 500, 10, func(x told) {
			switch x.loser {
			case "a":
				a++
			case "b":
				b++
			}
			if noted := inOrderNoted(t, h.arms, x.noted); noted.Decided && noted.Better == stats.ArmA {
				wrong++
			}
		})
		n := float64(many)
		t.Logf("%.0f%% fewer are declined with b: a loses in %.1f%%, b in %.1f%%, at request %.0f on average; in the order of answers b loses in %.1f%%", 100*c.better, 100*a/n, 100*b/n, mean, 100*wrong/n)
		if a/n < c.least || a/n > c.most || b/n > c.most || c.better > 0 && b > 0 {
			t.Errorf("%g: a loses in %g, b in %g of %d", c.better, a, b, many)
		}
		if c.better == 0 && wrong/n < .2 {
			t.Errorf("the order of answers errs in %g of %d only: such delays prove nothing", wrong, many)
		}
	}
}

// TestWait is what the order of arrival costs: how much later a loser is found where some plans are never answered. A request comes each hour.
func TestWait(t *testing.T) {
	at := map[float64]float64{}
	for _, gone := range []float64{0, .02, .1} {
		h := habits{arms: even, declined: .5, better: .8, gone: gone, spread: 1, delay: func(string, bool) time.Duration { return 0 }}
		share, mean := h.histories(t, 40, 600, 5, nil)
		if at[gone] = mean; share < .95 {
			t.Errorf("found in %.2f of the histories", share)
		}
		t.Logf("%.0f%% are never answered: found at request %.0f on average", 100*gone, mean)
	}
	if most := Horizon.Hours(); at[.1]-at[0] > most+40 { // the silent ones themselves tell nothing
		t.Errorf("%v: the wait is longer than the horizon", at)
	}
}

// TestEveryLook looks after every request, as somebody does who cannot wait, and must find what a look at the end finds.
func TestEveryLook(t *testing.T) {
	found := 0
	for i := range 12 {
		h := same[i%2]
		h.better = []float64{0, .9}[i/2%2]
		h.declined = .5
		first, err := h.live(rand.New(rand.NewPCG(uint64(i), 9)), 250, 1)
		if err != nil {
			t.Fatal(err)
		}
		last, err := h.live(rand.New(rand.NewPCG(uint64(i), 9)), 250, 0)
		if err != nil {
			t.Fatal(err)
		}
		if (first.lost > 0) != (last.lost > 0) || first.lost > last.lost || first.loser != last.loser {
			t.Errorf("history %d: a look after each finds %s after %d, one at the end %s", i, first.loser, first.lost, last.loser)
		}
		if first.lost > 0 {
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
	share, mean := h.histories(t, 40, 400, 0, nil)
	t.Logf("a difference of 43 points is found in %.0f%% of the histories within 400 requests", 100*share)
	if share < .95 {
		t.Errorf("found in %.2f of the histories; a look at the end is at %.0f requests", share, mean)
	}
}
