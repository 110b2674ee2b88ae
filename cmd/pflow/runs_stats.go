package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/printable"
	"pflow/internal/runs"
	"pflow/internal/workflow"
)

// runStatsSchema names the shape of `pflow runs stats --json`.
const runStatsSchema = "pflow.run-stats/v1"

// statsLimit is how many runs are read if nothing is said: each has its journal read and stepped through.
const statsLimit = 200

// shownStats is how long the steps of runs took.
type shownStats struct {
	Schema     string        `json:"schema"`
	Runs       int           `json:"runs"`       // that were read, the newest that were asked for
	More       bool          `json:"more"`       // there are more than --limit
	Unread     int           `json:"unread"`     // of these the runs whose journals cannot be read
	Percentile string        `json:"percentile"` // how percentiles are taken
	Of         []runs.Sample `json:"of"`
}

func (a *app) runsStatsCommand() *cobra.Command {
	var filter runsFilter
	var inside bool
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show how long each step takes over many runs",
		Long: `Show how long each step takes, over the newest runs of each workflow, flow and planner: how often it ran, the times that 50, 95 and 99
of 100 visits keep within and the longest (nearest rank: times that were measured), how often it failed or was tried again, its share of the
time of these runs, and the target that its flow declares for it. Visits in which no process worked on the run, and those kept from
another run, are left out. The journal of each run is read: --limit says of how many.`,
		Example: "  pflow runs stats\n  pflow runs stats --kind plan --since 7d\n  pflow runs stats --workflow weather --inside --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			q, err := a.runsWanted(&filter)
			if err != nil {
				return err
			}
			s, err := a.statsOf(q)
			switch {
			case err != nil:
				return err
			case a.asJSON:
				return a.printJSON(s)
			case s.Runs == 0:
				a.noRuns()
				return nil
			}
			return a.printStats(s, inside)
		},
	}
	a.filterRuns(c, &filter, statsLimit)
	c.Flags().BoolVar(&inside, "inside", false, "also the steps inside steps: items, rounds, and those of what is called; --json has them always")
	return c
}

// statsOf reads the runs of a query, one after the other.
func (a *app) statsOf(q runs.Query) (*shownStats, error) {
	rows, more, err := a.newestRuns(q)
	if err != nil {
		return nil, err
	}
	out := &shownStats{Schema: runStatsSchema, Runs: len(rows), More: more, Percentile: "nearest rank"}
	s, r := runs.NewStats(), &stepsReader{app: a, flows: map[[sha256.Size]byte]*engine.Flow{}}
	for _, row := range rows {
		past, steps, targets, err := r.read(row)
		if err != nil {
			if out.Unread++; out.Unread == 1 {
				a.warn("run %s is left out: %s", row.ID, strings.TrimSpace(err.Error()))
			}
			continue
		}
		s.Add(row, past, steps, targets)
	}
	if out.Unread > 1 {
		a.warn("%d more runs are left out, since they cannot be read", out.Unread-1)
	}
	out.Of = s.Samples()
	return out, nil
}

// stepsReader steps through runs again. Runs of one flow have the same documents most often: it is compiled once.
type stepsReader struct {
	app   *app
	flows map[[sha256.Size]byte]*engine.Flow
}

// read gives the steps of a run, and the targets of its flow.
func (r *stepsReader) read(row runs.Row) (*journal.Past, []*runs.Step, []engine.Target, error) {
	past, documents, err := journal.Read(r.app.homeDir(), row.ID)
	if err != nil {
		return nil, nil, nil, err
	}
	if workflow.IsDocuments(documents) {
		out := &shownRun{Run: row}
		err := r.app.showWorkflow(out, past, documents)
		return past, out.Steps, nil, err
	}
	sum := sha256.Sum256(documents)
	flow := r.flows[sum]
	if flow == nil {
		if flow, err = r.app.host().Recorded(documents); err != nil {
			return nil, nil, nil, err
		}
		r.flows[sum] = flow
	}
	t := runs.NewTrace(past.History.Events[0].Time, runs.Teller{})
	_, err = engine.Replay(flow, &past.History, t.Watch())
	return past, t.Steps(), flow.Targets(), err
}

// printStats prints a table for each workflow, flow and planner.
func (a *app) printStats(s *shownStats, inside bool) error {
	for i, of := range s.Of {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		kind := string(of.Kind)
		if of.Kind == journal.OfPlan {
			kind = "planner"
		}
		fmt.Fprintf(a.stdout, "%s %s: %s\n", orElse(kind, "run"), printable.Line(of.Name), count(of.Runs, "run"))
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "STEP\tN\tP50\tP95\tP99\tMAX\tFAILED\tRETRIES\tSHARE\tTARGET")
		statsLine(w, "the whole", of.Whole, "\t-\t-\t-\t-")
		for _, step := range of.Steps {
			if step.Inside && !inside {
				continue
			}
			statsLine(w, printable.Line(step.Step), step.Percentiles, fmt.Sprintf("\t%d\t%d\t%.0f%%\t%s", step.Failures, step.Retries, 100*step.Share, targetsMet(step.Targets)))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if s.More && !a.quiet {
		fmt.Fprintf(a.stderr, "of the newest %d runs; --limit reads more\n", s.Runs)
	}
	return nil
}

func statsLine(w *tabwriter.Writer, name string, p runs.Percentiles, rest string) {
	if p.N == 0 {
		fmt.Fprintf(w, "%s\t0\t-\t-\t-\t-%s\n", name, rest)
		return
	}
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s%s\n", name, p.N, duration(p.P50), duration(p.P95), duration(p.P99), duration(p.Max), rest)
}

// targetsMet says of each target of a step whether it was met.
func targetsMet(list []runs.Target) string {
	var out []string
	for _, t := range list {
		text := "met"
		if !t.Met {
			text = fmt.Sprintf("missed, %d over", t.Over)
		}
		out = append(out, fmt.Sprintf("p%d within %s: %s", t.Percent, duration(t.WithinMS), text))
	}
	return dash(strings.Join(out, "; "))
}
