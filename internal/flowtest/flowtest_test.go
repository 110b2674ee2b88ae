package flowtest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/internal/flowtest"
)

// outside is an op that a test must not run.
func outside() engine.Op {
	return engine.Op{
		Name: "outside", OpenPrep: true,
		New: func(*engine.Setup) engine.Exec {
			return func(context.Context, engine.Input) (engine.Output, error) {
				panic("an op that reaches outside was run")
			}
		},
	}
}

const flowText = `flow: many
version: 1
state:
  each: {type: array, default: []}
  both: {type: object, default: {}}
nodes:
  each:
    op: map
    prep: {items: '["a", "b", "c"]'}
    with: {op: outside, prep: {it: item}, concurrency: 3}
    post: {each: result}
    next: both
  both:
    op: parallel
    with:
      join: any
      branches:
        left:  {op: outside}
        right: {op: outside}
    retry: {attempts: 2, wait: 1h}
    post: {both: result}
    next: end
`

// TestCheck cans the results of items and branches, each by its own name or by that of its node.
func TestCheck(t *testing.T) {
	l := &engine.Loader{Ops: engine.NewRegistry(outside()), Resources: engine.Folders{}}
	flow, found := l.Load(engine.Document{Kind: engine.FlowDocument, Path: "many.yaml", Data: []byte(flowText)})
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	tests := []struct {
		name, text, want string
	}{
		{"by node", `
- name: x
  results: {each: [{result: 1}, {result: 2}], both: [{result: 3}]}
  expect: {store: {each: [1, 2, 2], both: {name: left, result: 3}}, path: [each, both]}
`, ""},
		{"by item and branch", `
- name: x
  results:
    each: [{result: 0}]
    "each[1]": [{result: 5}]
    both.left: [{error: {kind: refused, message: no}}]
    both.right: [{error: {kind: network}}, {result: late}]
  expect: {store: {each: [0, 5, 0], both: {name: right, result: late}}}
`, ""},
		{"all fail", `
- name: x
  results: {each: [{result: 0}], both: [{error: {kind: refused, message: no}}]}
  expect: {status: failed, error: {kind: refused, node: both.left}}
`, "t.yaml:4:57: error.node: want \"both.left\", got \"both\""},
		{"nothing canned", `
- name: x
  expect: {}
`, "t.yaml:2:3: the step \"each\" runs the op outside, which reaches outside: give it results"},
		{"too much canned", `
- name: x
  results: {each: [{result: 0}], both: [{result: 0}], "each[7]": [{}], third: [{}]}
  expect: {}
`, "t.yaml:2:3: results: the step \"each[7]\" never ran; these did: both, each"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cases, found := flowtest.Parse("t.yaml", []byte(tt.text))
			if len(found) > 0 {
				t.Fatal(found.Text())
			}
			got := cases[0].Check(t.Context(), flow)
			if diff := cmp.Diff(tt.want, strings.Join(got.Faults, "\n")); diff != "" || got.Pass != (tt.want == "") {
				t.Errorf("-want +got, pass %v:\n%s", got.Pass, diff)
			}
		})
	}
}

// TestParse shows every fault of a test file at its place.
func TestParse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no list", "a: 1\n", "t.yaml:1:1: error: want a list of tests, got a mapping [wrong-kind]\n"},
		{"no test", "- a\n", "t.yaml:1:3: error: want a test: {name, store, results, expect}, got text [wrong-kind]\n"},
		{
			"no name", "- expect: {}\n",
			"t.yaml:1:3: error: a test needs a name [missing-key]\n",
		},
		{
			"meters", "- name: x\n  results: {a: [{meters: {calls: many}}]}\n  expect: {}\n",
			"t.yaml:2:34: error: want a number, got text [wrong-kind]\n",
		},
		{
			"error", "- name: x\n  results: {a: [{error: bad}]}\n  expect: {}\n",
			"t.yaml:2:25: error: want {kind, message, details}, got text [wrong-kind]\n",
		},
		{
			"store", "- name: x\n  store: [1]\n  expect: {}\n",
			"t.yaml:2:10: error: want a mapping, got a list [wrong-kind]\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, found := flowtest.Parse("t.yaml", []byte(tt.text))
			var got strings.Builder
			for _, f := range found {
				f.Snippet = ""
				got.WriteString(f.Text())
			}
			if diff := cmp.Diff(tt.want, got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
