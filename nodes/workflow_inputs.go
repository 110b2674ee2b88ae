package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// workflowInputsOp lists what a workflow needs.
func workflowInputsOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "workflow-inputs",
		Summary: "Lists the inputs of a workflow: those it declares, else those its templates imply. Secrets are left out: nobody plans with them.",
		Prep: []engine.Field{
			{Name: "workflow", Type: value.Any, Required: true, Doc: "the IR"},
		},
		Result:     value.Object,
		ResultDoc:  "{inputs: [{name, type, required, description, default?, from_stdin}] in the order of the document}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: workflow-inputs-example
version: 1
description: List the inputs of a workflow.
state:
  workflow: {type: any, default: {ir_version: 0.1.0, nodes: [{id: a, type: read-file}], inputs: {path: {type: string, required: true}}}}
  inputs:   {type: array, default: []}
nodes:
  list:
    op: workflow-inputs
    prep: {workflow: store.workflow}
    post: {inputs: result.inputs}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				w, found := ir.DecodeValue(in.Prep["workflow"])
				if err := found.Err(); err != nil {
					return engine.Output{}, fault.New(fault.InvalidRequest, "the workflow is invalid: %v", err)
				}
				return engine.Output{Result: map[string]any{"inputs": inputValuesOf(w, shelf.Catalogue)}}, nil
			}
		},
	}
}

// inputValuesOf lists the inputs of a workflow as values, but secrets.
func inputValuesOf(w *ir.Workflow, c *ir.Catalogue) []any {
	inputs := []any{}
	for _, i := range w.EffectiveInputs(c) {
		if i.Secret {
			continue
		}
		m := map[string]any{"name": i.Name, "type": string(i.Type), "required": i.Required, "description": i.Description, "from_stdin": i.FromStdin}
		if i.HasDefault {
			m["default"] = i.Default
		}
		inputs = append(inputs, m)
	}
	return inputs
}
