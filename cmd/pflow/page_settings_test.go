//go:build !race

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pflow/internal/llmtest"
)

// TestPageSettings shows what holds and what is wrong, calls a model and keeps MCP servers, and shows no secret.
func TestPageSettings(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "ok <script>alert(1)</script>", Times: llmtest.Any}}})
	home := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("settings.yaml", "# "+hostileMarkup+"\nmodel: openai/gpt-4.1-mini\ndeny: [shell]\nsecrets:\n  GITHUB_TOKEN: {command: [pass, show, github]}\n# an old key: "+serverKey+"\n")
	write("nodes/bad.yaml", "node: \""+strings.ReplaceAll(hostileMarkup, `"`, `\"`)+"\"\n")
	p := startPage(t, home, "OPENAI_BASE_URL="+server.BaseURL(), "OPENAI_API_KEY="+serverKey)
	shown := func(page pageAnswer) string {
		t.Helper()
		clean(t, page)
		if strings.Contains(page.Body, serverKey) {
			t.Errorf("%s shows the key", page.Path)
		}
		return visible(page)
	}
	want := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("it does not say %q:\n%s", part, text)
			}
		}
	}
	want(shown(p.get("/settings")), "What is wrong", "bad.yaml", "checks are well", "model openai/gpt-4.1-mini", "deny shell", "the key is set", "no key: set ANTHROPIC_API_KEY", "MCP servers None",
		"GITHUB_TOKEN: {command: [pass, show, github]}", `# "><img src=x onerror=alert(1)>`, "# an old key: (OPENAI_API_KEY)", "settings.yaml is changed with an editor")

	// A model is called by a job; its page shows what came of it.
	ended := func(page pageAnswer) pageAnswer {
		t.Helper()
		for strings.Contains(page.Body, "data-events") {
			p.get(regexp.MustCompile(`data-events="([^"]+)"`).FindStringSubmatch(page.Body)[1])
			page = p.get(page.Path)
		}
		return page
	}
	want(shown(ended(p.post("/settings/models/check", "model", "openai/gpt-4.1-mini"))), "Checking a model done", `"ok": true`, "<script>alert(1)</script>")
	want(shown(ended(p.post("/settings/models/check", "model", "nobody/"+"model"))), "did not work", "nobody")
	if got := p.post("/settings/models/check", "model", hostileMarkup); got.Status != http.StatusBadRequest {
		t.Errorf("a model of no name: %d", got.Status)
	} else {
		shown(got)
	}

	// A server is added, checked and removed. Values of variables are refused, and nothing is kept of them.
	want(shown(ended(p.post("/settings/mcp", "name", "docs", "url", "http://127.0.0.1:9/mcp"))), "did not work", "docs")
	want(shown(ended(p.post("/settings/mcp", "name", "docs", "command", "true", "env", "TOKEN="+serverKey))), "did not work", "a value is never kept in a file")
	if _, document := p.api("POST", "/api/v1/mcp?wait=true", map[string]any{"name": "docs", "url": "http://127.0.0.1:9/mcp", "no_check": true}); document["schema"] != "pflow.mcp-added/v1" {
		t.Errorf("adding a server without starting it: %v", document)
	}
	want(shown(p.get("/settings")), "docs", "http://127.0.0.1:9/mcp", "Its tools are not known yet")
	want(shown(ended(p.post("/settings/mcp/check", "name", "docs"))), "Checking MCP servers did not work")
	want(shown(p.post("/settings/mcp/docs/remove")), "MCP servers None")

	// Settings with a fault are not shown: what is wrong is, without what stands there.
	write("settings.yaml", "secrets:\n  MY_TOKEN: hunter2hunter2\n")
	broken := shown(p.get("/settings"))
	want(broken, "What is wrong", "settings.yaml:2", "secrets themselves are never written here")
	if strings.Contains(broken, "hunter2") {
		t.Errorf("a secret in the settings is shown: %s", broken)
	}
	if got := p.get("/settings/jobs/nosuch"); got.Status != http.StatusNotFound {
		t.Errorf("a job that there is not: %d", got.Status)
	}
}

// TestPageLive shows the flows among which requests are split as the command does, and stops none before that is decided.
func TestPageLive(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "settings.yaml"), []byte("planner: {split: {planner-offline: 50, planner-words: 50}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startPage(t, home)
	p.pflow("plan", "copy a.txt to b.txt")
	text := visible(p.get("/experiments/_live"))
	for _, part := range []string{"no verdict: of 1 request none has an outcome yet", "planner-offline", "planner-words", "50%", "not decided", "Stop the flow that loses"} {
		if !strings.Contains(text, part) {
			t.Errorf("it does not say %q: %s", part, text)
		}
	}
	clean(t, p.get("/experiments/_live?since="+hostileMarkup[2:6]))
	if got := p.post("/experiments/_live/stop"); strings.Contains(visible(got), "stopped") || got.Status != http.StatusOK {
		t.Errorf("a flow is stopped before that is decided (%d): %s", got.Status, visible(got))
	}
	if got := p.post("/experiments/_live/start", "flow", hostileMarkup); got.Status != http.StatusBadRequest {
		t.Errorf("a flow of no name: %d", got.Status)
	}
}
