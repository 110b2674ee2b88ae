package ir

import (
	"fmt"

	"pflow/internal/value"
)

func (d *decoder) node(path string, v any) Node {
	n := Node{}
	if o, ok := v.(*object); ok {
		for i, k := range o.keys {
			if id, ok := o.vals[i].(string); ok && k == "id" {
				d.current = id
			}
		}
	}
	d.object(path, v, "node", []field{
		{"id", true, func(p string, v any) {
			n.ID = d.text(p, v)
			if _, ok := v.(string); ok && !isID(n.ID) {
				d.add(BadID, p, fmt.Sprintf("the id %q may hold letters, digits, _ and - only", n.ID))
			}
		}},
		{"type", true, func(p string, v any) { n.Type = d.text(p, v) }},
		{"params", false, func(p string, v any) {
			if _, ok := v.(*object); !ok {
				d.want(p, "an object {param: value}", v)
				return
			}
			n.Params = plain(v).(map[string]any)
		}},
		{"purpose", false, func(p string, v any) { n.Purpose = d.text(p, v) }},
		{"retry", false, func(p string, v any) { n.Retry = d.retry(p, v) }},
		{"timeout", false, func(p string, v any) { n.Timeout = d.span(p, v, false) }},
		{"batch", false, func(p string, v any) { n.Batch = d.batch(p, v) }},
		{"repeat", false, func(p string, v any) { n.Repeat = d.repeat(p, v) }},
		{"approval", false, func(p string, v any) { n.Approval = d.choice(p, v, "required") != "" }},
	})
	if n.Params == nil {
		n.Params = map[string]any{}
	}
	d.current = ""
	return n
}

func (d *decoder) retry(path string, v any) *Retry {
	r := &Retry{Attempts: Count{Value: 1}}
	d.object(path, v, "retry", []field{
		{"attempts", true, func(p string, v any) { r.Attempts = d.count(p, v) }},
		{"wait", false, func(p string, v any) { r.Wait = d.span(p, v, true) }},
		{"backoff", false, func(p string, v any) { r.Exponential = d.choice(p, v, "constant", "exponential") == "exponential" }},
	})
	return r
}

func (d *decoder) batch(path string, v any) *Batch {
	b := &Batch{As: "item", OnError: "fail", Concurrency: Count{Value: 1}}
	d.object(path, v, "batch", []field{
		{"items", true, func(p string, v any) {
			b.Items = plain(v)
			switch v.(type) {
			case string, []any:
			default:
				d.want(p, "a template or an array", v)
			}
		}},
		{"as", false, func(p string, v any) {
			b.As = d.text(p, v)
			if _, ok := v.(string); ok && !isID(b.As) {
				d.add(BadID, p, fmt.Sprintf("the name %q may hold letters, digits, _ and - only", b.As))
			}
		}},
		{"on_error", false, func(p string, v any) { b.OnError = d.choice(p, v, "fail", "continue") }},
		{"concurrency", false, func(p string, v any) { b.Concurrency = d.count(p, v) }},
		{"retry", false, func(p string, v any) { b.Retry = d.retry(p, v) }},
	})
	return b
}

func (d *decoder) edge(path string, v any) Edge {
	e := Edge{Action: ActionDefault}
	d.object(path, v, "edge", []field{
		{"from", true, func(p string, v any) { e.From = d.text(p, v) }},
		{"to", true, func(p string, v any) { e.To = d.text(p, v) }},
		{"action", false, func(p string, v any) {
			e.Action = d.text(p, v)
			if v == "" {
				d.want(p, "an action's name", v)
			}
		}},
	})
	return e
}

func (d *decoder) input(path, name string, v any) Input {
	in := Input{Name: name, Type: value.Any}
	required, optional := false, false
	o, _ := v.(*object)
	d.object(path, v, "input", []field{
		{"type", false, func(p string, v any) { in.Type = d.typ(p, v) }},
		{"required", false, func(p string, v any) {
			required = d.bool(p, v)
			optional = !required
		}},
		{"default", false, func(_ string, v any) { in.HasDefault, in.Default = true, plain(v) }},
		{"description", false, func(p string, v any) { in.Description = d.text(p, v) }},
		{"secret", false, func(p string, v any) { in.Secret = d.bool(p, v) }},
		{"from_env", false, func(p string, v any) { in.FromEnv = d.text(p, v) }},
		{"from_stdin", false, func(p string, v any) { in.FromStdin = d.bool(p, v) }},
	})
	nullDefault := false
	if o != nil {
		for i, k := range o.keys {
			nullDefault = nullDefault || k == "default" && o.vals[i] == nil
		}
	}
	in.Required = required || !optional && !in.HasDefault && !nullDefault
	if in.Secret && in.FromEnv == "" {
		d.add(MissingField, key(path, "from_env"), fmt.Sprintf("the secret %q needs from_env, the environment variable it is kept in", name))
	}
	if in.Secret && in.HasDefault {
		d.add(WrongType, key(path, "default"), fmt.Sprintf("the secret %q cannot have a default, which would be kept in the document", name))
	}
	return in
}

func (d *decoder) output(path, name string, v any) Output {
	out := Output{Name: name, Type: value.Any}
	d.object(path, v, "output", []field{
		{"source", false, func(p string, v any) { out.Source = d.text(p, v) }},
		{"type", false, func(p string, v any) { out.Type = d.typ(p, v) }},
		{"description", false, func(p string, v any) { out.Description = d.text(p, v) }},
	})
	return out
}
