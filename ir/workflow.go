package ir

import "pflow/internal/value"

// Workflow is one IR document. Values in it (params, defaults, items) are nil, bool, json.Number, string, []any and
// map[string]any as Decode makes them; int and float64 are as welcome to whoever builds one in Go. A json.Number keeps
// the text of the document, so that what nobody computes with survives unchanged.
type Workflow struct {
	Version  string // ir_version, 0.1.x
	Nodes    []Node
	Edges    []Edge
	Start    []string // start_node: the nodes that begin; nil lets the edges decide, see Starts
	Inputs   []Input  // in document order; nil: the document declares none and templates imply them; empty: there are none
	Outputs  []Output // in document order
	Mappings any      // reserved: accepted, kept, unused
}

// Node is one step.
type Node struct {
	ID, Type string
	Params   map[string]any
	Purpose  string
	Retry    *Retry
	Timeout  Span // 0: none
	Batch    *Batch
	Repeat   *Repeat
	Approval bool // approval: required
}

// Retry repeats a step that failed.
type Retry struct {
	Attempts    Count // tries in all
	Wait        Span
	Exponential bool
}

// Batch runs a node once per item.
type Batch struct {
	Items       any    // a template, or a list
	As          string // the name templates call the item by
	OnError     string // "fail" or "continue"
	Concurrency Count
	Retry       *Retry // of one item
}

// Edge leads from one node to another when the first ends with Action.
type Edge struct{ From, To, Action string }

// The actions every node has.
const (
	ActionDefault = "default"
	ActionError   = "error"
)

// Input is a value that whoever runs the workflow gives. An input that is neither required nor has a default is null
// when it is not given.
type Input struct {
	Name        string
	Type        value.Type
	Required    bool
	HasDefault  bool
	Default     any
	Description string
	Secret      bool
	FromEnv     string
	FromStdin   bool
}

// Output is a value the workflow gives back.
type Output struct {
	Name        string
	Source      string // a template; "" is the finding output-without-source
	Type        value.Type
	Description string
}

// Outputs of a batch node, and the root by which templates read why a node failed.
const (
	BatchResults = "results"
	BatchCount   = "count"
	BatchErrors  = "errors"
	ErrorKey     = "error"
	StdinRoot    = "stdin"
)

// Node gives the index of a node, -1 if there is none of this id.
func (w *Workflow) Node(id string) int {
	for i := range w.Nodes {
		if w.Nodes[i].ID == id {
			return i
		}
	}
	return -1
}

// Input gives the declared input of a name.
func (w *Workflow) Input(name string) (Input, bool) {
	for _, in := range w.Inputs {
		if in.Name == name {
			return in, true
		}
	}
	return Input{}, false
}

// Starts lists the indexes of the nodes that begin, in the order of the document: those that start_node names, else the only node without incoming
// edges, else the first. It is empty without nodes.
func (w *Workflow) Starts() []int {
	wanted := make(map[string]bool, len(w.Start))
	for _, id := range w.Start {
		wanted[id] = true
	}
	var named []int
	for i := range w.Nodes {
		if id := w.Nodes[i].ID; wanted[id] {
			named = append(named, i)
			delete(wanted, id)
		}
	}
	if len(named) > 0 || len(w.Nodes) == 0 {
		return named
	}
	entered := make(map[string]bool, len(w.Edges))
	for _, e := range w.Edges {
		entered[e.To] = true
	}
	only := -1
	for i := range w.Nodes {
		if entered[w.Nodes[i].ID] {
			continue
		}
		if only >= 0 {
			return []int{0}
		}
		only = i
	}
	return []int{max(only, 0)}
}
