package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/flowdiff"
	"pflow/internal/library"
	"pflow/ir"
)

// comparedWorkflow is one side of `workflow diff --json`.
type comparedWorkflow struct {
	Workflow string `json:"workflow"` // as it was named
	Version  int    `json:"version"`  // 0: of a file that counts none
	Hash     string `json:"ir_hash"`
}

func (a *app) workflowDiffCommand() *cobra.Command {
	var exitCode bool
	c := &cobra.Command{
		Use:   "diff NAME [NAME]",
		Short: "Say how two workflows, or two versions of one, differ",
		Long: `Say how the second workflow differs from the first in what it does: inputs, nodes and their params, edges, outputs; and with --json, or
-v, by lines, with descriptions and keywords, too. NAME may be NAME@2, a version, or a file, JSON or YAML. With one NAME it is
compared with the version before it. Exit status 0 whether they differ or not; with --exit-code 1 if they do.`,
		Example: "  pflow workflow diff greet@1 greet\n  pflow workflow diff greet ./greet.json --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usage("want one workflow or two to compare; pflow workflow list shows those there are")
			}
			return nil
		},
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(_ *cobra.Command, args []string) error {
			newer, _, err := a.findWorkflow(args[len(args)-1])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				before, err := a.versionBefore(args[0], newer)
				if err != nil {
					return err
				}
				args = []string{before, args[0]}
			}
			older, _, err := a.findWorkflow(args[0])
			if err != nil {
				return err
			}
			return a.diffWorkflows(args, older, newer, exitCode)
		},
	}
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit status 1 if the workflows differ")
	return c
}

// versionBefore names the last version that is kept before one of a workflow.
func (a *app) versionBefore(ref string, of *library.Record) (string, error) {
	if ir.IsFile(ref) {
		return "", usage("compare %s with what? name two workflows, as in: pflow workflow diff greet %[1]s", shellQuote(ref))
	}
	all, _, err := a.library().History(of.Name)
	if err != nil {
		return "", a.noWorkflow(ref, err)
	}
	for _, r := range all {
		if r.Version < of.Version {
			return fmt.Sprintf("%s@%d", r.Name, r.Version), nil
		}
	}
	return "", usage("%s has no version before version %d", of.Name, of.Version)
}

func (a *app) diffWorkflows(names []string, older, newer *library.Record, exitCode bool) error {
	changes, err := flowdiff.Workflows(older.Workflow(), newer.Workflow())
	if err != nil {
		return err
	}
	lines := flowdiff.Lines(comparedText(older), comparedText(newer))
	side := func(name string, r *library.Record) comparedWorkflow {
		c := comparedWorkflow{name, r.Version, r.Workflow().Hash()}
		if ir.IsFile(name) {
			c.Version = 0
		}
		return c
	}
	if a.asJSON {
		err = a.printJSON(struct {
			Schema  string            `json:"schema"`
			Old     comparedWorkflow  `json:"old"`
			New     comparedWorkflow  `json:"new"`
			Changes []flowdiff.Change `json:"changes"`
			Lines   string            `json:"lines"`
		}{"pflow.workflow-diff/v1", side(names[0], older), side(names[1], newer), changes, lines})
	} else {
		err = a.showWorkflowDiff(names, changes, lines)
	}
	if err == nil && exitCode && lines != "" {
		return fail(exitFailed, "%s and %s differ", names[0], names[1])
	}
	return err
}

func (a *app) showWorkflowDiff(names []string, changes []flowdiff.Change, lines string) error {
	if len(changes) == 0 && !a.quiet {
		text := "%s and %s are the same\n"
		if lines != "" {
			text = "%s and %s do the same; what they say of it differs, which -v shows\n"
		}
		fmt.Fprintf(a.stderr, text, names[0], names[1])
	}
	if a.verbose {
		_, err := io.WriteString(a.stdout, lines)
		return err
	}
	return a.showChanges(changes)
}

// comparedText is a workflow as text, with its description and keywords: the same for the same, however it was written.
func comparedText(r *library.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "description: %s\n", oneLine(r.Description))
	for _, k := range r.Keywords {
		fmt.Fprintf(&b, "keyword: %s\n", oneLine(k))
	}
	b.Write(r.Workflow().Indented())
	return strings.TrimRight(b.String(), "\n") + "\n"
}
