package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTunePromptFiles: prompts in files are candidates like all others; the one that helps is written beside the flow under a name of its own, and
// one that does not fit the flow is named.
func TestTunePromptFiles(t *testing.T) {
	run, server, split, dir := proposing(t)
	const head = "---\nname: ask\ndescription: Asks.\nvariables: [request]\nschema: answer\n---\n"
	files := map[string]string{"good.tmpl": head + goodProposal + "\n", "other.tmpl": strings.ReplaceAll(head+goodProposal, "request", "wish")}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	over := "prompts.ask=" + filepath.Join(dir, "good.tmpl") + "|" + filepath.Join(dir, "other.tmpl")
	status, out, messages := run("--model", "openai/gpt-4.1-mini", "--over", over)
	if status != exitDone || !strings.HasPrefix(out, "PROMOTE: prompts.ask="+filepath.Join(dir, "good.tmpl")) {
		t.Fatal(status, out, messages)
	}
	if !strings.Contains(out, "not judged: 1 candidates, such as prompts.ask="+filepath.Join(dir, "other.tmpl")) || !strings.Contains(out, "wish") {
		t.Error(out)
	}
	if n, want := len(server.Requests()), 2*(len(split.Search)+len(split.HeldOut)); n != want {
		t.Errorf("%d calls, want %d", n, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "prompts", "ask-tuned-ask.tmpl"))
	if err != nil || !strings.Contains(string(data), goodProposal) {
		t.Errorf("%s, %v", data, err)
	}
	status, _, messages = run("--model", "openai/gpt-4.1-mini", "--over", "prompts.ask="+filepath.Join(dir, "nowhere.tmpl"), "--id", "none")
	if status != exitUsage || !strings.Contains(messages, "nowhere.tmpl") {
		t.Error(status, messages)
	}
}
