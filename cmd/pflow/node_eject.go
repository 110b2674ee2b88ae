package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"pflow/internal/catalogue"
	"pflow/internal/diag"
	"pflow/nodes"
)

func (a *app) nodeEjectCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "eject NAME",
		Short: "Copy a node that pflow ships as a declaration, or the forms of one, into your home, to change it",
		Long: `Copy the declaration of a node into the folder nodes of your home, or of a node type that is written in Go its forms. From then on pflow
uses your copy; pflow node remove NAME goes back. A file that is there already is kept unless --force is given.`,
		Example: "  pflow node eject transform\n  pflow node eject transform --force",
		Args:    one("the node to copy"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nodes.Packs().Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.ejectNode(args[0], force) },
	}
	c.Flags().BoolVar(&force, "force", false, "replace a file that is there already")
	return c
}

func (a *app) ejectNode(name string, force bool) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	pack := nodes.Packs()
	text := pack.Document(name)
	if text == nil {
		if _, builtin := a.nodeTypes()[name]; builtin {
			return usage("%s is written in Go and has no forms; there is nothing to copy. A node of your own: pflow node new NAME", name)
		}
		hint := didYouMean(name, pack.Names())
		if hint == "" {
			hint = "; it ships " + diag.Names(pack.Names(), 20)
		}
		return usage("pflow ships no declaration of %q%s", name, hint)
	}
	path := a.home().Path("nodes", name+".yaml")
	written, kept := []string{}, []string{}
	switch _, err := os.Lstat(path); {
	case err == nil && !force:
		kept = append(kept, path)
		fmt.Fprintf(a.stderr, "kept %s; --force replaces it\n", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fail(exitFailed, "%s", fileError(err))
	default:
		if err := writeAtomic(path, catalogue.Own(text)); err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
		written = append(written, path)
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.eject/v1", "written": written, "kept": kept})
	}
	for _, path := range written {
		fmt.Fprintln(a.stdout, path)
	}
	if !a.quiet && len(written) > 0 {
		fmt.Fprintf(a.stderr, "from now on pflow uses this; after a change: pflow node test %s\n", name)
	}
	return nil
}

func (a *app) nodeRemoveCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a node that is declared in your home, or forms of one",
		Long: `Remove the declaration of a node from the folder nodes of your home, and the forms that are stated there of it. What pflow ships under
that name holds again. It asks, or --yes says so.`,
		Example:           "  pflow node remove count-words --yes",
		Args:              one("the node to remove"),
		ValidArgsFunction: a.completeNodes,
		RunE:              func(c *cobra.Command, args []string) error { return a.removeNode(c, args[0], f) },
	}
	f.approval(c, "remove it without asking")
	return c
}

func (a *app) removeNode(c *cobra.Command, name string, f *runFlags) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	type change struct {
		path string
		rest []byte
	}
	var changes []change
	for _, path := range catalogue.Files(a.home().Path("nodes")) {
		data, err := os.ReadFile(path) // #nosec G304
		if err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
		if rest, ok := catalogue.Without(data, name); ok {
			changes = append(changes, change{path, rest})
		}
	}
	files := []string{}
	for _, ch := range changes {
		files = append(files, ch.path)
	}
	if len(changes) == 0 {
		if i, err := a.findNode(c.Context(), name); err == nil {
			return usage("%s is not declared in your home (%s); there is nothing to remove", name, item(i).Origin)
		} else {
			return err
		}
	}
	what := fmt.Sprintf("%s from %s", name, diag.Names(files, 5))
	if users := a.usersOf(c, name); len(users) > 0 {
		what += ", which these workflows use: " + diag.Names(users, 5)
	}
	if f.yes == "" {
		if !a.interactive() {
			return fail(exitDeclined, "nothing was removed: --yes removes %s", what)
		}
		if !a.agreed(c.Context(), "Remove "+what+"? [y/N]") {
			return fail(exitDeclined, "nothing was removed")
		}
	}
	for _, ch := range changes {
		err := error(nil)
		if len(ch.rest) == 0 {
			err = os.Remove(ch.path)
		} else {
			err = writeAtomic(ch.path, ch.rest)
		}
		if err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.node-removed/v1", "name": name, "files": files})
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "removed %s\n", what)
	}
	return nil
}

// usersOf lists the saved workflows with a step of this type, if nothing that pflow ships takes its place.
func (a *app) usersOf(c *cobra.Command, name string) []string {
	shelf, err := a.shelfOf(c.Context())
	if _, builtin := a.nodeTypes()[name]; err != nil || builtin || nodes.Packs().Declares(name) {
		return nil
	}
	var out []string
	for _, r := range shelf.Records {
		for _, n := range r.Workflow().Nodes {
			if n.Type == name && !slices.Contains(out, r.Name) {
				out = append(out, r.Name)
			}
		}
	}
	return out
}
