package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/value"
)

// logOp shows a line to the user.
func logOp(d Deps) engine.Op {
	return engine.Op{
		Name:      "log",
		Summary:   "Shows a line on standard error.",
		Prep:      []engine.Field{{Name: "message", Type: value.Any, Required: true, Doc: "what to show; what is no string is shown as JSON"}},
		ResultDoc: "null",
		With: []engine.Field{
			{Name: "level", Type: value.String, Enum: []string{"info", "warning"}, Default: "info", Doc: "how much it matters"},
		},
		Idempotent: true,
		Instant:    true,
		Tells:      true,
		Example: `flow: log-example
version: 1
description: Say hello.
state:
  name: {type: string, default: world}
nodes:
  greet:
    op: log
    prep: {message: '"hello " + store.name'}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			level := s.Text("level")
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				message, ok := in.Prep["message"].(string)
				if !ok {
					message = value.JSON(in.Prep["message"])
				}
				d.Log(level, message)
				return engine.Output{}, nil
			}
		},
	}
}
