//go:build !race

package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"pflow/internal/web"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sweptHome is a home in which whatever can have a text of its own has a hostile one. It gives values for the parameters of routes.
func sweptHome(t *testing.T, p *pageServer) map[string][]string {
	t.Helper()
	evil := strings.Join(hostileTexts, " ")
	dir := t.TempDir()
	values := map[string][]string{}
	text := fmt.Sprintf(`{"ir_version": "0.1.0", "inputs": {"who": {"type": "string", "default": %q, "description": %[1]q}},
	 "nodes": [{"id": "t", "type": "template", "purpose": %[1]q, "params": {"template": "${who}"}}, {"id": "r", "type": "read-file", "params": {"file_path": %[1]q}}],
	 "edges": [{"from": "t", "to": "r"}]}`, evil)
	file := filepath.Join(dir, "evil.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.pflow("workflow", "save", file, "--description", evil, "--yes")
	p.pflow("schedule", "add", "evil", "--every", "1000h", "who="+evil, "--yes=schedule,destructive")
	p.exits("run", "evil", "who="+evil) // it fails, and is a run all the same
	p.exits("plan", evil)
	values["name"], values["workflow"], values["schedule"] = []string{"evil"}, []string{"evil"}, []string{"evil"}
	_, got := p.api("GET", "/api/v1/runs", nil)
	all, _ := got["runs"].([]any)
	for _, r := range all {
		id, _ := r.(map[string]any)["id"].(string)
		values["id"] = append(values["id"], id)
		values["run"] = values["id"]
	}
	if len(values["id"]) < 2 {
		t.Fatalf("runs: %v", got)
	}
	values["node"], values["flow"] = []string{"shell"}, []string{"planner-offline"}
	return values
}

// TestPageSweep asks every page and every call that shows something, of things with hostile texts and with hostile names: no text becomes
// markup, no name leads out of the home, no value becomes a flag, nothing panics, and each answer says how a browser is to take it.
func TestPageSweep(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	values := sweptHome(t, p)
	secret := "TOP-" + "SECRET-0815"
	outside := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(outside, []byte(`{"secret": "`+secret+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(hostileTexts, " ")
	up := strings.Repeat("../", 12) + strings.TrimPrefix(outside, "/")
	names := append([]string{outside, up, "..", "../settings.yaml", "....//....//etc/passwd", "\x00", "--home=" + filepath.Dir(outside), "-o", "--record=x", "--help", "@" + outside,
		"shipped:" + up, strings.Repeat("a", 5000), "evil@99999999999999999999", all}, hostileTexts[:2]...)
	asked := map[string][]string{} // the parameters in the query, by path
	for _, e := range web.Endpoints() {
		for _, param := range e.Params {
			if param.In == "query" {
				asked[e.Path] = append(asked[e.Path], param.Name)
			}
		}
	}
	parameter := regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`)
	pages := 0
	ask := func(t *testing.T, address string) {
		got := p.do("GET", address, nil, nil)
		pages++
		if got.Status >= 500 && strings.Contains(got.Body, "a bug in pflow") || strings.Contains(p.lines.String(), "panic") {
			t.Errorf("%.300s: %d\n%.2000s\n%s", address, got.Status, got.Body, p.lines)
		}
		if strings.Contains(got.Body, secret) || strings.Contains(got.Body, "root:x:0:0") {
			t.Errorf("%.300s leads out of the home", address)
		}
		kind := got.Header.Get("Content-Type")
		if harm := harmIn(got.Body); harm != "" && strings.HasPrefix(kind, "text/html") {
			t.Errorf("%.300s: %s", address, harm)
		}
		csp := got.Header.Get("Content-Security-Policy")
		if kind == "" || got.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || got.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%.300s: %v", address, got.Header)
		}
		if strings.HasPrefix(kind, "text/html") && strings.Contains(got.Body, `style="`) {
			t.Errorf("%.300s: a style attribute: %s", address, around(got.Body, `style="`))
		}
	}
	for _, route := range web.New(web.Options{}).Routes() {
		method, path, ok := strings.Cut(route, " ")
		if !ok || method != "GET" || strings.HasSuffix(path, "/events") {
			continue
		}
		t.Run(path, func(t *testing.T) {
			path = strings.TrimSuffix(path, "{$}")
			fill := func(of func(name string) string) string {
				return parameter.ReplaceAllStringFunc(path, func(hole string) string { return url.PathEscape(of(parameter.FindStringSubmatch(hole)[1])) })
			}
			good := func(k int) func(string) string {
				return func(name string) string {
					if v := values[name]; len(v) > 0 {
						return v[k%len(v)]
					}
					return "evil"
				}
			}
			for k := range 2 {
				ask(t, fill(good(k)))
			}
			holes := parameter.FindAllStringSubmatch(path, -1)
			for _, name := range names {
				for _, hole := range holes {
					ask(t, fill(func(n string) string {
						if n == hole[1] {
							return name
						}
						return good(0)(n)
					}))
				}
				if len(name) > 1000 || len(holes) > 1 {
					continue
				}
				for _, q := range asked[path] {
					if !slices.Contains([]string{outside, up, all, "-o"}, name) && !strings.HasPrefix(name, "--home") {
						continue
					}
					ask(t, fill(good(0))+"?"+q+"="+url.QueryEscape(name))
				}
				if strings.HasPrefix(path, "/api/") || name != up && name != all && !strings.HasPrefix(name, "--home") {
					continue
				}
				query := url.Values{}
				for _, q := range queries {
					query.Set(q, name)
				}
				ask(t, fill(good(0))+"?"+query.Encode())
			}
		})
	}
	if pages < 200 {
		t.Errorf("only %d pages were asked for", pages)
	}
	if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
		t.Errorf("it wrote %v, %v", left, err)
	}
	if got, err := os.ReadDir(filepath.Dir(outside)); err != nil || len(got) != 1 {
		t.Errorf("it wrote %v, %v", got, err)
	}
}

// queries are the parameters of pages; those that a page does not read do no harm.
var queries = []string{"q", "match", "status", "workflow", "kind", "since", "by", "after", "before", "step", "from", "to", "name", "limit", "tab", "run", "next", "page", "a", "b", "who"}
