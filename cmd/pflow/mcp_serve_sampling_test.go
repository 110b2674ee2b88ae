package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// sampled answers the prompts of the planner as a model would, in any order: what each wants stands in its words.
func sampled(prompt string) string {
	for want, reply := range map[string]string{
		`"node_ids"`:            `{"node_ids": ["copy-file"], "workflow_names": [], "reasoning": "it copies"}`,
		`"required":["params"]`: `{"params": [{"name": "source", "value": "notes.txt"}, {"name": "target", "value": "kept.txt"}]}`,
		`"keywords"`:            `{"name": "keep-a-copy", "description": "Copies a file to another place.", "keywords": ["copy"]}`,
		`"required":["values"]`: `{"values": [{"name": "source", "value": "notes.txt"}, {"name": "target", "value": "kept.txt"}]}`,
		`"feasible"`: `{"feasible": true, "reason": "", "parts": [{"text": "copy", "by": "node:copy-it"}, {"text": "notes.txt", "by": "input:source"}, {"text": "to kept.txt", "by": "input:target"}],
 "workflow": {"ir_version": "0.1.0", "edges": [], "nodes": [{"id": "copy-it", "type": "copy-file", "params": {"source_path": "${source}", "dest_path": "${target}"}}],
 "inputs": {"source": {"type": "string", "required": true}, "target": {"type": "string", "required": true}}, "outputs": {"copy": {"source": "${copy-it.dest_path}", "type": "string"}}}}`,
	} {
		if strings.Contains(strings.ReplaceAll(prompt, " ", ""), want) && (want == `"feasible"`) == strings.Contains(prompt, `"feasible"`) {
			return reply
		}
	}
	return "no"
}

// TestMCPServeSampling: where no model is configured, the client's own plans, and answers the nodes that ask one.
func TestMCPServeSampling(t *testing.T) {
	var mu sync.Mutex
	var prompts []string
	o := serveOptions{files: map[string]string{"notes.txt": "remember"}, model: func(prompt string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, prompt)
		if strings.Contains(prompt, "the capital of France") {
			return "Paris", nil
		}
		return sampled(prompt), nil
	}}
	s := serve(t, o)
	plan := s.call("plan", map[string]any{"request": "copy notes.txt to kept.txt"}).wants(t, false, "keep-a-copy")
	if plan.document["usage"].(map[string]any)["calls"] != 5.0 || len(prompts) != 5 {
		t.Error(plan.document["usage"], len(prompts))
	}
	s.call("run_workflow", map[string]any{"plan": plan.document["digest"]}).wants(t, false, "keep-a-copy")
	if !s.has("kept.txt") {
		t.Error("the plan was not run")
	}
	asks := map[string]any{"ir": map[string]any{"ir_version": "0.1.0", "edges": []any{}, "nodes": []any{
		map[string]any{"id": "ask", "type": "llm", "params": map[string]any{"prompt": "Name the capital of France."}}}}}
	s.call("run_workflow", asks).wants(t, false, "Paris")

	// A model that is wanted, or none, is what is asked.
	if err := os.WriteFile(filepath.Join(s.home, "settings.yaml"), []byte("model: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := serve(t, serveOptions{model: o.model, args: []string{"--home", s.home}})
	none.call("run_workflow", asks).wants(t, true, "there is no model to call")

	declines := serve(t, serveOptions{model: func(string) (string, error) { return "", errors.New("the user said no") }})
	declines.call("run_workflow", asks).wants(t, true, "the client did not let its model answer", "the user said no")
	silent := serve(t, serveOptions{})
	silent.call("run_workflow", asks).wants(t, true, "there is no model to call")
}
