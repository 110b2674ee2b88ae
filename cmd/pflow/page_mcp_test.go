//go:build !race && unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageHostileTools: what an MCP server says of its tools is text on the pages that show them, and reads as it is.
func TestPageHostileTools(t *testing.T) {
	t.Parallel()
	evil := hostileMarkup + " \u202egpj.exe\u2066 \u001b[31mred\u0007"
	file := filepath.Join(t.TempDir(), "tools.json")
	data, err := json.Marshal(map[string]any{"tools": []any{map[string]any{"name": "look", "description": evil,
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"what": map[string]any{"type": "string", "description": evil}}}}}})
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := startPage(t, t.TempDir())
	p.pflow("mcp", "add", "docs", "--", "mcp-server", file)
	for _, path := range []string{"/settings", "/library/_nodes", "/library/_nodes/mcp.docs.look"} {
		page := p.get(path)
		clean(t, page)
		if strings.ContainsAny(page.Body, "\u202e\u2066\u001b\u0007") || !strings.Contains(page.Body, `\u202egpj.exe`) {
			t.Errorf("%s (%d) does not show as it is what a tool says of itself:\n%s", path, page.Status, mainOf(page.Body))
		}
	}
}
