package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
)

// draftFlag adds --draft: documents that are not saved, in the place of those of the home.
func (a *app) draftFlag(c *cobra.Command) {
	c.Flags().StringArrayVar(&a.optionsOf(c).drafts, "draft", nil,
		"take a text for one that is in your home: `PLACE=FILE`, such as prompts/map.tmpl=new.tmpl or flows/planner.yaml=-; - is standard input (repeatable)")
}

// homeFolders are the folders of a home in which documents lie, and the ends of their names there.
var homeFolders = []struct {
	kind           engine.DocumentKind
	folder, ending string
}{{engine.FlowDocument, "flows", ".yaml"}, {engine.PromptDocument, "prompts", ".tmpl"}, {engine.SchemaDocument, "prompts", ".schema.json"}}

// documentAt is the document that a place in a home holds, without its text.
func (a *app) documentAt(place string) (engine.Document, bool) {
	for _, in := range homeFolders {
		name, ok := strings.CutPrefix(place, in.folder+"/")
		if name, is := strings.CutSuffix(name, in.ending); ok && is && name != "" && !strings.ContainsAny(name, `/\:`) {
			return engine.Document{Kind: in.kind, Name: name, Path: a.home().Path(in.folder, name+in.ending)}, true
		}
	}
	return engine.Document{}, false
}

// readDrafts reads what --draft names.
func (a *app) readDrafts(ctx context.Context) error {
	if len(a.drafts) == 0 {
		return nil
	}
	if err := a.needsHome(); err != nil {
		return err
	}
	for _, given := range a.drafts {
		place, file, ok := strings.Cut(given, "=")
		d, known := a.documentAt(place)
		switch {
		case !ok || file == "":
			return usage("--draft %q: want PLACE=FILE, as in --draft prompts/map.tmpl=new.tmpl", given)
		case !known:
			return usage("--draft %q: want a place in your home: flows/NAME.yaml, prompts/NAME.tmpl or prompts/NAME.schema.json", given)
		case slices.ContainsFunc(a.drafted, func(other engine.Document) bool { return other.Path == d.Path }):
			return usage("--draft names %s twice", place)
		}
		var err error
		if d.Data, err = a.readText(ctx, file); err != nil {
			return err
		}
		a.drafted = append(a.drafted, d)
	}
	return nil
}

// maxText bounds the text of a flow or a prompt, as the engine does.
const maxText = 4 << 20

// readText reads the text of a flow or a prompt from a file, or from standard input where that is -.
func (a *app) readText(ctx context.Context, file string) ([]byte, error) {
	if file != "-" {
		d, err := engine.ReadDocument(engine.FlowDocument, file)
		if err != nil {
			return nil, usage("%s", fileError(err))
		}
		return d.Data, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in.until(ctx), maxText+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fail(exitFailed, "standard input: %v", err)
	case len(data) > maxText:
		return nil, usage("standard input is larger than %d MB", maxText>>20)
	}
	return data, nil
}

// resources is where flows and prompts are looked up: drafts first.
func (a *app) resources() engine.Resources {
	if len(a.drafted) == 0 {
		return a.folders()
	}
	return drafts{a.folders(), a.drafted}
}

// drafts are documents in the place of those of a home. What lies beside the flow that asks comes before them, as before a home.
type drafts struct {
	engine.Folders
	of []engine.Document
}

func (d drafts) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	found, err := d.Folders.Find(kind, name, from)
	if strings.HasPrefix(name, engine.Shipped) || len(from) > 0 && strings.HasPrefix(from[0], engine.Shipped) {
		return found, err
	}
	for _, own := range d.of {
		if own.Kind != kind || own.Name != name {
			continue
		}
		if err != nil || engine.IsShipped(found.Path) || found.Path == own.Path {
			return own, nil
		}
	}
	return found, err
}

func (d drafts) Names(kind engine.DocumentKind, from []string) []string {
	names := d.Folders.Names(kind, from)
	for _, own := range d.of {
		if own.Kind == kind && !slices.Contains(names, own.Name) {
			names = append(names, own.Name)
		}
	}
	slices.Sort(names)
	return names
}

// flowUse is a flow that uses a document.
type flowUse struct {
	name string
	*lookedAt
}

// users are the flows that use a document of the home: of their bases, the flows that they run, prompts and schemas it is one. It
// gives each with what it was loaded from, valid or not.
func (a *app) users(res engine.Resources, path string) []flowUse {
	var out []flowUse
	for _, name := range res.Names(engine.FlowDocument, nil) {
		looked, err := a.known.look(res, name)
		if err != nil {
			continue // it is another flow that cannot be read
		}
		if slices.ContainsFunc(looked.made.Documents(), func(d engine.Document) bool { return samePlace(d.Path, path) }) {
			out = append(out, flowUse{name, looked})
		}
	}
	return out
}

// samePlace reports whether two paths of documents are of one place: that in the home, or the embedded one that it hides.
func samePlace(found, home string) bool {
	if filepath.Clean(found) == filepath.Clean(home) {
		return true
	}
	at, shipped := strings.CutPrefix(found, engine.Embedded)
	return shipped && strings.HasSuffix(filepath.ToSlash(home), "/"+at)
}

// shippedText is what pflow brings along in the place of a document; found is false where that is nothing.
func (a *app) shippedText(d engine.Document) (text []byte, found bool, err error) {
	shipped, err := a.onlyShipped().Find(d.Kind, d.Name, nil)
	if errors.Is(err, engine.ErrNoDocument) {
		return nil, false, nil
	}
	return shipped.Data, err == nil, err
}

// ownText is what the home has in the place of a document; found is false where that is nothing.
func (a *app) ownText(d engine.Document) (text []byte, found bool, err error) {
	if _, err := os.Lstat(d.Path); err != nil {
		if os.IsNotExist(err) {
			return nil, false, nil
		}
		return nil, false, fail(exitFailed, "%s", fileError(err))
	}
	own, err := engine.ReadDocument(d.Kind, d.Path)
	if err != nil {
		return nil, false, fail(exitFailed, "%s", fileError(err))
	}
	return own.Data, true, nil
}

// usedBy lists the flows that use each prompt and schema, by its path.
func (a *app) usedBy(res engine.Resources) map[string][]string {
	out := map[string][]string{}
	for _, name := range res.Names(engine.FlowDocument, nil) {
		looked, err := a.known.look(res, name)
		if err != nil {
			continue
		}
		for _, d := range looked.made.Documents() {
			if d.Kind != engine.FlowDocument {
				out[d.Path] = append(out[d.Path], name)
			}
		}
	}
	return out
}
