package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/printable"
	"pflow/internal/schedule"
	"pflow/internal/value"
	"pflow/ir"
)

func sortedNames(m map[string]any) []string { return value.SortedKeys(m) }

func textOf(v any) string { return printable.Line(string(ir.Text(v))) }

func (a *app) schedulePauseCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "pause NAME",
		Short:             "Keep a schedule from running until it is resumed",
		Long:              `Keep a schedule from running until pflow schedule resume. A run of it that goes on is not stopped.`,
		Example:           "  pflow schedule pause report",
		Args:              one("a schedule"),
		ValidArgsFunction: a.completeSchedules,
		RunE: func(c *cobra.Command, args []string) error {
			if _, _, err := a.findSchedule(args[0]); err != nil {
				return err
			}
			return a.changeSchedule(c.Context(), args[0], func(one *schedule.Schedule, _ *schedule.State) error {
				one.Paused = true
				return nil
			})
		},
	}
}

func (a *app) changeSchedule(ctx context.Context, name string, change func(*schedule.Schedule, *schedule.State) error) error {
	if err := a.schedules().Change(ctx, name, change); err != nil {
		return noSchedule(err)
	}
	return nil
}

func (a *app) scheduleResumeCommand() *cobra.Command {
	f := &runFlags{schedules: true}
	c := &cobra.Command{
		Use:   "resume NAME",
		Short: "Let a schedule run again that was paused, or that waits for a person",
		Long: `Let a schedule run again that was paused, or that waits for somebody since its workflow, or what that uses, was changed. What was
changed is shown and asked for as pflow schedule add does; --dry-run shows what would be approved, and changes nothing. Times that passed
meanwhile are not made up for.`,
		Example:           "  pflow schedule resume report\n  pflow schedule resume report --yes=schedule\n  pflow schedule resume report --dry-run",
		Args:              one("a schedule"),
		ValidArgsFunction: a.completeSchedules,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.resumeSchedule(c.Context(), args[0], f)
		},
	}
	f.approval(c, "approve with --yes=schedule; --yes=schedule,destructive also what destroys")
	f.dryRunning(c, "show what would be approved and change nothing")
	return c
}

func (a *app) resumeSchedule(ctx context.Context, name string, f *runFlags) error {
	one, st, err := a.findSchedule(name)
	if err != nil {
		return err
	}
	a.nodesOf(one)
	l, err := a.loadWorkflow(ctx, one.Workflow)
	if err != nil {
		return err
	}
	approved, err := a.approvalOf(ctx, l)
	if err != nil {
		return err
	}
	for _, u := range a.untoldOfSchedule(one) {
		if !a.library().Has(u.workflow) {
			return usage("%s; %s", u.why, u.hint)
		}
	}
	if f.dryRun {
		again := *one
		again.Approved, again.IRHash, again.Version, again.Paused = approved, l.source.Workflow.Hash(), l.record.Version, false
		return a.foreseenSchedule(ctx, &again, l, &invocation{path: "pflow schedule resume", subject: name})
	}
	if unapproved(&one.Consent, l, approved) != "" || a.noticeWaits(one.Notices) != "" || st.Waits != "" || f.yes != "" {
		again := *one
		again.Approved, again.IRHash, again.Version = approved, l.source.Workflow.Hash(), l.record.Version
		if err := a.approveSchedule(ctx, &again, l, &invocation{path: "pflow schedule resume", subject: name}, f, true, nil); err != nil {
			return err
		}
		one = &again
	}
	return a.changeSchedule(ctx, name, func(now *schedule.Schedule, st *schedule.State) error {
		now.Consent, now.Notices, now.Paused = one.Consent, one.Notices, false
		st.Waits, st.Queue, st.Due = "", nil, time.Now().UTC().Round(0)
		return nil
	})
}

func (a *app) scheduleRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Remove a schedule; its workflow and runs stay",
		Example:           "  pflow schedule remove report",
		Args:              one("a schedule"),
		ValidArgsFunction: a.completeSchedules,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			if err := a.schedules().Remove(c.Context(), args[0]); err != nil {
				return noSchedule(err)
			}
			return nil
		},
	}
}
