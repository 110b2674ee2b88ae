//go:build !race && unix

package main

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// leads fails where a page links to a workflow of the library that is not there.
func leads(t *testing.T, p *pageServer, page pageAnswer) {
	t.Helper()
	for _, m := range regexp.MustCompile(`href="(/library/[^"#]*)"`).FindAllStringSubmatch(mainOf(page.Body), -1) {
		if got := p.get(html.UnescapeString(m[1])); got.Status != http.StatusOK {
			t.Errorf("%s links to %s: %d\n%s", page.Path, m[1], got.Status, mainOf(page.Body))
		}
	}
}

// TestPageFailedFirst: of a plan whose first run failed no workflow is saved, and no page links to it; what was asked says what came of it,
// also once its run was run again with another value, and that run says that this is not what was asked for.
func TestPageFailedFirst(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"there.txt": "text"})
	plan := planned(t, p, "request", "copy absent.txt to b.txt")
	before := p.get("/")
	if strings.Contains(mainOf(before.Body), "its run") {
		t.Errorf("a run came of a plan that nobody approved:\n%s", mainOf(before.Body))
	}
	ran := runEnded(t, p, p.post(plan.Path+"/apply", "do", "run", "digest", plan.field(t, "digest"), "edit", "", "seen", "0"))
	pageSays(t, ran, "not saved, since its run failed")
	looked := p.post(ran.Path + "/fix")
	looked = p.get(strings.TrimSuffix(looked.Path, "#")) // it may go on still
	for _, page := range []pageAnswer{ran, p.get(plan.Path), p.get("/"), p.get("/runs"), looked} {
		leads(t, p, page)
	}
	pageSays(t, p.get("/"), `<tr data-state="failed">`, `data-state="failed" href="`+ran.Path+`">its run failed</a>`)
	if strings.Contains(ran.Body, "but with") {
		t.Errorf("it is what was asked for:\n%s", mainOf(ran.Body))
	}
	if out := p.pflow("runs", "show", strings.TrimPrefix(ran.Path, "/runs/")); !strings.Contains(out, "(not saved, since its run failed)") {
		t.Errorf("the command does not say that it is not saved:\n%s", out)
	}

	again := runEnded(t, p, p.post(ran.Path+"/retry", "was.source_path", "absent.txt", "input.source_path", "there.txt"))
	p.holds("b.txt", "text")
	pageSays(t, again, "but with <code>source_path</code> = <code>there.txt</code>", `href="/library/`)
	leads(t, p, again)
	pageSays(t, p.get("/"), `data-state="done" href="`+again.Path+`">its run: done</a>`)
	pageSays(t, p.get(plan.Path), `<a href="`+again.Path+`">run again `)
	if failed := p.get(ran.Path); strings.Contains(failed.Body, "not saved") {
		t.Errorf("it is saved now:\n%s", mainOf(failed.Body))
	}
	if out := p.pflow("runs", "show", "last"); !strings.Contains(out, "with another source_path than it says") {
		t.Errorf("the command does not say that the request was another:\n%s", out)
	}
	third := runEnded(t, p, p.post(again.Path+"/retry", "from", "copy-file"))
	pageSays(t, third, "but with <code>source_path</code>")
}

// TestPageEditedPlan: a run of a plan that was approved with another value says so.
func TestPageEditedPlan(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"a.txt": "a", "<b>.txt": "b"})
	plan := planned(t, p, "request", "copy a.txt to c.txt")
	edited := p.post(plan.Path+"/edit", "do", "values", "in.source_path", "<b>.txt", "digest", plan.field(t, "digest"), "edit", "", "seen", "0")
	ran := runEnded(t, p, p.post(plan.Path+"/apply", "do", "run", "digest", edited.field(t, "digest"), "edit", edited.field(t, "edit"), "seen", "0"))
	p.holds("c.txt", "b")
	pageSays(t, ran, "but with <code>source_path</code> = <code>&lt;b&gt;.txt</code>")
}

// TestPageDeleted: no page links to a workflow that was deleted, or to one that was run from a file; what is kept of it can be saved again.
func TestPageDeleted(t *testing.T) {
	t.Parallel()
	const says = `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "params": {"template": "%"}}]}`
	p := atPage(t, map[string]string{"file.json": says})
	for _, name := range []string{"greet", "tells", "stays"} {
		p.workflow(name, strings.Replace(says, "%", name, 1))
	}
	p.workflow("greet", strings.Replace(says, "%", "again", 1))
	p.pflow("run", "greet")
	p.pflow("run", "file.json")
	p.pflow("workflow", "notify", "stays", "--on-failure", "tells", "--yes=schedule")
	p.pflow("schedule", "add", "greet", "--every", "5h", "--as", "mine", "--on-success", "tells", "--yes=schedule")
	p.pflow("workflow", "delete", "greet", "--yes")
	p.pflow("workflow", "delete", "tells", "--yes")

	rows := p.runsOf()
	ofFile, gone := p.get("/runs/"+rows[0].ID), p.get("/runs/"+rows[1].ID)
	pageSays(t, gone, "greet <span class=\"muted\">(saved no more)</span>")
	if strings.Contains(ofFile.Body, "saved no more") {
		t.Errorf("it was never saved:\n%s", mainOf(ofFile.Body))
	}
	for _, page := range []pageAnswer{ofFile, gone, p.get("/library"), p.get("/library/stays"), p.get("/schedules"), p.get("/schedules/mine"), p.get("/schedules/mine/approve"), p.get("/library/greet@1")} {
		leads(t, p, page)
	}
	pageSays(t, p.get("/library/stays"), "tells <span class=\"muted\">(saved no more)</span> is run")
	pageSays(t, p.get("/schedules/mine"), "greet <span class=\"muted\">(saved no more)</span>, version 2", "tells <span class=\"muted\">(saved no more)</span> is run")

	form := p.get("/library/greet@1/edit")
	pageSays(t, form, `value="greet"`, "template")
	back := p.post("/library/_new", "as", "greet", "language", "json", "text", strings.Replace(says, "%", "back", 1), "do", "save")
	if back.Path != "/library/greet" || !strings.Contains(back.Body, "version 3") {
		t.Errorf("it is not saved again: %s %d\n%s", back.Path, back.Status, mainOf(back.Body))
	}
}
