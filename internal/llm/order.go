package llm

import (
	"slices"

	"pflow/internal/prompt"
	"pflow/internal/value"
)

// schemaText writes a schema as it is sent: its properties in the author's order, all else canonical, without the keyword
// that says the order. Models that decode by a schema write in its order: what a later key hangs on shall come before it.
func schemaText(schema any) string {
	n, err := value.Normalize(schema)
	if err != nil {
		return "null"
	}
	return string(appendSchema(nil, n, nil, false))
}

// appendSchema writes a value of a schema. names says that the keys are names, in this order as far as it says.
func appendSchema(b []byte, v any, order []string, names bool) []byte {
	switch v := v.(type) {
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendSchema(b, item, nil, false)
		}
		return append(b, ']')
	case map[string]any:
		keys := sorted(v, order)
		b = append(b, '{')
		for _, k := range keys {
			if !names && k == prompt.PropertyOrdering {
				continue
			}
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(value.AppendJSON(b, k), ':')
			if k == "properties" && !names {
				b = appendSchema(b, v[k], texts(v[prompt.PropertyOrdering]), true)
			} else {
				b = appendSchema(b, v[k], nil, !names && prompt.HoldsSchemas(k))
			}
		}
		return append(b, '}')
	}
	return value.AppendJSON(b, v)
}

func rank(order []string, key string) int {
	if i := slices.Index(order, key); i >= 0 {
		return i
	}
	return len(order)
}

// inOrder lists the names of properties in the order that a schema says, then by name.
func inOrder(schema, properties map[string]any) []string {
	return sorted(properties, texts(schema[prompt.PropertyOrdering]))
}

// sorted lists the keys of a mapping in an order, as far as it says, then by name.
func sorted(m map[string]any, order []string) []string {
	keys := value.SortedKeys(m)
	slices.SortStableFunc(keys, func(x, y string) int { return rank(order, x) - rank(order, y) })
	return keys
}

// unordered is a schema without the order of its properties, which makes it no other question. names says that the keys are
// names.
func unordered(v any, names bool) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = unordered(item, false)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			if names || k != prompt.PropertyOrdering {
				out[k] = unordered(item, !names && prompt.HoldsSchemas(k))
			}
		}
		return out
	}
	return v
}
