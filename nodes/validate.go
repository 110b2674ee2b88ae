package nodes

import (
	"context"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/ir"
)

// validateOp checks workflows.
func validateOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "validate",
		Summary: "Lists what is wrong with a workflow: its form, its nodes, and the data that flows between them.",
		Prep: []engine.Field{
			{Name: "workflow", Type: value.Any, Required: true, Doc: "the IR: an object, or text that holds one"},
			{Name: "discovered_params", Type: value.Any, Doc: "values of the request, which must not stand in the workflow"},
		},
		Result:     value.Object,
		ResultDoc:  "{valid, errors, warnings}; a finding is {severity, code, message, path?, node?, suggestion?, alternatives?}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: validate-example
version: 1
description: Check a workflow that has no nodes.
state:
  workflow: {type: any, default: {ir_version: 0.1.0, nodes: [], edges: []}}
  errors:   {type: array, default: []}
nodes:
  check:
    op: validate
    prep: {workflow: store.workflow}
    post: {errors: result.errors}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				shelf, err := d.candidates(ctx)
				if err != nil {
					return engine.Output{}, err
				}
				data, isText := in.Prep["workflow"].(string)
				if !isText {
					data = value.JSON(in.Prep["workflow"])
				}
				discovered, _ := in.Prep["discovered_params"].(map[string]any)
				found := d.check([]byte(data), shelf.Catalogue, ir.Options{Discovered: discovered})
				errors, warnings := []any{}, []any{}
				for _, f := range found {
					if f.Severity == diag.Error {
						errors = append(errors, findingValue(f))
					} else {
						warnings = append(warnings, findingValue(f))
					}
				}
				return engine.Output{Result: map[string]any{"valid": len(errors) == 0, "errors": errors, "warnings": warnings}}, nil
			}
		},
	}
}

func (d Deps) check(data []byte, c *ir.Catalogue, o ir.Options) diag.List {
	if d.Check != nil {
		return d.Check(data, c, o)
	}
	_, found := ir.Check(data, c, o)
	return found
}

// findingValue is a finding as a value.
func findingValue(f diag.Finding) map[string]any {
	m := map[string]any{"severity": string(f.Severity), "code": f.Kind, "message": f.Message}
	for k, text := range map[string]string{"path": f.Path, "node": f.Node, "suggestion": f.Suggestion} {
		if text != "" {
			m[k] = text
		}
	}
	if len(f.Alternatives) > 0 {
		list := []any{}
		for _, a := range f.Alternatives {
			list = append(list, a)
		}
		m["alternatives"] = list
	}
	return m
}
