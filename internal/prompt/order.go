package prompt

import (
	"bytes"
	"encoding/json"
)

// PropertyOrdering is the keyword of a schema that lists its properties in the author's order. Values have no order of keys,
// and models that decode by a schema write in the order in which it is sent, so it is kept as data. It is not sent itself.
const PropertyOrdering = "propertyOrdering"

// HoldsSchemas tells keywords whose keys are names of schemas.
func HoldsSchemas(keyword string) bool {
	return keyword == "properties" || keyword == "$defs" || keyword == "definitions" || keyword == "patternProperties"
}

// keepOrder notes in a schema, read from data, the order of the properties of each object in it.
func keepOrder(data []byte, schema map[string]any) {
	noteOrder(json.NewDecoder(bytes.NewReader(data)), schema, false)
}

// noteOrder walks data and its value alike; names says that the keys are names of schemas, not keywords. It gives the keys
// of an object in their order.
func noteOrder(d *json.Decoder, v any, names bool) []any {
	t, err := d.Token()
	if err != nil {
		return nil
	}
	var keys []any
	switch t {
	case json.Delim('['):
		list, _ := v.([]any)
		for i := 0; d.More(); i++ {
			var item any
			if i < len(list) {
				item = list[i]
			}
			noteOrder(d, item, false)
		}
	case json.Delim('{'):
		m, _ := v.(map[string]any)
		for d.More() {
			t, err := d.Token()
			if err != nil {
				return nil
			}
			k, _ := t.(string)
			keys = append(keys, k)
			schemas := !names && HoldsSchemas(k)
			inner := m[k]
			if !names && (k == "enum" || k == "const" || k == "default" || k == "examples") {
				inner = nil // a value, and no schema
			}
			inside := noteOrder(d, inner, schemas)
			if _, said := m[PropertyOrdering]; m != nil && k == "properties" && schemas && !said && len(inside) > 0 {
				m[PropertyOrdering] = inside
			}
		}
	default:
		return nil
	}
	_, _ = d.Token() // the end
	return keys
}
