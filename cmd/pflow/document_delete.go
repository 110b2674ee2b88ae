package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"pflow/engine"
)

// deletedText is `flow delete --json` and `prompt delete --json`.
type deletedText struct {
	Schema  string   `json:"schema"`
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Files   []string `json:"files"`   // that were removed
	Shipped bool     `json:"shipped"` // what pflow brings along holds again
}

func (a *app) flowDeleteCommand() *cobra.Command {
	return a.deleteCommand(engine.FlowDocument, &cobra.Command{
		Use:   "delete NAME --yes",
		Short: "Delete a flow of your home: one that pflow ships is used as it is shipped again",
		Long: `Delete a flow of your home. Where pflow ships one of this name, that one is used again. Tests beside it go with it if they are
those that pflow ships. A flow that others use is kept, unless pflow ships one of this name with which they are right.`,
		Example: "  pflow flow delete planner-words --yes",
	})
}

func (a *app) promptDeleteCommand() *cobra.Command {
	return a.deleteCommand(engine.PromptDocument, &cobra.Command{
		Use:     "delete NAME --yes",
		Short:   "Delete a prompt of your home: one that pflow ships is used as it is shipped again",
		Long:    "Delete a prompt of your home, or with NAME.schema.json a schema. Where pflow ships one of this name, that one is used again.",
		Example: "  pflow prompt delete map --yes",
	})
}

func (a *app) deleteCommand(kind engine.DocumentKind, c *cobra.Command) *cobra.Command {
	var yes bool
	var expected string
	c.Args = one("what is to be deleted")
	c.RunE = func(c *cobra.Command, args []string) error {
		d, err := a.homeDocument(kind, args[0])
		if err != nil {
			return err
		}
		return a.deleteText(c.Context(), d, expected, yes)
	}
	c.Flags().BoolVar(&yes, "yes", false, "delete it: there is no way back")
	c.Flags().StringVar(&expected, "if", "", "delete only what has this `HASH`")
	return c
}

func (a *app) deleteText(ctx context.Context, d engine.Document, expected string, yes bool) error {
	out := deletedText{Schema: "pflow.deleted-text/v1", Kind: string(d.Kind), Name: d.Name, Files: []string{}}
	err := a.holdDocuments(ctx, func() error {
		was, there, err := a.ownText(d)
		switch {
		case err != nil:
			return err
		case !there:
			return usage("there is no %s in your home: %s", describedText(d), d.Path)
		case expected != "" && expected != textHash(was):
			return changed(d, expected, textHash(was))
		case !yes:
			return fail(exitDeclined, "%s would be deleted, and there is no way back: say --yes", d.Path)
		}
		if _, out.Shipped, err = a.shippedText(d); err != nil {
			return fail(exitFailed, "%v", err)
		}
		if err := a.mayDelete(d, out.Shipped); err != nil {
			return err
		}
		return a.removeText(d, &out)
	})
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(out)
	}
	for _, file := range out.Files {
		fmt.Fprintln(a.stdout, file)
	}
	if out.Shipped && !a.quiet {
		fmt.Fprintf(a.stderr, "the %s that pflow ships is used again\n", describedText(d))
	}
	return nil
}

// mayDelete is the error of a document without which a flow that is right would not be.
func (a *app) mayDelete(d engine.Document, shipped bool) error {
	for _, u := range a.users(a.folders(), d.Path) {
		if u.flow == nil || d.Kind == engine.FlowDocument && u.name == d.Name {
			continue
		}
		if !shipped {
			return usage("the flow %s uses the %s: change that first", u.name, describedText(d))
		}
		l := &engine.Loader{Ops: a.host().Ops(), Resources: without{a.folders(), a.onlyShipped(), d}}
		if _, found := l.Load(u.doc); found.HasErrors() {
			return usage("%sthe %s is kept: with the shipped one the flow %s has errors; change that first", found.Text(), describedText(d), u.name)
		}
	}
	return nil
}

// without finds what is shipped in the place of one document.
type without struct {
	engine.Folders
	shipped engine.Folders
	of      engine.Document
}

func (w without) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	found, err := w.Folders.Find(kind, name, from)
	if err == nil && found.Path == w.of.Path {
		return w.shipped.Find(kind, name, nil)
	}
	return found, err
}

// removeText removes a document, and tests that are those which pflow ships.
func (a *app) removeText(d engine.Document, out *deletedText) error {
	if err := os.Remove(d.Path); err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	out.Files = append(out.Files, d.Path)
	if d.Kind != engine.FlowDocument {
		return nil
	}
	tests := engine.Document{Kind: d.Kind, Name: d.Name + testEnding}
	tests.Path = a.home().Path(tests.HomePath())
	shipped, found, err := a.shippedText(tests)
	own, there, ownErr := a.ownText(tests)
	if err != nil || ownErr != nil || !found || !there || string(own) != string(shipped) {
		return nil // they are of somebody's own making, or none
	}
	if err := os.Remove(tests.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(exitFailed, "%s", fileError(err))
	}
	out.Files = append(out.Files, tests.Path)
	return nil
}
