package ir

import (
	"slices"
	"strings"
)

// order is a check that needs the order of the nodes: an expression with what it reads of which nodes.
type order struct {
	use
	text string
	refs []nodeRef
	sure bool // it has an alternative that is always there
	bind *Port
}

type nodeRef struct {
	node   int
	text   string
	failed bool // it reads the node's error
}

// orders checks that what is read was written before, and for sure.
func (v *validator) orders(all []order) {
	var queries [][2]int
	for _, o := range all {
		for _, r := range o.refs {
			queries = append(queries, [2]int{o.node, r.node})
		}
	}
	if len(queries) == 0 {
		return
	}
	answers := v.g.upstream(queries)
	if v.alive == nil {
		v.alive = newLiveness(v.g, v.results)
	}
	for _, o := range all {
		mine := answers[:len(o.refs)]
		answers = answers[len(o.refs):]
		v.order(o, mine, v.alive)
	}
}

// behind reports whether a node runs only after another one. It costs a pass over the graph, so only the first are asked for.
func (v *validator) behind(node, before int) bool {
	v.hints--
	return v.hints >= 0 && v.g.upstream([][2]int{{node, before}})[0]
}

func (v *validator) order(o order, before []bool, alive *liveness) {
	var outcomes []*guard
	sure, late := o.sure, false
	for i, r := range o.refs {
		id, to := v.w.Nodes[r.node].ID, v.w.Nodes[o.node].ID
		switch {
		case v.unread.order(r.node, o.node):
			sure = true
			continue
		case v.g.sameCycle(r.node, o.node), !v.g.reached[r.node], !v.g.reached[o.node]:
			sure = true // the cycle, or the node that is not reached, is reported; what follows from it is not
			if r.node != o.node {
				continue
			}
		case before[i]:
			if r.failed && !v.g.errorEdges[r.node] {
				v.error(UnresolvedTemplate, o.path, o.node, "${%s}: %q has no error edge, so its failure ends the run; add an edge from it with the action \"error\"", r.text, id)
				sure = true
				continue
			}
			if r.failed {
				outcomes = append(outcomes, alive.failed(r.node)...)
			} else {
				outcomes = append(outcomes, alive.succeeded(r.node)...)
			}
			continue
		}
		late = true
		switch {
		case o.bind != nil:
			v.missing(o.use, o.bind)
		case r.node == o.node:
			v.error(ForwardReference, o.path, o.node, "${%s}: %q reads its own output, which is not written before it ran", r.text, id)
		case v.behind(r.node, o.node):
			v.error(ForwardReference, o.path, o.node, "${%s}: %q runs only after %q; read an earlier node, or turn around the edges between them", r.text, id, to).Alternatives = v.reach(o.use)
		default:
			v.error(ForwardReference, o.path, o.node, "${%s}: %q does not run before %q; lead an edge from it to here, or read an earlier node", r.text, id, to)
		}
	}
	if sure || late || alive.certain(o.node, outcomes) {
		return
	}
	if o.bind != nil {
		v.missing(o.use, o.bind)
		return
	}
	var ids []string
	for _, r := range o.refs {
		ids = append(ids, v.w.Nodes[r.node].ID)
	}
	last := o.refs[len(o.refs)-1]
	what := "may not have run"
	if last.failed {
		what = "may not have failed"
	}
	better := strings.TrimSuffix(braced(o.text), "}") + ` ?? ""}`
	v.error(UnresolvedTemplate, o.path, o.node, "%s: %s %s when %q starts; give a default, as in %s",
		o.text, strings.Join(ids, " and "), what, v.w.Nodes[o.node].ID, better).Suggestion = better
}

// braced writes a bare template with braces.
func braced(text string) string {
	if strings.HasPrefix(text, "${") {
		return text
	}
	return "${" + text[1:] + "}"
}

// resultsOf gives, per node, the actions it ends with if it does not fail. Of a node of unknown type nothing is known,
// so it has those its edges name.
func (v *validator) resultsOf() func(int) []string {
	only := []string{ActionDefault}
	lists := make([][]string, len(v.w.Nodes))
	for i, c := range v.components {
		switch {
		case v.w.Nodes[i].Batch != nil:
			lists[i] = only
		case c != nil && (len(c.Actions) > 0 || c.Cases != ""):
			lists[i] = c.ResultsOf(v.w.Nodes[i].Params)
		case c != nil:
			lists[i] = only
		default:
			lists[i] = []string{ActionDefault}
			for _, e := range v.g.out[i] {
				if a := v.w.Edges[e].Action; a != ActionError && !slices.Contains(lists[i], a) {
					lists[i] = append(lists[i], a)
				}
			}
		}
	}
	return func(n int) []string { return lists[n] }
}
