package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/workflowfile"
)

// workflowStart is a workflow that runs as it is. NAME stands for its name.
const workflowStart = `# A workflow: nodes, and edges between them. docs/workflow-reference.md has every key.

name: NAME
description: Greets somebody and counts the letters of the name.
                               # one sentence; requests find it by this
keywords: [greeting]           # and by these

ir:
  ir_version: 0.1.0

  inputs:                      # what whoever runs it gives, as in name=Ada; required: true if there is no default
    name: {type: string, default: World, description: Who is greeted.}

  nodes:                       # pflow node list shows what there is, pflow node show TYPE what each takes and gives
    - id: say
      type: template
      params:
        template: Hello, ${name}!          # ${name} is the input; inside { } and [ ] such a text needs quotes

    - id: letters
      type: transform
      params:
        inputs: {name: "${name}"}
        expression: len(name)
      # timeout: 30s           # of each attempt
      # retry: {attempts: 3, wait: 1s}     # when it fails
      # approval: required     # the run waits here until it is approved

    - id: tell
      type: template
      params:
        template: |            # a text of several lines, as it stands here
          ${say.text}
          Your name has ${letters.result} letters.

  edges:                       # what follows what; {from: letters, to: ID, action: error} is taken when it fails
    - {from: say, to: letters}
    - {from: letters, to: tell}

  outputs:                     # what it gives; left out, what the last node does
    text: {source: "${tell.text}", type: string}
`

func (a *app) workflowNewCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write the start of a workflow, with comments, to be changed",
		Long: `Write the start of a workflow: a YAML file with comments, which runs as it is. It is NAME.yaml in this folder, or with -o
a file of yours; -o - prints it. pflow workflow save keeps it once it does what you want. No file is replaced.`,
		Example: "  pflow workflow new weekly-report\n  pflow workflow new weekly-report -o report.yaml\n  pflow workflow new weekly-report -o -",
		Args:    one("the workflow that is to be"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.newWorkflow(args[0], output)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE` instead of NAME.yaml; - is standard output")
	return c
}

func (a *app) newWorkflow(name, output string) error {
	if err := a.library().ValidName(name); err != nil {
		return usage("%v", err)
	}
	text := strings.Replace(workflowStart, "NAME", name, 1)
	if output == "-" {
		if a.asJSON {
			return a.printJSON(map[string]any{"schema": "pflow.new/v1", "name": name, "file": "-", "text": text})
		}
		_, err := io.WriteString(a.results, text)
		return err
	}
	file := output
	if file == "" {
		file = "./" + name + ".yaml"
	}
	if !workflowfile.IsYAML(file) {
		return usage("the start of a workflow is YAML: give -o a file that ends in .yaml or .yml, not %s", shellQuote(file))
	}
	if err := writeNew(file, text); err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.new/v1", "name": name, "file": file})
	}
	fmt.Fprintln(a.stdout, file)
	if !a.quiet {
		fmt.Fprintf(a.stderr, "try it with: pflow run %[1]s name=Ada\nkeep it with: pflow workflow save %[1]s\n", shellQuote(file))
	}
	return nil
}
