package phrase

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/mapparams"
	"pflow/ir"
)

const textGrammar = `
words: {it: [it, them]}
joins: [and, then]
filler: [the]
rules:
- {as: text, says: ["{file}"], do: read-file, with: {file_path: "${file}"}, gives: content}
- {as: text, says: ["<it>"], prev: true}
- {as: lines, says: ["<it>"], prev: true}
- {as: lines, says: ["{text}"], expr: "split_lines(${text})"}
- {as: lines, says: ["lines with {word} in {lines}"], expr: "filter(${lines}, # contains ${word})"}
- {as: lines, says: ["first {n:integer} {lines}"], expr: "let list = ${lines}; list[:${n}]"}
- {as: written, says: ["{lines}"], expr: "join_lines(${lines})"}
- {as: sorted, says: ["sort [{lines}]"], expr: "sort(${lines?})"}
- {as: do, says: ["{sorted}"]}
- {as: lines, says: ["{sorted}"], cost: 0.5}
- {as: ask, says: ["show {lines}"]}
- {as: lines, says: ["hits of {file}"], steps: [{id: find, do: find, with: {file_path: "${file}"}}, {id: texts, expr: "map(${find.matches}, .text)"}], gives: texts}
- {as: ask, says: ["count {lines}"], expr: "len(${lines})"}
- {as: display, says: ["{lines}"], expr: "join_lines(${lines})"}
- {as: lead, says: ["{lines}"]}
- {as: do, says: ["save as {file}"], do: write-file, with: {file_path: "${file}", content: "${prev:written}"}}
`

// TestExpressions: expressions of phrases become one transform, what was given is taken as another sort, and what something to do gives
// is shown unless it is taken.
func TestExpressions(t *testing.T) {
	of := map[string]*ir.Interface{}
	for _, name := range []string{"read-file", "write-file", "transform", "find"} {
		of[name] = &ir.Interface{Name: name}
	}
	g, err := Load(func(name string) bool { return of[name] != nil }, fstest.MapFS{"a.yaml": {Data: []byte(textGrammar)}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		request string
		exprs   []string
		shows   []string
	}{
		{"show lines with x in a.txt", []string{"join_lines(filter(split_lines(text), # contains word))"}, []string{"${transform.result}"}},
		{"first 2 lines with x in a.txt", []string{"join_lines((let list = filter(split_lines(text), # contains word); list[:n]))"}, []string{"${transform.result}"}},
		{"count first 2 lines with x in a.txt", []string{"len((let list = filter(split_lines(text), # contains word); list[:n]))"}, []string{"${transform.result}"}},
		{"count hits of a.txt", []string{"len(map(given, .text))"}, []string{"${transform.result}"}}, // matches is an operator
		{"sort a.txt", []string{"join_lines(sort(split_lines(text)))"}, []string{"${transform.result}"}},
		{"show a.txt and sort them", []string{"join_lines(split_lines(text))", "join_lines(sort(split_lines(text)))"}, []string{"${transform.result}", "${transform-2.result}"}},
		{"show a.txt and b.txt", nil, nil}, // what is shown alone begins a request
		{"sort", nil, nil},
	}
	for _, tt := range tests {
		read, err := mapparams.Read(context.Background(), tt.request, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		r, err := g.Read(context.Background(), read, func(name string) *ir.Interface { return of[name] }, nil)
		if err != nil {
			t.Fatal(err)
		}
		var exprs, shows []string
		if r.Workflow != nil {
			for _, n := range r.Workflow.Nodes {
				if n.Type == "transform" {
					exprs = append(exprs, n.Params["expression"].(string))
				}
			}
			for _, o := range r.Workflow.Outputs {
				shows = append(shows, o.Source)
			}
		}
		if diff := cmp.Diff([2][]string{tt.exprs, tt.shows}, [2][]string{exprs, shows}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.request, diff)
		}
	}
}

// TestLoadWithoutNodes: rules of node types that are not there are left out, and what speaks of their sorts is no fault.
func TestLoadWithoutNodes(t *testing.T) {
	if _, err := Load(func(string) bool { return false }, fstest.MapFS{"a.yaml": {Data: []byte(textGrammar)}}); err != nil {
		t.Error(err)
	}
}

// TestTextKeepsItsWords: what asks for nothing elsewhere is a word of a text, and an article is a name in a list.
func TestTextKeepsItsWords(t *testing.T) {
	const grammar = `
filler: [hello, a]
rules:
- {as: do, says: ["write {words}"], do: transform, with: {expression: "${words}"}}
- {as: do, says: ["make {folders:folder+}"], do: transform, with: {expression: "${folders}"}}
`
	g, err := Load(func(string) bool { return true }, fstest.MapFS{"a.yaml": {Data: []byte(grammar)}})
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]any{"write hello world": "hello world", "make c, d": []any{"c", "d"}} {
		read, err := mapparams.Read(context.Background(), request, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		r, err := g.Read(context.Background(), read, func(string) *ir.Interface { return nil }, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		for _, v := range r.Values {
			got["value"] = v
		}
		if diff := cmp.Diff(map[string]any{"value": want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", request, diff)
		}
	}
}
