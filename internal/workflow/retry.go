package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pflow/engine"
	"pflow/internal/value"
	"pflow/ir"
)

// Retry decides, in a run that runs an earlier one again, which of its steps are kept: those that finished, are what they were,
// and follow nothing that runs again. It is used by one run.
type Retry struct {
	Parent string // the earlier run
	// Again lets steps run again that finished and are not idempotent.
	Again bool
	// From names steps that run again because somebody wants it, with all that follows them: outer/inner, without items and rounds.
	From []string

	now       *Program
	anew      map[string]string // steps that finished and run again, by their name without item and round -> why
	past      []*earlier        // the earlier run, and those that it ran again, the newest first
	ran       map[string]bool   // steps and their rounds that ran in this run, and the prefixes of those inside others
	kept      []string
	ancestors map[*Program]map[string][]string
}

// earlier is what a run before this one left.
type earlier struct {
	id        string
	program   *Program
	sameFlows bool                        // that declared nodes run
	finished  map[string]engine.Attempted // and was not begun again by a later one
	begun     map[string]bool
	failed    map[string]engine.Attempted // what steps that failed last were given
	ran       map[string]bool             // as that of Retry
}

// RunsAgain is the error of a step that finished, would run again, and may repeat an effect.
type RunsAgain struct{ Step, Why string }

func (e *RunsAgain) Error() string {
	return fmt.Sprintf("%s finished before and would run again, since %s; that may repeat its effects", e.Step, e.Why)
}

// NewRetry reads what finished off the history of the run parent of the program before; now is the program that runs.
func NewRetry(parent string, before, now *Program, h *engine.History) (*Retry, error) {
	r := &Retry{Parent: parent, now: now, anew: map[string]string{}, ran: map[string]bool{}, ancestors: map[*Program]map[string][]string{}}
	return r, r.Before(parent, before, h)
}

// Before takes in the run that the earliest one so far ran again: what finished in it and was not begun again since is neither lost
// nor forgotten.
func (r *Retry) Before(id string, of *Program, h *engine.History) error {
	e := &earlier{id: id, program: of, finished: map[string]engine.Attempted{}, begun: map[string]bool{},
		failed: map[string]engine.Attempted{}, ran: map[string]bool{}}
	_, err := engine.Replay(of.flow, h, engine.Watch{Attempted: func(a engine.Attempted) {
		began := h.Started[a.ID].ID == a.ID
		if isGate(a) || a.Outcome == nil && !began {
			return
		}
		key := attemptKey(a)
		delete(e.finished, key)
		if e.begun[key] = true; a.Outcome == nil || a.Outcome.Err == nil {
			e.finished[key] = a
		} else {
			e.failed[a.Step] = a
		}
		if a.Outcome == nil || a.Outcome.From == "" {
			mark(e.ran, a.Step)
		}
	}})
	for _, later := range r.past {
		for key := range later.begun {
			delete(e.finished, key)
		}
	}
	r.past = append(r.past, e)
	return err
}

// Finished names a step that is not idempotent and finished in a run of the program, and not in one before it; "" if none did.
func (p *Program) Finished(h *engine.History) (step string) {
	_, _ = engine.Replay(p.flow, h, engine.Watch{Attempted: func(a engine.Attempted) {
		if step == "" && a.Outcome != nil && a.Outcome.Err == nil && a.Outcome.From == "" && !a.Idempotent && !isGate(a) {
			step = a.Name()
		}
	}})
	return step
}

// SameFlows says that the flows that declared nodes run are what they were in the earliest run so far.
func (r *Retry) SameFlows(same bool) { r.past[len(r.past)-1].sameFlows = same }

// Resumes takes in how far the run itself came before it was interrupted.
func (r *Retry) Resumes(h *engine.History) error {
	_, err := engine.Replay(r.now.flow, h, engine.Watch{Attempted: func(a engine.Attempted) {
		if a.Outcome == nil || isGate(a) {
			return
		}
		r.forget(attemptKey(a))
		if a.Outcome.From == "" {
			r.runs(a.Step)
		} else {
			r.keeps(a)
		}
	}})
	return err
}

// Kept lists the steps that were kept, in the order of the run.
func (r *Retry) Kept() []string { return r.kept }

// Keep is engine.Options.Keep. An outcome is given once: where what is around a step is tried again, the step runs.
func (r *Retry) Keep(a engine.Attempted) (*engine.Event, error) {
	if isGate(a) { // whoever approved then did not see what is approved now
		return nil, nil
	}
	key := attemptKey(a)
	k := slices.IndexFunc(r.past, func(e *earlier) bool { _, known := e.finished[key]; return known })
	if k < 0 {
		r.runs(a.Step)
		return nil, nil
	}
	was := r.past[k].finished[key]
	why := r.changed(a, was, k)
	if why == "" {
		r.forget(key)
		r.keeps(a)
		from := was.Outcome.From
		if from == "" {
			from = r.past[k].id
		}
		return &engine.Event{Result: was.Outcome.Result, Action: was.Outcome.Action, From: from}, nil
	}
	if !r.Again && !a.Idempotent && !r.wanted(a.Step) {
		return nil, &RunsAgain{a.Name(), why}
	}
	r.forget(key)
	r.runs(a.Step)
	return nil, nil
}

// forget drops what finished: an outcome is given once.
func (r *Retry) forget(key string) {
	for _, e := range r.past {
		delete(e.finished, key)
	}
}

func (r *Retry) keeps(a engine.Attempted) { r.kept = append(r.kept, a.Name()) }

func attemptKey(a engine.Attempted) string {
	return a.Step + "\x00" + strconv.Itoa(a.Visit) + "\x00" + a.Index
}

func isGate(a engine.Attempted) bool { return strings.HasSuffix(a.Step, GateSuffix) }

// changed says why a step that finished in an earlier run runs again; "" if it need not.
func (r *Retry) changed(a, was engine.Attempted, k int) string {
	then := r.past[k]
	switch {
	case r.wanted(a.Step):
		return "it is wanted"
	case was.Outcome == nil:
		return "it was under way when the run ended"
	case len(was.Outcome.Unkept) > 0:
		return "the journal does not keep all of its outputs"
	}
	if cause := r.follows(a.Step, r.ran); cause != "" {
		return cause + " runs again"
	}
	for _, later := range r.past[:k] {
		if cause := r.follows(a.Step, later.ran); cause != "" {
			return cause + " ran again in " + later.id
		}
	}
	if why := r.anew[inItsWorkflow(a.Step)]; why != "" {
		return why
	}
	of, n := r.now.find(a.Step)
	before, old := then.program.find(a.Step)
	switch {
	case (n == nil) != (old == nil):
		return "it is another step now"
	case n == nil: // of a flow that a declared node runs
		if !then.sameFlows || !r.sameDeclared(declaredName(a.Step), then.program) || !value.Equal(a.Prep, was.Prep) {
			return "the flow that it belongs to, or what that is given, is changed"
		}
		return ""
	case n.Type != old.Type:
		return fmt.Sprintf("its type is %s, and was %s", n.Type, old.Type)
	case value.JSON(declaration(r.now, n.Type)) != value.JSON(declaration(then.program, n.Type)):
		return "the declared node " + n.Type + " is changed"
	}
	return r.changedParam(r.now.StepParams(a.Step, a.Prep), then.program.StepParams(was.Step, was.Prep), of.steps[n.ID].params, before.steps[old.ID].params)
}

// wanted reports whether From names a step or what it is in.
func (r *Retry) wanted(step string) bool {
	name := declaredName(step)
	return slices.ContainsFunc(r.From, func(from string) bool { return name == from || strings.HasPrefix(name, from+"/") })
}

// CheckFrom gives the error of a name in From that is no step.
func (r *Retry) CheckFrom() error {
	for _, from := range r.From {
		p, n := r.now.find(from)
		if n != nil {
			continue
		}
		if p == nil {
			p = r.now
		}
		var ids []string
		for i := range p.Workflow.Nodes {
			ids = append(ids, p.Workflow.Nodes[i].ID)
		}
		return fmt.Errorf("there is no step %q; there are: %s", from, strings.Join(ids, ", "))
	}
	return nil
}

// sameDeclared reports whether the declared nodes around a step of a flow are what they were.
func (r *Retry) sameDeclared(step string, before *Program) bool {
	for at := strings.LastIndexByte(step, '/'); at > 0; at = strings.LastIndexByte(step, '/') {
		step = step[:at]
		_, n := r.now.find(step)
		_, old := before.find(step)
		if n != nil && old != nil {
			return n.Type == old.Type && value.JSON(declaration(r.now, n.Type)) == value.JSON(declaration(before, n.Type))
		}
	}
	return false
}

func declaration(p *Program, name string) any {
	if d := p.shared.env.Declared[name]; d != nil {
		return Declaration(d)
	}
	return nil
}

// changedParam names the first param that is not what it was. Params that their node resolves itself must be written the same, too.
func (r *Retry) changedParam(now, before map[string]any, of, were *params) string {
	keys := map[string]bool{}
	for k := range now {
		keys[k] = true
	}
	for k := range before {
		keys[k] = true
	}
	raw := func(p *params, key string) any {
		if p != nil {
			for i := range p.list {
				if q := &p.list[i]; q.key == key && q.late {
					return q.raw
				}
			}
		}
		return nil
	}
	for _, k := range value.SortedKeys(keys) {
		if !value.Equal(now[k], before[k]) {
			return fmt.Sprintf("its param %s is changed: %s → %s", k, r.shown(before[k]), r.shown(now[k]))
		}
		if !value.Equal(raw(of, k), raw(were, k)) {
			return fmt.Sprintf("its param %s is written otherwise", k)
		}
	}
	return ""
}

// mostShown is how many characters of a value stand in a message.
const mostShown = 60

func (r *Retry) shown(v any) string {
	text := []rune(r.now.Mask().Text(value.JSON(v)))
	if len(text) > mostShown {
		return string(text[:mostShown]) + "…"
	}
	return string(text)
}

// inItsWorkflow is the name of a step without its own item and round: outer[3]/get of outer[3]/get[1]#2.
func inItsWorkflow(step string) string {
	at := strings.LastIndexByte(step, '/') + 1
	return step[:at] + declaredName(step[at:])
}

var roundOf = regexp.MustCompile(`^(.*)#(\d+)$`)

// levels calls f for each step that a step is in, outermost first, and for itself: prefix is what the names there begin with, name how it
// is declared, full with its item and round.
func levels(step string, f func(prefix, name, full string)) {
	at := 0
	for {
		end := strings.IndexByte(step[at:], '/')
		full := step[at:]
		if end >= 0 {
			full = step[at : at+end]
		}
		f(step[:at], declaredName(full), full)
		if end < 0 {
			return
		}
		at += end + 1
	}
}

// runs notes that a step runs in this run.
func (r *Retry) runs(step string) { mark(r.ran, step) }

func mark(ran map[string]bool, step string) {
	levels(step, func(prefix, name, full string) {
		ran[prefix], ran[prefix+name], ran[prefix+full] = true, true, true
	})
}

// follows gives what is before a step and ran, by the edges of its workflow and of those that it is in, or an earlier round.
func (r *Retry) follows(step string, ran map[string]bool) (cause string) {
	p := r.now
	levels(step, func(prefix, name, full string) {
		if cause != "" {
			return
		}
		if p == nil { // of a flow: what ran in it may lead anywhere
			if ran[prefix] {
				cause = strings.TrimSuffix(prefix, "/")
			}
			return
		}
		for _, before := range r.beforeNode(p, name) {
			if ran[prefix+before] {
				cause = prefix + before
				return
			}
		}
		if m := roundOf.FindStringSubmatch(full); m != nil {
			n, _ := strconv.Atoi(m[2])
			for k := 1; k < n; k++ {
				if earlier := fmt.Sprintf("%s%s#%d", prefix, m[1], k); ran[earlier] {
					cause = earlier
					return
				}
			}
		}
		p = p.steps[name].inner
	})
	return cause
}

// beforeNode lists the nodes from which edges lead to a node, over others too.
func (r *Retry) beforeNode(p *Program, id string) []string {
	of := r.ancestors[p]
	if of == nil {
		of = map[string][]string{}
		r.ancestors[p] = of
	}
	if list, ok := of[id]; ok {
		return list
	}
	seen := map[string]bool{}
	var list []string
	open := []string{id}
	into := func(e ir.Edge) bool { return e.To == open[0] && !seen[e.From] }
	for ; len(open) > 0; open = open[1:] {
		for i := range p.Workflow.Edges {
			if e := p.Workflow.Edges[i]; into(e) {
				seen[e.From] = true
				list, open = append(list, e.From), append(open, e.From)
			}
		}
	}
	slices.Sort(list)
	of[id] = list
	return list
}

// Again gives the inputs of an earlier run, by the input of its start, as far as the program takes them: secrets are read anew.
func (p *Program) Again(start map[string]any) Given {
	g := Given{Values: map[string]any{}}
	inputs, _ := start[inputsKey].(map[string]any)
	for _, in := range p.Inputs {
		if v := inputs[in.Name]; v != nil && !in.Secret {
			g.Values[in.Name] = v
		}
	}
	if text, ok := start[stdinKey].(string); ok && p.Piped {
		g.Stdin = &text
	}
	return g
}
