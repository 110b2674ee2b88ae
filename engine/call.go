package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// StepVersion is raised when a change of Step makes other commands of the same events. Who steps the events of a run that
// another release began steps them with the same version, or not at all.
const StepVersion = 1

// Call is one attempt of an op as data: what a process that did not step the run needs to carry it out.
type Call struct {
	Path    []CallNode     // from the flow of the run to the op
	Name    string         // of the step, in the whole run
	Index   string         // as Attempt has it
	Visit   int            // of the step
	Attempt int            // from 1
	Prep    map[string]any // in the forms of package value
	For     time.Duration  // the longest it may take; 0: any time
	Now     time.Time      // the instant the run began
	Run     map[string]any // what expressions of the op see as run
	Limited []string       // those of the op's meters that a limit holds
}

// CallNode is a node on the way to an op, and the branch that is taken there.
type CallNode struct {
	Node   string `json:"node"`
	Branch string `json:"branch,omitempty"`
}

// Call gives the attempt of an exec as data.
func (c *Command) Call(r *Run) Call {
	u := c.unit
	call := Call{Index: c.Index(), Prep: u.prep, For: c.For, Now: r.start, Run: u.run}
	call.Name, call.Visit, call.Attempt = c.Step()
	for _, meter := range u.spec.op.Meters {
		if u.nr.f.limited(meter) {
			call.Limited = append(call.Limited, meter)
		}
	}
	for ; u != nil; u = u.nr.f.parent {
		call.Path = append(call.Path, CallNode{Node: u.nr.node.id, Branch: u.spec.name})
	}
	slices.Reverse(call.Path)
	return call
}

func (c *Call) stepName() string  { return c.Name }
func (c *Call) indexName() string { return c.Index }

// Perform carries out an attempt of an op of the flow, which may have been compiled by another process than that which
// stepped the run, of the same documents. The event is the outcome; its ID is the caller's to set. The error is of a call that is not of this flow.
func (f *Flow) Perform(ctx context.Context, c Call) (Event, error) {
	spec, flow, err := f.at(c.Path)
	if err != nil {
		return Event{}, err
	}
	in := Input{at: &c, Prep: c.Prep, Params: flow.params, Attempt: c.Attempt, Now: c.Now, Run: c.Run}
	if len(spec.op.Meters) > 0 {
		in.Limited = func(meter string) bool { return slices.Contains(c.Limited, meter) }
	}
	var ev Event
	perform(context.WithValue(ctx, stepKey{}, located(&c)), spec, in, c.For, &ev)
	return ev, nil
}

// at finds what runs at the end of a path, and the flow that it is a node of.
func (f *Flow) at(path []CallNode) (*unitSpec, *Flow, error) {
	flow := f
	for i, p := range path {
		if flow == nil {
			break
		}
		n := slices.IndexFunc(flow.nodes, func(n node) bool { return n.id == p.Node })
		if n < 0 {
			return nil, nil, fmt.Errorf("the flow %q has no node %q", flow.Name, p.Node)
		}
		units := flow.nodes[n].units
		u := slices.IndexFunc(units, func(u unitSpec) bool { return u.name == p.Branch })
		if u < 0 {
			return nil, nil, fmt.Errorf("the node %q of the flow %q has no branch %q", p.Node, flow.Name, p.Branch)
		}
		if i == len(path)-1 && units[u].exec != nil {
			return &units[u], flow, nil
		}
		flow = units[u].flow
	}
	return nil, nil, fmt.Errorf("the flow %q has no op at %v", f.Name, path)
}

// perform runs one attempt and makes ev its outcome, but for the ID. The event is filled in place: it is large, and an op
// may take less time than copying it would.
func perform(ctx context.Context, spec *unitSpec, in Input, within time.Duration, ev *Event) {
	if within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	var out Output
	err := fault.Guard(func() (err error) {
		out, err = spec.exec(ctx, in)
		return err
	})
	ev.outcome(0, &out, err)
	if ev.Err != nil {
		switch ctx.Err() {
		case context.DeadlineExceeded:
			ev.Err = tooLate(within, ev.Err.Details)
		case context.Canceled:
			ev.Err = fault.New(fault.Cancelled, "%s", ev.Err.Message)
		}
	}
}

// callJSON is a call as JSON. Values keep their forms: 1.0 is no integer.
type callJSON struct {
	Path    []CallNode      `json:"path"`
	Name    string          `json:"step"`
	Index   string          `json:"index,omitempty"`
	Visit   int             `json:"visit"`
	Attempt int             `json:"attempt"`
	Prep    json.RawMessage `json:"prep"`
	For     time.Duration   `json:"for,omitempty"`
	Now     time.Time       `json:"now"`
	Run     json.RawMessage `json:"run,omitempty"`
	Limited []string        `json:"limited,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c Call) MarshalJSON() ([]byte, error) {
	out := callJSON{c.Path, c.Name, c.Index, c.Visit, c.Attempt, value.AppendJSON(nil, c.Prep), c.For, c.Now, nil, c.Limited}
	if c.Run != nil {
		out.Run = value.AppendJSON(nil, c.Run)
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Call) UnmarshalJSON(data []byte) error {
	var in callJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*c = Call{Path: in.Path, Name: in.Name, Index: in.Index, Visit: in.Visit, Attempt: in.Attempt, For: in.For, Now: in.Now, Limited: in.Limited}
	for text, to := range map[*json.RawMessage]*map[string]any{&in.Prep: &c.Prep, &in.Run: &c.Run} {
		if len(*text) == 0 {
			continue
		}
		v, err := value.ParseWritten(*text)
		if err != nil {
			return err
		}
		*to, _ = v.(map[string]any)
	}
	return nil
}
