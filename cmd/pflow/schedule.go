package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/consent"
	"pflow/internal/diag"
	"pflow/internal/outcome"
	"pflow/internal/planner"
	"pflow/internal/schedule"
	"pflow/internal/value"
)

func (a *app) scheduleCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "schedule",
		Short: "Have saved workflows run by themselves: at times, or when a file arrives",
		Long: `Have saved workflows run by themselves: at times, or when a file arrives in a folder. pflow serve carries schedules out while it
runs; schedule export writes them for systemd, cron or launchd instead.`,
		Example: "  pflow schedule add report --cron \"0 8 * * 1-5\" --timezone Europe/Berlin team=core --yes=schedule\n  pflow schedule list\n  pflow serve",
	}
	c.AddCommand(a.scheduleAddCommand(), a.scheduleExportCommand(), a.scheduleListCommand(), a.scheduleNotifyCommand(), a.schedulePauseCommand(), a.scheduleRemoveCommand(),
		a.scheduleResumeCommand(), a.scheduleRunCommand(), a.scheduleShowCommand())
	return c
}

// schedules are those of the home.
func (a *app) schedules() *schedule.Store { return schedule.NewStore(a.homeDir()) }

// findSchedule reads the schedule that an argument names.
func (a *app) findSchedule(name string) (*schedule.Schedule, *schedule.State, error) {
	if err := a.needsHome(); err != nil {
		return nil, nil, err
	}
	one, err := a.schedules().Get(name)
	if err != nil {
		return nil, nil, noSchedule(err)
	}
	st, err := a.schedules().State(one)
	if err != nil {
		return nil, nil, fail(exitFailed, "%v", err)
	}
	return one, st, nil
}

// nodesOf has this process read the declared nodes of a schedule, in the place of what its command line says.
func (a *app) nodesOf(one *schedule.Schedule) { a.nodeFiles, a.noBuiltin = one.Nodes, one.NoBuiltin }

// noSchedule is the error of a schedule that cannot be had.
func noSchedule(err error) error {
	var unknown *schedule.Unknown
	var unread *fs.PathError
	switch {
	case errors.As(err, &unknown) && unknown.Near == "":
		return outcome.Advise(usage("%v", err), "; pflow schedule list shows those there are")
	case errors.As(err, &unread):
		return fail(exitFailed, "%s", fileError(err))
	}
	return usage("%v", err)
}

// completeSchedules offers the names of schedules.
func (a *app) completeSchedules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if a.homeDir() == "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.schedules().Names(), cobra.ShellCompDirectiveNoFileComp
}

// approvalOf is what somebody agrees to who lets a workflow run by itself.
func (a *app) approvalOf(ctx context.Context, l *loaded) (consent.Approved, error) {
	out := consent.Approved{Effects: []string{}}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return out, err
	}
	for _, e := range l.source.Workflow.Effects(shelf.Catalogue) {
		out.Effects = append(out.Effects, string(e))
	}
	uses, err := l.program.Uses(l.flows)
	if err != nil {
		return out, err
	}
	sum := sha256.Sum256(value.AppendJSON(nil, map[string]any{"ir_hash": l.source.Workflow.Hash(), "uses": uses, "effects": list(out.Effects)}))
	out.Digest = planner.DigestPrefix + hex.EncodeToString(sum[:])
	return out, nil
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for k, t := range texts {
		out[k] = t
	}
	return out
}

// unapproved says what a workflow became since it was approved; "" if it is the same.
func unapproved(c *consent.Consent, l *loaded, now consent.Approved) string {
	switch {
	case l.source.Workflow.Hash() != c.IRHash:
		return fmt.Sprintf("the workflow %s was changed since this was approved", c.Workflow)
	case now.Digest != c.Approved.Digest:
		return fmt.Sprintf("what the workflow %s uses, or its effects, changed since this was approved", c.Workflow)
	}
	return ""
}

// approveAgain is how somebody lets a schedule run again.
func approveAgain(name string) string {
	return "look at it, and approve it again with: pflow schedule resume " + name
}

// waits says why a schedule does not run until somebody looks at it; "" if nothing keeps it. It does not compile anything.
func (a *app) waits(one *schedule.Schedule, st *schedule.State) string {
	if why := a.changedSince(&one.Consent); why != "" {
		return why
	}
	return st.Waits
}

// outcome tells how the run of a firing stands.
func (a *app) outcome(run string) (begun bool, status, message string) {
	g, err := journal.Look(a.homeDir(), run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "", ""
	case err != nil:
		return true, "failed", err.Error()
	case g.End == nil:
		return true, "", ""
	case g.End.Error != nil:
		message = g.End.Error.Message
	}
	return true, string(g.End.Status), message
}

// wrongFlag names the flag that a finding about a schedule is of.
func wrongFlag(list diag.List) error {
	flags := map[string]string{"trigger.cron": "cron", "trigger.every": "every", "trigger.at": "at", "trigger.watch.path": "watch", "trigger.watch.pattern": "watch",
		"trigger.timezone": "timezone", "missed": "missed", "overlap": "overlap", "jitter": "jitter"}
	if len(list) == 0 {
		return nil
	}
	f := list[0]
	if flag := flags[f.Path]; flag != "" {
		return ofFlag(flag, "", "%s", f.Message)
	}
	return usage("%s", f.Message)
}
