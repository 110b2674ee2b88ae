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

examples:                  # run by: pflow node test NAME
  - params: {text: one two three}
    outputs: {words: 3}

run:                       # a shell command, or {flow: NAME} for a flow of yours
  shell:
    command: wc -w         # ${text} here would be handed over as one word, safely quoted
    stdin: ${text}         # what the command reads
`

// declaredInput is what an input of a declared node is called.
var declaredInput = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

var declaredName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (a *app) nodeNewCommand() *cobra.Command {
	var output, command, url string
	c := &cobra.Command{
		Use:   "new NAME [key=value...]",
		Short: "Write a declared node: the start of one, or what a command or an address says of it",
		Long: `Write a declared node: a YAML file with comments, which runs as it is. It goes into the folder nodes of your home, where every
command finds it, or with -o to a file of yours. No file is replaced.

With --shell COMMAND or --http URL the node is that command or address: what stands in it as ${name} becomes an input, its effects are what
is known of its programs, and key=value are the values of its example, whose types the inputs take. $$NAME is a variable of the shell.`,
		Example: "  pflow node new count-words\n  pflow node new recent-commits --shell 'git log --oneline -n ${count}' count=3\n  pflow node new user --http 'https://api.example.com/users/${id}' id=7 -o user.yaml",
		Args:    some("the node that is to be"),
		RunE: func(c *cobra.Command, args []string) error {
			shellGiven, httpGiven := c.Flags().Changed("shell"), c.Flags().Changed("http")
			switch {
			case shellGiven && httpGiven:
				return usage("--shell and --http: give one of them")
			case shellGiven && strings.TrimSpace(command) == "" || httpGiven && strings.TrimSpace(url) == "":
				return usage("--shell and --http want a text: a command, or an address")
			case !shellGiven && !httpGiven && len(args) > 1:
				return usage("%q: values of an example go with --shell or --http", args[1])
			case !shellGiven && !httpGiven:
				return a.newNode(args[0], output, strings.ReplaceAll(nodeStart, "NAME", args[0]), "pflow node run "+args[0]+" text=\"one two three\"")
			}
			d, err := newDraft(args[0], command, url, args[1:])
			if err != nil {
				return err
			}
			return a.newNode(args[0], output, d.yaml(), d.try())
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE` instead of your home")
	c.Flags().StringVar(&command, "shell", "", "the `COMMAND` that the node runs, with ${name} for its inputs")
	c.Flags().StringVar(&url, "http", "", "the `URL` that the node asks, with ${name} for its inputs")
	return c
}

// newNode writes the text of a declared node; try is a command that runs it.
func (a *app) newNode(name, output, text, try string) error {
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
	if err := writeNew(file, text); err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.new/v1", "name": name, "file": file})
	}
	fmt.Fprintln(a.stdout, file)
	if !a.quiet {
		fmt.Fprintf(a.stderr, "try it with: %s%s\n", try, flag)
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
