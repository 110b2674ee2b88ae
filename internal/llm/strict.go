package llm

import (
	"slices"

	"pflow/internal/prompt"
	"pflow/internal/value"
)

// wrapKey holds a reply whose schema is not of type object: response_format and tools take objects only.
const wrapKey = "value"

// wrapped reports whether a schema has to be put into an object.
func wrapped(schema map[string]any) bool { return schema["type"] != "object" }

// asObject gives a schema of type object, with the schema itself under wrapKey where it is none.
func asObject(schema map[string]any) map[string]any {
	if !wrapped(schema) {
		return schema
	}
	inner := map[string]any{}
	for k, v := range schema {
		inner[k] = v
	}
	out := map[string]any{
		"type": "object", "properties": map[string]any{wrapKey: inner},
		"required": []any{wrapKey}, "additionalProperties": false,
	}
	for _, defs := range []string{"$defs", "definitions"} {
		if v, ok := inner[defs]; ok {
			out[defs] = v
			delete(inner, defs)
		}
	}
	return out
}

// Keywords of JSON Schema for strict mode, which takes a subset (OpenAI's guide to structured outputs). kept are sent;
// refused say something that strict mode cannot, so that a schema with one starts at json_schema. Any other keyword is
// left out: whatever it demands is checked here, by Schema.Check.
var (
	kept    = []string{"type", "description", "enum", "const", "$ref"}
	refused = []string{
		"allOf", "not", "if", "then", "else", "patternProperties", "propertyNames", "prefixItems", "contains", "dependentRequired",
		"dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef",
	}
)

// strict adapts a schema of type object to strict mode: every property is required and one that was optional may be
// null, nothing else may be there, and what strict mode does not know is left out. It is false if the schema cannot be
// said so: free-form objects, values of any type, an anyOf at the root.
func strict(schema map[string]any) (map[string]any, bool) {
	if schema["type"] != "object" || schema["anyOf"] != nil || schema["oneOf"] != nil || schema["$ref"] != nil {
		return nil, false
	}
	return strictAt(schema)
}

func strictAt(schema map[string]any) (map[string]any, bool) {
	out := map[string]any{}
	for _, k := range refused {
		if _, ok := schema[k]; ok {
			return nil, false
		}
	}
	for _, k := range kept {
		if v, ok := schema[k]; ok {
			out[k] = v
		}
	}
	for _, k := range []string{"$defs", "definitions"} {
		if defs, ok := schema[k].(map[string]any); ok {
			made, ok := strictEach(defs)
			if !ok {
				return nil, false
			}
			out[k] = made
		}
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		list, ok := schema[k].([]any)
		if !ok {
			continue
		}
		if out["anyOf"] != nil {
			return nil, false
		}
		var made []any
		for _, item := range list {
			s, ok := item.(map[string]any)
			if !ok {
				return nil, false
			}
			if s, ok = strictAt(s); !ok {
				return nil, false
			}
			made = append(made, s)
		}
		out["anyOf"] = made
	}
	if out["type"] == nil {
		if t := literalType(schema); t != "" {
			out["type"] = t
		}
	}
	types, ok := typesOf(out["type"])
	if !ok || len(types) == 0 && out["anyOf"] == nil && out["$ref"] == nil {
		return nil, false
	}
	if slices.Contains(types, "object") && !strictObject(schema, out) {
		return nil, false
	}
	if slices.Contains(types, "array") {
		items, ok := schema["items"].(map[string]any)
		if !ok {
			return nil, false
		}
		if items, ok = strictAt(items); !ok {
			return nil, false
		}
		out["items"] = items
	}
	return out, true
}

func strictEach(in map[string]any) (map[string]any, bool) {
	out := map[string]any{}
	for k, v := range in {
		s, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if s, ok = strictAt(s); !ok {
			return nil, false
		}
		out[k] = s
	}
	return out, true
}

// strictObject writes the properties of an object.
func strictObject(schema, out map[string]any) bool {
	props, _ := schema["properties"].(map[string]any)
	if more, ok := schema["additionalProperties"]; len(props) == 0 || ok && more != false {
		return false
	}
	made, ok := strictEach(props)
	if !ok {
		return false
	}
	required := texts(schema["required"])
	all := []any{}
	for _, name := range inOrder(schema, made) {
		if !slices.Contains(required, name) {
			made[name] = nullable(made[name].(map[string]any))
		}
		all = append(all, name)
	}
	out["properties"], out["required"], out["additionalProperties"] = made, all, false
	if order, ok := schema[prompt.PropertyOrdering]; ok {
		out[prompt.PropertyOrdering] = order
	}
	return true
}

// nullable lets a schema of strict mode be null, too.
func nullable(s map[string]any) map[string]any {
	null := map[string]any{"type": "null"}
	out := map[string]any{}
	for k, v := range s {
		out[k] = v
	}
	types, _ := typesOf(s["type"])
	switch {
	case slices.Contains(types, "null"):
		return s
	case s["anyOf"] != nil && len(types) == 0 && s["$ref"] == nil:
		out["anyOf"] = append(slices.Clone(s["anyOf"].([]any)), null)
		return out
	case len(types) == 0 || s["const"] != nil || s["anyOf"] != nil:
		return map[string]any{"anyOf": []any{s, null}}
	}
	list := []any{}
	for _, t := range types {
		list = append(list, t)
	}
	out["type"] = append(list, "null")
	if enum, ok := s["enum"].([]any); ok {
		out["enum"] = append(slices.Clone(enum), nil)
	}
	return out
}

// literalType is the type that all values of an enum or const have, or "".
func literalType(schema map[string]any) string {
	list, _ := schema["enum"].([]any)
	if c, ok := schema["const"]; ok {
		list = []any{c}
	}
	found := ""
	for _, v := range list {
		t := value.Name(v)
		if found != "" && t != found {
			return ""
		}
		found = t
	}
	return found
}

// typesOf reads the keyword type; false if it is neither a name nor a list of them.
func typesOf(v any) ([]string, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		return []string{v}, true
	case []any:
		out := texts(v)
		return out, len(out) == len(v)
	case []string:
		return v, true
	}
	return nil, false
}

// texts gives the strings of a list.
func texts(v any) []string {
	if list, ok := v.([]string); ok {
		return list
	}
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// dropNulls takes out the nulls that stand for properties left out, which is how strict mode says them: those of
// properties that the schema does not require and whose own schema has no null. v is not changed.
func dropNulls(v any, schema map[string]any) any {
	if alternatives, ok := schema["anyOf"].([]any); ok {
		for _, a := range alternatives {
			if s, ok := a.(map[string]any); ok && s["type"] == value.Name(v) {
				v = dropNulls(v, s)
			}
		}
		return v
	}
	switch v := v.(type) {
	case []any:
		items, _ := schema["items"].(map[string]any)
		out := make([]any, len(v))
		for i := range v {
			out[i] = dropNulls(v[i], items)
		}
		return out
	case map[string]any:
		props, _ := schema["properties"].(map[string]any)
		required := texts(schema["required"])
		out := make(map[string]any, len(v))
		for k, item := range v {
			s, known := props[k].(map[string]any)
			if item == nil && known && !slices.Contains(required, k) && !takesNull(s) {
				continue
			}
			out[k] = dropNulls(item, s)
		}
		return out
	}
	return v
}

// takesNull reports whether a schema plainly lets a value be null.
func takesNull(s map[string]any) bool {
	types, _ := typesOf(s["type"])
	if slices.Contains(types, "null") {
		return true
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		list, _ := s[k].([]any)
		for _, item := range list {
			if m, ok := item.(map[string]any); ok && takesNull(m) {
				return true
			}
		}
	}
	enum, _ := s["enum"].([]any)
	return slices.Contains(enum, nil) && len(types) == 0
}
