package nodes

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/ir"
)

// validated runs the validate op in planning on a workflow and the rest of a planning.
func validated(t *testing.T, workflow string, more map[string]any) map[string]any {
	t.Helper()
	d := Deps{Shelf: func(context.Context) (*shelf.Shelf, error) {
		var all []*ir.Interface
		for _, typ := range Types(Deps{}) {
			all = append(all, typ.Interface)
		}
		return &shelf.Shelf{Catalogue: ir.NewCatalogue(all...)}, nil
	}}
	input := map[string]any{"workflow": workflow}
	for k, v := range more {
		input[k] = v
	}
	store := runFlowText(t, d, `
flow: validated
version: 1
description: Check a draft.
state:
  workflow: {type: any, required: true}
  request:  {type: string, default: ""}
  parts:    {type: array, default: []}
  result:   {type: any, default: null}
nodes:
  check:
    op: validate
    prep: {workflow: store.workflow, request: store.request, parts: store.parts}
    with: {planning: true, nearest: 2, tokens: 400}
    post: {result: result}
    next: end
`, input)
	return store["result"].(map[string]any)
}

// lines are findings, one a line.
func lines(v any) string {
	var b strings.Builder
	for _, f := range v.([]any) {
		m := f.(map[string]any)
		fmt.Fprintf(&b, "%s %v %s\n", m["code"], m["path"], strings.SplitN(m["message"].(string), ";", 2)[0])
	}
	return b.String()
}

// TestFindingsOfADraft: of five slips each is told at once, first those of form, and a hundred of one kind hide no other.
func TestFindingsOfADraft(t *testing.T) {
	params := map[string]any{"command": "true"}
	for i := range 20 {
		params[fmt.Sprintf("extra_%d", i)] = i
	}
	draft := map[string]any{"ir_version": "0.1.0", "name": "x", "inputs": map[string]any{"path": map[string]any{"type": "str"}, "idle": map[string]any{"type": "string"}},
		"nodes": []any{
			map[string]any{"id": "run", "type": "shell", "params": params},
			map[string]any{"id": "fetch", "type": "http-get", "purpose": "Fetch a web page", "params": map[string]any{"url": "{{path}}"}},
			map[string]any{"id": "save", "type": "write-file", "params": map[string]any{"file_path": "${pat}", "content": "${fetch.body"}},
		},
		"edges": []any{map[string]any{"from": "run", "to": "fetch"}, map[string]any{"from": "fetch", "to": "sav"}}}
	result := validated(t, value.JSON(draft), nil)
	want := `dangling-edge edges[1].to the edge leads to "sav", but there is no node of this id
wrong-type inputs.path.type there is no type "str"
unknown-param nodes[0].params.extra_0 "extra_0" is no param of shell
unknown-param nodes[0].params.extra_1 "extra_1" is no param of shell
unknown-param nodes[0].params.extra_2 "extra_2" is no param of shell
unknown-param nodes[0].params.extra_3 "extra_3" is no param of shell
unknown-node-type nodes[1].type there is no node type "http-get" in the catalogue
bad-template nodes[2].params.content "${fetch.body": the } is missing
foreign-template nodes[1].params.url {{path}} is text here
unresolved-template nodes[2].params.file_path ${pat}: there is no node, output or input "pat"
unused-input inputs.idle nothing reads the input "idle"
unknown-param nodes[0].params.extra_4 "extra_4" is no param of shell
`
	if diff := cmp.Diff(want, lines(result["errors"].([]any)[:12])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := lines(result["notes"]); !strings.HasPrefix(got, "unknown-key name ") {
		t.Errorf("notes: %s", got)
	}
	near := result["nearest"].(map[string]any)
	text := near["context"].(string)
	if names := value.JSON(near["names"]); !strings.Contains(names, `"http"`) || !strings.Contains(text, "### http\n") || !strings.Contains(text, "- url (string, required)") {
		t.Errorf("nearest %s:\n%s", names, text)
	}
}

// TestKeysOfFindings: the same mistake has the same key in the next draft, also with another node before it.
func TestKeysOfFindings(t *testing.T) {
	node := `{"id": "run", "type": "shell", "params": {"comand": "true"}}`
	key := func(nodes string) string {
		result := validated(t, `{"ir_version": "0.1.0", "nodes": [`+nodes+`], "edges": [{"from": "first", "to": "run"}]}`, nil)
		for _, f := range result["errors"].([]any) {
			if m := f.(map[string]any); m["code"] == ir.UnknownParam {
				return m["key"].(string)
			}
		}
		t.Fatalf("no finding: %s", value.JSON(result))
		return ""
	}
	first := `{"id": "first", "type": "shell", "params": {"command": "true"}}`
	if a, b := key(node), key(first+","+node); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := key(node), key(strings.Replace(node, "comand", "cmd", 1)); a == b {
		t.Errorf("two mistakes have the key %s", a)
	}
}

// TestUncoveredRequest: what a draft leaves open goes back as findings, and the coverage says where it is.
func TestUncoveredRequest(t *testing.T) {
	draft := `{"ir_version": "0.1.0", "inputs": {"source": {"type": "string"}}, "edges": [],
		"nodes": [{"id": "copy", "type": "copy-file", "params": {"source_path": "${source}", "dest_path": "b.txt"}}]}`
	part := func(text, by string) any { return map[string]any{"text": text, "by": by} }
	request := "copy a.txt to b.txt, then delete a.txt"
	result := validated(t, draft, map[string]any{"request": request, "parts": []any{part("copy", "node:copy"), part("a.txt", "input:sorce"), part("to b.txt", "node:copy"), 5}})
	got := lines(result["errors"])
	for _, line := range []string{
		`uncovered-request parts[1] "input:sorce" cannot stand for "a.txt"`,
		`uncovered-request parts[3] the request has no words "" that are not taken`,
		`uncovered-request parts no part is for "a.txt" ("a.txt" is a value)`,
		`uncovered-request parts no part is for "delete a.txt" (nothing stands for it)`,
	} {
		if !strings.Contains(got, line) {
			t.Errorf("not told: %s\nin\n%s", line, got)
		}
	}
	if diff := cmp.Diff(`{"open":[{"end":10,"start":5,"text":"a.txt","why":"\"a.txt\" is a value"},{"end":38,"start":26,"text":"delete a.txt","why":"nothing stands for it"}],`+
		`"parts":[{"by":"node:copy","end":4,"start":0,"text":"copy"},{"by":"node:copy","end":19,"start":11,"text":"to b.txt"}]}`, value.JSON(result["coverage"])); diff != "" {
		t.Error(diff)
	}
	if result := validated(t, draft, map[string]any{"parts": []any{part("x", "y")}}); result["valid"] != true || value.JSON(result["coverage"]) != `{"open":[],"parts":[]}` {
		t.Errorf("without a request: %s", value.JSON(result))
	}
}
