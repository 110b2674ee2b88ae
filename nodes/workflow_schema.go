package nodes

import (
	"pflow/internal/prompt"
	"pflow/internal/value"
	"pflow/ir"
)

type object = map[string]any

// workflowReplySchema is the JSON Schema of a reply {feasible, reason, workflow, parts} whose workflow is made of the given
// components: each node is of one of their types and has that type's params. It guides a model; whether a workflow is
// valid only the validator says. Maps with names of the model's own (inputs, outputs, objects without a structure) keep
// it from being a strict schema.
func workflowReplySchema(components []*ir.Interface) object {
	kinds := []any{}
	for _, c := range components {
		kinds = append(kinds, nodeSchema(c))
	}
	text, flag := object{"type": "string"}, object{"type": "boolean"}
	types := object{"type": "string", "enum": typeNames()}
	workflow := closed([]property{
		{"ir_version", object{"type": "string", "enum": []any{"0.1.0"}}},
		{"inputs", object{"type": "object", "additionalProperties": closed([]property{
			{"type", types}, {"required", flag}, {"default", object{}}, {"description", text}, {"secret", flag}, {"from_env", text},
		}, "type", "description")}},
		{"nodes", object{"type": "array", "items": object{"anyOf": kinds}}},
		{"edges", object{"type": "array", "items": closed([]property{{"from", text}, {"to", text}, {"action", text}}, "from", "to")}},
		{"start_node", object{"type": []any{"string", "array"}, "items": text}},
		{"outputs", object{"type": "object", "additionalProperties": closed([]property{
			{"source", text}, {"type", types}, {"description", text},
		}, "source")}},
	}, "ir_version", "inputs", "nodes", "edges")
	if len(kinds) == 0 {
		workflow = object{"type": "null"}
	}
	return closed([]property{
		{"feasible", flag},
		{"reason", text},
		{"workflow", object{"anyOf": []any{workflow, object{"type": "null"}}}},
		{"parts", object{"type": "array", "items": closed([]property{{"text", text}, {"by", text}}, "text", "by")}},
	}, "feasible", "reason", "workflow", "parts")
}

// nodeSchema is the form of a node of one type.
func nodeSchema(c *ir.Interface) object {
	var params []property
	var required []string
	for _, ports := range [][]ir.Port{c.Inputs, c.OnlyParams()} {
		for _, p := range ports {
			params = append(params, property{p.Key, portSchema(p)})
			if p.Required {
				required = append(required, p.Key)
			}
		}
	}
	of := closed(params, required...)
	if c.OpenParams {
		of["additionalProperties"] = true
	}
	count := object{"type": []any{"integer", "string"}} // a number, or the one template that gives it
	text := object{"type": "string"}
	choice := func(of ...any) object { return object{"type": "string", "enum": of} }
	return closed([]property{
		{"id", text},
		{"type", choice(c.Name)},
		{"purpose", text},
		{"params", of},
		{"batch", closed([]property{{"items", object{}}, {"as", text}, {"on_error", choice("fail", "continue")}, {"concurrency", count}}, "items")},
		{"repeat", closed([]property{{"until", text}, {"max", count}, {"wait", text}}, "until", "max")},
		{"retry", closed([]property{{"attempts", count}, {"wait", text}, {"backoff", choice("constant", "exponential")}}, "attempts")},
		{"timeout", text},
		{"approval", choice("required")},
	}, "id", "type", "purpose", "params")
}

// portSchema is the form of a param: a value of its type, or a template.
func portSchema(p ir.Port) object {
	if p.Raw && p.Structure != nil { // no template can stand in its place
		return structureSchema(p.Structure)
	}
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

// structureSchema is the form of a value of which every part is known to be needed.
func structureSchema(s *ir.Structure) object {
	switch {
	case s.Fields != nil:
		var properties []property
		var required []string
		for _, f := range s.Fields {
			properties = append(properties, property{f.Key, structureSchema(&f.Structure)})
			required = append(required, f.Key)
		}
		return closed(properties, required...)
	case s.Items != nil:
		return object{"type": "array", "items": structureSchema(s.Items)}
	case s.Type == value.Any:
		return object{}
	}
	return object{"type": string(s.Type)}
}

// property is one key of an object.
type property struct {
	name   string
	schema object
}

// closed is an object with these keys, in this order, and no others.
func closed(properties []property, required ...string) object {
	of, order, names := object{}, []any{}, []any{}
	for _, p := range properties {
		of[p.name] = p.schema
		order = append(order, p.name)
	}
	for _, r := range required {
		names = append(names, r)
	}
	return object{"type": "object", "additionalProperties": false, "properties": of, prompt.PropertyOrdering: order, "required": names}
}

func typeNames() []any {
	out := []any{}
	for _, t := range value.Types() {
		out = append(out, string(t))
	}
	return out
}
