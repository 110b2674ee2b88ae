package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/value"
)

// inputOp asks the user.
func inputOp(d Deps) engine.Op {
	return engine.Op{
		Name:      "input",
		Summary:   "Asks the user for a line: on a terminal with a prompt, else the next line of standard input; an error in batch mode.",
		Prep:      []engine.Field{{Name: "prompt", Type: value.String, Doc: "what to ask"}},
		Result:    value.String,
		ResultDoc: "the line, without its line break",
		Asks:      "line",
		Example: `flow: input-example
version: 1
description: Ask for a name and greet it.
state:
  name: {type: string, default: ""}
nodes:
  ask:
    op: input
    prep: {prompt: '"Your name"'}
    post: {name: result}
    next: greet
  greet:
    op: log
    prep: {message: '"hello " + store.name'}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				prompt, _ := in.Prep["prompt"].(string)
				line, err := d.ReadLine(ctx, prompt)
				return engine.Output{Result: line}, err
			}
		},
	}
}
