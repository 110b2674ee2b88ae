package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/filewatch"
)

// experimentWatch runs an experiment again whenever a file that it reads is edited.
type experimentWatch struct {
	a    *app
	c    *cobra.Command
	args []string
	f    *experimentFlags
	base *options // as the command line has them

	on    *filewatch.Watcher
	files *filewatch.Files // that the experiment reads
	said  string           // of folders that tell of nothing

	last *watched // the last that was whole
	cut  *watched // one that an edit stopped: its rows are not made twice
	used *experiment.Ended
}

// watched is an experiment of a watch.
type watched struct {
	x      *experiment.Experiment
	store  *experiment.Store
	known  *experiment.Identity
	report *experiment.Report
	text   string // of the report as JSON: equal texts say the same
	fresh  bool   // it was made now, and is no earlier one that is shown again
}

func (w *watched) id() string { return filepath.Base(w.store.Dir) }

// watchExperiment runs an experiment, and again after each edit, until a signal ends it.
func (a *app) watchExperiment(c *cobra.Command, args []string, f *experimentFlags) error {
	for _, flag := range []string{"resume", "retry-errors", "id", "power"} {
		if c.Flags().Changed(flag) {
			return usage("--watch makes an experiment of each edit, under a name of its own: leave out --%s", flag)
		}
	}
	failOn, failIf, err := f.read()
	if err != nil {
		return err
	}
	w := &experimentWatch{a: a, c: c, args: args, f: f, base: a.options.again(), on: filewatch.New(), files: &filewatch.Files{}}
	defer w.on.Close()
	var edits []string
	for ctx := c.Context(); ; {
		made, err := w.open(ctx)
		w.on.Watch(w.files)
		w.saySilent()
		var next []string
		if err == nil {
			next, err = w.round(ctx, made, edits, failOn, failIf)
			made.store.Close()
		}
		if ctx.Err() != nil {
			return stopped(err)
		}
		if err != nil {
			if w.last == nil {
				return err
			}
			if err := w.refused(edits, err); err != nil {
				return err
			}
		}
		if edits = next; edits == nil {
			edits = w.on.Wait(ctx)
		}
		if ctx.Err() != nil {
			return fail(exitFailed, "")
		}
	}
}

// stopped is what a watch ends with that a signal stopped: never nothing, for its status is that of the signal.
func stopped(err error) error {
	if err == nil {
		return fail(exitFailed, "")
	}
	return err
}

// open makes the experiment of the files as they are now, or opens the one that has its rows already.
func (w *experimentWatch) open(ctx context.Context) (*watched, error) {
	a := w.a
	a.options, a.reads, a.settingsOnce = w.base.again(), &filewatch.Files{}, sync.Once{}
	defer func() {
		a.reads.Also(w.files) // what was not come to this time may mend what went wrong
		w.files = a.reads
	}()
	spec, err := a.experimentSpec(w.c, w.args, w.f)
	if err != nil {
		return nil, err
	}
	if spec.CasesFile != "" {
		a.reads.Note(spec.CasesFile)
	}
	o, err := a.experimentOptions(ctx, spec)
	if err != nil {
		return nil, err
	}
	known, err := experiment.Identify(spec, o)
	if err != nil {
		return nil, experimentError(err)
	}
	for _, file := range known.Files {
		a.reads.Note(file)
	}
	if err := w.affordable(spec, o); err != nil {
		return nil, err
	}
	if w.last == nil && w.cut == nil {
		x, store, _, err := a.sameExperiment(spec, o, w.f)
		if err != nil {
			return nil, err
		}
		kept, err := x.Kept()
		return &watched{x: x, store: store, known: known, fresh: kept.Rows == 0}, err
	}
	dir, last, n, err := a.lastOf(known.ID)
	if err != nil {
		return nil, err
	}
	if last != "" {
		store, err := experiment.OpenStore(filepath.Join(dir, last))
		if err == nil {
			x, err := experiment.Again(store, spec, o)
			if err == nil {
				return &watched{x: x, store: store, known: known}, nil
			}
			store.Close()
		}
	}
	id := known.ID
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n+1)
	}
	x, store, _, err := a.newExperiment(id, spec, o)
	if err != nil {
		return nil, err
	}
	made := &watched{x: x, store: store, known: known, fresh: true}
	for _, from := range []*watched{w.last, w.cut} {
		if from != nil && err == nil {
			err = x.Take(from.store.Dir, from.known, known)
		}
	}
	if err != nil {
		store.Close()
		return nil, fail(exitFailed, "%v", err)
	}
	return made, nil
}

// affordable refuses what would call a model at each save without a bound.
func (w *experimentWatch) affordable(spec *experiment.Spec, o experiment.Options) error {
	if spec.Replies.Replay != "" && !spec.Replies.ReplayOrCall || spec.Budget != (experiment.Budget{}) {
		return nil
	}
	for _, v := range spec.Variants {
		flow, err := o.Load(v)
		if err != nil {
			return err
		}
		if slices.Contains(flow.Meters(), "calls") {
			return usage("variant %s asks a model, and --watch would call it after each edit: say how much all of that may take, by --max-calls, --max-cost or --max-tokens, or answer from recordings alone, by --replay FOLDER", v.Name)
		}
	}
	return nil
}

// round runs an experiment and tells what came of it. It gives the edits that stopped it, or came meanwhile.
func (w *experimentWatch) round(ctx context.Context, made *watched, edits []string, failOn []string, failIf []experiment.Condition) ([]string, error) {
	a, x := w.a, made.x
	p := a.followExperiment()
	x.Progress, x.After = p.show, w.used
	running, stop := context.WithCancel(ctx)
	defer stop()
	waiting, leave := context.WithCancel(ctx)
	defer leave()
	over := fault.Async(func() (experiment.Ended, error) { return x.Run(running, false) })
	edited := fault.Async(func() ([]string, error) { return w.on.Wait(waiting), nil })
	var ended fault.Outcome[experiment.Ended]
	var next []string
	select {
	case ended = <-over:
		leave()
		next = (<-edited).Value
	case e := <-edited:
		next = e.Value
		stop()
		ended = <-over
	}
	p.stop()
	if ended.Err != nil {
		return next, fail(exitFailed, "%v", ended.Err)
	}
	w.used = &ended.Value
	missing := ended.Value.Missing
	if ctx.Err() != nil && missing > 0 {
		return nil, fail(exitFailed, "stopped with %d rows still to make; go on with: pflow experiment run --resume %s", missing, made.id())
	}
	if missing > 0 && ended.Value.Budget == "" { // by an edit
		w.forget(made)
		w.cut = made
		for _, file := range edits {
			if !slices.Contains(next, file) {
				next = append(next, file)
			}
		}
		a.aside("%s edited meanwhile: begun again", w.names(next))
		return next, nil
	}
	err := w.tell(made, edits, ended.Value)
	if err == nil && missing == 0 {
		w.forget(made)
		w.cut, w.last = nil, made
	}
	if err == nil && missing > 0 {
		a.say(fmt.Sprintf("the budget %s of the watch is used up with %d rows still to make; go on with a larger one: pflow experiment run --resume %s --max-…\n", ended.Value.Budget, missing, made.id()))
		made.fresh, w.cut = false, made // what was paid for is not paid for again, and can be gone on with
		if w.last == nil {
			w.last = made
		}
		return next, nil
	}
	if err == nil {
		if why := made.report.Gate(append(failOn, x.Spec.FailOn...), append(failIf, x.Spec.FailIf...)); len(why) > 0 {
			a.say("the experiment fails: " + strings.Join(why, "; ") + "\n")
		}
	}
	return next, err
}

// forget removes an experiment that an edit stopped, once another has its rows.
func (w *experimentWatch) forget(made *watched) {
	if w.cut != nil && w.cut.fresh && w.cut.store.Dir != made.store.Dir {
		_ = os.RemoveAll(w.cut.store.Dir) // what is left is an experiment that can be gone on with
	}
}
