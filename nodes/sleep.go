package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/value"
)

// sleepOp waits.
func sleepOp() engine.Op {
	return engine.Op{
		Name:       "sleep",
		Summary:    "Waits.",
		ResultDoc:  "null",
		With:       []engine.Field{{Name: "for", Type: value.String, Required: true, Doc: "how long: 250ms, 1s, 2m"}},
		Idempotent: true,
		Example: `flow: sleep-example
version: 1
description: Wait a moment.
nodes:
  pause:
    op: sleep
    with: {for: 1ms}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			d := s.Duration("for")
			return func(ctx context.Context, _ engine.Input) (engine.Output, error) {
				return engine.Output{}, engine.Sleep(ctx, d)
			}
		},
	}
}
