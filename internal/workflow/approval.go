package workflow

import (
	"context"

	"pflow/engine"
	"pflow/ir"
)

// gateSuffix names the step that waits for the approval of a node. No node id has a colon.
const gateSuffix = ":approval"

// gate is the step before a node that wants approval.
func (c *compiler) gate(n *ir.Node) engine.DAGNode {
	name := n.ID
	if c.name != "" && c.depth > 0 {
		name = c.name + "/" + n.ID
	}
	return engine.DAGNode{
		ID: n.ID + gateSuffix,
		Op: &engine.Op{Name: "approval", Idempotent: true},
		Exec: func(ctx context.Context, _ engine.Input) (engine.Output, error) {
			r := running(ctx)
			if r.approve != nil && r.approve(ctx, Approval{Node: name, Type: n.Type}) {
				return engine.Output{Result: map[string]any{"approved": true}}, nil
			}
			return engine.Output{}, r.pause(ctx, name)
		},
	}
}

// destructive reports whether a node may destroy what is there: by what its type says of its params, else by its
// component's effects.
func (c *compiler) destructive(n *ir.Node, i *ir.Interface) bool {
	if t := c.env.Types[n.Type]; t.Destroys != nil {
		return t.Destroys(n.Params)
	}
	return i.Has(ir.Destructive)
}
