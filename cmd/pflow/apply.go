package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pflow/internal/library"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
)

func (a *app) applyCommand() *cobra.Command {
	f := &runFlags{schedules: true}
	c := &cobra.Command{
		Use:   "apply FILE",
		Short: "Save and run what a plan file says",
		Long: `Save and run the plan that pflow plan -o FILE wrote: exactly that workflow with exactly those values. --yes approves a
plan that was made in this home and is as it was made, with all that it uses. Any other plan is shown and asked for;
--yes=sha256:DIGEST, as pflow plan -o prints it, approves exactly what it is of, in any home. What destroys needs
--yes=destructive too: --yes=destructive,sha256:DIGEST.`,
		Example: "  pflow plan \"copy README.md to b.md\" -o plan.json && pflow apply plan.json --yes",
		Args:    one("the plan file, or - for standard input"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(true); err != nil {
				return err
			}
			return a.apply(c.Context(), args[0], f)
		},
	}
	f.approval(c, "approve the plan; --yes=destructive also what destroys, --yes=sha256:DIGEST exactly that plan")
	f.keeping(c)
	a.nodeFlags(c)
	return c
}

func (a *app) apply(ctx context.Context, file string, f *runFlags) error {
	data, err := a.readPlan(ctx, file)
	if err != nil {
		return err
	}
	p, err := planner.ReadFile(data)
	if err != nil {
		return usage("%s: %v", file, err)
	}
	if err := a.unplanned(p.Request, &p.Result); err != nil {
		return a.planInstead(&p.Result, err)
	}
	if p.Path == "reuse" {
		if err := a.unchanged(p); err != nil {
			return err
		}
	}
	r := planner.Request{Text: p.Request, Source: "file"}
	if file != "-" && !isTerminal(a.stdin) {
		piped, err := a.piped(ctx)
		if err != nil {
			return err
		}
		r.Stdin = *piped
	}
	planned := p.Result // a draft may get another name here
	d, err := a.draft(ctx, r, &p.Result, &invocation{path: "pflow apply", subject: file, flags: a.sameHome()})
	if err != nil {
		return err
	}
	uses, err := d.uses()
	if err != nil {
		return err
	}
	d.digest = planned.Digest(p.Request, uses)
	if !p.Own(d.digest, a.planKey()) {
		d.foreign = fmt.Sprintf("%s was not made in this home, or it, or what it uses, was changed since", file)
	}
	return a.decideOn(ctx, d, f)
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
		return readRegular(file)
	}
	piped, err := a.piped(ctx)
	if err != nil {
		return nil, err
	}
	return []byte(*piped), nil
}
