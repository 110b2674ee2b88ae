//go:build !race

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"pflow/internal/web/assets/browsertest"
)

// typed replaces a text in the editor of a page, as somebody who types it.
func typed(b *browsertest.Browser, old, new string) {
	browsertest.JS[bool](b, fmt.Sprintf(`(() => { const e = document.querySelector("pflow-editor"); const is = e.value; e.value = is.replace(%q, %q); return e.value !== is || %[1]q === %[2]q; })()`, old, new))
}

// TestPagePlannerBrowser: what somebody does who tunes a planner, on a wide and on a narrow window.
func TestPagePlannerBrowser(t *testing.T) {
	b := browsertest.Start(t)
	p, _, name := plannerPage(t)
	b.Do(chromedp.Navigate(p.open))
	for _, look := range []struct {
		scheme string
		width  int64
	}{{"light", 1440}, {"dark", 360}} {
		shot := func(what string) {
			t.Helper()
			b.Whole(fmt.Sprintf("planner-%s-%d-%s", what, look.width, look.scheme))
		}
		b.Look(look.scheme, look.width, 900)
		b.Do(chromedp.Navigate(p.url + "/planner"))
		b.Wait(`document.querySelector("h1")?.textContent === "Planner"`)
		shot("list")

		// A graph with many edges is as wide as there is room, is gone through by keys, and is drawn anew for another width as it stands.
		b.Do(chromedp.Navigate(p.url + "/planner/flows/planner-offline"))
		b.Wait(`document.querySelector(".editor-findings [role=status]")?.textContent === "Nothing is wrong with it." && document.querySelector("pflow-graph .placed")`)
		if over := browsertest.JS[float64](b, `(v => v.scrollWidth - v.clientWidth)(document.querySelector(".graph-view"))`); over > 1 {
			t.Errorf("at %d px the graph is %v px wider than what it is in", look.width, over)
		}
		if n := browsertest.JS[int](b, `[...document.querySelectorAll(".node")].filter((n, i, all) => all.some((o) => o !== n && o.offsetTop < n.offsetTop + n.offsetHeight && n.offsetTop < o.offsetTop + o.offsetHeight)).length`); n > 0 {
			t.Errorf("at %d px %d nodes stand beside others", look.width, n)
		}
		shot("graph")
		b.Do(chromedp.Focus(`.node[data-node="trigger-reading"]`), chromedp.KeyEvent(kb.ArrowDown))
		if at := browsertest.JS[string](b, `document.activeElement.dataset.node`); at != "notation-reading" {
			t.Errorf("below the first node is %q", at)
		}
		browsertest.JS[bool](b, `(window.drawn = document.querySelector(".graph-view svg"), document.querySelector('.node[data-node="accounting"]').dataset.state = "running", true)`)
		b.Look(look.scheme, 1000, 900)
		b.Wait(`document.querySelector(".graph-view svg") !== window.drawn && document.querySelector('.placed .node[data-node="accounting"]').dataset.state === "running"`)
		b.Look(look.scheme, look.width, 900)

		// A flow: findings as one types, and the graph once it is right.
		b.Do(chromedp.Navigate(p.url + "/planner/flows/planner-metadata"))
		b.Wait(`document.querySelector(".editor-findings [role=status]")?.textContent === "Nothing is wrong with it." && document.querySelector("pflow-graph svg")`)
		shot("flow")
		typed(b, "op: eval", "op: evil")
		b.Wait(`[...document.querySelectorAll(".editor-findings .finding")].some(e => e.textContent.includes("evil"))`)
		shot("findings")
		typed(b, "op: evil", "op: eval")
		typed(b, "  settle:", "  settling:")
		typed(b, "default: settle, failed: settle", "default: settling, failed: settling")
		b.Wait(`document.querySelector(".editor-findings [role=status]").textContent === "Nothing is wrong with it." && document.querySelector('pflow-graph [data-step="settling"]')`)

		// A prompt: what a replay would ask, the replay, and both plans.
		b.Do(chromedp.Navigate(p.url + "/planner/prompts/metadata.tmpl"))
		b.Wait(`document.querySelector(".editor-findings [role=status]")?.textContent === "Nothing is wrong with it."`)
		shot("prompt")
		typed(b, "a verb first", "a noun first, "+look.scheme)
		b.Do(chromedp.Click(`button[name=dry]`), chromedp.WaitVisible(`#foreseen`))
		if asks := browsertest.JS[string](b, `document.querySelectorAll(".stat")[1].textContent`); asks != "1 would be asked of a model: metadata" {
			t.Errorf("it says %q", asks)
		}
		shot("foreseen")
		*name = "capitals-in-" + look.scheme
		b.Do(chromedp.Click(`form[action="/planner/replay"] button`), chromedp.WaitVisible(`#asked`))
		if text := browsertest.JS[string](b, `document.querySelector(".split").innerText`); !containsAll(text, "capitalize-file", *name) {
			t.Errorf("%s", text)
		}
		shot("replayed")

		// Save, and the difference to what is shipped.
		b.Do(chromedp.Navigate(p.url + "/planner/prompts/metadata.tmpl"))
		b.Wait(`document.querySelector("pflow-editor .cm-content")`)
		typed(b, "two to five", "two to four")
		typed(b, "two to four", "two to three") // where the first was saved before
		b.Do(chromedp.Click(`#edit button.primary`), chromedp.WaitVisible(`.note[data-severity=ok]`), chromedp.WaitVisible(`.diff ins`))
		shot("saved")
		*name = ""
	}
}
