package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/library"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// requestCommand makes the root command take requests, and, as the first word, what pflow run takes.
func (a *app) requestCommand(root *cobra.Command) {
	a.root = root
	f := &runFlags{}
	a.planFlags(root)
	f.approval(root, "approve the plan; --yes=destructive also what destroys")
	root.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return c.Help()
		case f.check() != nil:
			return f.check()
		case c.ArgsLenAtDash() == 0:
			return a.request(c.Context(), strings.Join(args, " "), f)
		}
		in := &invocation{path: "pflow run"}
		if a.namesWorkflow(args) {
			for _, word := range args {
				if err := in.word(c, word); err != nil {
					return err
				}
			}
			l, err := a.loadWorkflow(c.Context(), in.subject)
			if err != nil {
				return err
			}
			return a.runLoaded(c.Context(), l, in, f)
		}
		if len(args) == 1 && bareWord.MatchString(args[0]) {
			return a.noSuchWord(root, args[0])
		}
		return a.request(c.Context(), strings.Join(args, " "), f)
	}
}

var bareWord = regexp.MustCompile(`^[\pL\d_-]+$`)

// namesWorkflow reports whether the first word is a file or a saved workflow and all others are its inputs.
func (a *app) namesWorkflow(args []string) bool {
	for _, word := range args[1:] {
		if name, _, ok := strings.Cut(word, "="); !ok || name == "" || strings.ContainsAny(name, " \t") {
			return false
		}
	}
	if isWorkflowPath(args[0]) && !strings.Contains(args[0], " ") {
		_, err := readWorkflowFile(args[0])
		return err == nil
	}
	if a.homeDir() == "" || !workflowRef.MatchString(args[0]) {
		return false
	}
	_, _, err := a.library().Get(args[0])
	return err == nil
}

var workflowRef = regexp.MustCompile(`^[a-z0-9-]+(@\d+)?$`)

// noSuchWord is the error of a single word that is no command and no saved workflow.
func (a *app) noSuchWord(root *cobra.Command, word string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if a.homeDir() != "" {
		names = append(names, a.library().List().Names()...)
	}
	hint := didYouMean(word, names)
	if hint == "" {
		hint = "; pflow --help lists the commands, pflow workflow list the workflows"
	}
	return usage("%q is no command and no saved workflow%s; as a request: pflow -- %s", word, hint, shellQuote(word))
}

// planFlags adds the flags of what plans.
func (a *app) planFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&a.flowName, "flow", "", "the `FLOW` that plans (default "+defaultFlow+")")
	f.StringVar(&a.date, "date", "", "the `DAY` that words like today count from, as 2024-01-31 (default today)")
	a.nodeFlags(c)
	c.RegisterFlagCompletionFunc("flow", a.completeFlows)
	a.setFlag(c)
}

const defaultFlow = "planner-offline"

// plannerFlow loads the flow that plans.
func (a *app) plannerFlow() (*engine.Flow, error) {
	name := a.flowName
	if name == "" {
		name = defaultFlow
	}
	flow, _, err := a.load(name)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(flow.State(), func(k engine.StateKey) bool { return k.Name == "planner_output" }) {
		return nil, usage("the flow %q is no planner: it has no state key planner_output", flow.Name)
	}
	return flow, nil
}

// plan plans one request. The error is of what kept it from being tried.
func (a *app) plan(ctx context.Context, text string) (*planner.Result, error) {
	flow, err := a.plannerFlow()
	if err != nil {
		return nil, err
	}
	if _, err := a.shelfOf(ctx); err != nil {
		return nil, err
	}
	r := planner.Request{Text: text, Date: a.date}
	return planner.Plan(ctx, flow, r, engine.Options{RunID: journal.NewID(time.Now()), Observe: a.observer()}), nil
}

// request plans, shows the plan, asks, saves and runs.
func (a *app) request(ctx context.Context, text string, f *runFlags) error {
	p, err := a.plan(ctx, text)
	if err != nil {
		return err
	}
	if err := unplanned(p); err != nil {
		if a.asJSON {
			if err := a.printJSON(p); err != nil {
				return err
			}
		}
		return err
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	d := &planDraft{request: text, plan: p, params: p.ExecutionParams, reuse: p.Path == "reuse", name: fmt.Sprint(p.WorkflowName)}
	found := d.read(value.JSON(p.WorkflowIR))
	if err := found.Err(); err != nil {
		return err
	}
	if !a.quiet {
		a.showPlan(a.stderr, p, d.workflow, shelf.Catalogue)
	}
	if p.Status == planner.NeedsInput {
		if !a.interactive() {
			if a.asJSON {
				if err := a.printJSON(p); err != nil {
					return err
				}
			}
			return missingInput(p)
		}
		if err := a.askMissing(ctx, d); err != nil {
			return err
		}
	}
	run := true
	if f.yes == "" {
		if run, err = a.approvePlan(ctx, d); err != nil {
			return err
		}
	}
	return a.carryOut(ctx, d, run, f)
}

// planDraft is a plan that awaits approval.
type planDraft struct {
	request  string
	plan     *planner.Result
	workflow *ir.Workflow
	document []byte
	params   map[string]any
	name     string
	reuse    bool
}

// carryOut saves a new workflow, or notes the request with the one that was found, and runs it.
func (a *app) carryOut(ctx context.Context, d *planDraft, run bool, f *runFlags) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if d.reuse {
		if err := a.library().AddExample(ctx, d.name, d.request); err != nil {
			a.warn("the request is not noted with %s: %v", d.name, err)
		}
	} else {
		saved, err := a.saveDraft(ctx, d, f)
		if err != nil {
			return err
		}
		if !a.quiet {
			fmt.Fprintf(a.stderr, "saved as %s\n", saved.Name)
		}
	}
	if !run {
		return nil
	}
	l, err := a.loadWorkflow(ctx, d.name)
	if err != nil {
		return err
	}
	in := &invocation{path: "pflow run", subject: d.name}
	for _, name := range value.SortedKeys(d.params) {
		in.words = append(in.words, name+"="+string(ir.Text(d.params[name])))
	}
	store, missing, err := l.program.Bind(workflow.Given{Values: d.params})
	switch {
	case err != nil:
		return usage("%v", err)
	case len(missing) > 0:
		return a.lacks(l.program, missing, in)
	}
	if err := a.approveDestructive(ctx, l.program, in, f); err != nil {
		return err
	}
	return a.start(ctx, l, store, in, f)
}

// saveDraft saves a new workflow. A name that is taken is asked about; --yes makes the next version.
func (a *app) saveDraft(ctx context.Context, d *planDraft, f *runFlags) (*library.Record, error) {
	r := &library.Record{Name: d.name, IR: d.document, Workflow: d.workflow, Examples: []string{d.request},
		Origin: value.AppendJSON(nil, map[string]any{"flow": d.plan.Flow.Name, "flow_hash": d.plan.Flow.Hash, "run_id": d.plan.RunID})}
	r.Description, _ = d.plan.Metadata["description"].(string)
	if words, ok := d.plan.Metadata["keywords"].([]any); ok {
		for _, w := range words {
			r.Keywords = append(r.Keywords, fmt.Sprint(w))
		}
	}
	saved, err := a.library().Save(ctx, r, library.SaveOptions{Now: time.Now(), Next: f.yes != ""})
	if isTaken(err) && f.yes == "" && a.interactive() && a.agreed(ctx, fmt.Sprintf("There is a workflow %q. Save this one as its next version? [y/N]", r.Name)) {
		saved, err = a.library().Save(ctx, r, library.SaveOptions{Now: time.Now(), Next: true})
	}
	if isTaken(err) {
		return nil, fail(exitDeclined, "there is a saved workflow %q; --yes makes this its next version", r.Name)
	}
	if err != nil {
		return nil, notSaved(err)
	}
	return saved, nil
}
