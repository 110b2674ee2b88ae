package engine

import (
	"slices"
	"strings"

	"pflow/internal/diag"
)

// checkGraph reports nodes that no run reaches and nodes from which no run can end. Of nodes that hang together only the
// first is reported: if a run reached it, it would reach the others, or if it led to end, the others would.
func (c *compiler) checkGraph() {
	nodes := c.flow.nodes
	edges := make([][]int, len(nodes))
	into := make([][]int, len(nodes))
	ends := make([]bool, len(nodes))
	var todo []int
	for i := range nodes {
		for _, to := range nodes[i].edges() {
			if to == toEnd {
				todo = append(todo, i)
				continue
			}
			edges[i] = append(edges[i], to)
			into[to] = append(into[to], i)
		}
	}
	spread(ends, todo, into)
	reached := make([]bool, len(nodes))
	spread(reached, []int{c.flow.start}, edges)

	for _, group := range lastGroups(into, func(i int) bool { return !reached[i] }) {
		c.reportGroup(group, "unreachable-node", "no path from %q leads here; route an action to this node, or remove it", nodes[c.flow.start].id)
	}
	for _, group := range lastGroups(edges, func(i int) bool { return reached[i] && !ends[i] }) {
		c.reportGroup(group, "no-path-to-end", "no path leads from here to end; route an action of this node to end")
	}
}

// spread marks the nodes of todo and all that edges lead to from them.
func spread(marked []bool, todo []int, edges [][]int) {
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !marked[i] {
			marked[i] = true
			todo = append(todo, edges[i]...)
		}
	}
}

// reportGroup reports at the first node of a group and names the others.
func (c *compiler) reportGroup(group []int, kind, format string, args ...any) {
	first := group[0]
	c.node = c.flow.nodes[first].id
	defer func() { c.node = "" }()
	if len(group) > 1 {
		var others []string
		for _, i := range group[1:] {
			others = append(others, c.flow.nodes[i].id)
		}
		format = strings.Replace(format, "this node", "this node, or of those it circles with ("+strings.ReplaceAll(diag.Names(others, 5), "%", "%%")+"),", 1)
	}
	c.report(whole(c.facts[first].src.ID.V), kind, none, format, args...)
}

// lastGroups finds the nodes in question that lead to each other in circles, or stand alone, and from which no edge
// leads to others in question. Groups and their nodes are in the order of the document. It is Tarjan's algorithm for
// strongly connected components, kept to the components without a way out.
func lastGroups(edges [][]int, asked func(int) bool) [][]int {
	t := tarjan{edges: edges, asked: asked, order: make([]int, len(edges)), low: make([]int, len(edges)), group: make([]int, len(edges))}
	for i := range edges {
		if asked(i) && t.order[i] == 0 {
			t.visit(i)
		}
	}
	for i := range edges {
		for _, to := range edges[i] {
			if asked(i) && asked(to) && t.group[i] != t.group[to] {
				t.groups[t.group[i]-1] = nil
			}
		}
	}
	out := slices.DeleteFunc(t.groups, func(g []int) bool { return g == nil })
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out
}

type tarjan struct {
	edges  [][]int
	asked  func(int) bool
	order  []int // when a node was visited, from 1
	low    []int // the earliest node that it leads back to
	group  []int // from 1, once it is known
	stack  []int
	groups [][]int
	visits int
}

func (t *tarjan) visit(i int) {
	t.visits++
	t.order[i], t.low[i] = t.visits, t.visits
	t.stack = append(t.stack, i)
	for _, to := range t.edges[i] {
		switch {
		case !t.asked(to) || t.group[to] != 0:
		case t.order[to] == 0:
			t.visit(to)
			t.low[i] = min(t.low[i], t.low[to])
		default:
			t.low[i] = min(t.low[i], t.order[to])
		}
	}
	if t.low[i] != t.order[i] {
		return
	}
	at := len(t.stack) - 1
	for t.stack[at] != i {
		at--
	}
	members := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	slices.Sort(members)
	t.groups = append(t.groups, members)
	for _, m := range members {
		t.group[m] = len(t.groups)
	}
}
