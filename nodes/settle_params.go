package nodes

import (
	"context"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// settleParamsOp brings values to the inputs they are for.
func settleParamsOp() engine.Op {
	return engine.Op{
		Name:    "settle-params",
		Summary: "Brings proposed values to the types of declared inputs, drops those of unknown names, adds defaults and says what is missing.",
		Prep: []engine.Field{
			{Name: "inputs", Type: value.Array, Required: true, Doc: "[{name, type, required, description, default?, from_stdin?}], as workflow-inputs gives them"},
			{Name: "values", Type: value.Any, Required: true, Doc: "[{name, value}] or {name: value}; null, and empty text for an input that is no string, are none"},
			{Name: "stdin", Type: value.Any, Doc: "piped text, for the input with from_stdin"},
		},
		Result:     value.Object,
		ResultDoc:  "{extracted: {name: value}, missing: [{name, type, description}], unknown: [names], problems: [{name, message}] of values that do not fit}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: settle-params-example
version: 1
description: Two values for three inputs, one of them as text.
state:
  inputs:
    type: array
    default: [{name: limit, type: integer, required: true}, {name: state, type: string, default: open}, {name: repo, type: string, required: true}]
  values:    {type: array, default: [{name: limit, value: "20"}, {name: colour, value: red}]}
  extracted: {type: object, default: {}}
  missing:   {type: array, default: []}
nodes:
  settle:
    op: settle-params
    prep: {inputs: store.inputs, values: store.values}
    post: {extracted: result.extracted, missing: result.missing}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				proposed, err := proposedValues(in.Prep["values"])
				if err != nil {
					return engine.Output{}, err
				}
				inputs, _ := in.Prep["inputs"].([]any)
				return engine.Output{Result: settle(inputs, proposed, in.Prep["stdin"])}, nil
			}
		},
	}
}

func proposedValues(v any) (map[string]any, error) {
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return v, nil
	case []any:
		out := map[string]any{}
		for _, item := range v {
			m, _ := item.(map[string]any)
			name, ok := m["name"].(string)
			if !ok {
				return nil, fault.New(fault.Type, "values: want [{name, value}], got %s in it", value.Describe(item))
			}
			if _, twice := out[name]; !twice {
				out[name] = m["value"]
			}
		}
		return out, nil
	}
	return nil, fault.New(fault.Type, "values: want [{name, value}] or {name: value}, got %s", value.Describe(v))
}

func settle(inputs []any, proposed map[string]any, stdin any) map[string]any {
	extracted := map[string]any{}
	missing, unknown, problems := []any{}, []any{}, []any{}
	declared := map[string]bool{}
	for _, item := range inputs {
		in, _ := item.(map[string]any)
		name, _ := in["name"].(string)
		declared[name] = true
		typeName, _ := in["type"].(string)
		if typeName == "" {
			typeName = string(value.Any)
		}
		v := proposed[name]
		if piped, _ := in["from_stdin"].(bool); v == nil && piped {
			v = stdin
		}
		if text, ok := v.(string); ok && strings.TrimSpace(text) == "" && value.Type(typeName) != value.String {
			v = nil
		}
		if v != nil {
			fit, err := ir.Coerce(value.Type(typeName), v)
			if err == nil {
				extracted[name] = fit
				continue
			}
			problems = append(problems, map[string]any{"name": name, "message": fault.Of(err).Message})
		}
		if fallback, ok := in["default"]; ok {
			extracted[name] = fallback
		} else if required, _ := in["required"].(bool); required {
			about, _ := in["description"].(string)
			missing = append(missing, map[string]any{"name": name, "type": typeName, "description": about})
		}
	}
	for _, name := range value.SortedKeys(proposed) {
		if !declared[name] {
			unknown = append(unknown, name)
		}
	}
	return map[string]any{"extracted": extracted, "missing": missing, "unknown": unknown, "problems": problems}
}
