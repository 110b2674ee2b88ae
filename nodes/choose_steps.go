package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/compose"
	"pflow/internal/value"
)

// chooseStepsOp ranks components for clauses.
func chooseStepsOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "choose-steps",
		Summary: "Ranks components for each clause of a request by words and values, and takes the best as steps, with what reads before them and writes behind them.",
		Prep: []engine.Field{
			composeRequest, composeInterfaces, composeNow,
			{Name: "clauses", Type: value.Array, Required: true, Doc: "[{start, end}] as split-clauses gives them"},
		},
		With: []engine.Field{
			{Name: "min_confidence", Type: value.Number, Default: compose.Shipped().Workflow, Doc: "below it nothing is taken to fit; from 0 to 1"},
			{Name: "min_step_confidence", Type: value.Number, Default: compose.Shipped().Step, Doc: "below it a clause of the request makes no step of its own"},
		},
		Result: value.Object,
		ResultDoc: "{draft: {steps: [{id, component, form?, start, end, given: {}}], skipped: [{start, end}] clauses that ask for something that nothing does, taken: []}, " +
			"null where nothing fits, reason, confidence, ranked: for each clause the best [{name, form?, confidence, reason}]}",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: choose-steps-example
version: 1
description: Choose the component for a request.
state:
  request: {type: string, default: resize photo.png}
  tools:
    type: array
    default:
    - {name: resize, description: Resize an image., inputs: [{key: image, type: string, required: true}], outputs: [{key: image, type: string}]}
    - {name: mail, description: Send a message., inputs: [{key: to, type: string, required: true}], outputs: []}
  draft: {type: any, default: null}
nodes:
  choose:
    op: choose-steps
    prep: {request: store.request, interfaces: store.tools, clauses: '[{"start": 0, "end": 16}]'}
    post: {draft: result.draft}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			weights := compose.Shipped()
			weights.Workflow, weights.Step = share(s, "min_confidence", weights.Workflow), share(s, "min_step_confidence", weights.Step)
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				ground, err := d.ground(ctx, in)
				if err != nil {
					return engine.Output{}, err
				}
				clauses, err := ground.Spans("clauses", in.Prep["clauses"])
				if err != nil {
					return engine.Output{}, err
				}
				draft, err := ground.Choose(ctx, clauses, weights)
				if err != nil {
					return engine.Output{}, err
				}
				out := map[string]any{"draft": nil, "reason": draft.Reason(), "confidence": draft.Confidence(), "ranked": draft.Ranked()}
				if !draft.Empty() {
					out["draft"] = draft.Plain()
				}
				return engine.Output{Result: out}, nil
			}
		},
	}
}
