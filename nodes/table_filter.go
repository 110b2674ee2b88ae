package nodes

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/table"
	"pflow/internal/value"
)

// tableFilters reads conditions of rows: {column, op, value}, or {any: [...]}, {all: [...]}, {not: {...}}. A value that is a
// template still is taken as it stands.
func tableFilters(path string, list []any) ([]table.Filter, error) {
	out := []table.Filter{}
	for i, item := range list {
		f, err := tableFilter(fmt.Sprintf("%s[%d]", path, i), item)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func tableFilter(path string, v any) (f table.Filter, err error) {
	bad := func(format string, args ...any) (table.Filter, error) {
		return table.Filter{}, fault.New(fault.InvalidRequest, "%s "+format, append([]any{path}, args...)...)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return bad("is %s; give a condition, such as {column: price, op: >, value: 10}", value.Describe(v))
	}
	for _, key := range []string{"all", "any", "not"} {
		inner, there := m[key]
		if !there {
			continue
		}
		if len(m) > 1 {
			return bad("has more than %s; give a condition of its own for the rest", key)
		}
		if key == "not" {
			not, err := tableFilter(path+".not", inner)
			return table.Filter{Not: &not}, err
		}
		list, ok := inner.([]any)
		if !ok || len(list) == 0 {
			return bad("has %s %s; give a list of conditions", key, value.Describe(inner))
		}
		of, err := tableFilters(path+"."+key, list)
		if key == "all" {
			return table.Filter{All: of}, err
		}
		return table.Filter{Any: of}, err
	}
	f = table.Filter{Op: "==", Value: m["value"]}
	for _, key := range value.SortedKeys(m) {
		switch text, isText := m[key].(string); {
		case key == "value":
		case key != "column" && key != "op":
			return bad("has %q; the keys of a condition are column, op and value, or any, all or not", key)
		case !isText || text == "":
			return bad("has the %s %s; give a text", key, value.Describe(m[key]))
		case key == "column":
			f.Column = text
		default:
			f.Op = text
		}
	}
	_, valued := m["value"]
	template := func(v any) bool { text, ok := v.(string); return ok && strings.Contains(text, "${") }
	list, isList := f.Value.([]any)
	switch {
	case template(f.Op):
	case !slices.Contains(table.Ops, f.Op):
		hint := ""
		if near := diag.Nearest(f.Op, table.Ops); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return bad("has the op %q%s They are: %s", f.Op, hint, strings.Join(table.Ops, ", "))
	case f.Op == "empty" && valued:
		return bad("has a value; empty wants none")
	case f.Op == "empty":
	case !valued:
		return bad("has no value to compare with")
	case template(f.Value):
	case f.Op == "in" && !isList:
		return bad("has the value %s; in wants a list", value.Describe(f.Value))
	case f.Op == "between" && len(list) != 2:
		return bad("has the value %s; between wants two", value.Describe(f.Value))
	case isList && f.Op != "in" && f.Op != "between":
		return bad("has a list for %s; use in", f.Op)
	}
	if m, isObject := f.Value.(map[string]any); isObject {
		return bad("has the value %s; give a number, a text, true or false", value.Describe(m))
	}
	return f, nil
}
