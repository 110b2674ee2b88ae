package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/experiment"
)

func (a *app) experimentCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "experiment",
		Short: "Compare planner flows on cases with known expectations",
		Long: `An experiment plans every case under every variant, scores the plans, and compares the variants case by case: a
difference with its interval, p, and a verdict against the smallest difference that matters.`,
		Example: "  pflow experiment run ./experiment.yaml\n  pflow experiment report --format markdown",
	}
	c.AddCommand(a.experimentCasesCommand(), a.experimentCompareCommand(), a.experimentListCommand(), a.experimentLiveCommand(),
		a.experimentMatrixCommand(), a.experimentReportCommand(), a.experimentRunCommand(), a.experimentShowCommand())
	return c
}

// experimentsDir is where experiments are kept.
func (a *app) experimentsDir() (string, error) {
	if err := a.needsHome(); err != nil {
		return "", err
	}
	return a.home().Path("experiments"), nil
}

// idParts takes an id of the program's making apart: the name of the experiment, what decides its rows, and a number if
// that was run before.
var idParts = regexp.MustCompile(`^(.+)-[0-9a-f]{8}(?:-([0-9]+))?$`)

// lastExperiment stands for the newest.
const lastExperiment = "last"

// readExperiment opens an experiment to read it, found as experimentDir does.
func (a *app) readExperiment(id string) (*experiment.Store, error) {
	dir, err := a.experimentDir(id)
	if err != nil {
		return nil, err
	}
	store, err := experiment.ReadStore(dir)
	if err != nil {
		return nil, usage("%s", fileError(err))
	}
	return store, nil
}

// experimentDir finds an experiment by its id, its name (the newest of it), the beginning of one id, or "" or last for the
// newest of all.
func (a *app) experimentDir(id string) (string, error) {
	dir, ids, err := a.experimentIDs()
	if err != nil {
		return "", err
	}
	if len(ids) == 0 {
		return "", &exitError{Code: exitUsage, Message: "there are no experiments yet", Do: "; pflow experiment run makes one", Absent: true}
	}
	if id == "" || id == lastExperiment {
		return filepath.Join(dir, ids[0]), nil
	}
	if slices.Contains(ids, id) {
		return filepath.Join(dir, id), nil
	}
	var named, found []string
	for _, known := range ids {
		if m := idParts.FindStringSubmatch(known); m != nil && m[1] == experiment.IDName(id) {
			named = append(named, known)
		}
		if strings.HasPrefix(known, id) {
			found = append(found, known)
		}
	}
	if len(named) > 0 {
		return filepath.Join(dir, named[0]), nil
	}
	slices.Sort(ids)
	slices.Sort(found)
	switch len(found) {
	case 1:
		return filepath.Join(dir, found[0]), nil
	case 0:
		return "", absent(id, ids, "pflow experiment list", "there is no experiment %q", id)
	}
	return "", usage("%q is the beginning of several experiments: %s", id, strings.Join(found, ", "))
}

// made is when an experiment was begun, or was asked for again.
func made(dir, id string) time.Time {
	info, err := os.Stat(filepath.Join(dir, id, experiment.LockFile))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// goalFlags say by which metric flows are compared, and what that may take.
type goalFlags struct {
	budget  experiment.Budget
	primary string
	effect  float64
}

func (g *goalFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.Float64Var(&g.budget.CostUSD, "max-cost", 0, "stop once so many `USD` were spent")
	fl.IntVar(&g.budget.Calls, "max-calls", 0, "stop after so many calls of models")
	fl.IntVar(&g.budget.Tokens, "max-tokens", 0, "stop after so many tokens")
	fl.StringVar(&g.primary, "primary", string(experiment.Pass), "the `METRIC` that decides")
	fl.Float64Var(&g.effect, "effect", experiment.Defaults().Effect, "the smallest difference of it that matters")
}

// gateFlags are the conditions of a command line that fail an experiment.
type gateFlags struct {
	failOn []string
	failIf []string
}

func (g *gateFlags) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&g.failOn, "fail-on", nil, "exit with status 100 on this `VERDICT`: "+strings.Join(experiment.Verdicts, ", "))
	c.Flags().StringArrayVar(&g.failIf, "fail-if", nil, "exit with status 100 if this `EXPR` over the report holds, such as errors > 0 (repeatable)")
}

func (g *gateFlags) read() ([]string, []experiment.Condition, error) {
	var verdicts []string
	for _, v := range g.failOn {
		name := strings.ToUpper(strings.TrimSpace(v))
		if !slices.Contains(experiment.Verdicts, name) {
			return nil, nil, usage("--fail-on %s: there is no such verdict%s; there are: %s", v, didYouMean(name, experiment.Verdicts), strings.Join(experiment.Verdicts, ", "))
		}
		verdicts = append(verdicts, name)
	}
	var conditions []experiment.Condition
	for _, source := range g.failIf {
		c, problem := experiment.ReadCondition(source)
		if problem != "" {
			return nil, nil, usage("--fail-if %s: %s", source, problem)
		}
		conditions = append(conditions, c)
	}
	return verdicts, conditions, nil
}

// gate is the error of a report that fails the experiment.
func gate(r *experiment.Report, failOn []string, failIf []experiment.Condition) error {
	if why := r.Gate(failOn, failIf); len(why) > 0 {
		return fail(exitGate, "the experiment fails: %s", strings.Join(why, "; "))
	}
	return nil
}
