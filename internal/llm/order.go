package llm

import (
	"slices"

	"pflow/internal/value"
)

// orderKey is the keyword by which schemas keep the order of their properties, prompt.PropertyOrdering. Models that decode by
// a schema write in its order: what a later key hangs on shall come before it.
const orderKey = "propertyOrdering"

// schemaText writes a schema as it is sent: its properties in the author's order, all else canonical, without the keyword
// that says the order.
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
		keys := value.SortedKeys(v)
		slices.SortStableFunc(keys, func(x, y string) int { return rank(order, x) - rank(order, y) })
		b = append(b, '{')
		for _, k := range keys {
			if !names && k == orderKey {
				continue
			}
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(value.AppendJSON(b, k), ':')
			if k == "properties" && !names {
				b = appendSchema(b, v[k], texts(v[orderKey]), true)
			} else {
				b = appendSchema(b, v[k], nil, !names && holdsSchemas(k))
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
	order, keys := texts(schema[orderKey]), value.SortedKeys(properties)
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
			if names || k != orderKey {
				out[k] = unordered(item, !names && (k == "properties" || holdsSchemas(k)))
			}
		}
		return out
	}
	return v
}

// holdsSchemas tells keywords, beside properties, whose keys are names of schemas.
func holdsSchemas(keyword string) bool {
	return keyword == "$defs" || keyword == "definitions" || keyword == "patternProperties"
}
