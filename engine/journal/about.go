package journal

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/value"
)

// Kind says what is run.
type Kind string

// The kinds of runs.
const (
	OfWorkflow Kind = "workflow"
	OfPlan     Kind = "plan" // a planner flow, for a request
	OfFlow     Kind = "flow"
)

// Who starts runs, beside those whose names follow: schedule:NAME, each:ID (one line of a file), run:ID (a notification).
const (
	ByPerson = "person" // the command line
	ByMCP    = "mcp"    // a client of pflow mcp serve
	ByRetry  = "retry"  // of the parent
	ByFix    = "fix"    // of the parent
	ByReplay = "replay" // of the parent: its request, planned again
)

// About is what a run is, for whoever looks at many: it stands at the beginning of the journal.
type About struct {
	Kind    Kind      `json:"kind"`
	Name    string    `json:"name"`              // of the workflow or the flow
	Request string    `json:"request,omitempty"` // what was asked for, where there was a request
	By      string    `json:"by"`                // who started it
	Parent  string    `json:"parent,omitempty"`  // the run that it came of: that of its plan, or the one that is run again
	Given   []string  `json:"given,omitempty"`   // the inputs that have values which somebody gave beside what was asked for, or against it
	Arm     string    `json:"arm,omitempty"`     // of a plan under a split: the flow that the request was assigned to
	Began   time.Time `json:"began"`             // by the clock, whatever day the run is taken to begin on
}

// The texts of About and of the end, in bytes: with them both are found without reading the whole journal.
const (
	maxRequest = 1000
	maxMessage = 1000
	maxName    = 200
	maxGiven   = 20
)

// firstPart and lastPart are how much of a journal holds all before the input and the end.
const (
	firstPart = 16 << 10
	lastPart  = 32 << 10
)

const beforeInput = `,"input":`

// Bounded is what the journal keeps of it: long texts are cut.
func (a About) Bounded() About {
	a.Name, a.Request, a.By, a.Parent, a.Arm = cut(a.Name, maxName), cut(a.Request, maxRequest), cut(a.By, maxName), cut(a.Parent, maxName), cut(a.Arm, maxName)
	if a.Given = slices.Clone(a.Given); len(a.Given) > maxGiven {
		a.Given = append(a.Given[:maxGiven], "…")
	}
	for i, name := range a.Given {
		a.Given[i] = cut(name, maxName)
	}
	return a
}

// cut shortens a text to so many bytes and a sign that it was.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

func (a About) append(b []byte) []byte {
	text, err := json.Marshal(a)
	if err != nil {
		panic("journal: " + err.Error()) // of a year that RFC 3339 has not
	}
	return append(b, text...)
}

// maxMeters is how many meters the end tells of.
const maxMeters = 100

func appendEnd(b []byte, end engine.Ending, final bool) []byte {
	b = append(b, `{"e":"end","status":`...)
	b = value.AppendString(b, string(end.Status))
	b = append(b, `,"at":`...)
	b = value.AppendJSON(b, int(end.At))
	b = append(b, `,"steps":`...)
	b = value.AppendJSON(b, end.Steps)
	if n := len(end.Usage); n > 0 && n <= maxMeters {
		b = appendMeters(append(b, `,"usage":`...), end.Usage)
	}
	if e := end.Error; e != nil {
		b = append(b, `,"error":{"kind":`...)
		b = value.AppendString(b, e.Kind)
		b = append(b, `,"message":`...)
		b = value.AppendString(b, cut(e.Message, maxMessage))
		b = append(b, `,"node":`...)
		b = value.AppendString(b, cut(e.Node, maxName))
		b = append(b, '}')
	}
	if end.Came != "" {
		b = append(b, `,"came":`...)
		b = value.AppendString(b, cut(end.Came, maxName))
	}
	if end.Decided != "" {
		b = append(b, `,"decided":`...)
		b = value.AppendString(b, cut(end.Decided, maxName))
	}
	if final {
		b = append(b, `,"final":true`...)
	}
	return b
}

// end reads the record of an end.
func (r *record) end() *engine.Ending {
	out := &engine.Ending{Status: r.Status, At: r.At, Steps: r.Steps, Usage: r.Usage, Came: r.Came, Decided: r.Decided}
	if r.Error != nil {
		out.Error = &engine.RunError{Kind: string(r.Error.Kind), Message: r.Error.Message, Node: r.Error.Node}
	}
	return out
}
