package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/diag"
	"pflow/internal/experiment"
)

// keptName is what experiments, searches and cases of the home can be called.
var keptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// openExperiment makes a new experiment, or opens the one to go on with.
func (a *app) openExperiment(c *cobra.Command, args []string, f *experimentFlags) (*experiment.Experiment, *experiment.Store, func(), error) {
	fails := func(err error) (*experiment.Experiment, *experiment.Store, func(), error) { return nil, nil, nil, err }
	if f.resume != "" {
		if len(args) > 0 {
			return fails(usage("--resume goes on with an experiment as it began: leave out %s", args[0]))
		}
		store, err := a.storeToResume(c, f)
		if err != nil {
			return fails(err)
		}
		x, err := a.resumeExperiment(c.Context(), store)
		if err != nil {
			store.Close()
			return fails(err)
		}
		f.changeable(c, x.Spec)
		if problem := x.Spec.Problem(); problem != "" {
			store.Close()
			return fails(usage("%s", problem))
		}
		return x, store, func() { store.Close() }, nil
	}
	if f.again && f.id != "" {
		return fails(usage("--again begins an experiment of the same rows anew, and --id gives it a name of its own: leave out one of them"))
	}
	if f.retry {
		return fails(usage("--retry-errors goes with --resume ID"))
	}
	spec, err := a.experimentSpec(c, args, f)
	if err != nil {
		return fails(err)
	}
	o, err := a.experimentOptions(c.Context(), spec)
	if err != nil {
		return fails(err)
	}
	if f.id != "" {
		return a.newExperiment(f.id, spec, o)
	}
	return a.sameExperiment(spec, o, f)
}

// newExperiment makes one of this id.
func (a *app) newExperiment(id string, spec *experiment.Spec, o experiment.Options) (*experiment.Experiment, *experiment.Store, func(), error) {
	fails := func(err error) (*experiment.Experiment, *experiment.Store, func(), error) { return nil, nil, nil, err }
	if !keptName.MatchString(id) {
		return fails(usage("--id %s: want letters, digits, hyphens and underscores, at most 100 of them", clipped(id)))
	}
	dir, err := a.experimentsDir()
	if err != nil {
		return fails(err)
	}
	store, err := experiment.CreateStore(filepath.Join(dir, id))
	if err != nil {
		return fails(usage("the experiment cannot be kept: %s", fileError(err)))
	}
	x, err := experiment.Create(store, spec, o)
	if err != nil {
		store.Close()
		return fails(experimentError(err))
	}
	return x, store, func() { store.Close() }, nil
}

// sameExperiment is the experiment of the same rows, if there is one: it has them all, or is gone on with. Where a model is
// asked anew, or --again says so, the next one begins.
func (a *app) sameExperiment(spec *experiment.Spec, o experiment.Options, f *experimentFlags) (*experiment.Experiment, *experiment.Store, func(), error) {
	fails := func(err error) (*experiment.Experiment, *experiment.Store, func(), error) { return nil, nil, nil, err }
	base, err := experiment.ID(spec, o)
	if err != nil {
		return fails(experimentError(err))
	}
	dir, last, n, err := a.lastOf(base)
	if err != nil {
		return fails(err)
	}
	if last == "" {
		return a.newExperiment(base, spec, o)
	}
	if !f.again {
		x, store, err := a.knownExperiment(filepath.Join(dir, last), spec, o)
		if err != nil {
			return fails(err)
		}
		if x != nil {
			return x, store, func() { store.Close() }, nil
		}
	}
	return a.newExperiment(fmt.Sprintf("%s-%d", base, n+1), spec, o)
}

// lastOf is the last experiment in dir of the rows that base stands for, "" if there is none, and its number.
func (a *app) lastOf(base string) (dir, last string, n int, err error) {
	dir, ids, err := a.experimentIDs()
	for _, id := range ids {
		if m := idParts.FindStringSubmatch(id); m != nil && (id == base || strings.HasPrefix(id, base+"-")) {
			if number, _ := strconv.Atoi(cmp.Or(m[2], "1")); number > n {
				last, n = id, number
			}
		}
	}
	return dir, last, n, err
}

// knownExperiment opens an experiment that has, or will have, the rows of a spec; nil where a run would have others.
func (a *app) knownExperiment(dir string, spec *experiment.Spec, o experiment.Options) (*experiment.Experiment, *experiment.Store, error) {
	store, err := experiment.OpenStore(dir)
	if err != nil {
		return nil, nil, usage("%s", fileError(err))
	}
	x, err := experiment.Again(store, spec, o)
	var kept experiment.Kept
	if err == nil {
		kept, err = x.Kept()
	}
	id := filepath.Base(dir)
	switch {
	case err != nil:
		store.Close()
		return nil, nil, experimentError(err)
	case kept.Missing > 0:
		a.aside("going on with experiment %s, which has %d of %d rows; to begin anew: --again", id, kept.Rows, kept.Rows+kept.Missing)
	case kept.Settled:
		a.aside("nothing has changed since experiment %s, which is shown again; to run it anew: --again", id)
	default:
		store.Close()
		return nil, nil, nil
	}
	return x, store, nil
}

// storeToResume opens the experiment to go on with. Flags that would make other rows than it began with are refused.
func (a *app) storeToResume(c *cobra.Command, f *experimentFlags) (*experiment.Store, error) {
	for _, flag := range []string{"a", "b", "cases", "repeats", "seed", "allow-equal", "record", "replay", "replay-or-call", "carry", "primary", "effect", "id", "again", "date", "nodes", "no-builtin", "model", "set"} {
		if c.Flags().Changed(flag) {
			return nil, usage("--resume goes on with an experiment as it began: leave out --%s", flag)
		}
	}
	dir, err := a.experimentDir(f.resume)
	if err != nil {
		return nil, err
	}
	store, err := experiment.OpenStore(dir)
	if err != nil {
		return nil, usage("%s", fileError(err))
	}
	return store, nil
}

func (a *app) resumeExperiment(ctx context.Context, store *experiment.Store) (*experiment.Experiment, error) {
	spec, _, err := store.Spec()
	if err != nil {
		return nil, usage("%s", fileError(err))
	}
	if err := a.unpackedAgain(spec); err != nil {
		return nil, err
	}
	o, err := a.experimentOptions(ctx, spec)
	if err != nil {
		return nil, err
	}
	x, err := experiment.Resume(store, o)
	if err != nil {
		return nil, experimentError(err)
	}
	return x, nil
}

// experimentError says what is wrong with an experiment.
func experimentError(err error) error {
	var invalid *diag.Err
	var exit *exitError
	if errors.As(err, &invalid) || errors.As(err, &exit) {
		return err
	}
	return usage("%s", fileError(err))
}

// changeable takes the flags that an experiment can be gone on with: they change no row.
func (f *experimentFlags) changeable(c *cobra.Command, spec *experiment.Spec) {
	for flag, take := range map[string]func(){
		"concurrency": func() { spec.Concurrency = f.concurrency }, "max-cost": func() { spec.Budget.CostUSD = f.budget.CostUSD },
		"max-calls": func() { spec.Budget.Calls = f.budget.Calls }, "max-tokens": func() { spec.Budget.Tokens = f.budget.Tokens },
	} {
		if c.Flags().Changed(flag) {
			take()
		}
	}
}
