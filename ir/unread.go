package ir

import (
	"slices"
	"strings"

	"pflow/internal/diag"
)

// unread knows what could not be read of a document. What only follows from that is not told: one mistake is one finding,
// and mending it mends the rest.
type unread struct {
	at    map[string]bool // paths at which a mistake of form is, or to which a misspelt key belongs
	keyed []bool          // per node: it has a key that nodes do not have, which may have been meant as params
	words map[string]bool // of the values that could not be read: what is named there counts as used
	roots bool            // a root that nothing gives may be a node without an id, or an input of those that could not be read
	edges bool            // of an edge neither end is known, or a node has no id by which an edge could lead to it
	leads bool            // of an edge only the node that it leaves is known
	// Per node: an edge that leads nobody knows where leaves it or one behind it; one that comes from nobody knows where
	// leads to it or to one before it.
	before, after []bool
}

func newUnread(w *Workflow, d *decoder, g *graph) *unread {
	n := len(w.Nodes)
	u := &unread{at: map[string]bool{}, keyed: make([]bool, n), words: map[string]bool{}, before: make([]bool, n), after: make([]bool, n)}
	for _, f := range d.list {
		if f.Severity == diag.Error {
			u.at[f.Path] = true
			if f.Kind == UnknownKey && f.Node != "" && strings.Count(f.Path, ".") == 1 {
				if i, ok := g.ids[f.Node]; ok {
					u.keyed[i] = true
				}
			}
		}
	}
	for _, v := range d.lost {
		u.lose(plain(v))
	}
	nameless := slices.ContainsFunc(w.Nodes, func(n Node) bool { return n.ID == "" })
	u.roots = nameless || u.at["inputs"]
	u.edges = nameless || u.at["edges"] || u.at["start_node"]
	var from, to []int
	for _, e := range w.Edges {
		a, leaves := g.ids[e.From]
		b, leads := g.ids[e.To]
		switch {
		case leaves && leads:
		case leaves:
			from = append(from, a)
		case leads:
			to = append(to, b)
		default:
			u.edges = true
		}
	}
	u.leads = len(from) > 0
	spread(from, u.before, g.in, g.from)
	spread(to, u.after, g.out, g.to)
	return u
}

// spread marks nodes and all that edges lead on to.
func spread(nodes []int, marked []bool, edges [][]int, end []int) {
	for len(nodes) > 0 {
		n := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		if marked[n] {
			continue
		}
		marked[n] = true
		for _, e := range edges[n] {
			nodes = append(nodes, end[e])
		}
	}
}

// lose notes the words of a value that could not be read.
func (u *unread) lose(v any) {
	for _, w := range strings.FieldsFunc(Text(v), func(r rune) bool { return r > 127 || !isWord(byte(r)) && r != '-' }) {
		u.words[w] = true
	}
}

// params reports whether the params of a node could not be read, so that what it lacks is not known.
func (u *unread) params(w *Workflow, node int) bool {
	return u.at[index("nodes", node)+".params"] || len(w.Nodes[node].Params) == 0 && u.keyed[node]
}

// order reports whether one node may come before another by an edge that could not be read.
func (u *unread) order(first, then int) bool { return u.edges || u.before[first] || u.after[then] }

// reach reports whether a node may be reached by an edge that could not be read.
func (u *unread) reach(node int) bool { return u.edges || u.leads || u.after[node] }
