package engine

import (
	"context"
	"time"

	"pflow/internal/fault"
)

// Tracer follows runs for whoever looks at them from outside. A context hands it to every run that Execute begins in it, and so
// to those that the steps of a run begin.
type Tracer interface {
	// Run is told of a run that begins or goes on in ctx; nil: it is not followed.
	Run(ctx context.Context, r TracedRun) RunTracer
}

// TracedRun is a run that is followed.
type TracedRun struct {
	ID       string // "" of one that has none
	Flow     string // its name
	Workflow bool   // its nodes run components
	Began    time.Time
	Events   int // that happened before: 0 of a run that begins, and does not go on
}

// RunTracer follows one run. It is called by one goroutine, holds nothing up, and keeps nothing of what it is given longer than it must.
type RunTracer interface {
	// Within gives the context for what an attempt does. Attempts of ops that are instant do nothing of their own.
	Within(ctx context.Context, p Part) context.Context
	// Failed is told of an attempt that failed, whatever follows it.
	Failed(p Part, attempt int, at time.Duration, err *fault.Error)
	// Ended is told of a part of the run that ended, before it is told of what that is a part of.
	Ended(t Traced)
	// Done is told how the run ended, or how far it came; err is why it could not go on, and then there is no result.
	Done(at time.Duration, res *Result, err error)
}

// Part is a part of a run: a visit of a node, or one item or branch of it. A run that goes on has the same parts as the one that
// it goes on with. The zero Part is the run itself.
type Part struct {
	Frame, Node, Visit int32
	Unit               int32 // of an item or a branch its place, from 1; 0: the whole visit
}

// Traced is a part of a run that ended.
type Traced struct {
	Part
	In       Part // what it is a part of
	Name     string
	Node     string // within what it is in: the node's id
	Index    string // the item's index or the branch's name, "" of a whole visit
	Op       string // what it runs; "" of one that runs a flow, or of branches
	Tool     string // the component that it runs, "" if it is none
	Flow     string // the name of the flow that it runs
	Workflow bool   // the nodes of that flow run components
	Items    int    // how many items or branches it has
	Attempts int
	Kept     string        // the run whose outcome it has: nothing was done for it in this one
	Began    time.Duration // since the run began
	Took     time.Duration
	Action   string       // "" if it failed
	Err      *fault.Error // of one that failed, also if the error was caught
}

type tracerKey struct{}

// WithTracer has the runs that are begun in a context followed.
func WithTracer(ctx context.Context, t Tracer) context.Context {
	return context.WithValue(ctx, tracerKey{}, t)
}

// follow begins to follow the run, if somebody wants to. What happened before was told before.
func (d *driver) follow(began time.Time, events int) {
	t, ok := d.ctx.Value(tracerKey{}).(Tracer)
	if !ok {
		return
	}
	d.run.trace = t.Run(d.ctx, TracedRun{ID: d.o.RunID, Flow: d.run.flow.Name, Workflow: d.run.flow.dag != nil, Began: began, Events: events})
}

// within is the context of an attempt.
func (d *driver) within(e *exec) context.Context {
	if d.run.trace == nil || e.Op().Instant {
		return d.ctx
	}
	return d.run.trace.Within(d.ctx, e.unit.part())
}

// traceDone tells how the run ended.
func (d *driver) traceDone(res *Result, err error) {
	if d.run.trace != nil {
		d.run.trace.Done(d.now(), res, err)
	}
}

func (nr *nodeRun) part() Part {
	return Part{Frame: nr.f.info, Node: int32(nr.index), Visit: nr.visit}
}

// part is the part of a run that a unit is: of most nodes the visit.
func (u *unit) part() Part {
	p := u.nr.part()
	if mode := u.nr.node.mode; mode == modeMap || mode == modeParallel {
		p.Unit = int32(u.index) + 1
	}
	return p
}

// traced is what is told of a visit that ended.
func (r *Run) traced(nr *nodeRun, action int32) Traced {
	t := Traced{
		Part: nr.part(), Name: r.stepName(nr.f.info, int32(nr.index), nr.visit), Node: nr.node.id,
		Attempts: nr.attempts(), Began: nr.started, Took: r.now - nr.started,
	}
	if parent := nr.f.parent; parent != nil {
		t.In = parent.part()
	}
	switch nr.node.mode {
	case modeMap, modeParallel:
		t.Items = len(nr.units)
	default:
		t.runs(&nr.node.units[0])
		if len(nr.units) > 0 {
			t.Kept = nr.units[0].kept
		}
	}
	if action >= 0 {
		t.Action = r.actions.names[action]
	}
	if nr.failed != nil {
		t.Err = nr.failed.Error
	}
	return t
}

// traceUnit tells of an item or a branch that ended.
func (r *Run) traceUnit(u *unit) {
	nr := u.nr
	if r.trace == nil || nr.node.mode != modeMap && nr.node.mode != modeParallel {
		return
	}
	t := Traced{Part: u.part(), In: nr.part(), Name: u.stepName(), Node: nr.node.id, Index: u.indexName(), Attempts: u.attempts, Began: u.began, Took: r.now - u.began}
	t.runs(u.spec)
	t.Kept = u.kept
	if u.err != nil {
		t.Err = u.err.Error
	} else if t.Action = u.action; t.Action == "" {
		t.Action = DefaultAction
	}
	r.trace.Ended(t)
}

func (t *Traced) runs(spec *unitSpec) {
	switch {
	case spec.flow != nil && spec.flow.loop: // its rounds say what they run
	case spec.flow != nil:
		t.Flow, t.Workflow = spec.flow.Name, spec.flow.dag != nil
	case spec.op != nil:
		t.Op, t.Tool = spec.op.Name, spec.op.Tool
	}
}
