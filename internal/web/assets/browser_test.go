//go:build !race

package assets

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"pflow/internal/web/assets/browsertest"
)

const drawn = `document.querySelector("#planner .graph-canvas.placed") && document.querySelectorAll(".cm-editor").length === 3 && document.querySelector(".timeline-row") && document.querySelector("#redrawn [data-node=write]")`

// TestDemo looks at every part of the page under its policy: it says nothing on the console, axe-core finds nothing serious,
// and nothing is wider than its window, in both looks, on a small screen and on a large one.
func TestDemo(t *testing.T) {
	d := startDemo(t, 40)
	b := browsertest.Start(t)
	for _, width := range []int64{360, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			b.Look(scheme, width, 900)
			b.Do(chromedp.Navigate(d.URL))
			b.Wait(drawn)
			b.Wait(`document.querySelector(".cm-lintRange-error")`)
			b.Whole(fmt.Sprintf("demo-%s-%d", scheme, width))
		}
	}
	if browsertest.JS[bool](b, `window.hacked !== undefined`) {
		t.Error("a text of the page was run as a script")
	}
	if got := browsertest.JS[string](b, `document.querySelector(".node[data-node=parameters]").localName`); got != "button" {
		t.Errorf("a node whose address is javascript: is a <%s>", got)
	}
	b.Quiet()
}

// TestLive sends events: a step lights up, its edge is taken, a refresh keeps what is open, typed and focused, and a lost
// server is told of.
func TestLive(t *testing.T) {
	d := startDemo(t, 40)
	b := browsertest.Start(t)
	b.Look("light", 1200, 900)
	b.Do(chromedp.Navigate(d.URL))
	b.Wait(drawn)
	<-d.streams
	d.send("state", map[string]any{"steps": []any{map[string]any{"step": "browse", "state": "running"}}})
	d.send("step", map[string]any{"step": "generate", "state": "running", "label": "x"})
	d.send("step", map[string]any{"step": "check", "state": "done", "action": "valid"})
	d.send("step", map[string]any{"step": "whole", "state": "needs_input"})
	b.Wait(`document.querySelector(".node[data-step=generate]").dataset.state === "running"`)
	b.Wait(`document.querySelector(".badge[data-step=whole]").textContent === "needs input"`)
	if got := browsertest.JS[string](b, `document.querySelector(".node[data-step=generate] .state-word").textContent`); got != "running" {
		t.Errorf("readers hear %q", got)
	}
	if got := browsertest.JS[[]string](b, `[...document.querySelectorAll("#planner .edge[data-taken][data-from=check]")].map(e => e.dataset.to)`); len(got) != 1 || got[0] != "metadata" {
		t.Errorf("edges that were taken from check: %v", got)
	}
	d.send("step", map[string]any{"step": "gate", "state": "failed"})
	b.Wait(`document.querySelector("#opened").dataset.state === "failed"`) // the fold that the badge heads
	if browsertest.JS[bool](b, `!!document.querySelector("#planner .edge[data-taken][data-from=gate]")`) {
		t.Error("a step that failed leads on")
	}
	d.send("step", map[string]any{"step": "metadata", "state": "done"}) // a step that has one way on
	b.Wait(`document.querySelector("#planner .edge[data-from=metadata]").dataset.taken === "true"`)
	d.send("step", map[string]any{"step": "gate", "state": "done", "action": "declined"}) // no edge of its own: the one for any other
	b.Wait(`document.querySelector(".node[data-step=gate]").dataset.state === "done"`)
	if got := browsertest.JS[[]string](b, `[...document.querySelectorAll("#planner .edge[data-taken][data-from=gate]")].map(e => e.dataset.to)`); len(got) != 1 || got[0] != "fail" {
		t.Errorf("edges that were taken from gate: %v", got)
	}
	if got := browsertest.JS[string](b, `document.querySelector(".graph-list li[data-step=gate] .state-word").textContent`); got != "done" {
		t.Errorf("the list says %q of the gate", got)
	}
	// A refresh.
	browsertest.JS[bool](b, `(() => {
		window.before = {graph: document.querySelector("#planner svg"), editor: document.querySelector(".cm-editor"), row: document.querySelector("#timeline .timeline-row")};
		document.querySelector("#opened").open = true;
		document.querySelector("#name").value = "typed";
		document.querySelector("#timeline .timeline .toolbar input").focus();
		window.at = document.querySelector("#timeline").getBoundingClientRect().top;
		return true;
	})()`)
	fetched := d.count()
	d.mu.Lock()
	d.finished = true
	d.mu.Unlock()
	for range 20 {
		d.send("refresh", map[string]any{})
	}
	b.Wait(`document.querySelector("#count").textContent !== "Fetched 1 times."`)
	b.Wait(`document.querySelector(".node[data-step=browse]").dataset.state === "done"`)
	// What came with it is drawn, too, also where an element that was there before is in it.
	b.Wait(`document.querySelector("#late .placed .node[data-node=late]") && document.querySelector("#late .cm-editor") && document.querySelector("#later .timeline-row")`)
	if n := d.count() - fetched; n < 1 || n > 2 {
		t.Errorf("20 events fetched the page %d times", n)
	}
	for script, want := range map[string]bool{
		`document.querySelector("#opened").open`:                                                  true,
		`document.querySelector("#name").value === "typed"`:                                       true,
		`document.activeElement === document.querySelector("#timeline .timeline .toolbar input")`: true,
		`Math.abs(at - document.querySelector("#timeline").getBoundingClientRect().top) < 2`:      true,
		`before.graph === document.querySelector("#planner svg")`:                                 true,
		`before.editor === document.querySelector(".split .cm-editor")`:                           true,
		`before.row === document.querySelector("#timeline .timeline-row")`:                        true,
		`document.title.startsWith("Demo 1 ")`:                                                    false,
		`document.querySelectorAll("main").length === 1 && !!document.querySelector("#main")`:     true,
	} {
		if got := browsertest.JS[bool](b, script); got != want {
			t.Errorf("after a refresh %s is %v", script, got)
		}
	}
	b.Quiet()
	// A connection that is lost is made again.
	d.CloseClientConnections()
	<-d.streams
	d.send("step", map[string]any{"step": "fail", "state": "skipped"})
	b.Wait(`document.querySelector(".node[data-step=fail]").dataset.state === "skipped"`)
	b.Said() // the browser tells of the lost connection
	// The end.
	d.mu.Lock()
	d.live = false
	d.mu.Unlock()
	d.send("end", map[string]any{"status": "done"})
	b.Wait(`document.querySelector("#status").textContent === "Ended: done"`)
	if browsertest.JS[bool](b, `document.querySelector("main").hasAttribute("data-events")`) {
		t.Error("the page was not fetched at the end")
	}
	b.Quiet()
}

// TestEndWhileFetched: a page that was asked for before the end is not the last one.
func TestEndWhileFetched(t *testing.T) {
	d := startDemo(t, 10)
	b := browsertest.Start(t)
	b.Do(chromedp.Navigate(d.URL))
	b.Wait(drawn)
	<-d.streams
	asked := d.count()
	d.mu.Lock()
	d.slow = make(chan bool)
	d.mu.Unlock()
	d.send("refresh", map[string]any{})
	for d.count() == asked { // the deadline of the test bounds it
		b.Do(chromedp.Sleep(10 * time.Millisecond))
	}
	d.mu.Lock()
	d.live = false
	d.mu.Unlock()
	d.send("end", map[string]any{"status": "done"})
	<-d.left // the page has heard of it
	close(d.slow)
	b.Wait(`document.querySelector("#status").textContent === "Ended: done"`)
	if browsertest.JS[bool](b, `document.querySelector("main").hasAttribute("data-events")`) {
		t.Error("the page stays as it was before the end")
	}
}

// TestLost tells of a server that is gone.
func TestLost(t *testing.T) {
	d := startDemo(t, 10)
	b := browsertest.Start(t)
	b.Do(chromedp.Navigate(d.URL))
	b.Wait(drawn)
	<-d.streams
	d.CloseClientConnections()
	d.Listener.Close()
	b.Wait(`document.querySelector(".live-message[role=status]").textContent.includes("does not answer")`)
}

func (d *demo) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fetched
}

// TestEditor types: findings go and come, the graph is drawn anew, completions fit their place, the field of the form has
// the text.
func TestEditor(t *testing.T) {
	d := startDemo(t, 10)
	b := browsertest.Start(t)
	b.Look("light", 1200, 900)
	b.Do(chromedp.Navigate(d.URL))
	b.Wait(drawn)
	b.Wait(`document.querySelector(".cm-lintRange-error")?.textContent === "nonsense"`)
	b.Wait(`document.querySelector(".editor-findings .finding")?.textContent.includes("there is no type")`)
	d.mu.Lock()
	if d.tokens[0] != "demo-token" || d.checks[0] != demoFlow {
		t.Errorf("it was checked with the token %q:\n%s", d.tokens[0], d.checks[0])
	}
	d.mu.Unlock()
	b.Do(chromedp.Click(".editor-findings button")) // to its line
	b.Wait(`document.activeElement.classList.contains("cm-content")`)
	complete := func(typed string, want ...string) {
		t.Helper()
		b.Do(chromedp.KeyEvent(typed))
		b.Do(chromedp.KeyEvent(" ", chromedp.KeyModifiers(2))) // Ctrl+Space
		b.Wait(fmt.Sprintf(`[...document.querySelectorAll(".cm-completionLabel")].map(e => e.textContent).join() === %q`, strings.Join(want, ",")))
		// Enter would take it, too, but not at once.
		browsertest.JS[bool](b, `document.querySelector(".cm-tooltip-autocomplete li").dispatchEvent(new MouseEvent("mousedown", {bubbles: true, cancelable: true})) || true`)
		b.Wait(`!document.querySelector(".cm-tooltip-autocomplete")`)
	}
	// In place of "nonsense", what the type of a node can be; below it, what a node can have; at the margin, what a flow can.
	b.Do(chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(8)), chromedp.KeyEvent(kb.Backspace))
	complete("ask", "ask-model")
	b.Wait(`document.querySelectorAll(".editor-findings .finding").length === 0 && document.querySelector(".editor-findings p").textContent.startsWith("Nothing")`)
	b.Do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2))) // a new line
	complete("re", "retries")
	b.Do(chromedp.KeyEvent("3"))
	if got, want := browsertest.JS[string](b, `document.querySelector("#flow").value`), strings.Replace(demoFlow, "type: nonsense\n", "type: ask-model\n    retries: 3\n", 1); got != want {
		t.Errorf("the field has\n%s\nwant\n%s", got, want)
	}
	// A word that is known is explained; the graph follows the text.
	b.Wait(`document.querySelectorAll("#redrawn .node").length === 2`)
	if got := browsertest.JS[bool](b, `(() => { const e = document.querySelector("pflow-editor"); e.value = e.value.replace("  write:", "  other:"); return true; })()`); !got {
		t.Error(got)
	}
	b.Wait(`document.querySelectorAll("#redrawn .node").length === 1`)
	if got := browsertest.JS[bool](b, `document.querySelectorAll(".cm-editor")[1].querySelector(".cm-content").textContent.includes("{{range .errors}}") && document.querySelectorAll(".cm-editor")[1].querySelectorAll(".cm-line span").length > 8`); !got {
		t.Error("the prompt has no colours")
	}
	b.Quiet()
}

// TestTimeline shows 5,000 rows with few elements: filtered, ordered and zoomed by keys.
func TestTimeline(t *testing.T) {
	d := startDemo(t, 5000)
	b := browsertest.Start(t)
	b.Look("light", 1200, 900)
	b.Do(chromedp.Navigate(d.URL))
	b.Wait(drawn)
	b.Wait(`document.querySelectorAll(".timeline-row").length > 10`)
	most := func() {
		t.Helper()
		if n := browsertest.JS[int](b, `document.querySelectorAll("pflow-timeline *").length`); n > 900 {
			t.Errorf("the timeline has %d elements", n)
		}
	}
	most()
	if got := browsertest.JS[string](b, `document.querySelector(".timeline [role=status]").textContent`); !strings.HasPrefix(got, "5000 steps in ") || !strings.HasSuffix(got, ", 52 failed") {
		t.Errorf("it says %q", got)
	}
	b.Screenshot("timeline-5000")
	browsertest.JS[bool](b, `(document.querySelector(".timeline .view").scrollTop = 1e9, true)`)
	b.Wait(`document.querySelector('.timeline-row[aria-posinset="5000"]')`)
	most()
	// The time that is seen goes with the rows in sight, until one chooses another.
	b.Wait(`document.querySelector('.timeline-row[aria-posinset="4990"] .run').getBoundingClientRect().width > 20 && document.querySelector(".timeline [aria-pressed]").ariaPressed === "true"`)
	if used := b.Heap(); used > 50<<20 {
		t.Errorf("the page with 5,000 rows has %d bytes of JavaScript", used)
	} else {
		t.Logf("the page with 5,000 rows has %d bytes of JavaScript", used)
	}
	browsertest.JS[bool](b, `(document.querySelector(".timeline .view").scrollTop = 0, document.querySelector(".timeline .view").focus(), true)`)
	b.Wait(`document.querySelector('.timeline-row[aria-posinset="1"]')`)
	b.Do(chromedp.KeyEvent("0"))
	b.Wait(`document.querySelector(".timeline [aria-pressed]").ariaPressed === "false" && document.querySelector('.timeline-row[aria-posinset="2"] .run').getBoundingClientRect().width < 8`)
	before := browsertest.JS[float64](b, `document.querySelector('.timeline-row[aria-posinset="1"] .run').getBoundingClientRect().width`)
	b.Do(chromedp.KeyEvent("++++++"))
	browsertest.JS[bool](b, `(document.querySelector(".timeline .view").scrollTop = 2500 * 30, true)`)
	b.Wait(fmt.Sprintf(`document.querySelector('.timeline-row[aria-posinset="2510"] .run')?.getBoundingClientRect().width > 8 * %f`, before))
	if browsertest.JS[bool](b, `document.querySelector(".timeline .toolbar button:not([aria-pressed])").hidden`) {
		t.Error("there is no way back to all of the time")
	}
	b.Do(chromedp.KeyEvent("0"))
	b.Wait(`document.querySelector(".timeline .toolbar button:not([aria-pressed])").hidden`)
	browsertest.JS[bool](b, `(() => { const s = document.querySelector(".timeline select"); s.value = "state"; s.dispatchEvent(new Event("change")); document.querySelector(".timeline .view").scrollTop = 0; return true; })()`)
	b.Wait(`document.querySelector('.timeline-row[aria-posinset="1"]')?.dataset.state === "failed"`)
	browsertest.JS[bool](b, `(() => { const s = document.querySelector(".timeline .toolbar input"); s.value = "[4999]"; s.dispatchEvent(new Event("input")); return true; })()`)
	b.Wait(`document.querySelectorAll(".timeline-row").length === 1 && document.querySelector(".timeline-row .name").textContent === "each-issue[4999].summarise"`)
	b.Quiet()
}

// TestKeys goes through a graph by its arrows, and through the page by its shortcuts.
func TestKeys(t *testing.T) {
	d := startDemo(t, 10)
	b := browsertest.Start(t)
	b.Look("light", 600, 900)
	b.Do(chromedp.Navigate(d.URL))
	b.Wait(drawn)
	browsertest.JS[bool](b, `(document.querySelector(".node[data-node=reading]").focus(), true)`)
	b.Do(chromedp.KeyEvent(kb.ArrowDown))
	if got := browsertest.JS[string](b, `document.activeElement.dataset.node`); got != "discover" {
		t.Errorf("the arrow down leads to %q", got)
	}
	width := browsertest.JS[float64](b, `document.activeElement.getBoundingClientRect().width`)
	b.Do(chromedp.KeyEvent("+"))
	if got := browsertest.JS[float64](b, `document.activeElement.getBoundingClientRect().width`); got <= width {
		t.Errorf("+ leaves the width %f at %f", width, got)
	}
	b.Do(chromedp.KeyEvent("0"))
	browsertest.JS[bool](b, `(document.activeElement.blur(), true)`)
	b.Do(chromedp.KeyEvent("?"))
	b.Wait(`document.querySelector("dialog.shortcuts[open]")`)
	b.Screenshot("shortcuts")
	b.Accessible()
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Wait(`!document.querySelector("dialog[open]")`)
	b.Do(chromedp.KeyEvent("/"))
	b.Wait(`document.activeElement.matches("input[type=search]")`)
	b.Do(chromedp.KeyEvent("?"))
	if browsertest.JS[bool](b, `!!document.querySelector("dialog[open]")`) {
		t.Error("a ? in a field opens the help")
	}
	b.Quiet()
	b.Do(chromedp.KeyEvent(kb.Tab))
	browsertest.JS[bool](b, `(document.activeElement.blur(), true)`)
	b.Do(chromedp.KeyEvent("gl"))
	b.Wait(`location.pathname === "/library"`)
}
