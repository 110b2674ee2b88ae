package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pflow/internal/diag"
	"pflow/internal/experiment"
)

// experimentPower tells what the cases of an experiment would show. Nothing is run, and nothing kept.
func (a *app) experimentPower(c *cobra.Command, args []string, f *experimentFlags) error {
	for _, flag := range []string{"resume", "retry-errors", "id", "fail-on", "fail-if"} {
		if c.Flags().Changed(flag) {
			return usage("--power runs nothing, so that there is nothing for --%s: leave one of them out", flag)
		}
	}
	spec, err := a.experimentSpec(c, args, f)
	if err != nil {
		return err
	}
	dir, ids, err := a.experimentIDs()
	if err != nil {
		return err
	}
	kept := make([]string, len(ids))
	for i, id := range ids {
		kept[i] = filepath.Join(dir, id)
	}
	p, err := experiment.PlanPower(spec, kept)
	if err != nil {
		if invalid := (*diag.Err)(nil); errors.As(err, &invalid) {
			return err
		}
		return usage("%s", fileError(err))
	}
	if a.asJSON {
		return a.printJSON(p)
	}
	fmt.Fprint(a.stdout, p.Text())
	return nil
}
