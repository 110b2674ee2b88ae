package mcpserve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

type object = map[string]any

// param is an argument of a fixed tool.
type param struct {
	name, doc string
	kind      value.Type // String, Boolean, Integer, Object, Array (of strings) or Any
	required  bool
}

// schemaOf is the input schema of a tool with these params.
func schemaOf(params []param) object {
	properties, required := object{}, []any{}
	for _, p := range params {
		s := object{"description": p.doc}
		if p.kind != value.Any {
			s["type"] = string(p.kind)
		}
		if p.kind == value.Array {
			s["items"] = object{"type": "string"}
		}
		properties[p.name] = s
		if p.required {
			required = append(required, p.name)
		}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// arguments are those of one call, by name.
type arguments map[string]any

// readArguments reads the arguments of a call as JSON. Left out they are none.
func readArguments(tool string, raw json.RawMessage) (arguments, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return arguments{}, nil
	}
	v, err := value.ParseJSON(raw)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%s: the arguments cannot be read: %v", tool, err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fault.New(fault.InvalidRequest, "%s: the arguments are %s; want an object", tool, value.Describe(v))
	}
	return m, nil
}

// check holds the arguments to the params of a tool.
func (a arguments) check(tool string, params []param) error {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	for _, name := range value.SortedKeys(a) {
		if slices.Contains(names, name) {
			continue
		}
		hint := "it takes: " + strings.Join(names, ", ")
		if near := diag.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q? It takes: %s", near, strings.Join(names, ", "))
		}
		return fault.New(fault.InvalidRequest, "%s has no argument %q; %s", tool, name, hint)
	}
	for _, p := range params {
		v, given := a[p.name]
		switch {
		case !given || v == nil:
			if p.required {
				return fault.New(fault.InvalidRequest, "%s needs the argument %q: %s", tool, p.name, p.doc)
			}
			delete(a, p.name)
		case !fits(p.kind, v):
			return fault.New(fault.InvalidRequest, "%s: the argument %q is %s; want %s: %s", tool, p.name, value.Describe(v), wanted(p.kind), p.doc)
		}
	}
	return nil
}

func fits(kind value.Type, v any) bool {
	if kind != value.Array {
		_, err := value.Fits(kind, v)
		return err == nil
	}
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(item any) bool { _, text := item.(string); return !text })
}

func wanted(kind value.Type) string {
	switch kind {
	case value.Array:
		return "a list of strings"
	case value.Integer, value.Object:
		return "an " + string(kind)
	}
	return "a " + string(kind)
}

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a arguments) texts(name string) []string {
	var out []string
	list, _ := a[name].([]any)
	for _, item := range list {
		out = append(out, item.(string))
	}
	return out
}

func (a arguments) optional(name string) *string {
	s, ok := a[name].(string)
	if !ok {
		return nil
	}
	return &s
}

func (a arguments) flag(name string) bool { return a[name] == true }

func (a arguments) number(name string, otherwise int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return otherwise
}

// subject reads which workflow is meant; the arguments that may say so are name, plan and ir.
func (a arguments) subject(tool string, ways ...string) (Subject, error) {
	var given []string
	for _, way := range ways {
		if a[way] != nil {
			given = append(given, way)
		}
	}
	if len(given) != 1 {
		return Subject{}, fault.New(fault.InvalidRequest, "%s: give one of %s", tool, strings.Join(ways, ", "))
	}
	return Subject{Name: a.text("name"), Plan: a.text("plan"), IR: a["ir"]}, nil
}
