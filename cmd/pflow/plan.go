package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/planner"
	"pflow/internal/printable"
	"pflow/internal/split"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

func (a *app) planCommand() *cobra.Command {
	var from, out string
	var concurrency int
	c := &cobra.Command{
		Use:   "plan REQUEST...",
		Short: "Plan without running: show the workflow for a request, or write it to a file",
		Long: `Plan without running anything. --from FILE plans many requests, one JSON object a line:
  {"id": "1", "request": "…", "stdin": "…", "current_date": "2024-01-31", "nodes": [declared nodes], "only": ["component", …]}
All but id and request may be left out. Each line gets one result line with its id, in the order of the file.`,
		Example: "  pflow plan \"copy README.md to backup/README.md\"\n  pflow plan \"copy a.txt to b.txt\" -o plan.json\n  pflow plan --from requests.jsonl --json > plans.jsonl",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case from != "" && len(args) > 0:
				return usage("pflow plan: give --from or a request, not both")
			case from == "" && len(args) == 0:
				return usage("pflow plan: say what is to be done; see pflow plan --help")
			case concurrency < 1:
				return usage("--concurrency %d: want at least 1", concurrency)
			case out == "" && c.Flags().Changed("output"):
				return usage("-o names no file; give its path, or - for standard output")
			}
			o, err := a.openOutput(c.Context(), out)
			if err != nil {
				return err
			}
			if from != "" {
				err = a.planMany(c.Context(), from, o.writer(), concurrency)
			} else {
				err = a.planOne(c.Context(), args, out, o)
			}
			return o.end(out, err)
		},
	}
	a.planFlags(c)
	c.Flags().StringVar(&from, "from", "", "a file of requests, one JSON object a line; - reads standard input")
	c.Flags().StringVarP(&out, "output", "o", "", "write the plan to this `FILE`, which is replaced; - is standard output")
	c.Flags().IntVar(&concurrency, "concurrency", 1, "how many lines of --from to plan at the same time")
	return c
}

// planOne plans one request and shows the plan, unless standard output is where it is written as a file.
func (a *app) planOne(ctx context.Context, words []string, name string, o *planOutput) error {
	r, err := a.readRequest(ctx, words)
	if err != nil {
		return err
	}
	plan, err := a.plan(ctx, r, false, cmp.Or(a.asker, split.Nobody))
	if err != nil {
		return err
	}
	var d *planDraft
	if plan.WorkflowIR != nil {
		var findings *diag.Err // it cannot be run, so it uses nothing
		if d, err = a.draft(ctx, r, plan, nil); err != nil && !errors.As(err, &findings) {
			return err
		}
	}
	if o != nil {
		if err := a.writePlan(o, r, plan, d, name); err != nil {
			return err
		}
		if o.stdout {
			return a.planned(r.Text, plan)
		}
	}
	return a.showPlanned(ctx, r.Text, plan)
}

// writePlan writes a plan as a file and says by which digest it is approved.
func (a *app) writePlan(o *planOutput, r planner.Request, plan *planner.Result, d *planDraft, name string) error {
	var uses any
	if d != nil {
		var err error
		if uses, err = d.uses(); err != nil {
			return err
		}
	}
	data, digest := planner.FileOf(r.Text, plan, uses, a.planKey())
	fmt.Fprintln(o, string(data))
	if o.stdout {
		name = "FILE"
	}
	if d != nil && plan.Status == planner.Ready && !a.quiet {
		fmt.Fprintf(a.stderr, "approve exactly this, in any home, with: pflow apply %s --yes=%s\n", shellQuote(name), digest)
	}
	return nil
}

// showPlanned shows a plan and gives the error that stands for its status.
func (a *app) showPlanned(ctx context.Context, request string, plan *planner.Result) error {
	switch {
	case a.asJSON:
		if err := a.printJSON(plan); err != nil {
			return err
		}
	case plan.WorkflowIR != nil:
		if w, found := ir.Decode([]byte(value.JSON(plan.WorkflowIR))); !found.HasErrors() {
			a.showPlan(ctx, a.stdout, request, plan, w, false)
		}
	}
	return a.planned(request, plan)
}

// planned is the error that stands for a plan's status; nil if it is ready.
func (a *app) planned(request string, plan *planner.Result) error {
	if plan.Status == planner.NeedsInput {
		return missingInput(plan)
	}
	return a.unplanned(request, plan)
}

// showPlan shows what would be run, and what of the request stands for what of it; with sources also where each value comes from.
func (a *app) showPlan(ctx context.Context, to io.Writer, request string, p *planner.Result, w *ir.Workflow, sources bool) {
	if name, ok := p.WorkflowName.(string); ok {
		description, _ := p.Metadata["description"].(string)
		verb := "new workflow"
		if p.Path == "reuse" {
			verb = "saved workflow"
		}
		a.sayTo(to, verb+" ", styled{codeBold, printable.Line(name)}, ": "+oneLine(description)+"\n")
	}
	a.showCoverage(to, request, p)
	if sources {
		a.showSources(to, request, p, w)
	}
	a.showTrigger(to, p)
	a.showSteps(ctx, to, p, w)
	if p.Error == nil { // else its error says it
		writeCould(to, p.Could)
	}
}

// showSteps shows the steps of a plan, its inputs and outputs, and what it does to what is there.
func (a *app) showSteps(ctx context.Context, to io.Writer, p *planner.Result, w *ir.Workflow) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return // whoever plans has loaded it
	}
	values := workflow.AtHome(w, p.ExecutionParams, a.getenv("HOME"))
	for _, in := range w.Inputs {
		if in.FromStdin {
			delete(values, in.Name) // the text is known to whoever piped it in, and may be long
		}
	}
	o := ir.DisplayOptions{Catalogue: shelf.Catalogue, Values: values, Destroys: map[string]bool{}, Notes: map[string][]string{}}
	for _, step := range a.foresee(ctx, p, w) {
		id, inner, called := strings.Cut(step.Node, "/")
		if called {
			inner += ": "
		}
		for _, note := range step.Notes() {
			o.Notes[id] = append(o.Notes[id], inner+note)
		}
		if step.Destroys != "" {
			o.Destroys[id] = true
		}
	}
	a.sayTo(to, withEffects(ir.Display(w, o), o.Notes)...)
}

// withEffects has what a display says of what is destroyed in a style of its own.
func withEffects(text string, notes map[string][]string) []any {
	destroys := map[string]bool{}
	for _, of := range notes {
		for _, note := range of {
			if strings.Contains(note, "destroys: ") || strings.Contains(note, "replaces: ") {
				destroys["    "+note+"\n"] = true
			}
		}
	}
	var out []any
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		last := i == len(lines)-2 // what follows the last line break is empty
		switch before, word, found := strings.Cut(line, string(ir.Destructive)); {
		case destroys[line]:
			out = append(out, styled{codeRed, strings.TrimSuffix(line, "\n")}, "\n")
		case last && found && strings.HasPrefix(line, "effects: "):
			out = append(out, before, styled{codeRed, string(ir.Destructive)}, word)
		default:
			out = append(out, line)
		}
	}
	return out
}

// foresee lists the steps of a plan with what they would do to what is there. A plan that cannot be run here does nothing.
func (a *app) foresee(ctx context.Context, p *planner.Result, w *ir.Workflow) []workflow.PlannedStep {
	name, _ := p.WorkflowName.(string)
	by := a.writtenBy(&library.Record{Name: name}, workflow.Source{Workflow: w})
	if p.Path == "reuse" {
		by.Workflow = name
	}
	env, err := (&loaded{flows: engine.NewRecording(a.folders()), written: by}).env(ctx, a)
	if err != nil {
		return nil
	}
	program, _ := workflow.Compile(workflow.Source{Name: name, Workflow: w}, env)
	if program == nil {
		return nil
	}
	store, _, err := program.Bind(workflow.Given{Values: p.ExecutionParams})
	if err != nil {
		return nil
	}
	return program.DryRun(store).Steps
}
