package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/home"
)

// homeWith is a home whose mcp.json holds a text.
func homeWith(t *testing.T, text string) home.Home {
	t.Helper()
	dir := t.TempDir()
	if text != "" {
		if err := os.WriteFile(filepath.Join(dir, File), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home.Find(dir, func(string) string { return "" })
}

// TestServersThatCannotBeUsed: each is left out with what is wrong and what to do, and takes no other with it.
func TestServersThatCannotBeUsed(t *testing.T) {
	for entry, want := range map[string]string{
		`3`:                                    "want {command, args, env} or {url, headers}",
		`{}`:                                   "neither a command nor a url",
		`{"command": 3}`:                       "command: want text, got",
		`{"command": "a", "url": "http://b"}`:  "a command and a url",
		`{"comand": "a"}`:                      `did you mean "command"?`,
		`{"command": "a", "args": "b"}`:        "args: want a list of texts",
		`{"command": "a", "args": ["b", 1]}`:   "args[1]: want text",
		`{"command": "a", "args": ["\u0000"]}`: "NUL character",
		`{"command": "a", "env": {"KEY": "sk-123"}}`:                       "env.KEY holds a value, which is not kept in a file: write ${KEY}",
		`{"command": "a", "env": {"A B": "${X}"}}`:                         `"A B" is no name of a variable`,
		`{"command": "a", "headers": {"A": "${X}"}}`:                       "takes no headers",
		`{"url": "ftp://x"}`:                                               "begins with https:// or http://",
		`{"url": "https://me:secret@x"}`:                                   "holds a user or a password",
		`{"url": "https://x", "headers": {"Authorization": "Bearer 123"}}`: "such as ${MCP_X_AUTHORIZATION}",
		`{"url": "https://x", "headers": {"A:": "${X}"}}`:                  "is no name of a header",
		`{"url": "https://x", "env": {"A": "${X}"}}`:                       "takes no env",
		`{"url": "https://x", "type": "sse"}`:                              `there is no type "sse" here`,
		`{"command": "a", "timeout": "soon"}`:                              "want a duration such as 30s",
		`{"command": "a", "timeout": "-1s"}`:                               "is not between",
	} {
		servers, found, err := Servers(homeWith(t, `{"mcpServers": {"x": `+entry+`, "good": {"command": "true"}}}`))
		if err != nil || len(servers) != 1 || servers[0].Name != "good" {
			t.Errorf("%s: %v, %v", entry, servers, err)
		}
		if len(found) != 1 || !strings.Contains(found[0].Message, want) || strings.Contains(found.Text(), "sk-123") {
			t.Errorf("%s: got %s, want %s", entry, found.Text(), want)
		}
	}
	for text, want := range map[string]string{
		`{`:                  "line 1",
		`[]`:                 `want {"mcpServers"`,
		`{"mcpServers": []}`: `want {"mcpServers"`,
	} {
		if _, _, err := Servers(homeWith(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestChangeKeepsWhatItDoesNotKnow: an entry that cannot be used stays in the file as it is, and the file is its owner's.
func TestChangeKeepsWhatItDoesNotKnow(t *testing.T) {
	h := homeWith(t, `{"mcpServers": {"bad": {"x": [1, {"y": 2}]}}}`)
	s := &Server{Name: "docs", URL: "https://example.org/?a=1&b=2", Headers: map[string]string{"Authorization": "Bearer ${T}"}}
	if err := Change(h, func(entries map[string]any) error { entries[s.Name] = s.Entry(); return nil }); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(h.Path(File))
	if err != nil || !strings.Contains(string(data), `"x": [`) || !strings.Contains(string(data), "?a=1&b=2") {
		t.Errorf("%s %v", data, err)
	}
	if info, _ := os.Stat(h.Path(File)); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	servers, _, err := Servers(h)
	if err != nil || len(servers) != 1 || servers[0].Digest() != s.Digest() || servers[0].Variables()[0] != "T" {
		t.Errorf("%+v %v", servers, err)
	}
}
