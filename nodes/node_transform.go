package nodes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pflow/engine/cond"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// transform computes a value.
func transform() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "transform",
			Description: "Computes a value from other values with an expression: picks, filters, counts, joins, reshapes.",
			Inputs: []ir.Port{{Key: "inputs", Type: value.Object,
				Description: "The values the expression works on, by name, such as {issues: ${list.issues}}."}},
			Params: []ir.Port{{Key: "expression", Type: value.String, Required: true, Raw: true,
				Description: "An expr expression over the names of inputs, such as map(filter(issues, .state == \"open\"), .title)."}},
			Outputs: []ir.Port{{Key: "result", Type: value.Any, Description: "The value of the expression."}},
			Effects: []ir.Effect{ir.Idempotent},
		},
		Check: func(params map[string]any) []ir.Problem {
			source, ok := params["expression"].(string)
			if !ok {
				return nil
			}
			inputs, ok := params["inputs"].(map[string]any)
			if !ok && params["inputs"] != nil {
				return nil // a template: the names are known when it runs
			}
			_, problems := compileExpression("expression", source, inputs, anyType, value.Any)
			return problems
		},
		Pure: true,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			inputs := c.Object("inputs")
			program, problems := compileExpression("expression", c.Text("expression"), inputs, value.TypeOf, value.Any)
			if problems != nil {
				return nodetype.Outcome{}, badParam("expression", c.Text("expression"), problems)
			}
			result, err := program.Eval(expressionScope(ctx, c, inputs))
			if err != nil {
				return nodetype.Outcome{}, inParam("expression", err)
			}
			return nodetype.Outcome{Outputs: map[string]any{"result": result}}, nil
		},
		Example: nodetype.Example{
			Params: map[string]any{
				"inputs":     map[string]any{"issues": []any{map[string]any{"title": "It hangs", "state": "open"}, map[string]any{"title": "Typo", "state": "closed"}}},
				"expression": `map(filter(issues, .state == "open"), .title)`,
			},
			Outputs: map[string]any{"result": []any{"It hangs"}},
		},
	}
}

// expressionScope is what an expression over inputs sees when it runs.
func expressionScope(ctx context.Context, c nodetype.Call, inputs map[string]any) *cond.Scope {
	now := c.Now
	if now.IsZero() {
		now = time.Now()
	}
	scope := cond.NewScope(now)
	scope.Until(ctx)
	for k, v := range inputs {
		scope.Set(k, v)
	}
	scope.Set("inputs", inputs)
	return scope
}

// anyType is the type of an input whose value is not known yet.
func anyType(any) value.Type { return value.Any }

// compileExpression compiles the expression over inputs that stands at a path in params. An input can be read by its name alone, or as inputs.NAME, which
// also serves for names that mean something else in the language. It costs about 25 µs, so it is done for each run.
func compileExpression(path, source string, inputs map[string]any, typeOf func(any) value.Type, want value.Type) (*cond.Program, []ir.Problem) {
	env := &cond.Env{Records: map[string]cond.Record{"inputs": {}}, Vars: map[string]value.Type{}}
	for k, v := range inputs {
		env.Records["inputs"][k] = typeOf(v)
		if k != "inputs" {
			env.Vars[k] = typeOf(v)
		}
	}
	program, found := cond.NewCompiler().Compile(cond.Expr, source, env, want)
	var problems []ir.Problem
	for _, p := range found {
		message := p.Message
		if p.Suggestion != "" {
			message += fmt.Sprintf("; did you mean %q?", p.Suggestion)
		}
		if strings.Contains(source, "${") {
			message += "; templates are not expanded in an expression: give the value in inputs and use its name here"
		}
		problems = append(problems, ir.Problem{Path: path, Offset: p.Offset, Message: message})
	}
	return program, problems
}
