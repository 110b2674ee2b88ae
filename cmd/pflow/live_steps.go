package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/runs"
	"pflow/internal/workflow"
	"pflow/ir"
)

// liveView is how far something has come that is under way: the steps of a run, in the order in which they stand in its workflow,
// and those of which nobody knew before in the order in which they begin.
//
// A step is shown once, however often it is visited: items are a bar, rounds a count, and what is inside an item is not shown.
type liveView struct {
	what   string
	plain  bool                     // without styles
	most   int                      // lines at most; 0: as many as fit
	typeOf func(step string) string // nil: the op

	mu      sync.Mutex
	note    string // in the place of steps
	rows    []*liveStep
	byName  map[string]*liveStep
	current string        // the step whose attempt began last, for who is told in words
	at      time.Duration // of the run, when the last was told
	toldAt  time.Time     // when that was
}

// liveStep is a step that is shown.
type liveStep struct {
	name, label, kind string
	indent            int
	status            string // "" before its turn, kept, stopped, or one of package runs, done and failed
	action            string

	began, ended      time.Duration // of the run
	attempt, attempts int
	again             bool // the attempt failed, and the next one is waited for
	round, rounds     int
	units             int // -1: it has no items
	unitsEnded        int
	unitsFailed       int

	speech *speech // who spoke last in it
}

// The statuses of steps that are only here.
const (
	stepKept    = "kept"
	stepStopped = "stopped"
	stepDone    = "done"
	stepFailed  = "failed"
)

func newLiveView(what string) *liveView {
	return &liveView{what: what, byName: map[string]*liveStep{}, toldAt: time.Now()}
}

// graph lays out the nodes of a workflow: a node stands below what it follows, and further in where it is one of several.
func (v *liveView) graph(w *ir.Workflow) {
	out := map[string]int{}    // by node: how many default edges leave it
	in := map[string]int{}     // how many edges lead to it
	indent := map[string]int{} // of those that are laid out
	joins := map[string]int{}  // the least indent of what a join follows
	for _, e := range w.Edges {
		in[e.To]++
		if e.Action == ir.ActionDefault {
			out[e.From]++
		}
	}
	follows := map[string][]ir.Edge{}
	for _, e := range w.Edges {
		follows[e.From] = append(follows[e.From], e)
	}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		row := v.add(len(v.rows), n.ID, n.ID, n.Type)
		row.indent = min(indent[n.ID], mostIndent)
		for _, e := range follows[n.ID] {
			switch at := indent[n.ID]; {
			case in[e.To] > 1:
				if least, met := joins[e.To]; !met || at < least {
					joins[e.To] = at
				}
				indent[e.To] = max(0, joins[e.To]-1)
			case e.Action == ir.ActionDefault && out[n.ID] == 1:
				indent[e.To] = at
			default:
				indent[e.To] = at + 1
			}
		}
	}
}

// mostIndent bounds how far in a step stands.
const mostIndent = 8

// add puts a step into a place.
func (v *liveView) add(place int, name, label, kind string) *liveStep {
	s := &liveStep{name: name, label: label, kind: kind, units: -1}
	v.rows = append(v.rows, nil)
	copy(v.rows[place+1:], v.rows[place:])
	v.rows[place], v.byName[name] = s, s
	return s
}

// named reads the name of a step: which step of the view it belongs to, whether it is inside an item, which round it is, and
// whether it asks for approval.
func named(step string) (name string, inside bool, round int, gate bool) {
	if at := strings.IndexByte(step, '['); at >= 0 {
		step, inside = step[:at], true
	}
	var b strings.Builder
	for len(step) > 0 {
		at := strings.IndexByte(step, '#')
		if at < 0 {
			b.WriteString(step)
			break
		}
		b.WriteString(step[:at])
		end := at + 1
		for end < len(step) && step[end] >= '0' && step[end] <= '9' {
			end++
		}
		round = 0
		if end == len(step) {
			round, _ = strconv.Atoi(step[at+1:])
		}
		step = step[end:]
	}
	name, gate = strings.CutSuffix(b.String(), workflow.GateSuffix)
	return name, inside, round, gate
}

// step finds the step of a name, which is made below what it is inside of if it is new.
func (v *liveView) step(name, full, op string) *liveStep {
	if s := v.byName[name]; s != nil {
		return s
	}
	kind := op
	if v.typeOf != nil {
		kind = v.typeOf(full)
	}
	parent, label := (*liveStep)(nil), name
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		label = name[at+1:]
		if parent = v.byName[name[:at]]; parent == nil { // of a branch: outer.branch/inner
			if dot := strings.LastIndexByte(name[:at], '.'); dot >= 0 {
				parent, label = v.byName[name[:dot]], name[dot+1:]
			}
		}
		if parent == nil {
			label = name
		}
	}
	place := len(v.rows)
	if parent != nil {
		for place = 0; v.rows[place] != parent; place++ {
		}
		for place++; place < len(v.rows) && strings.HasPrefix(v.rows[place].name, parent.name) && v.rows[place].indent > parent.indent; place++ {
		}
	}
	s := v.add(place, name, label, kind)
	if parent != nil {
		s.indent = min(parent.indent+1, mostIndent)
	}
	return s
}

// told takes in how far a run has come.
func (v *liveView) told(p engine.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.at, v.toldAt = p.At, time.Now()
	name, inside, round, gate := named(p.Step)
	if p.Kind == engine.ProgressAttempt {
		v.current = p.Step
		if p.Attempt > 1 {
			v.current += fmt.Sprintf(", attempt %d", p.Attempt)
		}
	}
	if inside {
		return
	}
	s := v.step(name, p.Step, p.Op)
	switch {
	case gate:
		s.gate(p)
	case round > 0:
		s.inRound(p, round)
	default:
		s.told(p)
	}
}

// gate takes in what is told of the step that asks for the approval of a node.
func (s *liveStep) gate(p engine.Progress) {
	switch p.Kind {
	case engine.ProgressHeld:
		s.status = runs.StepWaiting
	case engine.ProgressEnded:
		s.status = ""
		if p.Failed != "" {
			s.end(p)
		}
	case engine.ProgressSkipped:
		s.status = runs.StepSkipped
	}
}

// inRound takes in what is told of a round.
func (s *liveStep) inRound(p engine.Progress, round int) {
	switch p.Kind {
	case engine.ProgressBegan:
		s.round = round
	case engine.ProgressAttempt, engine.ProgressRetry:
		s.tried(p)
	}
}

func (s *liveStep) tried(p engine.Progress) {
	if p.Index != "" {
		return
	}
	s.attempt, s.attempts, s.again = p.Attempt, p.Attempts, p.Kind == engine.ProgressRetry
	if s.status == runs.StepWaiting { // it asks again
		s.status = runs.StepOpen
	}
	if s.again || s.attempt > 1 {
		s.speech = nil
	}
}

func (s *liveStep) told(p engine.Progress) {
	switch p.Kind {
	case engine.ProgressBegan:
		*s = liveStep{name: s.name, label: s.label, kind: s.kind, indent: s.indent, status: runs.StepOpen, began: p.At, rounds: p.Rounds, units: p.Units}
	case engine.ProgressAttempt, engine.ProgressRetry:
		s.tried(p)
	case engine.ProgressHeld:
		s.status = runs.StepWaiting
	case engine.ProgressUnit:
		if p.Failed != fault.Cancelled {
			s.unitsEnded++
		}
		if p.Failed != "" && p.Failed != fault.Cancelled {
			s.unitsFailed++
		}
	case engine.ProgressSkipped:
		s.status = runs.StepSkipped
	case engine.ProgressEnded:
		if s.status == "" { // it ended before it could begin
			s.began = p.At
		}
		s.end(p)
	}
}

func (s *liveStep) end(p engine.Progress) {
	s.ended, s.action, s.again, s.speech = p.At, p.Action, false, nil
	switch {
	case p.Failed == fault.Cancelled:
		s.status = stepStopped
	case p.Failed != "":
		s.status = stepFailed
	case p.Kept:
		s.status = stepKept
	default:
		s.status = stepDone
	}
}

// open reports whether it is under way.
func (s *liveStep) open() bool { return s.status == runs.StepOpen || s.status == runs.StepWaiting }

// now says what is under way in words.
func (v *liveView) now() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.note != "" {
		return v.note
	}
	return v.current
}

// say shows a note in the place of steps.
func (v *liveView) say(note string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.note = note
}

// speech is the end of what a model or a command says.
type speech struct {
	model bool
	chars int
	end   string
}

// speechKept is how much of it is kept, in bytes: more than some lines of a wide terminal.
const speechKept = 4 << 10

// speaker gives who is told of each piece of what a model or a command says within a step.
func (v *liveView) speaker(step string, model bool) func(piece string) {
	s := &speech{model: model}
	name, _, _, _ := named(step)
	return func(piece string) {
		v.mu.Lock()
		defer v.mu.Unlock()
		s.chars += utf8.RuneCountInString(piece)
		if len(piece) > speechKept {
			piece = piece[len(piece)-speechKept:]
		}
		if s.end += piece; len(s.end) > 2*speechKept {
			s.end = strings.Clone(s.end[len(s.end)-speechKept:])
		}
		if row := v.byName[name]; row != nil && row.open() {
			row.speech = s
		}
	}
}
