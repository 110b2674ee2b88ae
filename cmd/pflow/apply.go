package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/library"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// applyFlags are the flags of pflow apply.
type applyFlags struct {
	runFlags
	workflow string // the file of a workflow in the place of the planned one
	decline  bool
}

func (a *app) applyCommand() *cobra.Command {
	f := &applyFlags{runFlags: runFlags{schedules: true}}
	c := &cobra.Command{
		Use:   "apply FILE|RUN [key=value...]",
		Short: "Save and run what a plan says",
		Long: `Save and run a plan: that of a file, which pflow plan -o FILE wrote, or the one that a run in this home made (pflow runs list
--kind plan lists those). It is exactly that workflow with exactly those values.

--dry-run shows what would be saved and run, and prints its digest. --yes=sha256:DIGEST approves exactly what it is of, in any home;
nodes that want approval are shown when their turn comes. --yes alone approves them, too, and the plan of a file that was made in this
home and is as it was made, with all that it uses. Any other plan is shown and asked for. What destroys needs --yes=destructive too:
--yes=destructive,sha256:DIGEST. In its place stands the digest_destroys of --dry-run --json: it approves the plan, and that it destroys what is listed there, and nothing else.

key=value gives an input another value, or one that the request does not say. --workflow FILE puts another workflow in the place of
the planned one. Both make another plan, with another digest, which the same arguments show and approve. --decline notes that the plan
is not wanted.`,
		Example: "  pflow plan \"copy README.md to b.md\" -o plan.json && pflow apply plan.json --yes\n" +
			"  pflow plan \"copy README.md to c.md\" && pflow apply last --dry-run\n  pflow plan \"copy README.md to d.md\" && pflow apply last copy_dest_path=e.md --dry-run --json",
		Args:              some("the plan file, - for standard input, or a run that made a plan"),
		ValidArgsFunction: a.completeRunsOrFiles,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(true); err != nil {
				return err
			}
			if f.decline && (f.dryRun || f.save || f.yes != "") {
				return usage("--decline says that the plan is not wanted; leave out --yes, --save and --dry-run")
			}
			return a.apply(c.Context(), args[0], args[1:], f)
		},
	}
	f.approval(c, "approve the plan; --yes=destructive also what destroys, --yes=sha256:DIGEST exactly that plan")
	f.keeping(c)
	f.dryRunning(c, "show what would be saved and run, and its digest, and do nothing")
	c.Flags().StringVar(&f.workflow, "workflow", "", "carry out the workflow of this `FILE` in the place of the planned one")
	c.Flags().BoolVar(&f.decline, "decline", false, "note that the plan is not wanted, and do nothing")
	a.nodeFlags(c)
	return c
}

// toApply is a plan that is to be carried out.
type toApply struct {
	planner.File
	request planner.Request
	made    *invocation
	from    string // what it was read from, in words
	run     bool   // of the journal of a run: no file, and nothing that seals it
	edited  bool
}

func (a *app) apply(ctx context.Context, given string, words []string, f *applyFlags) error {
	p, err := a.toApply(ctx, given)
	if err != nil {
		return err
	}
	if f.decline {
		return a.declined(p)
	}
	p.made.words = words
	if f.workflow != "" {
		p.made.flags = append(p.made.flags, "--workflow", f.workflow)
	}
	if err := a.editPlan(ctx, p, words, f.workflow); err != nil {
		return err
	}
	if err := a.unplanned(p.Request, &p.Result); err != nil {
		if f.dryRun && a.asJSON {
			return a.showUnplanned(ctx, p, err)
		}
		return a.planInstead(&p.Result, err)
	}
	if p.Path == "reuse" {
		if err := a.unchanged(&p.File); err != nil {
			return err
		}
	}
	planned := p.Result // a draft may get another name here
	d, err := a.draft(ctx, p.request, &p.Result, p.made)
	if err != nil {
		return err
	}
	uses, err := d.uses()
	if err != nil {
		return err
	}
	d.digest, d.edited = planned.Digest(p.Request, uses), p.edited
	switch {
	case p.edited:
		d.foreign = p.from + " was edited"
	case p.run:
		d.foreign = "what " + p.from + " uses may have changed since it was made"
	case !p.Own(d.digest, a.planKey()):
		d.foreign = fmt.Sprintf("%s was not made in this home, or it, or what it uses, was changed since", p.from)
	}
	destroys, err := a.foreseeDraft(d)
	if err != nil {
		return err
	}
	if d.destroys != "" && f.digest() == d.destroys {
		d.agreed = destroys
	}
	if f.dryRun {
		d.plan.Secrets(a.secrets().Has)
		if a.asJSON {
			return a.showApplied(ctx, p, d)
		}
		if err := a.dryRunDraft(d); err != nil {
			return err
		}
		a.say("approve exactly this with: " + d.made.command("--yes="+d.digest) + "\n")
		return nil
	}
	return a.decideOn(ctx, d, &f.runFlags)
}

// toApply reads a plan: a file, or the run of that name where there is none.
func (a *app) toApply(ctx context.Context, given string) (*toApply, error) {
	if _, err := os.Lstat(given); errors.Is(err, fs.ErrNotExist) && given != "-" && !ir.IsFile(given) && a.homeDir() != "" {
		return a.plannedIn(given)
	}
	data, err := a.readPlan(ctx, given)
	if err != nil {
		return nil, err
	}
	file, err := planner.ReadFile(data)
	if err != nil {
		return nil, usage("%s: %v", given, err)
	}
	p := &toApply{File: *file, request: planner.Request{Text: file.Request, Source: "file"}, from: given,
		made: &invocation{path: "pflow apply", subject: given, flags: a.sameHome()}}
	if given != "-" && !isTerminal(a.stdin) {
		piped, err := a.piped(ctx)
		if err != nil {
			return nil, err
		}
		p.request.Stdin = *piped
	}
	return p, nil
}

// plannedIn gives the plan that a run of this home made, as its journal has it.
func (a *app) plannedIn(given string) (*toApply, error) {
	row, err := a.findRun(given)
	if err != nil {
		return nil, err
	}
	id, past, documents, err := a.readRun(row.ID)
	if err != nil {
		return nil, err
	}
	if workflow.IsDocuments(documents) {
		return nil, usage("run %s made no plan: it is one of a workflow; run it again with: pflow runs retry %[1]s", id)
	}
	flow, err := a.host().Recorded(documents)
	if err != nil {
		return nil, err
	}
	switch {
	case !planner.Is(flow):
		return nil, usage("run %s made no plan: the flow %s is no planner", id, flow.Name)
	case past.Status == "" || past.Status == engine.Cancelled:
		return nil, usage("run %s has made no plan yet; go on with: %s", id, a.resumeHint(id))
	}
	run, err := engine.Replay(flow, &past.History, engine.Watch{})
	if err != nil {
		return nil, fail(exitFailed, "run %s: %v", id, err)
	}
	res := run.Result()
	res.RunID = id
	kept, err := readInvocationOf(documents)
	if err != nil {
		return nil, err
	}
	p := &toApply{run: true, from: "the plan of run " + id, made: &invocation{path: "pflow apply", subject: id, flags: a.sameHome()}}
	a.goOnWith(kept)
	p.Result = *planner.Of(flow, res)
	if kept.Request != nil {
		p.request = kept.Request.request()
	} else if len(past.History.Events) > 0 {
		p.request.Text, _ = past.History.Events[0].Input["user_input"].(string)
		p.request.Stdin = past.History.Events[0].Input["stdin_data"]
	}
	p.Request = p.request.Text
	return p, nil
}

// declined notes that a plan is not wanted.
func (a *app) declined(p *toApply) error {
	if p.RunID == "" {
		return usage("%s: there is no run to note it in", p.from)
	}
	a.answered(&planDraft{plan: &p.Result}, false)
	if a.asJSON {
		return a.printJSON(&p.Result)
	}
	a.say("nothing was saved or run: the plan is declined\n")
	return nil
}

// planKey is the key by which the home knows its plans; nil if there is none.
func (a *app) planKey() []byte {
	if a.homeDir() == "" {
		return nil
	}
	key, err := planner.Key(a.homeDir())
	if err != nil {
		a.warn("plans of this home cannot be told from others: %s", fileError(err))
	}
	return key
}

// unchanged makes sure that the saved workflow of a plan is still the one that was planned with. Where there is none, the
// plan is that of a new one.
func (a *app) unchanged(p *planner.File) error {
	name, _ := p.WorkflowName.(string)
	if err := a.needsHome(); err != nil {
		return err
	}
	r, _, err := a.library().Get(name)
	var unknown *library.Unknown
	switch {
	case errors.As(err, &unknown):
		return nil
	case err != nil:
		return a.noWorkflow(name, err)
	}
	planned, found := ir.Decode([]byte(value.JSON(p.WorkflowIR)))
	if err := found.Err(); err != nil {
		return err
	}
	if planned.Hash() != r.Workflow().Hash() {
		return usage("the saved workflow %q was changed after the plan was made; plan again", name)
	}
	return nil
}

// readPlan reads a plan file; - is standard input.
func (a *app) readPlan(ctx context.Context, file string) ([]byte, error) {
	if file != "-" {
		return a.readRegular(file)
	}
	piped, err := a.piped(ctx)
	if err != nil {
		return nil, err
	}
	return []byte(*piped), nil
}
