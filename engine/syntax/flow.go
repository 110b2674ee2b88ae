// Package syntax is the flow language as a document: which keys there are, what may stand under them, how one flow
// extends another. Parse reads YAML, Extend merges a flow into its base, Set makes the edits of --set, and Decode
// gives the typed tree, in which every text still knows its place. Nothing is resolved here: ops, targets of edges,
// expressions and prompts are the compiler's, in package engine.
//
// One set of tables (tables.go) says what is allowed; Decode checks by it, Schema writes it as a JSON Schema for
// editors, and Keys gives it to the documentation.
//
// Kinds of findings, beside bad-yaml and duplicate-key of package yamltree: unknown-key, wrong-kind, missing-key,
// bad-name, bad-type, bad-retry, bad-extends.
package syntax

import (
	"time"

	"pflow/engine/cond"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// The kinds of findings that this package makes itself.
const (
	UnknownKey = "unknown-key"
	WrongKind  = "wrong-kind"
	MissingKey = "missing-key"
	BadName    = "bad-name"
	BadType    = "bad-type"
	BadRetry   = "bad-retry"
	BadExtends = "bad-extends"
)

// Flow is a flow document. What is not given has its zero value.
type Flow struct {
	Tree        *yamltree.Value // the whole document, merged
	File        string
	Name        Str
	Version     int
	Description Str
	Extends     *Str
	Start       *Str
	State       []StateKey
	Params      *yamltree.Value // nil or a Map
	Search      []Dimension
	Functions   []Function
	Limits      Limits
	Nodes       []*Node // the flow's defaults are merged into each
}

// Str is a text of the document; V gives its place. The zero Str was not given.
type Str struct {
	Text string
	V    *yamltree.Value
}

// StateKey declares one key of the store.
type StateKey struct {
	Name        Str
	Type        value.Type
	TypeV       *yamltree.Value
	Required    bool
	HasDefault  bool
	Default     any             // fits Type, or is nil
	DefaultV    *yamltree.Value // nil without one
	Description string
}

// Dimension is what may stand at one path. Values has at least two, all of them different.
type Dimension struct {
	Path   Str
	Values []any
	V      *yamltree.Value
}

// Function is a function that the flow's expressions can call.
type Function struct {
	Name Str
	Args []Str
	Body *Expr // nil beside findings
	V    *yamltree.Value
}

// Limits are the limits of a flow; zero is none.
type Limits struct {
	Steps   int
	Timeout time.Duration
	Meters  []Meter
	V       *yamltree.Value // nil or a Map
}

// Meter is a limit on what ops report under a name.
type Meter struct {
	Name Str
	Max  float64 // at least 0
}

// Node is one node of the graph.
type Node struct {
	ID          Str
	Op          Str
	Description string
	Prep        []Binding
	With        *yamltree.Value // nil or a Map
	Retry       Retry
	Timeout     time.Duration // of one attempt; 0 for none
	Fallback    *Expr
	Vars        []Binding // in order; each may use those before it
	Post        []Binding
	Actions     []ActionCase
	Action      *Expr
	Next        []Route
	NextV       *yamltree.Value // nil without next
	Catch       *Str            // the action that takes an error
	MaxVisits   int             // 0 for none
	Target      []Target
	V           *yamltree.Value
	// Partial says that findings were made inside the node, so that what it lacks here may stand in the document.
	Partial bool
}

// Target is the time that a share of the visits of a node is meant to keep within.
type Target struct {
	Percent int // of the visits: 50, 95 or 99
	Within  time.Duration
}

// Binding is one entry of prep, vars or post.
type Binding struct {
	Name Str
	Expr Expr
}

// Expr is the source of an expression. V.At gives the place of a byte of it. A YAML literal that is no text (3, true,
// null) stands for itself. Under prep, post and the like it may be a mapping or a list of expressions instead, as V.Kind
// says: then it has Fields or Items, and no Source.
type Expr struct {
	Lang   cond.Lang
	Source string
	V      *yamltree.Value
	Fields []Binding // of a mapping, in the order of the document
	Items  []Expr    // of a list
}

// ActionCase is one entry of actions; Cond is nil in the one that needs no condition.
type ActionCase struct {
	Action Str
	Cond   *Expr
	V      *yamltree.Value
}

// Route is one edge: action "*" is the catch-all, To "end" ends the flow. `next: X` is one route for "default", whose
// Action has the place of X.
type Route struct{ Action, To Str }

// Retry is a node's policy for failed attempts, with the flow's defaults and those of the language filled in.
type Retry struct {
	Attempts      int // at least 1
	Wait, MaxWait time.Duration
	Exponential   bool
	Jitter        float64         // 0 to 1
	On            *Expr           // nil: error.temporary
	V             *yamltree.Value // the node's own, or the defaults', or nil
}

// Unit is what map runs for an item, or a branch of parallel.
type Unit struct {
	Op, Flow Str // at most one should be given; the zero Str is not given
	Prep     []Binding
	With     *yamltree.Value // nil or a Map
	V        *yamltree.Value
}

// Parse reads a flow document. Lists of names under prep and post have become the mappings that they stand for. The value
// is nil if it cannot be read; Decode reports what is wrong beyond YAML.
func Parse(file string, data []byte) (*yamltree.Value, diag.List) {
	tree, found := yamltree.Parse(file, data)
	return unlist(tree), found
}

// Decode checks a document against the tables and gives the typed tree. The flow is nil if the document is no mapping
// or has no nodes; otherwise it is as complete as the document, also beside findings. The findings are sorted.
func Decode(tree *yamltree.Value) (*Flow, diag.List) {
	c := &checker{}
	if tree == nil {
		return nil, nil // Parse said why
	}
	c.form(&flowForm, tree, Str{V: tree}, "the document", WrongKind)
	var f *Flow
	if nodes := tree.Get("nodes"); nodes != nil && nodes.Kind == yamltree.Map && len(nodes.Entries) > 0 {
		f = c.flow(tree)
	}
	return f, c.found.Sort()
}

// Value decodes what may be an expression, or a mapping or a list of such values; nil beside findings.
func Value(v *yamltree.Value, lang cond.Lang) (*Expr, diag.List) {
	c := &checker{}
	if !checkValue(c, v, WrongKind) || len(c.found) > 0 {
		return nil, c.found.Sort()
	}
	return valueOf(v, lang), nil
}

// DecodeUnit decodes the `with` of map, which names what runs for each item. Keys that a unit does not have are left
// alone: they are map's own options.
func DecodeUnit(v *yamltree.Value) (*Unit, diag.List) { return decodeUnit(v, &itemForm) }

// DecodeBranch decodes one branch of parallel: a unit and nothing else.
func DecodeBranch(v *yamltree.Value) (*Unit, diag.List) { return decodeUnit(v, &branchForm) }

func decodeUnit(v *yamltree.Value, as *form) (*Unit, diag.List) {
	c := &checker{}
	if v == nil {
		return nil, nil
	}
	c.form(as, v, Str{V: v}, as.section.what, WrongKind)
	if v.Kind != yamltree.Map {
		return nil, c.found.Sort()
	}
	return c.unit(v), c.found.Sort()
}
