package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/filelock"
	"pflow/internal/prompt"
)

// savedText is `flow save --json` and `prompt save --json`.
type savedText struct {
	Schema string `json:"schema"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	File   string `json:"file"`
	Hash   string `json:"hash"`
	Before string `json:"before"` // the hash of what lay there; "none"
	diag.Report
}

var documentName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$`)

func (a *app) flowSaveCommand() *cobra.Command {
	return a.saveCommand(engine.FlowDocument, &cobra.Command{
		Use:   "save NAME FILE|-",
		Short: "Save a text as the flow of a name in your home, once it is right",
		Long: `Save a text as the flow of a name in your home, in the place of the one that is there; - reads standard input. It is checked first, with
the flows that use it: a text with errors, or with which a flow that was right has errors, is not saved, since what plans is read from
there. With --if it is saved only if what lies there still has this hash (flow show --text --json), so that two who edit lose nothing;
none stands for nothing being there.`,
		Example: "  pflow flow save retry ./retry.yaml\n  pflow flow show planner-words | sed 's/^flow: .*/flow: mine/' | pflow flow save mine -",
	})
}

func (a *app) promptSaveCommand() *cobra.Command {
	return a.saveCommand(engine.PromptDocument, &cobra.Command{
		Use:   "save NAME FILE|-",
		Short: "Save a text as the prompt of a name in your home, once it is right",
		Long: `Save a text as the prompt of a name in your home, in the place of the one that is there; - reads standard input. NAME.schema.json is
the schema of its reply. It is checked within the flows that use it: a text with errors, or with which a flow that was right has
errors, is not saved. With --if it is saved only if what lies there still has this hash (prompt show --json); none stands for nothing
being there.`,
		Example: "  pflow prompt save metadata edited.tmpl\n  pflow prompt show map | pflow prompt save map - --if none",
	})
}

func (a *app) saveCommand(kind engine.DocumentKind, c *cobra.Command) *cobra.Command {
	var expected string
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usage("%s: want a name and the file of the text, or - for standard input", c.CommandPath())
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		d, err := a.homeDocument(kind, args[0])
		if err != nil {
			return err
		}
		if d.Data, err = a.readText(c.Context(), args[1]); err != nil {
			return err
		}
		return a.saveText(c.Context(), d, expected)
	}
	c.Flags().StringVar(&expected, "if", "", "save only if what is there has this `HASH`; none: if nothing is there")
	return c
}

// homeDocument is the place of a document of a name in the home.
func (a *app) homeDocument(kind engine.DocumentKind, name string) (engine.Document, error) {
	if err := a.needsHome(); err != nil {
		return engine.Document{}, err
	}
	if bare, ok := strings.CutSuffix(name, ".schema.json"); ok && kind == engine.PromptDocument {
		kind, name = engine.SchemaDocument, bare
	}
	if kind == engine.PromptDocument {
		name = strings.TrimSuffix(name, ".tmpl")
	}
	if !documentName.MatchString(name) || strings.HasSuffix(name, testEnding) {
		return engine.Document{}, usage("%q is no name of a %s: want letters, digits, hyphens and underscores", name, kind)
	}
	d := engine.Document{Kind: kind, Name: name}
	d.Path = a.home().Path(d.HomePath())
	return d, nil
}

// changed is the error of a text that is not as somebody thought it was.
func changed(d engine.Document, expected, now string) error {
	return fail(exitDeclined, "%s is not what it was: it has the hash %s, not %s; look at what changed, and save over that with --if %[2]s", d.Path, now, expected)
}

// saveText checks a text and puts it in its place.
func (a *app) saveText(ctx context.Context, d engine.Document, expected string) error {
	found, err := a.checkSaved(d)
	if err != nil {
		return err
	}
	out := savedText{Schema: "pflow.saved/v1", Kind: string(d.Kind), Name: d.Name, File: d.Path, Hash: textHash(d.Data), Report: found.Report()}
	err = a.holdDocuments(ctx, func() error {
		out.Before = noText
		was, there, err := a.ownText(d)
		if err != nil {
			return err
		}
		if there {
			out.Before = textHash(was)
		}
		if expected != "" && expected != out.Before {
			return changed(d, expected, out.Before)
		}
		if err := writeAtomic(d.Path, d.Data); err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(out)
	}
	a.showFindings(found)
	fmt.Fprintln(a.stdout, d.Path)
	return nil
}

// holdDocuments lets one process at a time change the flows and prompts of the home.
func (a *app) holdDocuments(ctx context.Context, change func() error) error {
	path := a.home().Path("flows.lock")
	if err := os.MkdirAll(a.homeDir(), 0o700); err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	defer lock.Close()
	if err := filelock.Lock(ctx, lock); err != nil {
		return fail(exitFailed, "%s: %v", path, err)
	}
	return change()
}

// checkSaved gives the findings of a text in its place. The error is of those that keep it from being saved: its own, and those of flows
// that were right without it.
func (a *app) checkSaved(d engine.Document) (diag.List, error) {
	var all diag.List
	broken := map[string]bool{}
	for _, u := range a.users(a.resources(), d.Path) {
		broken[u.name] = u.flow == nil
	}
	users := a.users(drafts{a.folders(), []engine.Document{d}}, d.Path)
	refused := false
	for _, u := range users {
		all = append(all, u.found...)
		itself := d.Kind == engine.FlowDocument && u.name == d.Name
		refused = refused || u.flow == nil && (itself || !broken[u.name])
		if itself && u.flow != nil && u.flow.Name != d.Name {
			return nil, usage("%s: the text is of the flow %q; write flow: %s, or save it as %[2]s", d.HomePath(), u.flow.Name, d.Name)
		}
	}
	if len(users) == 0 && d.Kind == engine.PromptDocument {
		_, all = prompt.Parse(d.Path, d.Data, a.partOf(a.resources()))
		refused = all.HasErrors()
	}
	if len(users) == 0 && d.Kind == engine.SchemaDocument {
		_, all = prompt.ParseSchema(d.Name, d.Path, d.Data)
		refused = all.HasErrors()
	}
	all = all.Sort()
	if refused {
		return nil, usage("%snothing was saved: %s has errors, or a flow has that uses it", all.Text(), describedText(d))
	}
	return all, nil
}

func noSuchDocument(err error) bool { return errors.Is(err, engine.ErrNoDocument) }
