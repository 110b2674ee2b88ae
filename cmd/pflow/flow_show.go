package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"pflow/engine"
)

// shownFlow is `flow show --json`: what a flow was compiled to.
type shownFlow struct {
	Schema      string                `json:"schema"`
	Name        string                `json:"name"`
	Description string                `json:"description"`
	File        string                `json:"file"`
	Hash        string                `json:"hash"`
	State       []engine.StateKey     `json:"state"`
	Params      map[string]any        `json:"params"`
	Functions   []engine.FunctionInfo `json:"functions,omitempty"`
	Start       string                `json:"start"`
	Nodes       []engine.NodeInfo     `json:"nodes"`
	Edges       []engine.Edge         `json:"edges"`
	Ends        []string              `json:"ends"` // the actions with which it can end
}

// shownFlowOf is what a flow was compiled to.
func shownFlowOf(f *engine.Flow) *shownFlow {
	return &shownFlow{
		"pflow.flow/v1", f.Name, f.Description, f.File, f.Hash, append([]engine.StateKey{}, f.State()...), f.Params(), f.Functions(), f.Start(), f.Describe(),
		f.Edges(), f.Ends(),
	}
}

func (a *app) flowShowCommand() *cobra.Command {
	var text bool
	c := &cobra.Command{
		Use:   "show FLOW",
		Short: "Show a flow: its text, or with --json what it was compiled to",
		Long: `Show a flow: its text, or with --json what it was compiled to. With --text --json its text, whatever is wrong with it, with the hash
by which flow save --if knows it again, whether it is yours, and the flows that use it.`,
		Example:           "  pflow flow show planner-offline\n  pflow flow show planner-offline --json\n  pflow flow show planner-offline --text --json",
		Args:              one("the flow to show"),
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.readDrafts(c.Context()); err != nil {
				return err
			}
			if text || !a.asJSON {
				doc, err := a.document(a.resources(), args[0])
				if err != nil {
					return err
				}
				return a.printText(doc)
			}
			f, _, err := a.load(args[0])
			if err != nil {
				return err
			}
			return a.printJSON(shownFlowOf(f))
		},
	}
	c.Flags().BoolVar(&text, "text", false, "its text, also with --json")
	a.setFlag(c)
	a.draftFlag(c)
	return c
}

func (a *app) flowGraphCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:               "graph FLOW",
		Short:             "Draw a flow with its routes and conditions, as Mermaid or DOT",
		Example:           "  pflow flow graph planner-offline\n  pflow flow graph planner-offline --format dot | dot -Tsvg > planner.svg",
		Args:              one("the flow to draw"),
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.readDrafts(c.Context()); err != nil {
				return err
			}
			draw := map[string]func(*engine.Flow) string{"mermaid": (*engine.Flow).Mermaid, "dot": (*engine.Flow).DOT}[format]
			if draw == nil {
				return usage("--format %q: want mermaid or dot", format)
			}
			f, _, err := a.load(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.results, draw(f))
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "mermaid", "`FORMAT`: mermaid or dot")
	a.completes(c, "format", cobra.FixedCompletions([]string{"mermaid", "dot"}, cobra.ShellCompDirectiveNoFileComp))
	a.setFlag(c)
	a.draftFlag(c)
	return c
}
