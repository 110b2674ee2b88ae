package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/compose"
	"pflow/internal/value"
)

// wireStepsOp leads outputs to inputs.
func wireStepsOp(d Deps) engine.Op {
	return engine.Op{
		Name: "wire-steps",
		Summary: "Leads outputs of a draft's steps to inputs that have no value, by key, type and kind, and puts steps before for what no " +
			"earlier one gives.",
		Prep:   []engine.Field{composeRequest, composeInterfaces, composeNow, composeDraft},
		Result: value.Object,
		ResultDoc: "{draft, in which given may be {input: {step, output}}, needless: the ids of steps of the draft given that explain no word that others " +
			"do not explain and have no part in the flow of data: it is to be bound again without them}",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: wire-steps-example
version: 1
description: Lead an output to an input.
state:
  request: {type: string, default: "read a.txt, then count the words"}
  tools:
    type: array
    default:
    - {name: read, description: Read a file., inputs: [{key: file_path, type: string, required: true}], outputs: [{key: content, type: string}]}
    - {name: count, description: Count words., inputs: [{key: text, type: string, required: true}], outputs: [{key: words, type: integer}]}
  draft:
    type: object
    default:
      steps:
      - {id: read, component: read, start: 0, end: 10, given: {file_path: {value: a.txt, start: 5, end: 10}}}
      - {id: count, component: count, start: 12, end: 32}
  wired: {type: any, default: null}
nodes:
  wire:
    op: wire-steps
    prep: {request: store.request, interfaces: store.tools, draft: store.draft}
    post: {wired: result.draft}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				ground, draft, err := d.drafted(ctx, in)
				if err != nil {
					return engine.Output{}, err
				}
				draft, needless, err := ground.Wire(ctx, draft, compose.Shipped())
				if err != nil {
					return engine.Output{}, err
				}
				ids := make([]any, len(needless))
				for k, id := range needless {
					ids[k] = id
				}
				return engine.Output{Result: map[string]any{"draft": draft.Plain(), "needless": ids}}, nil
			}
		},
	}
}
