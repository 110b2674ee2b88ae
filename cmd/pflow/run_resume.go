package main

import (
	"context"
	"errors"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/workflow"
	"pflow/nodes"
)

// resumeWorkflow goes on with a run of a workflow, with the exact documents it began with.
func (a *app) resumeWorkflow(ctx context.Context, id string, past *journal.Past, documents []byte, w *journal.Writer, f *runFlags) error {
	r, err := workflow.Reload(documents, a.nodeTypes())
	if err != nil {
		return err
	}
	r.Env.Getenv, r.Env.Keys = a.getenv, a.keyVariables()
	r.Env.Unkept = past.History.Unkept()
	if r.Flows != nil {
		r.Env.Flow = a.declaredFlow(r.Flows)
	}
	program, found := workflow.Compile(r.Source, r.Env)
	if err := found.Err(); err != nil {
		return err
	}
	a.screen.hide(program.Mask)
	p := a.follow("running " + r.Source.Name)
	res, err := program.Run(nodes.Resuming(p.within(a.withExchanges(ctx, id)), id), nil, workflow.Options{
		Options: engine.Options{RunID: id, Journal: w, History: &past.History, Began: p.began, Observe: a.observer()},
		Approve: a.approve(f),
	})
	p.stop()
	var undecided *engine.NeedsDecision
	if errors.As(err, &undecided) {
		return fail(exitDeclined, "%v: %s --retry", err, a.resumeHint(id))
	}
	if err != nil {
		return err
	}
	return a.ended(res, "pflow run "+shellQuote(r.Source.Name))
}
