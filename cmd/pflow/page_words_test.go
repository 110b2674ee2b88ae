//go:build !race && unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPageAbsent: an address of what is not there is answered as that, and leads to what is.
func TestPageAbsent(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	for path, lists := range map[string]string{
		"/runs/none": "/runs", "/runs/NONE": "/runs", "/runs/none/steps/a": "/runs", "/runs/none/fix": "/runs", "/plans/none": "/runs?kind=plan",
		"/library/none": "/library", "/library/none/run": "/library", "/library/_nodes/none": "/library/_nodes", "/schedules/none": "/schedules",
		"/planner/flows/none": "/planner", "/planner/prompts/none.tmpl": "/planner", "/experiments/none": "/experiments", "/settings/jobs/none": "/settings",
	} {
		got := p.get(path)
		got.wants(t, path, http.StatusNotFound, "It is not there", `class="button" href="`+lists+`"`)
		if said := visible(got); strings.Contains(said, "pflow runs") || strings.Contains(said, "shows those there are") {
			t.Errorf("%s speaks of commands: %s", path, said)
		}
	}
	for _, path := range []string{"/api/v1/runs/none", "/api/v1/workflows/none", "/api/v1/flows/none", "/api/v1/schedules/none", "/api/v1/nodes/none", "/api/v1/experiments/none"} {
		if status, got := p.api("GET", path, nil); status != http.StatusNotFound {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
	_, got := p.api("GET", "/api/v1/schedules/none", nil)
	if why := got["error"].(map[string]any); why["message"] != `there is no schedule "none"` || why["do"] != "pflow schedule list shows those there are" {
		t.Errorf("the API does not say what to do: %v", why)
	}
}

// TestPageLeadsOn: where a run or a plan does not come about, the page says what to do on it, and commands only apart.
func TestPageLeadsOn(t *testing.T) {
	t.Parallel()
	p := atPage(t, nil)
	p.workflow("reads", `{"ir_version": "0.1.0", "inputs": {"file": {"type": "string", "required": true}, "key": {"type": "string", "required": true, "secret": true, "from_env": "NO_SUCH_KEY_HERE"}},
	 "nodes": [{"id": "read", "type": "shell", "params": {"command": "echo ${key} ${file}"}}]}`)
	p.workflow("broken", brokenWorkflow)

	lacks := p.post("/library/reads/run")
	lacks.wants(t, "a run that lacks values", http.StatusUnprocessableEntity, `<a href="#in-0">`, `<a href="#in-1">`, `aria-invalid="true"`, "A value is needed.", "It is not set.")
	if said := visible(lacks); strings.Contains(said, "give it") || strings.Contains(said, "pflow run reads") {
		t.Errorf("it speaks of commands: %s", said)
	}

	apart := func(body, command string) (before string) {
		t.Helper()
		before, terminal, found := strings.Cut(mainOf(body), "At a terminal")
		if !found || strings.Contains(before, command) || !strings.Contains(terminal, command) {
			t.Errorf("%s is not apart:\n%s", command, mainOf(body))
		}
		return before
	}
	ran := p.post("/library/broken/run")
	p.until(ran.Path, "Look for a fix")
	says(t, apart(p.until(p.post(ran.Path+"/fix").Path, "No fix was found"), "pflow runs retry "), `href="/library/broken/edit"`, `#again"`, "why not: ")

	body := p.until(p.post("/", "request", "zzyzx frobnicate the quux").Path, "Why not")
	says(t, apart(body, "pflow node search "), `href="/settings#models"`, `href="/library/_nodes?words=`, `href="/library/_new"`)
	body = p.until(p.post("/", "request", "kopiere alle Dateien in den Ordner Sicherung und danach lösche sie").Path, "Why not")
	says(t, apart(body, "pflow model list "), "Nothing does this:", "the request is in German")
	if strings.Contains(body, "A part is not the whole") {
		t.Error("nothing was understood, and a part is spoken of")
	}
}

// brokenWorkflow has a step that fails.
const brokenWorkflow = `{"ir_version": "0.1.0", "nodes": [{"id": "read", "type": "read-file", "params": {"file_path": "no-such-file-at-all"}}]}`

// TestPageHome: what says where the home is, is what said so to pflow serve, and commands on the page name the home only then.
func TestPageHome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env    bool
		source string
	}{{true, "PFLOW_HOME"}, {false, "--home"}} {
		home := t.TempDir()
		var p *pageServer
		if c.env {
			p = startPage(t, "", "PFLOW_HOME="+home)
		} else {
			p = startPage(t, home)
		}
		_, got := p.api("GET", "/api/v1/doctor", nil)
		first := got["settings"].([]any)[0].(map[string]any)
		if first["name"] != "home" || first["value"] != home || first["source"] != c.source {
			t.Errorf("the home is %v, want %s by %s", first, home, c.source)
		}
		p.workflow("broken", brokenWorkflow)
		ran := p.post("/library/broken/run")
		p.until(ran.Path, "Look for a fix")
		body := mainOf(p.until(p.post(ran.Path+"/fix").Path, "No fix was found"))
		if says(t, body, "pflow runs retry "); strings.Contains(body, "--home "+home) == c.env {
			t.Errorf("%s: the commands have the home, or lack it:\n%s", c.source, body)
		}
		p.end()
	}
}

// TestPageNamesFields: what is wrong with a text that was sent is said of it, and not of a file of pflow's own.
func TestPageNamesFields(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	p.workflow("there", `{"ir_version": "0.1.0", "nodes": [{"id": "say", "type": "template", "params": {"template": "x"}}]}`)
	const bad = "ir_version: 0.1.0\nnodes:\n  foo: [\n"
	for _, c := range []struct {
		method, path string
		body         map[string]any
		place        string
	}{
		{"POST", "/api/v1/workflow-check/yaml", map[string]any{"text": bad}, `"text.yaml"`},
		{"POST", "/api/v1/workflow-check/json", map[string]any{"text": `{"nodes": 3}`}, `"text.json"`},
		{"POST", "/api/v1/workflows", map[string]any{"name": "x", "yaml": bad}, "yaml.yaml:3:"},
		{"POST", "/api/v1/workflows", map[string]any{"name": "x", "json": `{"nodes": 3}`}, "json.json:1:"},
		{"PUT", "/api/v1/workflows/there", map[string]any{"yaml": bad}, "yaml.yaml:3:"},
	} {
		got := p.do(c.method, c.path, strings.NewReader(mustJSON(c.body)), map[string]string{"X-Pflow-Token": p.token(), "Origin": p.url, "Content-Type": "application/json"})
		if strings.Contains(got.Body, os.TempDir()) || !strings.Contains(got.Body, c.place) {
			t.Errorf("%s %s does not name %s: %d\n%s", c.method, c.path, c.place, got.Status, got.Body)
		}
	}
}

// TestPageRefused: a browser whose token is of another start sees a page that says so, and nothing of the home.
func TestPageRefused(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := startPage(t, home)
	port := p.url[strings.LastIndexByte(p.url, ':')+1:]
	token := p.open[strings.LastIndexByte(p.open, '=')+1:]
	p.client.Jar = nil
	for _, c := range []struct{ path, cookie, title string }{
		{"/runs", "pflow_" + port + "=of-another-start", "pflow serve was started again"}, {"/?token=old", "", "pflow serve was started again"},
		{"/", "", "Open the address that pflow serve printed"},
	} {
		got := p.do("GET", c.path, nil, map[string]string{"Accept": "text/html,application/xhtml+xml;q=0.9", "Cookie": c.cookie})
		got.wants(t, c.path, http.StatusUnauthorized, "<h1>"+c.title, "open the address that it printed")
		if strings.Contains(got.Body, home) || strings.Contains(got.Body, token) || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %v\n%s", c.path, got.Header, got.Body)
		}
		nonce := regexp.MustCompile(`nonce="([^"]+)"`).FindStringSubmatch(got.Body)
		if nonce == nil || !strings.Contains(got.Header.Get("Content-Security-Policy"), "'nonce-"+nonce[1]+"'") {
			t.Error("its style is not let through by its policy")
		}
	}
	if got := p.do("GET", "/runs", nil, nil); strings.Contains(got.Body, "<h1>") || !strings.Contains(got.Body, "Authorization: Bearer") {
		t.Errorf("a program gets %q", got.Body)
	}
}

// TestPageEnds: streams end with the server, which says what it waits for.
func TestPageEnds(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	began := filepath.Join(t.TempDir(), "began")
	p.workflow("waits", `{"ir_version": "0.1.0", "nodes": [{"id": "wait", "type": "shell", "params": {"command": "touch `+began+`; sleep 600"}}]}`)
	events := p.listen(t.Context(), "/api/v1/runs/events", "")
	ran := p.post("/library/waits/run")
	for {
		if _, err := os.Stat(began); err == nil {
			break
		}
		p.get(ran.Path)
	}
	p.end()
	var last pageEvent
	for e := range events {
		last = e
	}
	if last.Name != "stop" {
		t.Errorf("the last event is %v", last)
	}
	says(t, p.lines.String(), "ending: the page answers no more", "waiting for it: run "+strings.TrimPrefix(ran.Path, "/runs/"))
}
