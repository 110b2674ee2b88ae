package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pflow/internal/experiment"
)

// experimentPreparedSchema names the shape of `pflow experiment run --dry-run --json`.
const experimentPreparedSchema = "pflow.experiment-prepared/v1"

// dryExperiment checks an experiment as one is that begins, says what it would do, and runs nothing.
func (a *app) dryExperiment(c *cobra.Command, args []string, f *experimentFlags) error {
	for _, flag := range []string{"resume", "retry-errors", "again", "watch", "power"} {
		if c.Flags().Changed(flag) {
			return usage("--dry-run looks at an experiment that begins: leave out --%s", flag)
		}
	}
	spec, err := a.experimentSpec(c, args, f)
	if err != nil {
		return err
	}
	o, err := a.experimentOptions(c.Context(), spec)
	if err != nil {
		return err
	}
	id := f.id
	if id == "" {
		if id, err = experiment.ID(spec, o); err != nil {
			return experimentError(err)
		}
	}
	temp, err := os.MkdirTemp("", "pflow-experiment-*")
	if err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	defer os.RemoveAll(temp)
	p, err := experiment.Prepare(filepath.Join(temp, "dry"), spec, o)
	if err != nil {
		return experimentError(err)
	}
	rows := 0
	if dir, last, _, err := a.lastOf(id); err == nil && last != "" {
		if rows, err = rowsIn(filepath.Join(dir, last)); err != nil {
			return usage("%s", fileError(err))
		}
		if id = last; rows == p.Total && p.Models == experiment.AsksNow {
			rows = 0 // models that are asked anew may say something else
		}
	}
	if a.asJSON {
		return a.printJSON(struct {
			Schema string `json:"schema"`
			ID     string `json:"id"`
			Rows   int    `json:"rows"`
			*experiment.Prepared
		}{experimentPreparedSchema, id, rows, p})
	}
	fmt.Fprintf(a.stdout, "%s: %s, %s, %s each: %s to make", p.Name, count(p.Cases, "case"), count(len(p.Variants), "variant"), count(p.Repeats, "run"), count(p.Total-rows, "plan"))
	if rows > 0 {
		fmt.Fprintf(a.stdout, "; %d of %d are there", rows, p.Total)
	}
	fmt.Fprintln(a.stdout)
	switch p.Models {
	case experiment.AsksNone:
		fmt.Fprintln(a.stdout, "no model is called: no flow asks one")
	case experiment.AsksKept:
		fmt.Fprintln(a.stdout, "no model is called: replies are recorded")
	default:
		fmt.Fprintln(a.stdout, "models are called, which may cost")
	}
	for _, v := range p.Variants {
		fmt.Fprintf(a.stdout, "\n%s\n", v.Name)
		for _, line := range v.Diff {
			fmt.Fprintln(a.stdout, "  "+line)
		}
	}
	return nil
}

// rowsIn is how many rows a kept experiment has.
func rowsIn(dir string) (int, error) {
	store, err := experiment.ReadStore(dir)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	s, err := experiment.Show(store)
	if err != nil {
		return 0, err
	}
	return s.Rows, nil
}
