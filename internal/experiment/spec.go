package experiment

import (
	"fmt"
	"runtime"
	"strings"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/llm"
)

// Spec is an experiment as its document says it. Paths are as written; Dir is what they are relative to.
type Spec struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Model       string `json:"model,omitempty"`   // what variants without a model of their own use
	Command     string `json:"command,omitempty"` // that makes it again, for people; "" is not known
	Asked       *Asked `json:"asked,omitempty"`   // the same, for programs; nil where more than this decides it
	File        string `json:"-"`                 // "" for one made of flags
	Dir         string `json:"-"`

	CasesFile   string      `json:"cases,omitempty"`       // a JSONL file
	Inline      []Case      `json:"-"`                     // or the cases themselves
	Variants    []Variant   `json:"-"`                     // the factors crossed in already; the baseline is the first
	AllowEqual  bool        `json:"allow_equal,omitempty"` // variants may come to the same, to see how much chance there is
	Repeats     int         `json:"repeats"`               // runs of each case under each variant
	Concurrency int         `json:"concurrency"`           // plans under way at once; 0 is AtOnce's to say
	Seed        uint64      `json:"seed"`                  // of the order and of the statistics
	Date        string      `json:"date,omitempty"`        // the current date of cases that say none
	Library     string      `json:"library,omitempty"`
	Catalogue   []string    `json:"catalogue,omitempty"`  // files or folders of declared nodes
	NoBuiltin   bool        `json:"no_builtin,omitempty"` // only declared nodes
	Budget      Budget      `json:"budget"`               // of the whole experiment
	Replies     Replies     `json:"replies"`              // where replies of models are kept
	Scoring     Scoring     `json:"scoring"`              // how plans are read
	Primary     Metric      `json:"primary"`              // what decides
	Metrics     []Metric    `json:"metrics,omitempty"`    // what reports tell; nil: all that say something
	Effect      float64     `json:"effect"`               // the smallest difference of Primary that matters, in its unit
	Guardrails  []Guardrail `json:"guardrails,omitempty"` // what must not get worse
	Targets     []Target    `json:"targets,omitempty"`    // what nodes must keep within
	FlowTargets bool        `json:"-"`                    // also what the flows declare; Create makes Targets of it
	FailOn      []string    `json:"fail_on,omitempty"`    // verdicts that fail the experiment
	FailIf      []Condition `json:"fail_if,omitempty"`    // predicates over the report that fail the experiment

	identity string // all that decides rows, as ID sums it up; "" where nobody asked for it
}

// Variant is one way to plan.
type Variant struct {
	Name    string            `json:"name"`
	Flow    string            `json:"flow"`              // a name, or a path
	Rev     string            `json:"rev,omitempty"`     // a revision of git that the flow is taken from, as it was written; "" for now
	Commit  string            `json:"commit,omitempty"`  // what Rev stood for when the experiment was made
	Set     []engine.Setting  `json:"set,omitempty"`     // edits of the flow
	Model   string            `json:"model,omitempty"`   // what calls without a model of their own use; that of the Spec if ""
	Prompts []Prompts         `json:"prompts,omitempty"` // looked at before any other place
	Levels  map[string]string `json:"levels,omitempty"`  // factor -> level, if it comes of a factorial
	Place   diag.Place        `json:"-"`
}

// Prompts replaces prompts or schemas: a folder of them, or one name by one file.
type Prompts struct {
	Name string `json:"name,omitempty"` // "" for a folder
	Path string `json:"path"`
}

// Budget bounds an experiment; 0 is no bound. What is under way when a bound is reached is still finished.
type Budget struct {
	CostUSD float64 `json:"cost_usd,omitempty"`
	Calls   int     `json:"calls,omitempty"`
	Tokens  int     `json:"tokens,omitempty"`
}

// String is the budget as messages have it, "" for none.
func (b Budget) String() string {
	var parts []string
	if b.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("cost_usd %g", b.CostUSD))
	}
	if b.Calls > 0 {
		parts = append(parts, fmt.Sprintf("calls %d", b.Calls))
	}
	if b.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("tokens %d", b.Tokens))
	}
	return strings.Join(parts, ", ")
}

// Replies says where the replies of models are kept and taken from. What the folder Record has already is not asked again.
type Replies struct {
	Record       string     `json:"record,omitempty"`
	Replay       string     `json:"replay,omitempty"`
	ReplayOrCall bool       `json:"replay_or_call,omitempty"` // what Replay has not is called, and recorded
	Clock        *llm.Clock `json:"clock,omitempty"`          // times are simulated: calls take what recordings say, or else this
	Carry        bool       `json:"carry,omitempty"`          // what Replay has not is answered by the reply to the same question in other words
	About        string     `json:"about,omitempty"`          // who wrote the recorded ones, and what that means for a reader
}

// Timed reports whether how long a plan takes says something: replies of recordings take no time but by a clock.
func (r Replies) Timed() bool { return !r.Kept() || r.Clock != nil }

// Kept reports whether replies come from, or go to, recordings.
func (r Replies) Kept() bool { return r.Record != "" || r.Replay != "" }

// inWords says where replies come from, "" where models are called. A recording and its replay say the same.
func (r Replies) inWords() string {
	switch {
	case !r.Kept():
		return ""
	case r.About != "":
		return r.About
	}
	return "from recordings, in which each question was asked once"
}

// Folders are those that a client of models is given. Calls that are equal are asked once, also within one experiment: so
// the rows of a recording and of its replay are the same.
func (r Replies) Folders() (record, replay string, orCall bool) {
	if r.Record != "" && r.Replay == "" {
		return r.Record, r.Record, true
	}
	return r.Record, r.Replay, r.ReplayOrCall
}

// mostAtOnce bounds how many plans are under way at once, and with it the memory they take.
const mostAtOnce = 256

// AtOnce is how many plans are under way at once. Where nothing says so it is one, since plans that are made side by side slow
// each other down; where replies are replayed and no model is called, and no time is measured, it is one for each processor.
func (s *Spec) AtOnce() int {
	switch {
	case s.Concurrency > 0:
		return min(s.Concurrency, mostAtOnce)
	case s.Replies.Replay != "" && !s.Replies.ReplayOrCall:
		return runtime.GOMAXPROCS(0)
	}
	return 1
}

// Scoring says how plans are read.
type Scoring struct {
	Edges  string `json:"edges"`  // refs: references that params use; declared: the edges of the workflow
	Params string `json:"params"` // all: what is not expected is wrong; listed: only expected params are looked at
}

// The ways to read plans.
const (
	EdgesRefs     = "refs"
	EdgesDeclared = "declared"
	ParamsAll     = "all"
	ParamsListed  = "listed"
)

// Guardrail bounds how much worse than the baseline a variant may be. At least one of Relative and Absolute is set.
type Guardrail struct {
	Metric   Metric   `json:"metric"`             // not the primary, which is judged by itself; a rate may not fall, any other not grow
	Relative *float64 `json:"relative,omitempty"` // the share by which the mean may: 0.1 is 10%; of a rate, less than 1
	Absolute *float64 `json:"absolute,omitempty"` // by how much it may, in the metric's unit: of a rate less than 1, and 0.05 is 5 points
}

// Condition is a predicate in expr or CEL.
type Condition struct {
	Lang   string `json:"lang"`
	Source string `json:"source"`
	place  diag.Place
}
