package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/flowdiff"
)

// comparedFlow is one side of `flow diff --json`.
type comparedFlow struct {
	Flow string `json:"flow"` // as it was named
	File string `json:"file"`
	Hash string `json:"hash"`
}

func (a *app) flowDiffCommand() *cobra.Command {
	var exitCode bool
	c := &cobra.Command{
		Use:   "diff FLOW [FLOW]",
		Short: "Say how two flows differ in what they mean",
		Long: `Say how the second flow differs from the first: nodes, edges, conditions, expressions, options, numbers and limits, after
extends, with the flows they run, their prompts and schemas. Layout, comments, names and descriptions make no difference.

With one flow, it is compared with the shipped flow of that name, of which it may be an ejected copy. --set edits the last flow, and
--draft holds for it alone.
Exit status 0 whether they differ or not; with --exit-code 1 if they do.`,
		Example: "  pflow flow diff planner\n  pflow flow diff shipped:planner ./mine.yaml --json\n  pflow flow diff planner planner --set params.max_generations=2",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usage("want one flow or two to compare; pflow flow list shows those there are")
			}
			return nil
		},
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.readDrafts(c.Context()); err != nil {
				return err
			}
			if len(args) == 1 {
				if engine.IsPath(args[0]) || strings.HasPrefix(args[0], engine.Shipped) {
					return usage("compare %s with what? name two flows, as in pflow flow diff planner %[1]s", args[0])
				}
				args = []string{engine.Shipped + args[0], args[0]}
			}
			return a.diffFlows(args[0], args[1], exitCode)
		},
	}
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit status 1 if the flows differ")
	a.setFlag(c)
	a.draftFlag(c)
	return c
}

func (a *app) diffFlows(old, new string, exitCode bool) error {
	set, drafted := a.set, a.drafted
	a.set, a.drafted = nil, nil
	before, _, err := a.load(old)
	if err != nil {
		return err
	}
	a.set, a.drafted = set, drafted
	after, _, err := a.load(new)
	if err != nil {
		return err
	}
	changes := flowdiff.Compare(before, after)
	if a.asJSON {
		err = a.printJSON(struct {
			Schema  string            `json:"schema"`
			Old     comparedFlow      `json:"old"`
			New     comparedFlow      `json:"new"`
			Changes []flowdiff.Change `json:"changes"`
		}{"pflow.flow-diff/v1", comparedFlow{old, before.File, before.Hash}, comparedFlow{new, after.File, after.Hash}, changes})
	} else {
		err = a.showChanges(changes)
		if len(changes) == 0 && !a.quiet {
			fmt.Fprintf(a.stderr, "%s and %s mean the same\n", old, new)
		}
	}
	if err != nil {
		return err
	}
	if exitCode && len(changes) > 0 {
		return fail(exitFailed, "%s", count(len(changes), "difference"))
	}
	return nil
}

// showChanges prints what differs.
func (a *app) showChanges(changes []flowdiff.Change) error {
	_, err := io.WriteString(a.stdout, flowdiff.Text(changes))
	return err
}
