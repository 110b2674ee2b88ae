package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/printable"
)

// How often the journal of a run that is followed is looked at: while a process works on it, and while none does.
const (
	followEvery = 100 * time.Millisecond
	awaitEvery  = time.Second
)

func (a *app) runsLogsCommand() *cobra.Command {
	var follow, untilOver bool
	c := &cobra.Command{
		Use:   "logs RUN|last",
		Short: "Print what happened in a run, a line for each event",
		Long: `Print what happened in a run, a line for each event, in the order in which they happened: steps that began, ended, failed or wait, and
how the run ended, or that it was interrupted. --follow goes on as long as a process works on the run; with --until-over also while none does and one could: it
waits for an approval, say. --json prints a JSON object a line.`,
		Example:           "  pflow runs logs last\n  pflow runs logs 1a2b3c4d --follow",
		Args:              one("a run, or last"),
		ValidArgsFunction: a.completeRuns(),
		RunE: func(c *cobra.Command, args []string) error {
			row, err := a.findRun(args[0])
			if err != nil {
				return err
			}
			if untilOver && !follow {
				return usage("--until-over says how long --follow goes on")
			}
			return a.logRun(c.Context(), row.ID, follow, untilOver)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until no process works on the run")
	c.Flags().BoolVar(&untilOver, "until-over", false, "with --follow: go on until the run cannot be gone on with")
	return c
}

func (a *app) logRun(ctx context.Context, id string, follow, untilOver bool) error {
	t, err := journal.OpenTail(a.homeDir(), id)
	if err != nil {
		return usage("run %s: %s", id, fileError(err))
	}
	defer t.Close()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	every := followEvery
	var last time.Time // of the entries
	interrupted := false
	for n := 0; ; n++ {
		running, over := t.Running(), false // before it is read: what is written before the end is read, too
		if !running && untilOver {
			g, err := journal.Look(a.homeDir(), id)
			over = err != nil || !g.GoesOn
		}
		entries, err := t.Next()
		for i := range entries {
			if err := a.logEntry(&entries[i]); err != nil {
				return err
			}
			last, interrupted = entries[i].At, false
		}
		if err == nil && !running && t.Open() && !interrupted {
			interrupted = true
			if n > 0 { // it was noticed now
				last = time.Now()
			}
			if err := a.logEntry(&journal.Entry{Event: journal.Interrupted, At: last}); err != nil {
				return err
			}
		}
		switch {
		case err != nil:
			return fail(exitFailed, "run %s: %v", id, err)
		case !follow || !running && (!untilOver || over):
			return nil
		case running && every != followEvery:
			every = followEvery
			tick.Reset(every)
		case !running && every != awaitEvery:
			every = awaitEvery
			tick.Reset(every)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// logEntry prints one event.
func (a *app) logEntry(e *journal.Entry) error {
	if a.asJSON {
		line, err := encodeLine(e)
		if err == nil {
			_, err = a.results.Write(printable.JSON(line))
		}
		return err
	}
	step := e.Step
	if e.Visit > 1 {
		step += fmt.Sprintf("#%d", e.Visit)
	}
	if e.Attempt > 1 {
		step += fmt.Sprintf(" (attempt %d)", e.Attempt)
	}
	var text string
	switch e.Event {
	case "start":
		text = fmt.Sprintf("begins: %s %s, by %s", e.About.Kind, e.About.Name, e.About.By)
	case "started":
		text = step + " begins"
	case "finished":
		switch {
		case e.Waits != "":
			text = step + " waits for the approval of " + e.Waits
		case e.Kind != "":
			text = fmt.Sprintf("%s fails: %s [%s]", step, e.Message, e.Kind)
		case e.Kept != "":
			text = step + " is kept from " + e.Kept
		case e.Action != "":
			text = step + " is done -> " + e.Action
		default:
			text = step + " is done"
		}
	case "approved":
		text = step + " is approved"
	case "timer":
		text = "a wait is over"
	case journal.Interrupted:
		text = "interrupted: no process works on the run, and it has not ended"
	case "resumed":
		text = "another process goes on with the run"
	case "end":
		text = "ends: " + string(e.Status)
		if e.Decided != "" {
			text = "its plan is " + e.Decided
		}
		if e.Kind != "" {
			text += fmt.Sprintf(": %s: %s [%s]", e.Step, e.Message, e.Kind)
		}
	}
	_, err := fmt.Fprintf(a.stdout, "%s %s\n", e.At.Local().Format("15:04:05.000"), printable.Line(text))
	return err
}
