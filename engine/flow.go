package engine

import (
	"time"

	"pflow/engine/cond"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Flow is a compiled flow: every name, type, condition and route settled. It is immutable and safe for concurrent runs.
type Flow struct {
	Name        string
	Description string
	Hash        string // SHA-256 over the merged flow, its inner flows, prompts and schemas
	File        string

	keys   map[string]stateKey // nil: the store is open (flows made by NewDAG)
	params map[string]any
	funcs  []FunctionInfo
	limits limits
	start  int
	nodes  []node
	dag    *dag // nil: one node at a time
	loop   bool // the rounds of a node that repeats, see Repeat
	ends   []string
	run    *runUse // what its expressions read of run; nil: nothing
	source *Definition

	targets []Target
	search  []Dimension
}

// Definition is what a flow was compiled from: the merged and edited document, and what that names.
type Definition struct {
	Tree      *yamltree.Value
	Inner     map[string]*Flow // by what flow: options call them
	Documents []Document       // the prompts and schemas that its own nodes use, each once
}

// Meters are those that the ops of a flow declare, inner flows' too: one that asks no model has no calls.
func (f *Flow) Meters() []string { return (&session{meters: map[*Flow][]string{}}).metersOf(f) }

// Definition is nil for a flow that was not loaded from a document.
func (f *Flow) Definition() *Definition { return f.source }

// stateKey is a declared key of the store.
type stateKey struct {
	typ      value.Type
	required bool
	hasValue bool // a default was declared
	def      any
	nullable bool
}

// limits bound a run of a flow; zero stands for none.
type limits struct {
	steps   int
	timeout time.Duration
	meters  map[string]float64
}

// defaultSteps makes every run end.
const defaultSteps = 10_000

// Evaluator is a compiled expression: a condition of the flow language, or a template of a workflow.
type Evaluator interface {
	Eval(*cond.Scope) (any, error)
}

// Binding names a value that an expression gives.
type Binding struct {
	Name string
	Expr Evaluator
}

// write is a post: the key of the store that it sets, and what that may hold.
type write struct {
	Binding
	key stateKey
}

// mode is how a node turns into attempts.
type mode uint8

const (
	modeOp       mode = iota // one attempt series of an op
	modeFlow                 // the same, of an inner flow
	modeMap                  // one series an item
	modeParallel             // one series a branch
)

// node is one compiled node. What every visit looks at comes first, in the order in which it does: a flow of many nodes
// does not fit into the processor's caches.
type node struct {
	mode      mode
	maxVisits int
	until     Tester                              // of the one node of a flow of rounds, see Repeat
	late      func(*cond.Scope) (Settings, error) // of a dag's node: see DAGNode; nil for none
	prep      []Binding
	units     []unitSpec    // one; of a parallel node one a branch
	timeout   time.Duration // of one attempt

	vars     []Binding // in order: each sees those before it
	post     []write
	cases    []actionCase   // in order; the last has no condition
	action   Evaluator      // instead of cases, where the action is data
	next     map[string]int // action -> node index, or toEnd; unused in a dag
	catchAll int            // where '*' goes; noRoute if there is none
	id       string

	retry    retry
	fallback Evaluator
	catch    string // the action that takes an error, or ""
	errorTo  string // the store key that a caught error is written to, as {error: {…}}; "" for last_error
	place    diag.Place

	settings    Settings // of a dag's node, as they were given
	repeats     bool     // of a dag's node: its unit is a flow of rounds
	concurrency int      // of map
	keepGoing   bool     // map: on_error continue
	joinAny     bool     // parallel: join any
}

const (
	toEnd   = -1
	noRoute = -2
)

// unitSpec is what one series of attempts runs: an op or an inner flow.
type unitSpec struct {
	name string    // of the branch
	prep []Binding // the inner prep of map and parallel
	op   *Op
	exec Exec
	flow *Flow

	readsRun bool // its op computes expressions that read run
}

// actionCase names an action and when it is taken; a nil test always holds. source is what the author wrote.
type actionCase struct {
	action string
	test   Tester
	source string
}

// Tester is a compiled condition.
type Tester interface {
	Test(*cond.Scope) (bool, error)
}

// dag is the graph of a flow whose nodes run as soon as their incoming edges are decided.
type dag struct {
	edges       [][]dagEdge // by source node
	incoming    []int       // how many edges lead to a node
	starts      []int       // the nodes that begin
	concurrency int
}

type dagEdge struct {
	action string
	to     int
}

// Nodes lists the node ids in the order of the document.
func (f *Flow) Nodes() []string {
	ids := make([]string, len(f.nodes))
	for i := range f.nodes {
		ids[i] = f.nodes[i].id
	}
	return ids
}

// Ends lists the actions with which the flow can end, sorted.
func (f *Flow) Ends() []string { return f.ends }
