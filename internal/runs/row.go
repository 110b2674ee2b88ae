// Package runs is the history: what there is to tell of many runs without reading their journals.
//
//	PFLOW_HOME/runs.db      a row for each run: made when it begins, changed when it ends
//	PFLOW_HOME/runs.stale   there is a row that could not be written
//
// The folders of the runs are what is true; runs.db is an index of them. It is made again, and nobody is told, where it is
// not there, is damaged, or is of another version. A row without an end is held against its folder before it is shown: a
// process works on the run, or it ended and its process was killed before it could say so here, or it was interrupted.
package runs

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/planshape"
)

// Status is what a listing says of a run.
type Status string

// The statuses.
const (
	Running     Status = "running"
	Done        Status = "done"
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
	Limited     Status = "limit"
	Waiting     Status = "waiting"     // for approval
	Interrupted Status = "interrupted" // its process ended before it did

	// Of plans, in place of done: what came of them.
	Ready      Status = planshape.Ready
	NeedsInput Status = planshape.NeedsInput // it lacks values
	Infeasible Status = planshape.Infeasible // the request was declined
	Invalid    Status = planshape.Invalid    // no draft was right
	Declined   Status = Status(ByDeclining)  // somebody was asked whether to carry it out, and said no
)

// Statuses lists them.
var Statuses = []Status{Running, Done, Failed, Cancelled, Limited, Waiting, Interrupted, Ready, NeedsInput, Infeasible, Invalid, Declined}

// Decision is what a person said to a plan, once somebody was asked. A plan that nobody was asked about has none.
type Decision string

// The decisions. A client of the MCP server approves a plan by running or saving it.
const (
	ByApproving Decision = "approved" // as it was
	ByEditing   Decision = "edited"   // and then approved
	ByDeclining Decision = "declined" // also where it was edited before
)

// Row is what a listing tells of a run.
type Row struct {
	ID         string       `json:"id"`
	Status     Status       `json:"status"`
	Kind       journal.Kind `json:"kind"`
	Name       string       `json:"name"`    // of the workflow or the flow
	Request    string       `json:"request"` // "" if there was none; a long one is cut
	By         string       `json:"by"`
	Parent     string       `json:"parent"` // the run that it came of, "" if none
	Arm        string       `json:"arm"`    // of a plan under a split: the flow that the request was assigned to; "" of any other run
	Started    time.Time    `json:"started"`
	DurationMS float64      `json:"duration_ms"` // of an interrupted run 0
	Steps      int          `json:"steps"`
	CostUSD    float64      `json:"cost_usd"`
	Tokens     int          `json:"tokens"`
	Error      *Error       `json:"error"`
	Decided    Decision     `json:"decided"` // of a plan; "" if nobody was asked
	Resumable  bool         `json:"resumable"`
	Bytes      int64        `json:"bytes"`          // of its folder; of a run that goes on 0
	Came       *Came        `json:"came,omitempty"` // of a plan, where that was asked for: what came of it
}

// Error is what ended a run. A long message is cut.
type Error struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Node    string `json:"node"`
}

// Unreadable is the kind of the error of a run whose folder cannot be read.
const Unreadable = "unreadable"

// What is what ran, in one line: of a plan the request, of a workflow or a flow its name.
func (r *Row) What() string {
	switch r.Kind {
	case journal.OfPlan:
		return "plan: " + r.Request
	case journal.OfFlow:
		return "flow " + r.Name
	case "":
		return r.ID
	}
	return r.Name
}

// Short is the part of an id that tells runs apart: its random digits.
func Short(id string) string {
	if m := idParts.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return id
}

// look makes the row of a run from its folder. A folder that cannot be read has a row that says why. ok is false where there
// is no run.
func look(home, id string, now time.Time) (row Row, ok bool) {
	row = Row{ID: id, Status: Interrupted, Started: startOf(id)}
	g, err := journal.Look(home, id)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return row, false
	default:
		row.Error = &Error{Kind: Unreadable, Message: err.Error()}
		return row, true
	}
	row.about(g.About)
	row.Bytes, row.Resumable = g.Bytes, g.GoesOn && !g.Running
	switch {
	case g.Running:
		row.Status, row.DurationMS = Running, float64(now.Sub(row.Started).Milliseconds())
	case g.End != nil:
		row.end(*g.End)
	}
	return row, true
}

func (r *Row) about(a journal.About) {
	r.Kind, r.Name, r.Request, r.By, r.Parent, r.Arm = a.Kind, a.Name, a.Request, a.By, a.Parent, a.Arm
	if !a.Began.IsZero() {
		r.Started = a.Began
	}
}

func (r *Row) end(e engine.Ending) {
	r.Status, r.DurationMS, r.Steps = Status(e.Status), float64(e.At.Microseconds())/1000, e.Steps
	r.CostUSD, r.Tokens = e.Usage["cost_usd"], int(e.Usage["tokens"])
	if came := Status(e.Came); e.Status == engine.Done && r.Kind == journal.OfPlan && slices.Contains(Statuses, came) {
		r.Status = came
	}
	if r.Decided = Decision(e.Decided); r.Decided == ByDeclining {
		r.Status = Declined
	}
	if e.Error != nil {
		r.Error = &Error{e.Error.Kind, e.Error.Message, e.Error.Node}
	}
}

// startOf is when a run began, by its id; zero where that does not say.
func startOf(id string) time.Time {
	const form = "20060102-150405"
	if len(id) < len(form) {
		return time.Time{}
	}
	t, _ := time.Parse(form, id[:len(form)])
	return t
}
