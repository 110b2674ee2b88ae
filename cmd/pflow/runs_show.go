package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/planner"
	"pflow/internal/printable"
	"pflow/internal/runs"
	"pflow/internal/value"
	"pflow/internal/workflow"
)

// runSchema names the shape of `pflow runs show --json`.
const runSchema = "pflow.run-shown/v1"

// shownRun is a run with all that its journal tells.
type shownRun struct {
	Schema   string             `json:"schema"`
	Run      runs.Row           `json:"run"`
	Children []runs.Row         `json:"children"` // the runs that came of it
	Plan     *planner.Result    `json:"plan"`     // of a planner flow that ended
	Outputs  any                `json:"outputs"`
	Error    *engine.RunError   `json:"error"`
	Waits    []string           `json:"waits"` // for the approval of these steps
	Usage    map[string]float64 `json:"usage"`
	Warnings []string           `json:"warnings"`
	Steps    []*runs.Step       `json:"steps"`

	Approvals []workflow.Approval `json:"approvals,omitempty"` // what Waits are
	Digest    string              `json:"digest,omitempty"`    // of them: what approves exactly these
	Counts    map[string]int      `json:"counts,omitempty"`    // how many steps there are, by status; where not all are told
	Inputs    any                 `json:"inputs,omitempty"`    // what it was given, with Source
	Source    *ranSource          `json:"source,omitempty"`
	Given     []string            `json:"given,omitempty"` // the inputs that were given beside the request, or against it
	Saved     string              `json:"saved,omitempty"` // of a workflow that was no file: whether the library has it
}

func (a *app) runsShowCommand() *cobra.Command {
	part := &runPart{}
	c := &cobra.Command{
		Use:   "show RUN|last",
		Short: "Show a run: its steps, what they got and gave, and why each edge was taken",
		Long: `Show a run: each step with what it got (params) and gave (outputs), its attempts, how long it took, the condition that chose its
edge with the values that the condition saw, and which steps were skipped, and why. Items, rounds and the steps of a workflow that
was called stand inside their step. Secrets are {"$env": NAME}, as the journal has them. Long values are cut: --step NAME shows a step
with whole ones, and so does --json.

--status, --limit and --skip show a part of many steps, of the run or inside --step; "counts", and "inside" of a step, say how many there are.`,
		Example:           "  pflow runs show last\n  pflow runs show 1a2b3c4d --step fetch\n  pflow runs show last --json\n  pflow runs show last --status failed --limit 20 --json",
		Args:              one("a run, or last"),
		ValidArgsFunction: a.completeRuns(),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := part.check(); err != nil {
				return err
			}
			row, err := a.findRun(args[0])
			if err != nil {
				return err
			}
			s, err := a.showRun(row)
			if err != nil {
				return err
			}
			if part.step != "" {
				return a.printStep(s, part)
			}
			if !part.source {
				s.Inputs, s.Source = nil, nil
			}
			if s.Source != nil {
				s.Source.Nodes = ranNodes(s.Steps)
			}
			part.of(s)
			if a.asJSON {
				return a.printJSON(s)
			}
			return a.printRun(s)
		},
	}
	part.flags(a, c)
	return c
}

// showRun steps through a run again.
func (a *app) showRun(row runs.Row) (*shownRun, error) {
	_, past, documents, err := a.readRun(row.ID)
	if err != nil {
		return nil, err
	}
	out := &shownRun{Schema: runSchema, Run: row, Given: past.About.Given, Waits: []string{}, Warnings: []string{}, Usage: map[string]float64{}}
	if out.Children, err = a.history().Children(row.ID); err == nil {
		one := []runs.Row{row}
		err = a.history().Came(one)
		out.Run = one[0]
	}
	if err != nil {
		return nil, fail(exitFailed, "the runs in %s: %s", a.home().Path("runs"), fileError(err))
	}
	tell := a.showWorkflow
	if !workflow.IsDocuments(documents) {
		tell = a.showFlow
	}
	if err := tell(out, past, documents); err != nil {
		return nil, usage("run %s: %s", row.ID, strings.TrimSpace(err.Error()))
	}
	return out, nil
}

func (a *app) showWorkflow(out *shownRun, past *journal.Past, documents []byte) error {
	r, p, err := a.reload(out.Run.ID, past, documents)
	if err != nil {
		return err
	}
	out.Saved = a.ranOf(r)
	out.Inputs, out.Source = p.Again(past.History.Events[0].Input).Values, &ranSource{Workflow: p.Workflow}
	t := runs.NewTrace(past.History.Events[0].Time, runs.Teller{Type: p.StepType, Outputs: p.StepOutputs,
		Params: func(step string, prep map[string]any) any {
			if params := p.StepParams(step, prep); params != nil {
				return params
			}
			return nil
		}})
	res, err := p.Past(&past.History, past.Status, t.Watch())
	if err != nil {
		return err
	}
	out.Error, out.Usage, out.Warnings = res.Error, res.Usage, res.Warnings
	if out.Steps = withUnrun(p, "", t.Steps()); past.Status == engine.Done {
		out.Outputs = res.Outputs
	}
	for _, w := range res.Approvals {
		out.Waits = append(out.Waits, w.Node)
	}
	if out.Approvals = res.Approvals; len(out.Approvals) > 0 {
		out.Digest = waitDigest(out.Run.ID, out.Approvals)
	}
	return nil
}

// withUnrun adds to the steps of a workflow the nodes that did not run, and so inside each.
func withUnrun(p *workflow.Program, prefix string, steps []*runs.Step) []*runs.Step {
	actions := map[string]string{}
	for _, s := range steps {
		id := strings.TrimPrefix(s.Name, prefix)
		if action := ""; !strings.HasSuffix(id, ":approval") {
			if s.Action != nil {
				action = *s.Action
			}
			actions[id] = action
		}
		if len(s.Steps) > 0 {
			s.Steps = withinUnrun(p, s)
		}
	}
	unran := p.Unran(prefix, actions)
	for _, u := range unran {
		status := runs.StepNotReached
		if u.Skipped {
			status = runs.StepSkipped
		}
		steps = append(steps, &runs.Step{Name: u.Node, Label: strings.TrimPrefix(u.Node, prefix), Type: u.Type, Status: status, Why: u.Why})
	}
	return steps
}

// withinUnrun is withUnrun for what is inside a step: its items and rounds, or the steps of the workflow that it calls.
func withinUnrun(p *workflow.Program, s *runs.Step) []*runs.Step {
	if slices.ContainsFunc(s.Steps, func(in *runs.Step) bool { return !strings.HasPrefix(in.Name, s.Name+"/") }) {
		for _, in := range s.Steps {
			if len(in.Steps) > 0 {
				in.Steps = withinUnrun(p, in)
			}
		}
		return s.Steps
	}
	return withUnrun(p, s.Name+"/", s.Steps)
}

func (a *app) showFlow(out *shownRun, past *journal.Past, documents []byte) error {
	flow, err := a.host().Recorded(documents)
	if err != nil {
		return err
	}
	t := runs.NewTrace(past.History.Events[0].Time, runs.Teller{})
	run, err := engine.Replay(flow, &past.History, t.Watch())
	if err != nil {
		return err
	}
	res := run.Result()
	out.Inputs, out.Source = past.History.Events[0].Input, &ranSource{Flow: shownFlowOf(flow)}
	res.RunID = out.Run.ID
	out.Error, out.Usage, out.Warnings, out.Steps = res.Error, res.Usage, res.Warnings, t.Steps()
	for _, w := range res.Waits {
		out.Waits = append(out.Waits, w.For)
	}
	switch {
	case past.Status != engine.Done:
	case planner.Is(flow):
		out.Plan = planner.Of(flow, res)
	default:
		out.Outputs = res.Store
	}
	return nil
}

// step finds a step of a run by its name.
func (s *shownRun) step(name string) (*runs.Step, error) {
	var names []string
	var find func(steps []*runs.Step) *runs.Step
	find = func(steps []*runs.Step) *runs.Step {
		for _, in := range steps {
			names = append(names, in.Name)
			if in.Name == name {
				return in
			}
			if got := find(in.Steps); got != nil {
				return got
			}
		}
		return nil
	}
	step := find(s.Steps)
	if step == nil {
		hint := didYouMean(name, names)
		if hint == "" {
			hint = "; it has: " + strings.Join(names[:min(len(names), 20)], ", ")
		}
		return nil, usage("run %s has no step %q%s", s.Run.ID, name, hint)
	}
	return step, nil
}

// printStep prints one step, with whole values.
func (a *app) printStep(s *shownRun, part *runPart) error {
	step, err := s.step(part.step)
	if err != nil {
		return err
	}
	part.ofStep(step)
	if a.asJSON {
		return a.printJSON(step)
	}
	w := &runText{whole: true}
	w.step(step, "")
	_, err = io.WriteString(a.stdout, w.String())
	return err
}

// printRun prints a run for people.
func (a *app) printRun(s *shownRun) error {
	w := &runText{}
	r := s.Run
	fmt.Fprintf(w, "run %s: %s", r.ID, r.Status)
	if r.Status != runs.Interrupted {
		fmt.Fprintf(w, " in %s", duration(r.DurationMS))
	}
	w.WriteString("\n")
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-9s %s\n", name, text)
		}
	}
	name := printable.Line(r.Name)
	if said := s.savedText(); said != "" {
		name += " (" + said + ")"
	}
	line(string(r.Kind), name)
	line("request", printable.Line(r.Request))
	if r.Request != "" && len(s.Given) > 0 {
		line("but", "with another "+printable.Line(strings.Join(s.Given, ", "))+" than it says")
	}
	line("decided", string(r.Decided))
	line("began", r.Started.Local().Format("2006-01-02 15:04:05"))
	line("by", printable.Line(r.By))
	if r.Parent != "" {
		what := "of"
		if parent, err := a.history().Find(r.Parent); err != nil {
			what = "of a run that is here no more,"
		} else if parent.Kind == journal.OfPlan {
			what = "of the plan of"
		}
		line("came", what+" "+printable.Line(r.Parent))
	}
	for _, c := range s.Children {
		line("led to", fmt.Sprintf("%s (%s %s)", c.ID, c.Status, printable.Line(c.What())))
	}
	if len(s.Usage) > 0 {
		var used []string
		for _, k := range value.SortedKeys(s.Usage) {
			used = append(used, fmt.Sprintf("%s %v", k, s.Usage[k]))
		}
		line("used", strings.Join(used, ", "))
	}
	if s.Plan != nil {
		line("gave", printable.Line(fmt.Sprintf("%s %v", s.Plan.Status, orNothing(s.Plan.WorkflowName))))
	}
	w.WriteString("steps:\n")
	for _, step := range s.Steps {
		w.step(step, "  ")
	}
	if left := leftOut(s.Counts, len(s.Steps)); left != "" {
		w.WriteString("  " + left + "\n")
	}
	w.values("", "outputs", s.Outputs)
	if s.Error != nil {
		line("error", printable.Line(fmt.Sprintf("%s [%s]", s.Error.Error(), s.Error.Kind)))
	}
	if len(s.Waits) > 0 {
		line("waits", "for the approval of "+printable.Line(strings.Join(s.Waits, ", ")))
		w.WriteString(approvalTexts(s.Approvals))
		if s.Digest != "" {
			fmt.Fprintf(w, "approve exactly this with: %s --yes=%s\n", a.resumeHint(r.ID), s.Digest)
		}
	}
	for _, text := range s.Warnings {
		line("warning", printable.Line(text))
	}
	if r.Resumable {
		line("go on", a.resumeHint(r.ID))
	}
	_, err := io.WriteString(a.stdout, w.String())
	return err
}

func orNothing(v any) any {
	if v == nil {
		return ""
	}
	return v
}
