package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/outcome"
	"pflow/internal/schedule"
	"pflow/internal/workflow"
)

func (a *app) scheduleRunCommand() *cobra.Command {
	var firing string
	c := &cobra.Command{
		Use:   "run NAME",
		Short: "Run a schedule now, as it would be fired",
		Long: `Run a schedule now, as pflow serve would: with its values, in its folder, by its rule for overlaps, and only if its workflow is the one
that was approved. It is what exported schedules call, with --timer: one that is paused is left then. Of a watched folder name the file that would have arrived: --file.`,
		Example:           "  pflow schedule run report\n  pflow schedule run import --file inbox/a.csv",
		Args:              one("a schedule"),
		ValidArgsFunction: a.completeSchedules,
	}
	var file string
	var timer bool
	c.RunE = func(c *cobra.Command, args []string) error {
		s, _, err := a.findSchedule(args[0])
		if err != nil {
			return err
		}
		if timer && s.Paused {
			if !a.quiet {
				fmt.Fprintf(a.stderr, "%s is paused, and was not run; let it run again with: pflow schedule resume %[1]s\n", s.Name)
			}
			return nil
		}
		if firing != "" {
			return a.runFiring(c.Context(), s, firing, "")
		}
		return a.runSchedule(c.Context(), s, file)
	}
	c.Flags().StringVar(&file, "file", "", "the `FILE` that arrived, of a watched folder")
	c.Flags().BoolVar(&timer, "timer", false, "run it unless it is paused, as what pflow schedule export writes does")
	c.Flags().StringVar(&firing, "firing", "", "the firing that pflow serve recorded")
	_ = c.Flags().MarkHidden("firing")
	a.dateFlag(c)
	return c
}

// dayIn is the day of --date in the zone of a schedule.
func dayIn(s *schedule.Schedule, date string) (time.Time, error) {
	zone, err := s.Trigger.Zone()
	if err != nil {
		return time.Time{}, usage("the schedule %s: %v", s.Name, err)
	}
	day, err := time.ParseInLocation(time.DateOnly, date, zone)
	if err != nil {
		return day, usage("--date: %q is no date; write one like 2024-01-31", date)
	}
	return day, nil
}

// pollOverlap is how often a run that waits for another looks whether that is over.
const pollOverlap = 200 * time.Millisecond

// runSchedule runs a schedule because somebody asks for it.
func (a *app) runSchedule(ctx context.Context, s *schedule.Schedule, file string) error {
	if w := s.Trigger.Watch; w != nil && w.Input != "" && file == "" {
		return usage("%s runs for a file that arrives; name one: pflow schedule run %[1]s --file FILE", s.Name)
	}
	if file != "" {
		if s.Trigger.Watch == nil || s.Trigger.Watch.Input == "" {
			return usage("%s takes no file: no input of its workflow has one", s.Name)
		}
		abs, err := fromHere(file)
		if err != nil {
			return err
		}
		file = abs
	}
	run := journal.NewID(time.Now())
	for {
		busy, err := a.schedules().Now(ctx, s, run, time.Now().UTC())
		switch {
		case err != nil:
			return noSchedule(err)
		case !busy:
			err = a.runFiring(ctx, s, run, file)
			e := schedule.Ended{Run: run, At: time.Now().UTC()}
			var begun bool
			if begun, e.Status, e.Message = a.outcome(run); !begun {
				e.Status = "failed"
				if err != nil {
					e.Message = strings.SplitN(err.Error(), "\n", 2)[0]
				}
			}
			if ended := a.schedules().End(context.WithoutCancel(ctx), s, e, ""); ended != nil {
				a.warn("what came of the run is not noted with the schedule: %v", ended)
			}
			return err
		case s.Overlap == schedule.Skip:
			fmt.Fprintf(a.stderr, "%s was not run: a run of it goes on\n", s.Name)
			return nil
		}
		select {
		case <-ctx.Done():
			return fail(exitFailed, "stopped while a run of %s goes on", s.Name)
		case <-time.After(pollOverlap):
		}
	}
}

func fromHere(file string) (string, error) {
	dir, err := workingDir()
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(file, "/") {
		return file, nil
	}
	return dir + "/" + file, nil
}

// runFiring carries out a firing that is on the disk. file is what arrived, "" if the firing says it.
func (a *app) runFiring(ctx context.Context, s *schedule.Schedule, run, file string) error {
	if _, err := os.ReadDir(s.Dir); err != nil {
		return fail(exitFailed, "the folder of the schedule: %s", fileError(err))
	}
	a.dir = s.Dir
	a.nodesOf(s)
	claim := func() (schedule.Firing, func(), error) {
		firing, release, err := a.schedules().Claim(ctx, s, run, func(run string) bool {
			begun, _, _ := a.outcome(run)
			return begun && !a.untold(s.Name, s.Workflow, run)
		})
		if err != nil {
			return firing, nil, fail(exitFailed, "%v", err)
		}
		return firing, release, nil
	}
	if begun, _, _ := a.outcome(run); begun { // its process was killed before it told of it
		_, release, err := claim()
		if err != nil {
			return err
		}
		defer release()
		return a.tellAgain(ctx, run)
	}
	l, err := a.loadWorkflow(ctx, s.Workflow)
	if err != nil {
		return err
	}
	approved, err := a.approvalOf(ctx, l)
	if err != nil {
		return err
	}
	if why := unapproved(&s.Consent, l, approved); why != "" {
		return fail(exitDeclined, "the schedule %s: %s: %s", s.Name, why, approveAgain(s.Name))
	}
	firing, release, err := claim()
	if err != nil {
		return err
	}
	defer release()
	files := firing.Files
	if file != "" {
		files = []string{file}
	}
	if err := a.readSecrets(ctx, l); err != nil {
		return err
	}
	at := firing.Due
	if a.date != "" {
		if at, err = dayIn(s, a.date); err != nil {
			return err
		}
	}
	given, err := scheduledValues(s, files, at)
	if err != nil {
		return err
	}
	store, missing, err := l.program.Bind(given)
	switch {
	case err != nil:
		return usage("%v", err)
	case len(missing) > 0:
		return a.lacks(l.program, missing, &invocation{path: "pflow schedule run", subject: s.Name})
	}
	foreseen := l.program.DryRun(store)
	if refused := foreseen.Refused(); len(refused) > 0 {
		return usage("nothing was run: %s", strings.Join(refused, "; "))
	}
	if what := destroyed(foreseen); what != "" && !s.Approved.Destructive {
		return outcome.Advise(fail(exitDeclined, "%s may destroy what is there, which the schedule %s was not approved for", what, s.Name),
			"; approve that with: pflow schedule resume %s --yes=%s,%s", s.Name, yesSchedule, yesDestructive)
	}
	if s.Approved.Destructive {
		l.program.Grant(foreseen, true)
	}
	l.by, l.journalled = bySchedule+s.Name, true
	res, err := a.executeAs(ctx, run, l, store, func(_ context.Context, n workflow.Approval) bool {
		return n.Destructive && s.Approved.Destructive // a node that wants approval waits for a person
	}, nil)
	if err != nil {
		return err
	}
	a.note(ctx, l.source.Name, l.program, res)
	failed := a.ended(res, "pflow schedule run "+s.Name)
	a.tell(ctx, a.endingOf(l, res, savedName(l)))
	return failed
}
