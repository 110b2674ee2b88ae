package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/internal/experiment"
)

// experimentMatrixSchema names the shape of `pflow experiment matrix --json`.
const experimentMatrixSchema = "pflow.experiment-matrix/v1"

func (a *app) experimentMatrixCommand() *cobra.Command {
	var f experiment.Filter
	c := &cobra.Command{
		Use:   "matrix [ID]",
		Short: "List cases of an experiment under every variant: those that differ, fail, have an outcome or say a text",
		Long: `List the cases of an experiment, by default the newest, under every variant: + passes, - fails, 1/3 passes one run of three, . is not made yet.

--diff says which: differ (from the baseline under any variant), fixed and broken (pass more, or less often than under the baseline), fails and passes
(under every variant), varies (from run to run), missing (not made yet). With --of they are those of one variant. With --json stands beside each choice
how many cases it would show.`,
		Example: `  pflow experiment matrix --diff differ
  pflow experiment matrix last --diff broken --of careful
  pflow experiment matrix first --outcome abstain --text haircut --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeExperiments,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, choice := range []struct {
				flag, value string
				of          []string
			}{{"diff", f.Diff, experiment.Differences}, {"outcome", f.Outcome, experiment.Outcomes}} {
				if choice.value != "" && !slices.Contains(choice.of, choice.value) {
					return usage("--%s %s: there is no such%s; there are: %s", choice.flag, choice.value, didYouMean(choice.value, choice.of), strings.Join(choice.of, ", "))
				}
			}
			if f.Limit < 0 || f.Skip < 0 {
				return usage("--limit and --skip want a number of cases from 0")
			}
			return a.experimentMatrix(strings.Join(args, ""), f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.Diff, "diff", "", "only cases that are this `KIND` of different: "+strings.Join(experiment.Differences, ", "))
	fl.StringVar(&f.Of, "of", "", "look at this `VARIANT` alone")
	fl.StringVar(&f.Outcome, "outcome", "", "only cases of which a plan had this `OUTCOME`: "+strings.Join(experiment.Outcomes, ", "))
	fl.StringVar(&f.Group, "group", "", "only cases of this `GROUP`")
	fl.StringVar(&f.Text, "text", "", "only cases with this `TEXT` in their id, request, plans or findings")
	fl.IntVar(&f.Limit, "limit", 50, "how many cases at most; 0: all")
	fl.IntVar(&f.Skip, "skip", 0, "leave out so many cases that come first")
	return c
}

func (a *app) experimentMatrix(id string, f experiment.Filter) error {
	store, err := a.readExperiment(id)
	if err != nil {
		return err
	}
	defer store.Close()
	m, err := experiment.ReadMatrix(store, f)
	if err != nil {
		return usage("%s", fileError(err))
	}
	if a.asJSON {
		return a.printMasked(struct {
			Schema     string `json:"schema"`
			Experiment string `json:"experiment"`
			*experiment.Matrix
		}{experimentMatrixSchema, filepath.Base(store.Dir), m})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CASE\t"+strings.Join(m.Variants, "\t")+"\tREQUEST")
	for _, row := range m.Rows {
		var marks []string
		for _, c := range row.Cells {
			marks = append(marks, c.Mark())
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", row.ID, strings.Join(marks, "\t"), a.reportMasks().Text(shortened(oneLine(row.Request), 80)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if shown := len(m.Rows); shown < m.Matching && !a.quiet {
		fmt.Fprintf(a.stderr, "%d of %s; --limit and --skip show others\n", shown, count(m.Matching, "case"))
	}
	return nil
}
