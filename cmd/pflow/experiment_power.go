package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	kept, err := a.keptExperiments()
	if err != nil {
		return err
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

// keptExperiments are the folders of those in the home, the newest first.
func (a *app) keptExperiments() ([]string, error) {
	dir, err := a.experimentsDir()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%s", fileError(err))
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), experiment.NewPrefix) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(out, func(x, y string) int {
		return cmp.Or(made(dir, filepath.Base(y)).Compare(made(dir, filepath.Base(x))), strings.Compare(y, x))
	})
	return out, nil
}
