package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/internal/library"
	"pflow/internal/workflow"
	"pflow/internal/workflowfile"
)

func (a *app) workflowEditCommand() *cobra.Command {
	var base string
	c := &cobra.Command{
		Use:   "edit NAME [FILE]",
		Short: "Edit a saved workflow in $EDITOR",
		Long: `Edit a saved workflow in $VISUAL or $EDITOR, else in vi. What you saved there is checked and becomes the next version. If it has
errors, or cannot be saved, your text is kept and its file named; nothing is lost. A workflow whose file is YAML is edited as it
is written, and stays YAML.

With a FILE nothing is opened: its text is what was edited, as pflow workflow show --text printed it. With --base, the revision that
pflow workflow show --json gave with the text, nothing is saved if somebody changed the workflow since.`,
		Example: "  EDITOR=true pflow workflow edit greet\n  pflow workflow edit greet ./greet.json",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return one("a saved workflow")(c, args)
		},
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(c *cobra.Command, args []string) error {
			if base != "" && len(args) < 2 {
				return usage("--base goes with the FILE of a text that was edited")
			}
			r, src, err := a.findWorkflow(args[0])
			switch {
			case err != nil:
				return err
			case strings.Contains(args[0], "@"):
				return usage("%s is a version, which stays as it is; edit %s, or save the text of the version as the next one", args[0], r.Name)
			case len(args) == 2:
				return a.editedIn(c.Context(), r, src, args[1], base)
			}
			return a.edit(c.Context(), r, src)
		},
	}
	c.Flags().StringVar(&base, "base", "", "the `REVISION` that was edited")
	a.nodeFlags(c)
	return c
}

// editedIn saves the text of a file as the next version of a workflow. base, if not "", is the revision that it was made of.
func (a *app) editedIn(ctx context.Context, r *library.Record, src workflow.Source, file, base string) error {
	before, _, err := draft(r, src)
	if err != nil {
		return err
	}
	after, err := a.readRegular(file)
	if err != nil {
		return err
	}
	if base != "" && base != revisionOf(r, string(before)) {
		return changedMeanwhile(r.Name)
	}
	if bytes.Equal(bytes.TrimSpace(before), bytes.TrimSpace(after)) {
		if a.asJSON {
			return a.printJSON(a.workflowDocument(r, true))
		}
		if !a.quiet {
			fmt.Fprintf(a.stderr, "%s is unchanged\n", r.Name)
		}
		return nil
	}
	next, err := a.edited(ctx, r, file, after)
	if err != nil {
		return err
	}
	got, err := a.saveEdited(ctx, r, next, file, after)
	switch {
	case isTaken(err):
		return changedMeanwhile(r.Name)
	case err != nil:
		return notSaved(err)
	}
	return a.saved(got)
}

func changedMeanwhile(name string) error {
	return fail(exitDeclined, "nothing was saved: %s was changed by somebody else meanwhile", name)
}

// saveEdited saves what a workflow was made, unless that was changed meanwhile: then it is ErrExists.
func (a *app) saveEdited(ctx context.Context, was, next *library.Record, file string, text []byte) (*library.Record, error) {
	o := library.SaveOptions{Now: time.Now(), Next: true, If: func(now *library.Record) bool {
		return now != nil && now.Version == was.Version && now.Hash() == was.Hash() && now.Description == was.Description && slices.Equal(now.Keywords, was.Keywords)
	}}
	if workflowfile.IsYAML(file) {
		o.YAML = text
	}
	if !a.library().Has(was.Name) {
		return nil, library.ErrExists
	}
	return a.library().Save(ctx, next, o)
}

// draft is what is edited: of a record, of which the rest is bookkeeping; of a file in YAML its text, with its comments.
func draft(r *library.Record, src workflow.Source) (text []byte, ending string, err error) {
	if workflowfile.IsYAML(src.File) {
		return src.Data, filepath.Ext(src.File), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(struct {
		Description string          `json:"description"`
		Keywords    []string        `json:"keywords"`
		IR          json.RawMessage `json:"ir"`
	}{r.Description, append([]string{}, r.Keywords...), r.IR()})
	return b.Bytes(), ".json", err
}

// edit has a workflow edited until it is valid or given up, and saves it.
func (a *app) edit(ctx context.Context, r *library.Record, src workflow.Source) error {
	before, ending, err := draft(r, src)
	if err != nil {
		return err
	}
	file, err := a.draftFile(r.Name+"-*"+ending, before)
	if err != nil {
		return err
	}
	kept := func(err error) error {
		a.status(err)
		if dropUnchanged(file, before) {
			return fail(exitUsage, "nothing was saved: %s is unchanged", r.Name)
		}
		return fail(exitUsage, "nothing was saved; your text is kept: pflow workflow save %s --name %s --yes", shellQuote(file), r.Name)
	}
	for {
		if err := a.runEditor(ctx, file); err != nil {
			return kept(err)
		}
		after, err := os.ReadFile(file)
		if err != nil {
			return kept(fail(exitFailed, "%s", fileError(err)))
		}
		if bytes.Equal(bytes.TrimSpace(before), bytes.TrimSpace(after)) {
			if !a.quiet {
				fmt.Fprintf(a.stderr, "%s is unchanged\n", r.Name)
			}
			return os.Remove(file)
		}
		next, err := a.edited(ctx, r, file, after)
		if err == nil {
			got, err := a.saveEdited(ctx, r, next, file, after)
			if isTaken(err) {
				return kept(fail(exitUsage, "%s was changed by somebody else meanwhile", r.Name))
			}
			if err != nil {
				return kept(err)
			}
			if err := os.Remove(file); err != nil {
				a.warn("%s", fileError(err))
			}
			return a.saved(got)
		}
		if !a.interactive() {
			return kept(err)
		}
		a.status(err)
		if answer, e := a.readLine(ctx, "Edit again? [Y/n]"); e != nil || answer == "n" || answer == "N" || answer == "no" {
			return kept(fail(exitUsage, "given up"))
		}
	}
}

// draftFile writes the text to be edited to a file of its own in the home, where nothing tidies up. name is a pattern.
func (a *app) draftFile(name string, text []byte) (string, error) {
	dir := a.home().Path("drafts")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fail(exitFailed, "%s", fileError(err))
	}
	f, err := os.CreateTemp(dir, name)
	if err == nil {
		_, err = f.Write(text)
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return "", fail(exitFailed, "%s", fileError(err))
	}
	return f.Name(), nil
}

// dropUnchanged removes a draft that is still the text it began with, and reports whether it did.
func dropUnchanged(file string, before []byte) bool {
	after, err := os.ReadFile(file)
	return err == nil && bytes.Equal(before, after) && os.Remove(file) == nil
}

// vi is the editor where nothing names one.
const vi = "vi"

// editor is the editor and what names it: the environment, or that vi is on the PATH; "" if there is none.
func (a *app) editor() (editor, source string) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if v := a.getenv(name); v != "" {
			return v, name
		}
	}
	if a.onPath(vi) {
		return vi, "default"
	}
	return "", "set EDITOR"
}

// runEditor has a file edited. The editor's name may hold options, as shells read them.
func (a *app) runEditor(ctx context.Context, file string) error {
	editor, _ := a.editor()
	if editor == "" {
		return usage("there is no editor: set EDITOR")
	}
	c := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file)
	c.Stdin, c.Stdout, c.Stderr = a.stdin, a.screen.out, a.screen.out // the terminal itself, if it is one
	if err := c.Run(); err != nil {
		return fail(exitFailed, "the editor %s: %v", editor, err)
	}
	return nil
}

// edited reads and checks what was edited.
func (a *app) edited(ctx context.Context, r *library.Record, file string, data []byte) (*library.Record, error) {
	next, found, err := library.Parse(file, data)
	if err != nil {
		return nil, invalid(file, err)
	}
	a.showFindings(found)
	src := workflow.Source{Name: r.Name, Workflow: next.Workflow(), File: file, Data: data}
	edited := *r
	edited.SetIR(next.IR(), next.Workflow())
	if text, err := workflowfile.Read(file, data); err == nil && !text.Bare() {
		edited.Description, edited.Keywords = next.Description, next.Keywords
	}
	list, err := a.checkWorkflow(ctx, &edited, src)
	if err != nil {
		return nil, err
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	a.showFindings(list)
	return &edited, nil
}
