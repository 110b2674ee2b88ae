package workflow

import (
	"context"
	"regexp"
	"strings"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/ir"
)

// GateSuffix ends the name of the step that waits for the approval of a node. No node id has a colon.
const GateSuffix = ":approval"

// gatedKey names what a gate's prep holds: the params of the node behind it.
const gatedKey = "params"

// gate is the step before a node that wants approval. It asks, or ends as waiting; resuming the run performs it again.
func (c *compiler) gate(n *ir.Node) engine.DAGNode {
	return engine.DAGNode{
		ID:   n.ID + GateSuffix,
		Prep: []engine.Binding{{Name: gatedKey, Expr: c.behind(n)}},
		Op:   &engine.Op{Name: "approval", Asks: "approval", Idempotent: true},
		Exec: func(ctx context.Context, in engine.Input) (engine.Output, error) {
			node := strings.TrimSuffix(in.Step(), GateSuffix)
			if running(ctx).approves(ctx, Approval{Node: node, Type: n.Type, Params: gated(in.Prep)}) {
				return engine.Output{Result: map[string]any{"approved": true}}, nil
			}
			return engine.Output{Waits: node}, ctx.Err()
		},
	}
}

// behind is what the node behind a gate would get, as far as it can be told: of a batch also its items.
func (c *compiler) behind(n *ir.Node) gatedParams {
	out := gatedParams{params: c.params(n, n.Params, c.env.Catalogue.Get(n.Type), nil)}
	if n.Batch != nil {
		out.items, _ = ir.Compile(n.Batch.Items)
		out.reads = capture{}
		c.read(out.reads, out.items, n, false)
	}
	return out
}

// gatedParams gives the params of a node before its turn.
type gatedParams struct {
	params *params
	items  *ir.Param // nil of what is no batch
	reads  capture   // of items
}

// Eval implements engine.Evaluator.
func (g gatedParams) Eval(s *cond.Scope) (any, error) {
	store, _ := s.Get("store").(map[string]any)
	out := map[string]any{}
	known := g.params.reads.known(store, nil)
	for i := range g.params.list {
		q := &g.params.list[i]
		if g.later(q) {
			out[q.key], _ = q.value.Partial(known)
		} else if v, err := q.value.Resolve(known); err == nil {
			out[q.key] = v
		} else {
			out[q.key] = q.raw
		}
	}
	if g.items != nil {
		out[batchItems], _ = g.items.Partial(g.reads.known(store, nil))
	}
	return out, nil
}

// later reports whether a param reads what only an item or a round of the node has.
func (g *gatedParams) later(q *param) (later bool) {
	q.value.Walk(func(_ string, e *ir.Expr) {
		for _, alt := range e.Alts {
			if alt.Ref != nil && g.params.reads[alt.Ref.Root].kind >= fromItem {
				later = true
			}
		}
	})
	return later
}

// batchItems is what the items of a batch are called beside the params of its node.
const batchItems = "batch.items"

// gated reads the params of a node off the prep of its gate.
func gated(prep map[string]any) map[string]any {
	params, _ := prep[gatedKey].(map[string]any)
	return params
}

// visited is what a step's name says beside its node's: the visit, the item and the round of it and of what is around it.
var visited = regexp.MustCompile(`#\d+|\[\d+\]`)

// declaredName is the name of the node behind a step: outer/inner of outer[3]#2/inner.
func declaredName(step string) string { return visited.ReplaceAllString(step, "") }

// approval is what a run waits for.
func (p *Program) approval(w engine.Hold) Approval {
	out := Approval{Node: w.For, Params: gated(w.Prep)}
	declared := declaredName(w.For)
	for _, a := range p.Approvals {
		if a.Node == declared && !a.Destructive {
			out.Type = a.Type
			break
		}
	}
	return out
}
