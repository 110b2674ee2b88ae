package main

import (
	"github.com/spf13/cobra"

	"pflow/internal/outcome"
)

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel RUN",
		Short:   "End a run early",
		Long:    `End a run early. Steps that are under way are asked to end, and it has ended when this command does.`,
		Example: "  pflow-temporal cancel 20240115-120000-1a2b3c4d",
		Args:    one("the run"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, id := c.Context(), args[0]
			t, err := a.connect(ctx, silent{})
			if err != nil {
				return err
			}
			open, err := a.find(ctx, t, id)
			if err != nil {
				return err
			}
			if !open {
				return usage("run %s is over; nothing was changed", id)
			}
			if err := t.CancelWorkflow(ctx, id, ""); err != nil {
				return fail(outcome.Failed, "run %s cannot be cancelled: %v", id, err)
			}
			if there, err := a.served(ctx, t); err == nil && !there {
				a.warn("no worker takes runs from the queue %s: it ends when one does", a.queue)
			}
			_ = t.GetWorkflow(ctx, id, "").Get(ctx, nil) // that it was cancelled is an error there
			if ctx.Err() != nil {
				return fail(outcome.Failed, "not waiting any longer for run %s to end", id)
			}
			a.say("run %s is over", id)
			return a.showRun(ctx, t, id)
		},
	}
}
