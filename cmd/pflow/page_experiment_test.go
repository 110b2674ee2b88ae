//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pflow/internal/llmtest"
)

// hostileMarkup is what must never stand in a page as it is.
const hostileMarkup = `"><img src=x onerror=alert(1)><script>alert(1)</script>`

// hostileHome is a home with cases whose ids, groups, requests and expectations are hostile, over the flows of experiment_matrix.
func hostileHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	var lines []string
	for _, c := range []map[string]any{
		{"id": hostileMarkup, "group": "g" + hostileMarkup, "request": "copy a.txt to b.txt " + hostileMarkup, "expect": map[string]any{"nodes": []string{"copy-file"}}},
		{"id": "a/b ?c#d%2e", "request": "read the file a.txt", "expect": map[string]any{"nodes": []string{"copy-file"}}},
		{"id": "rtl", "request": "read \u202etxt.a \u0007 javascript:alert(1)", "expect": map[string]any{"abstain": true}},
	} {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(data))
	}
	if err := os.MkdirAll(filepath.Join(home, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "cases", "own.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	document := "experiment: flows\ncases: cases/own.jsonl\nvariants:\n  - {name: plain, flow: planner-offline}\n  - {name: " + strconv.Quote(hostileMarkup) + ", flow: planner-offline, set: {params.phrases_decide: false}}\n"
	if err := os.WriteFile(filepath.Join(home, "own.yaml"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// visible is the text of a page between its tags.
func visible(page pageAnswer) string {
	text := regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(script|style)>|<[^>]*>`).ReplaceAllString(page.Body[max(0, strings.Index(page.Body, "<main")):], " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// clean fails where a page holds markup of others.
func clean(t *testing.T, page pageAnswer) string {
	t.Helper()
	for _, bad := range []string{"<script>alert", "<img src=x", `href="javascript:`, "this page cannot be shown", " style=", "\u202e", "\u0007"} {
		if strings.Contains(page.Body, bad) {
			t.Errorf("%s holds %q", page.Path, bad)
		}
	}
	return page.Body
}

// over waits until no job makes the experiment of a page, as its script does, and gives the page then.
func over(t *testing.T, p *pageServer, page pageAnswer) pageAnswer {
	t.Helper()
	for {
		events := regexp.MustCompile(`data-events="([^"]+)"`).FindStringSubmatch(page.Body)
		if events == nil {
			return page
		}
		if got := p.get(events[1]); !strings.Contains(got.Body, "event: end") || !strings.Contains(got.Body, "event: refresh") {
			t.Fatalf("the events of %s end without a word:\n%s", page.Path, got.Body)
		}
		page = p.get(page.Path)
	}
}

// TestPageExperiment starts an experiment from the form, and reads its verdict, its matrix and a case of it.
func TestPageExperiment(t *testing.T) {
	t.Parallel()
	p := startPage(t, hostileHome(t))
	want := func(page pageAnswer, texts ...string) {
		t.Helper()
		clean(t, page)
		for _, text := range texts {
			if !strings.Contains(page.Body, text) {
				t.Errorf("%s (%d) does not say %q:\n%s", page.Path, page.Status, text, visible(page))
			}
		}
	}
	want(p.get("/experiments"), "No experiments yet", "Compare mine with the shipped one")
	want(p.get("/experiments/_new"), "home:own (3)", "Check it")

	want(p.get("/experiments/_new?a=planner-offline&b=planner-offline%2Bparams.reuse_confidence%3D0.9&cases=home%3Aown"), "3 cases, 2 variants", "of the cases differ, these cases show")

	// What cannot be run is said before anything is.
	want(p.get("/experiments/_new?a=planner-offline&b=planner-offline"), "are equal")
	want(p.get("/experiments/_new?a="+url.QueryEscape("planner-offline+"+hostileMarkup)+"&b=x"), "&lt;script&gt;")
	want(p.post("/experiments", "a", "planner-offline", "b", "planner-offline"), "are equal")
	want(p.post("/experiments"), "means the same as shipped:planner")

	// Checked, then run: the address is that of the experiment.
	document := filepath.Join(p.home, "own.yaml")
	want(p.get("/experiments/_new?flow="+url.QueryEscape(document)), "3 cases, 2 variants", "6 plans to make", "No flow asks a model", "params.phrases_decide")
	begun := p.post("/experiments", "flow", document)
	id := regexp.MustCompile(`^/experiments/(flows-[0-9a-f]{8})$`).FindStringSubmatch(begun.Path)
	if id == nil {
		t.Fatalf("the form leads to %s (%d):\n%s", begun.Path, begun.Status, begun.Body)
	}
	address := begun.Path
	over(t, p, begun)
	page := p.get(address)
	want(page, `class="badge" data-state="`, "against plain", "ONLY 3 CASES", `<span class="mod">param params.phrases_decide: true -&gt; false</span>`, "&lt;script&gt;alert(1)", "decides", `role="img"`)
	_, shown := p.api("GET", "/api/v1/experiments/"+id[1]+"/report", nil)
	said := shown["comparisons"].([]any)[0].(map[string]any)["said"].(string)
	if !strings.Contains(visible(page), said) {
		t.Errorf("the page does not say %q:\n%s", said, visible(page))
	}
	want(p.get("/experiments"), id[1])

	// The matrix, filtered as the command filters.
	fails := p.get(address + "?diff=fails")
	want(fails, "fails everywhere (", "a/b ?c#d%2e")
	if strings.Contains(fails.Body, ">rtl<") != strings.Contains(p.pflow("experiment", "matrix", id[1], "--diff", "fails"), "rtl") {
		t.Error("the page and the command filter differently")
	}
	want(p.get(address+"?text=nosuchtext"), "No case is like that.")
	if got := p.get(address + "?diff=" + url.QueryEscape(hostileMarkup)); got.Status != http.StatusBadRequest {
		t.Errorf("a filter that there is not: %d", got.Status)
	} else {
		clean(t, got)
	}

	// A case, by the link of its cell.
	for _, link := range regexp.MustCompile(`href="(/experiments/[^"]+/cases/[^"]+)"`).FindAllStringSubmatch(page.Body, -1) {
		cell := p.get(strings.ReplaceAll(link[1], "&amp;", "&"))
		if cell.Status != http.StatusOK {
			t.Errorf("%s: %d", link[1], cell.Status)
		}
		want(cell, "What is expected", "The route", "because")
	}
	if got := p.get(address + "/cases/nosuch"); got.Status != http.StatusNotFound {
		t.Errorf("a case that is not there: %d", got.Status)
	}

	// Downloads are files, and are never shown as pages of this server.
	for format, holds := range map[string]string{"html": "<!doctype html>", "markdown": "# flows", "json": "pflow.experiment/v1", "junit": "<testsuite", "text": "flows: 3 cases"} {
		got := p.get(address + "/report/" + format)
		if got.Status != http.StatusOK || !strings.Contains(got.Body, holds) || !strings.HasPrefix(got.Header.Get("Content-Disposition"), `attachment; filename="`+id[1]) ||
			!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") || strings.Contains(got.Header.Get("Content-Security-Policy"), "script-src") {
			t.Errorf("report as %s: %d %v", format, got.Status, got.Header)
		}
	}
	if got := p.get(address + "/report/exe"); got.Status != http.StatusNotFound {
		t.Errorf("a report of no format: %d", got.Status)
	}

	// The same form again shows what is there.
	again := p.post("/experiments", "flow", document)
	over(t, p, again)
	if again.Path != address {
		t.Errorf("the same again leads to %s", again.Path)
	}
	if got := p.post(address + "/stop"); got.Status != http.StatusConflict {
		t.Errorf("stopping what does not run: %d", got.Status)
	}
}

// TestPageExperimentGoesOn stops at a budget of calls, and goes on under the same id.
func TestPageExperimentGoesOn(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Script{Replies: []llmtest.Reply{{JSON: map[string]any{"answer": "<script>alert(1)</script>"}, Times: llmtest.Any}}})
	home := t.TempDir()
	var cases []string
	for i := range 20 {
		cases = append(cases, fmt.Sprintf(`{"id": "more-%d", "request": "more %d", "expect": {"status": "ready"}}`+"\n", i, i))
	}
	for name, text := range map[string]string{
		"cases/asks.jsonl":           `{"id": "1", "request": "one", "expect": {"status": "ready"}}` + "\n" + strings.Join(cases, ""),
		"prompts/ask.tmpl":           "---\nname: ask\ndescription: Asks.\nvariables: [request]\nschema: answer\n---\nYou answer: request {{.request}}\n",
		"prompts/answer.schema.json": `{"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"], "additionalProperties": false}`,
		"flows/ask.yaml":             askingFlow,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := startPage(t, home, "OPENAI_BASE_URL="+server.BaseURL(), "OPENAI_API_KEY="+serverKey)
	asked := []string{"a", "ask", "b", "strict=ask+params.answer=a", "cases", "home:asks"}
	if got := p.get("/experiments/_new?a=ask&b=" + url.QueryEscape("strict=ask+params.answer=a") + "&cases=home%3Aasks"); !strings.Contains(got.Body, "Models are called, which may cost") || !strings.Contains(got.Body, `name="max_calls"`) {
		t.Fatalf("that models are called is not said first:\n%s", visible(got))
	}
	begun := p.post("/experiments", append(asked, "max_calls", "2")...)
	stopped := over(t, p, begun)
	if text := visible(stopped); !strings.Contains(text, "stopped") || !strings.Contains(text, "the budget calls 2 is used up") || !strings.Contains(text, "Go on") {
		t.Fatalf("%s: %s", stopped.Path, text)
	}
	whole := over(t, p, p.post(stopped.Path+"/resume", "max_calls", "100"))
	if text := visible(whole); whole.Path != stopped.Path || strings.Contains(text, "stopped") || !strings.Contains(text, "ask strict") {
		t.Fatalf("%s: %s", whole.Path, text)
	}
	cell := p.get(whole.Path + "/cases/1?variant=strict")
	if text := visible(cell); !strings.Contains(text, "You answer: request one") || !strings.Contains(text, "was asked") || !strings.Contains(text, "<script>alert(1)</script>") || !strings.Contains(text, "the routes part here") {
		t.Errorf("the cell does not show what was asked and replied: %s", text)
	}
	for _, path := range []string{whole.Path, whole.Path + "/cases/1", whole.Path + "/report/html", whole.Path + "/report/json", "/experiments"} {
		if got := p.get(path); strings.Contains(got.Body, serverKey) {
			t.Errorf("%s shows the key", path)
		} else if !strings.Contains(path, "/report/") {
			clean(t, got)
		}
	}
}

const askingFlow = `flow: ask
version: 1
state:
  user_input: {type: string, required: true}
  answer: {type: string, default: ""}
  planner_output: {type: any, default: null}
params: {answer: any}
nodes:
  ask:
    op: llm
    prep: {request: store.user_input}
    with: {prompt: ask, model: openai/gpt-4.1-mini}
    retry: {attempts: 1}
    post: {answer: result.value.answer}
    actions:
      - {action: good, expr: params.answer == "any" or store.answer == params.answer}
      - {action: bad}
    next: {good: tell, bad: tell}
  tell:
    op: eval
    prep: {answer: store.answer, ok: params.answer == "any" or store.answer == params.answer}
    with: {expr: '{"status": prep.ok ? "ready" : "infeasible", "workflow_name": prep.answer, "workflow_ir": {"nodes": [{"id": "a", "type": "log"}]}}'}
    post: {planner_output: result}
    next: end
`
