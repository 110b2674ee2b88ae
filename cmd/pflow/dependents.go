package main

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/consent"
	"pflow/internal/schedule"
	"pflow/internal/value"
)

// warnDependents tells who was relying on a saved workflow that was changed, renamed or deleted: schedules that run it, and what
// tells of runs by it, do no more until somebody looks at them.
func (a *app) warnDependents(name string) {
	if a.homeDir() == "" {
		return
	}
	warnOf := func(runs string, list []untold) {
		for _, n := range list {
			if n.workflow == name {
				a.warn("nothing tells of the runs of %s: %s; %s", runs, n.why, n.hint)
			}
		}
	}
	for _, named := range a.schedules().Names() {
		one, err := a.schedules().Get(named)
		if err != nil {
			continue // pflow doctor and schedule list tell of it
		}
		if one.Workflow == name {
			if why := a.changedSince(&one.Consent); why != "" {
				a.warn("the schedule %s does not run: %s; %s", named, why, a.scheduleHint(one))
			}
		}
		if one.Notices.Name(name) {
			warnOf("the schedule "+named, a.untoldOfSchedule(one))
		}
	}
	all, err := a.library().AllNotices()
	if err != nil {
		a.warn("%v", err)
	}
	for _, of := range value.SortedKeys(all) {
		if n := all[of]; n.Name(name) {
			warnOf(of, a.untoldBy("workflow notify "+of, n))
		}
	}
}

// scheduleHint is what can be done about a schedule whose workflow is not what was approved.
func (a *app) scheduleHint(one *schedule.Schedule) string {
	if !a.library().Has(one.Workflow) {
		return "remove it with: pflow schedule remove " + one.Name
	}
	return approveAgain(one.Name)
}

// untold is a notice that is not run.
type untold struct{ workflow, why, hint string }

// untoldBy gives the notices that are not run until somebody looks at them. command changes them.
func (a *app) untoldBy(command string, n consent.Notices) (out []untold) {
	for _, kind := range consent.Kinds {
		c := n.Of(kind)
		if c == nil {
			continue
		}
		why := a.changedSince(c)
		if why == "" {
			continue
		}
		u := untold{workflow: c.Workflow, why: kind + ": " + why}
		if a.library().Has(c.Workflow) {
			u.hint = fmt.Sprintf("look at it, and approve it again with: pflow %s %s %s --yes=%s", command, noticeFlag(kind), c.Workflow, yesSchedule)
		} else {
			u.hint = fmt.Sprintf("take it away with: pflow %s %s ''", command, noticeFlag(kind))
		}
		out = append(out, u)
	}
	return out
}

// untoldOfSchedule is untoldBy of a schedule's own notices: what approves it again approves them, too.
func (a *app) untoldOfSchedule(one *schedule.Schedule) []untold {
	out := a.untoldBy("schedule notify "+one.Name, one.Notices)
	for i := range out {
		if a.library().Has(out[i].workflow) {
			out[i].hint = approveAgain(one.Name)
		}
	}
	return out
}

// untoldOf says why nothing tells of the runs of a schedule that should, by its own notices and those of its workflow, and what to
// do about it; "" if nothing is wrong.
func (a *app) untoldOf(one *schedule.Schedule) (why, hint string) {
	own, _ := a.library().Notices(one.Workflow)
	for _, kind := range consent.Kinds {
		if one.Notices.Of(kind) != nil { // in the place of the workflow's
			own.Set(kind, nil)
		}
	}
	var whys, hints []string
	for _, u := range append(a.untoldOfSchedule(one), a.untoldBy("workflow notify "+one.Workflow, own)...) {
		whys, hints = append(whys, u.why), append(hints, u.hint)
	}
	return strings.Join(whys, "; "), strings.Join(hints, "; ")
}

// gone gives those of some names of workflows that the library does not have, each once.
func (a *app) gone(names ...string) (out []string) {
	if a.homeDir() == "" {
		return nil
	}
	for _, name := range names {
		if !slices.Contains(out, name) && !a.library().Has(name) {
			out = append(out, name)
		}
	}
	return out
}

// goneNotices is gone of the workflows of notices, and of others.
func (a *app) goneNotices(n *consent.Notices, others ...string) []string {
	for _, kind := range consent.Kinds {
		if c := n.Of(kind); c != nil {
			others = append(others, c.Workflow)
		}
	}
	return a.gone(others...)
}
