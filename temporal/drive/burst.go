package drive

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"pflow/engine"
	"pflow/engine/journal"
)

// A burst runs instant ops one after the other, those too that follow from their outcomes, until none is left. The history
// keeps all that they gave as one marker, so that a replay, by another release too, reads what the ops gave then and
// runs none of them again. A burst is bounded: a marker has a size, and a workflow task a time.
const (
	burstBytes = 200 << 10
	burstTime  = 500 * time.Millisecond
)

// burst runs all instant ops that are queued.
func (d *driver) burst() {
	for len(d.instant) > 0 && !d.run.Done() {
		var rest []engine.Command
		ran := false
		var texts []byte
		_ = workflow.SideEffect(d.ctx, func(workflow.Context) any {
			ran = true
			var out [][]byte
			began, size := time.Now(), 0
			for len(d.instant) > 0 && size < burstBytes && (len(out) == 0 || time.Since(began) < burstTime) {
				text := d.instantOutcome()
				out, size = append(out, text), size+len(text)
				rest = append(rest, d.stepText(text)...)
			}
			return bytes.Join(out, []byte("\n"))
		}).Get(&texts)
		if !ran {
			for text := range bytes.SplitSeq(texts, []byte("\n")) {
				d.instant = d.instant[1:]
				rest = append(rest, d.stepText(text)...)
			}
		}
		d.carryOut(rest)
		if len(d.instant) > 0 { // another task goes on with it
			_ = workflow.Sleep(d.ctx, time.Millisecond)
		}
	}
}

// queued is an instant op that is to be run in workflow code.
type queued struct {
	engine.Command
	stopped bool
}

// instantOutcome runs the first instant op of the queue, and gives its outcome.
func (d *driver) instantOutcome() []byte {
	c := d.instant[0]
	d.instant = d.instant[1:]
	var ev engine.Event
	name, _, _ := c.Step()
	switch {
	case c.stopped:
		ev = stopped()
	case c.Op().Asks == "approval" && d.approves(name):
		ev = engine.Event{Kind: engine.EventOutcome, Result: approval()}
	default:
		c.Perform(context.Background(), d.run, &ev)
	}
	ev.ID, ev.At = c.ID, workflow.Now(d.ctx).Sub(d.zero)
	return journal.AppendEvent(nil, ev)
}

// approves reports whether a step that asks was approved before.
func (d *driver) approves(step string) bool {
	return d.start.Yes || slices.Contains(d.approved, gated(step))
}

// gated is the node behind a gate, the step that waits for its approval.
func gated(step string) string { return strings.TrimSuffix(step, ":approval") }

// approval is what a gate gives once it is open.
func approval() map[string]any { return map[string]any{"approved": true} }
