package workflowtest

import (
	"slices"

	"pflow/internal/value"
	"pflow/ir"
)

// sortedParams are the params of a node in which templates are expanded.
func sortedParams(n *ir.Node, c *ir.Catalogue) []string {
	of := c.Get(n.Type)
	return slices.DeleteFunc(value.SortedKeys(n.Params), func(k string) bool {
		if of == nil {
			return false
		}
		port, known := of.Param(k)
		return known && port.Raw
	})
}

// certainty says of a node whether what becomes of it, and what it gives, would be the same in a run with real values.
type certainty struct{ sees, gives bool }

// certain says of each node whether it sees nothing that is made up and does not run because of such a value. What it cannot
// tell it takes for uncertain.
func certain(w *ir.Workflow, c *ir.Catalogue, madeUp func(n *ir.Node) bool, known func(input string) bool) map[*ir.Node]certainty {
	unseen := map[*ir.Node]bool{}
	bad, chosen := map[string]bool{}, map[string]bool{} // nodes by id: that give what is made up, that run because of such a value
	incoming := map[string][]ir.Edge{}
	for _, e := range w.Edges {
		incoming[e.To] = append(incoming[e.To], e)
	}
	for again := true; again; {
		again = false
		for i := range w.Nodes {
			n := &w.Nodes[i]
			if !chosen[n.ID] && slices.ContainsFunc(incoming[n.ID], func(e ir.Edge) bool {
				return chosen[e.From] || unseen[&w.Nodes[w.Node(e.From)]] && branches(w, e.From)
			}) {
				chosen[n.ID], again = true, true
			}
			if !unseen[n] && (chosen[n.ID] || readsUncertain(w, n, c, bad, known)) {
				unseen[n], again = true, true
			}
			if !bad[n.ID] && (unseen[n] || madeUp(n)) {
				bad[n.ID], again = true, true
			}
		}
	}
	out := map[*ir.Node]certainty{}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		out[n] = certainty{sees: !unseen[n], gives: !bad[n.ID]}
	}
	return out
}

// branches reports whether a node has edges for several actions.
func branches(w *ir.Workflow, id string) bool {
	return slices.ContainsFunc(w.Edges, func(e ir.Edge) bool { return e.From == id && e.Action != ir.ActionDefault })
}

// readsUncertain reports whether anything in a node reads what is not known.
func readsUncertain(w *ir.Workflow, n *ir.Node, c *ir.Catalogue, bad map[string]bool, known func(input string) bool) bool {
	found := false
	read := func(v any) {
		p, _ := ir.Compile(v)
		p.Walk(func(_ string, e *ir.Expr) {
			for _, alt := range e.Alts {
				if alt.Ref == nil {
					continue
				}
				root := alt.Ref.Root
				_, input := w.Input(root)
				switch {
				case n.Batch != nil && root == n.Batch.As, n.Repeat != nil && (root == ir.IndexRoot || root == ir.PreviousRoot):
					// what it is of is read, too, or is its own
				case input:
					found = found || !known(root)
				case w.Node(root) >= 0:
					found = found || bad[root]
				default:
					found = true // a flat key, the piped text or an implied input
				}
			}
		})
	}
	for _, k := range sortedParams(n, c) {
		read(n.Params[k])
	}
	if n.Batch != nil {
		read(n.Batch.Items)
	}
	for _, s := range n.Settings() {
		if !s.Raw {
			read(s.Value)
		}
	}
	of := c.Get(n.Type)
	if of == nil {
		return true
	}
	for i := range of.Inputs { // one that is left out is bound by its name
		in := &of.Inputs[i]
		found = found || in.Required && in.Default == nil && n.Params[in.Key] == nil
	}
	return found || n.Repeat != nil && len(w.Inputs) > 0
}
