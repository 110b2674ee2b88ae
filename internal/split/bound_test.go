package split

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/runs"
)

// asked notes how far back the history is read.
type asked struct {
	*runs.History
	since []time.Time
}

func (a *asked) List(q runs.Query) ([]runs.Row, error) {
	a.since = append(a.since, q.Since)
	return a.History.List(q)
}

// TestBound: whatever a planning came to, after Horizon nothing is read for it any more.
func TestBound(t *testing.T) {
	b := newBench(t)
	b.plan("one", "cancelled", Person, 0)
	b.plan("two", "", Nobody, 1)
	b.plan("three", "cancelled", Flag, 2)
	gone := b.plan("four", "ready", Person, 3)
	rows, err := b.runs.List(runs.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.ID == gone {
			if removed, err := b.runs.Remove([]runs.Row{r}); err != nil || len(removed) != 1 {
				t.Fatal(removed, err)
			}
		}
	}
	h := b.history()
	read := &asked{History: b.runs}
	h.Runs = read
	for _, c := range []struct {
		at    time.Duration
		reads int
	}{{time.Hour, 1}, {2 * Horizon, 2}, {2*Horizon + time.Hour, 2}} {
		if err := b.l.Follow(h, day.Add(c.at)); err != nil {
			t.Fatal(err)
		}
		if len(read.since) != c.reads {
			t.Errorf("after %v the history was read %d times, want %d", c.at, len(read.since), c.reads)
		}
	}
	r, err := b.state().Compare(h, b.arms, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	planned, failures := 0, 0
	for _, a := range r.Arms {
		planned, failures = planned+a.Planned, failures+a.Failures
	}
	if planned != 3 || failures != 3 { // of the fourth nothing is known
		t.Errorf("%d plannings, %d of them failed", planned, failures)
	}
	if g := r.Comparisons[0].Guards; g[0].Units != 3 || g[1].Units != 2 { // how long the killed one took is not known
		t.Errorf("%+v", g)
	}
}

// TestAfterHorizon: what comes of a request after Horizon does not depend on whether somebody looked meanwhile.
func TestAfterHorizon(t *testing.T) {
	late := int(Horizon/time.Minute) + 60
	for _, looks := range []bool{false, true} {
		b := newBench(t)
		b.plan("unanswered, then again", "ready", Person, 0)
		run := b.plan("run late", "ready", Person, 0)
		b.decide(run, runs.ByApproving)
		kept := b.plan("kept, and run late", "ready", Person, 0)
		b.decide(kept, runs.ByApproving)
		b.kept[kept] = "k"
		if looks {
			b.follow(day.Add(Horizon))
		}
		again := b.plan("unanswered, then again", "ready", Person, late)
		b.decide(again, runs.ByApproving)
		b.carryOut(again, "w", engine.Done, late+1)
		b.carryOut(run, "v", engine.Done, late)
		b.run(journal.About{Kind: journal.OfWorkflow, Name: "k", By: journal.ByPerson}, late, engine.Ending{Status: engine.Failed, Error: &engine.RunError{}})
		b.follow(day.Add(2 * Horizon))
		if diff := cmp.Diff([]string{"abandoned", "failed", "worked"}, b.outcomes()); diff != "" {
			t.Errorf("looked at before: %v\n%s", looks, diff)
		}
	}
}

// TestLeavingIsNarrow: a run that leaves and came of nothing does not touch requests of which nothing came.
func TestLeavingIsNarrow(t *testing.T) {
	b := newBench(t)
	b.decide(b.plan("one", "ready", Person, 0), runs.ByDeclining)
	b.follow(day.Add(time.Hour))
	leaves := b.plan("two", "ready", Person, 600)
	h := b.history()
	read := &asked{History: b.runs}
	h.Runs = read
	if err := b.l.Follow(h, day.Add(11*time.Hour), runs.Row{ID: leaves}, runs.Row{ID: "x", Kind: "workflow"}); err != nil {
		t.Fatal(err)
	}
	if len(read.since) != 1 || read.since[0].Before(day.Add(9*time.Hour)) {
		t.Errorf("the history is read from %v on, for a request of ten hours later", read.since)
	}
}

// TestInOrderOfArrival: what is settled counts once all that came before it is; nothing overtakes.
func TestInOrderOfArrival(t *testing.T) {
	b := newBench(t)
	b.decide(b.plan("one", "ready", Person, 0), runs.ByDeclining)
	b.plan("two", "ready", Person, 1) // open
	b.plan("three", "ready", Flag, 2) // never judged: in nobody's way
	b.decide(b.plan("four", "ready", Person, 3), runs.ByDeclining)
	b.decide(b.plan("five", "ready", Person, 4), runs.ByDeclining)
	var live *Live
	held := func(at time.Duration) Compared {
		t.Helper()
		b.follow(day.Add(at))
		r, err := b.state().Compare(b.history(), b.arms, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		live = r
		return r.Comparisons[0]
	}
	if c := held(time.Hour); c.Score.Units != 1 || c.Waiting != 2 || c.Until == nil || !c.Until.Equal(day.Add(time.Minute+Horizon)) {
		t.Errorf("%+v", c)
	}
	if said := strings.Join(live.Says, "\n"); !strings.Contains(said, "2 more have an outcome, and count once an earlier request, which is open, has one: at the latest on ") {
		t.Error(said)
	}
	if c := held(Horizon + time.Hour); c.Score.Units != 4 || c.Waiting != 0 || c.Until != nil {
		t.Errorf("%+v", c)
	}
}
