//go:build !race

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/llmtest"
	"pflow/internal/web/assets/browsertest"
)

// wholeWay is somebody at the page from a sentence to a verdict, in one session of a browser.
type wholeWay struct {
	t     *testing.T
	b     *browsertest.Browser
	p     *pageServer
	name  string
	width int64
}

func beginWholeWay(t *testing.T, name string, width int64, p *pageServer) *wholeWay {
	w := &wholeWay{t, browsertest.Start(t), p, name, width}
	w.b.Look("light", width, 900)
	w.b.Do(chromedp.Navigate(p.open))
	w.b.Arrive(`document.readyState === "complete" && document.querySelector("#request")`)
	return w
}

// look holds the page that is there to what every page is held to.
func (w *wholeWay) look(what string) {
	w.t.Helper()
	w.b.Whole(fmt.Sprintf("whole-%s-%d-%s", w.name, w.width, what))
}

// click clicks on what leads to another page, and waits until something is true there.
func (w *wholeWay) click(selector, there string) {
	w.t.Helper()
	browsertest.JS[bool](w.b, `window.left = true`)
	w.b.Do(chromedp.Click(selector))
	w.b.Arrive(`!window.left && document.readyState === "complete" && (` + there + `)`)
}

// open opens the fold whose heading has a text.
func (w *wholeWay) open(summary string) {
	w.t.Helper()
	mark := fmt.Sprintf(`(() => { const s = [...document.querySelectorAll("summary")].find(s => s.checkVisibility({contentVisibilityAuto: true}) && s.textContent.includes(%q)); s?.setAttribute("data-wanted", ""); return !!s; })()`, summary)
	if !browsertest.JS[bool](w.b, mark) {
		w.t.Fatalf("no fold says %q", summary)
	}
	w.b.Do(chromedp.Click(`summary[data-wanted]`))
	w.b.Wait(`document.querySelector("summary[data-wanted]").parentElement.open`)
	browsertest.JS[bool](w.b, `(document.querySelector("summary[data-wanted]").removeAttribute("data-wanted"), true)`)
}

// write puts another text in the place of one in the editor.
func (w *wholeWay) write(old, new string) {
	w.t.Helper()
	typed(w.b, old, new)
	w.b.Wait(fmt.Sprintf(`document.querySelector("pflow-editor").value.includes(%q)`, new))
}

const (
	nothingWrong = `document.querySelector(".editor-findings [role=status]")?.textContent === "Nothing is wrong with it."`
	drawnGraph   = `document.querySelector(".graph-canvas.placed")`
)

// ask types a request, waits for its plan, approves it, and waits for the end of its run.
func (w *wholeWay) ask(request string) {
	w.t.Helper()
	w.b.Do(chromedp.SendKeys("#request", request))
	w.look("1-ask")
	w.click(`form.ask button.primary`, `location.pathname.startsWith("/plans/")`)
	w.b.Wait(`!document.querySelector("main[data-events]") && document.querySelector("#approve button[value=run]") && ` + drawnGraph)
	if n := browsertest.JS[int](w.b, `document.querySelectorAll("p.request mark[data-n]").length`); n == 0 {
		w.t.Error("nothing says what stands for the words of the request")
	}
	if n := browsertest.JS[int](w.b, `document.querySelectorAll('section[aria-labelledby=how] [data-step][data-state=done]').length`); n == 0 {
		w.t.Error("no step of the planner is lit")
	}
}

func (w *wholeWay) approve(file, want string) {
	w.t.Helper()
	w.look("2-plan")
	w.click(`#approve button[value=run]`, `location.pathname.startsWith("/runs/")`)
	w.b.Wait(`!document.querySelector("main[data-events]") && document.querySelector('.page-head .badge[data-state="done"]') && ` + drawnGraph)
	w.p.holds(file, want)
	w.look("3-run")
}

// mistake writes what is wrong, sees that the page says so, and takes it back.
func (w *wholeWay) mistake(right, wrong, says string) {
	w.t.Helper()
	w.b.Wait(nothingWrong)
	w.write(right, wrong)
	w.b.Wait(fmt.Sprintf(`[...document.querySelectorAll(".editor-findings .finding")].some(e => e.textContent.includes(%q))`, says))
	w.look("5-finding")
	w.write(wrong, right)
	w.b.Wait(nothingWrong)
}

// compare checks the experiment that the page offers.
func (w *wholeWay) compare(planner string) {
	w.t.Helper()
	w.click(`a[href^="/experiments/_new?"]`, `document.querySelector("#a")`)
	if got, want := browsertest.JS[string](w.b, `document.querySelector("#a").value + " " + document.querySelector("#b").value`), "shipped:"+planner+" "+planner; got != want {
		w.t.Errorf("the form compares %s, want %s", got, want)
	}
	w.click(`form[action="/experiments/_new"] button`, `document.querySelector("#prepared")`)
	if browsertest.JS[bool](w.b, `!!document.querySelector("#problem")`) {
		w.t.Error("the experiment has a problem")
	}
	w.look("8-experiment")
}

// shows fails the test where the page does not show a text.
func (w *wholeWay) shows(selector string, wanted ...string) {
	w.t.Helper()
	if text := browsertest.JS[string](w.b, fmt.Sprintf(`document.querySelector(%q)?.innerText.replace(/\s+/g, " ") ?? ""`, selector)); !containsAll(text, wanted...) {
		w.t.Errorf("%s shows %q, want all of %q", selector, text, wanted)
	}
}

// TestPageWhole goes the whole way, with a model: ask, approve, watch, change a prompt, replay, compare. Only
// the call whose prompt was changed is asked again.
func TestPageWhole(t *testing.T) {
	script, found := llmtest.Parse("replies.yaml", []byte(strings.Replace(copiesNotes, "    delay: 4s\n", "", 1)+
		"  - {schema: metadata, match: a noun first, json: {name: notes-copy, description: Copies a file to another place., keywords: [copy, file, duplicate]}}\n"))
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	model, err := llmtest.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	p := atPage(t, map[string]string{"notes.txt": "remember\n"}, "OPENAI_BASE_URL="+model.BaseURL(), "OPENAI_API_KEY="+serverKey)
	w := beginWholeWay(t, "model", 1440, p)
	w.ask("copy notes.txt to backup/notes.txt")
	w.open("5 model calls")
	w.open("metadata")
	w.shows(`details.step[open]`, "a verb first", "keep-a-copy")
	w.approve("backup/notes.txt", "remember\n")
	before := len(model.Requests())

	w.click(`header a[href="/planner"]`, `document.querySelector("h1")?.textContent === "Planner"`)
	w.look("4-planner")
	w.click(`a[href="/planner/prompts/metadata.tmpl"]`, nothingWrong)
	w.mistake(".request", ".wish", "wish")
	w.write("a verb first", "a noun first")
	w.b.Wait(nothingWrong)
	w.click(`#edit button.primary`, `document.querySelector(".note[data-severity=ok]")`)
	w.look("6-saved")
	w.click(`button[name=dry]`, `location.pathname.startsWith("/planner/jobs/")`)
	w.b.Wait(`document.querySelector("#foreseen")`)
	w.shows(`#foreseen`, "4 calls answered as recorded", "1 would be asked of a model: metadata")
	if n := len(model.Requests()) - before; n != 0 {
		t.Errorf("what would be asked was asked: %d calls", n)
	}
	w.click(`form[action="/planner/replay"] button`, `location.pathname.startsWith("/planner/jobs/")`)
	w.b.Wait(`document.querySelector("#asked")`)
	w.shows(`#main .split`, "Before", "keep-a-copy", "After", "notes-copy")
	w.look("7-replayed")
	if asked := model.Requests()[before:]; len(asked) != 1 || asked[0].Schema != "metadata" || !strings.Contains(asked[0].Messages[0].Content, "a noun first") {
		t.Errorf("asked again: %+v", asked)
	}
	w.click(`a[href="/planner/prompts/metadata.tmpl"]`, nothingWrong)
	w.compare("planner")
	w.shows(`section[aria-labelledby=prepared]`, "No model is called")
	w.b.Quiet()
	if err := model.Unused(); err != nil {
		t.Error(err)
	}
}

// TestPageWholeOffline goes the same way without a model, in a narrow window, where a number of the flow is changed; its experiment
// runs to the verdict.
func TestPageWholeOffline(t *testing.T) {
	p := atPage(t, map[string]string{"notes.txt": "remember\n"})
	w := beginWholeWay(t, "offline", 360, p)
	w.ask("copy notes.txt to kept.txt")
	w.approve("kept.txt", "remember\n")

	w.click(`header a[href="/planner"]`, `document.querySelector("h1")?.textContent === "Planner"`)
	w.look("4-planner")
	w.click(`a[href="/planner/flows/planner-offline"]`, nothingWrong+` && `+drawnGraph)
	w.mistake("confidence: 0.95", "confidence: 0.9x", "0.9x")
	w.write("confidence: 0.95", "confidence: 0.85")
	w.b.Wait(nothingWrong)
	w.click(`#edit button.primary`, `document.querySelector(".note[data-severity=ok]")`)
	w.look("6-saved")
	w.click(`button[formaction="/planner/replay"]:not([name])`, `location.pathname.startsWith("/planner/jobs/")`)
	w.b.Wait(`document.querySelector("#asked")`)
	w.shows(`#asked`, "0 asked of a model")
	w.shows(`#main .split`, "Before", "After", "planner-offline")
	w.shows(`section[aria-labelledby=flow-h]`, "confidence")
	w.look("7-replayed")
	w.click(`#main a[href="/planner/flows/planner-offline"]`, nothingWrong)
	w.compare("planner-offline")
	w.click(`form[action="/experiments"] button.primary`, `location.pathname.startsWith("/experiments/")`)
	w.b.Wait(`document.querySelector("#verdict") && document.querySelector("h3 .badge")`)
	w.look("9-verdict")
}
