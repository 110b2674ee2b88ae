package engine

import (
	"fmt"
	"strings"
	"time"

	"pflow/internal/diag"
)

// Status says how a run ended.
type Status string

// The statuses of a run.
const (
	Done      Status = "done"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Limited   Status = "limit"
	Waiting   Status = "waiting" // for approval; it goes on when it is resumed
)

// ResultSchema names the shape of Result as JSON.
const ResultSchema = "pflow.run/v1"

// Result is how a run ended. Two equal runs differ only in RunID, Took, StartedAt and DurationMS.
type Result struct {
	Took time.Duration `json:"-"` // by the clock of the run

	Schema   string             `json:"schema"`
	Status   Status             `json:"status"`
	Action   string             `json:"action"` // with which the flow ended; "" unless done
	Store    map[string]any     `json:"store"`
	Error    *RunError          `json:"error"`
	Warnings []string           `json:"warnings"`
	Steps    []Step             `json:"steps"`
	Usage    map[string]float64 `json:"usage"` // meters, added up
	RunID    string             `json:"run_id"`
	Waits    []Hold             `json:"waits,omitempty"` // of waiting: what for
	Lost     error              `json:"-"`               // why the run cannot be resumed, which a warning says too; nil: it can
}

// Step is one visit of a node that ended. Action is nil if it failed.
type Step struct {
	Node       string    `json:"node"`
	Visit      int       `json:"visit"`
	Attempts   int       `json:"attempts"`
	Action     *string   `json:"action"`
	StartedAt  time.Time `json:"started_at"`
	DurationMS float64   `json:"duration_ms"`
}

// RunError is what ended a run. Node is the innermost step it came from. Place is where an expression failed, else where
// that node is declared. Path and Inside tell what a node failed in within its params: the JSON path of a text and the
// place in it.
type RunError struct {
	Kind     string     `json:"kind"`
	Message  string     `json:"message"`
	Node     string     `json:"node"`
	Place    diag.Place `json:"place"`
	Path     string     `json:"path,omitempty"`
	Inside   diag.Place `json:"inside,omitzero"`
	Attempts int        `json:"attempts"`
}

func (e *RunError) Error() string {
	var b strings.Builder
	if e.Node != "" {
		b.WriteString("node " + e.Node + ": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path)
		if e.Inside.Line > 0 {
			fmt.Fprintf(&b, ", line %d", e.Inside.Line)
		}
		if e.Inside.Col > 0 {
			fmt.Fprintf(&b, ", column %d", e.Inside.Col)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Transition is one step as an observer sees it while the run goes on: what decided the edge that was taken.
type Transition struct {
	Step
	Because string         // the condition that held, as its author wrote it; "" if nothing had to be decided
	Not     []string       // the conditions before it that did not hold
	Saw     map[string]any // what these conditions read, by the path that they read it by: store.retries, result.found
	Prep    map[string]any
	Result  any
}

// Result tells how the run ended, or how far it came.
func (r *Run) Result() *Result {
	res := &Result{
		Schema: ResultSchema, Status: Done, Action: r.outcome.action, Store: r.root.store,
		Warnings: []string{}, Usage: map[string]float64{}, Steps: []Step{},
	}
	if res.Store == nil {
		res.Store = map[string]any{}
	}
	for name, n := range r.root.meters {
		res.Usage[name] = n
	}
	records := r.root.recordsSoFar()
	res.Steps = make([]Step, 0, len(records))
	for _, rec := range records {
		res.Steps = append(res.Steps, r.step(rec))
	}
	if r.Waiting() {
		res.Status, res.Action, res.Waits = Waiting, "", r.holds()
	}
	if err := r.outcome.err; err != nil {
		res.Status, res.Action = Failed, ""
		switch err.Kind {
		case "cancelled":
			res.Status = Cancelled
		case "limit":
			res.Status = Limited
		}
		res.Error = &RunError{Kind: string(err.Kind), Message: err.Message, Node: err.node, Place: err.place, Attempts: err.attempts}
		if err.Path != "" {
			res.Error.Path, res.Error.Inside = err.Path, err.Error.Place
		}
	}
	return res
}

func (r *Run) step(rec record) Step {
	s := Step{
		Node: r.stepName(rec.frame, rec.node, rec.visit), Visit: r.frames[rec.frame].flow.visit(rec.visit), Attempts: int(rec.attempts),
		StartedAt: r.start.Add(rec.started), DurationMS: float64(rec.took.Microseconds()) / 1000,
	}
	if rec.action >= 0 {
		s.Action = &r.actions.names[rec.action]
	}
	return s
}

func (r *Run) transition(rec record, nr *nodeRun, because string) Transition {
	result, _ := any(nil), ""
	if rec.action >= 0 && len(nr.units) > 0 {
		result, _ = nr.result()
	}
	t := Transition{Step: r.step(rec), Because: because, Not: r.decided.not, Saw: r.decided.saw, Prep: nr.prep, Result: result}
	r.decided = decision{}
	return t
}
