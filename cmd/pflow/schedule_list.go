package main

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/printable"
	"pflow/internal/schedule"
	"pflow/internal/trigger"
)

// The names of the shapes of what is printed with --json.
const (
	schedulesSchema = "pflow.schedules/v1"
	scheduleSchema  = "pflow.schedule/v1"
)

// upcomingTimes is how many of the next times are shown.
const upcomingTimes = 5

// scheduleItem is one schedule of `schedule list --json`, and `schedule show --json`.
type scheduleItem struct {
	Schema string `json:"schema,omitempty"`
	Name   string `json:"name"`
	*schedule.Schedule
	Words   string            `json:"words"`
	Next    *time.Time        `json:"next"`    // null: none is known
	Status  string            `json:"status"`  // active, paused, waiting, running or over
	Waiting string            `json:"waiting"` // why it waits for a person, "" if it does not
	Untold  string            `json:"untold"`  // why nothing tells of its runs that should, "" if something does
	Last    *schedule.Ended   `json:"last"`    // null: it has not run
	Running []schedule.Firing `json:"running"`
	Queued  int               `json:"queued"`

	Gone     []string    `json:"gone,omitempty"`     // the workflows that it names and that are saved no more
	Upcoming []time.Time `json:"upcoming,omitempty"` // the next times, of a schedule that is shown alone
	Destroys *string     `json:"destroys,omitempty"` // of --dry-run: what it would destroy

	untoldHint string // what to do about Untold
}

func (a *app) scheduleItem(one *schedule.Schedule, st *schedule.State, now time.Time) scheduleItem {
	out := scheduleItem{Name: one.Name, Schedule: one, Words: one.Trigger.Words(), Status: "active", Waiting: a.waits(one, st), Last: st.Last,
		Running: append([]schedule.Firing{}, st.Open...), Queued: len(st.Queue)}
	out.Untold, out.untoldHint = a.untoldOf(one)
	out.Gone = a.goneNotices(&one.Notices, one.Workflow)
	next, ok := one.Trigger.Next(now)
	if ok {
		next = next.Add(one.After(next))
	}
	switch {
	case one.Paused:
		out.Status = "paused"
	case out.Waiting != "":
		out.Status = "waiting"
	default:
		if ok {
			out.Next = &next
		}
		if a.schedules().Running(st) {
			out.Status = "running"
		} else if !ok && one.Trigger.Watch == nil {
			out.Status = "over"
		}
	}
	return out
}

func (a *app) scheduleListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the schedules: when each runs next, and how its last run ended",
		Long:    `List the schedules: when each runs next, how its last run ended, and which wait for somebody; and whether pflow serve runs.`,
		Example: "  pflow schedule list\n  pflow schedule list --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			return a.listSchedules(time.Now())
		},
	}
}

func (a *app) listSchedules(now time.Time) error {
	items := []scheduleItem{}
	for _, name := range a.schedules().Names() {
		one, err := a.schedules().Get(name)
		var st *schedule.State
		if err == nil {
			st, err = a.schedules().State(one)
		}
		if err != nil {
			a.warn("%v", err)
			continue
		}
		items = append(items, a.scheduleItem(one, st, now))
	}
	server := a.schedules().Server()
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": schedulesSchema, "schedules": items, "server": server})
	}
	if len(items) == 0 {
		fmt.Fprintln(a.stderr, "there are no schedules; make one with: pflow schedule add WORKFLOW --cron \"0 8 * * 1-5\"")
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tWHEN\tNEXT\tLAST")
	for _, i := range items {
		next := i.Status
		if i.Next != nil && i.Status != "running" {
			next = trigger.Moment(*i.Next)
		}
		last := "-"
		if i.Last != nil {
			last = i.Last.Status + " " + trigger.Moment(i.Last.At.Local())
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", i.Name, shortened(i.Words, 60), next, last)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, i := range items {
		if i.Waiting != "" {
			hint := "; " + a.scheduleHint(i.Schedule)
			fmt.Fprintf(a.stderr, "%s does not run: %s%s\n", i.Name, printable.Line(strings.TrimSuffix(strings.TrimSuffix(i.Waiting, approveAgain(i.Name)), ": ")), hint)
		}
		if i.Untold != "" {
			fmt.Fprintf(a.stderr, "nothing tells of the runs of %s: %s; %s\n", i.Name, i.Untold, i.untoldHint)
		}
	}
	if server == "" {
		fmt.Fprintln(a.stderr, "nothing carries them out now: run pflow serve")
	}
	return nil
}

func (a *app) scheduleShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a schedule: what it runs, when, with what, and what came of it",
		Example:           "  pflow schedule show report",
		Args:              one("a schedule"),
		ValidArgsFunction: a.completeSchedules,
		RunE: func(_ *cobra.Command, args []string) error {
			s, st, err := a.findSchedule(args[0])
			if err != nil {
				return err
			}
			i := a.scheduleItem(s, st, time.Now())
			if a.asJSON {
				i.Schema = scheduleSchema
				i.foreseeTimes(time.Now())
				return a.printJSON(i)
			}
			return a.showScheduleItem(i)
		},
	}
}

// foreseeTimes adds the next times of a schedule that runs.
func (i *scheduleItem) foreseeTimes(now time.Time) {
	if i.Next == nil {
		return
	}
	for _, t := range i.Trigger.Upcoming(now, upcomingTimes) {
		i.Upcoming = append(i.Upcoming, t.Add(i.After(t)))
	}
}

func (a *app) showScheduleItem(i scheduleItem) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	line := func(key, text string) { fmt.Fprintf(w, "%s\t%s\n", key, printable.Line(text)) }
	line("workflow", fmt.Sprintf("%s, version %d", i.Workflow, i.Version))
	line("when", i.Words)
	line("status", i.Status)
	if i.Waiting != "" {
		line("waits", i.Waiting)
	}
	for _, t := range i.Trigger.Upcoming(time.Now(), 3) {
		if i.Next != nil {
			line("next", trigger.Moment(t.Add(i.After(t))))
		}
	}
	in := map[string]any{}
	maps.Copy(in, i.Params)
	if w := i.Trigger.Watch; w != nil {
		maps.Copy(in, w.Inputs(path.Join(w.Path, cmp.Or(w.Pattern, "*"))))
	}
	for _, name := range sortedNames(in) {
		line("input", name+" = "+textOf(in[name]))
	}
	for _, text := range phraseLines(i.Schedule) {
		line("input", text)
	}
	line("folder", i.Dir)
	for _, file := range i.Nodes {
		line("nodes", file)
	}
	for _, text := range noticeLines(a.effectiveNotices(i.Schedule)) {
		line("after", text)
	}
	if i.Untold != "" {
		line("untold", i.Untold)
	}
	line("rules", fmt.Sprintf("missed: %s; overlap: %s; jitter: %s", i.Missed, i.Overlap, cmp.Or(i.Jitter, "none")))
	for _, f := range i.Running {
		line("open", f.Run+" for "+trigger.Moment(f.Due.Local()))
	}
	if i.Queued > 0 {
		line("queued", fmt.Sprint(i.Queued))
	}
	if e := i.Last; e != nil {
		line("last", fmt.Sprintf("%s %s, run %s", e.Status, trigger.Moment(e.At.Local()), e.Run))
		if e.Message != "" {
			line("", oneLine(e.Message))
		}
	}
	return w.Flush()
}
