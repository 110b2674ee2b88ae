package engine

import (
	"context"
	"fmt"
	"time"

	"pflow/engine/syntax"
	"pflow/internal/value"
)

// Op describes one primitive operation. It is the single source for the checks at load, the JSON Schema, the
// documentation and `pflow flow ops`.
type Op struct {
	Name    string
	Summary string // one sentence

	// Prep are the names the op takes from its node's prep; with OpenPrep it takes any others too.
	Prep     []Field
	OpenPrep bool
	// With are the options: literals that are checked when the flow is loaded.
	With []Field
	// Actions are what the op can return; empty stands for "default" alone.
	Actions []string
	// Result is the static type of the result, Any if it depends; ResultDoc gives its shape.
	Result    value.Type
	ResultDoc string
	// Meters are the names of what the op may use up (calls, tokens, cost_usd, …); the engine only adds them.
	Meters []string
	// Idempotent ops run again when a resumed run finds them started but not finished.
	Idempotent bool
	// Instant ops are quick and neither block nor reach outside the process: the driver runs them in its own
	// goroutine, in the order in which they were asked for.
	Instant bool
	// Steady ops give the same whenever they are asked the same: by prep, with and the instant at which the run began, where what lies
	// around the program is the same. Runs may share their results, see WithAnswers.
	Steady bool
	// Tells marks an instant op that shows something to whoever looks: a driver that steps through the same events again
	// and again carries it out once all the same.
	Tells bool
	// Asks marks an op that asks whoever is there. A driver that can ask by itself need not carry it out: it gives the
	// answer as its outcome. What it asks for is "approval" or "line".
	Asks string
	// Place says where the op wants to run, for drivers that have more than one place: "network", "shell", "agent"; "": anywhere.
	Place string
	// Tool is the component that the op calls, for who follows the run: "" of ops of flows.
	Tool string
	// Example is a whole flow document that uses the op; tests check and run it.
	Example string

	// New settles one node's options when the flow is loaded and reports what is wrong with them through s. It is nil
	// for the composite ops, which the engine runs itself.
	New func(s *Setup) Exec

	mode mode
}

// Field is one name that an op takes, in prep or in with.
type Field struct {
	Name     string
	Type     value.Type
	Required bool
	Default  any
	Enum     []string
	Doc      string
}

// Exec runs one attempt of one node. It must not keep or change anything it is given, and must return soon after ctx
// is done. Errors should be *fault.Error, so that retry and catch can tell them apart.
type Exec func(ctx context.Context, in Input) (Output, error)

// Input is all that an op sees of a run.
type Input struct {
	at located

	Prep    map[string]any
	Params  map[string]any // the flow's params
	Attempt int            // from 1
	Now     time.Time      // the instant the run began; the same on resume
	Run     map[string]any // what expressions see as run; nil unless one of the op's own reads it
	// Limited reports whether the flow, or one around it, limits a meter; nil for an op without meters.
	Limited func(meter string) bool
}

// located is what knows the place of an attempt in its run.
type located interface {
	stepName() string
	indexName() string
}

// Step is the name of the node in the whole run, such as outer[3]/inner.
func (in Input) Step() string {
	if in.at == nil {
		return ""
	}
	return in.at.stepName()
}

// Index is the item's index, or the branch's name, of an attempt inside map or parallel; "" elsewhere.
func (in Input) Index() string {
	if in.at == nil {
		return ""
	}
	return in.at.indexName()
}

// Output is what an attempt gives. Action "" stands for "default". Waits, if not empty, says what is to be approved before
// the node goes on; then there is no result: the approve event brings it.
type Output struct {
	Result any
	Action string
	Waits  string
	Meters map[string]float64

	// Kept, if not nil, is what the journal keeps in the place of Result: it has one of the texts of Unkept where Result holds
	// what must not be written down. The run goes on with Result, a resumed one with Kept.
	Kept   any
	Unkept []string
}

// Registry is the set of ops that flows may use: a value, so that it can be narrowed, and never global.
type Registry struct {
	ops   map[string]*Op
	names []string
}

// NewRegistry makes a registry of the engine's composite ops and the given ones. Two ops of one name are a bug.
func NewRegistry(ops ...Op) *Registry {
	r := &Registry{ops: map[string]*Op{}}
	for _, op := range append(compositeOps(), ops...) {
		if _, twice := r.ops[op.Name]; twice {
			panic(fmt.Sprintf("engine: two ops are named %q", op.Name))
		}
		r.ops[op.Name] = &op
	}
	r.names = value.SortedKeys(r.ops)
	return r
}

// Op gives the op of a name, or nil.
func (r *Registry) Op(name string) *Op { return r.ops[name] }

// Names lists the ops in byte order.
func (r *Registry) Names() []string { return r.names }

// returns lists the actions that the op can return.
func (o *Op) returns() []string {
	if len(o.Actions) == 0 {
		return []string{DefaultAction}
	}
	return o.Actions
}

// DefaultAction is the action of a node that says no other.
const DefaultAction = "default"

// End is the target of an edge that ends the flow.
const End = "end"

// Schema gives what editors need to know of the op.
func (o *Op) Schema() syntax.OpSchema {
	fields := func(list []Field) []syntax.Field {
		out := make([]syntax.Field, len(list))
		for i, f := range list {
			out[i] = syntax.Field(f)
		}
		return out
	}
	return syntax.OpSchema{Name: o.Name, Summary: o.Summary, Prep: fields(o.Prep), OpenPrep: o.OpenPrep, With: fields(o.With)}
}
