package workflowtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/nodetype"
	"pflow/internal/shelf"
	"pflow/internal/workflow"
	"pflow/internal/workflowfile"
	"pflow/internal/workflowtest"
	"pflow/ir"
	"pflow/nodes"
)

// surroundings are the built-in and shipped node types.
func surroundings(t testing.TB) workflow.Env {
	t.Helper()
	types := map[string]nodetype.Type{}
	var builtin []*ir.Interface
	for _, n := range nodes.Types(nodes.Deps{}) {
		types[n.Interface.Name] = n
		builtin = append(builtin, n.Interface)
	}
	s, _, err := shelf.Gather(shelf.Sources{Builtin: builtin, Shipped: nodes.Packs().Declared})
	if err != nil {
		t.Fatal(err)
	}
	return workflow.Env{Catalogue: s.Catalogue, Types: types, Declared: s.Declared}
}

// read is a valid workflow out of a text.
func read(t testing.TB, env workflow.Env, file, text string) *ir.Workflow {
	t.Helper()
	f, err := workflowfile.Read(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := f.IR()
	if err != nil {
		t.Fatal(err)
	}
	w, found := workflow.Check(data, env.Catalogue, env.Types, ir.Options{})
	if err := found.Err(); err != nil {
		t.Fatal(file, err)
	}
	return w
}

// rehearsed are the findings about a workflow, one a line.
func rehearsed(t testing.TB, env workflow.Env, w *ir.Workflow) string {
	t.Helper()
	found, err := workflowtest.Rehearse(t.Context(), w, env)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Severity, f.Path, f.Message)
	}
	return b.String()
}

func TestRehearse(t *testing.T) {
	env := surroundings(t)
	tests := []struct{ name, text, want string }{
		{"sound", `
inputs: {path: {type: string, required: true}}
nodes:
- {id: read, type: read-file, params: {file_path: "${path}"}}
- {id: count, type: transform, params: {inputs: {text: "${read.content}"}, expression: 'len(split(text, "\n"))'}}
edges: [{from: read, to: count}]
`, ""},
		{"a type that nothing satisfies", `
inputs: {path: {type: string, required: true}}
nodes:
- {id: read, type: read-file, params: {file_path: "${path}"}}
- {id: count, type: transform, params: {inputs: {text: "${read.content}"}, expression: 'text - 1'}}
edges: [{from: read, to: count}]
`, "error nodes[1].params.expression: in a run it fails whatever the nodes before it give: cannot compute string - integer\n"},
		{"nothing made up is read", `
nodes:
- {id: make, type: transform, params: {inputs: {}, expression: '{"titles": ["a"]}'}}
- {id: use, type: template, params: {template: "Title: ${make.result.title}"}}
edges: [{from: make, to: use}]
`, "error nodes[1]: in a run it fails: template: ${make.result.title}: make.result has no key \"title\", did you mean \"titles\"? it has titles\n"},
		{"what text holds is not known", `
inputs: {path: {type: string, required: true}}
nodes:
- {id: read, type: read-file, params: {file_path: "${path}"}}
- {id: third, type: transform, params: {inputs: {text: "${read.content}"}, expression: 'int(split(text, ",")[7])'}}
- {id: say, type: template, params: {template: "${third.result}"}}
edges: [{from: read, to: third}, {from: third, to: say}]
`, "note nodes[1].params.expression: with values that are made up it fails; it may do with real ones: the index 7 is out of range; the list has 1 items\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rehearsed(t, env, read(t, env, "w.yaml", "ir_version: 0.1.0"+tt.text))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestRehearseExamples holds that nothing that runs is taken for broken.
func TestRehearseExamples(t *testing.T) {
	env := surroundings(t)
	files, err := filepath.Glob("../../examples/workflows/*.[jy]*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	totals := filepath.Join("..", "..", "examples", "workflows", "totals.json") // calls a saved workflow
	for _, file := range files {
		if file == totals {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(rehearsed(t, env, read(t, env, file, string(data)))) {
			if strings.HasPrefix(line, "error") {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
}

func BenchmarkRehearse(b *testing.B) {
	env := surroundings(b)
	w := read(b, env, "w.yaml", `
ir_version: 0.1.0
inputs: {path: {type: string, required: true}, to: {type: string, required: true}}
nodes:
- {id: list, type: list-files, params: {path: "${path}", pattern: "*.csv"}}
- {id: rows, type: read-table, batch: {items: "${list.files}"}, params: {file_path: "${item}"}}
- {id: count, type: transform, params: {inputs: {all: "${rows.results}"}, expression: 'sum(map(all, len(.rows)))'}}
- {id: enough, type: switch, params: {inputs: {n: "${count.result}"}, cases: [{action: many, expr: n > 10}]}}
- {id: report, type: template, params: {template: "${count.result} rows in ${path}"}}
- {id: write, type: write-file, params: {file_path: "${to}", content: "${report.text}"}}
edges:
- {from: list, to: rows}
- {from: rows, to: count}
- {from: count, to: enough}
- {from: enough, action: many, to: report}
- {from: report, to: write}
`)
	for b.Loop() {
		if _, err := workflowtest.Rehearse(b.Context(), w, env); err != nil {
			b.Fatal(err)
		}
	}
}
