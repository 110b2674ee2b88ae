package engine

import (
	"slices"
	"strings"
	"time"

	"pflow/engine/cond"
	"pflow/internal/value"
)

// StateKey is a declared key of a flow's store, as documentation and command lines need it.
type StateKey struct {
	Name     string     `json:"name"`
	Type     value.Type `json:"type"`
	Required bool       `json:"required"`
	Default  any        `json:"default"`
}

// State lists the declared keys, sorted by name.
func (f *Flow) State() []StateKey {
	var out []StateKey
	for _, name := range f.Inputs() {
		k := f.keys[name]
		out = append(out, StateKey{name, k.typ, k.required, k.def})
	}
	return out
}

// Params gives the flow's constants.
func (f *Flow) Params() map[string]any { return f.params }

// FunctionInfo is a function of a flow; Body is its source, in the language Lang.
type FunctionInfo struct {
	Name string    `json:"name"`
	Args []string  `json:"args"`
	Lang cond.Lang `json:"lang"`
	Body string    `json:"body"`
}

// String is the function on one line.
func (f FunctionInfo) String() string {
	body := strings.Join(strings.Fields(f.Body), " ")
	return f.Name + "(" + strings.Join(f.Args, ", ") + ") = " + body
}

// Functions lists the functions that the flow declares, in the order of the document.
func (f *Flow) Functions() []FunctionInfo { return f.funcs }

// Target is how long the visits of a node are meant to take.
type Target struct {
	Node    string
	Percent int // of the visits: 50, 95 or 99
	Within  time.Duration
}

// Targets lists those that the flow declares, in the order of its nodes.
func (f *Flow) Targets() []Target { return f.targets }

// Edge is one way from a node to another, or to End. Condition is what must hold, as its author wrote it; Caught tells
// the edge that an error takes.
type Edge struct {
	From      string `json:"from"`
	Action    string `json:"action"`
	To        string `json:"to"`
	Condition string `json:"condition,omitempty"`
	Caught    bool   `json:"caught,omitempty"`
}

// Edges lists the flow's edges, in the order of its nodes; of one node those with conditions first, in their order.
func (f *Flow) Edges() []Edge {
	var out []Edge
	for i := range f.nodes {
		n := &f.nodes[i]
		if f.dag != nil {
			for _, e := range f.dag.edges[i] {
				out = append(out, Edge{From: n.id, Action: e.action, To: f.nodes[e.to].id, Caught: e.action == n.catch})
			}
			continue
		}
		listed := map[string]bool{}
		add := func(action, condition string) {
			to, ok := n.next[action]
			if !ok {
				to = n.catchAll
			}
			if key := action + "\x00" + condition; !listed[key] {
				listed[key], listed[action] = true, true
				out = append(out, Edge{From: n.id, Action: action, To: f.nodeName(to), Condition: condition, Caught: action == n.catch})
			}
		}
		for _, c := range n.cases {
			add(c.action, c.source)
		}
		for _, action := range value.SortedKeys(n.next) {
			if !listed[action] {
				add(action, "")
			}
		}
		if n.catchAll != noRoute {
			out = append(out, Edge{From: n.id, Action: anyAction, To: f.nodeName(n.catchAll)})
		}
	}
	return out
}

func (f *Flow) nodeName(i int) string {
	if i < 0 {
		return End
	}
	return f.nodes[i].id
}

// NodeInfo is what a node is, for listings.
type NodeInfo struct {
	ID   string   `json:"id"`
	Op   string   `json:"op"`
	Runs []string `json:"runs,omitempty"` // the inner ops and flows of flow, map and parallel
	Vars []string `json:"vars,omitempty"` // the names of what post and action share
}

// Describe lists the nodes in the order of the document.
func (f *Flow) Describe() []NodeInfo {
	var out []NodeInfo
	for i := range f.nodes {
		n := &f.nodes[i]
		info := NodeInfo{ID: n.id, Op: n.mode.String()}
		for _, u := range n.units {
			switch {
			case n.mode == modeOp:
				info.Op = u.op.Name
			case u.flow != nil:
				info.Runs = append(info.Runs, u.flow.Name)
			case u.op != nil:
				info.Runs = append(info.Runs, u.op.Name)
			}
		}
		for _, b := range n.vars {
			info.Vars = append(info.Vars, b.Name)
		}
		out = append(out, info)
	}
	return out
}

func (m mode) String() string { return [...]string{"op", "flow", "map", "parallel"}[m] }

// Start is the id of the node that runs first.
func (f *Flow) Start() string { return f.nodes[f.start].id }

// Only gives a flow of one node alone: it runs that node on whatever store it is given, and ends. Nil if there is no
// such node.
func (f *Flow) Only(id string) *Flow {
	i := slices.Index(f.Nodes(), id)
	if i < 0 || f.dag != nil {
		return nil
	}
	one := *f
	one.keys = make(map[string]stateKey, len(f.keys))
	for name, k := range f.keys {
		k.required = false
		one.keys[name] = k
	}
	n := f.nodes[i]
	n.next, n.catchAll = map[string]int{}, toEnd
	one.nodes, one.start, one.run = []node{n}, 0, f.run.only(i)
	return &one
}
