package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// remove is a workflow that deletes a file.
func remove() map[string]any {
	return map[string]any{"ir_version": "0.1.0", "inputs": map[string]any{"file": map[string]any{"type": "string", "required": true, "description": "the file to delete"}},
		"nodes":   []any{map[string]any{"id": "gone", "type": "delete-file", "params": map[string]any{"file_path": "${file}", "confirm_delete": true}}},
		"edges":   []any{},
		"outputs": map[string]any{"deleted": map[string]any{"source": "${gone.deleted}", "type": "boolean"}}}
}

func accept(content map[string]any) func(*mcp.ElicitParams) *mcp.ElicitResult {
	return func(*mcp.ElicitParams) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: content}
	}
}

// TestMCPServeDigest: a client that cannot ask its user approves by the digest of what it was shown, and of nothing else.
func TestMCPServeDigest(t *testing.T) {
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "a", "b.txt": "b"}})
	s.call("save_workflow", map[string]any{"ir": remove(), "name": "remove"}).wants(t, false)
	if tool := s.tool("remove"); !*tool.Annotations.DestructiveHint || tool.Annotations.ReadOnlyHint {
		t.Error("a tool that deletes does not say so")
	}
	digest := s.call("remove", map[string]any{"file": "a.txt"}).wants(t, true, "nothing was run", "gone (delete-file)", "a.txt").digest(t)
	other := s.call("remove", map[string]any{"file": "b.txt", "approve": digest}).wants(t, true, "what was approved is not what would run now", "b.txt").digest(t)
	s.call("remove", map[string]any{"file": "b.txt", "approve": "yes"}).wants(t, true, "nothing was run")
	if other == digest || !s.has("a.txt") || !s.has("b.txt") {
		t.Fatal("something was deleted, or the digest does not tell what")
	}
	if got := s.call("remove", map[string]any{"file": "a.txt", "approve": digest}).wants(t, false); s.has("a.txt") || got.document["deleted"] != true {
		t.Error(got.document)
	}
	s.call("run_workflow", map[string]any{"ir": remove(), "inputs": map[string]any{"file": "b.txt"}}).wants(t, true, "nothing was run").digest(t)
	s.call("remove", map[string]any{}).wants(t, true, "file (string): the file to delete; pass it as an argument")

	only := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}, args: []string{"--ask-only"}})
	only.call("run_workflow", map[string]any{"ir": remove(), "inputs": map[string]any{"file": "a.txt"}, "approve": digest}).wants(t, true, "takes no other approval")
	if !only.has("a.txt") {
		t.Error("it was deleted")
	}
}

// TestMCPServeElicitation: a client that can ask its user is asked, for approval and for inputs, whatever digest it passes.
func TestMCPServeElicitation(t *testing.T) {
	yes := true
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}, answer: func(p *mcp.ElicitParams) *mcp.ElicitResult {
		fields, _ := p.RequestedSchema.(map[string]any)["properties"].(map[string]any)
		if fields["file"] != nil {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"file": "a.txt"}}
		}
		if yes {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}
		}
		return &mcp.ElicitResult{Action: "decline"}
	}})
	yes = false
	run := map[string]any{"ir": remove()}
	s.call("run_workflow", run).wants(t, true, "the user did not approve it")
	if first, second := <-s.asked, <-s.asked; !strings.Contains(first.Message, "needs more") || !strings.Contains(second.Message, "a.txt") {
		t.Error(first.Message, second.Message)
	}
	if !s.has("a.txt") {
		t.Fatal("declined, and deleted")
	}
	yes = true
	s.call("run_workflow", run).wants(t, false, "done")
	if s.has("a.txt") {
		t.Error("approved, and not deleted")
	}

	for name, answer := range map[string]func(*mcp.ElicitParams) *mcp.ElicitResult{
		"accepted without a yes": accept(map[string]any{"approve": false}),
		"cancelled":              func(*mcp.ElicitParams) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "cancel"} },
	} {
		s := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}, answer: answer})
		s.call("run_workflow", map[string]any{"ir": remove(), "inputs": map[string]any{"file": "a.txt"}}).wants(t, true, "nothing was run")
		if !s.has("a.txt") {
			t.Errorf("%s, and deleted", name)
		}
	}
}

// gated is a workflow whose second node wants approval.
func gated() map[string]any {
	return map[string]any{"ir_version": "0.1.0", "nodes": []any{
		map[string]any{"id": "first", "type": "write-file", "params": map[string]any{"file_path": "first.txt", "content": "1"}},
		map[string]any{"id": "second", "type": "write-file", "approval": "required", "params": map[string]any{"file_path": "second.txt", "content": "2"}},
	}, "edges": []any{map[string]any{"from": "first", "to": "second"}}}
}

// TestMCPServeApproval: a node that wants approval is asked about when its turn comes; where nobody can be asked the run waits and goes on
// with the digest of what it waits for.
func TestMCPServeApproval(t *testing.T) {
	s := serve(t, serveOptions{})
	waits := s.call("run_workflow", map[string]any{"ir": gated()}).wants(t, true, "waits for the approval of second")
	if !s.has("first.txt") || s.has("second.txt") {
		t.Fatal("the run did not stop at the gate")
	}
	id := waits.document["run_id"]
	s.call("get_run", map[string]any{"id": id}).wants(t, false, `"status": "waiting"`)
	s.call("run_workflow", map[string]any{"resume": id, "approve": "sha256:other"}).wants(t, true, "waits for the approval of second")
	s.call("run_workflow", map[string]any{"resume": id}).wants(t, true, "waits for the approval of second")
	s.call("run_workflow", map[string]any{"resume": id, "approve": waits.digest(t)}).wants(t, false, `"status": "done"`)
	if !s.has("second.txt") {
		t.Error("approved, and not run")
	}
	asked := serve(t, serveOptions{answer: accept(map[string]any{"approve": true})})
	asked.call("run_workflow", map[string]any{"ir": gated()}).wants(t, false, `"status": "done"`)
	if p := <-asked.asked; !strings.Contains(p.Message, "second") {
		t.Error(p.Message)
	}
}

// TestMCPServeSecret: a secret is no argument, and in no answer.
func TestMCPServeSecret(t *testing.T) {
	const secret = "correct-horse-battery"
	s := serve(t, serveOptions{env: []string{"THE_TOKEN=" + secret}, answer: accept(map[string]any{"approve": true})})
	s.call("save_workflow", map[string]any{"name": "leak", "ir": map[string]any{
		"ir_version": "0.1.0", "inputs": map[string]any{"token": map[string]any{"type": "string", "secret": true, "from_env": "THE_TOKEN", "required": true}},
		"nodes":   []any{map[string]any{"id": "say", "type": "shell", "params": map[string]any{"command": "echo it is $$T", "env": map[string]any{"T": "${token}"}}}},
		"edges":   []any{},
		"outputs": map[string]any{"said": map[string]any{"source": "${say.stdout}", "type": "string"}},
	}}).wants(t, false)
	schema, _ := json.Marshal(s.tool("leak").InputSchema)
	if strings.Contains(string(schema), "token") {
		t.Errorf("a secret is an argument: %s", schema)
	}
	for _, a := range []answer{s.call("leak", nil), s.call("run_workflow", map[string]any{"name": "leak"})} {
		a.wants(t, false, "it is ")
		if doc, _ := json.Marshal(a.document); strings.Contains(a.text+string(doc), secret) {
			t.Errorf("the answer holds the secret: %s", a.text)
		}
	}
	s.call("leak", map[string]any{"token": "x"}).wants(t, true, "secret")
	s.call("plan", map[string]any{"request": "write the text " + secret + " to x.txt"}).wants(t, true, "THE_TOKEN")

	unset := serve(t, serveOptions{answer: accept(map[string]any{"token": "typed"})})
	unset.call("save_workflow", map[string]any{"name": "leak", "ir": map[string]any{
		"ir_version": "0.1.0", "inputs": map[string]any{"token": map[string]any{"type": "string", "secret": true, "from_env": "THE_TOKEN", "required": true}},
		"nodes": []any{map[string]any{"id": "say", "type": "shell", "params": map[string]any{"command": "echo $$T", "env": map[string]any{"T": "${token}"}}}}, "edges": []any{},
	}}).wants(t, false)
	unset.call("leak", nil).wants(t, true, "set the environment variable THE_TOKEN")
	if len(unset.asked) > 0 {
		t.Error("the client was asked for a secret")
	}
}

// TestMCPServeSettings: what the settings deny is not there to be found, planned or run.
func TestMCPServeSettings(t *testing.T) {
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}})
	s.call("save_workflow", map[string]any{"ir": remove(), "name": "remove"}).wants(t, false)
	<-s.changed
	if err := os.WriteFile(filepath.Join(s.home, "settings.yaml"), []byte("deny: [delete-file]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	<-s.changed
	until(t, "the tool is gone", func() bool { return s.tool("remove") == nil })
	s.call("run_workflow", map[string]any{"name": "remove", "inputs": map[string]any{"file": "a.txt"}}).wants(t, true, "turned off")
	s.call("validate_workflow", map[string]any{"ir": remove()}).wants(t, false, `"valid": false`, "turned off")
	if !s.has("a.txt") {
		t.Error("it was deleted")
	}
}
