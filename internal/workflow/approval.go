package workflow

import (
	"context"
	"regexp"
	"strings"

	"pflow/engine"
	"pflow/ir"
)

// gateSuffix names the step that waits for the approval of a node. No node id has a colon.
const gateSuffix = ":approval"

// gate is the step before a node that wants approval. It asks, or ends as waiting; resuming the run performs it again.
func (c *compiler) gate(n *ir.Node) engine.DAGNode {
	return engine.DAGNode{
		ID: n.ID + gateSuffix,
		Op: &engine.Op{Name: "approval", Asks: "approval", Idempotent: true},
		Exec: func(ctx context.Context, in engine.Input) (engine.Output, error) {
			node := strings.TrimSuffix(in.Step(), gateSuffix)
			if running(ctx).approves(ctx, Approval{Node: node, Type: n.Type}) {
				return engine.Output{Result: map[string]any{"approved": true}}, nil
			}
			return engine.Output{Waits: node}, ctx.Err()
		},
	}
}

// visited is what a step's name says beside its node's: the visit, the item and the round of it and of what is around it.
var visited = regexp.MustCompile(`#\d+|\[\d+\]`)

// declaredName is the name of the node behind a step: outer/inner of outer[3]#2/inner.
func declaredName(step string) string { return visited.ReplaceAllString(step, "") }

// approval is what a run waits for, by the name of the step.
func (p *Program) approval(node string) Approval {
	declared := declaredName(node)
	for _, a := range p.Approvals {
		if a.Node == declared && !a.Destructive {
			return Approval{Node: node, Type: a.Type}
		}
	}
	return Approval{Node: node}
}
