package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pflow/internal/web"
)

// callTables are the calls of the API, for docs/api.md.
func callTables(*testing.T) string {
	var b strings.Builder
	for _, area := range web.Areas() {
		if len(area.Endpoints) == 0 {
			continue
		}
		b.WriteString("### " + area.Name + "\n\n" + row("call", "command", "") + "|---|---|---|\n")
		for i := range area.Endpoints {
			e := &area.Endpoints[i]
			about := e.Summary
			if e.Job {
				about += " (*job*)"
			}
			if e.Schema != "" {
				about += " → [" + e.Schema + "](schemas/" + e.Schema + ".json)"
			}
			b.WriteString(row(code(e.Method+" "+e.Path), code(e.CommandLine()), about))
		}
		b.WriteString("\n" + parameterTable(area.Endpoints))
	}
	b.WriteString("### Beside commands\n\n" + row("call", "") + "|---|---|\n")
	for _, c := range web.OwnCalls() {
		b.WriteString(row(code(c.Method+" "+c.Path), c.Summary+": "+c.About))
	}
	return b.String()
}

// parameterTable are the parameters of an area that say what they are, each once.
func parameterTable(endpoints []web.Endpoint) string {
	var b strings.Builder
	said := map[string]bool{}
	for i := range endpoints {
		for _, p := range endpoints[i].Params {
			about := p.Description
			if len(p.Enum) > 0 {
				about = strings.TrimPrefix(about+"; one of "+strings.Join(p.Enum, ", "), "; ")
			}
			line := row(code(p.Name), p.In, p.Type, about)
			if about == "" || said[line] {
				continue
			}
			if said[line] = true; b.Len() == 0 {
				b.WriteString(row("parameter", "in", "", "") + "|---|---|---|---|\n")
			}
			b.WriteString(line)
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// TestPageCalls: what a call that only reads answers is what its command prints, byte for byte. The command is the one that the description of
// the API names.
func TestPageCalls(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	if err := os.WriteFile(p.file("greet.json"), []byte(`{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "default": "Ada"}}, "nodes": [{"id": "t", "type": "template", "params": {"template": "${name}"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"workflow", "save", "greet.json"}, {"workflow", "save", "greet.json", "--yes"}, {"run", "greet"}, {"run", "greet", "name=Bo"},
		{"plan", "copy a.txt to b.txt"}, {"schedule", "add", "greet", "--cron", "0 0 1 1 *", "--yes=schedule"}} {
		p.exits(args...)
	}
	values := map[string]string{"name": "greet", "workflow": "greet", "node": "shell", "flow": "planner-offline", "step": "t", "words": "copy", "from": "greet@1"}
	var listed struct{ Runs []struct{ ID string } }
	if err := json.Unmarshal([]byte(p.pflow("runs", "list", "--kind", "workflow", "--json")), &listed); err != nil || len(listed.Runs) != 2 {
		t.Fatal(listed, err)
	}
	values["id"], values["run"], values["other"] = listed.Runs[0].ID, listed.Runs[0].ID, listed.Runs[1].ID
	var document struct {
		Paths map[string]map[string]struct {
			Command    string `json:"x-pflow-command"`
			ID         string `json:"operationId"`
			Parameters []struct {
				Name, In string
				Required bool
			}
		}
	}
	if err := json.Unmarshal([]byte(p.get("/api/v1/openapi.json").Body), &document); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for path, item := range document.Paths {
		op, ok := item["get"]
		if !ok || op.Command == "" {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			given, query := map[string]string{}, url.Values{}
			for _, param := range op.Parameters {
				if !param.Required {
					continue
				}
				v := values[param.Name]
				switch {
				case strings.Contains(path, "/nodes/"):
					v = "shell"
				case strings.Contains(path, "/flows/"):
					v = "planner-offline"
				case v == "":
					t.Skipf("nothing here is a %s", param.Name)
				}
				if given[param.Name] = v; param.In == "query" {
					query.Set(param.Name, v)
				}
				path = strings.ReplaceAll(path, "{"+param.Name+"}", v)
			}
			var args []string
			for _, part := range strings.Fields(op.Command)[1:] {
				if m := regexp.MustCompile(`\{(\w+)[^}]*\}`).FindStringSubmatch(part); m != nil {
					v, ok := given[m[1]]
					if !ok {
						continue
					}
					part = strings.Replace(part, m[0], v, 1)
				}
				args = append(args, part)
			}
			want, messages, code := p.carry(slices.Insert(slices.Clone(args), commandEnd(args), "--batch")...)
			got := p.do("GET", path+"?"+query.Encode(), nil, nil)
			if want == "" {
				if got.Status == http.StatusOK {
					t.Errorf("pflow %s: status %d: %s; the call: %s", strings.Join(args, " "), code, messages, got.Body)
				}
				return
			}
			compared++
			if got.Status != http.StatusOK || timeless(got.Body) != timeless(want) || got.Header.Get("X-Pflow-Exit") != strconv.Itoa(code) {
				t.Errorf("%s: %d, exit %s\n%s\npflow %s: exit %d\n%s", path, got.Status, got.Header.Get("X-Pflow-Exit"), got.Body, strings.Join(args, " "), code, want)
			}
		})
	}
	if compared < 12 {
		t.Errorf("only %d calls were compared", compared)
	}
}

// timeless is a document without the times that are taken when it is made.
func timeless(text string) string {
	return regexp.MustCompile(`"(next|at|time|now)": "20[^"]*"|"(took|duration)_ms": [0-9.e+-]+`).ReplaceAllString(text, `"": 0`)
}
