package engine

import (
	"slices"

	"pflow/internal/fault"
)

// Hold is a step that waits for approval.
type Hold struct {
	Step string `json:"step"` // its name in the whole run
	For  string `json:"for"`  // what is to be approved, as the op named it

	Prep map[string]any `json:"-"` // what the op got
}

// A unit whose attempt ended as waiting is held: nothing of it runs until an approve event says how it goes on. Units,
// visits and frames in which all that is left is held are parked: they count as under way, but take no room from what can
// run beside them. What is approved takes its room again, or waits for it, so that no more runs at once than may.

// hold keeps a unit until it is approved.
func (r *Run) hold(u *unit, what string) {
	u.state, u.holds = unitHeld, what
	r.tellUnit(u, ProgressHeld, nil)
	at, _ := slices.BinarySearchFunc(r.held, u.id, func(u *unit, id int) int { return u.id - id })
	r.held = slices.Insert(r.held, at, u)
	r.parkUnit(u)
}

func (r *Run) parkUnit(u *unit) {
	if !u.parked {
		u.parked = true
		u.nr.parked++
	}
	r.settleNode(u.nr)
}

// parkNode parks a visit in which nothing is left but parked units.
func (r *Run) parkNode(nr *nodeRun) {
	if nr.settled || nr.idle || nr.live == 0 || nr.live > nr.parked {
		return
	}
	nr.idle = true
	nr.f.parked++
	if nr.f.dag != nil {
		r.launch(nr.f)
	}
	r.parkFrame(nr.f)
}

// parkFrame parks the unit of a frame in which nothing is left but parked visits.
func (r *Run) parkFrame(f *frame) {
	if f.parent != nil && !f.done && !f.stopping && f.live > 0 && f.live == f.parked && !f.parent.parked {
		r.parkUnit(f.parent)
	}
}

// goOnApproved takes the first approved unit on that there is room for; it is false where there is none.
func (r *Run) goOnApproved() bool {
	for i, ev := range r.approved {
		at := r.heldAt(ev.ID)
		if at >= 0 && !r.held[at].room() {
			continue
		}
		r.approved = slices.Delete(r.approved, i, i+1)
		if at < 0 {
			return true // it was stopped while it waited for room
		}
		u := r.held[at]
		r.held = slices.Delete(r.held, at, at+1)
		u.wake()
		nr := u.nr
		r.attemptDone(u, ev.Result, ev.Action, nil)
		r.settleNode(nr)
		return true
	}
	return false
}

// room reports whether a unit that is parked may run: at every level there is room for one more.
func (u *unit) room() bool {
	for ; u != nil; u = u.nr.f.parent {
		nr, f := u.nr, u.nr.f
		if u.parked && nr.node.mode == modeMap && nr.live-nr.parked >= nr.node.concurrency {
			return false
		}
		if nr.idle && f.flow.dag != nil && f.live-f.parked >= f.flow.dag.concurrency {
			return false
		}
	}
	return true
}

// wake takes the room of a unit that runs again, at every level.
func (u *unit) wake() {
	for ; u != nil; u = u.nr.f.parent {
		u.unpark()
		if nr := u.nr; nr.idle {
			nr.idle = false
			nr.f.parked--
		}
	}
}

func (u *unit) unpark() {
	if u.parked {
		u.parked = false
		u.nr.parked--
	}
}

func (r *Run) heldAt(id int) int {
	at, ok := slices.BinarySearchFunc(r.held, id, func(u *unit, id int) int { return u.id - id })
	if !ok {
		return -1
	}
	return at
}

// release ends a held unit that is stopped.
func (r *Run) release(u *unit) {
	if at := r.heldAt(u.id); at >= 0 {
		r.held = slices.Delete(r.held, at, at+1)
	}
	r.emit(Command{Kind: CommandStop, ID: u.id})
	u.state, u.err = unitDone, newFailure(fault.New(fault.Cancelled, "stopped"))
	r.traceUnit(u)
	u.unpark()
	u.nr.live--
}

// Waiting reports whether all that is left of the run waits for approval: only an approve event, or the end of a budget,
// takes it on. A driver may end such a run; it goes on from its events.
func (r *Run) Waiting() bool {
	if r.done || len(r.held) == 0 || len(r.execs) > 0 {
		return false
	}
	for _, t := range r.timers {
		if t.retry != nil {
			return false
		}
	}
	return true
}

// Held gives the attempts that wait for approval, in the order of the program. Performing one again asks again.
func (r *Run) Held() []Command {
	var out []Command
	r.root.eachHeld(func(u *unit) {
		if !r.isApproved(u.id) {
			out = append(out, Command{Kind: CommandExec, ID: u.id, unit: u})
		}
	})
	return out
}

func (r *Run) isApproved(id int) bool {
	return slices.ContainsFunc(r.approved, func(ev Event) bool { return ev.ID == id })
}

// holds lists what waits for approval.
func (r *Run) holds() []Hold {
	var out []Hold
	for _, c := range r.Held() {
		out = append(out, Hold{Step: c.unit.stepName(), For: c.unit.holds, Prep: c.unit.nr.prep})
	}
	return out
}

func (f *frame) eachHeld(visit func(*unit)) {
	for _, nr := range f.underWay() {
		for i := range nr.units {
			u := &nr.units[i]
			if u.state == unitHeld {
				visit(u)
			}
			if u.child != nil {
				u.child.eachHeld(visit)
			}
		}
	}
}

// underWay lists the visits that have not ended, in the order of the document.
func (f *frame) underWay() []*nodeRun {
	out := slices.Clone(f.active)
	slices.SortStableFunc(out, func(a, b *nodeRun) int { return a.index - b.index })
	return out
}

// recordsSoFar are the steps that ended in a frame that may not have.
func (f *frame) recordsSoFar() []record {
	if f.done {
		return f.records
	}
	out := slices.Clone(f.records)
	rest := f.underWay()
	upTo := func(node int) {
		for ; len(rest) > 0 && rest[0].index <= node; rest = rest[1:] {
			for i := range rest[0].units {
				u := &rest[0].units[i]
				out = append(out, u.records...)
				if u.child != nil {
					out = append(out, u.child.recordsSoFar()...)
				}
			}
		}
	}
	if f.dag != nil {
		for node := range f.dag.records {
			out = append(out, f.dag.records[node]...)
			upTo(node)
		}
	}
	upTo(len(f.flow.nodes))
	return out
}
