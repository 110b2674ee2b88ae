package workflowtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// Ended is a run that ended, of which a test is made.
type Ended struct {
	Name     string   // of the test
	Notes    []string // lines that begin the file, as remarks
	Workflow string   // as the file names it; "" where the file lies beside it
	Program  *workflow.Program
	History  *engine.History
	Status   engine.Status
}

// FromRun writes a file with one test that passes: it gives the inputs of a run and, for each node that reaches outside, what
// that gave then, and expects the params, the outputs and the end. src is the workflow as it is now. Secrets stand in it as
// they stand in the journal, {"$env": NAME}. Long values are cut where the run takes the same way with what is left, and a
// remark stands beside them. What is expected is what the test gives; where the run gave something else, since its clock was
// another or since values are cut, a remark says what. remarks are how many there are. The error says why there is no such test.
func FromRun(ctx context.Context, of Ended, src workflow.Source, env workflow.Env) (text []byte, remarks int, err error) {
	r := &recorded{Ended: of, env: env, steps: map[string]*recordedStep{}}
	if err := r.read(); err != nil {
		return nil, 0, err
	}
	d := r.draft(true)
	err = d.fill(ctx, src, env)
	var otherwise *otherEnd
	if errors.As(err, &otherwise) && d.cuts > 0 { // what was cut matters
		d = r.draft(false)
		err = d.fill(ctx, src, env)
	}
	if err != nil {
		return nil, 0, err
	}
	text = d.text()
	f, reports, err := runText(ctx, text, src, env)
	switch {
	case err != nil:
		return nil, 0, err
	case !reports[0].Pass:
		return nil, 0, fmt.Errorf("no test of the run passes: %s", strings.TrimPrefix(reports[0].Faults[0], f.Path+":"))
	}
	return text, d.remarks, nil
}

// draftFile is how findings name the text of a test that is no file yet.
const draftFile = "the test"

func runText(ctx context.Context, text []byte, src workflow.Source, env workflow.Env) (*File, []Report, error) {
	f, found := Parse(draftFile, text)
	if err := found.Err(); err != nil {
		return nil, nil, err
	}
	reports, err := f.Run(ctx, src, env, false)
	return f, reports, err
}

// recorded is what a run was, as far as a test is made of it.
type recorded struct {
	Ended
	env   workflow.Env
	end   *workflow.Result
	given workflow.Given
	steps map[string]*recordedStep
	order []string    // of steps
	fails fault.Error // what failed the flow of a declared node that failed the run
}

// recordedStep is what a step that reaches outside got and gave, attempt for attempt.
type recordedStep struct {
	iface    *ir.Interface
	outcomes []outcome
	params   []map[string]any
}

// read steps through the run again.
func (r *recorded) read() (err error) {
	r.given = r.Program.Again(r.History.Events[0].Input)
	r.end, err = r.Program.Past(r.History, r.Status, engine.Watch{Attempted: r.attempted, Ended: r.ended})
	if err == nil && r.end.Error != nil {
		r.fails = fault.Error{Kind: fault.Kind(r.end.Error.Kind), Message: r.end.Error.Message}
	}
	return err
}

// reaches gives the interface of the node of a step that reaches outside; nil of one that computes, and of steps inside a node.
func (r *recorded) reaches(step string) *ir.Interface {
	kind := r.Program.StepType(step)
	if i := r.env.Catalogue.Get(kind); i != nil && !i.Workflow && !r.env.Types[kind].Pure {
		return i
	}
	return nil
}

// add notes what an attempt gave.
func (r *recorded) add(step, index string, i *ir.Interface, prep map[string]any, o outcome) {
	name := stepName(step, index)
	s := r.steps[name]
	if s == nil {
		s = &recordedStep{iface: i}
		r.steps[name] = s
		r.order = append(r.order, name)
	}
	s.outcomes, s.params = append(s.outcomes, o), append(s.params, r.Program.StepParams(step, prep))
}

func (r *recorded) attempted(a engine.Attempted) {
	i := r.reaches(a.Step)
	if i == nil || a.Outcome == nil || a.Outcome.Waits != "" {
		return
	}
	if r.runsFlow(i) {
		return // a flow that a declared node runs is answered as a whole
	}
	o := outcome{err: a.Outcome.Err}
	if o.err == nil {
		o.outputs, _ = r.Program.StepOutputs(a.Step, a.Outcome.Result).(map[string]any)
		if o.action = a.Outcome.Action; o.action == ir.ActionDefault {
			o.action = ""
		}
	}
	r.add(a.Step, a.Index, i, a.Prep, o)
}

func (r *recorded) runsFlow(i *ir.Interface) bool {
	d := r.env.Declared[i.Name]
	return d != nil && d.Run != nil && d.Run.By == "flow"
}

// ended takes what a declared node gave that a flow runs, by the state in which that ended.
func (r *recorded) ended(t engine.Transition) {
	i := r.reaches(t.Node)
	if i == nil || !r.runsFlow(i) {
		return
	}
	give := func(index string, got any) {
		state, _ := got.(map[string]any)
		o := outcome{outputs: map[string]any{}}
		if e, failed := state[ir.ErrorKey].(map[string]any); failed && len(state) == 1 {
			o = outcome{err: fault.New(fault.Kind(fmt.Sprint(e["kind"])), "%v", e["message"])}
		} else if t.Action == nil {
			o = outcome{err: &r.fails}
		}
		for _, key := range i.OutputKeys() {
			if v, there := state[key]; there && o.outputs != nil {
				o.outputs[key] = v
			}
		}
		r.add(t.Node, index, i, nil, o)
	}
	switch got := r.Program.StepOutputs(t.Node, t.Result).(type) {
	case []any:
		for n, item := range got {
			give(fmt.Sprint(n), item)
		}
	default:
		give("", got)
	}
}

// draft makes a test of the run, with the long values cut or whole.
func (r *recorded) draft(cut bool) *draft {
	d := &draft{recorded: r, inputs: map[string]any{}, shorten: cut}
	d.inputNotes = map[string][]string{}
	for _, name := range value.SortedKeys(r.given.Values) {
		v, notes := d.shortened(r.Program.Mask().Value(r.given.Values[name]))
		d.inputs[name], d.inputNotes[name] = v, notes
	}
	if r.given.Stdin != nil {
		v, notes := d.shortened(r.Program.Mask().Text(*r.given.Stdin))
		text, _ := v.(string)
		d.stdin, d.stdinNotes = &text, notes
	}
	for _, name := range r.order {
		d.nodes = append(d.nodes, d.node(name, r.steps[name]))
	}
	return d
}

// otherEnd is the error of a test that would take another way than the run it is made of.
type otherEnd struct{ text string }

func (e *otherEnd) Error() string { return e.text }

// fill runs the draft, and expects what it gives: that has to be the end that the run came to.
func (d *draft) fill(ctx context.Context, src workflow.Source, env workflow.Env) error {
	f, found := Parse(draftFile, d.text())
	if err := found.Err(); err != nil {
		return err
	}
	c := &f.cases[0]
	canned := c.canned()
	st, err := c.stage(src, env, false, canned)
	if err != nil {
		return err
	}
	if err := f.check(st).Err(); err != nil {
		return err
	}
	res, s, wrong, err := c.play(ctx, st, canned)
	switch {
	case err != nil:
		return err
	case wrong != nil:
		return &otherEnd{fmt.Sprintf("a test of this run cannot be run to its end: %v", wrong)}
	}
	if text := d.endsOtherwise(res); text != "" {
		return &otherEnd{text}
	}
	d.nodes = slices.DeleteFunc(d.nodes, func(n draftNode) bool { return len(s.seen[n.step]) == 0 }) // of items that were cut
	for k := range d.nodes {
		d.nodes[k].expectParams(s.seen[d.nodes[k].step])
	}
	d.expect(st, res)
	return nil
}

// endsOtherwise says what a run of the draft does that the run did not do, or not; "" if it ends as that did.
func (d *draft) endsOtherwise(res *workflow.Result) string {
	was := d.end
	at := func(r *workflow.Result) string {
		if r.Error == nil {
			return string(r.Status)
		}
		return fmt.Sprintf("%s in %s: %s", r.Status, declaredStep(outermostID(r.Error.Node)), r.Error.Message)
	}
	if was.Status != res.Status || (was.Error == nil) != (res.Error == nil) ||
		was.Error != nil && (was.Error.Kind != res.Error.Kind || outermostID(was.Error.Node) != outermostID(res.Error.Node)) {
		return fmt.Sprintf("a test with what the nodes of this run gave ends otherwise: the run %s, the test %s", at(was), at(res))
	}
	then, now := d.ways(was), d.ways(res)
	if slices.Equal(then, now) {
		return ""
	}
	return fmt.Sprintf("a test with what the nodes of this run gave takes another way: in the run these ran: %s; in the test: %s",
		strings.Join(then, ", "), strings.Join(now, ", "))
}

// ways are the nodes that ran, without items and rounds, sorted.
func (d *draft) ways(res *workflow.Result) []string {
	names := map[string]bool{}
	for _, s := range res.Steps {
		if kind := d.Program.StepType(s.Node); kind != "" && kind != "approval" {
			names[declaredStep(s.Node)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
