package ir

import "slices"

// liveness knows under which conditions a node runs, so that a reference to a node that may be dead can be told from
// one that is certain.
//
// A guard is what must have happened for a node to run: a chain of outcomes (node, action), written as a tree whose
// root is "always". A node that can only end in one way adds no outcome: a failure without an error edge ends the run.
// Where several edges meet, the node runs if one of them is taken: outcomes that together cover all a node can do
// cancel out, and what is left is the common part of the guards with the alternatives noted beside it.
type liveness struct {
	g        *graph
	results  func(node int) []string // the actions of a node that did not fail
	root     *guard
	guards   []*guard            // per node; nil: it never runs, or stands in a cycle
	outcomes []map[string]*guard // per node: the guard of each outcome
	budget   int
}

type guard struct {
	up, jump *guard // jump skips ancestors, so that they are found in logarithmic time
	depth    int
	node     int      // whose outcome it is; -1 for the root and for alternatives
	either   []*guard // of alternatives: one of them holds
}

func newLiveness(g *graph, results func(int) []string) *liveness {
	root := &guard{node: -1}
	root.up, root.jump = root, root
	l := &liveness{g: g, results: results, root: root, guards: make([]*guard, len(g.out)), outcomes: make([]map[string]*guard, len(g.out)),
		budget: 1 << 22}
	begins := make([]bool, len(g.out))
	for _, n := range g.starts {
		begins[n] = true
	}
	for _, n := range g.order {
		if begins[n] {
			l.guards[n] = root
			continue
		}
		var in []*guard
		for _, e := range g.in[n] {
			if from := g.from[e]; l.guards[from] != nil && g.component[from] != g.component[n] {
				in = append(in, l.outcome(from, g.w.Edges[e].Action))
			}
		}
		if len(in) > 0 {
			l.guards[n] = l.join(in)
		}
	}
	return l
}

func (l *liveness) child(up *guard, node int) *guard {
	g := &guard{up: up, depth: up.depth + 1, node: node, jump: up}
	if up.depth-up.jump.depth == up.jump.depth-up.jump.jump.depth {
		g.jump = up.jump.jump
	}
	return g
}

// outcome is the guard of what follows a node that ended with an action.
func (l *liveness) outcome(node int, action string) *guard {
	if l.outcomes[node] == nil {
		l.outcomes[node] = map[string]*guard{}
		ways := l.results(node)
		for _, a := range ways {
			if len(ways) == 1 && !l.g.errorEdges[node] {
				l.outcomes[node][a] = l.guards[node]
			} else {
				l.outcomes[node][a] = l.child(l.guards[node], node)
			}
		}
		if l.g.errorEdges[node] {
			l.outcomes[node][ActionError] = l.child(l.guards[node], node)
		}
	}
	g := l.outcomes[node][action]
	if g == nil { // an action the node does not have: never taken, reported elsewhere
		g = l.child(l.guards[node], node)
		g.node = -1
		l.outcomes[node][action] = g
	}
	return g
}

// ancestor is the guard above b at a depth, b itself if it is not deeper.
func ancestor(b *guard, depth int) *guard {
	for b.depth > depth {
		if b.jump.depth >= depth {
			b = b.jump
		} else {
			b = b.up
		}
	}
	return b
}

// common is the deepest guard above both.
func common(a, b *guard) *guard {
	if a.depth > b.depth {
		a, b = b, a
	}
	b = ancestor(b, a.depth)
	for a != b {
		if a.jump != b.jump {
			a, b = a.jump, b.jump
		} else {
			a, b = a.up, b.up
		}
	}
	return a
}

// cover closes a set of guards: where all outcomes of a node are in it, its guard is.
func (l *liveness) cover(set []*guard) map[*guard]bool {
	covered := make(map[*guard]bool, len(set))
	seen := map[int]int{} // node -> how many of its outcomes are covered
	work := append([]*guard(nil), set...)
	for len(work) > 0 {
		g := work[len(work)-1]
		work = work[:len(work)-1]
		if covered[g] {
			continue
		}
		covered[g] = true
		if g.node < 0 {
			continue
		}
		seen[g.node]++
		ways := len(l.results(g.node))
		if l.g.errorEdges[g.node] {
			ways++
		}
		if seen[g.node] == ways {
			work = append(work, g.up)
		}
	}
	return covered
}

func (l *liveness) join(in []*guard) *guard {
	all := in[0]
	for _, g := range in[1:] {
		all = common(all, g)
	}
	if len(in) == 1 || l.cover(in)[all] {
		return all
	}
	g := l.child(all, -1)
	g.either = in
	return g
}

// certain reports whether, when node runs, at least one of some outcomes has happened.
func (l *liveness) certain(node int, outcomes []*guard) bool {
	at := l.guards[node]
	if at == nil {
		return true // it does not run at all, which is said elsewhere
	}
	return l.implied(at, l.cover(outcomes), map[*guard]bool{}, 0)
}

// implied is certain for a guard. A covered guard k that is not above it can still matter through alternatives: those
// on the way to the guard that k is one side of, which are right below what both have in common. All their sides must be
// implied then. Past its depth or budget the answer is no, which asks for a ?? that may not be needed and never lets a
// wrong reference pass.
func (l *liveness) implied(at *guard, covered, known map[*guard]bool, depth int) bool {
	if yes, ok := known[at]; ok {
		return yes
	}
	l.budget -= len(covered)
	const deepest = 1000
	if depth > deepest || l.budget < 0 {
		return false
	}
	sides := map[*guard]bool{}
	for k := range covered {
		both := common(k, at)
		if both == k {
			known[at] = true
			return true
		}
		if below := ancestor(at, both.depth+1); below.either != nil {
			sides[below] = true
		}
	}
	yes := false
	for e := range sides {
		yes = yes || !slices.ContainsFunc(e.either, func(g *guard) bool { return !l.implied(g, covered, known, depth+1) })
	}
	known[at] = yes
	return yes
}

// succeeded gives the outcomes after which a node has written its outputs, failed those after which it has an error.
func (l *liveness) succeeded(node int) []*guard {
	if l.guards[node] == nil {
		return nil
	}
	var out []*guard
	for _, a := range l.results(node) {
		out = append(out, l.outcome(node, a))
	}
	return out
}

func (l *liveness) failed(node int) []*guard {
	if l.guards[node] == nil {
		return nil
	}
	return []*guard{l.outcome(node, ActionError)}
}
