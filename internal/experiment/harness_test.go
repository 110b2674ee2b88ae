package experiment_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/catalogue"
	"pflow/internal/experiment"
	"pflow/internal/shelf"
	"pflow/ir"
	"pflow/nodes"
	"pflow/prompts"
)

// surroundings are those of the program: the real ops, the built-in components, the shipped flows.
func surroundings(t testing.TB, d nodes.Deps) experiment.Options {
	t.Helper()
	var builtin []*ir.Interface
	for _, c := range nodes.Types(d) {
		builtin = append(builtin, c.Interface)
	}
	set, found := catalogue.Load(catalogue.Options{Builtin: builtin})
	if found.HasErrors() {
		t.Fatal(found.Text())
	}
	offered := &shelf.Shelf{Catalogue: set.Catalogue}
	d.Shelf = func(context.Context) (*shelf.Shelf, error) { return offered, nil }
	return experiment.Options{
		Load: func(v experiment.Variant) (*engine.Flow, error) {
			l := &engine.Loader{Ops: engine.NewRegistry(nodes.All(d)...), Resources: engine.Folders{Flows: flows.FS, Prompts: prompts.FS}, Set: v.Set}
			if !engine.IsPath(v.Flow) {
				flow, found := l.LoadNamed(v.Flow)
				return flow, found.Err()
			}
			doc, err := engine.ReadDocument(engine.FlowDocument, v.Flow)
			if err != nil {
				return nil, err
			}
			flow, found := l.Load(doc)
			return flow, found.Err()
		},
		Shelf: func(*experiment.Case) (*shelf.Shelf, error) { return offered, nil },
	}
}

// specOf reads a spec whose cases are n requests to copy a file, every third of which nothing can do.
func specOf(t testing.TB, n int, more string) *experiment.Spec {
	t.Helper()
	dir := t.TempDir()
	var lines strings.Builder
	for i := range n {
		request, expect := fmt.Sprintf("file-%d.txt copied to backup/file-%d.txt", i, i), `{"nodes": ["copy-file"]}`
		if i%3 == 2 {
			request, expect = fmt.Sprintf("paint picture %d in oil", i), `{"abstain": true}`
		}
		fmt.Fprintf(&lines, `{"id": "c%d", "request": %q, "expect": %s}`+"\n", i, request, expect)
	}
	write(t, filepath.Join(dir, "cases.jsonl"), lines.String())
	doc := "experiment: copies\ncases: cases.jsonl\n" + more
	if !strings.Contains(more, "variants:") {
		// Both compose by words what no phrase says.
		doc += "variants: [{flow: planner-offline, set: {params.phrases_decide: false}}, {name: strict, flow: planner-offline, set: {params.phrases_decide: false, nodes.workflow-generation.post.generated_workflow: \"null\"}}]\n"
	}
	s, found := experiment.ReadSpec(filepath.Join(dir, "x.yaml"), []byte(doc))
	if s == nil {
		t.Fatal(found.Text())
	}
	return s
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// started makes an experiment in a folder of its own.
func started(t testing.TB, s *experiment.Spec, o experiment.Options) (*experiment.Experiment, *experiment.Store) {
	t.Helper()
	store, err := experiment.CreateStore(filepath.Join(t.TempDir(), "exp"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	x, err := experiment.Create(store, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return x, store
}

func report(t testing.TB, store *experiment.Store) *experiment.Report {
	t.Helper()
	r, err := experiment.NewReport(store)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// contains reports whether a text holds all parts.
func contains(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

func read(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
