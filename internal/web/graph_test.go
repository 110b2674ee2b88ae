package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const drawnWorkflow = `{"ir_version": "0.1.0", "nodes": [
	{"id": "which", "type": "switch", "params": {}},
	{"id": "each", "type": "llm", "params": {}, "batch": {"items": [1, 2, 3]}},
	{"id": "poll", "type": "http", "params": {}, "repeat": {"until": "result.status == 200"}},
	{"id": "call", "type": "workflow", "params": {"workflow": "greet"}},
	{"id": "publish", "type": "write-file", "params": {}, "approval": "required"}],
	"edges": [{"from": "which", "to": "each", "action": "many"}, {"from": "which", "to": "poll"}, {"from": "poll", "to": "call", "action": "error"}, {"from": "call", "to": "publish"}]}`

func TestGraphOfWorkflow(t *testing.T) {
	g, err := GraphOfWorkflow(json.RawMessage(drawnWorkflow))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range g.Nodes {
		got = append(got, n.ID+" "+n.Kind+" ("+n.Note+")")
	}
	want := "which branch (switch)\neach map (llm, for each of 3 items)\npoll repeat (http, until result.status == 200)\ncall call (workflow greet)\npublish approval (write-file, waits for approval)"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("nodes:\n%s\nwant:\n%s", text, want)
	}
	g.Light(map[string]Visited{"which": {State: "done", Actions: []string{"default"}}, "poll": {State: "failed", Actions: []string{"error"}}, "call": {State: "running"}})
	want = "which → each, with many\nwhich → poll (taken)\npoll → call, where it fails (taken)\ncall → publish"
	if text := strings.Join(g.Texts(), "\n"); text != want {
		t.Errorf("edges:\n%s\nwant:\n%s", text, want)
	}
}

func TestGraphOfFlow(t *testing.T) {
	g, err := GraphOfFlow(json.RawMessage(`{"name": "f", "nodes": [{"id": "ask", "op": "llm"}, {"id": "each", "op": "map", "runs": ["inner"]}, {"id": "sub", "op": "flow", "runs": ["other"]}],
		"edges": [{"from": "ask", "action": "many", "to": "each", "condition": "len(result) > 1"}, {"from": "ask", "action": "*", "to": "end"}, {"from": "each", "action": "default", "to": "sub"},
		{"from": "sub", "action": "failed", "to": "ask", "caught": true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range g.Nodes {
		got = append(got, n.ID+" "+n.Kind+" ("+n.Note+")")
	}
	if text, want := strings.Join(got, "\n"), "ask model (llm)\neach map (each: inner)\nsub call (other)\nend end ()"; text != want {
		t.Errorf("nodes:\n%s\nwant:\n%s", text, want)
	}
	// An action that has an edge of its own does not take the edge of all others.
	g.Light(map[string]Visited{"ask": {State: "done", Actions: []string{"many"}}})
	if text, want := strings.Join(g.Texts(), "\n"), "ask → each, with many: len(result) > 1 (taken)\nask → end, with else\neach → sub\nsub → ask, where it fails"; text != want {
		t.Errorf("edges:\n%s\nwant:\n%s", text, want)
	}
	g.Light(map[string]Visited{"ask": {State: "done", Actions: []string{"many", "none"}}})
	if end := g.Nodes[3]; end.State != "done" || !g.Edges[1].Taken {
		t.Errorf("the end of the flow is %q", end.State)
	}
}

// TestGraphTemplate: nothing of a graph can end the script that holds it, or begin an element.
func TestGraphTemplate(t *testing.T) {
	evil := `</script><script>alert(1)</script>"><img src=x onerror=alert(1)>`
	g := &Graph{Label: evil, Nodes: []GraphNode{{ID: evil, Label: evil, Note: evil, Href: "javascript:alert(1)"}}, Edges: []GraphEdge{{ID: "e0", From: evil, To: evil, Label: evil}}}
	var out bytes.Buffer
	if err := new(Server).parseTemplates().ExecuteTemplate(&out, "graph", g); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Count(text, "<script") != 1 || strings.Count(text, "</script") != 1 || strings.Contains(text, "<img") || strings.Contains(text, `href="javascript:`) {
		t.Error(text)
	}
	script := text[strings.Index(text, ">{")+1 : strings.Index(text, "</script")]
	var back Graph
	if err := json.Unmarshal([]byte(script), &back); err != nil || back.Nodes[0].Label != evil || back.Edges[0].From != evil {
		t.Errorf("%v: %s", err, script)
	}
}
