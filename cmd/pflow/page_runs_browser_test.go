//go:build !race

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/web/assets/browsertest"
)

// looks are the widths and the colours that pages are looked at in.
var looks = []struct {
	scheme string
	wide   int64
}{{"light", 1440}, {"dark", 1440}, {"light", 360}, {"dark", 360}}

// lookAs chooses how a page is looked at, and waits until it is laid out so.
func lookAs(b *browsertest.Browser, scheme string, wide int64) {
	b.Look(scheme, wide, 900)
	b.Wait(`matchMedia("(max-width: 48rem)").matches === innerWidth <= 768`) // the style may follow the window late
	browsertest.JS[bool](b, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
}

// TestPageRunBrowser: a list and a run change while one looks at them, and everything can be done by keys.
func TestPageRunBrowser(t *testing.T) {
	b := browsertest.Start(t)
	p := startPage(t, t.TempDir())
	gate := filepath.Join(t.TempDir(), "gate")
	public := filepath.Join(t.TempDir(), "public.txt")
	p.workflow("publish", fmt.Sprintf(`{"ir_version": "0.1.0", "inputs": {"title": {"type": "string", "default": "News"}}, "nodes": [
		{"id": "draft", "type": "template", "params": {"template": "# ${title}\n\nSomething happened today."}},
		{"id": "size", "type": "switch", "params": {"inputs": {"text": "${draft.text}"}, "cases": [{"action": "empty", "expr": "text == \"\""}, {"action": "long", "expr": "len(text) > 10"}]}},
		{"id": "fill", "type": "template", "params": {"template": "(nothing)"}},
		{"id": "each", "type": "transform", "batch": {"items": [3, 0, 5], "as": "n", "on_error": "continue"}, "params": {"inputs": {"n": "${n}"}, "expression": "int(n == 0 ? \"x\" : \"7\") * n"}},
		{"id": "wait", "type": "shell", "params": {"command": "while [ ! -e %s ]; do sleep 0.01; done"}},
		{"id": "publish", "type": "write-file", "approval": "required", "params": {"file_path": %q, "content": "${draft.text}"}}],
		"edges": [{"from": "draft", "to": "size"}, {"from": "size", "to": "fill", "action": "empty"}, {"from": "size", "to": "each", "action": "long"}, {"from": "each", "to": "wait"}, {"from": "fill", "to": "wait"}, {"from": "wait", "to": "publish"}]}`, gate, public))

	b.Do(chromedp.Navigate(p.open), chromedp.Navigate(p.url+"/runs"))
	b.Wait(`document.body.textContent.includes("Nothing ran yet")`)
	status, job := p.api("POST", "/api/v1/workflows/publish/runs", map[string]any{"inputs": map[string]any{"title": "Today"}})
	if status != 202 {
		t.Fatalf("%d: %v", status, job)
	}
	b.Wait(`document.querySelector('tr[data-state="running"] a[href^="/runs/"]')`)
	b.Do(chromedp.Navigate(p.url + "/runs/" + p.runsOf()[0].ID))

	// The states light up without the page being loaded again.
	b.Wait(`document.querySelector('pflow-graph [data-step="wait"][data-state="running"]')`)
	browsertest.JS[bool](b, `(window.stays = true, document.querySelector('details.step').open = true)`)
	b.Wait(`document.querySelector('pflow-graph [data-from="size"][data-to="each"]')?.dataset.taken === "true"`)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.Wait(`document.querySelector('pflow-graph [data-step="wait"][data-state="done"]')`)
	b.Wait(`document.querySelector('pflow-graph [data-step="publish"][data-state="waiting"]')`)
	b.Wait(`[...document.querySelectorAll("button")].some(e => e.textContent === "Approve and go on")`)
	if !browsertest.JS[bool](b, `window.stays === true && document.querySelector('details.step').open`) {
		t.Error("the page was loaded again, or what was open is closed")
	}
	b.Accessible()
	for _, look := range looks {
		lookAs(b, look.scheme, look.wide)
		b.Narrow()
		if look.scheme == "dark" {
			b.Accessible()
		}
		b.Screenshot(fmt.Sprintf("run-waiting-%s-%d", look.scheme, look.wide))
	}

	// By keys alone: from node to node of the graph, and the approval.
	lookAs(b, "light", 1440)
	if got := browsertest.JS[string](b, `(document.querySelector('pflow-graph .node[data-node="size"]').focus(), document.activeElement.dataset.node)`); got != "size" {
		t.Errorf("the focus is on %q", got)
	}
	b.Do(chromedp.KeyEvent("\r"))
	b.Arrive(`location.pathname.endsWith("/steps/size")`)
	b.Wait(`document.body.textContent.includes("did not hold") && document.body.textContent.includes("len(text) > 10")`)
	b.Accessible()
	b.Do(chromedp.Navigate(p.url + "/runs/" + p.runsOf()[0].ID))
	browsertest.JS[bool](b, `([...document.querySelectorAll("button")].find(e => e.textContent === "Approve and go on").focus(), true)`)
	b.Do(chromedp.KeyEvent("\r"))
	b.Arrive(`document.querySelector('.page-head .badge[data-state="done"]')`)
	if data, err := os.ReadFile(public); err != nil || !strings.HasPrefix(string(data), "# Today") {
		t.Errorf("%q, %v", data, err)
	}
	run := "/runs/" + p.runsOf()[0].ID
	for name, page := range map[string]string{"run": run, "run-timeline": run + "/timeline", "run-log": run + "/log", "run-calls": run + "/calls", "run-steps-each": run + "/steps/each",
		"runs": "/runs", "runs-stats": "/runs/stats", "runs-diff": run + "/diff/" + p.runsOf()[0].ID} {
		b.Do(chromedp.Navigate(p.url + page))
		for _, look := range looks {
			lookAs(b, look.scheme, look.wide)
			b.Narrow()
			b.Screenshot(fmt.Sprintf("%s-%s-%d", name, look.scheme, look.wide))
		}
		b.Accessible()
	}
	b.Quiet()
}

// TestPageRunHeap: a run of 5,000 steps takes less than 50 MB of the browser, its timeline, too.
func TestPageRunHeap(t *testing.T) {
	b := browsertest.Start(t)
	p := startPage(t, t.TempDir())
	p.workflow("many", `{"ir_version": "0.1.0", "nodes": [
		{"id": "list", "type": "transform", "params": {"inputs": {}, "expression": "map(1..5000, #)"}},
		{"id": "each", "type": "transform", "batch": {"items": "${list.result}", "as": "n", "on_error": "continue", "concurrency": 4}, "params": {"inputs": {"n": "${n}"}, "expression": "int(n % 1000 == 7 ? \"x\" : string(n))"}}],
		"edges": [{"from": "list", "to": "each"}]}`)
	p.pflow("run", "many", "--quiet")
	run := p.runsOf()[0].ID
	b.Do(chromedp.Navigate(p.open))
	for _, page := range []string{"/runs/" + run, "/runs/" + run + "/steps/each", "/runs/" + run + "/timeline"} {
		b.Do(chromedp.Navigate(p.url + page))
		b.Wait(`document.readyState === "complete" && (!document.querySelector("pflow-timeline") || document.querySelector("pflow-timeline [role=listitem]"))`)
		used, nodes := float64(b.Heap()), browsertest.JS[int](b, `document.querySelectorAll("*").length`)
		t.Logf("%s: %.1f MB of heap, %d nodes", page[len("/runs/")+len(run):], used/1e6, nodes)
		if used > 50e6 {
			t.Errorf("%s takes %.1f MB", page, used/1e6)
		}
		if nodes > 4000 {
			t.Errorf("%s has %d nodes", page, nodes)
		}
	}
	b.Quiet()
}
