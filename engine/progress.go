package engine

import (
	"context"
	"time"

	"pflow/internal/fault"
)

// Progress is one thing that a run tells of a visit while it goes on, for whoever looks at it. A run that goes on tells first
// what happened before.
type Progress struct {
	Kind  ProgressKind
	Step  string // its name in the whole run
	Visit int
	At    time.Duration // since the run began
	Op    string        // that the node runs; "" of one that runs a flow, or of branches

	Units  int // ProgressBegan: the items of map, the branches of parallel; -1 of any other node
	Rounds int // ProgressBegan: how many rounds a node that repeats has at most

	Index    string // of an item or a branch, as Attempt has it
	Attempt  int    // ProgressAttempt: which one begins; ProgressRetry: which one failed
	Attempts int    // how many there are at most

	Failed fault.Kind // ProgressRetry, ProgressUnit, ProgressEnded: why it failed; "": it did not
	Action string     // ProgressEnded: with which it ended; "" if no edge took the failure
	Kept   bool       // ProgressUnit, ProgressEnded: nothing was done for it, what it gave is known of another run
}

// ProgressKind says what happened to a visit.
type ProgressKind uint8

// The kinds of progress.
const (
	ProgressBegan   ProgressKind = iota + 1 // its turn has come
	ProgressAttempt                         // of it, or of an item or a branch of it, begins
	ProgressRetry                           // an attempt failed, and another one follows after a wait
	ProgressHeld                            // it waits for approval
	ProgressUnit                            // an item or a branch of it ended
	ProgressEnded
	ProgressSkipped // no edge that leads there was taken
)

// tell tells of a visit.
func (r *Run) tell(nr *nodeRun, p Progress) {
	if r.progress == nil {
		return
	}
	p.Step, p.Visit, p.At = r.stepName(nr.f.info, int32(nr.index), nr.visit), nr.f.flow.visit(nr.visit), r.now
	if specs := nr.node.units; len(specs) == 1 && specs[0].op != nil {
		p.Op = specs[0].op.Name
	}
	r.progress(p)
}

// tellBegan tells of a visit that begins.
func (r *Run) tellBegan(nr *nodeRun) {
	if r.progress == nil {
		return
	}
	p := Progress{Kind: ProgressBegan, Units: -1}
	if mode := nr.node.mode; mode == modeMap || mode == modeParallel {
		p.Units = len(nr.units)
	}
	if nr.node.repeats {
		p.Rounds = nr.node.settings.Rounds
	}
	r.tell(nr, p)
}

// tellUnit tells of an attempt of a visit, or of the end of an item or a branch.
func (r *Run) tellUnit(u *unit, kind ProgressKind, failed *failure) {
	if r.progress == nil {
		return
	}
	mode := u.nr.node.mode
	if kind == ProgressUnit && mode != modeMap && mode != modeParallel {
		return
	}
	p := Progress{Kind: kind, Index: u.indexName(), Attempt: u.attempts, Attempts: max(1, u.nr.node.retry.attempts), Kept: u.kept != ""}
	if failed != nil {
		p.Failed = failed.Kind
	}
	r.tell(u.nr, p)
}

// tellEnded tells of a visit that ended.
func (r *Run) tellEnded(nr *nodeRun, action int32) {
	if r.progress == nil {
		return
	}
	p := Progress{Kind: ProgressEnded, Attempt: nr.attempts(), Attempts: max(1, nr.node.retry.attempts), Kept: len(nr.units) > 0}
	switch {
	case nr.failed == nil:
	case nr.f.stopping: // for what happened elsewhere
		p.Failed = fault.Cancelled
	default:
		p.Failed = nr.failed.Kind
	}
	if action >= 0 {
		p.Action = r.actions.names[action]
	}
	for i := range nr.units {
		p.Kept = p.Kept && nr.units[i].kept != ""
	}
	r.tell(nr, p)
}

// tellSkipped tells of a node of a dag that is never visited.
func (r *Run) tellSkipped(f *frame, node int) {
	if r.progress != nil {
		r.progress(Progress{Kind: ProgressSkipped, Step: r.stepName(f.info, int32(node), 0), At: r.now})
	}
}

type stepKey struct{}

// StepOf names the step whose attempt a context is of, as Progress does; "" of one that is of none, or of an op that is
// instant.
func StepOf(ctx context.Context) string {
	if u, ok := ctx.Value(stepKey{}).(located); ok {
		return u.stepName()
	}
	return ""
}

// IndexOf names the item or the branch of its step that the attempt of a context is of, as Progress does; "" of one that has
// none.
func IndexOf(ctx context.Context) string {
	if u, ok := ctx.Value(stepKey{}).(located); ok {
		return u.indexName()
	}
	return ""
}
