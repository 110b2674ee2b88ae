package nodes

import (
	"context"
	"time"

	"pflow/engine"
	"pflow/internal/planshape"
	"pflow/internal/value"
)

// planResultOp shapes plans.
func planResultOp() engine.Op {
	op := engine.Op{
		Name:       "plan-result",
		Summary:    "Gives a plan its shape, pflow.plan/v1, from what a planner found, made and failed by.",
		Result:     value.Object,
		ResultDoc:  "the keys of pflow.plan/v1 that a planner decides: status, path, workflow_ir, execution_params, error and so on",
		Idempotent: true,
		Instant:    true,
		Example: `flow: plan-result-example
version: 1
description: The plan of a request that nothing does.
state:
  user_input:     {type: string, default: paint the house}
  planner_output: {type: any, default: null}
nodes:
  shape:
    op: plan-result
    prep: [user_input, {generation_reason: '"there is no brush"'}]
    post: {planner_output: result}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				return engine.Output{Result: planshape.Of(in.Prep, in.Now.Format(time.RFC3339))}, nil
			}
		},
	}
	for _, k := range planshape.Keys {
		op.Prep = append(op.Prep, engine.Field{Name: k.Name, Type: k.Type, Doc: k.Doc})
	}
	return op
}
