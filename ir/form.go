package ir

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Form is a ready way of using a component: what has to be given, and the params that follow from it. It documents what
// open params such as an expression are good for; a planner without a model takes each form as a component of its own.
type Form struct {
	Says    []string       // what it does, in the words it is found by; the first of them is shown
	Inputs  []Port         // what it is given
	With    map[string]any // the node's params, in which the value "${KEY}" stands for what the input KEY is given
	Example map[string]any // values for the inputs
	Gives   map[string]any // the outputs that the example leads to, or some of them
}

// slot is how an input stands in the params of a form: as a whole value.
func slot(key string) string { return "${" + key + "}" }

// Shown is what a form says of itself first.
func (f *Form) Shown() string {
	if len(f.Says) == 0 {
		return ""
	}
	return f.Says[0]
}

// Does is all that a form says of itself, one sentence behind the other.
func (f *Form) Does() string {
	var b strings.Builder
	for n, text := range f.Says {
		if n > 0 && !strings.HasSuffix(f.Says[n-1], ".") {
			b.WriteByte('.')
		}
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// Fill gives the params of a node by what the inputs are given. A value of With whose input is given nothing is left out.
func (f *Form) Fill(given map[string]any) map[string]any {
	v, _ := f.fill(f.With, given)
	params, _ := v.(map[string]any)
	return params
}

func (f *Form) fill(v any, given map[string]any) (any, bool) {
	switch v := v.(type) {
	case string:
		for i := range f.Inputs {
			if v == slot(f.Inputs[i].Key) {
				got, ok := given[f.Inputs[i].Key]
				return got, ok
			}
		}
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			if got, ok := f.fill(item, given); ok {
				out = append(out, got)
			}
		}
		return out, true
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			if got, ok := f.fill(item, given); ok {
				out[k] = got
			}
		}
		return out, true
	}
	return v, true
}

// FormOf finds the form that params were made by, and what its inputs were given; nil if they were made by none.
func (i *Interface) FormOf(params map[string]any) (*Form, map[string]any) {
	for n := range i.Forms {
		f := &i.Forms[n]
		given := map[string]any{}
		if f.read(f.With, params, given) {
			return f, given
		}
	}
	return nil, nil
}

// read is fill backwards. Lists with values left out are not read.
func (f *Form) read(pattern, v any, given map[string]any) bool {
	switch pattern := pattern.(type) {
	case string:
		for i := range f.Inputs {
			if pattern == slot(f.Inputs[i].Key) {
				given[f.Inputs[i].Key] = v
				return true
			}
		}
	case []any:
		list, ok := v.([]any)
		if !ok || len(list) != len(pattern) {
			return false
		}
		for i := range list {
			if !f.read(pattern[i], list[i], given) {
				return false
			}
		}
		return true
	case map[string]any:
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		for k := range m {
			if _, known := pattern[k]; !known {
				return false
			}
		}
		for k, inner := range pattern {
			item, ok := m[k]
			if !ok && !f.open(inner) || ok && !f.read(inner, item, given) {
				return false
			}
		}
		return true
	}
	return value.Equal(pattern, tidy(v))
}

// open reports whether a value of params may be left out: it is a slot of an input that need not be given.
func (f *Form) open(v any) bool {
	for _, p := range f.Inputs {
		if v == any(slot(p.Key)) {
			return !p.Required
		}
	}
	return false
}

// CheckForms says what is wrong with the forms of an interface. A form is right if it has a summary, each input stands in
// its params, the workflow of one node that it makes is valid, and its example fits its inputs.
func (i *Interface) CheckForms() []Problem {
	var out []Problem
	for n := range i.Forms {
		f := &i.Forms[n]
		add := func(path, format string, args ...any) {
			out = append(out, Problem{Path: index("forms", n) + path, Message: fmt.Sprintf(format, args...)})
		}
		if len(f.Says) == 0 || slices.ContainsFunc(f.Says, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			add("", "a form needs says: a text, or several, of what it does")
		}
		w := &Workflow{Version: "0.1.0", Nodes: []Node{{ID: "form", Type: i.Name}}, Inputs: []Input{}, Edges: []Edge{}}
		names := map[string]any{}
		given := map[string]any{}
		for _, p := range f.Inputs {
			if _, twice := names[p.Key]; twice {
				add(".inputs", "the key %q is there twice", p.Key)
				continue
			}
			// Inputs of a form may have any key; those of the workflow must not hide the node or its inputs.
			name := fmt.Sprintf("form_input_%d", len(names)+1)
			names[p.Key] = slot(name)
			w.Inputs = append(w.Inputs, Input{Name: name, Type: p.Type, Required: true})
			if v, ok := f.Example[p.Key]; ok {
				given[p.Key] = v
				if _, err := value.Fits(p.Type, v); err != nil {
					add(".example", "%q: %v", p.Key, err)
				}
			} else if f.Example != nil && p.Required {
				add(".example", "it has no value for the input %q", p.Key)
			}
		}
		for _, k := range value.SortedKeys(f.Example) {
			if _, ok := given[k]; !ok {
				add(".example", "there is no input %q", k)
			}
		}
		w.Nodes[0].Params = f.Fill(names)
		used := map[string]any{}
		f.read(f.With, f.With, used)
		for _, p := range f.Inputs {
			if _, ok := used[p.Key]; !ok {
				add(".inputs", "%q stands nowhere in with; it is written %s there, as a whole value", p.Key, slot(p.Key))
			}
		}
		if len(out) > 0 {
			continue
		}
		for _, found := range Validate(w, NewCatalogue(i), Options{}) {
			if found.Severity == diag.Error {
				add("", "%s", found.Message)
			}
		}
	}
	return out
}
