package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/diag"
)

// checked is one flow of `flow check --json`.
type checked struct {
	File  string `json:"file"`
	Name  string `json:"name"`
	Valid bool   `json:"valid"`
	Hash  string `json:"hash,omitempty"`
	diag.Report
	text string
}

func (a *app) flowCheckCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check [FLOW...]",
		Short: "Check flows without running them",
		Long: `Check flows without running them: names, types, conditions, routes, and that no path reads what nothing wrote.
Without an argument every flow of your home and of pflow itself is checked. Exit status 1 if a flow has errors.

Of a flow with more than 50 findings the first 50 are shown, and how many more there are; with --json that is "omitted".`,
		Example:           "  pflow flow check\n  pflow flow check planner-offline\n  pflow flow check ./my.yaml --json",
		ValidArgsFunction: a.completeFlows,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.checkFlows(args)
		},
	}
	a.setFlag(c)
	return c
}

// count is a number of things, in words for one and for many.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (a *app) checkFlows(args []string) error {
	set, err := a.setFlags()
	if err != nil {
		return err
	}
	res := a.folders()
	if len(args) == 0 {
		args = res.Names(engine.FlowDocument, nil)
	}
	results := []checked{}
	faults := 0
	for _, arg := range args {
		doc, err := a.document(res, arg)
		if err != nil {
			return err
		}
		l := &engine.Loader{Ops: a.host().Ops(), Resources: res, Set: set}
		flow, found := l.Load(doc)
		r := checked{File: doc.Path, Name: doc.Name, Valid: flow != nil, Report: found.Report(), text: found.Text()}
		if flow != nil {
			r.Name, r.Hash = flow.Name, flow.Hash
		} else {
			faults++
		}
		results = append(results, r)
	}
	if a.asJSON {
		if err := a.printJSON(struct {
			Schema string    `json:"schema"`
			Flows  []checked `json:"flows"`
		}{"pflow.check/v1", results}); err != nil {
			return err
		}
	} else {
		for _, r := range results {
			fmt.Fprint(a.stdout, r.text)
			if r.Valid && !a.quiet {
				fmt.Fprintf(a.stdout, "%s: ok\n", r.File)
			}
		}
	}
	if faults > 0 {
		return fail(exitFailed, "%s with errors, of %d", count(faults, "flow"), len(results))
	}
	return nil
}
