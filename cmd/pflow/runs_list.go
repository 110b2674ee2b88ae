package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/runs"
)

// runsSchema names the shape of `pflow runs list --json`.
const runsSchema = "pflow.runs/v1"

func (a *app) runsListCommand() *cobra.Command {
	var filter runsFilter
	var before string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the runs, the newest first",
		Long: `List the runs, the newest first: the end of its id, when it began, how it stands, how long it took, what it cost, who started it, and
what ran: a workflow, a flow, or the request that was planned. --since takes a day (2026-01-31), a moment (2026-01-31T08:00) or how
long ago (90m, 24h, 7d). --before goes on behind the last run of a list.`,
		Example: "  pflow runs list\n  pflow runs list --failed --since 24h\n  pflow runs list --workflow fix-issue --limit 5 --json\n  pflow runs list --before 1a2b3c4d",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			q, err := a.runsWanted(&filter)
			if err != nil {
				return err
			}
			if before != "" {
				row, err := a.findRun(before)
				if err != nil {
					return err
				}
				q.Before = &row
			}
			return a.listRuns(q)
		},
	}
	a.filterRuns(c, &filter, 20)
	c.Flags().StringVar(&before, "before", "", "only runs that began before this `RUN`")
	a.completes(c, "before", a.completeRuns())
	return c
}

// runsFilter is what the flags of a command say of the runs that are wanted.
type runsFilter struct {
	runs.Query
	status      []string
	failed      bool
	since, kind string
}

// filterRuns gives a command the flags of a filter. most is how many runs are wanted if nothing is said.
func (a *app) filterRuns(c *cobra.Command, to *runsFilter, most int) {
	f := c.Flags()
	f.StringSliceVar(&to.status, "status", nil, "only runs with this `STATUS`: "+statusWords()+" (repeatable)")
	f.BoolVar(&to.failed, "failed", false, "only runs that failed or hit a limit, and plans that failed or were invalid")
	f.StringVar(&to.Name, "workflow", "", "only runs of this workflow, or of this flow (`NAME`)")
	f.StringVar(&to.kind, "kind", "", "only runs of this `KIND`: workflow, plan or flow")
	f.StringVar(&to.By, "by", "", "only runs that were started by `WHO`: person, mcp, retry, fix, replay, schedule:NAME, each:ID, run:ID")
	f.StringVar(&to.since, "since", "", "only runs that began since this `TIME`")
	f.IntVar(&to.Limit, "limit", most, "how many runs at most; 0: all")
	a.completes(c, "status", cobra.FixedCompletions(strings.Split(statusWords(), ", "), cobra.ShellCompDirectiveNoFileComp))
	a.completes(c, "kind", cobra.FixedCompletions([]string{"workflow", "plan", "flow"}, cobra.ShellCompDirectiveNoFileComp))
	a.completes(c, "workflow", a.completeWorkflows)
}

// runsWanted is the query of a filter.
func (a *app) runsWanted(f *runsFilter) (runs.Query, error) {
	q := f.Query
	if err := a.needsHome(); err != nil {
		return q, err
	}
	for _, s := range f.status {
		if !slices.Contains(runs.Statuses, runs.Status(s)) {
			return q, ofFlag("status", strconv.Quote(s), "want one of %s%s", statusWords(), didYouMean(s, strings.Split(statusWords(), ", ")))
		}
		q.Status = append(q.Status, runs.Status(s))
	}
	if f.failed {
		q.Status = append(q.Status, runs.Failed, runs.Limited, runs.Invalid)
	}
	if kinds := []journal.Kind{journal.OfWorkflow, journal.OfPlan, journal.OfFlow}; f.kind != "" && !slices.Contains(kinds, journal.Kind(f.kind)) {
		return q, ofFlag("kind", strconv.Quote(f.kind), "want workflow, plan or flow")
	}
	q.Kind = journal.Kind(f.kind)
	if q.Limit < 0 {
		return q, ofFlag("limit", strconv.Itoa(q.Limit), "want a number of runs, or 0 for all")
	}
	var err error
	q.Since, err = readSince(f.since, time.Now())
	return q, err
}

// newestRuns gives the runs of a query, and whether there are more than its limit.
func (a *app) newestRuns(q runs.Query) (rows []runs.Row, more bool, err error) {
	limit := q.Limit
	if limit > 0 {
		q.Limit++
	}
	if rows, err = a.history().List(q); err != nil {
		return nil, false, fail(exitFailed, "the runs in %s: %s", a.home().Path("runs"), fileError(err))
	}
	if limit > 0 && len(rows) > limit {
		return rows[:limit], true, nil
	}
	return rows, false, nil
}

// noRuns says that there are none of a query, or none at all.
func (a *app) noRuns() {
	if a.quiet {
		return
	}
	if any, err := a.history().List(runs.Query{Limit: 1}); err == nil && len(any) > 0 {
		fmt.Fprintln(a.stderr, "no run is so; pflow runs list shows all")
		return
	}
	fmt.Fprintf(a.stderr, "there are no runs in %s yet; each run of a workflow, of a flow, and each plan gets its line here\n", a.home().Path("runs"))
}

func statusWords() string {
	var words []string
	for _, s := range runs.Statuses {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}

// readSince reads a day, a moment, or how long ago; zero if nothing is given.
func readSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, ofFlag("since", strconv.Quote(text), "want a day such as 2026-01-31, a moment such as 2026-01-31T08:00, or how long ago: 90m, 24h, 7d")
}

// listRuns prints the runs that are asked for.
func (a *app) listRuns(q runs.Query) error {
	rows, cut, err := a.newestRuns(q)
	if err != nil {
		return err
	}
	if a.asJSON {
		if err := a.history().Came(rows); err != nil {
			return fail(exitFailed, "the runs in %s: %s", a.home().Path("runs"), fileError(err))
		}
		return a.printJSON(map[string]any{"schema": runsSchema, "runs": rows, "more": cut})
	}
	if len(rows) == 0 {
		a.noRuns()
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tBEGAN\tSTATUS\tTOOK\tCOST\tBY\tWHAT")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", runs.Short(r.ID), r.Started.Local().Format("2006-01-02 15:04:05"), r.Status, took(r), price(r.CostUSD), dash(oneLine(r.By)), shortened(oneLine(r.What()), 60))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if cut && !a.quiet {
		fmt.Fprintf(a.stderr, "the newest %d; --limit shows more\n", len(rows))
	}
	return nil
}

func dash(s string) string { return orElse(s, "-") }

func took(r runs.Row) string {
	if r.Status == runs.Interrupted {
		return "-"
	}
	return duration(r.DurationMS)
}

// duration is a time in milliseconds as people say it.
func duration(ms float64) string {
	switch d := time.Duration(ms * float64(time.Millisecond)); {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", ms)
	case d < time.Second:
		return fmt.Sprintf("%.0fms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}

func price(usd float64) string {
	switch {
	case usd == 0:
		return "-"
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// shortened is a text of at most so many characters.
func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
