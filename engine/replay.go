package engine

import (
	"fmt"
	"slices"
	"time"
)

// Watch is told of a run that is stepped through again. Each may be nil.
type Watch struct {
	Ended     func(Transition) // a step, in the order in which they ended
	Attempted func(Attempted)  // in the order in which they ended; those that did not, last
}

// Attempted is one attempt of an op, and what came of it.
type Attempted struct {
	Attempt
	Op      string
	Prep    map[string]any
	Ended   time.Duration // since the run began
	Outcome *Event        // EventOutcome or EventApprove; nil: there is none
}

// attempted is the attempt of an exec that begins.
func (c *Command) attempted(at time.Duration) Attempted {
	a := Attempted{Op: c.Op().Name, Prep: c.unit.prep}
	a.ID, a.At, a.Index, a.Idempotent = c.ID, at, c.Index(), c.Op().Idempotent
	a.Step, a.Visit, a.Attempt.Attempt = c.Step()
	return a
}

// Replay steps through the events of a run and carries out nothing. The error is of events that are not of this flow.
func Replay(flow *Flow, h *History, w Watch) (*Run, error) {
	r := NewRun(flow, w.Ended)
	under := map[int]Attempted{}
	tell := func(a Attempted) {
		if w.Attempted != nil {
			w.Attempted(a)
		}
	}
	for i := range h.Events {
		ev := &h.Events[i]
		if a, ok := under[ev.ID]; ok && (ev.Kind == EventOutcome || ev.Kind == EventApprove) {
			if a.Ended, a.Outcome = ev.At, ev; ev.Waits == "" || ev.Kind == EventApprove {
				delete(under, ev.ID)
				tell(a)
			} else {
				under[ev.ID] = a // it waits; what approves it comes later
			}
		}
		commands, err := r.Step(ev)
		if err != nil {
			return r, fmt.Errorf("the journal does not fit what was run at event %d: %w", i+1, err)
		}
		for j := range commands {
			if c := &commands[j]; c.Kind == CommandExec {
				under[c.ID] = c.attempted(ev.At)
			}
		}
	}
	ids := make([]int, 0, len(under))
	for id := range under {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if a := under[id]; !r.done {
			tell(a)
		}
	}
	return r, nil
}
