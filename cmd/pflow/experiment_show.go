package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/experiment"
	"pflow/internal/fault"
)

// The shapes of `pflow experiment show --json`.
const (
	experimentShownSchema = "pflow.experiment-shown/v1"
	experimentCaseSchema  = "pflow.experiment-case/v1"
)

func (a *app) experimentShowCommand() *cobra.Command {
	var variant string
	c := &cobra.Command{
		Use:   "show [ID [CASE]]",
		Short: "Show an experiment as it was run, or a case of it with all that happened",
		Long: `Show an experiment as it was run: its settings, each variant with its flow, model, settings, prompts and commit, where replies
come from, and how far it is. With a case, show what happened under each variant, or under one: what was expected, the plan, what
was not as expected, the route with why each edge was taken, and prompts and replies. An ID may be the beginning of one, or last.`,
		Example: "  pflow experiment show\n  pflow experiment show first\n  pflow experiment show last copy-1 --variant careful",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 && variant != "" {
				return usage("--variant goes with a case: pflow experiment show ID CASE --variant %s", shellQuote(variant))
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			store, err := a.readExperiment(id)
			if err != nil {
				return err
			}
			defer store.Close()
			if len(args) == 2 {
				return a.showCase(store, args[1], variant)
			}
			return a.showExperiment(store)
		},
		ValidArgsFunction: a.completeShown,
	}
	c.Flags().StringVar(&variant, "variant", "", "only what happened under this `VARIANT`")
	a.completes(c, "variant", a.completeShownVariants)
	return c
}

func (a *app) showExperiment(store *experiment.Store) error {
	s, err := experiment.Show(store)
	if err != nil {
		return usage("%s", fileError(err))
	}
	id := filepath.Base(store.Dir)
	begun := made(filepath.Dir(store.Dir), id)
	if a.asJSON {
		return a.printMasked(struct {
			Schema string    `json:"schema"`
			ID     string    `json:"id"`
			Begun  time.Time `json:"begun"`
			*experiment.Shown
		}{experimentShownSchema, id, begun, s})
	}
	fmt.Fprintf(a.stdout, "%s, begun %s\n", id, begun.Local().Format("2006-01-02 15:04:05"))
	fmt.Fprint(a.stdout, a.reportMasks().Text(s.Text()))
	return nil
}

func (a *app) showCase(store *experiment.Store, id, variant string) error {
	c, err := experiment.ShowCase(store, id, variant)
	if err != nil {
		return &exitError{Code: exitUsage, Message: err.Error(), Absent: fault.Of(err).Kind == fault.NotFound}
	}
	if a.asJSON {
		return a.printMasked(struct {
			Schema     string `json:"schema"`
			Experiment string `json:"experiment"`
			*experiment.ShownCase
		}{experimentCaseSchema, filepath.Base(store.Dir), c})
	}
	fmt.Fprint(a.stdout, a.reportMasks().Text(c.Text()))
	return nil
}

// printMasked prints JSON without the keys of models: prompts and replies hold what a model was sent and said.
func (a *app) printMasked(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.printJSON(json.RawMessage(a.reportMasks().Text(string(data))))
}

// completeShown offers ids of experiments, and then those of the cases of one.
func (a *app) completeShown(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return a.completeExperiments(c, args, begun)
	case 1:
		var out []string
		a.withExperiment(args[0], func(s *experiment.Store) { out, _ = s.CaseIDs(begun) })
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeShownVariants(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if len(args) > 0 {
		a.withExperiment(args[0], func(s *experiment.Store) {
			if shown, err := experiment.Show(s); err == nil {
				for _, v := range shown.Variants {
					out = append(out, v.Name)
				}
			}
		})
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeExperiments offers the ids of experiments, the newest first.
func (a *app) completeExperiments(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, ids, _ := a.experimentIDs()
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// withExperiment opens an experiment, if there is one of the id.
func (a *app) withExperiment(id string, do func(*experiment.Store)) {
	if s, err := a.readExperiment(id); err == nil {
		do(s)
		s.Close()
	}
}
