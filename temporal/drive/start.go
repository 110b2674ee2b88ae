// Package drive is pflow's second driver: it steps runs in workflow code of Temporal, where each attempt of an op is an
// activity, a wait a timer, an approval a signal, and the history is the journal.
//
// Step decides everything, as in the driver of one machine (engine.Execute); this package only carries commands out and
// brings back what happened. Workflow code must do the same again when its history is replayed, by another release too. So
// what an op gives is always read from the history: of instant ops, which run in workflow code, as of activities. What is
// left is Step itself, which engine.StepVersion guards.
package drive

import (
	"encoding/json"
	"errors"
	"time"

	"pflow/engine"

	"go.temporal.io/sdk/temporal"
)

// WorkflowType and AttemptType are the names by which Temporal knows the workflow and the activity.
const (
	WorkflowType = "pflow.run"
	AttemptType  = "pflow.attempt"
)

// Start is what a run begins with, or goes on with where its history was cut.
type Start struct {
	Step      int               `json:"step"` // engine.StepVersion of who began it
	Name      string            `json:"name"` // of the flow or the workflow
	Documents []byte            `json:"documents"`
	Hash      string            `json:"hash"`                // HashOf the documents
	Given     json.RawMessage   `json:"given"`               // the first store, or what is given of it
	Bound     bool              `json:"bound"`               // Given is the first store: nothing is to be asked for
	Yes       bool              `json:"yes,omitempty"`       // approve whatever wants approval
	Again     bool              `json:"again,omitempty"`     // run attempts again that were lost with their worker, whatever they may repeat
	Queues    map[string]string `json:"queues,omitempty"`    // task queue by place, see engine.Op; none: that of the run
	Heartbeat time.Duration     `json:"heartbeat,omitempty"` // after which a worker that is not heard of is lost; 0: DefaultHeartbeat
	CutAfter  int               `json:"cut_after,omitempty"` // events of a history, after which the run goes on with a new one; 0: DefaultCut

	Past *Past `json:"past,omitempty"` // of a run that goes on
}

// The defaults of Start.
const (
	DefaultHeartbeat = 30 * time.Second
	DefaultCut       = 5000
)

// Past is how far a run came before its history was cut.
type Past struct {
	Events   []byte   `json:"events"` // compressed, as packEvents has them
	Warnings []string `json:"warnings,omitempty"`
	Lost     []int    `json:"lost,omitempty"`     // attempts that wait for a decision
	Approved []string `json:"approved,omitempty"` // steps that were approved before they asked
	Cuts     int      `json:"cuts"`               // how often the history was cut
}

// Ended is how a run ended: what its program makes of engine.Result.
type Ended struct {
	Status engine.Status   `json:"status"`
	Result json.RawMessage `json:"result"`
}

// EndedBy reads how a run ended off the error of its workflow: of one that failed or was cancelled. It is nil where nothing was run.
func EndedBy(err error) *Ended {
	var application *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	var details func(...any) error
	switch {
	case errors.As(err, &application) && application.HasDetails():
		details = application.Details
	case errors.As(err, &cancelled) && cancelled.HasDetails():
		details = cancelled.Details
	default:
		return nil
	}
	var ended *Ended
	if details(&ended) != nil || ended == nil || ended.Result == nil {
		return nil
	}
	return ended
}

// Attempt is the input of the activity.
type Attempt struct {
	Hash      string      `json:"hash"`
	Documents []byte      `json:"documents,omitempty"` // if the worker asked for them
	Run       string      `json:"run"`                 // the workflow's id
	Call      engine.Call `json:"call"`
}

// Answer is its result.
type Answer struct {
	Event     json.RawMessage `json:"event,omitempty"` // as journal.AppendEvent writes it
	Warnings  []string        `json:"warnings,omitempty"`
	Documents bool            `json:"documents,omitempty"` // nothing was done: the worker needs the documents
}

// The signals.
const (
	ApproveSignal = "approve" // Approve
	DecideSignal  = "decide"  // Decide
	AnswerSignal  = "answer"  // Line
	InputSignal   = "input"   // a JSON object of inputs
)

// Approve approves a step that waits for it, or will; Step "" all that wait now.
type Approve struct {
	Step string `json:"step"`
}

// Decide says what becomes of an attempt that was under way when its worker was lost: it runs again, or it has failed.
type Decide struct {
	Step  string `json:"step"` // "" of all
	Again bool   `json:"again"`
}

// Line answers a step that asks for a line.
type Line struct {
	Step string `json:"step"`
	Line string `json:"line"`
}

// StateQuery asks a run for its State.
const StateQuery = "state"

// State is how far a run has come.
type State struct {
	Status  string   `json:"status"` // running; waiting, where only an answer takes it on; else as it ended
	Steps   int      `json:"steps"`  // that ended
	Under   []string `json:"under"`  // attempts under way
	Waits   []Wait   `json:"waits"`  // what it is to be told
	Refused string   `json:"refused,omitempty"`
	Cuts    int      `json:"cuts"` // how often its history was cut
}

// Wait is something that a run is to be told.
type Wait struct {
	Kind        string `json:"kind"` // approval, decision, line, input: the signal that answers it is approve, decide, answer, input
	Step        string `json:"step,omitempty"`
	For         string `json:"for"` // what is asked, for people
	Name        string `json:"name,omitempty"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
}
