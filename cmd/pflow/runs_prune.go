package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/runs"
	"pflow/internal/settings"
)

// prunedSchema names the shape of `pflow runs prune --json`.
const prunedSchema = "pflow.runs-pruned/v1"

func (a *app) runsPruneCommand() *cobra.Command {
	var older string
	var keep int
	var dryRun bool
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove finished runs that are no longer kept",
		Long: `Remove finished runs that are no longer kept, now: by the retention of settings.yaml, or by what --older-than and --keep say instead.
Runs that wait, that are under way or that can be resumed are never removed; pflow runs cancel gives one up. Runs that begin remove
old ones by themselves, a few at a time.`,
		Example: "  pflow runs prune\n  pflow runs prune --older-than 7d --dry-run\n  pflow runs prune --keep 100",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			s, err := a.settings()
			if err != nil {
				return err
			}
			by := s.Retention
			if c.Flags().Changed("older-than") || c.Flags().Changed("keep") { // each alone
				by.Runs, by.Age, by.Bytes = 1<<31-1, 1<<62, 1<<62
			}
			if c.Flags().Changed("keep") {
				if by.Runs = keep; keep < 0 {
					return ofFlag("keep", strconv.Itoa(keep), "want how many runs are kept, 0 or more")
				}
			}
			if c.Flags().Changed("older-than") {
				if by.Age, err = readAge(older); err != nil {
					return err
				}
			}
			now := time.Now()
			rows, err := a.history().NotKept(by, now)
			if err == nil && !dryRun {
				rows, err = a.history().Remove(rows)
			}
			if err != nil {
				return fail(exitFailed, "old runs: %s", fileError(err))
			}
			return a.pruned(rows, dryRun)
		},
	}
	f := c.Flags()
	f.StringVar(&older, "older-than", "", "remove those that began longer ago than this `TIME`, such as 12h or 30d")
	f.IntVar(&keep, "keep", 0, "keep the newest `N` runs")
	f.BoolVar(&dryRun, "dry-run", false, "list what would be removed, and remove nothing")
	return c
}

// readAge reads how long ago: 90m, 24h, 30d.
func readAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	return 0, ofFlag("older-than", strconv.Quote(text), "want how long ago, such as 90m, 24h or 30d")
}

// pruned tells which runs were removed, or would be.
func (a *app) pruned(rows []runs.Row, dryRun bool) error {
	var bytes int64
	for _, r := range rows {
		bytes += r.Bytes
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": prunedSchema, "removed": !dryRun, "runs": append([]runs.Row{}, rows...), "bytes": bytes})
	}
	if dryRun {
		for _, r := range rows {
			fmt.Fprintf(a.stdout, "%s  %s  %s\n", r.ID, r.Status, shortened(oneLine(r.What()), 60))
		}
	}
	if !a.quiet {
		verb := "removed"
		if dryRun {
			verb = "would remove"
		}
		fmt.Fprintf(a.stderr, "%s %s, %s\n", verb, count(len(rows), "run"), settings.Size(bytes))
	}
	return nil
}
