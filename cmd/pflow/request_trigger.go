package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"pflow/internal/planner"
	"pflow/internal/printable"
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

// unscheduled is why a plan with a trigger is not approved: nothing keeps schedules yet. It is nil for one without. This is the one
// place where such a plan ends.
func unscheduled(p *planner.Result) error {
	switch t := triggerOf(p); {
	case p.Trigger == nil:
		return nil
	case t == nil:
		return fail(exitDeclined, "nothing was saved or run: the plan has a trigger that is none; ask again, or leave out when it runs")
	default:
		return fail(exitDeclined, "nothing was saved or run: it would run %s, and pflow keeps no schedules yet; --save keeps the workflow alone, and without %q it runs once, now",
			t.Words(), t.Text)
	}
}
