package main

import (
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
)

func (a *app) flowCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "flow",
		Short: "Read, check, run and change the flows that decide what pflow does",
		Long: `A flow is a graph in YAML that the engine runs; the planner is one. FLOW is the name of a flow in your home or of
one that pflow brings along, or the path of a file. shipped:NAME is always the one that pflow brings along.`,
		Example: "  pflow flow list\n  pflow flow check ./my.yaml\n  pflow flow eject planner-offline",
	}
	c.AddCommand(a.flowCheckCommand(), a.flowDeleteCommand(), a.flowDiffCommand(), a.flowEjectCommand(), a.flowGraphCommand(), a.flowListCommand(), a.flowOpsCommand(),
		a.flowRunCommand(), a.flowSaveCommand(), a.flowSchemaCommand(), a.flowShowCommand(), a.flowTestCommand(), a.flowVariantCommand())
	return c
}

// completeFlows offers the names of flows.
func (a *app) completeFlows(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	if strings.HasPrefix(begun, engine.Shipped) {
		names := a.shipped()
		for i := range names {
			names[i] = engine.Shipped + names[i]
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return a.folders().Names(engine.FlowDocument, nil), cobra.ShellCompDirectiveDefault
}

// load compiles the flow that an argument names; what is wrong with it is the error.
func (a *app) load(arg string) (*engine.Flow, *engine.Recording, error) {
	set, err := a.setFlags()
	if err != nil {
		return nil, nil, err
	}
	res := engine.NewRecording(a.resources())
	res.Set = set
	doc, err := a.document(res, arg)
	if err != nil {
		return nil, nil, err
	}
	res.Add(doc)
	l := &engine.Loader{Ops: a.host().Ops(), Resources: res, Set: set}
	flow, found := l.Load(doc)
	if err := found.Err(); err != nil {
		return nil, nil, err
	}
	return flow, res, nil
}
