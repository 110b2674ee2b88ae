package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/value"
)

// findUnmetOp says what a draft leaves undone.
func findUnmetOp(d Deps) engine.Op {
	return engine.Op{
		Name: "find-unmet",
		Summary: "Says what of a request a draft leaves undone where a step changes something: a clause without a step, a value that nothing takes, a " +
			"word that another component knows, what is not to be done.",
		Prep:       []engine.Field{composeRequest, composeInterfaces, composeNow, composeDraft},
		Result:     value.String,
		ResultDoc:  "what is left undone, as a message says it; empty if nothing is known to be",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: find-unmet-example
version: 1
description: See that a draft leaves something undone.
state:
  request: {type: string, default: "delete a.txt, but not b.txt"}
  tools:
    type: array
    default:
    - {name: delete, description: Delete a file., inputs: [{key: file_path, type: string, required: true}], outputs: [], effects: [destructive]}
  draft: {type: object, default: {steps: [{id: delete, component: delete, start: 0, end: 27}]}}
  unmet: {type: string, default: ""}
nodes:
  find:
    op: find-unmet
    prep: {request: store.request, interfaces: store.tools, draft: store.draft}
    post: {unmet: result}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				ground, draft, err := d.drafted(ctx, in)
				if err != nil {
					return engine.Output{}, err
				}
				return engine.Output{Result: ground.Unmet(ctx, draft)}, nil
			}
		},
	}
}
