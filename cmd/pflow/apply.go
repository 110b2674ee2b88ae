package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
)

func (a *app) applyCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "apply FILE",
		Short: "Save and run what a plan file says",
		Long: `Save and run the plan that pflow plan -o FILE wrote: exactly that workflow with exactly those values. A file that was
changed since is refused, and so is the plan to run a saved workflow that is another one by now.`,
		Example: "  pflow plan \"copy README.md to b.md\" -o plan.json && pflow apply plan.json --yes",
		Args:    one("the plan file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.apply(c.Context(), args[0], f)
		},
	}
	f.approval(c, "approve the plan; --yes=destructive also what destroys")
	a.nodeFlags(c)
	return c
}

func (a *app) apply(ctx context.Context, file string, f *runFlags) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return usage("%s", fileError(err))
	}
	p, err := planner.ReadFile(data)
	if err != nil {
		return usage("%s: %v", file, err)
	}
	if p.Path == "reuse" {
		if err := a.unchanged(p); err != nil {
			return usage("%s: %v", file, err)
		}
	}
	r := planner.Request{Text: p.Request, Source: "file"}
	if !isTerminal(a.stdin) {
		piped, err := a.piped(ctx)
		if err != nil {
			return err
		}
		r.Stdin = *piped
	}
	return a.decide(ctx, r, &p.Result, f)
}

// unchanged makes sure that the saved workflow of a plan is still the one that was planned with.
func (a *app) unchanged(p *planner.File) error {
	name, _ := p.WorkflowName.(string)
	if err := a.needsHome(); err != nil {
		return err
	}
	r, _, err := a.library().Get(name)
	if err != nil {
		return a.noWorkflow(name, err)
	}
	planned, found := ir.Decode([]byte(value.JSON(p.WorkflowIR)))
	if err := found.Err(); err != nil {
		return err
	}
	if string(planned.Indented()) != string(r.Workflow.Indented()) {
		return usage("the saved workflow %q was changed after the plan was made; plan again", name)
	}
	return nil
}
