package split

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/runs"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// bench is a home in which requests are split between a and b.
type bench struct {
	t    *testing.T
	home string
	runs *runs.History
	l    *Ledger
	arms Split
	key  []byte
	kept map[string]string
	n    int // runs
	hash string
}

func newBench(t *testing.T) *bench {
	home := t.TempDir()
	h := runs.Of(home)
	t.Cleanup(func() { h.Close() })
	return &bench{t: t, home: home, runs: h, l: LedgerOf(home), arms: Split{{"a", 1}, {"b", 1}}, key: []byte("key"), kept: map[string]string{}, hash: "1"}
}

func (b *bench) history() History {
	return History{Home: b.home, Runs: b.runs, Kept: func(plan string) string { return b.kept[plan] }}
}

// run makes a run that began some minutes after the day.
func (b *bench) run(about journal.About, minutes int, end engine.Ending, input ...string) string {
	b.t.Helper()
	b.n++
	about.Began = day.Add(time.Duration(minutes)*time.Minute + time.Duration(b.n)*time.Millisecond)
	id := about.Began.Format("20060102-150405-") + fmt.Sprintf("%08x", b.n)
	w, err := b.runs.Create(id, about, []byte(`{"kind": "x"}`))
	if err == nil {
		err = w.Begin(engine.Event{Kind: engine.EventStart, Time: about.Began, Input: map[string]any{"in": fmt.Sprint(input)}})
	}
	if err == nil && end.Status != "" {
		end.At = time.Second
		err = w.Ended(end)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	w.Close()
	return id
}

// plan makes a planning that came to something: ready, infeasible and the like, "" for one that was killed.
func (b *bench) plan(request, came string, asked Asked, minutes int) string {
	b.t.Helper()
	open := b.state().Open(b.arms)
	arm := open.Choose(b.key, request).Flow
	end := engine.Ending{Status: engine.Done, Came: came, Usage: map[string]float64{"cost_usd": .5}}
	switch came {
	case "": // killed
		end = engine.Ending{}
	case "cancelled":
		end = engine.Ending{Status: engine.Cancelled}
	}
	id := b.run(journal.About{Kind: journal.OfPlan, Name: arm, Request: request, By: journal.ByPerson, Arm: arm}, minutes, end)
	if err := b.l.Begin(b.key, request, id, open, arm, b.hash, asked, day.Add(time.Duration(minutes)*time.Minute)); err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bench) decide(id string, d runs.Decision) {
	b.t.Helper()
	if err := b.runs.Decide(id, d); err != nil {
		b.t.Fatal(err)
	}
}

// carryOut makes a run of a workflow that a planning led to.
func (b *bench) carryOut(plan, name string, status engine.Status, minutes int, by ...string) string {
	b.t.Helper()
	about := journal.About{Kind: journal.OfWorkflow, Name: name, Request: "asked", By: journal.ByPerson, Parent: plan}
	if len(by) > 0 {
		about.By = by[0]
	}
	end := engine.Ending{Status: status}
	if status == engine.Failed {
		end.Error = &engine.RunError{Kind: "timeout", Message: "no", Node: "n"}
	}
	return b.run(about, minutes, end, by...)
}

func (b *bench) follow(at time.Time) {
	b.t.Helper()
	if err := b.l.Follow(b.history(), at); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) state() *State {
	b.t.Helper()
	s, err := b.l.Read()
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// outcomes are those of all units, in the order in which they came: "open" for those that have none.
func (b *bench) outcomes() (out []string) {
	for _, t := range b.state().trials {
		for _, u := range t.units {
			text := "open"
			if u.scored != nil {
				text = string(u.scored.Outcome)
			}
			if u.later.Fixed {
				text += ", mended"
			}
			if u.later.Reused {
				text += ", found again"
			}
			out = append(out, text)
		}
	}
	return out
}

// TestOutcomes has everything that people may do with a plan, soon after, and once silence is an answer.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name       string
		do         func(b *bench)
		soon, late string
	}{
		{"approved, ran well", func(b *bench) {
			p := b.plan("r", "ready", Person, 0)
			b.decide(p, runs.ByApproving)
			b.carryOut(p, "w", engine.Done, 1)
		}, "worked", "worked"},
		{"approved, the run failed", func(b *bench) {
			p := b.plan("r", "ready", Person, 0)
			b.decide(p, runs.ByApproving)
			b.carryOut(p, "w", engine.Failed, 1)
		}, "failed", "failed"},
		{"approved, the run was cancelled, and may go on", func(b *bench) {
			p := b.plan("r", "ready", Person, 0)
			b.decide(p, runs.ByApproving)
			b.carryOut(p, "w", engine.Cancelled, 1)
		}, "open", "failed"},
		{"approved and only saved", func(b *bench) {
			p := b.plan("r", "ready", Person, 0)
			b.decide(p, runs.ByApproving)
			b.kept[p] = "w"
		}, "open", "worked"},
		{"approved and saved, and run by its name", func(b *bench) {
			p := b.plan("r", "ready", Person, 0)
			b.decide(p, runs.ByApproving)
			b.kept[p] = "w"
			b.run(journal.About{Kind: journal.OfWorkflow, Name: "w", By: journal.ByPerson}, 3, engine.Ending{Status: engine.Failed, Error: &engine.RunError{}})
		}, "failed", "failed"},
		{"approved, and then no run of it", func(b *bench) { b.decide(b.plan("r", "ready", Person, 0), runs.ByApproving) }, "open", "failed"},
		{"edited", func(b *bench) {
			p := b.plan("r", "ready", Person, 0)
			b.decide(p, runs.ByEditing)
			b.carryOut(p, "w", engine.Done, 1)
		}, "edited", "edited"},
		{"declined", func(b *bench) { b.decide(b.plan("r", "ready", Person, 0), runs.ByDeclining) }, "declined", "declined"},
		{"no answer", func(b *bench) { b.plan("r", "ready", Person, 0) }, "open", "abandoned"},
		{"killed while it was planned", func(b *bench) { b.plan("r", "", Person, 0) }, "open", "no plan"},
		{"broken off while it was planned", func(b *bench) { b.plan("r", "cancelled", Person, 0) }, "open", "no plan"},
		{"broken off, then planned and not answered", func(b *bench) { b.plan("r", "cancelled", Person, 0); b.plan("r", "ready", Person, 5) }, "open", "abandoned"},
		{"broken off, then answered", func(b *bench) {
			b.plan("r", "cancelled", Person, 0)
			b.decide(b.plan("r", "ready", Person, 5), runs.ByDeclining)
		}, "declined", "declined"},
		{"infeasible", func(b *bench) { b.plan("r", "infeasible", Person, 0) }, "no plan", "no plan"},
		{"invalid", func(b *bench) { b.plan("r", "invalid", Client, 0) }, "no plan", "no plan"},
		{"no answer, then the same request is answered", func(b *bench) {
			b.plan("Copy a to b", "ready", Person, 0)
			p := b.plan("copy a  to b.", "ready", Person, 5)
			b.decide(p, runs.ByApproving)
			b.carryOut(p, "w", engine.Done, 6)
		}, "worked", "worked"},
		{"answered, then the same request is declined", func(b *bench) {
			p := b.plan("r", "ready", Person, 0)
			b.decide(p, runs.ByApproving)
			b.carryOut(p, "w", engine.Done, 1)
			b.decide(b.plan("r", "ready", Person, 5), runs.ByDeclining)
		}, "worked", "worked"},
		{"no answer, then --yes", func(b *bench) {
			b.plan("r", "ready", Person, 0)
			b.carryOut(b.plan("r", "ready", Flag, 5), "w", engine.Done, 6)
		}, "worked", "worked"},
		{"--yes: nobody looked", func(b *bench) { b.carryOut(b.plan("r", "ready", Flag, 0), "w", engine.Done, 1) }, "open", "open"},
		{"--yes, no plan", func(b *bench) { b.plan("r", "infeasible", Flag, 0) }, "open", "open"},
		{"only shown", func(b *bench) { b.plan("r", "ready", Nobody, 0) }, "open", "open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			c.do(b)
			b.follow(day.Add(time.Hour))
			if diff := cmp.Diff([]string{c.soon}, b.outcomes()); diff != "" {
				t.Error("soon: " + diff)
			}
			b.follow(day.Add(Horizon))
			if diff := cmp.Diff([]string{c.late}, b.outcomes()); diff != "" {
				t.Error("late: " + diff)
			}
			r, err := b.state().Compare(b.history(), b.arms, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Arms[0]
			if got.Requests == 0 {
				got = r.Arms[1]
			}
			scored := 0
			if c.late != "open" {
				scored = 1
			}
			if got.Requests != 1 || got.Scored != scored || got.Asked != scored || got.Open != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestPruned removes every run, the oldest first, as retention does: what was known of them stays.
func TestPruned(t *testing.T) {
	b := newBench(t)
	b.runs.Leaving = func(rows []runs.Row) error { return b.l.Follow(b.history(), day.Add(time.Hour), rows...) }
	worked := b.plan("one", "ready", Person, 0)
	b.decide(worked, runs.ByApproving)
	b.carryOut(worked, "w", engine.Done, 1)
	failed := b.plan("two", "ready", Person, 2)
	b.decide(failed, runs.ByApproving)
	first := b.carryOut(failed, "v", engine.Failed, 3)
	b.carryOut(first, "v", engine.Done, 4, journal.ByFix)
	b.carryOut(b.plan("three", "ready", Flag, 5), "w", engine.Done, 6) // finds the workflow of the first
	b.plan("four", "ready", Person, 7)                                 // nobody answered yet
	kept := b.plan("five", "ready", Person, 8)
	b.decide(kept, runs.ByApproving) // and saved
	b.kept[kept] = "k"
	b.decide(b.plan("six", "ready", Person, 9), runs.ByApproving) // its run could still have come
	rows, err := b.runs.List(runs.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if removed, err := b.runs.Remove(rows[i : i+1]); err != nil || len(removed) != 1 {
			t.Fatal(removed, err)
		}
	}
	want := []string{"worked, found again", "failed, mended", "open", "open", "worked", "failed"}
	if diff := cmp.Diff(want, b.outcomes()); diff != "" {
		t.Error(diff)
	}
	b.follow(day.Add(2 * Horizon)) // the fourth may be asked for again until then
	want[3] = "lost"
	if diff := cmp.Diff(want, b.outcomes()); diff != "" {
		t.Error(diff)
	}
	r, err := b.state().Compare(b.history(), b.arms, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	all := ArmState{}
	for _, a := range r.Arms {
		all.Requests, all.Scored, all.Open, all.Fixed, all.Reused, all.Planned = all.Requests+a.Requests, all.Scored+a.Scored, all.Open+a.Open, all.Fixed+a.Fixed, all.Reused+a.Reused, all.Planned+a.Planned
	}
	if all.Requests != 6 || all.Scored != 5 || all.Open != 0 || all.Fixed != 1 || all.Reused != 1 || all.Planned != 6 {
		t.Errorf("%+v", all)
	}
}

// TestPrunedUnnoted keeps runs of which nothing can be noted.
func TestPrunedUnnoted(t *testing.T) {
	b := newBench(t)
	b.plan("one", "ready", Person, 0)
	b.runs.Leaving = func([]runs.Row) error { return fmt.Errorf("the disk is full") }
	rows, err := b.runs.List(runs.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if removed, err := b.runs.Remove(rows); err == nil || len(removed) > 0 {
		t.Error(removed, err)
	}
	if left, err := b.runs.List(runs.Query{}); err != nil || len(left) != 1 {
		t.Error(left, err)
	}
}

// TestChanged begins anew where the flow of an arm becomes another one: what was counted of it is not of this one.
func TestChanged(t *testing.T) {
	b := newBench(t)
	for i := range 6 {
		b.decide(b.plan(fmt.Sprint("request ", i), "ready", Person, i), runs.ByDeclining)
	}
	b.follow(day.Add(time.Hour))
	b.hash = "2"
	for i := range 3 {
		b.decide(b.plan(fmt.Sprint("request ", i), "ready", Person, 100+i), runs.ByDeclining)
	}
	b.follow(day.Add(4 * time.Hour))
	r, err := b.state().Compare(b.history(), b.arms, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Arms[0].Requests + r.Arms[1].Requests; got > 3 || r.Before < 6 || r.Before+got != 9 {
		t.Errorf("%d count, and %d of before", got, r.Before)
	}
}
