//go:build !race

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/llmtest"
	"pflow/internal/web/assets/browsertest"
)

// copiesNotes is what a model says to a request to copy notes.txt, one reply after the other.
const copiesNotes = `
replies:
  - {schema: choice, json: {node_ids: [copy-file, write-file], workflow_names: [], reasoning: it copies}}
  - {schema: parameters, json: {params: [{name: source, value: notes.txt}, {name: target, value: backup/notes.txt}]}}
  - schema: workflow
    delay: 4s
    json:
      feasible: true
      reason: ""
      parts: [{text: copy, by: "node:copy-it"}, {text: notes.txt, by: "input:source"}, {text: to backup/notes.txt, by: "input:target"}]
      workflow:
        ir_version: "0.1.0"
        inputs:
          source: {type: string, required: true, description: The file to copy}
          target: {type: string, required: true, description: Where the copy goes}
        nodes: [{id: copy-it, type: copy-file, purpose: Copy the file, params: {source_path: "${source}", dest_path: "${target}"}}]
        edges: []
        outputs: {copy: {source: "${copy-it.dest_path}", type: string, description: Where the copy is}}
  - {schema: metadata, json: {name: keep-a-copy, description: Copies a file to another place., keywords: [copy, file, duplicate]}}
  - {schema: values, json: {values: [{name: source, value: notes.txt}, {name: target, value: backup/notes.txt}]}}
`

// TestPageAskBrowser asks in a browser, watches how a model's plan is made, approves it and sees its run, on a small screen and on a
// large one; and looks at the plans that are refused, edited, destructive or scheduled, in both looks.
func TestPageAskBrowser(t *testing.T) {
	var servers []*llmtest.Server
	for _, width := range []int64{360, 1440} {
		script, found := llmtest.Parse("replies.yaml", []byte(copiesNotes))
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		server, err := llmtest.Start(script)
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		servers = append(servers, server)
		p := atPage(t, map[string]string{"notes.txt": "remember\n", "b.txt": "one\ntwo\n", "c.md": "# c\n"}, "OPENAI_BASE_URL="+server.BaseURL(), "OPENAI_API_KEY="+serverKey)
		b := browsertest.Start(t)
		b.Look("light", width, 900)
		shot := func(name string) {
			t.Helper()
			b.Whole(fmt.Sprintf("ask-%s-%d", name, width))
		}
		b.Do(chromedp.Navigate(p.open))
		b.Wait(`document.readyState === "complete" && document.querySelector("#request")`)
		shot("empty")

		b.Do(chromedp.SendKeys("#request", "copy notes.txt to backup/notes.txt"))
		browsertest.JS[bool](b, `(document.querySelector("#request").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true})), true)`)
		b.Arrive(`location.pathname.startsWith("/plans/")`)
		b.Wait(`document.querySelector('.graph-canvas.placed, h1')`)
		b.Wait(`document.querySelector('[data-step="workflow-generation"]:is([data-state="running"], [data-state="open"])') || document.querySelector("#approve")`)
		shot("planning")
		b.Wait(`document.querySelector("#approve button[value=run]")`)
		b.Wait(`document.querySelector(".graph-canvas.placed")`)
		shot("plan")
		b.Look("dark", width, 900)
		b.Do(chromedp.Reload())
		b.Wait(`document.readyState === "complete" && document.querySelector(".graph-canvas.placed")`)
		shot("plan-dark")
		b.Look("light", width, 900)
		browsertest.JS[bool](b, `(document.querySelectorAll("section > details").forEach(d => d.open = true), true)`)
		b.Wait(`document.querySelector(".cm-editor")`)
		shot("plan-open")
		b.Do(chromedp.Click("#approve button[value=run]"))
		b.Arrive(`location.pathname.startsWith("/runs/")`)
		b.Wait(`!document.querySelector("main[data-events]") && document.querySelector('.badge[data-state="done"]')`)
		p.holds("backup/notes.txt", "remember\n")
		b.Quiet()

		for name, request := range map[string]string{"destroys": "copy notes.txt to b.txt", "missing": "copy notes.txt", "refused": "read notes.txt and resize the picture",
			"scheduled": "every weekday at 8 copy notes.txt to d.txt", "changes": "replace one with 1 in b.txt", "nothing": "paint the house"} {
			plan := planned(t, p, "request", request, "flow", "planner-offline")
			b.Do(chromedp.Navigate(p.url + plan.Path))
			b.Wait(`document.readyState === "complete" && document.querySelector("pflow-graph:defined")`)
			browsertest.JS[bool](b, `(document.querySelector("[aria-labelledby=how] > details").open = true)`) // the planner's graph
			b.Wait(`document.querySelector("[aria-labelledby=how] .graph-canvas.placed")`)
			if over := browsertest.JS[float64](b, `(v => v.scrollWidth - v.clientWidth)(document.querySelector("[aria-labelledby=how] .graph-view"))`); over > 1 {
				t.Errorf("%s, at %d px: the planner's graph is %v px wider than what it is in", name, width, over)
			}
			shot(name)
		}
		b.Do(chromedp.Navigate(p.url + "/"))
		b.Wait(`document.readyState === "complete" && document.querySelector("#earlier")`)
		shot("again")
		p.end()
	}
	for _, s := range servers {
		if err := s.Unused(); err != nil {
			t.Error(err)
		}
	}
}
