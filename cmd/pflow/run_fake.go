package main

import (
	"context"
	"strings"

	"pflow/internal/workflow"
	"pflow/internal/workflowtest"
)

// runFake runs a workflow with what its nodes give made up. It touches nothing and is kept nowhere.
func (a *app) runFake(ctx context.Context, in *invocation) error {
	src, env, err := a.rehearsed(ctx, in.subject)
	if err != nil {
		return err
	}
	var given error
	res, err := workflowtest.Fake(ctx, src, env, func(p *workflow.Program) (g workflow.Given, err error) {
		g, given = (&loaded{source: src, program: p}).given(in)
		if given == nil && p.Piped && !isTerminal(a.stdin) {
			g.Stdin, given = a.piped(ctx)
		}
		return g, given
	})
	switch {
	case given != nil:
		return given
	case err != nil:
		return usage("%v", err)
	}
	if what := strings.Join(res.Fakes, ", "); what != "" {
		res.Warnings = append([]string{"nothing was touched: what these give is made up, and all that comes of it: " + what}, res.Warnings...)
	}
	return a.endedAs(res, in.command(), "nothing was touched")
}
