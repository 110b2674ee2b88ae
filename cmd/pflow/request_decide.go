package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pflow/engine/journal"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// planDraft is a plan that awaits approval. What it would run is compiled when it is made: nothing is loaded by its name
// again once it is approved.
type planDraft struct {
	request  planner.Request
	plan     *planner.Result
	made     *invocation // the command line that it is of
	workflow *ir.Workflow
	document []byte
	params   map[string]any
	name     string
	was      *library.Record // what has the name and becomes an earlier version; nil if nothing does
	moved    string          // why its name is not the one that it was planned under; "" if it is
	reuse    bool            // it is a workflow that is saved already
	loaded   *loaded         // what would be run
	stuck    error           // what keeps it from being run; it may be saved
	edited   bool            // somebody changed it
	editing  string          // the file of a text that was edited and has errors, "" if there is none
	foreign  string          // why a plan file is no plan of this home; "" if it is one, or no file
	digest   string          // of what would be run, of a plan that pflow apply carries out
	destroys string          // of that with all that it would destroy; "" where it destroys nothing
	part     bool            // it does a part of what was asked for: it is run and not kept
	agreed   string          // what it would destroy, as somebody agreed to
}

// draft makes a draft of a plan that has a workflow.
func (a *app) draft(ctx context.Context, r planner.Request, p *planner.Result, made *invocation) (*planDraft, error) {
	d := &planDraft{request: r, plan: p, made: made, params: p.ExecutionParams, name: fmt.Sprint(p.WorkflowName)}
	d.reuse = p.Path == "reuse" && a.isSaved(d.name)
	found, err := a.check(ctx, d, []byte(value.JSON(p.WorkflowIR)))
	if err == nil {
		err = found.Err()
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// isSaved reports whether the home has a workflow of a name.
func (a *app) isSaved(name string) bool {
	if a.homeDir() == "" {
		return false
	}
	_, _, err := a.library().Get(name)
	return err == nil
}

// check takes a document as the draft's workflow, unless it has errors.
func (a *app) check(ctx context.Context, d *planDraft, document []byte) (diag.List, error) {
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return nil, err
	}
	w, found := workflow.Check(document, shelf.Catalogue, a.nodeTypes(), ir.Options{})
	if found.HasErrors() {
		return found, nil
	}
	d.workflow, d.document = w, document
	if !d.reuse {
		if err := a.place(ctx, d); err != nil {
			return nil, err
		}
	}
	src := workflow.Source{Name: d.name, Workflow: w}
	r := d.record()
	if d.reuse {
		src = a.savedSource(src)
	} else if !d.part {
		src.Draft = r.Encode()
	}
	if d.loaded, d.stuck = a.program(ctx, r, src); d.loaded != nil {
		d.loaded.request, d.loaded.parent, d.loaded.instead = d.request.Text, d.plan.RunID, value.SortedKeys(d.plan.Given)
	}
	if err := unscheduled(d.plan); err != nil && d.stuck == nil {
		d.stuck = err
	}
	return found, nil
}

// savedSource gives the source of a saved workflow the places of its file, if that is what it says.
func (a *app) savedSource(src workflow.Source) workflow.Source {
	if a.homeDir() == "" {
		return src
	}
	r, _, err := a.library().Get(src.Name)
	if err != nil || r.Workflow().Hash() != src.Workflow.Hash() {
		return src
	}
	if data, err := os.ReadFile(a.library().Path(src.Name)); err == nil {
		src.File, src.Data = a.library().Path(src.Name), data
	}
	return src
}

// record is what is saved of a draft.
func (d *planDraft) record() *library.Record {
	r := library.NewRecord(d.name, d.document, d.workflow)
	r.Examples = []string{d.said()}
	r.SetOrigin(value.AppendJSON(nil, map[string]any{"flow": d.plan.Flow.Name, "flow_hash": d.plan.Flow.Hash, "run_id": d.plan.RunID,
		"form": requestForm(d.said(), d.params)}))
	r.Description, _ = d.plan.Metadata["description"].(string)
	if words, ok := d.plan.Metadata["keywords"].([]any); ok {
		for _, w := range words {
			r.Keywords = append(r.Keywords, fmt.Sprint(w))
		}
	}
	return r
}

// uses is what the draft would run beside its own workflow; nil if it cannot be run.
func (d *planDraft) uses() (any, error) {
	if d.loaded == nil {
		return nil, nil
	}
	return d.loaded.program.Uses(d.loaded.flows)
}

// decide shows a plan, asks what is missing and whether to go on, and carries it out.
func (a *app) decide(ctx context.Context, r planner.Request, p *planner.Result, made *invocation, f *runFlags) error {
	if err := a.unplanned(r.Text, p); err != nil {
		return a.declinePlan(ctx, r, p, made, f, err)
	}
	d, err := a.draft(ctx, r, p, made)
	if err != nil {
		return err
	}
	return a.decideOn(ctx, d, f)
}

func (a *app) decideOn(ctx context.Context, d *planDraft, f *runFlags) error {
	d.plan.Secrets(a.secrets().Has) // they may be set here, and not where it was planned
	if f.dryRun {
		return a.dryRunDraft(d)
	}
	a.showDraft(ctx, d)
	t := triggerOf(d.plan)
	if err := unscheduled(d.plan); err != nil && t == nil && !f.save {
		return a.planInstead(d.plan, err)
	}
	if d.plan.Status == planner.NeedsInput {
		if !a.interactive() {
			return a.planInstead(d.plan, missingInput(d.plan))
		}
		if err := a.askMissing(ctx, d); err != nil {
			return err
		}
	}
	if t != nil && !f.save {
		return a.scheduleDraft(ctx, d, t, f)
	}
	run, approved, err := f.approves(d)
	if err != nil {
		return a.planInstead(d.plan, err)
	}
	if approved && f.digest() != "" {
		a.answered(d, true) // whoever knows the digest has seen the plan
	}
	if !approved {
		if run, err = a.approvePlan(ctx, d); err != nil {
			return err
		}
	}
	return a.carryOut(ctx, d, run, f)
}

// dryRunDraft shows what a run of a plan would do. Nothing is asked, saved or run.
func (a *app) dryRunDraft(d *planDraft) error {
	if !a.quiet {
		a.showCoverage(a.stderr, d.request.Text, d.plan)
	}
	switch {
	case d.plan.Status == planner.NeedsInput:
		return a.planInstead(d.plan, missingInput(d.plan))
	case d.stuck != nil:
		return d.stuck
	}
	store, missing, err := d.loaded.program.Bind(d.given())
	switch {
	case err != nil:
		return usage("%v", err)
	case len(missing) > 0:
		return a.lacks(d.loaded.program, missing, d.made)
	}
	return a.showDryRun(d.loaded.program.DryRun(store))
}

// given is what a run of the draft is given.
func (d *planDraft) given() workflow.Given {
	given := workflow.Given{Values: d.params}
	if text, ok := d.request.Stdin.(string); ok && d.loaded.program.Piped {
		given.Stdin = &text
	}
	return given
}

// approves reports whether the command line approves a draft, and whether it is to be run. The error is of a digest that
// is of something else.
func (f *runFlags) approves(d *planDraft) (run, approved bool, err error) {
	switch given := f.digest(); {
	case given != "" && given != d.digest && given != d.destroys:
		return false, false, fail(exitDeclined, "nothing was saved or run: this plan would run %s, not %s", d.digest, given)
	case given == "" && d.foreign != "":
		return false, false, nil
	}
	return !f.save, f.approvesRuns() || f.save, nil
}

// showDraft shows what is to be approved.
func (a *app) showDraft(ctx context.Context, d *planDraft) {
	if a.quiet {
		return
	}
	a.showPlan(ctx, a.stderr, d.request.Text, d.plan, d.workflow, true)
	fmt.Fprint(a.stderr, d.named())
}

// named says which saved workflow a new one stands beside or becomes the next version of; "" where its name is free.
func (d *planDraft) named() string {
	switch {
	case d.was != nil:
		return fmt.Sprintf("new version of %s (was: %s; %s)\n", d.name, oneLine(d.was.Description), stepsOf(d.was.Workflow()))
	case d.moved != "":
		return d.moved + "\n"
	}
	return ""
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

// carryOut runs a workflow that was approved. A new one is saved once its first run has succeeded, or instead of it; with
// one that was there already the request is noted.
func (a *app) carryOut(ctx context.Context, d *planDraft, run bool, f *runFlags) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if err := a.library().ValidName(d.name); err != nil {
		return usage("%v", err)
	}
	in := &invocation{path: "pflow run", subject: d.name, flags: a.sameHome()}
	for _, name := range value.SortedKeys(d.params) {
		if i, ok := d.workflow.Input(name); ok && i.FromStdin {
			continue // it may be long, and can be piped in again
		}
		in.words = append(in.words, name+"="+string(ir.Text(d.params[name])))
	}
	if !d.reuse && !d.part {
		if err := a.library().Writable(ctx); err != nil { // better now than once it has run
			return notSaved(err)
		}
	}
	if !run {
		return a.keepOnly(ctx, d, in)
	}
	if d.stuck != nil {
		return d.stuck
	}
	l := d.loaded
	if err := a.readSecrets(ctx, l); err != nil {
		return err
	}
	again := d.made
	if d.reuse {
		again = in
	}
	store, missing, err := l.program.Bind(d.given())
	switch {
	case err != nil:
		return usage("%v", err)
	case len(missing) > 0:
		return a.lacks(l.program, missing, again)
	}
	if err := a.approveDestructive(ctx, l, store, again, f, d.agreed); err != nil {
		return err
	}
	res, err := a.execute(ctx, l, store, a.approve(f))
	if err != nil {
		return err
	}
	if err := a.conclude(ctx, l, res, again.command()); err != nil {
		return err
	}
	if d.reuse && !d.part {
		a.exemplify(ctx, d.name, d.request.Text)
	}
	return nil
}

// conclude is the end of a run that a request led to.
func (a *app) conclude(ctx context.Context, l *loaded, res *workflow.Result, again string) error {
	failed := "run it again with: " + again
	if l.source.Draft != nil {
		failed = fmt.Sprintf("%s is not saved, since its first run failed; keep it with: %s", l.source.Name, a.keepHint(l.source.Name, res.RunID))
	}
	if l.by == journal.ByFix && l.source.Draft != nil {
		failed = fmt.Sprintf("the fix is not saved, since the run failed with it, too; keep it all the same with: %s", a.keepHint(l.source.Name, res.RunID))
	}
	name, unsaved := a.settle(ctx, l, res)
	ended := a.endedAs(res, again, failed)
	a.tell(ctx, a.endingOf(l, res, keptAs(l, res, name, unsaved)))
	if ended != nil {
		return ended
	}
	return unsaved
}

// keptAs is the saved workflow that a run was of, where settle gave this; "" if it is none.
func keptAs(l *loaded, res *workflow.Result, name string, unsaved error) string {
	switch {
	case l.source.Draft == nil:
		return savedName(l)
	case res.Status == workflow.Done && unsaved == nil:
		return name
	}
	return ""
}

// settle saves the new workflow of a run that is done, under the name that it gives, and notes what came of the run.
func (a *app) settle(ctx context.Context, l *loaded, res *workflow.Result) (name string, unsaved error) {
	name = l.source.Name
	if l.source.Draft != nil && res.Status == workflow.Done {
		kept, err := a.keep(ctx, l.source.Draft)
		if err != nil {
			unsaved = fail(exitFailed, "the run is done, but %s is not saved: %v; keep it with: %s", name, err, a.keepHint(name, res.RunID))
		} else {
			name = kept
		}
	}
	a.note(ctx, name, l.program, res)
	return name, unsaved
}

// keepHint is the command that saves what a run was made of.
func (a *app) keepHint(name, run string) string {
	in := &invocation{path: "pflow workflow save", subject: name, flags: a.sameHome()}
	return in.command("--from-run", run)
}

// keepOnly saves a new workflow without running it.
func (a *app) keepOnly(ctx context.Context, d *planDraft, in *invocation) error {
	if !d.reuse {
		kept, err := a.keep(ctx, d.record().Encode())
		if err != nil {
			return notSaved(err)
		}
		d.name, in.subject = kept, kept
	} else if !a.quiet {
		fmt.Fprintf(a.stderr, "%s is saved already\n", d.name)
	}
	if a.asJSON {
		r, _, err := a.library().Get(d.name)
		if err != nil {
			return a.noWorkflow(d.name, err)
		}
		return a.printJSON(a.workflowDocument(r, true))
	}
	fmt.Fprintf(a.stderr, "run it with: %s\n", in.command())
	return nil
}

// editDraft has the workflow of a plan edited, checks it and shows it again. A text with errors is kept, and is what the
// next edit begins with.
func (a *app) editDraft(ctx context.Context, d *planDraft) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if d.editing == "" {
		file, err := a.draftFile(d.name+"-*.json", d.workflow.Indented())
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
	before := d.workflow.Hash()
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
	d.editing, d.edited = "", d.edited || d.workflow.Hash() != before
	a.showFindings(found)
	a.showDraft(ctx, d)
	return nil
}

// sameHome are the flags by which another command of pflow finds the same home and components.
func (a *app) sameHome() []string {
	out := a.homeFlags()
	for _, file := range a.nodeFiles {
		out = append(out, "--nodes", file)
	}
	if a.noBuiltin {
		out = append(out, "--no-builtin")
	}
	return out
}

// made is the command line of a request.
func (a *app) made(words []string) *invocation {
	return &invocation{path: "pflow", subject: strings.Join(words, " "), flags: a.sameHome()}
}
