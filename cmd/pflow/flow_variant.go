package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/tune"
)

// keptVariant is `flow variant --json`.
type keptVariant struct {
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`
	Extends string   `json:"extends"`
	Files   []string `json:"files"` // the flow itself last
}

func (a *app) flowVariantCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "variant FLOW NAME",
		Short: "Keep how a flow differs as a flow of another name, beside what it comes of",
		Long: `Keep how a flow of your home differs from the one that pflow ships as a flow of another name: a small file over extends, with the keys
alone that differ, one for each flow that it runs and that differs, and each prompt that differs under a name of its own. So both
can plan, and be held against each other. With --draft a text that is not saved is kept so, and the flow stays as it is; a flow that
pflow does not ship is extended as it is saved. Nothing that is there is replaced.`,
		Example: "  pflow flow variant planner mine --draft prompts/metadata.tmpl=edited.tmpl",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("%s: want a flow, and the name of the variant", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.readDrafts(c.Context()); err != nil {
				return err
			}
			return a.keepVariant(c.Context(), args[0], args[1])
		},
	}
	a.draftFlag(c)
	return c
}

func (a *app) keepVariant(ctx context.Context, of, name string) error {
	d, err := a.homeDocument(engine.FlowDocument, name)
	if err != nil {
		return err
	}
	if engine.IsPath(of) {
		return usage("%s is a file; name a flow of your home", of)
	}
	edited, _, err := a.load(of)
	if err != nil {
		return err
	}
	drafted := a.drafted
	a.drafted = nil
	extends := strings.TrimPrefix(of, engine.Shipped)
	if base, err := a.onlyShipped().Find(engine.FlowDocument, extends, nil); err == nil && base.Name != "" {
		extends = engine.Shipped + extends
	}
	base, _, err := a.load(extends)
	if err != nil {
		return err
	}
	description := fmt.Sprintf("%s with edits of yours.", edited.Name)
	files, err := tune.Keep(base, edited, extends, d.Name, filepath.Dir(d.Path), a.home().Path("prompts"), description)
	if err != nil {
		return usage("%v", err)
	}
	if len(files) == 1 && base.Hash == edited.Hash {
		return usage("%s is as %s: there is nothing to keep", of, extends)
	}
	a.drafted = drafted
	out := keptVariant{Schema: "pflow.flow-variant/v1", Name: d.Name, Extends: extends, Files: []string{}}
	if err := a.holdDocuments(ctx, func() error { return a.writeVariant(files, extends, base.File, &out) }); err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(out)
	}
	for _, file := range out.Files {
		fmt.Fprintln(a.stdout, file)
	}
	return nil
}

// writeVariant writes the files of a variant, the flow itself last, so that there is no flow without what it runs.
func (a *app) writeVariant(files []tune.File, extends, base string, out *keptVariant) error {
	for _, f := range files {
		if _, there, err := a.ownText(engine.Document{Kind: engine.FlowDocument, Path: f.Path}); err != nil || there {
			return usage("there is %s already: choose another name, or delete it", f.Path)
		}
	}
	if _, err := tune.Load(files, extends, base, engine.Loader{Ops: a.host().Ops(), Resources: a.folders()}); err != nil {
		return usage("%v", err)
	}
	for _, f := range files {
		if err := writeAtomic(f.Path, f.Data); err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
		out.Files = append(out.Files, f.Path)
	}
	return nil
}
