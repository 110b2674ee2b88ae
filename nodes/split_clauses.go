package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/compose"
	"pflow/internal/value"
)

// splitClausesOp cuts a request into its wishes.
func splitClausesOp(d Deps) engine.Op {
	interfaces := composeInterfaces
	interfaces.Required = false
	interfaces.Doc = "of components, as in choose-steps: a word by which one of them begins to say what it does can begin a clause, as verbs do"
	return engine.Op{
		Name:       "split-clauses",
		Summary:    "Cuts a request into clauses, where a new wish begins.",
		Prep:       []engine.Field{composeRequest, interfaces, composeNow},
		Result:     value.Array,
		ResultDoc:  "[{text, start, end}] in the order of the request, which they cover; start and end in bytes",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: split-clauses-example
version: 1
description: Cut a request into clauses.
state:
  request: {type: string, default: "read a.txt, sort its lines and write them to b.txt"}
  clauses: {type: array, default: []}
nodes:
  split:
    op: split-clauses
    prep: [request]
    post: {clauses: result}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				ground, err := d.ground(ctx, in)
				if err != nil {
					return engine.Output{}, err
				}
				return engine.Output{Result: clausesValue(ground, ground.Clauses())}, nil
			}
		},
	}
}

func clausesValue(ground *compose.Ground, clauses [][2]int) []any {
	out := make([]any, len(clauses))
	for k, c := range clauses {
		out[k] = map[string]any{"text": ground.Text[c[0]:c[1]], "start": c[0], "end": c[1]}
	}
	return out
}
