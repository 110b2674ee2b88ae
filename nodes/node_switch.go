package nodes

import (
	"context"
	"fmt"

	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// switchType chooses the edge that is taken.
func switchType() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "switch",
			Description: "Branches: the first of its cases that holds names the action, and the edges with that action are taken; default if none holds.",
			Inputs: []ir.Port{{Key: "inputs", Type: value.Object,
				Description: "The values that the expressions work on, by name, such as {lines: ${count.result}}."}},
			Params: []ir.Port{{Key: "cases", Type: value.Array, Required: true, Raw: true, Structure: ir.MustStructure([]any{map[string]any{ir.CaseAction: "string", ir.CaseExpr: "string"}}),
				Description: `The cases in order, such as [{"action": "long", "expr": "lines > 100"}]: an expr expression over the names of inputs, true or false. Each action needs an edge.`}},
			Outputs: []ir.Port{{Key: "case", Type: value.String, Detail: true, Description: "The action that was taken."}},
			Cases:   "cases",
			Effects: []ir.Effect{ir.Idempotent},
		},
		Check: func(params map[string]any) []ir.Problem {
			inputs, ok := params["inputs"].(map[string]any)
			if !ok && params["inputs"] != nil {
				return nil // a template: the names are known when it runs
			}
			list, _ := params["cases"].([]any)
			var out []ir.Problem
			for i, c := range list {
				m, _ := c.(map[string]any)
				if source, ok := m[ir.CaseExpr].(string); ok && source != "" {
					_, problems := compileExpression(caseExpr(i), source, inputs, anyType, value.Boolean)
					out = append(out, problems...)
				}
			}
			return out
		},
		Pure: true,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			inputs := c.Object("inputs")
			scope := expressionScope(ctx, c, inputs)
			list, _ := c.Params["cases"].([]any)
			action := ir.ActionDefault
			for i, one := range list {
				m, _ := one.(map[string]any)
				program, problems := compileExpression(caseExpr(i), ir.Text(m[ir.CaseExpr]), inputs, value.TypeOf, value.Boolean)
				if problems != nil {
					return nodetype.Outcome{}, badParam(caseExpr(i), ir.Text(m[ir.CaseExpr]), problems)
				}
				holds, err := program.Test(scope)
				if err != nil {
					return nodetype.Outcome{}, inParam(caseExpr(i), err)
				}
				if holds {
					action = ir.Text(m[ir.CaseAction])
					break
				}
			}
			return nodetype.Outcome{Action: action, Outputs: map[string]any{"case": action}}, nil
		},
		Example: nodetype.Example{
			Params: map[string]any{
				"inputs": map[string]any{"lines": 250},
				"cases":  []any{map[string]any{"action": "empty", "expr": "lines == 0"}, map[string]any{"action": "long", "expr": "lines > 100"}},
			},
			Outputs: map[string]any{"case": "long"},
		},
	}
}

// caseExpr is the path of a case's expression in params.
func caseExpr(i int) string { return fmt.Sprintf("cases[%d].%s", i, ir.CaseExpr) }
