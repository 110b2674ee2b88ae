package workflowtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"pflow/internal/value"
	"pflow/ir"
)

// fakes makes values up: of their declared types, the same each time, and such that nobody takes them for real ones. Of what is
// declared nothing about they have the keys that the workflow reads.
type fakes struct {
	variant int                          // 0: those that are shown; the others are as different from them as their types allow
	wanted  map[string]map[string]*shape // node -> output -> what templates read of it
	keys    []string                     // all that the workflow reads of anything
}

// variants is how many different values a run is tried with.
const variants = 10

// maxKeys bounds the keys of an object that is made up of all that a workflow reads, maxInner those of objects inside it.
const maxKeys, maxInner = 60, 40

// word is what may be a key in an expression.
var word = regexp.MustCompile(`[\pL_][\pL\d_-]*`)

func newFakes(w *ir.Workflow, c *ir.Catalogue) *fakes {
	f := &fakes{wanted: demands(w, c)}
	seen := map[string]bool{}
	note := func(text string) {
		for _, k := range word.FindAllString(text, -1) {
			seen[k] = true
		}
	}
	for i := range w.Nodes {
		value.EachText(w.Nodes[i].Params, note)
		if b := w.Nodes[i].Batch; b != nil {
			value.EachText(b.Items, note)
		}
	}
	for _, o := range w.Outputs {
		note(o.Source)
	}
	f.keys = slices.Sorted(maps.Keys(seen))
	if len(f.keys) > maxKeys {
		f.keys = f.keys[:maxKeys]
	}
	return f
}

// outputs makes up what a node gives. name is its name in the whole run.
func (f *fakes) outputs(name string, i *ir.Interface) map[string]any {
	out := map[string]any{}
	for n := range i.Outputs {
		p := &i.Outputs[n]
		out[p.Key] = f.port(p, f.wanted[name][p.Key], "fake "+p.Key+" of "+name)
	}
	if i.OpenOutputs || len(i.Outputs) == 0 {
		for key, want := range f.wanted[name] {
			if _, there := out[key]; !there {
				out[key] = f.value(value.Any, nil, want, "fake "+key+" of "+name)
			}
		}
	}
	return out
}

// port makes up the value of an output or input.
func (f *fakes) port(p *ir.Port, want *shape, label string) any {
	if len(p.Enum) > 0 {
		return p.Enum[f.variant%len(p.Enum)]
	}
	return f.value(p.Type, p.Structure, want, label)
}

// value makes up a value of a type. s is what is declared of its inside, want what is read of it.
func (f *fakes) value(t value.Type, s *ir.Structure, want *shape, label string) any {
	switch t {
	case value.String:
		return f.text(want, label)
	case value.Integer:
		return [variants]int{1, 0, -1, 7, 2024, 100, 3, -40, 2, 1_000_000}[f.variant]
	case value.Number:
		return [variants]float64{1.5, 0, -2.5, 7, 2024, 0.01, 3.25, -40, 100, 1e6}[f.variant]
	case value.Boolean:
		return f.variant%2 == 0
	case value.Array:
		if s != nil && s.Items != nil {
			out := []any{}
			for n := range [variants]int{2, 1, 3, 0, 2, 1, 2, 3, 1, 4}[f.variant] {
				out = append(out, f.value(s.Items.Type, s.Items, want.item(), fmt.Sprintf("%s [%d]", label, n)))
			}
			return out
		}
		return f.list(want, label)
	case value.Object:
		if s != nil && s.Fields != nil {
			out := map[string]any{}
			for n := range s.Fields {
				field := &s.Fields[n]
				out[field.Key] = f.value(field.Type, &field.Structure, want.key(field.Key), label+" "+field.Key)
			}
			return out
		}
		return f.object(want, label)
	}
	switch f.variant {
	case 0:
		return want.made(label)
	case 1:
		return 1
	case 3, 4, 7:
		return f.list(want, label)
	case 5:
		return nil
	case 6:
		return true
	}
	return f.object(want, label)
}

func (f *fakes) text(want *shape, label string) string {
	switch f.variant {
	case 0:
		if want.inside() {
			return value.JSON(want.made(label)) // a path into text looks into the JSON that it holds
		}
		return label
	case 1:
		return "1"
	case 2:
		return value.JSON(f.full(label, maxInner))
	case 3:
		return value.JSON([]any{f.full(label, maxInner), f.full(1, maxInner)})
	case 4:
		return "2024-01-31"
	case 5:
		return ""
	case 6:
		return "true"
	case 7:
		return "2024-01-31T08:00:00Z"
	case 8:
		return "1h"
	}
	return value.JSON(f.full(1, maxInner))
}

func (f *fakes) list(want *shape, label string) []any {
	switch f.variant {
	case 0:
		item := want.item()
		return []any{item.made(label + " [0]"), item.made(label + " [1]")}
	case 1:
		return []any{1, 2}
	case 2:
		return []any{f.full(label, maxKeys), f.full(label, maxKeys)}
	case 3:
		return []any{}
	case 4:
		return []any{f.full(1.5, maxKeys)}
	case 5:
		return []any{nil}
	case 6:
		return []any{[]any{1, 2}, []any{"a", "b"}}
	case 7:
		return []any{label, label}
	case 8:
		return []any{true, false}
	}
	return []any{f.full([]any{label}, maxKeys)}
}

func (f *fakes) object(want *shape, label string) map[string]any {
	switch f.variant {
	case 0:
		if made, ok := want.made(label).(map[string]any); ok {
			return made
		}
		return map[string]any{"fake": label}
	case 3:
		return map[string]any{}
	}
	leaf := [variants]any{2: label, 1: 1, 4: 1.5, 5: nil, 6: true, 7: []any{label}, 9: []any{f.full(1.5, maxInner)}}[f.variant]
	if f.variant == 8 {
		leaf = f.full(label, maxInner)
	}
	return f.full(leaf, maxKeys)
}

// full is an object with all the keys that the workflow reads of anything.
func (f *fakes) full(leaf any, most int) map[string]any {
	out := map[string]any{}
	for n, k := range f.keys {
		if n == most {
			break
		}
		out[k] = leaf
	}
	return out
}
