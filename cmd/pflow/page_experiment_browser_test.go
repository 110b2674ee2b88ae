//go:build !race

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/web/assets/browsertest"
)

// TestPageExperimentBrowser checks and starts an experiment on the shipped cases, watches it to its verdict, filters the matrix and
// opens a cell, on a small screen and on a large one; and looks at every page of the area.
func TestPageExperimentBrowser(t *testing.T) {
	home := hostileHome(t)
	p := startPage(t, home, "OPENAI_API_KEY="+serverKey)
	p.pflow("experiment", "run", home+"/own.yaml", "--id", "hostile", "--quiet")
	p.pflow("mcp", "add", "docs", "--no-check", "--url", "http://127.0.0.1:9/mcp")
	b := browsertest.Start(t)
	b.Do(chromedp.Navigate(p.open))
	b.Said() // of the page of another area
	address := ""
	for n, width := range []int64{360, 1440} {
		b.Look("light", width, 900)
		b.Do(chromedp.Navigate(p.url + "/experiments/_new"))
		b.Wait(`document.readyState === "complete"`)
		browsertest.JS[bool](b, fmt.Sprintf(`(document.querySelector("#a").value = "planner-offline", document.querySelector("#b").value = "stricter=planner-offline+params.reuse_confidence=0.%d", true)`, 8+n))
		b.Do(chromedp.Click(`form[action="/experiments/_new"] button`))
		b.Arrive(`document.readyState === "complete" && document.querySelector("#prepared")`)
		b.Screenshot(fmt.Sprintf("experiments-prepared-%d", width))
		b.Quiet()
		b.Do(chromedp.Click(`form[action="/experiments"] button.primary`))
		b.Arrive(`location.pathname.startsWith("/experiments/planner-offline-") || location.pathname.startsWith("/experiments/flows-")`)
		b.Screenshot(fmt.Sprintf("experiments-running-%d", width))
		b.Wait(`document.querySelector("#verdict") && document.querySelector("h3 .badge")`) // told of by the events of the job
		address = browsertest.JS[string](b, `location.pathname`)
		b.Quiet()
		browsertest.JS[bool](b, `(() => { const s = document.querySelector('select[name=diff]'); s.value = "passes"; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
		b.Arrive(`location.search.includes("diff=passes") && document.readyState === "complete" && document.querySelector("#cases table")`)
		b.Do(chromedp.Click(`#cases tbody td:last-child a`))
		b.Arrive(`location.pathname.includes("/cases/") && document.querySelector("details.step")`)
		b.Quiet()
	}
	pages := map[string]string{"list": "/experiments", "new": "/experiments/_new", "wrong": "/experiments/_new?a=x&b=y", "show": address, "hostile": "/experiments/hostile", "case": address + "/cases/reuse-disk-2", "live": "/experiments/_live", "settings": "/settings", "unknown": "/experiments/zebra"}
	for name, path := range pages {
		for width, scheme := range map[int64]string{360: "dark", 1440: "light"} {
			b.Look(scheme, width, 900)
			b.Do(chromedp.Navigate(p.url + path))
			b.Wait(`document.readyState === "complete"`)
			if name == "unknown" { // the browser tells of the status
				b.Said()
			}
			b.Whole(fmt.Sprintf("experiments-%s-%d", name, width))
		}
	}
}
