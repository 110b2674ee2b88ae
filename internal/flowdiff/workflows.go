package flowdiff

import (
	"fmt"
	"maps"
	"slices"

	"pflow/internal/value"
	"pflow/ir"
)

// Workflows lists how a workflow differs from another in what it does. Nodes are told apart by their ids; the order of inputs and
// outputs, descriptions and purposes make no difference.
func Workflows(old, new *ir.Workflow) ([]Change, error) {
	a, err := old.Plain()
	if err != nil {
		return nil, err
	}
	b, err := new.Plain()
	if err != nil {
		return nil, err
	}
	w := &workflows{changes: []Change{}}
	was, _ := a.(map[string]any)
	is, _ := b.(map[string]any)
	w.named("input", "inputs", was["inputs"], is["inputs"])
	w.named("node", "nodes", byID(was["nodes"]), byID(is["nodes"]))
	w.named("edge", "edges", byEnds(was["edges"]), byEnds(is["edges"]))
	w.value("start", "start_node", was["start_node"], is["start_node"])
	w.named("output", "outputs", was["outputs"], is["outputs"])
	return w.changes, nil
}

type workflows struct{ changes []Change }

// said are the keys that tell people of a part and do nothing.
var said = []string{"description", "purpose"}

func byID(v any) any {
	out := map[string]any{}
	list, _ := v.([]any)
	for _, n := range list {
		if n, ok := n.(map[string]any); ok {
			n = maps.Clone(n)
			id := fmt.Sprint(n["id"])
			delete(n, "id")
			out[id] = n
		}
	}
	return out
}

func byEnds(v any) any {
	out := map[string]any{}
	list, _ := v.([]any)
	for _, e := range list {
		if e, ok := e.(map[string]any); ok {
			name := fmt.Sprintf("%v -> %v", e["from"], e["to"])
			if e["action"] != nil {
				name += fmt.Sprintf(" (%v)", e["action"])
			}
			out[name] = nil
		}
	}
	return out
}

// named compares parts by their names: one that only one of them has is told as a whole.
func (w *workflows) named(kind, path string, old, new any) {
	was, _ := old.(map[string]any)
	is, _ := new.(map[string]any)
	names := map[string]bool{}
	for n := range was {
		names[n] = true
	}
	for n := range is {
		names[n] = true
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		at := path + "." + n
		a, had := was[n]
		b, has := is[n]
		switch {
		case !has:
			w.changes = append(w.changes, Change{Kind: kind, Path: at, Change: Removed, Old: a})
		case !had:
			w.changes = append(w.changes, Change{Kind: kind, Path: at, Change: Added, New: b})
		default:
			w.value(kind, at, a, b)
		}
	}
}

// value compares what stands at a path, object by object.
func (w *workflows) value(kind, path string, old, new any) {
	was, ok := old.(map[string]any)
	is, both := new.(map[string]any)
	if ok && both {
		names := maps.Clone(was)
		maps.Copy(names, is)
		for _, n := range slices.Sorted(maps.Keys(names)) {
			if slices.Contains(said, n) {
				continue
			}
			w.value(kind, path+"."+n, was[n], is[n])
		}
		return
	}
	if value.Equal(old, new) {
		return
	}
	c := Change{Kind: kind, Path: path, Change: Changed, Old: old, New: new, Diff: linesOf(old, new)}
	switch {
	case old == nil:
		c.Change = Added
	case new == nil:
		c.Change = Removed
	}
	w.changes = append(w.changes, c)
}
