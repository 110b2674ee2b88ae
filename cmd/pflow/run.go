package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/otlp"
	"pflow/internal/outcome"
	"pflow/internal/process"
	"pflow/internal/workflow"
	"pflow/ir"
)

// runFlags are the flags of what runs workflows.
type runFlags struct {
	yes    string
	dryRun bool
	save   bool // keep without running

	schedules bool // --yes=schedule means something here
	foresees  bool // and so does --yes=foreseen

	only  []string            // nodes: yes approves no others; empty: all
	shown []workflow.Approval // what its digest is of, of a run that waits

	each        string // a file of inputs: one run for each line
	concurrency int    // how many of these at the same time

	fake bool // with results that are made up

	backend
}

// read reads a command line that names what to run, and checks the flags. The invocation is nil where help was asked
// for; unnamed is the error of a line that names nothing.
func (f *runFlags) read(a *app, c *cobra.Command, args []string, unnamed string) (*invocation, error) {
	in, err := a.readInvocation(c, args)
	if err != nil || in == nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if in.subject == "" {
		return nil, usage("%s", unnamed)
	}
	return in, nil
}

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{foresees: true}
	c := &cobra.Command{
		Use:   "run NAME|FILE [key=value...]",
		Short: "Run a saved workflow, or one in a file",
		Long: `Run a saved workflow (NAME, or NAME@2 for a version of it) or one in a FILE, JSON or YAML: a path with / or one that
ends in .json, .yaml or .yml. key=value gives an input, read as the type the workflow declares; --key=value means the
same. Piped text is the input that says from_stdin, or $stdin. The outputs go to standard output.

Nodes that say "approval": "required" stop the run until they are approved: --yes. What destroys (delete-file,
what replaces a file that this workflow did not write itself, declared nodes that say so, a shell command that does or
that cannot be known) needs --yes=destructive before anything runs; of files it approves those that are named then. --yes=foreseen approves
what is foreseen to be destroyed, as a yes on a terminal does, and neither nodes nor what turns out later. A run that was killed,
cancelled or waits for approval is continued by pflow resume.

--each FILE runs it once for each line of a CSV, a TSV or JSON lines: its columns or keys are inputs, key=value gives what is the same for
all. Each line gets one result line {line, id, status, outputs, error, run_id}, in order; id is the line's own, if it has one. What destroys
is shown for the first line and approved once for all. If a line failed the exit status is 1. pflow resume goes on with the lines that have no
result yet; none that has one runs again.

--on BACKEND has the program pflow-BACKEND of the PATH run it, after all that is checked, asked and approved here. What is missing then, the
backend asks for. --prepare prints what a backend is handed ("pflow.prepared/v1") and runs nothing. Neither holds a secret: who runs a
step reads it.`,
		Example:            "  pflow run greet name=Ada\n  pflow run ./greet.json --name=Ada --json\n  pflow run greet name=Ada --dry-run\n  pflow run greet name=Ada --on temporal\n  pflow run greet name=Ada --prepare",
		ValidArgsFunction:  a.completeRun,
		DisableFlagParsing: true, // flags may be inputs of the workflow
		RunE: func(c *cobra.Command, args []string) error {
			in, err := f.read(a, c, args, "pflow run: name a saved workflow or a file; pflow workflow list shows those there are")
			if err != nil || in == nil {
				return err
			}
			if f.elsewhere() && (f.fake || c.Flags().Changed("each")) {
				return usage("pflow run: --on and --prepare hand one run on; leave out --fake and --each")
			}
			if err := f.find(); err != nil {
				return err
			}
			if f.fake {
				if f.dryRun || f.yes != "" || c.Flags().Changed("each") {
					return usage("pflow run: --fake touches nothing and runs once; leave out --dry-run, --yes and --each")
				}
				return a.runFake(c.Context(), in)
			}
			l, err := a.loadWorkflow(c.Context(), in.subject)
			if err != nil {
				return err
			}
			if f.each != "" || c.Flags().Changed("each") {
				return a.runEach(c.Context(), l, in, f)
			}
			if c.Flags().Changed("concurrency") {
				return usage("pflow run: --concurrency is of --each FILE; a single run says it in its workflow")
			}
			return a.runLoaded(c.Context(), l, in, f)
		},
	}
	c.Flags().StringVar(&f.each, "each", "", "run once for each line of this `FILE` of inputs: CSV, TSV or JSON lines")
	c.Flags().IntVar(&f.concurrency, "concurrency", 1, "how many lines of --each to run at the same time")
	f.approval(c, "approve nodes that want approval; --yes=destructive also what destroys")
	c.Flags().BoolVar(&f.fake, "fake", false, "run it all with made-up results in the place of what its nodes would do; nothing is touched or kept")
	f.dryRunning(c, "show every step with its params and run nothing")
	f.backend.flags(a, c)
	a.nodeFlags(c)
	a.modelFlags(c)
	return c
}

// runLoaded runs a workflow with what the command line gives.
func (a *app) runLoaded(ctx context.Context, l *loaded, in *invocation, f *runFlags) error {
	if !f.dryRun && !f.elsewhere() {
		if err := a.readSecrets(ctx, l); err != nil {
			return err
		}
	}
	given, err := l.given(in)
	if err != nil {
		return err
	}
	if l.program.Piped && !isTerminal(a.stdin) {
		if given.Stdin, err = a.piped(ctx); err != nil {
			return err
		}
	}
	given.Elsewhere = f.elsewhere()
	store, missing, err := l.program.Bind(given)
	if err == nil && len(missing) > 0 && a.interactive() && !f.dryRun {
		for _, in := range missing {
			if err := a.askInput(ctx, in, given.Values, "nothing was run"); err != nil {
				return err
			}
		}
		store, missing, err = l.program.Bind(given)
	}
	if err != nil {
		return usage("%v", err)
	}
	if len(missing) > 0 && (f.dryRun || !f.elsewhere()) {
		return a.lacks(l.program, missing, in)
	}
	if f.dryRun {
		return a.showDryRun(l.program.DryRun(store))
	}
	if err := a.approveDestructive(ctx, l, store, in, f, ""); err != nil {
		return err
	}
	if f.elsewhere() {
		r, err := a.prepareWorkflow(l, given, store, missing)
		if err != nil {
			return err
		}
		r.Yes = f.approvesRuns()
		return a.handOn(ctx, r, &f.backend)
	}
	return a.start(ctx, l, store, in, f)
}

// maxPiped bounds the text that is piped into a run, in bytes.
const maxPiped = 64 << 20

// piped reads standard input to its end.
func (a *app) piped(ctx context.Context) (*string, error) {
	data, err := io.ReadAll(io.LimitReader(a.in.until(ctx), maxPiped+1))
	switch {
	case ctx.Err() != nil:
		return nil, fail(exitFailed, "stopped while standard input was read")
	case err != nil:
		return nil, fail(exitFailed, "standard input: %v", reason(err))
	case len(data) > maxPiped:
		return nil, usage("standard input is larger than %d MB; put it into a file and hand the path on", maxPiped>>20)
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	return &text, nil
}

// interactive reports whether somebody is there to answer.
func (a *app) interactive() bool { return !a.batch && isTerminal(a.stdin) && a.screen.terminal }

// lacks says which inputs are missing, and how they are given.
func (a *app) lacks(p *workflow.Program, missing []ir.Input, in *invocation) error {
	if a.asJSON {
		if err := a.printJSON(p.Lacks(missing)); err != nil {
			return err
		}
	}
	var b strings.Builder
	words := []string{}
	for _, m := range missing {
		fmt.Fprintf(&b, "\n  %s (%s)", m.Name, m.Type)
		if m.Description != "" {
			b.WriteString(": " + m.Description)
		}
		if m.Secret {
			fmt.Fprintf(&b, "; a secret, set the environment variable %s", m.FromEnv)
			continue
		}
		if m.FromEnv != "" {
			fmt.Fprintf(&b, "; or set the environment variable %s", m.FromEnv)
		}
		if m.FromStdin {
			b.WriteString("; or pipe it in")
		}
		words = append(words, m.Name+"="+strings.ToUpper(string(m.Type)))
	}
	return outcome.Advise(fail(exitMissing, "%s needs more to run:%s", p.Name, b.String()), "\ngive it: %s", in.command(words...))
}

// approveDestructive stops a run that would destroy something and was not allowed to. agreed is what somebody agreed to already.
// Its approval lets it replace the files that were named, and no others.
func (a *app) approveDestructive(ctx context.Context, l *loaded, store map[string]any, in *invocation, f *runFlags, agreed string) error {
	foreseen, ahead, err := a.foreseen(ctx, l, store)
	if err != nil {
		return err
	}
	if ahead != nil {
		a.showAhead(ahead)
	}
	if f.says(yesDestructive) {
		l.program.Grant(foreseen, true)
		return nil
	}
	what := destroyed(foreseen)
	if what == "" {
		return nil
	}
	if what == agreed || f.says(yesForeseen) || a.interactive() && a.agreed(ctx, destroysFirst(what)+"Run it? [y/N]") {
		l.program.Grant(foreseen, false)
		return nil
	}
	if a.asJSON {
		res := l.program.Unrun(workflow.Waiting)
		res.Approvals = foreseen.Destructive()
		if err := a.printJSON(res); err != nil {
			return err
		}
	}
	return &exitError{Code: exitDeclined, Message: "nothing was run: " + what + " may destroy what is there", Do: "; approve that with: " + in.command(f.alsoDestructive()), Destroys: true}
}

// foreseen gives the steps of a run that begins with a store, and of one that runs another again which it keeps.
func (a *app) foreseen(ctx context.Context, l *loaded, store map[string]any) (foreseen *workflow.DryRun, ahead *workflow.Ahead, err error) {
	foreseen = l.program.DryRun(store)
	if l.retry != nil { // a step that is kept does nothing
		if ahead, err = l.retry.Foresee(ctx, store, l.day); err != nil {
			return nil, nil, usage("%v", err)
		}
		foreseen = ahead.Of(foreseen)
	}
	if refused := foreseen.Refused(); len(refused) > 0 {
		return nil, nil, usage("nothing was run: %s", strings.Join(refused, "; "))
	}
	return foreseen, ahead, nil
}

// destroyed names the steps of a run that would destroy something, and what; "" if there are none.
func destroyed(foreseen *workflow.DryRun) string {
	var names []string
	for _, n := range foreseen.Destructive() {
		names = append(names, n.Node+" ("+n.Type+": "+n.Why+")")
	}
	return strings.Join(names, ", ")
}

// destroysFirst begins a question with what its yes would destroy.
func destroysFirst(what string) string {
	if what == "" {
		return ""
	}
	return fmt.Sprintf("This destroys what was there: %s. ", what)
}

// agreed asks a question whose answer is no unless it is yes.
func (a *app) agreed(ctx context.Context, question string) bool {
	answer, err := a.readLine(ctx, question)
	return err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
}

// start begins a run with a journal and prints its result.
func (a *app) start(ctx context.Context, l *loaded, store map[string]any, in *invocation, f *runFlags) error {
	res, err := a.execute(ctx, l, store, a.approve(f))
	if err != nil {
		return err
	}
	a.note(ctx, l.source.Name, l.program, res)
	failed := a.ended(res, in.command())
	a.tell(ctx, a.endingOf(l, res, savedName(l)))
	return failed
}

// execute runs a workflow with a journal.
func (a *app) execute(ctx context.Context, l *loaded, store map[string]any, approve workflow.Approve) (*workflow.Result, error) {
	p := a.followRun("running "+l.program.Name, l.program)
	defer p.stop()
	return a.executeAs(p.within(ctx), journal.NewID(time.Now()), l, store, approve, p.told())
}

// executeAs runs a workflow under an id. told, if not nil, is told how far it has come.
func (a *app) executeAs(ctx context.Context, id string, l *loaded, store map[string]any, approve workflow.Approve, told func(engine.Progress)) (*workflow.Result, error) {
	l.written.ID, l.began = id, time.Now()
	o := workflow.Options{Options: engine.Options{RunID: id, Journalled: l.journalled, Observe: a.observer(), Progress: told}, Approve: approve}
	if a.date != "" { // what was planned for a day runs on it
		day, err := time.Parse(time.DateOnly, a.date)
		if err != nil {
			return nil, usage("--date: %v", err)
		}
		o.Day = day
	}
	if l.retry != nil {
		o.Keep, o.Day = l.retry.Keep, l.day
	}
	about := a.about(journal.OfWorkflow, l.program.Name, l.request)
	about.By, about.Parent, about.Given = cmp.Or(l.by, about.By), l.parent, l.instead
	ctx = otlp.Begun(ctx, about.By, about.Parent)
	w, unkept := a.newJournal(id, about, nil, func() ([]byte, error) { return l.program.Documents(l.source, l.flows) })
	switch {
	case unkept == nil:
		defer w.Close()
		o.Journal = w
		ctx = a.withExchanges(ctx, id)
	case l.journalled:
		return nil, fail(exitFailed, "%v", &engine.NotKept{Err: unkept})
	}
	res, err := l.program.Run(process.InRun(ctx, id), store, o)
	if err != nil {
		return nil, err
	}
	if l.retry != nil {
		res.Parent, res.Kept = l.retry.Parent, l.retry.Kept()
	}
	if unkept != nil {
		res.Lost = unkept
		res.Warnings = append(res.Warnings, "the run cannot be resumed: "+fileError(unkept))
	}
	return res, nil
}

// note counts a run with its workflow, if that is a saved one.
func (a *app) note(ctx context.Context, name string, p *workflow.Program, res *workflow.Result) {
	e := library.Ended{At: time.Now(), Run: res.RunID}
	switch {
	case a.homeDir() == "" || res.Status == workflow.Cancelled || res.Status == workflow.Waiting:
		return
	case res.Error != nil:
		e.Failed, e.Kind, e.Message, e.Node = true, fault.Kind(res.Error.Kind), res.Error.Message, res.Error.Node
	}
	if err := a.library().Note(context.WithoutCancel(ctx), name, p.Workflow.Hash(), e); err != nil {
		a.warn("what came of the run is not noted with %s: %v", name, err)
	}
}

// ended prints how a run of a workflow ended and gives the error that stands for it. again is the command that began it.
func (a *app) ended(res *workflow.Result, again string) error {
	return a.endedAs(res, again, "run it again with: "+again)
}

// endedAs is ended with what to do about a run that failed.
func (a *app) endedAs(res *workflow.Result, again, failed string) error {
	for _, w := range res.Warnings {
		a.warn("%s", w)
	}
	if a.asJSON {
		if err := a.printJSON(res); err != nil {
			return err
		}
	} else if res.Status == workflow.Done {
		if err := outcome.Outputs(a.results, res.Outputs); err != nil {
			return err
		}
	}
	resumable := res.RunID != "" && res.Lost == nil
	switch res.Status {
	case workflow.Done:
		return nil
	case workflow.Cancelled:
		hint := "run it again with: " + again
		if resumable {
			hint = "go on with: " + a.goOnHint(res.RunID)
		}
		return fail(exitFailed, "the run was cancelled; %s", hint)
	case workflow.Waiting:
		var names []string
		for _, n := range res.Approvals {
			names = append(names, n.Node)
		}
		if !a.quiet && !a.asJSON && !a.interactive() {
			a.say(approvalTexts(res.Approvals))
		}
		hint := again + " --yes"
		if resumable {
			hint = a.goOnHint(res.RunID) + " --yes"
		}
		return fail(exitDeclined, "the run waits for the approval of %s; approve and go on with: %s", strings.Join(names, ", "), hint)
	}
	finished := func(s engine.Step) bool { return s.Action != nil && !strings.Contains(s.Node, "#") }
	if resumable && slices.ContainsFunc(res.Steps, finished) {
		failed += "; or, without what finished: " + a.runsHint("retry", res.RunID)
	}
	if resumable && a.mayFix(res) {
		failed += "\nthe workflow may be mended with: " + a.runsHint("fix", res.RunID)
	}
	return fail(exitFailed, "%s; %s", outcome.Failure(res.Error), failed)
}

// showDryRun prints what a run would do.
func (a *app) showDryRun(d *workflow.DryRun) error {
	for _, w := range d.Warnings {
		a.warn("%s", w)
	}
	if a.asJSON {
		return a.printJSON(d)
	}
	_, err := io.WriteString(a.stdout, d.Text())
	return err
}

// runDir is where the nodes of the runs that this process begins do.
func (a *app) runDir() (string, error) {
	if a.dir != "" {
		return a.dir, nil
	}
	return workingDir()
}

// workingDir is where the nodes of a run begin.
func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fail(exitFailed, "the working directory: %v", err)
	}
	return dir, nil
}
