package main

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/printable"
	"pflow/internal/runs"
	"pflow/internal/value"
	"pflow/internal/workflow"
)

// fixFlow is the flow that mends workflows.
const fixFlow = "planner-fix"

func (a *app) runsFixCommand() *cobra.Command {
	f := &runFlags{foresees: true}
	c := &cobra.Command{
		Use:   "fix RUN|last",
		Short: "Mend the workflow of a run that failed, and run it again without what finished",
		Long: `Mend the workflow of a run that failed. The flow planner-fix is given the workflow, the step that failed, its params and its error; secrets
are names there. It mends what a rule can say: a file that was moved, a key that is called otherwise now. Whatever else it asks the
model about, if there is one, and checks the reply as any draft. The difference is shown; once it is approved, the workflow is run
again as by pflow runs retry, and saved as the next version once that run is done. Until then, and if it fails, what is saved stays
as it was. Nothing else that is saved is touched; a fix that would break callers of the workflow is saved beside it.

What is approved is what was seen: --yes approves nothing of a run that failed. Without a terminal the fix is shown, and the message names
the run of planner-fix that found it. With that as RUN (last, if it is), --yes takes exactly this fix, unless its rule comes to another one by then.
--yes=sha256:DIGEST, with the digest of --dry-run --json, takes it if what would be saved and run is what was shown, and approves none of its nodes.`,
		Example:           "  pflow runs fix last --dry-run\n  pflow runs fix 1a2b3c4d --dry-run --json\n  pflow runs fix 5e6f7a8b --yes",
		Args:              one("a run, or last; pflow runs list --failed shows those that failed"),
		ValidArgsFunction: a.completeRuns(runs.Failed),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(true); err != nil {
				return err
			}
			return a.fixRun(c.Context(), args[0], f)
		},
	}
	f.approval(c, "approve the fix that RUN found, and nodes that want approval; --yes=destructive also what destroys, --yes=sha256:DIGEST exactly that fix")
	c.Flags().BoolVar(&f.save, "save", false, "save the fix without running it")
	f.dryRunning(c, "show the fix, and save and run nothing")
	a.nodeFlags(c)
	a.modelFlags(c)
	return c
}

// fixRun mends the workflow of a run and runs it again.
func (a *app) fixRun(ctx context.Context, given string, f *runFlags) error {
	given, made, err := a.madeFix(given)
	if err != nil {
		return err
	}
	row, past, r, before, err := a.pastRun(given)
	if err == nil {
		err = a.ranSince(row.ID)
	}
	if err != nil {
		return err
	}
	switch row.Status {
	case runs.Failed:
	case runs.Done:
		return usage("run %s is done: there is nothing to mend", row.ID)
	case runs.Limited:
		return usage("run %s hit a limit, which no other workflow mends: %s", row.ID, row.Error.Message)
	default:
		return usage("run %s has not failed, it is %s; go on with: %s", row.ID, row.Status, a.resumeHint(row.ID))
	}
	l, taken, err := a.againLoaded(ctx, r, before)
	if err != nil {
		return err
	}
	if l.program.Workflow.Hash() != before.Workflow.Hash() {
		return usage("%s was changed since run %s; see first whether it still fails, with: %s", l.program.Name, row.ID, a.runsHint("retry", row.ID))
	}
	if err := a.readSecrets(ctx, l); err != nil {
		return err
	}
	x := &fix{row: row, base: l, dir: r.Env.Dir, seen: made != nil}
	if x.failure, err = a.failureOf(past, before, r.Env.Dir); err != nil {
		return usage("run %s: %v", row.ID, err)
	}
	if made != nil {
		if err := a.takeFix(ctx, x, made); err != nil {
			return err
		}
	}
	if x.Status != fixFound { // what found nothing may find something now
		x.seen = false
		if made, err = a.findFix(ctx, x, true); err != nil {
			return err
		}
		if err := a.takeFix(ctx, x, made); err != nil {
			return err
		}
	}
	if x.seen && x.By == "rule" {
		if err := a.sameFix(ctx, x, made); err != nil {
			return a.fixInstead(x, err)
		}
	}
	if x.Status != fixFound {
		return a.fixInstead(x, a.unfixed(x))
	}
	if err := a.fixLoaded(ctx, x); err != nil {
		return err
	}
	if err := x.sealed(); err != nil {
		return err
	}
	if f.dryRun {
		if a.asJSON {
			return a.printJSON(x)
		}
		return a.showFix(a.stdout, x)
	}
	x.saveOnly = f.save
	if !a.quiet || !x.seen && (!a.asJSON || a.interactive()) { // nobody approves what was not shown
		if err := a.showFix(a.stderr, x); err != nil {
			return err
		}
	}
	run, err := a.approveFix(ctx, x, f)
	if err != nil {
		return a.fixInstead(x, err)
	}
	return a.carryOutFix(ctx, x, past, r, before, run, taken, f)
}

// carryOutFix runs a workflow again with a fix that was approved, or saves it instead.
func (a *app) carryOutFix(ctx context.Context, x *fix, past *journal.Past, r *workflow.Reloaded, before *workflow.Program, run bool, taken string, f *runFlags) error {
	l := x.loaded
	if l.source.Draft != nil {
		if err := a.library().Writable(ctx); err != nil { // better now than once it has run
			return notSaved(err)
		}
	}
	if !run {
		if l.source.Draft == nil {
			return usage("the fix is of the inputs, and there is nothing of it to save; run it with: %s", a.fixHint(x))
		}
		name, err := a.keep(ctx, l.source.Draft)
		if err != nil {
			return notSaved(err)
		}
		if !a.quiet {
			fmt.Fprintf(a.stderr, "run it again with: %s\n", a.runsHint("retry", x.row.ID))
		}
		if a.asJSON {
			saved, _, err := a.library().Get(name)
			if err != nil {
				return a.noWorkflow(name, err)
			}
			return a.printJSON(a.workflowDocument(saved, true))
		}
		return nil
	}
	var err error
	l.journalled = true // what finishes in it must be known to the next one
	l.by, l.parent, l.request, l.day = journal.ByFix, x.row.ID, x.row.Request, past.History.Events[0].Time
	if l.retry, err = a.retryOf(x.row.ID, r, before, l, past, retryFlags{}); err != nil {
		return usage("run %s: %v", x.row.ID, err)
	}
	if err := a.mayGoOn(x.row.ID, r, l.program); err != nil {
		return err
	}
	if err := a.readSecrets(ctx, l); err != nil {
		return err
	}
	again := l.program.Again(past.History.Events[0].Input)
	l.instead = instead(past, again.Values, x.Inputs)
	maps.Copy(again.Values, x.Inputs)
	in := &invocation{path: "pflow runs fix", subject: x.named(), flags: a.sameHome()}
	store, missing, err := l.program.Bind(again)
	switch {
	case err != nil:
		return usage("%v", err)
	case len(missing) > 0:
		return a.lacks(l.program, missing, &invocation{path: "pflow run", subject: l.source.Name, flags: a.sameHome()})
	}
	failedIn(l.retry, past, store)
	if err := a.approveDestructive(ctx, l, store, in, f, ""); err != nil {
		return err
	}
	id := journal.NewID(time.Now())
	p := a.followRun("running "+l.program.Name, l.program)
	defer p.stop()
	res, err := a.executeAs(p.within(ctx), id, l, store, a.approve(f), p.told())
	p.stop()
	if err != nil {
		return a.undecided(id, nil, err)
	}
	if !a.quiet && len(res.Kept) > 0 {
		fmt.Fprintf(a.stderr, "kept: %s\n", printable.Line(strings.Join(res.Kept, ", ")))
	}
	res.Fix = x.told()
	retry := &invocation{path: "pflow runs retry", subject: x.row.ID, flags: a.sameHome()}
	for _, name := range value.SortedKeys(x.Inputs) {
		retry.words = append(retry.words, name+"="+fmt.Sprint(x.Inputs[name]))
	}
	return a.conclude(ctx, l, res, retry.command())
}

// approveFix asks whether a fix is to be run, and saved. Without anybody to ask only a fix that was seen is approved: one that is
// given by the run that found it.
func (a *app) approveFix(ctx context.Context, x *fix, f *runFlags) (run bool, err error) {
	switch given := f.digest(); {
	case given != "" && given != x.Digest:
		return false, fail(exitDeclined, "nothing was saved or run: what would be saved or run now is not what was shown as %s; look again with: %s", given, a.runsHint("fix", x.row.ID))
	case x.seen && (f.approvesRuns() || f.save):
		return !f.save, nil
	case !a.interactive() && x.FixRun == "":
		return false, fail(exitDeclined, "nothing was saved or run: how the fix was found is not kept, so that it can only be approved on a terminal")
	case !a.interactive() && len(x.NewEffects) > 0:
		return false, fail(exitDeclined, "nothing was saved or run: the fix does what %s did not do before (%s); to approve exactly this: %s", x.Name, strings.Join(x.NewEffects, ", "), a.approvingFix(x, f))
	case !a.interactive():
		return false, fail(exitDeclined, "nothing was saved or run; to approve exactly this fix: %s", a.approvingFix(x, f))
	}
	answers, question, choices := "Y/n", "Run it again so?", "yes or no"
	if x.loaded.source.Draft != nil {
		answers, choices = "Y/n/s", "yes, no or save only"
		question = fmt.Sprintf("Run it again so, and save it %s if it succeeds?", x.savedAs())
	}
	if f.save {
		answers, choices = "Y/n", "yes or no"
		question = fmt.Sprintf("Save it %s?", x.savedAs())
	}
	if len(x.NewEffects) > 0 {
		answers = "y" + strings.Replace(answers[1:], "n", "N", 1)
	}
	for {
		answer, err := a.readLine(ctx, question+" ["+answers+"]")
		if err != nil || ctx.Err() != nil {
			return false, fail(exitDeclined, "nothing was saved or run")
		}
		switch answer = strings.ToLower(strings.TrimSpace(answer)); {
		case answer == "" && len(x.NewEffects) == 0 || answer == "y" || answer == "yes":
			return !f.save, nil
		case answer == "" || answer == "n" || answer == "no":
			return false, fail(exitDeclined, "nothing was saved or run")
		case x.loaded.source.Draft != nil && (answer == "s" || answer == "save"):
			return false, nil
		default:
			fmt.Fprintf(a.stderr, "%q is none of %s\n", answer, choices)
		}
	}
}

// fixInstead is the end of a fix that is not run: with --json, the fix is the result.
func (a *app) fixInstead(x *fix, err error) error {
	if a.asJSON {
		if err := a.printJSON(x); err != nil {
			return err
		}
	}
	return err
}

// fixHint is the command that takes exactly this fix.
func (a *app) fixHint(x *fix) string {
	return (&invocation{path: "pflow runs fix", subject: x.named(), flags: a.sameHome()}).command()
}

// approvingFix is the command that approves exactly this fix, for what was asked for.
func (a *app) approvingFix(x *fix, f *runFlags) string {
	flag := "--yes"
	switch {
	case f.save:
		flag = "--save"
	case f.says(yesDestructive):
		flag = f.alsoDestructive()
	}
	return a.fixHint(x) + " " + flag
}

// sameFix refuses a fix of a rule that comes to another one by now.
func (a *app) sameFix(ctx context.Context, x *fix, made *engine.Result) error {
	now, err := a.findFix(ctx, x, false)
	if err != nil {
		return err
	}
	of := func(res *engine.Result) string {
		return value.JSON([]any{string(res.Status), res.Store["by"], res.Store["workflow"], res.Store["inputs"]})
	}
	if of(now) == of(made) {
		return nil
	}
	why, _ := now.Store["ruled_out"].(string)
	if why == "" {
		why, _ = now.Store["why"].(string)
	}
	return fail(exitDeclined, "nothing was saved or run: the fix that run %s found is not the same any more: %s; look again with: %s", x.FixRun, why, a.runsHint("fix", x.row.ID))
}
