package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/runs"
)

func (a *app) runsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "See the runs of this home: what ran, how it ended, and why",
		Long: `See the runs of this home: each run of a workflow, of a flow, and each plan that was made. RUN is a run's id, its beginning, the
beginning of the random digits at its end, or last, for the run that began last (but for what tells of another run).`,
		Example: "  pflow runs list --failed\n  pflow runs show last\n  pflow runs show 1a2b3c4d --step fetch",
	}
	c.AddCommand(a.runsCancelCommand(), a.runsDiffCommand(), a.runsFixCommand(), a.runsListCommand(), a.runsLogsCommand(), a.runsPruneCommand(), a.runsReplayCommand(), a.runsRetryCommand(), a.runsShowCommand(), a.runsStatsCommand(), a.runsWhyCommand())
	return c
}

// findRun finds the run that an argument names.
func (a *app) findRun(given string) (runs.Row, error) {
	if err := a.needsHome(); err != nil {
		return runs.Row{}, err
	}
	row, err := a.history().Find(given)
	var none *runs.NotFound
	switch {
	case err == nil && row.Error != nil && row.Error.Kind == runs.Unreadable:
		return row, usage("run %s cannot be read: %s", row.ID, row.Error.Message)
	case errors.As(err, &none) && none.None:
		return row, &exitError{Code: exitUsage, Message: fmt.Sprintf("there are no runs in %s yet", a.home().Path("runs")), Absent: true}
	case errors.As(err, &none):
		return row, absent(given, a.runIDs(""), "pflow runs list", "%v in %s", err, a.home().Path("runs"))
	case err != nil:
		return row, usage("%v", err)
	}
	return row, nil
}

// mostCompleted is how many runs a completion lists.
const mostCompleted = 50

// runIDs lists ids of the newest runs that may be meant by what was begun; with statuses only those that have one.
func (a *app) runIDs(begun string, status ...runs.Status) (out []string) {
	if a.homeDir() == "" {
		return nil
	}
	for _, r := range a.history().Complete(begun, mostCompleted, status...) {
		out = append(out, r.ID)
	}
	return out
}

// completeRuns completes the id of a run: what was begun may be its beginning, or that of its random digits.
func (a *app) completeRuns(status ...runs.Status) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, r := range a.history().Complete(begun, mostCompleted, status...) {
			id := r.ID
			if !strings.HasPrefix(id, begun) {
				id = runs.Short(id)
			}
			out = append(out, id+"\t"+fmt.Sprintf("%s %s", r.Status, oneLine(r.What())))
		}
		if strings.HasPrefix(runs.Last, begun) && begun != "" {
			out = append(out, runs.Last)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
