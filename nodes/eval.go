package nodes

import (
	"context"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/internal/value"
)

// evalOp computes a value with an expression.
func evalOp() engine.Op {
	return engine.Op{
		Name:      "eval",
		Summary:   "Computes a value with an expression over prep, params, attempt and run.",
		OpenPrep:  true,
		ResultDoc: "the value of the expression",
		With: []engine.Field{
			{Name: "expr", Type: value.Any, Doc: "the expression, in expr, or a mapping or a list of expressions; or give cel"},
			{Name: "cel", Type: value.Any, Doc: "the expression, in CEL, or a mapping or a list of expressions; or give expr"},
		},
		Idempotent: true,
		Instant:    true,
		Example: `flow: eval-example
version: 1
description: Count the words of a text.
state:
  text:  {type: string, default: plan once run for ever}
  words: {type: integer, default: 0}
nodes:
  count:
    op: eval
    prep: {text: store.text}
    with: {expr: 'len(split(prep.text, " "))'}
    post: {words: result}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			lang := cond.Expr
			switch expr, cel := s.Value("expr"), s.Value("cel"); {
			case (expr == nil) == (cel == nil):
				s.Report("", 0, "bad-param", "eval needs exactly one of expr and cel")
				return nil
			case cel != nil:
				lang = cond.CEL
			}
			program := s.Expression(string(lang), lang)
			if program == nil {
				return nil
			}
			s.Returns(program.Type())
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				scope := cond.NewScope(in.Now)
				scope.Until(ctx)
				scope.Set("prep", in.Prep)
				scope.Set("params", in.Params)
				scope.Set("attempt", in.Attempt)
				scope.Set("run", in.Run)
				v, err := program.Eval(scope)
				return engine.Output{Result: v}, err
			}
		},
	}
}
