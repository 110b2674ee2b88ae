//go:build !race

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"pflow/internal/value"
)

// hostile is text that steers a terminal, if it gets there as it is: it clears the screen, sets the title and colours, goes
// back over what stands there, and turns the direction of writing.
const hostile = "evil\x1b[2J\x1b]0;owned\a\u009b31m\u202e\u2066\r\b\x7f\x1b[31mpflow:\x1b[0m end"

// TestTerminalHostile goes over the commands with hostile names, descriptions, values, errors and replies on a terminal, with
// colours: no control gets through but those of pflow's own styles.
func TestTerminalHostile(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") || strings.HasSuffix(r.URL.Path, "/chat/completions") {
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(r.URL.Path, "refusing") {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error": {"message": %s}}`, value.JSON(hostile))
				return
			}
			fmt.Fprintf(w, `{"id": "1", "object": "chat.completion", "model": %[1]s, "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": %[1]s}}]}`, value.JSON(hostile))
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, hostile)
	}))
	defer server.Close()
	d := newDesk(t)
	d.env = append(d.env, "NO_COLOR=", "OPENAI_API_KEY="+serverKey, "OPENAI_BASE_URL="+server.URL+"/v1")
	q := value.JSON(hostile)
	d.file("bad.json", fmt.Sprintf(`{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": %[1]s, "params": {%[1]s: %[1]s}}, {"id": %[1]s, "type": "shell", "params": {"command": "echo"}}], "edges": [{"from": "a", "to": %[1]s}]}`, q))
	for name, node := range map[string]string{
		"shell":  fmt.Sprintf(`{"id": "a", "type": "shell", "purpose": %[1]s, "params": {"command": "printf '%%s' \"$1\"; printf '%%s' \"$1\" >&2; exit ${code}", "args": [%[1]s]}}`, q),
		"http":   fmt.Sprintf(`{"id": "a", "type": "http", "params": {"url": %s, "headers": {"x": "${code}"}}}`, value.JSON(server.URL)),
		"llm":    `{"id": "a", "type": "llm", "params": {"prompt": "say ${code}"}}`,
		"delete": fmt.Sprintf(`{"id": "a", "type": "delete-file", "params": {"file_path": %s, "confirm_delete": "${code}"}}`, q),
		"read":   fmt.Sprintf(`{"id": "a", "type": "read-file", "params": {"file_path": "%s/${code}"}}`, strings.Trim(q, `"`)),
		"gate":   fmt.Sprintf(`{"id": "a", "type": "shell", "approval": "required", "params": {"command": "echo ${code}", "args": [%s]}}`, q),
	} {
		kind := "any"
		d.keep("h-"+name, fmt.Sprintf(`{"name": "h-%s", "description": %s, "keywords": [%s], "ir": {"ir_version": "0.1.0", "inputs": {"code": {"type": %q, "required": true, "description": %s}}, "nodes": [%s]}}`, name, q, q, kind, q, node))
	}
	home := func(name, text string) {
		t.Helper()
		file := filepath.Join(d.home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home("nodes/evil.yaml", fmt.Sprintf("name: evil\ndescription: %[1]s\ninputs:\n  - {key: a, type: string, description: %[1]s}\noutputs:\n  - {key: stdout, type: string, description: %[1]s}\nrun:\n  shell: echo ${a}\n", q))
	home("nodes/worse.yaml", fmt.Sprintf("name: worse\ndescription: x\n%s: 1\n", q))
	home("flows/evil.yaml", fmt.Sprintf("flow: evil\nversion: 1\ndescription: %[1]s\nstate:\n  text: {type: string, default: %[1]s}\nnodes:\n  warn: {op: log, with: {level: warning}, prep: {message: store.text}, next: say}\n  say: {op: log, prep: {message: store.text}, next: end}\n", q))
	home("flows/worse.yaml", fmt.Sprintf("flow: worse\nversion: 1\ndescription: x\nnodes:\n  a: {op: %[1]s, next: %[1]s}\n", q))
	home("prompts/evil.tmpl", fmt.Sprintf("---\nprompt: evil\ndescription: %[1]s\nvariables: {}\n---\nsay %[2]s\n", q, hostile))
	home("workflows/unread.json", fmt.Sprintf(`{%s: 1}`, q))
	home("flows/"+strings.ReplaceAll(hostile, "/", "")+".yaml", "flow: [\n")
	d.file("set.json", fmt.Sprintf(`{"cases": %s}`, q))
	d.file("plan.json", fmt.Sprintf(`{%s: 1}`, q))
	d.file("lines.jsonl", fmt.Sprintf("{\"id\": %[1]s, \"request\": %[1]s}\n{%[1]s: 1}\n", q))
	d.file("irs.jsonl", fmt.Sprintf("{\"id\": %[1]s, \"ir\": {%[1]s: 1}}\n", q))

	commands := [][]string{
		{hostile}, {hostile, "more"}, {"--yes", "copy " + hostile + " to b.txt"}, {"plan", "copy '" + hostile + "' to b.txt"}, {"plan", "--flow", hostile, "x y"},
		{"plan", "--flow", "planner-offline", "copy '" + hostile + "' to b.txt", "--json"}, {"plan", "--from", "lines.jsonl", "--flow", "planner-offline"}, {"plan", "--date", hostile, "x y"}, {"plan", "x y", "--model", hostile},
		{"--flow", "planner-offline", "--batch", "copy README.md to out.md and " + hostile}, {"--flow", "planner-offline", "--batch", "delete README.md and copy other.md to '" + hostile + "'"},
		{"apply", "plan.json"}, {"apply", hostile}, {"run", hostile}, {"run", "./" + hostile + ".json"}, {"run", "./bad.json"},
		{"run", "h-shell", "code=0"}, {"run", "h-shell", "code=1"}, {"run", "h-shell", "code=1", "--verbose"}, {"run", "h-shell", "code=1", "--json"}, {"run", "h-shell", "code=" + hostile, "--dry-run"},
		{"run", "h-shell", "code=" + hostile, "--dry-run", "--json"}, {"run", "h-shell", "--batch"}, {"run", "h-shell", hostile}, {"run", "h-shell", hostile + "=1"}, {"run", "h-shell", "--" + hostile},
		{"run", "h-http", "code=1"}, {"run", "h-llm", "code=1"}, {"run", "h-llm", "code=1", "--json"}, {"run", "h-llm", "code=1", "--model", "openai/" + hostile}, {"run", "h-delete", "code=x"}, {"run", "h-delete", "code=x", "--yes=destructive"},
		{"run", "h-read", "code=x"}, {"run", "h-gate", "code=" + hostile, "--batch"}, {"run", "h-gate", "code=x", "--yes=" + hostile}, {"resume", hostile},
		{"validate", "./bad.json"}, {"validate", "./bad.json", "--json"}, {"validate", hostile}, {"validate", "--from", "irs.jsonl"}, {"validate", "--from", "irs.jsonl", "--json"},
		{"workflow", "list"}, {"workflow", "list", "--json"}, {"workflow", "show", "h-shell"}, {"workflow", "show", "h-shell", "--json"}, {"workflow", "show", hostile}, {"workflow", "history", "h-shell"},
		{"workflow", "rename", "h-http", hostile}, {"workflow", "delete", hostile}, {"workflow", "save", "./bad.json"}, {"workflow", "save", hostile}, {"workflow", hostile},
		{"node", "list"}, {"node", "list", "--json"}, {"node", "show", "evil"}, {"node", "show", "evil", "--json"}, {"node", "search", hostile}, {"node", "search", "evil"}, {"node", "show", hostile}, {"node", "run", "evil", "a=" + hostile}, {"node", "list", "--nodes", hostile},
		{"flow", "list"}, {"flow", "list", "--json"}, {"flow", "check"}, {"flow", "check", "worse"}, {"flow", "check", "worse", "--json"}, {"flow", "check", hostile}, {"flow", "show", "evil"}, {"flow", "graph", "evil"}, {"flow", "run", "evil"}, {"flow", "run", "evil", "--verbose", "--json"},
		{"flow", "run", "evil", "--set", hostile}, {"flow", "run", "evil", "--set", hostile + "=1"}, {"flow", "run", "evil", "-i", hostile}, {"flow", "run", "evil", "-i", hostile + "=1"}, {"flow", "test", hostile}, {"flow", "eject", hostile}, {"flow", "ops", hostile}, {"flow", "graph", hostile},
		{"prompt", "list"}, {"prompt", "show", "evil"}, {"prompt", "show", "evil", "--json"}, {"prompt", "render", "evil"}, {"prompt", "show", hostile},
		{"model", "list"}, {"model", "check", "openai/" + hostile}, {"model", "check", "openai/gpt-4.1-mini"}, {"model", "check", hostile}, {"model", "list", hostile},
		{"experiment", "run", hostile}, {"experiment", "run", "set.json"}, {"experiment", "show", hostile}, {"experiment", "report", hostile}, {"experiment", "list"}, {"experiment", "compare", hostile, hostile},
		{"doctor"}, {"doctor", "--json"}, {"version", hostile}, {"completion", hostile}, {"help", hostile}, {"--" + hostile}, {"run", "--home", hostile, "x"},
	}
	var escaped atomic.Int32
	t.Run("commands", func(t *testing.T) {
		for _, args := range commands {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				if d.staysClean(t, args) {
					escaped.Add(1)
				}
			})
		}
	})
	if n := int(escaped.Load()); n < len(commands)*2/3 {
		t.Errorf("only %d of %d commands show the hostile text at all", n, len(commands))
	}
}

// staysClean runs a command and reports whether it showed the hostile text, escaped.
func (d *desk) staysClean(t *testing.T, args []string) bool {
	shown := strings.ReplaceAll(strings.Join(args, " "), hostile, "HOSTILE")
	tt := d.start(args...)
	asked := false
	for over := false; !over; {
		select {
		case <-tt.ended:
			over = true
		case <-time.After(60 * time.Second):
			t.Fatalf("pflow %s does not end:\n%q", shown, tt.printed())
		case <-time.After(100 * time.Millisecond):
			if !asked && strings.HasSuffix(tt.printed(), "\x1b[0m: ") {
				asked = true
				tt.send("n\n" + ctrlD)
			}
		}
	}
	printed := tt.printed()
	rest := styles.ReplaceAllString(strings.ReplaceAll(printed, "^D\b\b", ""), "") // the terminal itself shows what is typed
	if i := strings.IndexFunc(rest, func(r rune) bool { return r == '\uFFFD' || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }); i >= 0 {
		t.Errorf("pflow %s shows %q", shown, rest[max(0, i-80):min(len(rest), i+40)])
	}
	return strings.Contains(printed, `\x1b[2J`) || strings.Contains(printed, `\u001b[2J`)
}
