package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

func (a *app) runsRetryCommand() *cobra.Command {
	f := &runFlags{foresees: true}
	var again retryFlags
	c := &cobra.Command{
		Use:   "retry RUN|last [key=value...]",
		Short: "Run a workflow again without what finished already",
		Long: `Run the workflow of a run again, as a new run. A step that finished is kept if its component and its params are what they were and
nothing before it runs again; all else runs. A saved workflow, or one in a file, is taken as it is now, so that it can be mended in
between; any other as it was. The inputs are those of then, but for those that key=value gives; secrets are read anew, and the run
takes place in the same folder, on the same day.

A step that failed on what it was given alone, and is not changed, fails again with it: what gave it that runs again, too, such as the
step that read a file. --from STEP lets any step run again, with all that follows it.

A step that finished, is not idempotent and would run again stops the run with exit status 4, and is named with what changed: pflow
resume RUN --retry goes on with it; --retry does so at once. Approvals are asked for again; what destroys is asked about only where
it runs again: --yes=destructive, or --yes=foreseen, which approves no nodes.`,
		Example:            "  pflow runs retry last\n  pflow runs retry 1a2b3c4d city=Oslo\n  pflow runs retry last --from fetch",
		ValidArgsFunction:  a.completeRuns(runs.Failed),
		DisableFlagParsing: true, // flags may be inputs of the workflow
		RunE: func(c *cobra.Command, args []string) error {
			in, err := f.read(a, c, args, "pflow runs retry: name a run, or last; pflow runs list shows those there are")
			if err != nil || in == nil {
				return err
			}
			if again.retry {
				in.flags = append(in.flags, "--retry")
			}
			for _, step := range again.from {
				in.flags = append(in.flags, "--from", step)
			}
			return a.retryRun(c.Context(), in, f, again)
		},
	}
	c.Flags().StringArrayVar(&again.from, "from", nil, "run this `STEP` again, with what follows it (repeatable)")
	c.Flags().BoolVar(&again.retry, "retry", false, "run steps again that finished, also if that may repeat an effect")
	f.approval(c, "approve nodes that want approval; --yes=destructive also what destroys")
	a.nodeFlags(c)
	a.modelFlags(c)
	return c
}

// retryFlags says what runs again that need not.
type retryFlags struct {
	retry bool
	from  []string
}

// retryRun runs a run again.
func (a *app) retryRun(ctx context.Context, in *invocation, f *runFlags, again retryFlags) error {
	row, past, r, before, err := a.pastRun(in.subject)
	if err != nil {
		return err
	}
	in.subject = row.ID
	var since *exitError
	if !again.retry {
		if err := a.ranSince(row.ID); err != nil && (!errors.As(err, &since) || !since.Repeats) {
			return err
		}
	}
	l, taken, err := a.againLoaded(ctx, r, before)
	if err != nil {
		return err
	}
	l.journalled = true // what finishes in it must be known to the next one
	l.by, l.parent, l.request, l.day = journal.ByRetry, row.ID, row.Request, past.History.Events[0].Time
	if l.retry, err = a.retryOf(row.ID, r, before, l, past, again); err != nil {
		return usage("run %s: %v", row.ID, err)
	}
	if err := a.mayGoOn(row.ID, r, l.program); err != nil {
		return err
	}
	if err := a.readSecrets(ctx, l); err != nil {
		return err
	}
	store, err := a.againBound(l, past, in)
	if err != nil {
		return err
	}
	a.from = again.from
	failedIn(l.retry, past, store)
	if since != nil {
		return a.alsoDestroys(ctx, since, l, store, f)
	}
	if err := a.approveDestructive(ctx, l, store, in, f, ""); err != nil {
		return err
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "running %s again: %s\n", row.ID, taken)
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
		again := ""
		if res.Status == workflow.Failed {
			again = "; --from STEP lets one of them run again, with what follows it"
		}
		fmt.Fprintf(a.stderr, "kept: %s%s\n", printable.Line(strings.Join(res.Kept, ", ")), again)
	}
	return a.conclude(ctx, l, res, in.command())
}

// showAhead says which steps a run that runs another again keeps, and which run.
func (a *app) showAhead(ahead *workflow.Ahead) {
	list := func(names []string) string {
		const most = 20
		if len(names) > most {
			names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
		}
		if len(names) == 0 {
			return "nothing"
		}
		return strings.Join(names, ", ")
	}
	if a.quiet {
		return
	}
	stops := ""
	if ahead.Asks != "" {
		stops = fmt.Sprintf("; %s finished before and may repeat its effects: the run stops there, unless --retry lets it", ahead.Asks)
	}
	fmt.Fprintf(a.stderr, "will keep: %s; will run: %s%s\n", list(ahead.Kept), list(ahead.Runs), stops)
}

// alsoDestroys adds to why a workflow is not run what its run would destroy, so that both are asked about at once.
func (a *app) alsoDestroys(ctx context.Context, why *exitError, l *loaded, store map[string]any, f *runFlags) error {
	foreseen, _, err := a.foreseen(ctx, l, store)
	if err != nil {
		return err
	}
	if what := destroyed(foreseen); what != "" && !f.says(yesDestructive) && !f.says(yesForeseen) {
		why.Message += "; now " + what + " may destroy what is there, too"
		why.Do += " and --yes=" + yesDestructive
		why.Destroys = true
	}
	return why
}

// pastRun finds the run of a workflow that is to be run again, and compiles it as it was.
func (a *app) pastRun(given string) (row runs.Row, past *journal.Past, r *workflow.Reloaded, before *workflow.Program, err error) {
	if err = a.needsHome(); err != nil {
		return
	}
	if a.isEach(given) {
		err = usage("%s is a run over many lines; run those again that failed with: %s --failed", given, a.resumeHint(given))
		return
	}
	if row, err = a.findRun(given); err != nil {
		return
	}
	each, ofEach := strings.CutPrefix(row.By, byEach)
	switch {
	case ofEach:
		err = usage("run %s is one line of %s; run the lines again that failed with: %s --failed", row.ID, each, a.resumeHint(each))
	case row.Kind == journal.OfPlan:
		err = usage("run %s is the making of a plan, and no run of a workflow; plan again, with: pflow %s", row.ID, shellQuote(row.Request))
	case row.Kind != journal.OfWorkflow:
		err = usage("run %s is one of a flow; run that again with: pflow flow run %s", row.ID, shellQuote(row.Name))
	case row.Status == runs.Running:
		err = usage("a process works on run %s; wait for its end, or end it with: pflow runs cancel %s", row.ID, row.ID)
	}
	if err != nil {
		return
	}
	_, past, documents, err := a.readRun(row.ID)
	if err != nil {
		return row, past, nil, nil, err
	}
	kept, err := readInvocationOf(documents)
	if err != nil {
		return row, past, nil, nil, err
	}
	a.goOnWith(kept)
	if r, before, err = a.reload(row.ID, past, documents); err != nil {
		err = usage("run %s: %s", row.ID, strings.TrimSpace(err.Error()))
	}
	return row, past, r, before, err
}

// againLoaded gives the workflow of a run as it is now, where it is saved or in a file, and else as it was; taken says which.
func (a *app) againLoaded(ctx context.Context, r *workflow.Reloaded, before *workflow.Program) (l *loaded, taken string, err error) {
	own := &loaded{source: r.Source, program: before, flows: r.Flows, written: r.Env.Written}
	if r.Source.Draft != nil {
		return own, r.Source.Name + " as it was, since it is not saved", nil
	}
	ref := r.Source.Name
	switch saved := r.Env.Written.Workflow == ref; {
	case saved && a.library().Has(ref):
	case saved:
		return own, ref + " as it was, since it is saved no more", nil
	case r.Source.File == "":
		return own, ref + " as it was", nil
	default:
		if ref = r.Source.File; !filepath.IsAbs(ref) {
			ref = filepath.Join(r.Env.Dir, ref)
		}
		if _, err := os.Stat(ref); err != nil {
			return own, r.Source.File + " as it was, since it is there no more", nil
		}
	}
	a.dir = r.Env.Dir
	if l, err = a.loadWorkflow(ctx, ref); err != nil {
		return nil, "", err
	}
	taken = "as it is now, which is as it was"
	if l.program.Workflow.Hash() != before.Workflow.Hash() {
		taken = "as it is now, changed since"
	}
	if l.source.File != "" && l.source.Name != ref {
		ref = l.source.File
	}
	return l, ref + " " + taken, nil
}

// retryOf reads what finished in a run.
func (a *app) retryOf(parent string, r *workflow.Reloaded, before *workflow.Program, now *loaded, past *journal.Past, again retryFlags) (*workflow.Retry, error) {
	out, err := workflow.NewRetry(parent, before, now.program, &past.History)
	if err != nil {
		return nil, err
	}
	out.Again, out.From = again.retry, again.from
	if err := out.CheckFrom(); err != nil {
		return nil, err
	}
	uses, err := now.program.Uses(now.flows)
	if err != nil {
		return nil, err
	}
	for of := past.About; ; of = past.About {
		then, err := before.Uses(r.Flows)
		if err != nil {
			return nil, err
		}
		out.SameFlows(value.Equal(then["flows"], uses["flows"]))
		if !isRetry(of.By) || of.Parent == "" {
			return out, nil
		}
		id, whole := of.Parent, past.Status == engine.Done // then all that was to run did
		if past, r, before, err = a.reloaded(id); err != nil {
			if again.retry || whole {
				return out, nil
			}
			return nil, fmt.Errorf("it ran %s again, and what finished there is not known: %s; if steps may run again that finished, say --retry", id, err)
		}
		if err := out.Before(id, before, &past.History); err != nil {
			return nil, err
		}
	}
}

// isRetry reports whether what began a run let it keep what finished in its parent.
func isRetry(by string) bool { return by == journal.ByRetry || by == journal.ByFix }

// ranSince is the error of running a run again that was run again already, where a step finished by that which is not idempotent, or
// goes on.
func (a *app) ranSince(id string) error {
	open := []string{id}
	for k := 0; k < len(open); k++ {
		list, err := a.history().Children(open[k])
		if err != nil {
			return fail(exitFailed, "the runs that came of %s: %s", id, fileError(err))
		}
		for _, row := range list {
			if row.Kind != journal.OfWorkflow || !isRetry(row.By) {
				continue
			}
			if row.Status == runs.Running {
				return usage("run %s runs it again now; wait for its end, or end it with: pflow runs cancel %[1]s", row.ID)
			}
			open = append(open, row.ID)
			past, _, program, err := a.reloaded(row.ID)
			if err != nil {
				continue // of a run that cannot be read nothing can be said
			}
			if step := program.Finished(&past.History); step != "" {
				return &exitError{Code: exitDeclined, Repeats: true,
					Message: fmt.Sprintf("run %s was run again: %s finished in %s, and may repeat its effects", id, printable.Line(step), row.ID),
					Do:      fmt.Sprintf("; go on from there with: %s, or, if they may be repeated, say --retry", a.runsHint("retry", row.ID))}
			}
		}
	}
	return nil
}

// reloaded reads a run and its workflow as it was.
func (a *app) reloaded(id string) (*journal.Past, *workflow.Reloaded, *workflow.Program, error) {
	past, documents, err := journal.Read(a.homeDir(), id)
	if err != nil {
		return nil, nil, nil, errors.New(fileError(err))
	}
	r, before, err := a.reload(id, past, documents)
	if err != nil {
		err = errors.New(strings.TrimSpace(err.Error()))
	}
	return past, r, before, err
}

// againBound makes the first store of a run that runs another again.
func (a *app) againBound(l *loaded, past *journal.Past, in *invocation) (map[string]any, error) {
	changed, err := l.given(in)
	if err != nil {
		return nil, err
	}
	given := l.program.Again(past.History.Events[0].Input)
	l.instead = instead(past, given.Values, changed.Values)
	maps.Copy(given.Values, changed.Values)
	store, missing, err := l.program.Bind(given)
	if err != nil {
		return nil, usage("%v", err)
	}
	if len(missing) > 0 {
		return nil, a.lacks(l.program, missing, in)
	}
	return store, nil
}

// instead names the inputs of a run that runs another again which have values that were given beside the request, or against it: there, or now.
func instead(past *journal.Past, was, changed map[string]any) []string {
	names := slices.Clone(past.About.Given)
	for name, v := range changed {
		if !value.Equal(was[name], v) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// resumesRetry is what a run that ran another again goes on with; nil for any other run.
func (a *app) resumesRetry(past *journal.Past, own []byte, p *workflow.Program, now *workflow.Reloaded) (*workflow.Retry, error) {
	if !isRetry(past.About.By) || past.About.Parent == "" {
		return nil, nil
	}
	parent := past.About.Parent
	of, r, before, err := a.reloaded(parent)
	if err != nil {
		return nil, usage("run %s, which this one runs again, cannot be read: %s; the run is left as it was", parent, err)
	}
	kept, err := readInvocationOf(own)
	if err != nil {
		return nil, err
	}
	out, err := a.retryOf(parent, r, before, &loaded{program: p, flows: now.Flows}, of, retryFlags{past.History.Retry, kept.From})
	if err != nil {
		return nil, err
	}
	failedIn(out, of, past.History.Events[0].Input)
	return out, out.Resumes(&past.History)
}

// failedIn tells a retry where the run failed that it runs again, if its own inputs, in the store it begins with, are the same.
func failedIn(r *workflow.Retry, past *journal.Past, store map[string]any) {
	if past.End != nil && value.Equal(past.History.Events[0].Input, store) {
		r.FailedIn(past.End.Error)
	}
}

// runsHint is the command of pflow runs for a run.
func (a *app) runsHint(command, id string) string {
	return (&invocation{path: "pflow runs " + command, subject: id, flags: a.homeFlags()}).command()
}
