package runs

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/engine"
)

// Step is one visit of a node, with what is inside it: the items of a map, the rounds of a node that repeats, the steps of what it calls.
type Step struct {
	Name       string         `json:"name"`  // in the whole run
	Label      string         `json:"label"` // within what it is in
	Type       string         `json:"type"`  // component or op, "" of an item
	Status     string         `json:"status"`
	StartedAt  *time.Time     `json:"started_at"`
	DurationMS float64        `json:"duration_ms"`
	Action     *string        `json:"action"`
	Because    string         `json:"because,omitempty"` // the condition that held
	Not        []string       `json:"not,omitempty"`     // those before it that did not
	Saw        map[string]any `json:"saw,omitempty"`     // what they read
	Params     any            `json:"params"`
	Outputs    any            `json:"outputs"`
	Attempts   []Attempt      `json:"attempts,omitempty"`
	Why        string         `json:"why,omitempty"`    // of one that did not run
	Inside     map[string]int `json:"inside,omitempty"` // how many steps are inside, by status; where not all of them are told
	Steps      []*Step        `json:"steps,omitempty"`

	ended bool
}

// The statuses of steps, beside done and failed.
const (
	StepSkipped    = "skipped"     // no edge that leads there was taken
	StepNotReached = "not_reached" // the run did not come so far
	StepOpen       = "open"        // it began and has not ended
	StepWaiting    = "waiting"
)

// Attempt is one attempt of an op.
type Attempt struct {
	Attempt    int                `json:"attempt"`
	StartedAt  time.Time          `json:"started_at"`
	DurationMS float64            `json:"duration_ms"`
	Error      *Error             `json:"error"`
	Waits      string             `json:"waits,omitempty"`
	Usage      map[string]float64 `json:"usage,omitempty"`
	Kept       string             `json:"kept,omitempty"` // the run whose outcome it is: nothing was done for it
	Open       bool               `json:"open,omitempty"` // it has no outcome
}

// Teller says of steps what the engine does not know: their components, params and outputs. Each may be nil.
type Teller struct {
	Type    func(step string) string
	Params  func(step string, prep map[string]any) any
	Outputs func(step string, result any) any
}

// Trace puts the steps of a run together while it is stepped through again.
type Trace struct {
	tell   Teller
	began  time.Time
	steps  map[string]*Step
	visits map[string]bool // nodes that were visited more than once: what follows # is a visit, and else a round
	order  []*Step
}

// NewTrace gives a Trace of a run that began at a time.
func NewTrace(began time.Time, tell Teller) *Trace {
	return &Trace{tell: tell, began: began, steps: map[string]*Step{}, visits: map[string]bool{}}
}

// Watch is what engine.Replay tells.
func (t *Trace) Watch() engine.Watch { return engine.Watch{Ended: t.ended, Attempted: t.attempted} }

// key names a visit: from the second on NAME#2, as the steps inside it have it in their names.
func (t *Trace) key(name string, visit int) string {
	if visit > 1 {
		t.visits[name] = true
		return name + "#" + strconv.Itoa(visit)
	}
	return name
}

// at gives the step of a key, which is made if it is new.
func (t *Trace) at(key string) *Step {
	if s := t.steps[key]; s != nil {
		return s
	}
	s := &Step{Name: key, Status: StepOpen}
	t.steps[key] = s
	t.order = append(t.order, s)
	return s
}

func (t *Trace) ended(tr engine.Transition) {
	s := t.at(t.key(tr.Node, tr.Visit))
	at := tr.StartedAt
	s.ended, s.StartedAt, s.DurationMS, s.Action = true, &at, tr.DurationMS, tr.Action
	s.Because, s.Not, s.Saw = tr.Because, tr.Not, tr.Saw
	s.Status = "done"
	if tr.Action == nil || strings.HasPrefix(tr.Because, "caught ") {
		s.Status = "failed"
	}
	s.Outputs = tr.Result
	if t.tell.Outputs != nil {
		s.Outputs = t.tell.Outputs(tr.Node, tr.Result)
	}
	if s.Params == nil {
		s.Params = t.params(tr.Node, tr.Prep)
	}
}

func (t *Trace) params(step string, prep map[string]any) any {
	if t.tell.Params != nil {
		return t.tell.Params(step, prep)
	}
	if len(prep) == 0 {
		return nil
	}
	return prep
}

func (t *Trace) attempted(a engine.Attempted) {
	name := t.key(a.Step, a.Visit)
	switch {
	case a.Index == "":
	case strings.Trim(a.Index, "0123456789") == "":
		name += "[" + a.Index + "]"
	default:
		name += "." + a.Index
	}
	s := t.at(name)
	if s.Type == "" {
		s.Type = a.Op
	}
	s.Params = t.params(a.Step, a.Prep)
	began := t.began.Add(a.At)
	if s.StartedAt == nil {
		s.StartedAt = &began
	}
	out := Attempt{Attempt: a.Attempt.Attempt, StartedAt: began}
	switch ev := a.Outcome; {
	case ev == nil:
		out.Open = true
	case ev.Waits != "":
		out.Waits, s.Status = ev.Waits, StepWaiting
	default:
		out.DurationMS, out.Usage, out.Kept = milliseconds(a.Ended-a.At), ev.Meters, ev.From
		if ev.Err != nil {
			out.Error = &Error{string(ev.Err.Kind), ev.Err.Message, ""}
		}
		if a.Index != "" { // an item or a branch: it has no record of its own
			s.ended, s.Status, s.DurationMS = true, "done", milliseconds(t.began.Add(a.Ended).Sub(*s.StartedAt))
			if s.Outputs = ev.Result; t.tell.Outputs != nil {
				s.Outputs = t.tell.Outputs(a.Step, ev.Result)
			}
			if ev.Err != nil {
				s.Status, s.Outputs = "failed", nil
			}
		}
	}
	s.Attempts = append(s.Attempts, out)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

var (
	visitEnd = regexp.MustCompile(`#\d+$`)
	itemEnd  = regexp.MustCompile(`(\[\d+\]|\.[A-Za-z0-9_-]+)$`)
)

// parent is the key of what a step is in, "" for one of the run itself: of get[3]/fetch it is get[3], of that get, of the round
// poll#2 poll. A second visit is in what the first is in.
func (t *Trace) parent(key string) string {
	slash := strings.LastIndexByte(key, '/')
	last := key[slash+1:]
	if at := visitEnd.FindStringIndex(last); at != nil {
		base := key[:slash+1] + last[:at[0]]
		if t.visits[base] {
			return key[:max(slash, 0)]
		}
		return base
	}
	if at := itemEnd.FindStringIndex(last); at != nil && at[0] > 0 {
		return key[:slash+1] + last[:at[0]]
	}
	return key[:max(slash, 0)]
}

// Steps gives the tree: what began first comes first.
func (t *Trace) Steps() []*Step {
	for i := 0; i < len(t.order); i++ { // grows while parents are made
		if p := t.parent(t.order[i].Name); p != "" {
			t.at(p)
		}
	}
	var roots []*Step
	for _, s := range t.order {
		p := t.parent(s.Name)
		s.Label = strings.TrimPrefix(strings.TrimPrefix(s.Name, p), "/")
		if t.tell.Type != nil && s.Label != "" && s.Label[0] != '[' && s.Label[0] != '#' {
			s.Type = cmp.Or(t.tell.Type(s.Name), s.Type)
		}
		if p == "" {
			roots = append(roots, s)
			continue
		}
		in := t.at(p)
		in.Steps = append(in.Steps, s)
	}
	sortSteps(roots)
	for _, s := range roots {
		s.settle()
	}
	return roots
}

// settle gives what has no record of its own, an item that runs a flow, its times by what is in it.
func (s *Step) settle() {
	sortSteps(s.Steps)
	whole, last := len(s.Steps) > 0, time.Time{}
	for _, in := range s.Steps {
		in.settle()
		whole = whole && in.ended
		if in.StartedAt != nil {
			if at := in.StartedAt.Add(time.Duration(in.DurationMS * float64(time.Millisecond))); at.After(last) {
				last = at
			}
		}
		if s.StartedAt == nil || in.StartedAt != nil && !s.ended && in.StartedAt.Before(*s.StartedAt) {
			s.StartedAt = in.StartedAt
		}
		if !s.ended && in.Status == StepWaiting {
			s.Status = StepWaiting
		}
	}
	if !s.ended && whole && s.StartedAt != nil && len(s.Attempts) == 0 {
		s.ended, s.Status, s.DurationMS = true, s.Steps[len(s.Steps)-1].Status, milliseconds(last.Sub(*s.StartedAt))
	}
}

func sortSteps(list []*Step) {
	slices.SortStableFunc(list, func(a, b *Step) int {
		switch {
		case a.StartedAt == nil || b.StartedAt == nil:
			return 0
		}
		return a.StartedAt.Compare(*b.StartedAt)
	})
}

// Tally counts steps by status.
func Tally(steps []*Step) map[string]int {
	out := map[string]int{}
	for _, s := range steps {
		out[s.Status]++
	}
	return out
}

// NodeOf is the node that a step is a visit of: poll of poll#2.
func NodeOf(step string) string {
	return visitEnd.ReplaceAllString(step, "")
}
