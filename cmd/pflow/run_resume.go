package main

import (
	"context"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/process"
	"pflow/internal/runs"
	"pflow/internal/workflow"
)

// resumeWorkflow goes on with a run of a workflow and prints how it ended.
func (a *app) resumeWorkflow(ctx context.Context, id string, past *journal.Past, documents []byte, w *runs.Writer, f *runFlags) error {
	l, res, err := a.goOn(ctx, id, past, documents, w, a.approve(f))
	if err != nil {
		return err
	}
	again := &invocation{path: "pflow run", subject: l.source.Name, flags: a.sameHome()}
	return a.conclude(ctx, l, res, again.command())
}

// reload compiles the workflow of a run from the exact documents that it began with. past is nil for one that is yet to begin.
func (a *app) reload(id string, past *journal.Past, documents []byte) (*workflow.Reloaded, *workflow.Program, error) {
	r, program, err := a.host().Reload(id, documents, func(env *workflow.Env) {
		if past != nil {
			env.Unkept = past.History.Unkept()
		}
	})
	if err != nil {
		return nil, nil, err
	}
	a.screen.hide(program.Mask)
	return r, program, nil
}

// goOn goes on with a run of a workflow.
func (a *app) goOn(ctx context.Context, id string, past *journal.Past, documents []byte, w *runs.Writer, approve workflow.Approve) (*loaded, *workflow.Result, error) {
	r, program, again, err := a.readyToGoOn(ctx, id, past, documents)
	if err != nil {
		return nil, nil, a.leftAlone(w, err)
	}
	var keep func(engine.Attempted) (*engine.Event, error)
	if again != nil {
		keep = again.Keep
	}
	p := a.followRun("running "+r.Source.Name, program)
	defer p.stop()
	res, err := program.Run(process.Resuming(p.within(a.withExchanges(ctx, id)), id), nil, workflow.Options{
		Options: engine.Options{RunID: id, Journal: w, History: &past.History, Keep: keep, Progress: p.told(), Observe: a.observer()},
		Approve: approve,
	})
	p.stop()
	if err != nil {
		return nil, nil, a.undecided(id, w, err)
	}
	if again != nil {
		res.Parent, res.Kept = again.Parent, again.Kept()
	}
	if res.Error != nil && a.leftAsItWas(id, past, w, fault.Kind(res.Error.Kind)) {
		return nil, nil, a.leftError(id, res.Error)
	}
	return &loaded{source: r.Source, program: program, written: r.Env.Written, by: past.About.By, parent: past.About.Parent}, res, nil
}

// readyToGoOn is a run with all that it needs to go on.
func (a *app) readyToGoOn(ctx context.Context, id string, past *journal.Past, documents []byte) (*workflow.Reloaded, *workflow.Program, *workflow.Retry, error) {
	r, program, err := a.reload(id, past, documents)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := a.mayGoOn(id, r, program); err != nil {
		return nil, nil, nil, err
	}
	if err := program.ReadSecrets(ctx); err != nil {
		return nil, nil, nil, fail(exitMissing, "run %s: %v; go on with: %s", id, err, a.resumeHint(id))
	}
	again, err := a.resumesRetry(past, documents, program, r)
	return r, program, again, err
}

// leftAlone makes a run that did not go on, and why, what it was: waiting, cancelled or interrupted.
func (a *app) leftAlone(w *runs.Writer, why error) error {
	if err := w.Undo(); err != nil {
		a.warn("the run is not what it was before: %v", err)
	}
	return why
}

// mayGoOn says what keeps a run from going on here and now; the run stays what it is.
func (a *app) mayGoOn(id string, r *workflow.Reloaded, p *workflow.Program) error {
	if _, err := a.settings(); err != nil {
		return err
	}
	if err := a.host().Refused(r, p); err != nil {
		return usage("run %s %v; the run is left as it was", id, err)
	}
	for _, in := range p.Inputs {
		if in.Secret && in.Required && !a.secrets().Has(in.FromEnv) {
			return fail(exitMissing, "run %s needs the secret %s: set the environment variable %s, and go on with: %s", id, in.Name, in.FromEnv, a.resumeHint(id))
		}
	}
	return nil
}
