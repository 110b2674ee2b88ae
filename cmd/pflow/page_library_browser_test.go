//go:build !race

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/web/assets/browsertest"
)

// TestPageLibraryBrowser edits a workflow in a browser, sees what is wrong as it is typed, saves it and runs it, on a small screen
// and on a large one; and looks at every page of the library in both looks.
func TestPageLibraryBrowser(t *testing.T) {
	p := startPage(t, t.TempDir(), "GREET_KEY=k-1234567890")
	p.pflow("workflow", "save", writtenFile(t, "greet.yaml", libraryWorkflow), "--yaml")
	for n := range 12 {
		p.pflow("workflow", "save", writtenFile(t, fmt.Sprintf("report-%02d.json", n), `{"ir_version": "0.1.0", "inputs": {"team": {"type": "string", "required": true}},
			"nodes": [{"id": "read", "type": "read-file", "params": {"file_path": "report-${team}.md"}}, {"id": "keep", "type": "write-file", "params": {"file_path": "out.md", "content": "${read.content}"}}],
			"edges": [{"from": "read", "to": "keep"}]}`), "--description", "Keeps the weekly report of a team where others find it")
	}
	p.pflow("workflow", "edit", "greet", writtenFile(t, "greet.yaml", strings.Replace(libraryWorkflow, "Hello, ", "Dear ", 1)))
	p.pflow("schedule", "add", "greet", "--as", "morning", "--cron", "0 8 * * 1-5", "times=2", "--yes=schedule")
	p.pflow("schedule", "add", "greet", "--as", "often", "--every", "6h", "times=1", "--yes=schedule")
	p.pflow("schedule", "pause", "often")
	p.pflow("schedule", "add", "report-03", "--cron", "0 17 * * 5", "team=core", "--yes=schedule,destructive")
	p.pflow("workflow", "edit", "report-03", writtenFile(t, "r.json", `{"ir_version": "0.1.0", "inputs": {"team": {"type": "string", "required": true}}, "nodes": [{"id": "read", "type": "read-file", "params": {"file_path": "weekly-${team}.md"}}]}`))
	b := browsertest.Start(t)
	b.Do(chromedp.Navigate(p.open))
	b.Said() // of the page of another area
	click := func(what string) { b.Do(chromedp.Click(what)) }
	for n, width := range []int64{360, 1440} {
		b.Look("light", width, 900)
		b.Do(chromedp.Navigate(p.url + "/library/greet/edit"))
		b.Wait(`document.querySelector(".cm-editor")`)
		typed(b, "type: template", "type: templat")
		b.Wait(`document.querySelector(".editor-findings")?.textContent.includes("templat")`)
		b.Screenshot(fmt.Sprintf("library-findings-%d", width))
		typed(b, "type: templat,", "type: template,")
		typed(b, "${name}", fmt.Sprintf("${name} (%d)", n))
		b.Wait(`document.querySelector(".editor-findings")?.textContent.includes("Nothing is wrong")`)
		click(`button[value=save]`)
		b.Arrive(fmt.Sprintf(`location.pathname === "/library/greet" && document.querySelector("h1").textContent.includes("version %d")`, n+3))
		b.Wait(`document.querySelector(".graph-canvas.placed")`)
		b.Do(chromedp.Navigate(p.url + "/library/greet/run"))
		b.Wait(`document.querySelector(".cm-editor")`)
		browsertest.JS[bool](b, `(document.querySelector('[name="in.times"]').value = "4", true)`)
		click(`button[formaction$="/dry-run"]`)
		b.Arrive(`document.readyState === "complete" && document.querySelector("#dry") && document.querySelector(".cm-editor")`)
		b.Screenshot(fmt.Sprintf("library-dry-run-%d", width))
		b.Quiet()
		click(`form[action="/library/greet/run"] button.primary`)
		b.Arrive(`location.pathname.startsWith("/runs/")`)
		id := strings.TrimPrefix(browsertest.JS[string](b, `location.pathname`), "/runs/")
		waitRun(t, p, id)
		if run := p.pflow("runs", "show", id, "--json"); !strings.Contains(run, fmt.Sprintf("World (%d)", n)) {
			t.Errorf("the run is not of what was edited:\n%s", run)
		}
		b.Said() // of the page of another area
	}
	// A run that somebody else begins is on the page of its workflow without anybody asking.
	b.Do(chromedp.Navigate(p.url + "/library/greet"))
	b.Wait(`document.querySelectorAll("[aria-labelledby=runs] tbody tr").length === 2`)
	_, begun := p.api("POST", "/api/v1/workflows/greet/runs?wait=true", map[string]any{"inputs": map[string]any{"times": 5}})
	b.Wait(fmt.Sprintf(`document.querySelector("a[href='/runs/%s']") && document.querySelectorAll("[aria-labelledby=runs] tbody tr").length === 3`, begun["run_id"]))
	b.Quiet()
	p.pflow("workflow", "test", "greet", "--from-run", "last")
	b.Do(chromedp.Navigate(p.url + "/library/greet/tests"))
	click(`form[action="/library/greet/test"] button.primary`)
	b.Arrive(`document.querySelector("#result")?.textContent === "1 passed, 0 failed"`) // told of by the events of the job
	b.Quiet()
	pages := map[string]string{"notify": "/library/greet/notify", "list": "/library", "show": "/library/greet", "run": "/library/greet/run", "edit": "/library/greet/edit", "versions": "/library/greet/versions", "tests": "/library/greet/tests",
		"new": "/library/_new", "nodes": "/library/_nodes", "node": "/library/_nodes/write-file", "schedules": "/schedules", "schedule": "/schedules/morning", "add": "/schedules/_new?workflow=greet",
		"approve": "/schedules/report-03/approve", "nothing": "/library?match=zebra", "unknown": "/library/zebra"}
	for name, path := range pages {
		for width, scheme := range map[int64]string{360: "dark", 1440: "light"} {
			b.Look(scheme, width, 900)
			b.Do(chromedp.Navigate(p.url + path))
			b.Wait(`document.readyState === "complete" && (!document.querySelector("pflow-editor") || document.querySelector(".cm-editor")) && (!document.querySelector("pflow-graph") || document.querySelector(".graph-canvas.placed"))`)
			if name == "unknown" { // the browser tells of the status
				b.Said()
			}
			b.Whole(fmt.Sprintf("library-%s-%d", name, width))
		}
	}
}
