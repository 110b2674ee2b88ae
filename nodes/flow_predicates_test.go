package nodes

import (
	"context"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/flowtest"
	"pflow/internal/shelf"
	"pflow/ir"
	"pflow/prompts"
)

// TestPredicatesInBothLanguages runs the tests of every shipped flow twice: as it is, and with each of its conditions, which are
// written in expr, replaced by the same condition in CEL (testdata/cel). Both must pass.
func TestPredicatesInBothLanguages(t *testing.T) {
	names, err := fs.Glob(flows.FS, "*_test.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	var types []*ir.Interface
	for _, n := range Types(Deps{}) {
		types = append(types, n.Interface)
	}
	offered := &shelf.Shelf{Catalogue: ir.NewCatalogue(types...)}
	d := Deps{Shelf: func(context.Context) (*shelf.Shelf, error) { return offered, nil }}
	l := &engine.Loader{Ops: engine.NewRegistry(All(d)...), Resources: engine.Folders{Flows: flows.FS, Prompts: prompts.FS}}
	condition := regexp.MustCompile(`(?m)^ +- (?:\{)?action: (\w+)(?:,|\n +)\s*(expr|cel): `)
	for _, file := range names {
		name := strings.TrimSuffix(file, "_test.yaml")
		data, err := flows.FS.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, found := flowtest.Parse(file, data)
		if len(found) > 0 {
			t.Fatal(found.Text())
		}
		plain, err := flows.FS.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		conditions := condition.FindAllStringSubmatch(string(plain), -1)
		docs := []engine.Document{{Kind: engine.FlowDocument, Name: name, Path: name + ".yaml", Data: plain}}
		if len(conditions) > 0 {
			path := "testdata/cel/" + name + "-cel.yaml"
			cel, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v: the conditions of %s have no counterpart in CEL", err, name)
			}
			if got := len(condition.FindAllString(string(cel), -1)); got != len(conditions) || strings.Contains(string(cel), "expr: ") {
				t.Errorf("%s has %d conditions, %s has %d; all of them are to be in CEL", name, len(conditions), path, got)
			}
			docs = append(docs, engine.Document{Kind: engine.FlowDocument, Name: name + "-cel", Path: path, Data: cel})
		}
		for _, doc := range docs {
			t.Run(doc.Name, func(t *testing.T) {
				flow, found := l.Load(doc)
				if flow == nil {
					t.Fatal(found.Text())
				}
				for _, c := range cases {
					if r := c.Check(t.Context(), flow); !r.Pass {
						t.Errorf("%s: %s", c.Name, strings.Join(r.Faults, "\n"))
					}
				}
			})
		}
	}
}
