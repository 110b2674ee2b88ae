package nodes

import (
	"pflow/internal/value"
	"pflow/ir"
)

type object = map[string]any

// workflowReplySchema is the JSON Schema of a reply {feasible, reason, workflow} whose workflow is made of the given
// components: each node is of one of their types and has that type's params. It guides a model; whether a workflow is
// valid only the validator says. Maps with names of the model's own (inputs, outputs, objects without a structure) keep
// it from being a strict schema.
func workflowReplySchema(components []*ir.Interface) object {
	kinds := []any{}
	for _, c := range components {
		kinds = append(kinds, nodeSchema(c))
	}
	workflow := closed(object{
		"ir_version": object{"type": "string", "enum": []any{"0.1.0"}},
		"inputs": object{"type": "object", "additionalProperties": closed(object{
			"type":        object{"type": "string", "enum": typeNames()},
			"required":    object{"type": "boolean"},
			"default":     object{},
			"description": object{"type": "string"},
			"secret":      object{"type": "boolean"},
			"from_env":    object{"type": "string"},
		}, "type", "description")},
		"nodes": object{"type": "array", "items": object{"anyOf": kinds}},
		"edges": object{"type": "array", "items": closed(object{
			"from": object{"type": "string"}, "to": object{"type": "string"}, "action": object{"type": "string"},
		}, "from", "to")},
		"start_node": object{"type": "string"},
		"outputs": object{"type": "object", "additionalProperties": closed(object{
			"source": object{"type": "string"}, "type": object{"type": "string", "enum": typeNames()}, "description": object{"type": "string"},
		}, "source")},
	}, "ir_version", "inputs", "nodes", "edges")
	if len(kinds) == 0 {
		workflow = object{"type": "null"}
	}
	return closed(object{
		"feasible": object{"type": "boolean"},
		"reason":   object{"type": "string"},
		"workflow": object{"anyOf": []any{workflow, object{"type": "null"}}},
	}, "feasible", "reason", "workflow")
}

// nodeSchema is the form of a node of one type.
func nodeSchema(c *ir.Interface) object {
	params := object{}
	var required []string
	for _, ports := range [][]ir.Port{c.Inputs, c.OnlyParams()} {
		for _, p := range ports {
			params[p.Key] = portSchema(p)
			if p.Required {
				required = append(required, p.Key)
			}
		}
	}
	of := closed(params, required...)
	if c.OpenParams {
		of["additionalProperties"] = true
	}
	return closed(object{
		"id":      object{"type": "string"},
		"type":    object{"type": "string", "enum": []any{c.Name}},
		"purpose": object{"type": "string"},
		"params":  of,
		"retry": closed(object{"attempts": object{"type": "integer"}, "wait": object{"type": "string"},
			"backoff": object{"type": "string", "enum": []any{"constant", "exponential"}}}, "attempts"),
		"timeout":  object{"type": "string"},
		"approval": object{"type": "string", "enum": []any{"required"}},
		"batch": closed(object{"items": object{}, "as": object{"type": "string"}, "on_error": object{"type": "string", "enum": []any{"fail", "continue"}},
			"concurrency": object{"type": "integer"}}, "items"),
		"repeat": closed(object{"until": object{"type": "string"}, "max": object{"type": []any{"integer", "string"}}, "wait": object{"type": "string"}}, "until", "max"),
	}, "id", "type", "purpose", "params")
}

// portSchema is the form of a param: a value of its type, or a template.
func portSchema(p ir.Port) object {
	switch p.Type {
	case value.String:
		if len(p.Enum) > 0 {
			return object{"anyOf": []any{object{"type": "string", "enum": p.Enum}, object{"type": "string"}}}
		}
		return object{"type": "string"}
	case value.Any:
		return object{}
	}
	return object{"type": []any{string(p.Type), "string"}}
}

// closed is an object with these keys and no others.
func closed(properties object, required ...string) object {
	names := []any{}
	for _, r := range required {
		names = append(names, r)
	}
	return object{"type": "object", "additionalProperties": false, "properties": properties, "required": names}
}

func typeNames() []any {
	out := []any{}
	for _, t := range value.Types() {
		out = append(out, string(t))
	}
	return out
}
