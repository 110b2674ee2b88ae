package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/planner"
	"pflow/internal/process"
	"pflow/internal/runs"
	"pflow/internal/workflow"
)

func (a *app) resumeCommand() *cobra.Command {
	var retry, failed bool
	yes := &runFlags{schedules: true}
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was killed or cancelled",
		Long: `Go on with a run that was killed or cancelled, with the exact flow it began with. No step that finished runs again. A step
that was under way runs again if that cannot repeat an effect; otherwise resume names it and leaves the decision to you. The model and the declared nodes are those of then, unless you
say others; the settings are those of now. The making of a plan goes on to the approval of the plan. Where a model cannot
be reached, or a secret is not set, the run is left as it was.

What a run waits for is shown with what it would get: on a terminal before it is asked for, else by pflow runs show, with a digest.
--yes=sha256:DIGEST approves exactly that, and what comes later waits again; if the run waits for anything else by then, nothing is done.

Of a run over many lines (pflow run --each) it goes on with the lines that have no result, and prints the results of all.`,
		Example:           "  pflow resume 20240115-120000-1a2b3c4d\n  pflow resume 20240115-120000-1a2b3c4d --retry",
		Args:              one("the run to go on with"),
		ValidArgsFunction: a.completeRuns(runs.Waiting, runs.Interrupted, runs.Cancelled),
		RunE: func(c *cobra.Command, args []string) error {
			if err := yes.check(true); err != nil {
				return err
			}
			if len(yes.only) > 0 && yes.yes == "" {
				return usage("--only says which of the nodes that wait --yes approves, and there is no --yes")
			}
			if err := a.needsHome(); err != nil {
				return err
			}
			if a.isEach(args[0]) {
				if len(yes.only) > 0 {
					return usage("--only is of one run, and %s is over many lines", args[0])
				}
				if yes.digest() != "" {
					return usage("--yes=%s is of one run, and %s is over many lines", yes.yes, args[0])
				}
				return a.resumeEach(c.Context(), args[0], eachAgain{retry: retry, failed: failed}, yes)
			}
			if failed {
				return usage("--failed is of a run over many lines (pflow run --each), and %s is none", args[0])
			}
			row, err := a.findRun(args[0])
			if err != nil {
				return err
			}
			id := row.ID
			if err := a.takeShown(id, yes); err != nil {
				return err
			}
			if !retry {
				if err := a.ranSince(id); err != nil {
					return err
				}
			}
			past, documents, w, err := a.history().Resume(id, time.Now())
			var unread *fs.PathError
			if errors.As(err, &unread) {
				return fail(exitFailed, "%s", fileError(err))
			}
			if err != nil {
				return usage("%v", err)
			}
			defer w.Close()
			kept, err := readInvocationOf(documents)
			if err != nil {
				return a.leftAlone(w, err)
			}
			a.goOnWith(kept)
			past.History.Retry = retry
			if workflow.IsDocuments(documents) {
				return a.resumeWorkflow(c.Context(), id, past, documents, w, yes)
			}
			return a.resumeFlow(c.Context(), id, past, documents, w, kept.Request, yes)
		},
	}
	c.Flags().BoolVar(&retry, "retry", false, "run steps again that were under way, also if that may repeat an effect")
	c.Flags().BoolVar(&failed, "failed", false, "of a run over many lines: run those again that failed")
	yes.approval(c, "approve a plan, and nodes of a workflow that want approval; --yes=sha256:DIGEST exactly those that were shown")
	c.Flags().StringArrayVar(&yes.only, "only", nil, "with --yes: approve only this `NODE`, and wait again for the others (repeatable)")
	yes.keeping(c)
	a.nodeFlags(c)
	a.modelFlags(c)
	return c
}

// resumeFlow goes on with a run of a flow. The making of a plan goes on to what the request would have come to.
func (a *app) resumeFlow(ctx context.Context, id string, past *journal.Past, documents []byte, w *runs.Writer, r *keptRequest, f *runFlags) error {
	flow, err := a.host().Recorded(documents)
	if err != nil {
		return a.leftAlone(w, err)
	}
	follow := a.followPlan
	if !planner.Is(flow) {
		follow = func() *progress { return a.followFlow(flow.Name) }
	}
	p := follow()
	defer p.stop()
	res, err := engine.Execute(process.Resuming(p.within(a.withExchanges(ctx, id)), id), flow, nil, engine.Options{
		RunID: id, Journal: w, History: &past.History, Progress: p.told(), Observe: a.observer(),
		Came: planner.Came(flow),
	})
	p.stop()
	if err != nil {
		return a.undecided(id, w, err)
	}
	if res.Error != nil && a.leftAsItWas(id, past, w, fault.Kind(res.Error.Kind)) {
		return a.leftError(id, res.Error)
	}
	if !planner.Is(flow) {
		return a.finish(res)
	}
	plan := planner.Of(flow, res)
	if e, _ := plan.Error.(map[string]any); e != nil && (e["kind"] == "provider_error" || slices.Contains(unreached, fault.Kind(fmt.Sprint(e["kind"])))) && w.Undo() == nil {
		return a.leftError(id, &engine.RunError{Kind: fmt.Sprint(e["kind"]), Message: fmt.Sprint(e["message"])})
	}
	plan.Secrets(a.secrets().Has)
	if r == nil || !r.Decide {
		text := ""
		if r != nil {
			text = r.Text
		}
		return a.showPlanned(ctx, text, plan)
	}
	return a.decide(ctx, r.request(), plan, a.made([]string{r.Text}), f)
}

// undecided is the error of a run that could not go on. w is the journal of one that was to be gone on with, nil of a new one.
func (a *app) undecided(id string, w *runs.Writer, err error) error {
	var again *workflow.RunsAgain
	var steps *engine.NeedsDecision
	switch {
	case errors.As(err, &steps) && w != nil: // nothing was carried out
		err = a.leftAlone(w, err)
	case steps == nil && !errors.As(err, &again):
		return err
	}
	return &exitError{Code: exitDeclined, Message: err.Error(), Do: "; if that is right, go on with: " + a.resumeHint(id) + " --retry", Repeats: true}
}

// unreached are the kinds of errors that say nothing of a run: what it called was not there.
var unreached = []fault.Kind{fault.Network, fault.Unavailable, fault.RateLimit, fault.Authentication, fault.Quota}

// leftAsItWas makes a run that was gone on with what it was before, if it came no step further because what it called was
// not there, and reports whether it did.
func (a *app) leftAsItWas(id string, past *journal.Past, w *runs.Writer, kind fault.Kind) bool {
	if !slices.Contains(unreached, kind) {
		return false
	}
	now, _, err := journal.Read(a.homeDir(), id)
	if err != nil || succeeded(now) > succeeded(past) {
		return false
	}
	return w.Undo() == nil
}

// succeeded counts the attempts that went well.
func succeeded(p *journal.Past) (n int) {
	for _, ev := range p.History.Events {
		if ev.Kind == engine.EventOutcome && ev.Err == nil {
			n++
		}
	}
	return n
}

func (a *app) leftError(id string, err *engine.RunError) error {
	return fail(exitFailed, "%s [%s]; the run is left as it was: go on with %s", err, err.Kind, a.goOnHint(id))
}
