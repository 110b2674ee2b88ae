package engine

import (
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// unit is one series of attempts: of a node's op or inner flow, of one item of map, of one branch of parallel.
type unit struct {
	nr    *nodeRun
	index int
	spec  *unitSpec
	prep  map[string]any
	run   map[string]any // what the expressions of the op see as run

	state    unitState
	attempts int
	began    time.Duration
	kept     string // the run that the outcome of the last attempt is of; "": this one
	id       int    // of the exec or the wait under way
	child    *frame // the inner flow under way
	bound    int    // the wait for the inner flow's timeout, or 0
	stopping bool
	parked   bool     // nothing of it can run until something is approved
	holds    string   // what it waits for the approval of
	why      *failure // the inner flow was stopped because its attempt timed out

	result  any
	action  string
	err     *failure
	records []record
	books   *books
}

type unitState uint8

const (
	unitIdle    unitState = iota
	unitRunning           // an exec or an inner flow is under way
	unitWaiting           // for the next attempt
	unitHeld              // until it is approved
	unitDone
)

// startUnit begins the first attempt.
func (r *Run) startUnit(u *unit) {
	u.prep, u.began = u.nr.prep, r.now
	if mode := u.nr.node.mode; mode == modeMap || mode == modeParallel {
		r.scopeOf(u)
		prep, err := r.evaluate(u.spec.prep)
		if err != nil {
			r.endUnit(u, nil, "", newFailure(err))
			return
		}
		u.prep = prep
	}
	if d := u.pause(); d > 0 {
		u.state = unitWaiting
		u.id = r.wait(d, false, timer{retry: u})
		return
	}
	r.attempt(u)
}

// scopeOf sets what the expressions of a unit see beside prep.
func (r *Run) scopeOf(u *unit) {
	r.enter(u.nr.f)
	r.seeRun(u.nr, u)
	if u.nr.node.mode == modeMap {
		r.scope.Set("item", u.nr.items[u.index])
		r.scope.Set("index", u.index)
	}
}

// attempt starts the next attempt.
func (r *Run) attempt(u *unit) {
	n, f := u.nr.node, u.nr.f
	if flow := u.spec.flow; flow != nil {
		u.attempts++
		u.state = unitRunning
		r.tellUnit(u, ProgressAttempt, nil)
		u.why, u.bound = nil, 0
		child, err := r.newFrame(u, flow, u.innerPrefix(), u.input(flow))
		if err != nil {
			r.attemptDone(u, nil, "", newFailure(err))
			return
		}
		u.child = child
		if n.timeout > 0 {
			u.bound = r.wait(n.timeout, true, timer{attempt: u})
		}
		return
	}
	if err := f.spent(u.spec.op); err != nil {
		r.endUnit(u, nil, "", newFailure(err))
		return
	}
	u.attempts++
	u.state = unitRunning
	r.tellUnit(u, ProgressAttempt, nil)
	u.id = r.newID()
	if u.spec.readsRun {
		u.run = r.record(u.nr, u)
	}
	r.execs = append(r.execs, u)
	r.emit(Command{Kind: CommandExec, ID: u.id, For: n.timeout, unit: u})
}

// input is what an inner flow begins with: prep, and in map the item and its index if the flow's state declares them.
func (u *unit) input(flow *Flow) map[string]any {
	in := u.prep
	if flow.loop {
		in, _ = in[storeOfPrep].(map[string]any)
		return in
	}
	if u.nr.node.mode != modeMap {
		return in
	}
	for name, v := range map[string]any{"item": u.nr.items[u.index], "index": u.index} {
		_, declared := flow.keys[name]
		if _, given := in[name]; declared && !given {
			in = value.Merge(in, map[string]any{name: v})
		}
	}
	return in
}

// execDone takes the outcome of an op.
func (r *Run) execDone(u *unit, ev *Event) {
	u.nr.f.addMeters(ev.Meters)
	u.use(ev.Meters)
	u.kept = ev.From
	var err *failure
	if ev.Err != nil {
		err = newFailure(ev.Err)
	}
	nr := u.nr
	if ev.Waits != "" && !u.stopping {
		r.hold(u, ev.Waits)
		return
	}
	r.attemptDone(u, ev.Result, ev.Action, err)
	r.settleNode(nr)
}

// childDone takes the end of an inner flow.
func (r *Run) childDone(u *unit, child *frame) {
	if u.bound != 0 {
		r.stopWait(u.bound)
	}
	u.records = append(u.records, child.records...)
	u.child = nil
	err := child.err
	if u.why != nil {
		err = u.why
	}
	u.takeChild(child)
	if err != nil {
		if err.path != "" {
			err.path = u.inside(err.path)
		}
		r.attemptDone(u, nil, "", err)
	} else {
		r.attemptDone(u, child.store, child.action, nil)
	}
	r.settleNode(u.nr)
}

// attemptDone decides what follows an attempt: the next one, the fallback, or the end of the unit.
func (r *Run) attemptDone(u *unit, result any, action string, err *failure) {
	n := u.nr.node
	if r.trace != nil && err != nil {
		r.trace.Failed(u.part(), u.attempts, r.now, err.Error)
	}
	if u.stopping {
		r.endUnit(u, nil, "", newFailure(fault.New(fault.Cancelled, "stopped")))
		return
	}
	if err == nil || err.Kind.Final() {
		r.endUnit(u, result, action, err)
		return
	}
	if u.attempts < n.retry.attempts {
		again, bad := r.retries(u, err)
		if bad != nil {
			r.endUnit(u, nil, "", newFailure(bad))
			return
		}
		if again {
			u.note(err, retried)
			r.tellUnit(u, ProgressRetry, err)
			r.retryAfterWait(u)
			return
		}
	}
	if n.fallback == nil {
		r.endUnit(u, nil, "", err)
		return
	}
	u.note(err, toDefault)
	r.scopeOfError(u, err)
	result, bad := n.fallback.Eval(r.scope)
	if bad != nil {
		r.endUnit(u, nil, "", newFailure(within("fallback", bad)))
		return
	}
	r.endUnit(u, result, DefaultAction, nil)
}

func (r *Run) retryAfterWait(u *unit) {
	random := 0.0
	if u.nr.node.retry.jitter > 0 {
		random = r.seed.next()
	}
	d := u.nr.node.retry.backoff(u.attempts, random)
	if d <= 0 {
		r.attempt(u)
		return
	}
	u.state = unitWaiting
	u.id = r.wait(d, false, timer{retry: u})
}

// retries asks the policy whether a failed attempt is followed by another.
func (r *Run) retries(u *unit, err *failure) (bool, *fault.Error) {
	on := u.nr.node.retry.on
	if on == nil {
		return err.Kind.Temporary(), nil
	}
	r.scopeOfError(u, err)
	ok, bad := on.Test(r.scope)
	if bad != nil {
		return false, within("retry.on", bad)
	}
	return ok, nil
}

// scopeOfError sets what retry.on and fallback see.
func (r *Run) scopeOfError(u *unit, err *failure) {
	r.scopeOf(u)
	r.scope.Set("prep", u.prep)
	r.scopeOfEnd(u.attempts, r.actionInScope)
	details := err.Details
	if details == nil {
		details = map[string]any{}
	}
	r.scope.Set("error", map[string]any{
		"kind": string(err.Kind), "message": err.Message, "temporary": err.Kind.Temporary(), "details": details,
	})
}

// endUnit ends the series.
func (r *Run) endUnit(u *unit, result any, action string, err *failure) {
	u.state = unitDone
	u.result, u.action, u.err = result, action, err
	if err != nil {
		u.trace(err)
	}
	r.traceUnit(u)
	r.tellUnit(u, ProgressUnit, err)
	r.unitDone(u)
}

// stopUnit asks a unit to end early. A wait ends at once; an exec or an inner flow ends with its outcome.
func (r *Run) stopUnit(u *unit) {
	if u.stopping || u.state == unitIdle || u.state == unitDone {
		return
	}
	u.stopping = true
	switch {
	case u.state == unitWaiting:
		r.stopWait(u.id)
		u.state = unitDone
		u.err = newFailure(fault.New(fault.Cancelled, "stopped"))
		r.traceUnit(u)
		u.nr.live--
	case u.state == unitHeld:
		r.release(u)
	case u.child != nil:
		child := u.child // it may end at once, and leave the unit
		r.stopFrame(child, newFailure(fault.New(fault.Cancelled, "stopped")))
		r.settleFrame(child)
	default:
		r.emit(Command{Kind: CommandStop, ID: u.id})
	}
}
