package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pflow/internal/diag"
	"pflow/internal/experiment"
)

// tuneSpec is what the experiments have in common, and the cases.
func (a *app) tuneSpec(c *cobra.Command, f *tuneFlags) (*experiment.Spec, []experiment.Case, error) {
	s := experiment.Defaults()
	s.Name, s.Repeats, s.Concurrency, s.Seed, s.Budget = "tune", f.repeats, f.concurrency, uint64(f.seed), f.budget
	s.Primary, s.Effect, s.Date, s.NoBuiltin = experiment.Metric(f.primary), f.effect, a.date, a.noBuiltin
	s.Catalogue = append(s.Catalogue, a.nodeFiles...)
	s.Replies = experiment.Replies{Record: a.record, Replay: a.replay, ReplayOrCall: a.replayOrCall}
	if problem := s.Problem(); problem != "" {
		return nil, nil, usage("%s", problem)
	}
	var err error
	if s.Dir, err = filepath.Abs(filepath.Dir(f.cases)); err != nil {
		return nil, nil, usage("%v", err)
	}
	s.Library = f.library
	for _, folder := range []*string{&s.Library, &s.Replies.Record, &s.Replies.Replay} {
		if *folder != "" {
			if *folder, err = filepath.Abs(*folder); err != nil {
				return nil, nil, usage("%v", err)
			}
		}
	}
	file, err := experiment.OpenCases(f.cases)
	if err != nil {
		return nil, nil, usage("%s", fileError(err))
	}
	defer file.Close()
	var cases []experiment.Case
	found, err := experiment.ReadCases(f.cases, file, func(one experiment.Case) error {
		cases = append(cases, one)
		return nil
	})
	if found.HasErrors() {
		return nil, nil, &diag.Err{List: found}
	}
	if err != nil {
		return nil, nil, usage("%s", fileError(err))
	}
	if len(cases) == 0 {
		return nil, nil, usage("%s has no cases", f.cases)
	}
	return &s, cases, nil
}

// tuneChecks does with all cases what an experiment does before its first plan: what cannot be on the held-out part is said before
// the search, and not after it.
func (a *app) tuneChecks(ctx context.Context, t *tuneRun, cases []experiment.Case) error {
	spec := t.search.Spec
	spec.Variants, spec.Inline, spec.Catalogue = []experiment.Variant{t.search.Flow}, cases, slices.Clone(spec.Catalogue)
	o, err := a.experimentOptions(ctx, &spec)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "pflow-tune-*")
	if err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	defer os.RemoveAll(temp)
	if _, err := experiment.Prepare(filepath.Join(temp, "all"), &spec, o); err != nil {
		return experimentError(err)
	}
	return nil
}
