package mcp

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/value"
	"pflow/ir"
)

// Bounds on what of a schema stands in an interface, which planners read. What is left out still holds: the whole schema is
// checked at the call.
const (
	maxKey      = 64  // bytes of a property's name
	maxShown    = 200 // bytes of a default or of one value of an enum
	maxEnum     = 100 // values
	maxDepth    = 6   // levels of a structure
	maxFields   = 200 // fields of one structure, at all levels
	maxPorts    = 200
	maxPortText = 400 // bytes of a description
)

// schema reads one JSON Schema, with its definitions.
type schema struct {
	root map[string]any
}

// property is one property of an object's schema.
type property struct {
	name     string
	schema   map[string]any // nil: anything
	required bool
}

// properties lists those of an object's schema, the required ones first, each part by name. odd are those whose name no
// prompt and no terminal should show as it is.
func (s schema) properties(of map[string]any) (out []property, odd []string) {
	of = s.resolved(of)
	props, _ := of["properties"].(map[string]any)
	required := map[string]bool{}
	if list, ok := of["required"].([]any); ok {
		for _, r := range list {
			if name, ok := r.(string); ok {
				required[name] = true
			}
		}
	}
	for _, name := range value.SortedKeys(props) {
		inner, _ := props[name].(map[string]any)
		if plainKey(name) {
			out = append(out, property{name, inner, required[name]})
		} else if required[name] {
			odd = append(odd, name)
		}
	}
	for _, name := range value.SortedKeys(required) {
		if _, ok := props[name]; !ok && plainKey(name) {
			out = append(out, property{name, nil, true})
		} else if !ok {
			odd = append(odd, name)
		}
	}
	slices.SortStableFunc(out, func(a, b property) int {
		switch {
		case a.required == b.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	return out[:min(len(out), maxPorts)], odd
}

// plainKey reports whether a property's name can stand in a prompt: one short word of letters, digits and a few signs.
func plainKey(name string) bool {
	return name != "" && len(name) <= maxKey && utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.$@:/", r)
	}) < 0
}

// resolved follows references within the document, and takes the one choice beside null of an anyOf or oneOf. What follows
// from neither is the schema itself.
func (s schema) resolved(of map[string]any) map[string]any {
	for range 10 { // of references that lead to references
		if ref, ok := of["$ref"].(string); ok {
			to := s.at(ref)
			if to == nil {
				return nil
			}
			of = beside(of, to)
			continue
		}
		one := s.onlyChoice(of)
		if one == nil {
			return of
		}
		of = beside(of, one)
	}
	return nil // a circle
}

// beside is a schema that another one stands for, with the description and default that stand beside the reference.
func beside(outer, inner map[string]any) map[string]any {
	out := make(map[string]any, len(inner)+2)
	for k, v := range inner {
		out[k] = v
	}
	for _, k := range []string{"description", "default"} {
		if v, ok := outer[k]; ok {
			out[k] = v
		}
	}
	return out
}

// onlyChoice is the one schema of an anyOf or oneOf that is not null, or of an allOf of one.
func (s schema) onlyChoice(of map[string]any) map[string]any {
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		list, ok := of[k].([]any)
		if !ok {
			continue
		}
		var one map[string]any
		for _, choice := range list {
			c, _ := choice.(map[string]any)
			if c["type"] == "null" {
				continue
			}
			if c == nil || one != nil {
				return nil
			}
			one = c
		}
		return one
	}
	return nil
}

// at finds what a reference such as #/$defs/Item names in the document.
func (s schema) at(ref string) map[string]any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := s.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part == "" {
			continue
		}
		at, ok = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)].(map[string]any)
		if !ok {
			return nil
		}
	}
	return at
}

var types = map[string]value.Type{
	"string": value.String, "number": value.Number, "integer": value.Integer, "boolean": value.Boolean, "array": value.Array, "object": value.Object,
}

// typeOf is the type of a resolved schema's values; any where there are several, or nothing says.
func typeOf(of map[string]any) value.Type {
	switch t := of["type"].(type) {
	case string:
		if known, ok := types[t]; ok {
			return known
		}
	case []any:
		var one string
		for _, choice := range t {
			if name, _ := choice.(string); name != "null" {
				if one != "" {
					return value.Any
				}
				one = name
			}
		}
		if known, ok := types[one]; ok {
			return known
		}
	case nil:
		if of["properties"] != nil {
			return value.Object
		}
		if values := enumOf(of); len(values) > 0 {
			t := value.TypeOf(values[0])
			for _, v := range values {
				if value.TypeOf(v) != t {
					return value.Any
				}
			}
			return t
		}
	}
	return value.Any
}

// enumOf are the only values that a schema takes.
func enumOf(of map[string]any) []any {
	if v, ok := of["const"]; ok && v != nil {
		return []any{v}
	}
	list, _ := of["enum"].([]any)
	return list
}

// port is a property as a port. Its structure is known as far as the schema says it plainly.
func (s schema) port(p property) ir.Port {
	of := s.resolved(p.schema)
	out := ir.Port{Key: p.name, Type: typeOf(of), Required: p.required}
	out.Description = description(of)
	if values := enumOf(of); len(values) > 0 && len(values) <= maxEnum && !slices.ContainsFunc(values, func(v any) bool { return v == nil || len(value.JSON(v)) > maxShown }) {
		out.Enum = values
	}
	if d, ok := of["default"]; ok && d != nil && len(value.JSON(d)) <= maxShown {
		if fit, err := value.Fits(out.Type, d); err == nil {
			out.Default = fit
		}
	}
	if out.Type == value.Object || out.Type == value.Array {
		fields := maxFields
		out.Structure = s.structure(of, 0, &fields)
	}
	return out
}

func description(of map[string]any) string {
	text, _ := of["description"].(string)
	if text == "" {
		text, _ = of["title"].(string)
	}
	return cut(text, maxPortText)
}

// structure is what a resolved schema says of the inside of its values; nil: nothing.
func (s schema) structure(of map[string]any, depth int, fields *int) *ir.Structure {
	if depth > maxDepth || *fields <= 0 {
		return nil
	}
	out := &ir.Structure{Type: typeOf(of), Description: description(of)}
	switch out.Type {
	case value.Object:
		props, _ := s.properties(of)
		for _, p := range props {
			if *fields--; *fields < 0 {
				break
			}
			inner := s.structure(s.resolved(p.schema), depth+1, fields)
			if inner == nil {
				inner = &ir.Structure{Type: value.Any}
			}
			out.Fields = append(out.Fields, ir.Field{Key: p.name, Structure: *inner})
		}
		slices.SortFunc(out.Fields, func(a, b ir.Field) int { return strings.Compare(a.Key, b.Key) })
	case value.Array:
		if items, ok := of["items"].(map[string]any); ok {
			out.Items = s.structure(s.resolved(items), depth+1, fields)
		}
	}
	if depth == 0 && out.Fields == nil && out.Items == nil {
		return nil
	}
	return out
}
