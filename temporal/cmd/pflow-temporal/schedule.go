package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"pflow/internal/outcome"
	"pflow/internal/trigger"
	"pflow/temporal/drive"
)

func (a *app) scheduleCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "schedule",
		Short:   "Have runs begin by themselves",
		Long:    `Have runs begin by themselves, by schedules of the server: at the times of a cron expression, or at an interval.`,
		Example: "  pflow-temporal schedule list",
	}
	c.AddCommand(a.scheduleAddCommand(), a.scheduleListCommand(),
		a.scheduleChange("remove", "Remove a schedule; runs that it began go on", func(ctx context.Context, h client.ScheduleHandle) error { return h.Delete(ctx) }),
		a.scheduleChange("pause", "Have a schedule begin no runs", func(ctx context.Context, h client.ScheduleHandle) error {
			return h.Pause(ctx, client.SchedulePauseOptions{})
		}),
		a.scheduleChange("resume", "Have a schedule that was paused begin runs again", func(ctx context.Context, h client.ScheduleHandle) error {
			return h.Unpause(ctx, client.ScheduleUnpauseOptions{})
		}))
	return c
}

func (a *app) scheduleAddCommand() *cobra.Command {
	b := &begins{}
	var when trigger.Trigger
	var name string
	c := &cobra.Command{
		Use:   "add -|FILE|NAME [key=value...] --cron EXPRESSION|--every INTERVAL",
		Short: "Have the server begin runs of a workflow",
		Long: `Have the server begin runs of a workflow, or of what pflow run --prepare printed, with the inputs of now. Nobody is there to answer
when they run, so inputs must not be missing, and what wants approval is approved now (--yes) or waits. A run does not begin while the
one before it is under way.`,
		Example: "  pflow-temporal schedule add report --cron \"0 8 * * 1-5\" --zone Europe/Berlin --yes\n  pflow-temporal schedule add sync folder=notes --every 15m --name sync-notes",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: name a workflow, or - for what is prepared", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.addSchedule(c.Context(), args, b, &when, name)
		},
	}
	f := c.Flags()
	f.StringVar(&when.Cron, "cron", "", "at the times of this cron `EXPRESSION`: minute, hour, day of month, month, day of week")
	f.StringVar(&when.Every, "every", "", "at this `INTERVAL`: 45m, 2h")
	f.StringVar(&when.Timezone, "zone", a.fromEnv("TZ", "UTC"), "the time `ZONE` of --cron (default $TZ, else UTC)")
	f.StringVar(&name, "name", "", "what the schedule is called (default: the workflow's name)")
	b.flags(a, c)
	return c
}

func (a *app) addSchedule(ctx context.Context, args []string, b *begins, when *trigger.Trigger, name string) error {
	spec, err := specOf(when)
	if err != nil {
		return err
	}
	r, err := a.prepare(ctx, args, b)
	if err != nil {
		return err
	}
	if !r.Bound {
		var words []string
		for _, m := range r.Missing {
			words = append(words, m.Name+"="+strings.ToUpper(m.Type))
		}
		return fail(outcome.Missing, "%s needs more to run by itself: give %s", r.Name, strings.Join(words, " "))
	}
	s, err := b.start(r)
	if err != nil {
		return err
	}
	if name == "" {
		name = r.Name
	}
	c, err := a.connect(ctx, silent{})
	if err != nil {
		return err
	}
	_, err = c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: name, Spec: *spec, Memo: map[string]any{memoKey: scheduled{r.Name, words(when)}},
		Action: &client.ScheduleWorkflowAction{ID: name, Workflow: drive.WorkflowType, Args: []any{s}, TaskQueue: a.queue, StaticSummary: r.Name, Memo: map[string]any{memoKey: memo{r.Name, r.Kind}}},
	})
	switch {
	case errors.Is(err, temporal.ErrScheduleAlreadyRunning):
		return usage("there is a schedule %q; remove it with: pflow-temporal schedule remove %[1]s, or say --name", name)
	case err != nil:
		return fail(outcome.Failed, "the schedule cannot be added: %v", err)
	}
	a.say("%s runs %s", r.Name, words(when))
	return nil
}

// scheduled is what lists tell of a schedule without asking it.
type scheduled struct {
	Name string `json:"name"`
	When string `json:"when"`
}

// words say when a schedule fires.
func words(t *trigger.Trigger) string {
	text := t.Words()
	if t.Cron != "" && !strings.Contains(text, t.Timezone) {
		text += " (" + t.Timezone + ")"
	}
	return text
}

// specOf is a trigger as the server has it.
func specOf(t *trigger.Trigger) (*client.ScheduleSpec, error) {
	if (t.Cron == "") == (t.Every == "") {
		return nil, usage("say when once: --cron EXPRESSION or --every INTERVAL")
	}
	if err := t.Check().Err(); err != nil {
		return nil, usage("%s", strings.TrimSpace(err.Error()))
	}
	if t.Every != "" {
		every, err := time.ParseDuration(t.Every)
		if err != nil {
			return nil, err
		}
		return &client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: every}}}, nil
	}
	fields, err := trigger.FieldsOf(t.Cron)
	if err != nil {
		return nil, usage("%v", err)
	}
	spec := &client.ScheduleSpec{TimeZoneName: t.Timezone}
	for _, f := range fields {
		if f.Beyond != "" {
			return nil, usage("--cron %q: %s is not known to Temporal's schedules, which have numbers alone", t.Cron, f.Beyond)
		}
		at := client.ScheduleCalendarSpec{Minute: ranges(f.Minute, 0, 59), Hour: ranges(f.Hour, 0, 23), Month: ranges(f.Month, 1, 12), DayOfMonth: ranges(f.Day, 1, 31), DayOfWeek: ranges(f.Weekday, 0, 6)}
		if f.Day != nil && f.Weekday != nil { // either is enough
			other := at
			other.DayOfMonth = ranges(nil, 1, 31)
			at.DayOfWeek = ranges(nil, 0, 6)
			spec.Calendars = append(spec.Calendars, other)
		}
		spec.Calendars = append(spec.Calendars, at)
	}
	return spec, nil
}

// ranges are the numbers of a field; nil are all.
func ranges(numbers []int, first, last int) []client.ScheduleRange {
	if numbers == nil {
		return []client.ScheduleRange{{Start: first, End: last}}
	}
	var out []client.ScheduleRange
	for _, n := range numbers {
		if k := len(out) - 1; k >= 0 && out[k].End == n-1 {
			out[k].End = n
			continue
		}
		out = append(out, client.ScheduleRange{Start: n, End: n})
	}
	return out
}

// scheduleShown is a schedule as it is listed.
type scheduleShown struct {
	Name     string     `json:"name"`
	Workflow string     `json:"workflow"`
	When     string     `json:"when"`
	Next     *time.Time `json:"next"`
	Paused   bool       `json:"paused"`
	LastRun  string     `json:"last_run"`
}

func (a *app) scheduleListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the schedules",
		Example: "  pflow-temporal schedule list",
		RunE: func(c *cobra.Command, _ []string) error {
			t, err := a.connect(c.Context(), silent{})
			if err != nil {
				return err
			}
			list, err := a.schedules(c.Context(), t)
			if err != nil {
				return fail(outcome.Failed, "the schedules cannot be listed: %v", err)
			}
			if a.asJSON {
				return a.printJSON(struct {
					Schema    string          `json:"schema"`
					Schedules []scheduleShown `json:"schedules"`
				}{"pflow.temporal-schedules/v1", list})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "SCHEDULE\tWORKFLOW\tWHEN\tNEXT")
			for _, s := range list {
				next := "paused"
				if !s.Paused && s.Next != nil {
					next = s.Next.Local().Format(time.DateTime)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, s.Workflow, s.When, next)
			}
			return w.Flush()
		},
	}
}

// schedules lists those that begin runs.
func (a *app) schedules(ctx context.Context, t client.Client) ([]scheduleShown, error) {
	out := []scheduleShown{}
	list, err := t.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	if err != nil {
		return nil, err
	}
	for list.HasNext() {
		e, err := list.Next()
		if err != nil {
			return nil, err
		}
		if e.WorkflowType.Name != drive.WorkflowType {
			continue
		}
		s := scheduleShown{Name: e.ID, Paused: e.Paused}
		var m scheduled
		if p := e.Memo.GetFields()[memoKey]; p != nil {
			_ = a.converter().FromPayload(p, &m)
		}
		s.Workflow, s.When = m.Name, m.When
		if len(e.NextActionTimes) > 0 {
			s.Next = &e.NextActionTimes[0]
		}
		if k := len(e.RecentActions); k > 0 && e.RecentActions[k-1].StartWorkflowResult != nil {
			s.LastRun = e.RecentActions[k-1].StartWorkflowResult.WorkflowID
		}
		out = append(out, s)
	}
	return out, nil
}

// scheduleChange is a command that does one thing to a schedule.
func (a *app) scheduleChange(name, short string, do func(context.Context, client.ScheduleHandle) error) *cobra.Command {
	return &cobra.Command{
		Use:     name + " SCHEDULE",
		Short:   short,
		Example: "  pflow-temporal schedule " + name + " report",
		Args:    one("the schedule"),
		RunE: func(c *cobra.Command, args []string) error {
			t, err := a.connect(c.Context(), silent{})
			if err != nil {
				return err
			}
			err = do(c.Context(), t.ScheduleClient().GetHandle(c.Context(), args[0]))
			var none *serviceerror.NotFound
			if errors.As(err, &none) {
				return usage("there is no schedule %q; pflow-temporal schedule list shows those there are", args[0])
			}
			if err != nil {
				return fail(outcome.Failed, "schedule %s: %v", args[0], err)
			}
			return nil
		},
	}
}
