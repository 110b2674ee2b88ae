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
		{"a batch over what is no list", `
nodes:
- {id: many, type: transform, params: {inputs: {}, expression: '{"a": 1}'}}
- {id: each, type: shell, batch: {items: "${many.result}"}, params: {command: "echo ${item}"}}
edges: [{from: many, to: each}]
`, "error nodes[1]: in a run it fails: items: want array, got object {\"a\":1}\n"},
		{"a failure that an edge takes is none", `
inputs: {path: {type: string, required: true}}
nodes:
- {id: read, type: read-file, params: {file_path: "${path}"}}
- {id: count, type: transform, params: {inputs: {text: "${read.content}"}, expression: 'text - 1'}}
- {id: say, type: template, params: {template: "${count.error.message}"}}
edges: [{from: read, to: count}, {from: count, to: say, action: error}]
`, ""},
		{"what an author raises may be of the content", `
inputs: {path: {type: string, required: true}}
nodes:
- {id: read, type: read-file, params: {file_path: "${path}"}}
- {id: check, type: transform, params: {inputs: {text: "${read.content}"}, expression: 'text == "the one text" ? 1 : fail("type", "another text")'}}
edges: [{from: read, to: check}]
`, "note nodes[1].params.expression: with values that are made up it fails; it may do with real ones: another text\n"},
		{"what is declared nothing about may be anything", `
nodes:
- {id: fetch, type: http, params: {url: "https://example.com"}}
- {id: pick, type: transform, params: {inputs: {r: "${fetch.response}"}, expression: 'map(r.items, .price * 2)'}}
- {id: first, type: template, params: {template: "${fetch.response.items[0].name}: ${pick.result[0]}"}}
edges: [{from: fetch, to: pick}, {from: pick, to: first}]
`, ""},
		{"groups have the keys that values have", `
nodes:
- {id: list, type: list-files, params: {path: .}}
- {id: pick, type: transform, params: {inputs: {r: "${list.files}"}, expression: 'fromPairs(map(r, [#, 1])).readme'}}
edges: [{from: list, to: pick}]
`, "note nodes[1].params.expression: with values that are made up it fails; it may do with real ones: there is no member \"readme\"; there is fake files of list [0], fake files of list [1]\n"},
		{"an input that need not be given may be", `
inputs: {who: {type: object}}
nodes:
- {id: say, type: template, params: {template: "Hello ${who.name}"}}
`, ""},
		{"waiting for what would come", `
nodes:
- {id: poll, type: http, repeat: {until: 'result.status_code == 299', max: 1000, wait: 1h}, params: {url: "https://example.com"}}
- {id: count, type: transform, params: {inputs: {all: "${poll.results}"}, expression: len(all)}}
edges: [{from: poll, to: count}]
`, ""},
		{"a branch that a made-up value takes", `
inputs: {n: {type: integer, required: true}}
nodes:
- {id: way, type: switch, params: {inputs: {n: "${n}"}, cases: [{action: never, expr: n > 0}]}}
- {id: broken, type: transform, params: {inputs: {}, expression: '[1][4]'}}
edges: [{from: way, to: broken, action: never}]
`, ""},
		{"more than there is time for", `
nodes:
- {id: many, type: transform, params: {inputs: {}, expression: '1..100000'}}
- {id: each, type: shell, batch: {items: "${many.result}"}, params: {command: "echo ${item}"}}
edges: [{from: many, to: each}]
`, ""},
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
