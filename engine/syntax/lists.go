package syntax

import (
	"slices"

	"pflow/internal/yamltree"
)

// A list under prep or post holds names and mappings: prep: [request, {least: params.least}] stands for
// {request: store.request, least: params.least}, and post: [plan] for {plan: result.plan}. It becomes that mapping
// before anything else is done with a document, so that extends and --set reach each name. A list that is none of
// names stays what it is, for checkList to refuse.

// unlist gives a flow without such lists. The tree is shared where nothing changes.
func unlist(tree *yamltree.Value) *yamltree.Value {
	return edit(tree, "nodes", func(nodes *yamltree.Value) *yamltree.Value {
		return editEach(nodes, func(n *yamltree.Value) *yamltree.Value {
			n = edit(n, "prep", func(v *yamltree.Value) *yamltree.Value { return named(v, "store.") })
			n = edit(n, "post", func(v *yamltree.Value) *yamltree.Value { return named(v, "result.") })
			return edit(n, "with", unlistUnits)
		})
	})
}

// unlistUnits does so in the options of map and parallel, whose units have preps of their own.
func unlistUnits(with *yamltree.Value) *yamltree.Value {
	unit := func(v *yamltree.Value) *yamltree.Value {
		return edit(v, "prep", func(v *yamltree.Value) *yamltree.Value { return named(v, "store.", "item", "index") })
	}
	return edit(unit(with), "branches", func(v *yamltree.Value) *yamltree.Value { return editEach(v, unit) })
}

// named gives the mapping that a list of names stands for, or v if it is none. The expression of a name is the name
// after lead; what is in selves means itself.
func named(v *yamltree.Value, lead string, selves ...string) *yamltree.Value {
	if v.Kind != yamltree.Seq {
		return v
	}
	out := &yamltree.Value{Kind: yamltree.Map, Place: v.Place, Doc: v.Doc}
	taken := map[string]bool{}
	for _, item := range v.Items {
		var add []yamltree.Entry
		switch {
		case item.Kind == yamltree.Map:
			add = item.Entries
		case !isName(item):
			return v
		case slices.Contains(selves, item.Text):
			add = []yamltree.Entry{{Key: item.Text, KeyPlace: item.Place, Name: item, Value: item}}
		default:
			add = []yamltree.Entry{{Key: item.Text, KeyPlace: item.Place, Name: item, Value: item.After(lead)}}
		}
		for _, e := range add {
			if taken[e.Key] {
				return v
			}
			taken[e.Key] = true
		}
		out.Entries = append(out.Entries, add...)
	}
	return out
}

func isName(v *yamltree.Value) bool {
	ok, _ := identifier.allows(v.Text)
	return ok && v.Kind == yamltree.String
}

// checkList says why a list under prep or post is none of names.
func checkList(c *checker, v *yamltree.Value, kind string) bool {
	if v.Kind != yamltree.Seq {
		return true
	}
	taken := map[string]bool{}
	for _, item := range v.Items {
		var names []*yamltree.Value
		switch {
		case item.Kind == yamltree.Map:
			for _, e := range item.Entries {
				names = append(names, e.Name)
			}
		case isName(item):
			names = append(names, item)
		case item.Kind == yamltree.String:
			c.report(item, kind, "%s is no name; in a list an expression needs one: write {NAME: %s}", shown(item.Text), shown(item.Text))
		default:
			c.report(item, kind, "the list holds names and mappings such as {least: params.least}, and this is %s", item.Kind)
		}
		for _, name := range names {
			if taken[name.Text] {
				c.report(name, yamltree.DuplicateKey, "the name %s stands here twice", shown(name.Text))
			}
			taken[name.Text] = true
		}
	}
	return false
}

// edit gives a mapping with what is under a key changed.
func edit(v *yamltree.Value, key string, change func(*yamltree.Value) *yamltree.Value) *yamltree.Value {
	if v == nil {
		return nil
	}
	for i, e := range v.Entries {
		if e.Key == key {
			return put(v, i, change(e.Value))
		}
	}
	return v
}

// editEach gives a mapping with what is under each key changed.
func editEach(v *yamltree.Value, change func(*yamltree.Value) *yamltree.Value) *yamltree.Value {
	out := v
	for i, e := range v.Entries {
		if changed := change(e.Value); changed != e.Value {
			if out == v {
				out = put(v, i, changed)
			}
			out.Entries[i].Value = changed
		}
	}
	return out
}

// put gives v, copied, with another value in one entry; v itself if it is the same.
func put(v *yamltree.Value, i int, to *yamltree.Value) *yamltree.Value {
	if to == v.Entries[i].Value {
		return v
	}
	out := *v
	out.Entries = slices.Clone(v.Entries)
	out.Entries[i].Value = to
	return &out
}
