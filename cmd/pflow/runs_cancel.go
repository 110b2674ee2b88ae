package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/runs"
)

// cancelledSchema names the shape of `pflow runs cancel --json`.
const cancelledSchema = "pflow.run-cancelled/v1"

func (a *app) runsCancelCommand() *cobra.Command {
	var wait time.Duration
	c := &cobra.Command{
		Use:   "cancel RUN|last",
		Short: "Stop a run that is under way, or give up one that could go on",
		Long: `Stop a run that another process of this machine works on, as Ctrl-C would there: its steps are asked to end, and it can be resumed.
A run that no process works on and that could go on (it waits for an approval, it was interrupted or cancelled) is cancelled for good:
it cannot be resumed any more, and goes with the finished ones.`,
		Example:           "  pflow runs cancel last\n  pflow runs cancel 1a2b3c4d",
		Args:              one("a run, or last"),
		ValidArgsFunction: a.completeRuns(runs.Running, runs.Waiting, runs.Interrupted, runs.Cancelled),
		RunE: func(c *cobra.Command, args []string) error {
			row, err := a.findRun(args[0])
			if err != nil {
				return err
			}
			return a.cancelRun(c.Context(), row, wait)
		},
	}
	c.Flags().DurationVar(&wait, "timeout", 30*time.Second, "how long to wait until the run has ended")
	return c
}

func (a *app) cancelRun(ctx context.Context, row runs.Row, wait time.Duration) error {
	switch {
	case row.Status == runs.Running:
		if err := a.interruptRun(ctx, row, wait); err != nil {
			return err
		}
	case !row.Resumable:
		return usage("run %s is over: %s; nothing was changed", row.ID, row.Status)
	default:
		if err := a.history().GiveUp(row.ID, time.Now()); err != nil {
			return usage("%s", fileError(err))
		}
	}
	now, err := a.history().Find(row.ID)
	if err != nil {
		return usage("%v", err)
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": cancelledSchema, "run": now})
	}
	switch {
	case a.quiet:
	case now.Resumable:
		fmt.Fprintf(a.stderr, "run %s is %s; go on with: %s, or give it up with: pflow runs cancel %s\n", now.ID, now.Status, a.resumeHint(now.ID), now.ID)
	case now.Status == runs.Cancelled:
		fmt.Fprintf(a.stderr, "run %s is cancelled for good\n", now.ID)
	default:
		fmt.Fprintf(a.stderr, "run %s ended as %s before it could be stopped\n", now.ID, now.Status)
	}
	return nil
}

// interruptRun interrupts the process that works on a run, and waits until it does no more.
func (a *app) interruptRun(ctx context.Context, row runs.Row, wait time.Duration) error {
	switch {
	case row.By == journal.ByMCP:
		return usage("run %s was started by a client of pflow mcp serve, whose process serves others, too: stop the call in the client", row.ID)
	case strings.HasPrefix(row.By, byEach):
		return usage("run %s is of one line of pflow run --each, whose process runs the other lines, too: stop that with Ctrl-C, and go on with: pflow resume %s", row.ID, strings.TrimPrefix(row.By, byEach))
	}
	pid, err := journal.Holder(a.homeDir(), row.ID)
	if err != nil {
		return fail(exitFailed, "%s; nothing was stopped", fileError(err))
	}
	switch {
	case pid == 0:
	case pid == os.Getpid():
		if a.stopHere == nil || !a.stopHere(row.ID) {
			return fail(exitFailed, "process %d works on run %s and on others, too; nothing was stopped", pid, row.ID)
		}
	case strings.HasPrefix(a.schedules().Server(), fmt.Sprintf("process %d,", pid)):
		return usage("run %s was begun on the page of pflow serve (process %d), which works on others, too: cancel it there", row.ID, pid)
	default:
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(os.Interrupt)
		}
		if err != nil {
			return fail(exitFailed, "process %d, which works on run %s, cannot be interrupted: %v", pid, row.ID, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if g, err := journal.Look(a.homeDir(), row.ID); err != nil || !g.Running {
			return nil
		}
		select {
		case <-ctx.Done():
			return fail(exitFailed, "process %d was asked to stop run %s and has not ended in %v; pflow runs logs -f %[2]s shows what goes on", pid, row.ID, wait)
		case <-tick.C:
		}
	}
}
