package main

import (
	"context"
	"errors"
	"fmt"
	"github.com/spf13/cobra"
	"io"
	"pflow/engine"
	"pflow/flows"
	"pflow/ir"
	"pflow/nodes"
	"strings"
)

// exit holds the exit statuses by the outcome.
var exit = map[string]int{"done": 0, "failed": 1, "usage": 2, "needs_input": 3, "declined": 4, "infeasible": 5, "invalid": 5, "": 5}

// run is the program as a function of its arguments and streams; it gives the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	status, yes := "usage", false
	root := &cobra.Command{Use: "pflow REQUEST…", Args: cobra.MinimumNArgs(1), SilenceErrors: true, SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			status, err = request(context.Background(), strings.Join(args, " "), yes, stdout, stderr)
			return err
		}}
	root.Flags().BoolVar(&yes, "yes", false, "approve the plan")
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		fmt.Fprintf(stderr, "pflow: %v\n", err)
		return exit[status]
	}
	return exit["done"]
}

// request plans, shows the plan and, if that is approved, runs it.
func request(ctx context.Context, text string, yes bool, stdout, stderr io.Writer) (status string, err error) {
	types, catalogue, outputs := map[string]nodes.Type{}, []ir.Interface{}, map[string]any{}
	for _, t := range nodes.Types() {
		types[t.Name], catalogue = t, append(catalogue, t.Interface)
	}
	data, _ := flows.FS.ReadFile("planner-offline.yaml")
	flow, err := engine.Load(data, nodes.All(nodes.Deps{}))
	if err != nil {
		return "usage", err
	}
	store := map[string]any{"user_input": text}
	store["registry_metadata"], _ = nodes.Convert[any](catalogue)
	failed := flow.Run(ctx, store)
	plan, err := nodes.Convert[struct {
		Status, Message string
		Workflow        ir.Workflow    `json:"workflow_ir"`
		Params          map[string]any `json:"execution_params"`
	}](store["planner_output"])
	if err != nil || plan.Status != "ready" {
		return plan.Status, errors.Join(errors.New(plan.Message), failed, err)
	}
	for _, n := range plan.Workflow.Nodes {
		params, err := ir.Resolve(n.Params, plan.Params)
		fmt.Fprint(stderr, n.Type)
		for _, p := range types[n.Type].Inputs {
			fmt.Fprintf(stderr, " --%s=%v", p.Key, params[p.Key])
		}
		if fmt.Fprintln(stderr); yes && err == nil {
			outputs, err = types[n.Type].Run(ctx, params)
			for key, v := range outputs {
				plan.Params[n.ID+"."+key] = v
			}
		}
		if yes && err != nil {
			return "failed", fmt.Errorf("%s: %w", n.ID, err)
		}
	}
	if !yes {
		return "declined", errors.New("not run: --yes approves the plan")
	}
	for _, out := range outputs {
		fmt.Fprintln(stdout, out)
	}
	return "done", nil
}
