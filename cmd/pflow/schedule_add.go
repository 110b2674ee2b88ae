package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/consent"
	"pflow/internal/outcome"
	"pflow/internal/printable"
	"pflow/internal/schedule"
	"pflow/internal/trigger"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// scheduleFlags are what a schedule is made of.
type scheduleFlags struct {
	runFlags
	as, cron, every, at, watch, input, zone string
	missed, overlap, jitter                 string
	onFailure, onSuccess                    string
}

func (a *app) scheduleAddCommand() *cobra.Command {
	f := &scheduleFlags{runFlags: runFlags{schedules: true}}
	c := &cobra.Command{
		Use:   "add WORKFLOW --cron EXPR|--every DUR|--at TIME|--watch DIR[/PATTERN] [key=value...]",
		Short: "Have a saved workflow run by itself",
		Long: `Have a saved workflow run by itself, with the inputs that key=value gives, in the folder where this is called. Nothing is run now; pflow
serve runs what is due. On a terminal the workflow, its values, effects and next times are shown and asked for; elsewhere --yes=schedule
approves them. What destroys needs --yes=schedule,destructive. A workflow that is changed later does not run by the schedule until
somebody approves it again. Secrets are read from the environment when it runs.
--dry-run shows what would be approved, with the next five times, and keeps nothing.

--missed says what is done about times that passed while pflow serve did not run: skip, once (the default: one run for all of them) or all.
--overlap says what is done about a time that comes while a run goes on: skip (the default), queue or allow; of a watched folder
the default is queue.

--on-failure and --on-success name a saved workflow that is run when a run of the schedule has ended so. It is approved with the
schedule; pflow schedule notify changes it.`,
		Example: "  pflow schedule add report --cron \"0 8 * * 1-5\" --timezone Europe/Berlin team=core --yes=schedule\n" +
			"  pflow schedule add import --watch \"inbox/*.csv\" --input file --yes=schedule\n  pflow schedule add backup --every 6h --jitter 10m --as backup-often --yes=schedule",
		ValidArgsFunction:  a.completeRun,
		DisableFlagParsing: true, // flags may be inputs of the workflow
		RunE: func(c *cobra.Command, args []string) error {
			in, err := f.read(a, c, args, "pflow schedule add: name a saved workflow; pflow workflow list shows those there are")
			if err != nil || in == nil {
				return err
			}
			for _, name := range []string{"as", "cron", "every", "at", "watch", "input", "timezone", "missed", "overlap", "jitter", "on-failure", "on-success"} {
				if flag := c.Flags().Lookup(name); flag.Changed {
					in.flags = append(in.flags, again(flag)...)
				}
			}
			return a.addSchedule(c.Context(), in, f)
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.as, "as", "", "the `NAME` of the schedule (default that of the workflow)")
	fs.StringVar(&f.cron, "cron", "", "run at the times of this cron `EXPR`ession: minute hour day month weekday")
	fs.StringVar(&f.every, "every", "", "run in this `INTERVAL`, such as 45m")
	fs.StringVar(&f.at, "at", "", "run once, at this `TIME`: 2026-03-12T09:00, or with a zone 2026-03-12T09:00:00+01:00")
	fs.StringVar(&f.watch, "watch", "", "run when a file arrives in this `FOLDER`, which may end in a pattern of names: inbox/*.csv")
	fs.StringVar(&f.input, "input", "", "with --watch: the input that takes the path of the file (`NAME`)")
	fs.StringVar(&f.zone, "timezone", "", "the `ZONE` of --cron and --at, such as Europe/Berlin (default that of this machine)")
	fs.StringVar(&f.missed, "missed", "", "what is done about times that passed meanwhile (`RULE`): "+strings.Join(schedule.MissedRules, ", "))
	fs.StringVar(&f.overlap, "overlap", "", "what is done where a run goes on still (`RULE`): "+strings.Join(schedule.OverlapRules, ", "))
	fs.StringVar(&f.jitter, "jitter", "", "put each time off by less than this `LENGTH`, always the same for the same time")
	a.noticeFlags(c, &f.onFailure, &f.onSuccess)
	a.completes(c, "missed", cobra.FixedCompletions(schedule.MissedRules, cobra.ShellCompDirectiveNoFileComp))
	a.completes(c, "overlap", cobra.FixedCompletions(schedule.OverlapRules, cobra.ShellCompDirectiveNoFileComp))
	a.nodeFlags(c)
	f.approval(c, "approve with --yes=schedule; --yes=schedule,destructive also what destroys")
	f.dryRunning(c, "show what would be approved and keep nothing")
	return c
}

// trigger is when the flags say that it runs.
func (f *scheduleFlags) trigger() (trigger.Trigger, error) {
	t := trigger.Trigger{Cron: f.cron, Every: f.every, At: f.at, Timezone: f.zone}
	if f.input != "" && f.watch == "" {
		return t, ofFlag("input", f.input, "no folder is watched whose files it could take; other inputs are given as key=value")
	}
	if f.watch != "" {
		dir, pattern := path.Split(f.watch)
		if info, err := os.Stat(f.watch); err == nil && info.IsDir() || !strings.ContainsAny(pattern, "*?[") {
			dir, pattern = f.watch, ""
		}
		t.Watch = &trigger.Watch{Path: cmp.Or(dir, "."), Pattern: pattern, Input: f.input}
	}
	if zone, err := t.Zone(); err == nil && f.at != "" {
		for _, form := range []string{"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05"} {
			if at, err := time.ParseInLocation(form, f.at, zone); err == nil {
				t.At = at.Format(time.RFC3339)
			}
		}
	}
	return t, nil
}

func (a *app) addSchedule(ctx context.Context, in *invocation, f *scheduleFlags) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if ir.IsFile(in.subject) || strings.Contains(in.subject, "@") {
		return usage("%s: a schedule runs a saved workflow by its name; save it first: pflow workflow save %s", in.subject, shellQuote(in.subject))
	}
	t, err := f.trigger()
	if err != nil {
		return err
	}
	dir, err := workingDir()
	if err != nil {
		return err
	}
	l, err := a.loadWorkflow(ctx, in.subject)
	if err != nil {
		return err
	}
	given, err := l.given(in)
	if err != nil {
		return err
	}
	one := &schedule.Schedule{Name: cmp.Or(f.as, l.source.Name), Consent: consent.Consent{Workflow: l.source.Name, Version: l.record.Version, IRHash: l.source.Workflow.Hash()},
		Params: given.Values, Trigger: t, Dir: dir, Missed: f.missed, Overlap: f.overlap, Jitter: f.jitter, Nodes: a.invoked(nil).Nodes, NoBuiltin: a.noBuiltin, Created: time.Now().UTC().Round(0)}
	one.Default()
	for kind, name := range map[string]string{consent.OnFailure: f.onFailure, consent.OnSuccess: f.onSuccess} {
		if name != "" {
			one.Notices.Set(kind, &consent.Consent{Workflow: name})
		}
	}
	if err := wrongFlag(one.Check()); err != nil {
		return err
	}
	if slices.Contains(a.schedules().Names(), one.Name) {
		return takenSchedule(one.Name)
	}
	if one.Approved, err = a.approvalOf(ctx, l); err != nil {
		return err
	}
	if t.At != "" {
		if _, ok := t.Next(time.Now()); !ok {
			return ofFlag("at", "", "%s has passed", t.At)
		}
	}
	if f.dryRun {
		return a.foreseenSchedule(ctx, one, l, in)
	}
	if err := a.approveSchedule(ctx, one, l, in, &f.runFlags, true, nil); err != nil {
		return err
	}
	return a.keepSchedule(ctx, one)
}

// keepSchedule keeps a schedule that was approved.
func (a *app) keepSchedule(ctx context.Context, one *schedule.Schedule) error {
	switch err := a.schedules().Add(ctx, one); {
	case errors.Is(err, schedule.ErrTaken):
		return takenSchedule(one.Name)
	case errors.Is(err, os.ErrNotExist) && one.Trigger.Watch != nil:
		return ofFlag("watch", "", "%s; make the folder first", fileError(err))
	case err != nil:
		return fail(exitFailed, "the schedule is not kept: %s", fileError(err))
	}
	if a.asJSON {
		item := a.scheduleItem(one, &schedule.State{Created: one.Created}, time.Now())
		item.Schema = scheduleSchema
		return a.printJSON(item)
	}
	a.say(fmt.Sprintf("%s runs %s\n", one.Name, whenWords(one, time.Now())))
	if a.schedules().Server() == "" {
		a.say("nothing carries schedules out now: run pflow serve, or write them for another with pflow schedule export\n")
	}
	return nil
}

func takenSchedule(name string) error {
	return outcome.Advise(usage("there is a schedule %q already; give this one another name", name), ": --as NAME, or remove that one: pflow schedule remove %s", name)
}

// approveSchedule shows what would run by itself, and asks for it unless the command line approves it.
func (a *app) approveSchedule(ctx context.Context, one *schedule.Schedule, l *loaded, in *invocation, f *runFlags, show bool, answered func(approved bool)) error {
	destroys, err := a.foreseeSchedule(ctx, one, l, in)
	if err != nil {
		return err
	}
	if show && !a.quiet {
		a.showSchedule(one, l, destroys, 3)
	}
	one.Approved.Destructive, err = a.agreeUnattended(ctx, "nothing was scheduled", "Run it by itself?", destroys, in, f, answered)
	agreedNotices(&one.Notices, one.Approved.Destructive)
	return err
}

// foreseenSchedule shows what would run by itself, and keeps nothing.
func (a *app) foreseenSchedule(ctx context.Context, one *schedule.Schedule, l *loaded, in *invocation) error {
	destroys, err := a.foreseeSchedule(ctx, one, l, in)
	if err != nil {
		return err
	}
	if !a.asJSON {
		a.showSchedule(one, l, destroys, upcomingTimes)
		return nil
	}
	item := a.scheduleItem(one, &schedule.State{Created: one.Created}, time.Now())
	item.Schema, item.Destroys = scheduleSchema, &destroys
	item.foreseeTimes(time.Now())
	return a.printJSON(item)
}

// foreseeSchedule names what a schedule would destroy, "" if nothing. Its error says why it could not run.
func (a *app) foreseeSchedule(ctx context.Context, one *schedule.Schedule, l *loaded, in *invocation) (destroys string, err error) {
	if w := one.Trigger.Watch; w != nil && w.Input != "" {
		input, err := l.program.Input(w.Input)
		if err != nil {
			return "", ofFlag("input", "", "%v", err)
		}
		if input.Secret || input.Type != value.String && input.Type != value.Any {
			return "", ofFlag("input", w.Input, "it takes %s, and the file is given as a path, a string", input.Type)
		}
		if _, twice := one.Params[w.Input]; twice {
			return "", ofFlag("input", w.Input, "it is given a value, too, and a file that arrives gives it one")
		}
	}
	given, err := scheduledValues(one, nil, time.Now())
	if err != nil {
		return "", err
	}
	store, missing, err := l.program.Bind(given)
	if err != nil {
		return "", usage("%v", err)
	}
	missing = slices.DeleteFunc(missing, func(in ir.Input) bool { return in.Secret }) // the environment is that of the run
	if len(missing) > 0 {
		if one.Trigger.Watch != nil && one.Trigger.Watch.Input == "" && len(missing) == 1 && missing[0].Type == value.String {
			return "", &exitError{Code: exitMissing, Flag: "input", Message: fmt.Sprintf("%s needs %s; if that is the file that arrives, name it here", l.source.Name, missing[0].Name)}
		}
		return "", a.lacks(l.program, missing, in)
	}
	foreseen := l.program.DryRun(store)
	if refused := foreseen.Refused(); len(refused) > 0 {
		return "", usage("nothing was scheduled: %s", strings.Join(refused, "; "))
	}
	all, err := a.readNotices(ctx, &one.Notices)
	if err != nil {
		return "", err
	}
	if what := destroyed(foreseen); what != "" {
		all = append([]string{what}, all...)
	}
	return strings.Join(all, ", "), nil
}

// agreeUnattended asks for what runs by itself, unless the command line approves it; without it nothing is done, in these words.
// It tells whether what destroys was approved, too. answered, if not nil, is told the answer of who was asked.
func (a *app) agreeUnattended(ctx context.Context, nothing, question, destroys string, in *invocation, f *runFlags, answered func(approved bool)) (destructive bool, err error) {
	want := "--yes=" + yesSchedule
	if destroys != "" {
		want += "," + yesDestructive
	}
	switch {
	case f.says(yesSchedule) && (destroys == "" || f.says(yesDestructive)):
		return f.says(yesDestructive), nil
	case f.says(yesSchedule):
		return false, outcome.Advise(fail(exitDeclined, "%s: %s may destroy what is there", nothing, destroys), "; approve that with: %s", in.command(want))
	case a.interactive():
		answers := "Y/n"
		if destroys != "" {
			answers = "y/N"
		}
		answer, err := a.readLine(ctx, destroysFirst(destroys)+question+" ["+answers+"]")
		answer = strings.ToLower(strings.TrimSpace(answer))
		agreed := err == nil && (answer == "y" || answer == "yes" || answer == "" && destroys == "")
		if err == nil && answered != nil {
			answered(agreed)
		}
		if agreed {
			return destroys != "", nil
		}
		return false, fail(exitDeclined, "%s", nothing)
	}
	return false, outcome.Advise(fail(exitDeclined, "%s", nothing), ": what runs by itself is approved with: %s", in.command(want))
}

// scheduledValues are what a run of a schedule at a time is given. Where no file has arrived yet, there is one nevertheless, that is not known.
func scheduledValues(one *schedule.Schedule, files []string, at time.Time) (workflow.Given, error) {
	values, err := one.Values(at)
	if err != nil {
		return workflow.Given{}, usage("the schedule %s: %v", one.Name, err)
	}
	if w := one.Trigger.Watch; w != nil {
		file := path.Join(w.Path, cmp.Or(w.Pattern, "*"))
		if len(files) > 0 {
			file = files[0]
		}
		maps.Copy(values, w.Inputs(file))
	}
	return workflow.Given{Values: values}, nil
}

// phraseLines say which values are worked out for each run.
func phraseLines(one *schedule.Schedule) (out []string) {
	for _, name := range value.SortedKeys(one.Phrases) {
		out = append(out, fmt.Sprintf("%s = %s, as of each run", name, printable.Line(one.Phrases[name].Text)))
	}
	return out
}

// showSchedule shows what is to be approved.
func (a *app) showSchedule(one *schedule.Schedule, l *loaded, destroys string, times int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs %s\n", one.Workflow, one.Trigger.Words())
	if l.record.Description != "" {
		fmt.Fprintf(&b, "  %s\n", oneLine(l.record.Description))
	}
	fmt.Fprintf(&b, "  steps: %s\n", stepsOf(l.source.Workflow))
	for _, name := range value.SortedKeys(one.Params) {
		fmt.Fprintf(&b, "  %s = %s\n", name, printable.Line(string(ir.Text(one.Params[name]))))
	}
	for _, line := range phraseLines(one) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if w := one.Trigger.Watch; w != nil && w.Input != "" {
		fmt.Fprintf(&b, "  %s = the file that arrives\n", w.Input)
	}
	if len(one.Approved.Effects) > 0 {
		fmt.Fprintf(&b, "  effects: %s\n", strings.Join(one.Approved.Effects, ", "))
	}
	if destroys != "" {
		fmt.Fprintf(&b, "  destroys: %s\n", destroys)
	}
	for _, line := range noticeLines(a.effectiveNotices(one)) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, file := range one.Nodes {
		fmt.Fprintf(&b, "  nodes: %s\n", printable.Line(file))
	}
	fmt.Fprintf(&b, "  in %s; missed: %s; overlap: %s\n", one.Dir, one.Missed, one.Overlap)
	for k, t := range one.Trigger.Upcoming(time.Now(), times) {
		fmt.Fprintf(&b, "  %s %s\n", map[bool]string{true: "next:", false: "then:"}[k == 0], trigger.Moment(t))
	}
	a.say(b.String())
}

// whenWords says when a schedule runs.
func whenWords(one *schedule.Schedule, now time.Time) string {
	words := one.Trigger.Words()
	if next, ok := one.Trigger.Next(now); ok && one.Trigger.At == "" {
		words += "; next: " + trigger.Moment(next)
	}
	return words
}
