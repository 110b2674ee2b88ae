package syntax

import (
	"fmt"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// Extend merges a flow into the one it extends, before anything is checked. Mappings are merged key by key: keys of
// the base keep their order, new ones come after them. Scalars and lists replace. A null removes the key, which must
// be there; under the key `default` of a state key null is a value, and inside lists nothing is removed. `next: X` counts
// as {default: X}. Every value keeps its place, and so its file; a key that both have is the base's.
//
// A tree that is no mapping is given back for Decode to refuse.
func Extend(base, child *yamltree.Value) (*yamltree.Value, diag.List) {
	switch {
	case child == nil || child.Kind != yamltree.Map:
		return child, nil
	case base == nil || base.Kind != yamltree.Map:
		return base, nil
	}
	m := &merger{}
	return m.merge(base, child, nil), m.found.Sort()
}

type merger struct{ found diag.List }

// merge gives child merged into base, both mappings. path leads to them from the root.
func (m *merger) merge(base, child *yamltree.Value, path []string) *yamltree.Value {
	out := *base
	out.Entries = make([]yamltree.Entry, 0, len(base.Entries)+len(child.Entries))
	index := make(map[string]int, len(base.Entries))
	for i, e := range base.Entries {
		index[e.Key] = i
	}
	out.Entries = append(out.Entries, base.Entries...)
	removed := make([]bool, len(base.Entries))
	for _, e := range child.Entries {
		i, known := index[e.Key]
		at := append(path[:len(path):len(path)], e.Key)
		switch {
		case e.Value.Kind == yamltree.Null && removes(at):
			if !known {
				m.nothing(e, base)
				continue
			}
			removed[i] = true
		case known:
			out.Entries[i] = m.replace(base.Entries[i], e, at)
		default:
			e.Value = m.fresh(e.Value, at)
			out.Entries = append(out.Entries, e)
		}
	}
	kept := out.Entries[:0]
	for i, e := range out.Entries {
		if i >= len(removed) || !removed[i] {
			kept = append(kept, e)
		}
	}
	out.Entries = kept
	return &out
}

// replace gives the entry for a key that both have.
func (m *merger) replace(base, child yamltree.Entry, path []string) yamltree.Entry {
	if isNext(path) {
		base.Value, child.Value = longNext(base.Value), longNext(child.Value)
	}
	if base.Value.Kind == yamltree.Map && child.Value.Kind == yamltree.Map && !isOther(child.Value, path) && !isDimension(path) {
		base.Value = m.merge(base.Value, child.Value, path)
		return base
	}
	child.Value = m.fresh(child.Value, path)
	return child
}

// fresh gives a value that has no counterpart in the base. A null in it removes what is not there.
func (m *merger) fresh(v *yamltree.Value, path []string) *yamltree.Value {
	if v.Kind != yamltree.Map {
		return v
	}
	return m.merge(&yamltree.Value{Kind: yamltree.Map, Place: v.Place, Doc: v.Doc}, v, path)
}

// nothing reports a removal of a key that base does not have.
func (m *merger) nothing(e yamltree.Entry, base *yamltree.Value) {
	if len(m.found) >= maxFindings {
		return
	}
	names := keysOf(base)
	f := e.Name.Error(BadExtends, fmt.Sprintf("null removes a key, but the extended flow has no %s here", shown(e.Key)))
	f.Suggestion, f.Alternatives = diag.Nearest(e.Key, names), names
	if len(names) == 0 {
		f.Message += "; quote 'null' if it is an expression"
	}
	m.found = append(m.found, f)
}

// keysOf lists the keys of a mapping, for suggestions: of a very long one not all.
func keysOf(v *yamltree.Value) []string {
	const most = 300
	names := make([]string, 0, min(most, len(v.Entries)))
	for _, e := range v.Entries[:min(most, len(v.Entries))] {
		names = append(names, e.Key)
	}
	return names
}

// removes reports whether null at a path removes. It does but where a key `default` holds data: of a state key, and
// anywhere in params and in the options of an op. Elsewhere default is a name like others: of an action, of a node.
func removes(path []string) bool {
	data := len(path)
	switch {
	case len(path) > 2 && path[0] == "state":
		data = 2
	case len(path) > 1 && path[0] == "params":
		data = 1
	case len(path) > 3 && path[0] == "nodes" && path[2] == "with":
		data = 3
	}
	return !slices.Contains(path[data:], "default")
}

// isOther recognises a node that names its op: prep, with and post of another op would make no sense for it.
func isOther(node *yamltree.Value, path []string) bool {
	return len(path) == 2 && path[0] == "nodes" && node.Get("op") != nil
}

// isDimension recognises an entry of search: half of one range and half of another would be none.
func isDimension(path []string) bool { return len(path) == 2 && path[0] == "search" }

// isNext recognises the path of a node's next.
func isNext(path []string) bool { return len(path) == 3 && path[0] == "nodes" && path[2] == "next" }

// longNext gives `next: X` as {default: X}.
func longNext(v *yamltree.Value) *yamltree.Value {
	if v.Kind != yamltree.String {
		return v
	}
	name := *v
	name.Text, name.Scalar = "default", "default"
	return &yamltree.Value{Kind: yamltree.Map, Place: v.Place, Doc: v.Doc, Entries: []yamltree.Entry{
		{Key: "default", KeyPlace: v.Place, Name: &name, Value: v},
	}}
}
