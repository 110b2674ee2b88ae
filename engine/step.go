package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"pflow/engine/cond"
	"pflow/internal/fault"
)

// EventKind says what happened to a run.
type EventKind uint8

// The kinds of events.
const (
	EventStart   EventKind = iota + 1 // Time, Seed, Input
	EventOutcome                      // ID, Result and Action, or Err, or Waits; Meters
	EventTimer                        // ID
	EventApprove                      // ID of an attempt that waits, Result and Action: what it gives, now that it is approved
	EventCancel
)

// Event is one thing that happened to a run. A run is the list of its events: stepping through the same list gives the
// same commands and the same end, whoever does it and whenever.
type Event struct {
	Kind EventKind
	At   time.Duration // since the run began
	ID   int           // of the command that it answers

	Time  time.Time // the instant the run began
	Seed  uint64    // of the jitter of waits
	Input map[string]any

	Result any    // normalised
	Waits  string // what the attempt waits for the approval of
	Action string
	Err    *fault.Error
	Meters map[string]float64

	Kept   any // what the journal keeps in the place of Result; nil: Result
	Unkept []string

	From string // the run whose outcome this is: nothing was carried out; "": this one
}

// CommandKind says what the driver is to do.
type CommandKind uint8

// The kinds of commands.
const (
	CommandExec CommandKind = iota + 1 // run one attempt of an op and answer with EventOutcome
	CommandWait                        // answer with EventTimer after For
	CommandStop                        // end the exec or the wait ID early; an exec still answers, a wait does not
	CommandDone                        // the run has ended: Result tells how
)

// Command is what a step asks of the driver.
type Command struct {
	Kind CommandKind
	ID   int
	For  time.Duration // of a wait; of an exec the longest it may take, 0 for no bound
	// Running waits only count the time during which a process works on the run: they are budgets, while other waits
	// pass for a killed run, too.
	Running bool

	unit *unit // of an exec
}

// Op is the op that an exec runs.
func (c *Command) Op() *Op { return c.unit.spec.op }

// Step names the step of an exec in the whole run; attempt counts from 1.
func (c *Command) Step() (name string, visit, attempt int) {
	nr := c.unit.nr
	return c.unit.stepName(), nr.f.flow.visit(nr.visit), c.unit.attempts
}

// Index is the item's index, or the branch's name, of an exec inside map or parallel; "" elsewhere.
func (c *Command) Index() string { return c.unit.indexName() }

func (u *unit) indexName() string {
	switch u.nr.node.mode {
	case modeMap:
		return strconv.Itoa(u.index)
	case modeParallel:
		return u.spec.name
	}
	return ""
}

// Perform runs the attempt of an exec and makes ev its outcome.
func (c *Command) Perform(ctx context.Context, r *Run, ev *Event) {
	u := c.unit
	in := Input{at: u, Prep: u.prep, Params: u.nr.f.flow.params, Attempt: u.attempts, Now: r.start, Run: u.run}
	if len(u.spec.op.Meters) > 0 {
		in.Limited = u.nr.f.limited
	}
	perform(ctx, u.spec, in, c.For, ev)
	ev.ID = c.ID
}

// tooLate is the fault of an attempt that took longer than it may.
func tooLate(within time.Duration, details map[string]any) *fault.Error {
	return &fault.Error{Kind: fault.Timeout, Message: fmt.Sprintf("no result within %v", within), Details: details}
}

// Run is the state of one run of a flow: what its events so far have made of it.
type Run struct {
	flow  *Flow
	now   time.Duration
	start time.Time
	seed  splitmix
	scope *cond.Scope

	root     *frame
	lastID   int
	execs    []*unit // under way, by id
	timers   map[int]timer
	held     []*unit // that wait for approval, by id
	approved []Event // approvals whose units wait for room
	ready    []place // nodes to start, in order
	cmds     []Command
	done     bool
	outcome  failureOrAction

	inScope        *frame // whose store the expressions see
	attemptInScope int
	actionInScope  string
	spare          []*nodeRun // retired, to be used again
	values         []any      // of evaluatePost
	vars           map[string]any
	old            []oldValue // of write

	frames   []frameInfo // of the records
	actions  interned
	observe  func(Transition)
	progress func(Progress) // nil: nobody looks
	decided  decision       // of the edge that is chosen, for observe
	trace    RunTracer      // nil: nobody follows the run
}

// place is a node of a frame.
type place struct {
	f    *frame
	node int
}

// timer is what a wait was for: the next attempt of a unit, the bound on its attempt, or the bound on a frame.
type timer struct {
	retry   *unit
	attempt *unit
	frame   *frame
}

type failureOrAction struct {
	action string
	err    *failure
}

// NewRun makes a run that waits for EventStart. observe, if not nil, is told of every node that ends.
func NewRun(flow *Flow, observe func(Transition)) *Run {
	return &Run{flow: flow, timers: map[int]timer{}, observe: observe}
}

// Step takes a run one event on and returns what is to be done next; the commands are valid until the next call. It
// reads no clock, no random source and no channel and depends on no map's order. An event that answers nothing the run
// asked for is an error: the events are not of this flow.
func (r *Run) Step(ev *Event) ([]Command, error) {
	r.cmds = r.cmds[:0]
	if r.done {
		return nil, fmt.Errorf("the run has ended and takes no more events")
	}
	r.now = ev.At
	switch ev.Kind {
	case EventStart:
		r.begin(ev)
	case EventOutcome:
		u := r.answered(ev.ID)
		if u == nil {
			return nil, fmt.Errorf("no attempt %d is under way", ev.ID)
		}
		r.execDone(u, ev)
	case EventTimer:
		t, ok := r.timers[ev.ID]
		if !ok {
			return nil, fmt.Errorf("no wait %d is under way", ev.ID)
		}
		delete(r.timers, ev.ID)
		r.fire(t)
	case EventApprove:
		if r.heldAt(ev.ID) < 0 || r.isApproved(ev.ID) {
			return nil, fmt.Errorf("no attempt %d waits for approval", ev.ID)
		}
		r.approved = append(r.approved, *ev)
	case EventCancel:
		r.stopFrame(r.root, newFailure(fault.New(fault.Cancelled, "the run was cancelled")))
		r.settleFrame(r.root)
	}
	r.startReady()
	for len(r.approved) > 0 && r.goOnApproved() {
		r.startReady()
	}
	return r.cmds, nil
}

// answered takes the unit of an attempt off those that are under way; nil if there is none. Where one node runs at a time
// it is the only one.
func (r *Run) answered(id int) *unit {
	if len(r.execs) == 1 && r.execs[0].id == id {
		u := r.execs[0]
		r.execs = r.execs[:0]
		return u
	}
	i, ok := slices.BinarySearchFunc(r.execs, id, func(u *unit, id int) int { return u.id - id })
	if !ok {
		return nil
	}
	u := r.execs[i]
	r.execs = slices.Delete(r.execs, i, i+1)
	return u
}

func (r *Run) startReady() {
	for i := 0; i < len(r.ready); i++ { // grows while it runs
		r.startNode(r.ready[i])
	}
	r.ready = r.ready[:0]
}

// Done reports whether the run has ended.
func (r *Run) Done() bool { return r.done }

func (r *Run) begin(ev *Event) {
	r.start, r.seed = ev.Time, splitmix(ev.Seed)
	r.scope = cond.NewScope(ev.Time)
	r.scope.Set("attempt", r.attemptInScope)
	r.scope.Set("action", r.actionInScope)
	f, err := r.newFrame(nil, r.flow, "", ev.Input)
	r.root = f
	if err != nil {
		f.fail(newFailure(err))
		r.settleFrame(f)
	}
}

func (r *Run) newID() int {
	r.lastID++
	return r.lastID
}

func (r *Run) emit(c Command) { r.cmds = append(r.cmds, c) }

func (r *Run) wait(d time.Duration, running bool, t timer) int {
	id := r.newID()
	r.timers[id] = t
	r.emit(Command{Kind: CommandWait, ID: id, For: d, Running: running})
	return id
}

func (r *Run) stopWait(id int) {
	if _, ok := r.timers[id]; ok {
		delete(r.timers, id)
		r.emit(Command{Kind: CommandStop, ID: id})
	}
}

func (r *Run) fire(t timer) {
	switch {
	case t.retry != nil:
		t.retry.state = unitIdle
		if t.retry.attempts == 0 {
			t.retry.nr.started = r.now // a round begins where the pause before it ends
		}
		r.attempt(t.retry)
		r.settleNode(t.retry.nr)
	case t.attempt != nil:
		u, child := t.attempt, t.attempt.child
		u.wake()
		u.why = newFailure(fault.New(fault.Timeout, "no result within %v", u.nr.node.timeout))
		r.stopFrame(child, u.why)
		r.settleFrame(child)
	case t.frame != nil:
		f := t.frame
		r.stopFrame(f, newFailure(fault.New(fault.Limit, "the limit timeout (%v) of flow %q is reached", f.flow.limits.timeout, f.flow.Name)))
		r.settleFrame(f)
	}
}

// interned numbers strings, so that the records of steps hold no pointers.
type interned struct {
	index map[string]int32
	names []string
	last  int32 // the one that was asked for last: most often the one that is asked for next
}

func (t *interned) of(s string) int32 {
	if len(t.names) > 0 && t.names[t.last] == s {
		return t.last
	}
	t.last = t.add(s)
	return t.last
}

func (t *interned) add(s string) int32 {
	if i, ok := t.index[s]; ok {
		return i
	}
	if t.index == nil {
		t.index = map[string]int32{}
	}
	i := int32(len(t.names))
	t.index[s] = i
	t.names = append(t.names, s)
	return i
}
