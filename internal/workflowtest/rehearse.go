package workflowtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// Rehearse runs a valid workflow with values that are made up, some in other ways than others, and reports what fails whatever
// they are. An error is a failure of a node that sees no such value, or one of types that is the same with all of them. What
// fails each time but may do with real values, whose content nobody knows here, is a note. Nothing is found of a workflow that
// cannot be run here, or whose run would take too long.
func Rehearse(ctx context.Context, w *ir.Workflow, env workflow.Env) (diag.List, error) {
	st, err := prepare(workflow.Source{Name: "the workflow", Workflow: w}, env, true, func(string) bool { return false }, func(string) bool { return false })
	if err != nil {
		return nil, nil // the validator says what is wrong with it; here it only cannot be run
	}
	r := &rehearsal{stage: st, w: w, sure: map[*ir.Node]*fault.Error{}, always: map[*ir.Node][]*fault.Error{}}
	for r.variant = 0; r.variant < variants; r.variant++ {
		again, err := r.once(ctx)
		if err != nil {
			return nil, err
		}
		if !again {
			break
		}
	}
	return r.findings(), nil
}

// rehearsal are runs of one workflow.
type rehearsal struct {
	*stage
	w       *ir.Workflow
	variant int
	sure    map[*ir.Node]*fault.Error   // failures of nodes that see nothing made up
	always  map[*ir.Node][]*fault.Error // of the others, one of each run
}

// once runs the workflow with one variant of values; again says whether others may tell more.
func (r *rehearsal) once(ctx context.Context) (again bool, err error) {
	r.fakes.variant = r.variant
	store, err := r.bind(workflow.Given{}, true)
	if err != nil {
		return false, nil
	}
	res, s, err := r.run(ctx, store, nil)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return false, nil // it takes too long
	}
	here := map[*ir.Node]*fault.Error{}
	for _, f := range s.failed {
		if n := r.outermost(f.node); n != nil && here[n] == nil {
			here[n] = f.err
		}
	}
	if res.Error != nil {
		if at := r.w.Node(outermostID(res.Error.Node)); at >= 0 {
			n := &r.w.Nodes[at]
			e := fault.New(fault.Kind(res.Error.Kind), "%s", res.Error.Message)
			if r.stage.certain[n].sees && !strings.Contains(res.Error.Node, "/") {
				r.sure[n] = e
				return false, nil
			}
			here[n] = e
		}
	}
	for n, e := range here {
		if len(r.always[n]) == r.variant {
			r.always[n] = append(r.always[n], e)
		}
	}
	return slices.ContainsFunc(r.nodes(), func(n *ir.Node) bool { return len(r.always[n]) == r.variant+1 }), nil
}

func (r *rehearsal) nodes() []*ir.Node {
	var out []*ir.Node
	for i := range r.w.Nodes {
		out = append(out, &r.w.Nodes[i])
	}
	return out
}

// outermost is a node of the workflow itself; nil for one of a workflow that it calls.
func (r *rehearsal) outermost(n *ir.Node) *ir.Node {
	if slices.Contains(r.nodes(), n) {
		return n
	}
	return nil
}

// outermostID is the id of the outermost node of a step.
func outermostID(step string) string {
	if at := strings.IndexAny(step, "/[#:"); at >= 0 {
		return step[:at]
	}
	return step
}

func (r *rehearsal) findings() diag.List {
	var out diag.List
	for i, n := range r.nodes() {
		e, all := r.sure[n], r.always[n]
		typed := e != nil && slices.Contains([]fault.Kind{fault.Type, fault.MissingKey, fault.InvalidRequest}, e.Kind)
		message := "in a run it fails: "
		if e == nil && len(all) == variants {
			e, typed, message = all[0], ofTypes(all), "in a run it fails whatever the nodes before it give: "
		}
		if e == nil || caught(r.w, n) {
			continue
		}
		f := diag.Finding{Severity: diag.Error, Kind: ir.FakeRun, Node: n.ID, Path: fmt.Sprintf("nodes[%d]", i), Message: message + e.Message}
		if !typed || raises(n) {
			f.Severity, f.Message = diag.Note, "with values that are made up it fails; it may do with real ones: "+e.Message
		}
		if e.Path != "" {
			f.Path += "." + e.Path
		}
		out = append(out, f)
	}
	return out
}

// ofTypes reports whether failures are one and come of the types of values, so that no value of these types would do.
func ofTypes(all []*fault.Error) bool {
	for _, e := range all {
		typed := e.Kind == fault.Type || e.Kind == fault.InvalidRequest && e.Place.Line > 0 // of an expression that does not compile for them
		if !typed || e.Message != all[0].Message {
			return false
		}
	}
	return true
}

// raises reports whether an expression of a node may raise a failure by itself: that is its author's, and may be of what values
// are.
func raises(n *ir.Node) bool {
	found := false
	value.EachText(n.Params, func(text string) { found = found || strings.Contains(text, "fail(") })
	return found
}

// caught reports whether a failure of a node does not fail the run.
func caught(w *ir.Workflow, n *ir.Node) bool {
	return n.Batch != nil && n.Batch.OnError == "continue" ||
		slices.ContainsFunc(w.Edges, func(e ir.Edge) bool { return e.From == n.ID && e.Action == ir.ActionError })
}
