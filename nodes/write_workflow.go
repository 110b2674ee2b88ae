package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/value"
)

// writeWorkflowOp writes a draft as a document.
func writeWorkflowOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "write-workflow",
		Summary: "Writes a draft as a workflow: each value of the request is an input of it, so that it serves the next request, too.",
		Prep: []engine.Field{
			composeRequest, composeInterfaces, composeNow, composeDraft,
			{Name: "stdin", Type: value.Any, Doc: "piped text; an input that the request has no value for then takes what is piped in"},
		},
		Result:     value.Object,
		ResultDoc:  "{workflow: the IR, templatized: the request with {key} for its values, title: its words in kebab case}",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: write-workflow-example
version: 1
description: Write a workflow of one step.
state:
  request: {type: string, default: resize photo.png}
  tools:
    type: array
    default:
    - {name: resize, description: Resize an image., inputs: [{key: image, type: string, required: true}], outputs: [{key: image, type: string}]}
  draft:
    type: object
    default: {steps: [{id: resize, component: resize, start: 0, end: 16, given: {image: {value: photo.png, start: 7, end: 16}}}]}
  workflow: {type: any, default: null}
nodes:
  write:
    op: write-workflow
    prep: {request: store.request, interfaces: store.tools, draft: store.draft}
    post: {workflow: result.workflow}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				ground, draft, err := d.drafted(ctx, in)
				if err != nil {
					return engine.Output{}, err
				}
				w, templatized, title := ground.Write(ctx, draft, in.Prep["stdin"] != nil)
				plain, err := w.Plain()
				if err != nil {
					return engine.Output{}, err
				}
				return engine.Output{Result: map[string]any{"workflow": plain, "templatized": templatized, "title": title}}, nil
			}
		},
	}
}
