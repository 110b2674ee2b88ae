package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"pflow/internal/consent"
	"pflow/internal/planner"
	"pflow/internal/printable"
	"pflow/internal/schedule"
	"pflow/internal/trigger"
)

// triggerOf is when a plan says that it runs by itself; nil where it says nothing of it.
func triggerOf(p *planner.Result) *trigger.Trigger {
	t, err := trigger.Of(p.Trigger)
	if err != nil || t == nil || len(t.Check()) > 0 {
		return nil // a flow of somebody's own may give anything; see unscheduled
	}
	return t
}

// timesShown is how many of the next times are shown.
const timesShown = 3

// showTrigger shows when a plan runs by itself, and the next times.
func (a *app) showTrigger(to io.Writer, p *planner.Result) {
	t := triggerOf(p)
	if t == nil {
		return
	}
	a.sayTo(to, "runs ", styled{codeBold, printable.Line(t.Words())}, "\n")
	now := time.Now()
	if t.At != "" {
		return // its words have the time
	}
	next := t.Upcoming(now, timesShown)
	for k, at := range next {
		lead := "  next: "
		if k > 0 {
			lead = "        "
		}
		fmt.Fprintf(to, "%s%s\n", lead, trigger.Moment(at))
	}
	if w := t.Watch; w != nil && w.Input != "" {
		fmt.Fprintf(to, "  input %s takes the path of the file\n", printable.Line(w.Input))
	}
}

// said is what a plan was asked to do, without when it does it: what a workflow is known by.
func (d *planDraft) said() string {
	t := triggerOf(d.plan)
	if t == nil || t.Text == "" {
		return d.request.Text
	}
	before, after, _ := strings.Cut(d.request.Text, t.Text)
	return strings.TrimSpace(strings.TrimRight(before, " ,;:") + " " + strings.TrimLeft(after, " ,;:"))
}

// unscheduled is why a plan with a trigger is not run: it runs by itself, once it is approved as that. It is nil for one without.
func unscheduled(p *planner.Result) error {
	switch t := triggerOf(p); {
	case p.Trigger == nil:
		return nil
	case t == nil:
		return fail(exitDeclined, "nothing was saved or run: the plan has a trigger that is none; ask again, or leave out when it runs")
	default:
		return fail(exitDeclined, "nothing was saved or run: it would run %s; that is approved at the command line, with --yes=schedule, and without %q it runs once, now",
			t.Words(), t.Text)
	}
}

// scheduleDraft saves the workflow of a plan and when it runs, once that is approved, and runs nothing.
func (a *app) scheduleDraft(ctx context.Context, d *planDraft, t *trigger.Trigger, f *runFlags) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if d.loaded == nil {
		return d.stuck
	}
	dir, err := workingDir()
	if err != nil {
		return err
	}
	if _, _, err := f.approves(d); err != nil { // a digest of something else
		return a.planInstead(d.plan, err)
	}
	if d.foreign != "" && f.digest() == "" && !a.interactive() {
		return a.planInstead(d.plan, fail(exitDeclined, "nothing was saved or run: %s; to approve exactly this: %s", d.foreign, d.made.command("--yes="+yesSchedule+","+d.digest)))
	}
	if !d.reuse {
		if err := a.library().Writable(ctx); err != nil {
			return notSaved(err)
		}
	}
	one := &schedule.Schedule{Name: a.freeSchedule(d.name), Consent: consent.Consent{Workflow: d.name}, Params: d.params, Trigger: *t, Dir: dir, Nodes: a.invoked(nil).Nodes, NoBuiltin: a.noBuiltin, Created: time.Now().UTC().Round(0)}
	one.Default()
	if err := phrased(ctx, one, d); err != nil {
		return a.planInstead(d.plan, err)
	}
	if !a.quiet {
		for _, line := range phraseLines(one) {
			a.say("  " + line + "\n")
		}
	}
	if one.Approved, err = a.approvalOf(ctx, d.loaded); err != nil {
		return err
	}
	if err := a.approveSchedule(ctx, one, d.loaded, d.made, f, false, func(approved bool) { a.decided(d, approved) }); err != nil {
		return a.planInstead(d.plan, err)
	}
	if !d.reuse {
		if one.Workflow, err = a.keep(ctx, d.record().Encode()); err != nil {
			return notSaved(err)
		}
		one.Name = a.freeSchedule(one.Workflow)
	}
	l, err := a.loadWorkflow(ctx, one.Workflow)
	if err != nil {
		return err
	}
	if l.source.Workflow.Hash() != d.workflow.Hash() {
		return fail(exitDeclined, "%s was changed meanwhile, and is not scheduled; ask again", one.Workflow)
	}
	destructive := one.Approved.Destructive
	if one.Approved, err = a.approvalOf(ctx, l); err != nil {
		return err
	}
	one.Approved.Destructive, one.IRHash, one.Version = destructive, l.source.Workflow.Hash(), l.record.Version
	return a.keepSchedule(ctx, one)
}

// phrased keeps what a plan's values were made of, where they count from the day of a run: "last week" is another one each time.
func phrased(ctx context.Context, one *schedule.Schedule, d *planDraft) error {
	parts := map[string]string{}
	said, _ := d.plan.Coverage["parts"].([]any)
	for _, p := range said {
		part, _ := p.(map[string]any)
		by, _ := part["by"].(string)
		text, _ := part["text"].(string)
		if input, ok := strings.CutPrefix(by, "input:"); ok {
			parts[input] += " " + text
		}
	}
	phrases, err := schedule.Phrases(ctx, d.said(), plannedAt(d), d.params, parts, string(d.workflow.Encode()))
	var frozen *schedule.Frozen
	switch {
	case errors.As(err, &frozen):
		return fail(exitDeclined, "nothing was saved or run: %v; save the workflow (--save), and schedule it with a value that holds each time: pflow schedule add %s", err, d.name)
	case err != nil:
		return err
	}
	one.Params = maps.Clone(d.params)
	for input := range phrases {
		delete(one.Params, input)
	}
	one.Phrases = phrases
	return nil
}

// plannedAt is the day from which the values of a plan count.
func plannedAt(d *planDraft) time.Time {
	if day, err := time.ParseInLocation(time.DateOnly, d.request.Date, time.Local); err == nil {
		return day
	}
	const form = "20060102-150405" // of the id of the run that made it
	if id := d.plan.RunID; len(id) > len(form) {
		if at, err := time.Parse(form, id[:len(form)]); err == nil {
			return at.Local()
		}
	}
	return time.Now()
}

// freeSchedule is a name for a schedule that none has yet.
func (a *app) freeSchedule(name string) string {
	free := name
	for n := 2; slices.Contains(a.schedules().Names(), free); n++ {
		free = numbered(name, n)
	}
	return free
}
