package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/compose"
	"pflow/internal/value"
)

// composeOp makes workflows.
func composeOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "compose",
		Summary: "Makes the workflow that a request asks for out of interfaces, leading outputs to the inputs they fit.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "interfaces", Type: value.Array, Required: true, Doc: "[{name, description, inputs, outputs, params, forms?: [{says, inputs, with}]}], each port {key, type, kind?, description?, required?, default?, enum?}"},
			{Name: "now", Type: value.Any, Doc: "the date that relative words count from; the run's own if not given"},
			{Name: "stdin", Type: value.Any, Doc: "piped text; an input that the request has no value for then takes what is piped in"},
		},
		With: []engine.Field{
			{Name: "min_confidence", Type: value.Number, Default: compose.Shipped().Workflow, Doc: "below it nothing is taken to fit; from 0 to 1"},
			{Name: "min_step_confidence", Type: value.Number, Default: compose.Shipped().Step, Doc: "below it a clause of the request makes no step of its own"},
		},
		Result:     value.Object,
		ResultDoc:  "{workflow: the IR, null where nothing fits, reason, confidence, templatized: the request with {key} for its values, title: its words in kebab case}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: compose-example
version: 1
description: Make a workflow of one step.
state:
  request: {type: string, default: resize photo.png}
  tools:
    type: array
    default:
    - {name: resize, description: Resize an image., inputs: [{key: image, type: string, required: true}], outputs: [{key: image, type: string}]}
  workflow: {type: any, default: null}
nodes:
  make:
    op: compose
    prep: {request: store.request, interfaces: store.tools}
    post: {workflow: result.workflow}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			weights := compose.Shipped()
			weights.Workflow, weights.Step = share(s, "min_confidence", weights.Workflow), share(s, "min_step_confidence", weights.Step)
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				request, _ := in.Prep["request"].(string)
				list, _ := in.Prep["interfaces"].([]any)
				interfaces, err := compose.Interfaces(list)
				if err != nil {
					return engine.Output{}, err
				}
				read, err := d.reading(ctx, request, in.Prep["now"], in.Now)
				if err != nil {
					return engine.Output{}, err
				}
				r, err := compose.Compose(ctx, read, interfaces, compose.Options{Weights: &weights, Piped: in.Prep["stdin"] != nil})
				if err != nil {
					return engine.Output{}, err
				}
				var workflow any
				if r.Workflow != nil {
					if workflow, err = r.Workflow.Plain(); err != nil {
						return engine.Output{}, err
					}
				}
				return engine.Output{Result: map[string]any{"workflow": workflow, "reason": r.Reason, "confidence": r.Confidence, "templatized": r.Templated, "title": r.Title}}, nil
			}
		},
	}
}

// share gives an option that is a number from 0 to 1.
func share(s *engine.Setup, name string, otherwise float64) float64 {
	var f float64
	switch v := s.Value(name).(type) {
	case int:
		f = float64(v)
	case float64:
		f = v
	default:
		return otherwise
	}
	if f < 0 || f > 1 {
		s.Report(name, 0, "bad-param", "%s is from 0 to 1", name)
	}
	return f
}
