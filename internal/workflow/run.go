package workflow

import (
	"context"
	"fmt"
	"strings"

	"pflow/engine"
	"pflow/internal/mask"
	"pflow/ir"
)

// Status says how a run ended, or why it did not begin.
type Status string

// The statuses of a run of a workflow.
const (
	Done       Status = "done"
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
	Limited    Status = "limit"
	NeedsInput Status = "needs_input" // nothing ran: inputs are missing
	Waiting    Status = "waiting"     // for approval
)

// Result is how a run of a workflow ended. Two equal runs differ only in RunID, StartedAt and DurationMS.
type Result struct {
	Schema    string             `json:"schema"` // pflow.run/v1
	Status    Status             `json:"status"`
	Workflow  string             `json:"workflow"`
	Outputs   map[string]any     `json:"outputs"` // the declared ones, else the last node's; {} unless done
	Error     *engine.RunError   `json:"error"`
	Warnings  []string           `json:"warnings"`
	Steps     []engine.Step      `json:"steps"`
	Usage     map[string]float64 `json:"usage"`
	RunID     string             `json:"run_id"`              // "" if nothing ran
	Parent    string             `json:"parent,omitempty"`    // of a run that is run again
	Kept      []string           `json:"kept,omitempty"`      // of a run that is run again: the steps that ran in an earlier one, and not in this
	Missing   []MissingInput     `json:"missing_params"`      // of needs_input
	Approvals []Approval         `json:"approvals,omitempty"` // of waiting: what for
	Fakes     []string           `json:"fakes,omitempty"`     // of a run in which nothing is touched: the steps whose outputs are made up
	Fix       any                `json:"fix,omitempty"`       // of a run with a fix: which it is
	Called    bool               `json:"-"`                   // what failed is a step of a workflow that is called
	Lost      error              `json:"-"`                   // why the run cannot be resumed, which a warning says too; nil: it can
}

// MissingInput is an input that nothing gives.
type MissingInput struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

// Unrun is the result of a run that did not begin.
func (p *Program) Unrun(status Status) *Result {
	return &Result{Schema: engine.ResultSchema, Status: status, Workflow: p.Name, Outputs: map[string]any{}, Warnings: []string{},
		Steps: []engine.Step{}, Usage: map[string]float64{}, Missing: []MissingInput{}}
}

// Lacks is the result of a run whose inputs are missing.
func (p *Program) Lacks(missing []ir.Input) *Result {
	res := p.Unrun(NeedsInput)
	for _, in := range missing {
		res.Missing = append(res.Missing, MissingInput{in.Name, string(in.Type), in.Description})
	}
	return res
}

// Options are what a run is given beside its store.
type Options struct {
	engine.Options
	Approve Approve
	// Drive steps the run to its end in the place of engine.Execute; nil: engine.Execute does.
	Drive func(ctx context.Context, flow *engine.Flow, input map[string]any) (*engine.Result, error)
}

// Run runs the program on a store that Bind made, or, with a history, goes on with a run. It returns when nothing of
// the run is left. The error is nil unless the run could not begin or go on; *engine.NeedsDecision is one of them.
//
// A run that comes to a node that wants approval and gets none finishes what can run without it, retries and waits
// included, and ends as waiting; it goes on when it is resumed and approved.
func (p *Program) Run(ctx context.Context, store map[string]any, o Options) (*Result, error) {
	if err := p.ReadSecrets(ctx); err != nil {
		return nil, err
	}
	ctx = mask.With(ctx, p.Mask)
	ctx, end := p.shared.env.MCP.Within(ctx)
	defer end()
	r := newSession(o.Approve, 0)
	drive := o.Drive
	if drive == nil {
		drive = func(ctx context.Context, flow *engine.Flow, input map[string]any) (*engine.Result, error) {
			return engine.Execute(ctx, flow, input, o.Options)
		}
	}
	got, err := drive(context.WithValue(ctx, runKey{}, r), p.flow, store)
	if err != nil {
		return nil, err
	}
	return p.Told(got, r.warnings), nil
}

// Past is how far a run came, by its history; nothing runs. ended is how it ended, as its journal says: with "" it has not.
func (p *Program) Past(h *engine.History, ended engine.Status, w engine.Watch) (*Result, error) {
	run, err := engine.Replay(p.flow, h, w)
	if err != nil {
		return nil, err
	}
	got := run.Result()
	if got.Error == nil { // what ended a run from outside is no event of its journal
		got.Status = ended
	}
	return p.told(got), nil
}

// Flow is the graph of the program, for who drives a run of it by the engine's commands.
func (p *Program) Flow() *engine.Flow { return p.flow }

// Perform carries out one attempt of the run of that id, which is driven elsewhere, of a program that was compiled of the same
// documents and may have many runs. It gives what the attempt warned of, too. The error is of a call that is not of this program.
func (p *Program) Perform(ctx context.Context, run string, c engine.Call) (engine.Event, []string, error) {
	ctx = mask.With(ctx, p.Mask)
	ctx, end := p.shared.env.MCP.Within(ctx)
	defer end()
	r := newSession(nil, 0)
	if w := p.shared.env.Written; w != nil {
		r.written = w.Of(run)
	}
	ev, err := p.flow.Perform(context.WithValue(ctx, runKey{}, r), c)
	return ev, r.warnings, err
}

// Told is a run of the program's graph that was driven elsewhere as one of its workflow, with what its attempts warned of.
func (p *Program) Told(got *engine.Result, warnings []string) *Result {
	res := p.told(got)
	res.Warnings = append(append([]string{}, warnings...), res.Warnings...)
	return res
}

// told is a run of the program's flow as one of its workflow.
func (p *Program) told(got *engine.Result) *Result {
	res := p.Unrun(Status(got.Status))
	res.Error, res.Steps, res.Usage, res.RunID, res.Lost = got.Error, got.Steps, got.Usage, got.RunID, got.Lost
	res.Warnings = append(res.Warnings, got.Warnings...)
	switch {
	case got.Status == engine.Waiting:
		for _, w := range got.Waits {
			res.Approvals = append(res.Approvals, p.approval(w))
		}
	case got.Error != nil:
		id := stepNode(got.Error.Node)
		res.Called = strings.Contains(got.Error.Node, "/") && p.StepType(got.Error.Node) != ""
		res.Error.Place = p.source.place(p.Workflow.Node(id))
		if res.Error.Path != "" && id == declaredName(got.Error.Node) {
			res.Error.Path = fmt.Sprintf("nodes[%d].%s", p.Workflow.Node(id), res.Error.Path)
			if at := p.source.placeOf(res.Error.Path); at.Line > 0 {
				res.Error.Place = at
			}
		}
	case got.Status == engine.Done:
		res.Outputs = p.outputs.told(got.Store, func(text string) { res.Warnings = append(res.Warnings, text) })
	}
	return res
}
