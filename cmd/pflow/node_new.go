package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/atomicfile"
)

// nodeStart is a declared node that runs as it is. NAME stands for its name.
const nodeStart = `# A declared node: a component that workflows are made of, with no Go.
# It is found by requests and by: pflow node search WORDS

name: NAME                 # small letters, digits and - ; what workflows write as type
description: Counts the words of a text.
                           # one sentence; planners choose a node by it
effects: [reads]           # reads, writes, network, destructive, idempotent; what is shown before a run

inputs:                    # each becomes a param of the node; required ones must be given
  - {key: text, type: string, required: true, description: The text to count in.}

outputs:                   # what other nodes read, as in ${id.words}
  - {key: words, type: integer, description: How many there are.}

run:                       # a shell command, or {flow: NAME} for a flow of yours
  shell:
    command: wc -w         # ${text} here would be handed over as one word, safely quoted
    stdin: ${text}         # what the command reads
`

var declaredName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (a *app) nodeNewCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write the start of a declared node, with comments, to be changed",
		Long: `Write the start of a declared node: a YAML file with comments, which runs as it is. It goes into the folder nodes of your
home, where every command finds it, or with -o to a file of yours. No file is replaced.`,
		Example: "  pflow node new count-words\n  pflow node new count-words -o count-words.yaml",
		Args:    one("the node that is to be"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.newNode(args[0], output)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE` instead of your home")
	return c
}

func (a *app) newNode(name, output string) error {
	if !declaredName.MatchString(name) || len(name) > 60 {
		return usage("%q is no name of a node: want small letters and digits, joined by -, such as count-words", name)
	}
	if _, taken := a.nodeTypes()[name]; taken {
		return usage("%s is a built-in node; choose another name", name)
	}
	file, flag := output, " --nodes "+shellQuote(output)
	if output == "" {
		if err := a.needsHome(); err != nil {
			return err
		}
		file, flag = a.home().Path("nodes", name+".yaml"), ""
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
	}
	if err := writeNew(file, strings.Replace(nodeStart, "NAME", name, 1)); err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.new/v1", "name": name, "file": file})
	}
	fmt.Fprintln(a.stdout, file)
	if !a.quiet {
		fmt.Fprintf(a.stderr, "try it with: pflow node run %s text=\"one two three\"%s\n", name, flag)
	}
	return nil
}

// writeNew makes a file that is not there yet, as a whole or not at all.
func writeNew(file, text string) error {
	err := atomicfile.Write(file, 0, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	}, func(temp string) error { return os.Link(temp, file) })
	switch {
	case errors.Is(err, fs.ErrExist):
		return usage("%s is there already and is left as it is; choose another name, or remove it first", file)
	case err != nil:
		return fail(exitFailed, "%s", fileError(err))
	}
	return nil
}
