package nodes

import (
	"context"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// maxDepth bounds workflows that run workflows: one that runs itself must end.
const maxDepth = 16

// workflowType runs a saved workflow as one step.
func workflowType(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "workflow",
			Description: "Runs a saved workflow as one step and gives its outputs.",
			Inputs: []ir.Port{
				{Key: "inputs", Type: value.Object, Default: map[string]any{}, Description: "The saved workflow's inputs, by name."},
			},
			Params:      []ir.Port{{Key: "workflow", Type: value.String, Required: true, Description: "The saved workflow's name."}},
			OpenOutputs: true,
			Call:        &ir.Call{Name: "workflow", Inputs: "inputs"},
		},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			name := c.Text("workflow")
			switch {
			case name == "":
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "workflow is empty: give the name of a saved workflow")
			case c.Depth >= maxDepth:
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "workflows are nested more than %d deep, at %s: does one run itself?", maxDepth, quote(name))
			case d.RunWorkflow == nil:
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "workflow %s cannot be run here", quote(name))
			}
			inputs := c.Object("inputs")
			if inputs == nil {
				inputs = map[string]any{}
			}
			outputs, err := d.RunWorkflow(ctx, name, inputs, c.Depth+1)
			return nodetype.Outcome{Outputs: outputs}, err
		},
		Example: nodetype.Example{
			Params:  map[string]any{"workflow": "greet", "inputs": map[string]any{"name": "Ada"}},
			Outputs: map[string]any{"greeting": "Hello, Ada!"},
		},
	}
}
