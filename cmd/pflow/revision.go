package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/gitcli"
	"pflow/nodes"
)

// revision is where documents are looked up that are to be as they were at a commit: what lies in the repository is read as
// it was then, all else as it is now. Its folders are those of engine.Folders.
type revision struct {
	ctx    context.Context
	now    engine.Folders
	git    *gitcli.Git
	dir    string // of the flow, without symbolic links
	top    string // of the working tree
	commit string
}

// maxDocumentAt bounds a document of a revision, in bytes, as the engine bounds those of files.
const maxDocumentAt = 4 << 20

// openRevision finds the repository of a variant's flow, and the commit that its revision stands for.
func (a *app) openRevision(ctx context.Context, v experiment.Variant) (*revision, error) {
	r := &revision{ctx: ctx, now: a.folders(), commit: v.Commit}
	r.dir = filepath.Dir(v.Flow)
	if !engine.IsPath(v.Flow) {
		if r.dir = filepath.Join(a.homeDir(), "flows"); a.homeDir() == "" {
			return nil, usage("variant %s: there is no home in which the flow %s could have revisions; name its file: ./%s.yaml@%s", v.Name, v.Flow, v.Flow, v.Rev)
		}
	}
	dir, err := filepath.Abs(r.dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, usage("variant %s: %s has no revisions: there is no folder %s", v.Name, v.Flow, r.dir)
	}
	r.dir = dir
	if r.git, err = gitcli.Open(ctx, nodes.GitProgram(os.Environ()), dir); err == nil {
		r.top, err = r.git.Top(ctx)
	}
	if err != nil {
		return nil, r.failed(v, err)
	}
	if r.top, err = filepath.EvalSymlinks(r.top); err != nil {
		return nil, usage("variant %s: %s", v.Name, fileError(err))
	}
	if r.commit == "" {
		if r.commit, err = r.git.Commit(ctx, v.Rev); err != nil {
			return nil, r.failed(v, err)
		}
	}
	return r, nil
}

// failed says what git could not do for a variant.
func (r *revision) failed(v experiment.Variant, err error) error {
	f := fault.Of(err)
	switch f.Details["reason"] {
	case "not_a_repository":
		return usage("variant %s: %s is in no git repository, so that %s has no revision %s", v.Name, r.dir, v.Flow, v.Rev)
	case "no_commits":
		return usage("variant %s: the repository of %s has no commit yet", v.Name, r.dir)
	case "unknown_ref", "bad_ref":
		return usage("variant %s: the repository of %s has no revision %q: name a commit, a branch or a tag; git log and git tag list them", v.Name, r.dir, v.Rev)
	}
	return usage("variant %s: %v", v.Name, err)
}

// document is the flow of a variant as it was.
func (r *revision) document(v experiment.Variant) (engine.Document, error) {
	name := filepath.Base(v.Flow)
	if !engine.IsPath(v.Flow) {
		name += ".yaml"
	}
	doc, err := r.read(engine.FlowDocument, filepath.Join(r.dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doc, usage("variant %s: there was no %s in %s at %s (%s)", v.Name, name, r.dir, v.Rev, shortCommit(r.commit))
	case err != nil:
		return doc, usage("variant %s: %v", v.Name, err)
	}
	return doc, nil
}

// shortCommit is how a commit is shown.
func shortCommit(commit string) string { return commit[:min(12, len(commit))] }

// read reads a file: as it was, if it lies in the repository. The path of the document then tells so.
func (r *revision) read(kind engine.DocumentKind, file string) (engine.Document, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		dir = filepath.Dir(file) // a folder that is gone may have been there
	}
	rel, err := filepath.Rel(r.top, dir)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return engine.ReadDocument(kind, file)
	}
	from, err := filepath.Rel(r.dir, filepath.Join(dir, filepath.Base(file)))
	if err != nil {
		return engine.Document{}, err
	}
	text, cut, err := r.git.FileAt(r.ctx, from, r.commit, maxDocumentAt)
	if err != nil {
		if fault.Of(err).Details["reason"] == "unknown_path" {
			err = fmt.Errorf("%s: %w", file, fs.ErrNotExist)
		}
		return engine.Document{}, err
	}
	if cut {
		return engine.Document{}, fmt.Errorf("%s at %s is larger than %d bytes, the most a %s may have", file, shortCommit(r.commit), maxDocumentAt, kind)
	}
	name := strings.TrimSuffix(filepath.Base(file), documentEndings[kind])
	return engine.Document{Kind: kind, Name: name, Path: filepath.Clean(file) + "@" + shortCommit(r.commit), Data: []byte(text)}, nil
}

var documentEndings = map[engine.DocumentKind]string{engine.FlowDocument: ".yaml", engine.PromptDocument: ".tmpl", engine.SchemaDocument: ".schema.json"}

// Find looks where engine.Folders does: beside the documents that ask, in the home, and among what pflow brings along.
func (r *revision) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	embedded := r.now
	embedded.Home = ""
	shipped := func(p string) bool { return strings.HasPrefix(p, engine.Shipped) }
	if name == "" || shipped(name) || len(from) > 0 && shipped(from[0]) || strings.ContainsAny(name, "/\\\x00") {
		return embedded.Find(kind, name, from)
	}
	var places []string
	for _, p := range from {
		if !engine.IsShipped(p) {
			places = append(places, filepath.Dir(p))
		}
	}
	if kind != engine.FlowDocument {
		for i := range places {
			places[i] = filepath.Join(places[i], "prompts")
		}
	}
	if r.now.Home != "" {
		folder := "prompts"
		if kind == engine.FlowDocument {
			folder = "flows"
		}
		places = append(places, filepath.Join(r.now.Home, folder))
	}
	for i, dir := range places {
		if slices.Contains(places[:i], dir) {
			continue
		}
		doc, err := r.read(kind, filepath.Join(dir, name+documentEndings[kind]))
		if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return doc, err
		}
	}
	return embedded.Find(kind, name, nil)
}

// Names lists what there is now: it only makes suggestions.
func (r *revision) Names(kind engine.DocumentKind, from []string) []string {
	return r.now.Names(kind, from)
}
