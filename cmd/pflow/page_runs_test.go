//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pflow/internal/llmtest"
)

// unharmed fails the test where what came from outside became a part of a page.
func unharmed(t *testing.T, body string) {
	t.Helper()
	shown := ownFields.ReplaceAllString(body, "") // what a person edits is left as it is
	for _, bad := range []string{"<script>alert", "<img src=x", `href="javascript:`, `="javascript:`, "\u202e", "\x1b", "\x07"} {
		if strings.Contains(body, bad) && (bad[0] == '<' || strings.Contains(shown, bad)) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

const evilText = `</script><script>alert(1)</script>"><img src=x onerror=alert(1)> javascript:alert(1) ` + "\u202egnp \\u001b[31m"

func TestPageRuns(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	says(t, p.get("/runs").Body, "Nothing ran yet")
	p.workflow("fine", `{"ir_version": "0.1.0", "inputs": {"n": {"type": "integer", "default": 3}}, "nodes": [{"id": "say", "type": "template", "params": {"template": "n is ${n}"}}]}`)
	p.workflow("fails", `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "read-file", "params": {"file_path": "/nowhere/at/all"}}]}`)
	for range 3 {
		p.pflow("run", "fine")
	}
	if code := p.exits("run", "fails"); code != exitFailed {
		t.Fatalf("status %d", code)
	}
	all := p.runsOf()
	body := p.get("/runs").Body
	says(t, body, `data-state="done"`, `data-state="failed"`, "/runs/"+all[0].ID, "/nowhere/at/all", `data-events="/api/v1/runs/events?seen=`)

	seen := regexp.MustCompile(`data-events="([^"]+)"`).FindStringSubmatch(body)[1]
	events := p.listen(t.Context(), seen, "")
	p.pflow("run", "fine")
	awaitEvent(t, events, "the list is another", func(e pageEvent) bool { return e.Name == "refresh" })
	awaitEvent(t, p.listen(t.Context(), seen, ""), "the list was another", func(e pageEvent) bool { return e.Name == "refresh" })

	all = p.runsOf("--before", "last")
	body = p.get("/runs?status=failing").Body
	if strings.Contains(body, all[1].ID) || !strings.Contains(body, all[0].ID) {
		t.Error("the filter of what failed shows others")
	}
	body = p.get("/runs?workflow=fine&before=" + all[1].ID).Body
	if strings.Contains(body, `id="run-`+all[1].ID) || !strings.Contains(body, `id="run-`+all[2].ID) || !strings.Contains(body, `id="run-`+all[3].ID) {
		t.Error("the page behind a run is not that")
	}
	says(t, p.get("/runs?workflow=other").Body, "No run is so")
	if got := p.get("/runs?status=what"); got.Status != 400 {
		t.Errorf("a status that is none: %d", got.Status)
	}
	if got := p.get("/runs?since=yesterday"); got.Status != 400 || !strings.Contains(got.Body, "2026-01-31") {
		t.Errorf("a time that is none: %d", got.Status)
	}

	// Two runs, compared; the older one stands first.
	got := p.get("/runs/compare?run=" + all[1].ID + "&run=" + all[2].ID)
	if want := "/runs/" + all[2].ID + "/diff/" + all[1].ID; got.Path != want {
		t.Errorf("compared at %s, want %s", got.Path, want)
	}
	says(t, got.Body, "They are the same")
	if got := p.get("/runs/compare?run=" + all[1].ID); got.Status != 400 {
		t.Errorf("one run compared: %d", got.Status)
	}
	says(t, p.get("/runs/stats").Body, "the whole", "say", "Half within")
	if got := p.get("/runs/nope"); got.Status != 404 || !strings.Contains(got.Body, "there is no run") {
		t.Errorf("a run that is not there: %d", got.Status)
	}
	if status, doc := p.api("GET", "/api/v1/runs?limit=2&before="+all[0].ID, nil); status != 200 || len(doc["runs"].([]any)) != 2 {
		t.Errorf("the API: %d, %v", status, doc)
	}
}

// TestPageRunParts: a run with what a run can have, seen step by step.
func TestPageRunParts(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	p.workflow("inner", `{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "required": true}}, "nodes": [{"id": "hello", "type": "template", "params": {"template": "Hello ${name}"}}],
		"outputs": {"text": {"source": "${hello.text}"}}}`)
	p.workflow("parts", `{"ir_version": "0.1.0", "inputs": {"big": {"type": "boolean", "default": true}}, "nodes": [
		{"id": "which", "type": "switch", "params": {"inputs": {"big": "${big}"}, "cases": [{"action": "small", "expr": "!big"}, {"action": "big", "expr": "big"}]}},
		{"id": "long", "type": "transform", "params": {"inputs": {}, "expression": "join(map(1..3000, \"word\"), \" \")"}},
		{"id": "short", "type": "template", "params": {"template": "short"}},
		{"id": "each", "type": "transform", "batch": {"items": [1, 0, 3], "as": "n", "on_error": "continue"}, "params": {"inputs": {"n": "${n}"}, "expression": "int(n == 0 ? \"x\" : \"7\")"}},
		{"id": "call", "type": "inner", "params": {"name": "Ada"}},
		{"id": "poll", "type": "transform", "repeat": {"until": "result.result == 2", "max": 5, "wait": "1ms"}, "params": {"inputs": {"i": "${index}"}, "expression": "i"}}],
		"edges": [{"from": "which", "to": "long", "action": "big"}, {"from": "which", "to": "short", "action": "small"}, {"from": "long", "to": "each"}, {"from": "each", "to": "call"}, {"from": "call", "to": "poll"}]}`)
	p.pflow("run", "parts")
	run := p.runsOf()[0].ID
	body := p.get("/runs/" + run).Body
	says(t, body, "<pflow-graph", "<pflow-timeline", "which → long, with big (taken)", "which → short, with small",
		"did not hold", "!big", "held", "→ <strong>big</strong>", "which ended with big, and only small leads here",
		"kB in all", "show the whole", "each[1]", "call/hello", "Hello Ada", "poll#2", `data-step="each"`)
	if strings.Contains(body, "which → short, with small (taken)") {
		t.Error("an edge that was not taken is said to be")
	}
	if words := strings.Count(body, "word word"); words > 400 {
		t.Errorf("a long value is not cut: %d", words)
	}

	// One step: whole values, its trail, its log, what is inside it.
	whole := p.get("/runs/" + run + "/steps/long?whole=true").Body
	if words := strings.Count(whole, "word"); words < 3000 {
		t.Errorf("the whole value has %d words", words)
	}
	body = p.get("/runs/" + run + "/steps/" + url.PathEscape("call/hello")).Body
	says(t, body, "Hello Ada", `href="/runs/`+run+`/steps/call"`, "call/hello is done")
	body = p.get("/runs/" + run + "/steps/each?state=failed").Body
	says(t, body, "[1]")
	if strings.Contains(body, `id="step-each[0]"`) {
		t.Error("the filter of failed items shows others")
	}
	if got := p.get("/runs/" + run + "/steps/none"); got.Status != 400 || !strings.Contains(got.Body, "has no step") {
		t.Errorf("a step that is not there: %d", got.Status)
	}
	says(t, p.get("/runs/"+run+"/log").Body, "The run begins", "long begins", "which is done", "The run ends: done")
	says(t, p.get("/runs/"+run+"/timeline").Body, "<pflow-timeline", "call/hello")
	says(t, p.get("/runs/"+run+"/calls").Body, "This run called no model")
	if status, doc := p.api("GET", "/api/v1/runs/"+run+"/calls", nil); status != 200 || fmt.Sprint(doc["exchanges"]) != "[]" {
		t.Errorf("the calls of a run that made none: %d, %v", status, doc)
	}
	if status, doc := p.api("GET", "/api/v1/runs/"+run+"/calls?step=none", nil); status != 400 {
		t.Errorf("the calls of a step that is not there: %d, %v", status, doc)
	}
	if status, doc := p.api("GET", "/api/v1/runs/"+run+"/steps/"+url.PathEscape("call/hello"), nil); status != 200 || doc["label"] != "hello" {
		t.Errorf("the step by the API: %d, %v", status, doc)
	}
}

// TestPageRunMany: a run of 5,000 items is a page of at most 25 steps on a level, those that failed before others.
func TestPageRunMany(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	p.workflow("many", `{"ir_version": "0.1.0", "nodes": [
		{"id": "list", "type": "transform", "params": {"inputs": {}, "expression": "map(1..5000, #)"}},
		{"id": "each", "type": "transform", "batch": {"items": "${list.result}", "as": "n", "on_error": "continue", "concurrency": 4}, "params": {"inputs": {"n": "${n}"}, "expression": "int(n % 1000 == 7 ? \"x\" : string(n))"}}],
		"edges": [{"from": "list", "to": "each"}]}`)
	p.pflow("run", "many", "--quiet")
	run := p.runsOf()[0].ID
	body := p.get("/runs/" + run).Body
	says(t, body, "5000 inside", "5 failed", "4995 of 5000, 5 failed", "All 5000 inside")
	if n := strings.Count(body, `<details class="step"`); n > 30 {
		t.Errorf("%d steps on the page", n)
	}
	if len(body) > 200_000 {
		t.Errorf("the page has %d bytes", len(body))
	}
	body = p.get("/runs/" + run + "/steps/each").Body
	says(t, body, "failed 5", "done 4995", "1–25 of 5000", `id="step-each[6]"`, `id="step-each[4006]"`)
	body = p.get("/runs/" + run + "/steps/each?state=done&skip=4975").Body
	says(t, body, "4976–4995 of 4995", `id="step-each[4999]"`)
	body = p.get("/runs/" + run + "/timeline").Body
	if n := strings.Count(body, `"name":"each[`); n != 5000 {
		t.Errorf("the timeline has %d items", n)
	}
}

func TestPageRunHostile(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	text, err := json.Marshal(evilText)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "evil.txt")
	if err := os.WriteFile(file, []byte(evilText+"\x1b[31m\x07"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.workflow("evil", fmt.Sprintf(`{"ir_version": "0.1.0", "inputs": {"text": {"type": "string", "default": %[1]s, "description": %[1]s}}, "nodes": [
		{"id": "read", "type": "read-file", "purpose": %[1]s, "params": {"file_path": %[2]q}},
		{"id": "obj", "type": "transform", "params": {"inputs": {"t": "${text}"}, "expression": "{(t): t}"}},
		{"id": "each", "type": "template", "batch": {"items": [%[1]s], "as": "x", "on_error": "continue"}, "params": {"template": "${x}"}},
		{"id": "fail", "type": "read-file", "params": {"file_path": "/nowhere/${text}"}}],
		"edges": [{"from": "read", "to": "obj"}, {"from": "obj", "to": "each"}, {"from": "each", "to": "fail"}]}`, text, file))
	if code := p.exits("run", "evil"); code != exitFailed {
		t.Fatalf("status %d", code)
	}
	p.exits("plan", evilText)
	run := p.runsOf("--workflow", "evil")[0].ID
	for _, path := range []string{"/runs", "/runs?workflow=" + url.QueryEscape(evilText), "/runs?by=" + url.QueryEscape(evilText), "/runs?since=" + url.QueryEscape(evilText),
		"/runs/" + run, "/runs/" + run + "/steps/obj", "/runs/" + run + "/steps/read", "/runs/" + run + "/steps/fail", "/runs/" + run + "/steps/" + url.PathEscape(evilText), "/runs/" + url.PathEscape(evilText),
		"/runs/" + run + "/log", "/runs/" + run + "/timeline", "/runs/" + run + "/calls", "/runs/stats", "/runs/" + run + "/diff/" + p.runsOf()[0].ID, "/runs/" + run + "/fix?job=" + url.QueryEscape(evilText),
		"/runs/" + p.runsOf("--kind", "plan")[0].ID} {
		got := p.get(path)
		if got.Status >= 500 {
			t.Errorf("%s: %d\n%s", path, got.Status, got.Body)
		}
		t.Run(path[:min(len(path), 40)], func(t *testing.T) { unharmed(t, got.Body) })
	}
	says(t, p.get("/runs/"+run).Body, "&lt;script&gt;alert(1)&lt;/script&gt;")
	unharmed(t, p.post("/runs/"+run+"/retry", "input.text", evilText, "from", evilText).Body)
	unharmed(t, p.post("/runs/"+run+"/save", "name", evilText, "description", evilText).Body)
	unharmed(t, p.post("/runs/"+url.PathEscape(evilText)+"/cancel").Body)
}

var ownFields = regexp.MustCompile(`value="[^"]*"|(?s:<textarea[^>]*>.*?</textarea>)`)

// TestPageRunCalls: what a run sent to models, and what came back, is with the run and with the step that asked.
func TestPageRunCalls(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "one <script>alert(1)</script>"}, {Text: "two"}}})
	p := startPage(t, t.TempDir(), "OPENAI_BASE_URL="+server.BaseURL(), "OPENAI_API_KEY="+serverKey)
	p.workflow("asks", `{"ir_version": "0.1.0", "nodes": [{"id": "first", "type": "llm", "params": {"prompt": "Say one"}}, {"id": "second", "type": "llm", "params": {"prompt": "After ${first.response}"}}],
		"edges": [{"from": "first", "to": "second"}]}`)
	p.pflow("run", "asks")
	run := p.runsOf()[0].ID
	body := p.get("/runs/" + run + "/calls").Body
	unharmed(t, body)
	says(t, body, "2 calls", "Say one", "one &lt;script&gt;", "two", "openai/", "tokens")
	body = p.get("/runs/" + run + "/steps/second").Body
	says(t, body, "Model calls", "After one &lt;script&gt;", "two")
	if strings.Contains(body, "Say one") {
		t.Error("the step shows what another sent")
	}
}
