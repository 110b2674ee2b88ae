package engine

import (
	"time"

	"pflow/engine/cond"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// nodeRun is one visit of a node: prep, then one or more units (series of attempts), then post, action and next.
type nodeRun struct {
	f       *frame
	node    *node
	index   int
	visit   int32
	started time.Duration
	prep    map[string]any

	items   []any // of map
	units   []unit
	first   [1]unit // room for the one unit of most nodes
	begun   int     // units that were started
	live    int     // units under way
	parked  int     // of them, those that wait for approval
	idle    bool    // all of them do
	winner  *unit   // of parallel with join any
	err     *failure
	failed  *failure // with which it ended, also if that was caught
	settled bool
}

// newNodeRun gives an empty one: one that was retired, if there is any.
func (r *Run) newNodeRun() *nodeRun {
	last := len(r.spare) - 1
	if last < 0 {
		return &nodeRun{}
	}
	nr := r.spare[last]
	r.spare = r.spare[:last]
	nr.visit, nr.prep, nr.units = 0, nil, nil
	nr.begun, nr.live, nr.parked, nr.idle, nr.settled, nr.err, nr.failed = 0, 0, 0, false, false, nil, nil // all that a visit of an op may have left behind
	u := &nr.first[0]
	u.state, u.attempts, u.stopping, u.err, u.result, u.books, u.run, u.kept = unitIdle, 0, false, nil, nil, nil, nil, ""
	return nr
}

// startNode begins a visit: the limits that count visits, prep, the first attempts.
func (r *Run) startNode(p place) {
	f := p.f
	if f.stopping || f.done {
		return // settleFrame no longer counts it
	}
	n := &f.flow.nodes[p.node]
	nr := r.newNodeRun()
	nr.f, nr.node, nr.index, nr.started = f, n, p.node, r.now
	f.active = append(f.active, nr)
	if err := f.countVisit(nr); err != nil {
		r.nodeFailed(nr, newFailure(err))
		return
	}
	r.enter(f)
	n, err := n.settled(f, r.scope)
	if err != nil {
		r.nodeFailed(nr, newFailure(err))
		return
	}
	nr.node = n
	r.seeRun(nr, nil)
	prep, err := r.evaluate(n.prep)
	if err != nil {
		r.nodeFailed(nr, newFailure(err))
		return
	}
	nr.prep = prep
	if err := nr.plan(); err != nil {
		r.nodeFailed(nr, newFailure(err))
		return
	}
	r.tellBegan(nr)
	r.settleNode(nr)
}

func (f *frame) countVisit(nr *nodeRun) *fault.Error {
	most := f.flow.limits.steps
	if most == 0 {
		most = defaultSteps
	}
	if f.steps >= most && (f.flow.dag == nil && !f.flow.loop || f.flow.limits.steps > 0) {
		return fault.New(fault.Limit, "the limit steps (%d) of flow %q is reached", most, f.flow.Name)
	}
	if v := nr.node.maxVisits; v > 0 && int(f.visits[nr.index]) >= v {
		return fault.New(fault.Limit, "the limit max_visits (%d) of node %q is reached", v, nr.node.id)
	}
	f.steps++
	f.visits[nr.index]++
	nr.visit = f.visits[nr.index]
	return nil
}

var noValues = map[string]any{}

// evaluate gives the values of bindings in the scope as it stands.
func (r *Run) evaluate(bindings []Binding) (map[string]any, *fault.Error) {
	if len(bindings) == 0 {
		return noValues, nil
	}
	out := make(map[string]any, len(bindings))
	for _, b := range bindings {
		v, err := b.Expr.Eval(r.scope)
		if err != nil {
			return nil, within(b.Name, err)
		}
		out[b.Name] = v
	}
	return out, nil
}

// within names the key whose expression failed.
func within(key string, err error) *fault.Error {
	e := fault.Of(err)
	return &fault.Error{Kind: e.Kind, Message: key + ": " + e.Message, Cause: err, Place: e.Place}
}

// raise gives an error that came of an expression's value the place of the expression.
func raise(e Evaluator, err error) error {
	if p, ok := e.(*cond.Program); ok {
		return p.Raise(err)
	}
	return err
}

// plan lays out the units of a visit.
func (nr *nodeRun) plan() *fault.Error {
	n := nr.node
	switch n.mode {
	case modeMap:
		switch items := nr.prep["items"].(type) {
		case nil:
		case []any:
			nr.items = items
		default:
			return fault.New(fault.Type, "items: want array, got %s", value.Describe(items))
		}
		nr.units = make([]unit, len(nr.items))
	case modeParallel:
		nr.units = make([]unit, len(n.units))
	default:
		nr.units = nr.first[:]
	}
	for i := range nr.units {
		u := &nr.units[i]
		u.nr, u.index, u.spec = nr, i, &n.units[0]
		if n.mode == modeParallel {
			u.spec = &n.units[i]
		}
	}
	return nil
}

// startUnits starts as many units as may run at once.
func (r *Run) startUnits(nr *nodeRun) {
	most := len(nr.units)
	if nr.node.mode == modeMap {
		most = nr.node.concurrency
	}
	for nr.err == nil && nr.winner == nil && nr.begun < len(nr.units) && nr.live-nr.parked < most {
		u := &nr.units[nr.begun]
		nr.begun++
		nr.live++
		r.startUnit(u)
	}
}

// stopUnits asks every unit under way but one to stop, and keeps the rest from starting.
func (r *Run) stopUnits(nr *nodeRun, but *unit) {
	nr.begun = len(nr.units)
	for i := range nr.units {
		if u := &nr.units[i]; u != but {
			r.stopUnit(u)
		}
	}
}

// settleNode starts what may start now, and ends the visit once no unit is left.
func (r *Run) settleNode(nr *nodeRun) {
	if nr.settled {
		return
	}
	if !nr.f.stopping {
		r.startUnits(nr)
	}
	switch {
	case nr.live > 0 || nr.settled:
		r.parkNode(nr)
	case nr.f.stopping:
		r.nodeFailed(nr, nr.f.err)
	case nr.err != nil:
		r.nodeFailed(nr, nr.err)
	default:
		r.nodeSucceeded(nr)
	}
}

// unitDone takes the end of a unit into its node: the siblings may have to stop. settleNode does the rest.
func (r *Run) unitDone(u *unit) {
	nr, n := u.nr, u.nr.node
	nr.live--
	u.unpark()
	switch {
	case nr.f.stopping || nr.winner != nil:
	case u.err == nil:
		if n.joinAny {
			nr.winner = u
			r.stopUnits(nr, u)
		}
	case nr.err != nil:
	case u.err.Kind.Final():
		nr.err = u.err
		r.stopUnits(nr, u)
	case n.mode == modeMap && n.keepGoing:
	case n.joinAny:
		if nr.live == 0 && nr.begun == len(nr.units) {
			nr.err = nr.units[0].err // all failed: the first of the document speaks
		}
	default:
		nr.err = u.err
		r.stopUnits(nr, u)
	}
}

// result is what the units of a node that succeeded give together.
func (nr *nodeRun) result() (result any, action string) {
	switch nr.node.mode {
	case modeMap:
		out := make([]any, len(nr.units))
		for i := range nr.units {
			if u := &nr.units[i]; u.err != nil {
				out[i] = map[string]any{"error": map[string]any{"kind": string(u.err.Kind), "message": u.err.Message}}
			} else {
				out[i] = u.result
			}
		}
		return out, DefaultAction
	case modeParallel:
		if w := nr.winner; w != nil {
			return map[string]any{"name": w.spec.name, "result": w.result}, DefaultAction
		}
		out := make(map[string]any, len(nr.units))
		for i := range nr.units {
			out[nr.units[i].spec.name] = nr.units[i].result
		}
		return out, DefaultAction
	}
	return nr.units[0].result, nr.units[0].action
}

// nodeSucceeded runs post and action. The writes of post become visible together, and not at all if either fails.
func (r *Run) nodeSucceeded(nr *nodeRun) {
	f, n := nr.f, nr.node
	nr.closeBooks()
	if n.until != nil {
		r.endRound(nr)
		return
	}
	result, opAction := nr.result()
	if opAction == "" {
		opAction = DefaultAction
	}
	if len(n.post) == 0 && len(n.cases) == 0 && n.action == nil && n.vars == nil {
		r.clearLastError(f)
		r.leave(nr, opAction, "")
		return
	}
	r.enter(f)
	r.seeRun(nr, nil)
	r.scope.Set("prep", nr.prep)
	r.scope.Set("result", result)
	r.scopeOfEnd(nr.attempts(), opAction)
	if n.vars != nil {
		if err := r.evaluateVars(n.vars); err != nil {
			r.nodeFailed(nr, newFailure(err))
			return
		}
	}
	writes, err := r.evaluatePost(n.post)
	if err != nil {
		r.nodeFailed(nr, newFailure(err))
		return
	}
	undo := r.write(f, n, writes)
	action, because, err := r.chooseAction(n, opAction)
	if err != nil {
		f.undo(undo)
		r.nodeFailed(nr, newFailure(err))
		return
	}
	r.clearLastError(f)
	r.leave(nr, action, because)
}

// evaluateVars computes what post and action share. The record is no value itself, so that one serves all nodes.
func (r *Run) evaluateVars(vars []Binding) *fault.Error {
	if r.vars == nil {
		r.vars = map[string]any{}
		r.scope.Set("vars", r.vars)
	}
	clear(r.vars)
	for _, b := range vars {
		v, err := b.Expr.Eval(r.scope)
		if err != nil {
			return within("vars."+b.Name, err)
		}
		r.vars[b.Name] = v
	}
	return nil
}

// scopeOfEnd sets what post and action see of how the op ended, which is mostly the same from node to node.
func (r *Run) scopeOfEnd(attempts int, action string) {
	if attempts != r.attemptInScope {
		r.attemptInScope = attempts
		r.scope.Set("attempt", attempts)
	}
	if action != r.actionInScope {
		r.actionInScope = action
		r.scope.Set("action", action)
	}
}

// evaluatePost gives the values to write, checked against the types of their keys. The slice is valid until the next
// call.
func (r *Run) evaluatePost(post []write) ([]any, *fault.Error) {
	values := r.values[:0]
	for i := range post {
		w := &post[i]
		v, err := w.Expr.Eval(r.scope)
		if err == nil {
			if v, err = w.key.fit(v); err != nil {
				err = raise(w.Expr, err)
			}
		}
		if err != nil {
			return nil, within(w.Name, err)
		}
		values = append(values, v)
	}
	r.values = values
	return values, nil
}

// oldValue is what a write replaced.
type oldValue struct {
	key string
	v   any
	was bool
}

// write makes the writes of a node visible, all at once, and gives what undoes them: choosing the action sees the
// store after post and may still fail. The slice is valid until the next call.
func (r *Run) write(f *frame, n *node, values []any) []oldValue {
	old := r.old[:0]
	mayFail := n.action != nil || len(n.cases) > 1
	for i := range n.post {
		key := n.post[i].Name
		if mayFail {
			v, was := f.store[key]
			old = append(old, oldValue{key, v, was})
		}
		f.store[key] = values[i]
	}
	r.old = old
	return old
}

func (f *frame) undo(old []oldValue) {
	for _, o := range old {
		if o.was {
			f.store[o.key] = o.v
		} else {
			delete(f.store, o.key)
		}
	}
}

// chooseAction names the action of a node that succeeded, and the condition that decided it.
func (r *Run) chooseAction(n *node, opAction string) (action, because string, failed *fault.Error) {
	if n.action != nil {
		v, err := n.action.Eval(r.scope)
		if err != nil {
			return "", "", within("action", err)
		}
		action, ok := v.(string)
		if !ok || action == "" {
			return "", "", within("action", raise(n.action, fault.New(fault.Type, "want a string that is not empty, got %s", value.Describe(v))))
		}
		return action, "", nil
	}
	for i := range n.cases {
		c := &n.cases[i]
		if c.test == nil {
			return c.action, "", nil
		}
		ok, err := c.test.Test(r.scope)
		if r.observe != nil {
			r.decided.add(r.scope, c, n.vars, ok)
		}
		if err != nil {
			return "", "", within("the condition of action "+c.action, err)
		}
		if ok {
			return c.action, c.source, nil
		}
	}
	return opAction, "", nil
}

func (r *Run) clearLastError(f *frame) {
	if f.caught {
		f.store[lastError], f.caught = nil, false
	}
}

// nodeFailed takes the error of prep, exec, fallback, post or action: to the catch edge if there is one and the error
// may be caught, else it ends the frame.
func (r *Run) nodeFailed(nr *nodeRun, err *failure) {
	f, n := nr.f, nr.node
	err.locate(r, nr)
	nr.failed = err
	nr.closeBooks()
	if n.catch == "" || err.Kind.Final() || f.stopping {
		f.fail(err)
		r.recordStep(nr, -1, "")
		r.retire(nr)
		r.stopFrame(f, err)
		r.settleFrame(f)
		return
	}
	if f.keeps.errors {
		opened(nr.booksOf()).note(err, f.steps, caught)
	}
	last := map[string]any{"kind": string(err.Kind), "message": err.Message, "node": n.id, "attempts": nr.attempts()}
	if n.errorTo != "" {
		f.store[n.errorTo] = map[string]any{"error": last}
	} else {
		f.store[lastError], f.caught = last, true
	}
	r.leave(nr, n.catch, "caught "+string(err.Kind)+": "+err.Message)
}

// leave records the step and takes the edge.
func (r *Run) leave(nr *nodeRun, action, because string) {
	f, n := nr.f, nr.node
	if f.dag == nil {
		to, ok := n.next[action]
		if !ok {
			to = n.catchAll
		}
		switch to {
		case toEnd:
			f.action = action
		case noRoute: // the static checks leave only an op that returns what it did not declare
			err := newFailure(fault.New(fault.Failure, "node %q returned the action %q, which next does not route", n.id, action))
			err.locate(r, nr)
			f.fail(err)
		default:
			r.enqueue(f, to)
		}
	}
	r.recordStep(nr, r.actions.of(action), because)
	r.retire(nr)
	if f.dag != nil {
		r.decideEdges(f, int(nr.index), action)
	}
	r.settleFrame(f)
}

// retire takes a visit out of its frame.
func (r *Run) retire(nr *nodeRun) {
	f := nr.f
	nr.settled = true
	f.live--
	if nr.idle {
		nr.idle = false
		f.parked--
	}
	for i, other := range f.active {
		if other == nr {
			f.active = append(f.active[:i], f.active[i+1:]...)
			break
		}
	}
	if nr.node.mode == modeOp { // nothing else can hold it: its one exec has answered
		r.spare = append(r.spare, nr)
	}
}

// enter sets the store and the params that expressions see.
func (r *Run) enter(f *frame) {
	if r.inScope != f {
		r.inScope = f
		r.scope.Set("store", f.store)
		r.scope.Set("params", f.flow.params)
	}
}

// attempts is how many attempts the visit took: of map and parallel the most that one unit took.
func (nr *nodeRun) attempts() int {
	most := 0
	for i := range nr.units {
		most = max(most, nr.units[i].attempts)
	}
	return most
}

func (r *Run) recordStep(nr *nodeRun, action int32, because string) {
	f := nr.f
	if nr.visit == 0 {
		return // a limit kept the visit from beginning
	}
	out := &f.records
	if f.dag != nil {
		out = &f.dag.records[nr.index]
	}
	for i := range nr.units {
		*out = append(*out, nr.units[i].records...)
	}
	rec := record{
		frame: f.info, node: int32(nr.index), action: action,
		visit: nr.visit, attempts: int32(nr.attempts()),
		started: nr.started, took: r.now - nr.started,
	}
	*out = append(*out, rec)
	if r.observe != nil {
		r.observe(r.transition(rec, nr, because))
	}
	if r.trace != nil {
		r.trace.Ended(r.traced(nr, action))
	}
	r.tellEnded(nr, action)
}

// failure is an error on its way up, with the innermost node it came from.
type failure struct {
	*fault.Error
	node     string // the step's name in the whole run
	place    diag.Place
	attempts int

	path    string // the node it came from, as run.errors of the frame that has it names it
	attempt int    // which of that node's
	noted   bool   // it stands in the books
}

func newFailure(err *fault.Error) *failure { return &failure{Error: err} }

// locate names the node of an error that has none yet.
func (e *failure) locate(r *Run, nr *nodeRun) {
	if e.path == "" {
		e.path, e.attempt = nr.node.id, nr.attempts()
	}
	if e.node == "" {
		e.node, e.place, e.attempts = r.stepName(nr.f.info, int32(nr.index), nr.visit), nr.node.place, nr.attempts()
		if e.Place.Line > 0 && e.Path == "" {
			e.place = e.Place
		}
	}
}
