package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/runs"
	"pflow/internal/value"
	"pflow/ir"
)

// runPart says which part of a run is shown, for whoever cannot take all of it.
type runPart struct {
	step        string // "": the run
	status      []string
	limit, skip int // of steps, on each level; limit 0: all
	cut         int // the bytes of a value; 0: whole ones
	source      bool
}

// stepStatuses are what steps can be, those first that want to be looked at.
var stepStatuses = []string{"failed", runs.StepWaiting, runs.StepOpen, "done", runs.StepSkipped, runs.StepNotReached}

func (p *runPart) flags(a *app, c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.step, "step", "", "show only the step of this `NAME`, with what is inside it, and cut nothing")
	f.StringSliceVar(&p.status, "status", nil, "only steps with this `STATUS`: failed, waiting, open, done, skipped, not_reached (repeatable)")
	f.IntVar(&p.limit, "limit", 0, "how many steps at most, and so many inside each: of more, those come first that failed, wait or are under way; 0: all")
	f.IntVar(&p.skip, "skip", 0, "how many steps to leave out before them")
	f.IntVar(&p.cut, "cut", 0, "cut values of --json that are longer than so many `BYTES`; 0: none")
	f.BoolVar(&p.source, "source", false, "with --json: also what ran, the workflow or the flow, and what became of each of its nodes")
	a.completes(c, "status", cobra.FixedCompletions(stepStatuses, cobra.ShellCompDirectiveNoFileComp))
}

func (p *runPart) check() error {
	for _, s := range p.status {
		if !slices.Contains(stepStatuses, s) {
			return ofFlag("status", strconv.Quote(s), "want one of failed, waiting, open, done, skipped, not_reached%s", didYouMean(s, stepStatuses))
		}
	}
	for name, n := range map[string]int{"limit": p.limit, "skip": p.skip, "cut": p.cut} {
		if n < 0 {
			return ofFlag(name, strconv.Itoa(n), "want 0 or more")
		}
	}
	return nil
}

// narrowed reports whether steps may be left out.
func (p *runPart) narrowed() bool { return p.limit > 0 || p.skip > 0 || len(p.status) > 0 }

// of narrows a run, or one step of it, to what is wanted.
func (p *runPart) of(s *shownRun) {
	if p.narrowed() {
		s.Counts, s.Steps = runs.Tally(s.Steps), p.wanted(s.Steps)
	}
	if p.cut > 0 {
		s.Outputs = cutEach(s.Outputs, p.cut)
		s.Inputs = cutEach(s.Inputs, p.cut)
		for i := range s.Approvals {
			n := &s.Approvals[i]
			n.Params, _ = cutEach(n.Params, p.cut).(map[string]any)
		}
		for _, step := range s.Steps {
			p.cutStep(step)
		}
	}
}

func (p *runPart) ofStep(s *runs.Step) {
	if p.narrowed() {
		s.Inside, s.Steps = runs.Tally(s.Steps), p.wanted(s.Steps)
	}
	if p.cut > 0 {
		p.cutStep(s)
	}
}

// wanted are the steps of the page that is asked for, and what is inside each.
func (p *runPart) wanted(steps []*runs.Step) []*runs.Step {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s *runs.Step) bool { return len(p.status) > 0 && !slices.Contains(p.status, s.Status) })
	steps = p.first(steps)[min(p.skip, len(steps)):]
	if p.limit > 0 {
		steps = steps[:min(p.limit, len(steps))]
	}
	for _, s := range steps {
		p.inside(s)
	}
	return steps
}

// first puts those steps first that want to be looked at, where there are more than the limit.
func (p *runPart) first(steps []*runs.Step) []*runs.Step {
	if p.limit == 0 || len(steps) <= p.limit {
		return steps
	}
	calm := slices.Index(stepStatuses, "done")
	rank := func(s *runs.Step) int { return min(slices.Index(stepStatuses, s.Status), calm) }
	slices.SortStableFunc(steps, func(a, b *runs.Step) int { return rank(a) - rank(b) })
	return steps
}

func (p *runPart) inside(s *runs.Step) {
	if len(s.Steps) == 0 {
		return
	}
	s.Inside = runs.Tally(s.Steps)
	if s.Steps = p.first(slices.Clone(s.Steps)); p.limit > 0 {
		s.Steps = s.Steps[:min(p.limit, len(s.Steps))]
	}
	for _, in := range s.Steps {
		p.inside(in)
	}
}

func (p *runPart) cutStep(s *runs.Step) {
	s.Params, s.Outputs = cutEach(s.Params, p.cut), cutEach(s.Outputs, p.cut)
	for name, v := range s.Saw {
		s.Saw[name] = cutValue(v, p.cut)
	}
	for i := range s.Attempts {
		if e := s.Attempts[i].Error; e != nil && len(e.Message) > p.cut {
			s.Attempts[i].Error = &runs.Error{Kind: e.Kind, Message: cutText(e.Message, p.cut), Node: e.Node}
		}
	}
	for _, in := range s.Steps {
		p.cutStep(in)
	}
}

// cutKey is the key of what stands in the place of a value that was cut: {"$cut": the beginning of its text or JSON, "bytes": of all}.
const cutKey = "$cut"

// cutEach cuts a value, and of an object each of its values.
func cutEach(v any, most int) any {
	object, ok := v.(map[string]any)
	if !ok || len(object) > most {
		return cutValue(v, most)
	}
	out := make(map[string]any, len(object))
	for name, v := range object {
		out[name] = cutValue(v, most)
	}
	return out
}

func cutValue(v any, most int) any {
	text, ok := v.(string)
	if !ok {
		switch v.(type) {
		case nil, bool:
			return v
		}
		text = value.JSON(v)
	}
	if len(text) <= most {
		return v
	}
	return map[string]any{cutKey: cutText(text, most), "bytes": len(text)}
}

// cutText is the beginning of a text, which ends with a whole character.
func cutText(text string, most int) string {
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most]
}

// ranNode is what became of a node of a workflow or flow.
type ranNode struct {
	Node    string         `json:"node"`
	Status  string         `json:"status"` // of its last visit
	Visits  int            `json:"visits"`
	Kept    bool           `json:"kept,omitempty"`   // its outcome is that of another run
	Actions []string       `json:"actions"`          // those it ended with
	Inside  map[string]int `json:"inside,omitempty"` // what is inside its last visit, by status
}

// ranNodes tells of the nodes of a run, in the order in which they began.
func ranNodes(steps []*runs.Step) []ranNode {
	var out []ranNode
	at := map[string]int{}
	for _, s := range steps {
		name := runs.NodeOf(s.Name)
		i, seen := at[name]
		if !seen {
			i, at[name] = len(out), len(out)
			out = append(out, ranNode{Node: name, Actions: []string{}})
		}
		n := &out[i]
		n.Status, n.Visits, n.Kept, n.Inside = s.Status, n.Visits+1, false, runs.Tally(s.Steps)
		if len(s.Attempts) > 0 {
			n.Kept = s.Attempts[len(s.Attempts)-1].Kept != ""
		}
		if s.Action != nil && !slices.Contains(n.Actions, *s.Action) {
			n.Actions = append(n.Actions, *s.Action)
		}
	}
	return out
}

// ranSource is what ran.
type ranSource struct {
	Workflow *ir.Workflow `json:"workflow"` // null of a flow
	Flow     *shownFlow   `json:"flow"`     // null of a workflow
	Nodes    []ranNode    `json:"nodes"`
}

// leftOut says how many of the steps that were counted are shown; "" where that is all of them, or they were not counted.
func leftOut(counts map[string]int, shown int) string {
	total := 0
	for _, n := range counts {
		total += n
	}
	if total <= shown {
		return ""
	}
	var each []string
	for _, s := range stepStatuses {
		if n := counts[s]; n > 0 {
			each = append(each, fmt.Sprintf("%d %s", n, strings.ReplaceAll(s, "_", " ")))
		}
	}
	return fmt.Sprintf("%d of %d steps (%s)", shown, total, strings.Join(each, ", "))
}
