package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/library"
	"pflow/ir"
)

// completeRun completes what pflow run takes: the name of a saved workflow or a file, then its inputs as NAME=, those that are not
// given yet.
func (a *app) completeRun(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && args[len(args)-1] == "--on" { // cobra completes no flag of a command that reads its own
		return backends(), cobra.ShellCompDirectiveNoFileComp
	}
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	if len(args) == 0 {
		return a.library().List().Names(), cobra.ShellCompDirectiveDefault
	}
	if strings.Contains(begun, "=") {
		return nil, cobra.ShellCompDirectiveDefault // a value, which may be a file
	}
	inputs := a.inputsToComplete(c.Context(), args[0])
	if inputs == nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	for _, in := range inputs {
		given := slices.ContainsFunc(args[1:], func(arg string) bool { return strings.HasPrefix(arg, in.Name+"=") })
		if given || in.Secret {
			continue
		}
		line := in.Name + "="
		if in.Description != "" {
			line += "\t" + oneLine(in.Description)
		}
		out = append(out, line)
	}
	return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// inputsToComplete lists the inputs of a saved workflow or of one in a file; nil if it cannot be read: whoever runs it is told why.
func (a *app) inputsToComplete(ctx context.Context, ref string) []ir.Input {
	var r *library.Record
	if ir.IsFile(ref) {
		data, err := readRegular(ref)
		if err != nil {
			return nil
		}
		if r, _, err = library.Parse(ref, data); err != nil {
			return nil
		}
	} else {
		if a.homeDir() == "" {
			return nil
		}
		var err error
		if r, _, err = a.library().Get(ref); err != nil {
			return nil
		}
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return r.Workflow().Inputs
	}
	return r.Workflow().EffectiveInputs(shelf.Catalogue)
}
