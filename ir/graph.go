package ir

import (
	"fmt"
	"slices"
	"strings"
)

// graph is a workflow's nodes and edges by index. Edges from or to nodes that do not exist are left out, and of equal
// edges the first is kept.
type graph struct {
	w          *Workflow
	starts     []int   // the nodes that begin
	out, in    [][]int // per node: indexes into w.Edges
	from, to   []int   // per edge
	reached    []bool  // per node: can be reached from one that begins
	component  []int   // per node: its strongly connected component
	cyclic     []bool  // per component: holds a cycle
	order      []int   // all nodes; along edges, but inside a cycle
	ids        map[string]int
	errorEdges []bool // per node: an error edge leaves it
}

func newGraph(w *Workflow) *graph {
	n := len(w.Nodes)
	g := &graph{w: w, out: make([][]int, n), in: make([][]int, n), from: make([]int, len(w.Edges)), to: make([]int, len(w.Edges)),
		ids: make(map[string]int, n), errorEdges: make([]bool, n)}
	for i := range w.Nodes {
		if _, twice := g.ids[w.Nodes[i].ID]; !twice && w.Nodes[i].ID != "" {
			g.ids[w.Nodes[i].ID] = i
		}
	}
	seen := make(map[Edge]bool, len(w.Edges))
	for i, e := range w.Edges {
		from, ok1 := g.ids[e.From]
		to, ok2 := g.ids[e.To]
		if !ok1 || !ok2 || seen[e] {
			continue
		}
		seen[e] = true
		g.from[i], g.to[i] = from, to
		g.out[from] = append(g.out[from], i)
		g.in[to] = append(g.in[to], i)
		if e.Action == ActionError {
			g.errorEdges[from] = true
		}
	}
	g.starts = w.Starts()
	g.walk()
	g.components()
	return g
}

// walk marks what can be reached from the nodes that begin.
func (g *graph) walk() {
	g.reached = make([]bool, len(g.out))
	stack := slices.Clone(g.starts)
	for _, n := range stack {
		g.reached[n] = true
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range g.out[n] {
			if to := g.to[e]; !g.reached[to] {
				g.reached[to] = true
				stack = append(stack, to)
			}
		}
	}
}

// components is Tarjan's algorithm with a stack of its own, since a chain may be as long as the document. Components are
// found in reverse topological order.
func (g *graph) components() {
	n := len(g.out)
	g.component = make([]int, n)
	index, low := make([]int, n), make([]int, n) // index 0: not seen
	onStack := make([]bool, n)
	type frame struct{ node, edge int }
	var stack []int
	var found [][]int
	next := 1
	for root := n - 1; root >= 0; root-- {
		if index[root] != 0 {
			continue
		}
		frames := []frame{{root, 0}}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			v := f.node
			if f.edge == 0 {
				index[v], low[v] = next, next
				next++
				stack = append(stack, v)
				onStack[v] = true
			}
			descended := false
			for f.edge < len(g.out[v]) {
				to := g.to[g.out[v][len(g.out[v])-1-f.edge]]
				f.edge++
				if index[to] == 0 {
					frames = append(frames, frame{to, 0})
					descended = true
					break
				}
				if onStack[to] {
					low[v] = min(low[v], index[to])
				}
			}
			if descended {
				continue
			}
			if low[v] == index[v] {
				var members []int
				for {
					m := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					onStack[m] = false
					g.component[m] = len(found)
					members = append(members, m)
					if m == v {
						break
					}
				}
				found = append(found, members)
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].node
				low[up] = min(low[up], low[v])
			}
		}
	}
	g.cyclic = make([]bool, len(found))
	for c := len(found) - 1; c >= 0; c-- {
		members := found[c]
		g.cyclic[c] = len(members) > 1
		for i := len(members) - 1; i >= 0; i-- {
			g.order = append(g.order, members[i])
		}
		if len(members) == 1 {
			for _, e := range g.out[members[0]] {
				g.cyclic[c] = g.cyclic[c] || g.to[e] == members[0]
			}
		}
	}
}

// sameCycle reports whether two nodes stand in one cycle, so that neither comes first.
func (g *graph) sameCycle(a, b int) bool {
	return g.component[a] == g.component[b] && g.cyclic[g.component[a]]
}

// cycle finds the shortest cycle through a node of a cyclic component: the edges in order.
func (g *graph) cycle(node int) []int {
	came := map[int]int{} // node -> edge by which it was first reached
	queue := []int{node}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, e := range g.out[n] {
			to := g.to[e]
			if g.component[to] != g.component[node] {
				continue
			}
			if to == node {
				path := []int{e}
				for n != node {
					path = append(path, came[n])
					n = g.from[came[n]]
				}
				for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
					path[i], path[j] = path[j], path[i]
				}
				return path
			}
			if _, seen := came[to]; !seen {
				came[to] = e
				queue = append(queue, to)
			}
		}
	}
	return nil
}

// cycleText writes a cycle as a -> b -> a, a long one shortened in the middle.
func (g *graph) cycleText(edges []int) string {
	const most, head, tail = 10, 5, 3
	var names []string
	for i, e := range edges {
		switch {
		case len(edges) > most && i == head:
			names = append(names, fmt.Sprintf("(%d more)", len(edges)-head-tail))
		case len(edges) > most && i > head && i < len(edges)-tail:
		default:
			names = append(names, g.w.Edges[e].From)
		}
	}
	return strings.Join(append(names, g.w.Edges[edges[0]].From), " -> ")
}

// upstream answers which of some nodes are decided before which others start: for each query (node, before) whether a
// path leads from before to node. It passes over the graph once for every 64 different nodes asked about.
func (g *graph) upstream(queries [][2]int) []bool {
	answers := make([]bool, len(queries))
	byBefore := map[int][]int{}
	var befores []int
	for q, pair := range queries {
		if byBefore[pair[1]] == nil {
			befores = append(befores, pair[1])
		}
		byBefore[pair[1]] = append(byBefore[pair[1]], q)
	}
	mask := make([]uint64, len(g.out))
	for len(befores) > 0 {
		block := befores[:min(64, len(befores))]
		befores = befores[len(block):]
		clear(mask)
		bit := map[int]uint64{}
		for i, b := range block {
			bit[b] = 1 << i
		}
		for _, n := range g.order {
			for _, e := range g.in[n] {
				from := g.from[e]
				if g.component[from] != g.component[n] {
					mask[n] |= mask[from] | bit[from]
				}
			}
		}
		for _, b := range block {
			for _, q := range byBefore[b] {
				answers[q] = mask[queries[q][0]]&bit[b] != 0
			}
		}
	}
	return answers
}
