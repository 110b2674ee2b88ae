package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/value"
)

// bindValuesOp gives inputs of steps the values of a request.
func bindValuesOp(d Deps) engine.Op {
	return engine.Op{
		Name:       "bind-values",
		Summary:    "Gives the inputs of a draft's steps the values that a request has for them; what they were given before is forgotten.",
		Prep:       []engine.Field{composeRequest, composeInterfaces, composeNow, composeDraft},
		Result:     value.Object,
		ResultDoc:  "the draft: given of each step is {input: {value, start, end}}, taken the places of the request that gave a value: [{start, end, key, anyway}], anyway: it is the default",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: bind-values-example
version: 1
description: Give a step its value.
state:
  request: {type: string, default: resize photo.png}
  tools:
    type: array
    default:
    - {name: resize, description: Resize an image., inputs: [{key: image_path, type: string, required: true}], outputs: []}
  draft: {type: object, default: {steps: [{id: resize, component: resize, start: 0, end: 16}]}}
nodes:
  bind:
    op: bind-values
    prep: {request: store.request, interfaces: store.tools, draft: store.draft}
    post: {draft: result}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				ground, draft, err := d.drafted(ctx, in)
				if err != nil {
					return engine.Output{}, err
				}
				if draft, err = ground.Bind(ctx, draft); err != nil {
					return engine.Output{}, err
				}
				return engine.Output{Result: draft.Plain()}, nil
			}
		},
	}
}
