package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"pflow/engine/cond"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// DAG describes a flow whose nodes run as soon as their incoming edges are decided, each at most once: what a workflow
// is compiled to. The store is open: each node writes its result under its own id.
type DAG struct {
	Name, Description string
	File              string
	Hash              string // of what the dag was made from
	Nodes             []DAGNode
	Edges             []DAGEdge
	Starts            []string // the nodes that begin
	Concurrency       int      // how many nodes may be under way at once; 0: one
	Timeout           time.Duration
}

// DAGNode is one node. It runs an op (Op and Exec) or an inner flow.
type DAGNode struct {
	ID    string
	Place diag.Place
	Op    *Op
	Exec  Exec
	Flow  *Flow
	// Prep is evaluated with the store, params and, in a batch, item and index in scope.
	Prep   []Binding
	Batch  *Batch
	Repeat *Repeat // in a batch: of each item
	// Result is what the node writes under its id; it sees prep and result. nil: the result as it is.
	Result Evaluator

	Settings
	Exponential bool
	// Late, if not nil, is asked when the node's turn comes, before prep, and gives the settings that stand in place of
	// those above. It must depend on the scope alone, since a resumed run asks again.
	Late func(*cond.Scope) (Settings, error)
}

// Settings are the numbers and durations of a node.
type Settings struct {
	Attempts    int // 0: one
	Wait        time.Duration
	Timeout     time.Duration // 0: none
	Concurrency int           // of a batch; 0: one
	Rounds      int           // of a node that repeats, at most
	Pause       time.Duration // between two of them
}

// Batch runs a node once for each item.
type Batch struct {
	Items     Evaluator
	KeepGoing bool
}

// DAGEdge leads from a node that finished with an action to another. The action error is taken by a node that failed.
type DAGEdge struct{ From, Action, To string }

// ErrorAction is the action of the edge that a node's failure takes in a dag.
const ErrorAction = "error"

// NewDAG compiles a dag. Its edges must lead between its nodes and make no cycle; what made it has checked that, so a
// fault here is an error of the program and not of the user.
func NewDAG(d DAG) (*Flow, error) {
	f := &Flow{
		Name: d.Name, Description: d.Description, File: d.File, Hash: d.Hash, params: map[string]any{},
		limits: limits{timeout: d.Timeout}, ends: []string{DefaultAction},
		nodes: make([]node, len(d.Nodes)),
		dag:   &dag{edges: make([][]dagEdge, len(d.Nodes)), incoming: make([]int, len(d.Nodes)), concurrency: max(1, d.Concurrency)},
	}
	index := make(map[string]int, len(d.Nodes))
	for i := range d.Nodes {
		if _, twice := index[d.Nodes[i].ID]; twice {
			return nil, fmt.Errorf("engine: two nodes of the dag %s are named %q", d.Name, d.Nodes[i].ID)
		}
		index[d.Nodes[i].ID] = i
		f.nodes[i] = d.Nodes[i].compile()
	}
	for _, e := range d.Edges {
		from, ok1 := index[e.From]
		to, ok2 := index[e.To]
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("engine: the edge %s -> %s of the dag %s leads to no node", e.From, e.To, d.Name)
		}
		f.dag.edges[from] = append(f.dag.edges[from], dagEdge{e.Action, to})
		f.dag.incoming[to]++
		if e.Action == ErrorAction {
			f.nodes[from].catch, f.nodes[from].errorTo = ErrorAction, e.From
		}
	}
	for _, id := range d.Starts {
		start, ok := index[id]
		if !ok || f.dag.incoming[start] > 0 {
			return nil, fmt.Errorf("engine: the start %q of the dag %s is no node without incoming edges", id, d.Name)
		}
		f.dag.starts = append(f.dag.starts, start)
	}
	if len(f.dag.starts) == 0 {
		return nil, fmt.Errorf("engine: no node of the dag %s begins", d.Name)
	}
	f.start = f.dag.starts[0]
	if f.Hash == "" {
		sum := sha256.Sum256([]byte(d.Name))
		f.Hash = hex.EncodeToString(sum[:])
	}
	return f, nil
}

func (d *DAGNode) compile() node {
	prep := make([]Binding, len(d.Prep))
	for i, b := range d.Prep {
		prep[i] = Binding{b.Name, guarded{b.Expr}}
	}
	n := node{
		id: d.ID, place: d.Place, catchAll: noRoute, retry: retry{exponential: d.Exponential}, late: d.Late,
		post: []write{{Binding{d.ID, resultOf{}}, stateKey{typ: value.Any}}},
	}
	n.repeats = d.Repeat != nil
	n.set(d.Settings)
	if d.Result != nil {
		n.post[0].Expr = guarded{d.Result}
	}
	unit := unitSpec{op: d.Op, exec: d.Exec, flow: d.Flow}
	if d.Repeat != nil {
		unit = unitSpec{flow: d.rounds()}
		prep = []Binding{{storeOfPrep, guarded{d.Repeat.Store}}}
	}
	switch {
	case d.Batch != nil:
		n.mode, n.prep = modeMap, []Binding{{"items", guarded{d.Batch.Items}}}
		n.keepGoing = d.Batch.KeepGoing
		unit.prep = prep
	case unit.flow != nil:
		n.mode, n.prep = modeFlow, prep
	default:
		n.mode, n.prep = modeOp, prep
	}
	n.units = []unitSpec{unit}
	return n
}

// set gives a node its numbers and durations. Those of a node that repeats are kept for its rounds.
func (n *node) set(s Settings) {
	n.settings = s
	if n.repeats {
		n.concurrency = max(1, s.Concurrency)
		return
	}
	n.retry.attempts, n.retry.wait, n.timeout, n.concurrency = max(1, s.Attempts), s.Wait, s.Timeout, max(1, s.Concurrency)
}

// settled is the node as it runs in one visit: with the settings that the scope gives it.
func (n *node) settled(f *frame, s *cond.Scope) (*node, *fault.Error) {
	if n.until != nil && f.outer().late != nil {
		out := *n
		out.set(f.outer().settings)
		return &out, nil
	}
	if n.late == nil {
		return n, nil
	}
	var settings Settings
	err := fault.Guard(func() (err error) {
		settings, err = n.late(s)
		return err
	})
	if err != nil {
		return n, fault.Of(err)
	}
	out := *n
	out.set(settings)
	return &out, nil
}

// guarded makes a panic in Go code that computes a value the error of its node; expressions guard themselves.
type guarded struct{ Evaluator }

// Eval implements Evaluator.
func (g guarded) Eval(s *cond.Scope) (v any, err error) {
	err = fault.Guard(func() (err error) {
		v, err = g.Evaluator.Eval(s)
		return err
	})
	return v, err
}

// resultOf is the result of the node at hand.
type resultOf struct{}

func (resultOf) Eval(s *cond.Scope) (any, error) { return s.Get("result"), nil }
