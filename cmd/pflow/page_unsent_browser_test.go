//go:build !race

package main

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"pflow/internal/web/assets/browsertest"
)

// TestPageUnsent: who leaves a page is asked about what was typed there and is nowhere else, and about nothing else.
func TestPageUnsent(t *testing.T) {
	p, _, _ := plannerPage(t)
	p.pflow("workflow", "save", writtenFile(t, "greet.yaml", libraryWorkflow), "--yaml")
	b := browsertest.Start(t)
	var leave atomic.Bool
	var asked atomic.Int32 // questions since the page was left last
	answers, answered := b.Answer(func(kind string) bool {
		asked.Add(1) // before the answer, without which no page is left
		if kind != "beforeunload" {
			t.Errorf("the browser asks: %s", kind)
		}
		return leave.Load()
	})
	go answers()
	answer := func(click string) {
		t.Helper()
		select {
		case err := <-answered:
			if err != nil {
				t.Fatal(err)
			}
		case <-b.Context.Done():
			t.Fatalf("nothing is asked of who leaves by %s", click)
		}
	}
	// press needs no place to stand still: what is found in a text moves what is below it.
	press := func(what string) {
		t.Helper()
		b.Do(chromedp.Focus(what), chromedp.KeyEvent(kb.Enter))
	}
	stays := func(click string) {
		t.Helper()
		leave.Store(false)
		press(click)
		answer(click)
	}
	// leaves comes to a page that there alone holds.
	leaves := func(click, there string, times int32) {
		t.Helper()
		leave.Store(true)
		asked.Store(0)
		press(click)
		for range times {
			answer(click)
		}
		b.Arrive(there + ` && document.readyState === "complete"`)
		if asked.Load() != times {
			t.Fatalf("who leaves by %s is asked %d times, not %d", click, asked.Load(), times)
		}
	}
	const runs, onRuns = `header nav a[href="/runs"]`, `location.pathname === "/runs"`
	edit := func(path string, keys ...string) {
		t.Helper()
		b.Do(chromedp.Navigate(p.url + path))
		b.Wait(`document.querySelector("pflow-editor .cm-content")`)
		b.Do(chromedp.Focus(".cm-content"))
		for _, k := range keys {
			b.Do(chromedp.KeyEvent(k))
		}
	}
	b.Look("light", 1440, 900)
	b.Do(chromedp.Navigate(p.open))

	edit("/planner/prompts/metadata.tmpl")
	leaves(runs, onRuns, 0)                                                              // nothing was typed
	edit("/planner/prompts/metadata.tmpl", kb.ArrowDown, kb.ArrowDown, kb.End, " typed") // its description goes on
	stays(runs)
	if !browsertest.JS[bool](b, `document.querySelector("pflow-editor").value.includes("typed")`) {
		t.Error("who stays has not what was typed")
	}
	leaves("#edit button.primary", `document.querySelector(".note[data-severity=ok]")`, 0)
	leaves(runs, onRuns, 0) // it is saved

	// Another form of the page does not take it along; who stays can send that form again.
	edit("/planner/flows/planner-metadata", "# typed")
	stays(`form[action$="/test"] button`)
	b.Wait(`!document.querySelector("form[data-sent]") && !document.querySelector("[aria-busy]")`)
	leaves(runs, onRuns, 1)

	// What the server did not save is nowhere else, whether it is typed on or not.
	for path, save := range map[string]string{"/library/greet/edit": "button[value=save]", "/planner/flows/planner-metadata": "#edit button.primary"} {
		edit(path, "nodez: ")
		leaves(save, `document.querySelector("form[data-unsaved]") && document.querySelector(".editor-findings .finding")`, 0)
		stays(runs)
		leaves(runs, onRuns, 1)
	}

	b.Do(chromedp.Navigate(p.url+"/"), chromedp.SendKeys("#request", "show the 5 largest files here"))
	stays(runs)
	leaves("form.ask button.primary", `location.pathname.startsWith("/plans/")`, 0)

	for _, said := range b.Said() {
		if !strings.Contains(said, "422") { // of what was not saved
			t.Errorf("the browser says: %s", said)
		}
	}
}
