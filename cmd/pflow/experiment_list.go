package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/experiment"
)

// experimentsSchema names the shape of `pflow experiment list --json`.
const experimentsSchema = "pflow.experiments/v1"

// listedExperiment is a line of the list.
type listedExperiment struct {
	ID    string    `json:"id"`
	Begun time.Time `json:"begun"`
	*experiment.Summary
}

// unreadExperiment is a folder that cannot be read.
type unreadExperiment struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

func (a *app) experimentListCommand() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:   "list",
		Short: "List the experiments, the newest first",
		Long: `List the experiments, the newest first: the id, when it was begun, its name, cases and variants, how many rows are made of how many,
and what it came to: the verdict on each variant with its difference to the baseline, or the score of a single one.`,
		Example: "  pflow experiment list\n  pflow experiment list --limit 5 --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if limit < 0 {
				return ofFlag("limit", strconv.Itoa(limit), "want a number of experiments, or 0 for all")
			}
			return a.listExperiments(limit)
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many experiments at most; 0: all")
	return c
}

// experimentIDs are those of the home, the newest first.
func (a *app) experimentIDs() (dir string, ids []string, err error) {
	if dir, err = a.experimentsDir(); err != nil {
		return "", nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, usage("%s", fileError(err))
	}
	at := map[string]time.Time{}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), experiment.NewPrefix) {
			ids = append(ids, e.Name())
			at[e.Name()] = made(dir, e.Name())
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(at[b].Compare(at[a]), strings.Compare(b, a)) })
	return dir, ids, nil
}

func (a *app) listExperiments(limit int) error {
	dir, ids, err := a.experimentIDs()
	if err != nil {
		return err
	}
	more := limit > 0 && len(ids) > limit
	if more {
		ids = ids[:limit]
	}
	list, unread := []listedExperiment{}, []unreadExperiment{}
	for _, id := range ids {
		s, err := summaryIn(filepath.Join(dir, id))
		if err != nil {
			unread = append(unread, unreadExperiment{id, err.Error()})
			continue
		}
		list = append(list, listedExperiment{id, made(dir, id), s})
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": experimentsSchema, "experiments": list, "unreadable": unread, "more": more})
	}
	for _, u := range unread {
		fmt.Fprintf(a.stderr, "left out: %s: %s\n", u.ID, u.Why)
	}
	if len(ids) == 0 {
		if !a.quiet {
			fmt.Fprintf(a.stderr, "there are no experiments in %s yet; pflow experiment run makes one\n", dir)
		}
		return nil
	}
	if len(list) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tBEGUN\tNAME\tCASES X VARIANTS\tROWS\tRESULT")
	for _, x := range list {
		result := strings.Join(x.Result(), "; ")
		fmt.Fprintf(w, "%s\t%s\t%s\t%d x %d\t%d of %d\t%s\n", x.ID, x.Begun.Local().Format("2006-01-02 15:04:05"), shortened(oneLine(x.Name), 40), x.Cases, len(x.Variants),
			x.Rows, x.Rows+x.Missing, shortened(oneLine(result), 120))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more && !a.quiet {
		fmt.Fprintf(a.stderr, "the newest %d; --limit shows more\n", limit)
	}
	return nil
}

func summaryIn(dir string) (*experiment.Summary, error) {
	store, err := experiment.ReadStore(dir)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return experiment.Summarize(store)
}
