package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// planDraft is a plan that awaits approval.
type planDraft struct {
	request  planner.Request
	plan     *planner.Result
	workflow *ir.Workflow
	document []byte
	params   map[string]any
	name     string
	reuse    bool
	editing  string // the file of a text that was edited and has errors, "" if there is none
}

// check takes a document as the draft's workflow, unless it has errors.
func (a *app) check(ctx context.Context, d *planDraft, document []byte) (diag.List, error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return nil, err
	}
	w, found := workflow.Check(document, shelf.Catalogue, a.nodeTypes(), ir.Options{})
	if !found.HasErrors() {
		d.workflow, d.document = w, document
	}
	return found, nil
}

// decide shows a plan, asks what is missing and whether to go on, and carries it out.
func (a *app) decide(ctx context.Context, r planner.Request, p *planner.Result, f *runFlags) error {
	if err := unplanned(p); err != nil {
		return a.planInstead(p, err)
	}
	d := &planDraft{request: r, plan: p, params: p.ExecutionParams, reuse: p.Path == "reuse", name: fmt.Sprint(p.WorkflowName)}
	found, err := a.check(ctx, d, []byte(value.JSON(p.WorkflowIR)))
	if err != nil {
		return err
	}
	if err := found.Err(); err != nil {
		return err
	}
	if !a.quiet {
		a.showPlan(ctx, a.stderr, p, d.workflow)
	}
	if p.Status == planner.NeedsInput {
		if !a.interactive() {
			return a.planInstead(p, missingInput(p))
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

// planInstead is the end of a request that comes to no run: with --json, the plan is the result.
func (a *app) planInstead(p *planner.Result, err error) error {
	if a.asJSON {
		if err := a.printJSON(p); err != nil {
			return err
		}
	}
	return err
}

// carryOut saves a new workflow and runs it. One that was there already is run, and the request noted with it if that
// went well.
func (a *app) carryOut(ctx context.Context, d *planDraft, run bool, f *runFlags) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if !d.reuse {
		if err := a.saveDraft(ctx, d, f); err != nil {
			return err
		}
	}
	l, err := a.loadWorkflow(ctx, d.name)
	if err != nil {
		return err
	}
	in := &invocation{path: "pflow run", subject: d.name}
	for _, name := range value.SortedKeys(d.params) {
		if i, ok := d.workflow.Input(name); ok && i.FromStdin {
			continue // it may be long, and can be piped in again
		}
		in.words = append(in.words, name+"="+string(ir.Text(d.params[name])))
	}
	if !run {
		fmt.Fprintf(a.stderr, "run it with: %s\n", in.command())
		return nil
	}
	given := workflow.Given{Values: d.params}
	if text, ok := d.request.Stdin.(string); ok && l.program.Piped {
		given.Stdin = &text
	}
	store, missing, err := l.program.Bind(given)
	switch {
	case err != nil:
		return usage("%v", err)
	case len(missing) > 0:
		return a.lacks(l.program, missing, in)
	}
	if err := a.approveDestructive(ctx, l.program, store, in, f); err != nil {
		return err
	}
	if err := a.start(ctx, l, store, in, f); err != nil {
		return err
	}
	if err := a.library().AddExample(ctx, d.name, d.request.Text); err != nil { // a new workflow has it already
		a.warn("the request is not noted with %s: %v", d.name, err)
	}
	return nil
}

// saveDraft saves a new workflow. A name that is taken is asked about; --yes makes the next version. If it is the current
// version already, there is nothing to save or to ask.
func (a *app) saveDraft(ctx context.Context, d *planDraft, f *runFlags) error {
	r := &library.Record{Name: d.name, IR: d.document, Workflow: d.workflow, Examples: []string{d.request.Text},
		Origin: value.AppendJSON(nil, map[string]any{"flow": d.plan.Flow.Name, "flow_hash": d.plan.Flow.Hash, "run_id": d.plan.RunID})}
	r.Description, _ = d.plan.Metadata["description"].(string)
	if words, ok := d.plan.Metadata["keywords"].([]any); ok {
		for _, w := range words {
			r.Keywords = append(r.Keywords, fmt.Sprint(w))
		}
	}
	_, err := a.library().Save(ctx, r, library.SaveOptions{Now: time.Now(), Next: f.yes != "", Once: true})
	if isTaken(err) && f.yes == "" && a.interactive() && a.agreed(ctx, fmt.Sprintf("There is a workflow %q. Save this one as its next version? [y/N]", r.Name)) {
		_, err = a.library().Save(ctx, r, library.SaveOptions{Now: time.Now(), Next: true, Once: true})
	}
	if isTaken(err) {
		return fail(exitDeclined, "nothing was saved or run: there is a workflow %q; --yes makes this its next version", r.Name)
	}
	if err != nil {
		return notSaved(err)
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "saved as %s\n", d.name)
	}
	return nil
}

// editDraft has the workflow of a plan edited, checks it and shows it again. A text with errors is kept, and is what the
// next edit begins with.
func (a *app) editDraft(ctx context.Context, d *planDraft) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if d.editing == "" {
		file, err := a.draftFile(d.name, d.workflow.Indented())
		if err != nil {
			return err
		}
		d.editing = file
	}
	if err := a.runEditor(ctx, d.editing); err != nil {
		if dropUnchanged(d.editing, d.workflow.Indented()) {
			d.editing = ""
		}
		return err
	}
	data, err := os.ReadFile(d.editing)
	if err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	found, err := a.check(ctx, d, data)
	if err != nil {
		return err
	}
	found = ir.Locate(d.editing, data, found)
	if err := found.Err(); err != nil {
		return err
	}
	if err := os.Remove(d.editing); err != nil {
		a.warn("%s", fileError(err))
	}
	d.editing = ""
	a.showFindings(found)
	a.showPlan(ctx, a.stderr, d.plan, d.workflow)
	return nil
}
