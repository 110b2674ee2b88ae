package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/consent"
	"pflow/internal/fault"
	"pflow/internal/schedule"
)

// noticeFlags are the flags that name what tells of runs.
func (a *app) noticeFlags(c *cobra.Command, onFailure, onSuccess *string) {
	c.Flags().StringVar(onFailure, "on-failure", "", "the saved `WORKFLOW` that is run after a run that failed")
	c.Flags().StringVar(onSuccess, "on-success", "", "the saved `WORKFLOW` that is run after a run that is done")
	for _, kind := range consent.Kinds {
		a.completes(c, strings.TrimPrefix(noticeFlag(kind), "--"), a.completeWorkflows)
	}
}

// aboutNotices is what the help of both commands says.
const aboutNotices = `It gets by name, as far as it declares them, the inputs run (the id), workflow,
status, error (a text), started, duration_ms and outputs (an object); any other that it needs has a default. What it does is shown and
asked for, and --dry-run shows no more than that; elsewhere --yes=schedule approves it, and --yes=schedule,destructive what destroys, too. A workflow that is changed
later is not run until it is named again. An empty name takes it away.`

func (a *app) workflowNotifyCommand() *cobra.Command {
	return a.notifyCommand(&cobra.Command{
		Use:   "notify NAME [--on-failure WORKFLOW] [--on-success WORKFLOW]",
		Short: "Say which workflow is run to tell how the runs of a saved workflow ended",
		Long: `Say which saved workflow is run after each run of the saved workflow NAME that failed, or is done. ` + aboutNotices + `
Lines of pflow run --each, and runs that tell of others, are not told of.`,
		Example:           "  pflow workflow notify report --on-failure alert --yes=schedule\n  pflow workflow notify report --on-failure \"\"",
		ValidArgsFunction: a.completeWorkflows,
	}, "a saved workflow", func(ctx context.Context, name string, agree agreeNotices) error {
		r, _, err := a.findWorkflow(name)
		if err != nil {
			return err
		}
		if r.Name != name {
			return usage("%s: name a saved workflow; it is told of all its versions", name)
		}
		change, err := agree(ctx)
		if err != nil || change == nil {
			return err
		}
		now, err := a.library().ChangeNotices(ctx, name, change)
		switch {
		case err != nil && fault.Of(err).Kind == fault.NotFound: // it was deleted meanwhile
			return a.noWorkflow(name, err)
		case err != nil:
			return fail(exitFailed, "%v", err)
		}
		if a.asJSON {
			return a.printJSON(a.workflowDocument(r, true))
		}
		return a.showNotices(name, now)
	})
}

func (a *app) scheduleNotifyCommand() *cobra.Command {
	return a.notifyCommand(&cobra.Command{
		Use:   "notify NAME [--on-failure WORKFLOW] [--on-success WORKFLOW]",
		Short: "Say which workflow is run to tell how the runs of a schedule ended",
		Long: `Say which saved workflow is run after each run of the schedule NAME that failed, or is done, in the place of the one that its
workflow has. ` + aboutNotices,
		Example:           "  pflow schedule notify report --on-failure alert --yes=schedule\n  pflow schedule notify report --on-failure \"\"",
		ValidArgsFunction: a.completeSchedules,
	}, "a schedule", func(ctx context.Context, name string, agree agreeNotices) error {
		one, st, err := a.findSchedule(name)
		if err != nil {
			return err
		}
		a.nodesOf(one)
		change, err := agree(ctx)
		if err != nil || change == nil {
			return err
		}
		if err := a.changeSchedule(ctx, name, func(now *schedule.Schedule, _ *schedule.State) error {
			change(&now.Notices)
			one = now
			return nil
		}); err != nil {
			return err
		}
		if a.asJSON {
			item := a.scheduleItem(one, st, time.Now())
			item.Schema = scheduleSchema
			return a.printJSON(item)
		}
		return a.showNotices(name, a.effectiveNotices(one))
	})
}

// agreeNotices asks for what the command line names, and gives the change that was agreed to: nil where it was only to be shown.
type agreeNotices func(ctx context.Context) (change func(*consent.Notices), err error)

// notifyCommand makes a command that changes the notices of something, which set does.
func (a *app) notifyCommand(c *cobra.Command, what string, set func(ctx context.Context, name string, agree agreeNotices) error) *cobra.Command {
	f := &runFlags{schedules: true}
	var names [2]string
	a.noticeFlags(c, &names[0], &names[1])
	c.Args = one(what)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.needsHome(); err != nil {
			return err
		}
		if err := f.check(); err != nil {
			return err
		}
		in := &invocation{path: c.CommandPath(), subject: args[0]}
		var asked consent.Notices
		var gone []string
		for k, kind := range consent.Kinds {
			switch {
			case !c.Flags().Changed(strings.TrimPrefix(noticeFlag(kind), "--")):
				continue
			case names[k] == "":
				gone = append(gone, kind)
			default:
				asked.Set(kind, &consent.Consent{Workflow: names[k]})
			}
			in.flags = append(in.flags, noticeFlag(kind), names[k])
		}
		if len(in.flags) == 0 {
			return usage("say what tells of it: --on-failure WORKFLOW, --on-success WORKFLOW; an empty name takes it away")
		}
		return set(c.Context(), args[0], func(ctx context.Context) (func(*consent.Notices), error) {
			if f.dryRun {
				return nil, a.foreseeNotices(ctx, args[0], &asked)
			}
			if err := a.agreeToNotices(ctx, &asked, in, f); err != nil {
				return nil, err
			}
			return func(n *consent.Notices) {
				for _, kind := range gone {
					n.Set(kind, nil)
				}
				*n = n.Under(asked)
			}, nil
		})
	}
	f.approval(c, "approve with --yes=schedule; --yes=schedule,destructive also what destroys")
	f.dryRunning(c, "show what would be approved and change nothing")
	return c
}

// noticesSchema names the shape of what notify --dry-run prints with --json.
const noticesSchema = "pflow.notices/v1"

// shownNotice is a workflow that would tell of runs.
type shownNotice struct {
	Kind     string   `json:"kind"`
	Workflow string   `json:"workflow"`
	Version  int      `json:"version"`
	Effects  []string `json:"effects"`
	Digest   string   `json:"digest"`
	Destroys string   `json:"destroys"`
}

// foreseeNotices shows what would be approved.
func (a *app) foreseeNotices(ctx context.Context, name string, asked *consent.Notices) error {
	shown := []shownNotice{}
	var destroys []string
	for _, kind := range consent.Kinds {
		c := asked.Of(kind)
		if c == nil {
			continue
		}
		n, err := a.readNotice(ctx, kind, c.Workflow)
		if err != nil {
			return err
		}
		asked.Set(kind, &n.consent)
		shown = append(shown, shownNotice{kind, n.consent.Workflow, n.consent.Version, append([]string{}, n.consent.Approved.Effects...), n.consent.Approved.Digest, n.destroys})
		if n.destroys != "" {
			destroys = append(destroys, n.destroys)
		}
	}
	if a.asJSON {
		return a.printJSON(struct {
			Schema  string        `json:"schema"`
			Name    string        `json:"name"`
			Notices []shownNotice `json:"notices"`
		}{noticesSchema, name, shown})
	}
	for _, line := range noticeLines(*asked) {
		if _, err := fmt.Fprintln(a.stdout, line); err != nil {
			return err
		}
	}
	for _, what := range destroys {
		if _, err := fmt.Fprintln(a.stdout, "  destroys: "+what); err != nil {
			return err
		}
	}
	return nil
}

// agreeToNotices shows what is to tell of runs and asks for it.
func (a *app) agreeToNotices(ctx context.Context, asked *consent.Notices, in *invocation, f *runFlags) error {
	if *asked == (consent.Notices{}) {
		return nil
	}
	destroys, err := a.readNotices(ctx, asked)
	if err != nil {
		return err
	}
	if !a.quiet {
		for _, line := range noticeLines(*asked) {
			a.say(line + "\n")
		}
		for _, what := range destroys {
			a.say("  destroys: " + what + "\n")
		}
	}
	destructive, err := a.agreeUnattended(ctx, "nothing was changed", "Run it by itself?", strings.Join(destroys, ", "), in, f, nil)
	agreedNotices(asked, destructive)
	return err
}

// showNotices prints what tells of the runs of something.
func (a *app) showNotices(name string, n consent.Notices) error {
	if a.quiet {
		return nil
	}
	lines := noticeLines(n)
	if len(lines) == 0 {
		lines = []string{"nothing tells of its runs"}
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %s\n", name, strings.Join(lines, "; "))
	return err
}
