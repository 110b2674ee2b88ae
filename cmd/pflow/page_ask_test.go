//go:build !race

package main

import (
	"html"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// hidden gives the value of a hidden field of a page.
func hidden(t *testing.T, page, name string) string {
	t.Helper()
	m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no field %s:\n%s", name, page)
	}
	return html.UnescapeString(m[1])
}

// planned asks for something and waits for the plan.
func planned(t *testing.T, p *pageServer, fields ...string) pageAnswer {
	t.Helper()
	got := p.post("/", fields...)
	if got.Status != 200 || !strings.HasPrefix(got.Path, "/plans/") {
		t.Fatalf("asking led to %s (%d)\n%s", got.Path, got.Status, got.Body)
	}
	for strings.Contains(got.Body, "<h1>Planning…</h1>") { // the deadline of the test bounds it
		time.Sleep(10 * time.Millisecond)
		got = p.get(got.Path)
	}
	return got
}

// runEnded waits for the end of the run whose page that is.
func runEnded(t *testing.T, p *pageServer, page pageAnswer) pageAnswer {
	t.Helper()
	if !strings.HasPrefix(page.Path, "/runs/") {
		t.Fatalf("it led to %s (%d), not to a run\n%s", page.Path, page.Status, mainOf(page.Body))
	}
	for strings.Contains(page.Body, `data-events=`) {
		time.Sleep(10 * time.Millisecond)
		page = p.get(page.Path)
	}
	return page
}

// pageSays fails the test where a page does not say something.
func pageSays(t *testing.T, page pageAnswer, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(page.Body, want) {
			t.Errorf("%s does not say %q:\n%s", page.Path, want, mainOf(page.Body))
		}
	}
}

// atPage begins a page in a folder of its own, which has these files.
func atPage(t *testing.T, files map[string]string, more ...string) *pageServer {
	t.Helper()
	p := startPage(t, t.TempDir(), more...)
	for name, text := range files {
		if err := os.WriteFile(p.file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// holds fails the test where a file in the folder of the page holds something else.
func (p *pageServer) holds(name, want string) {
	p.t.Helper()
	if got, err := os.ReadFile(p.file(name)); err != nil || string(got) != want {
		p.t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

func TestPageAsk(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"a.txt": "hello\n"})
	pageSays(t, p.get("/"), "For a start", `href="/?request=list%20all`)
	plan := planned(t, p, "request", "copy a.txt to b.txt")
	pageSays(t, plan, "<h1>Ready to run</h1>", `<mark data-n="2" title="source_path">a.txt<sup>2</sup></mark>`, "your words “b.txt”", `id="do-copy-file"`, "Approve and run",
		"<pflow-graph", "no model was asked", "store.read != null")

	// What was typed over it is shown, and not done; what is approved is what was shown.
	typed := p.post(plan.Path+"/apply", "do", "run", "seen", "0", "digest", hidden(t, plan.Body, "digest"), "in.source_path", "a.txt", "in.copy_dest_path", "c.txt")
	pageSays(t, typed, "nothing was done yet", "given by you", "<dd>c.txt</dd>", "Ready to run")
	pageSays(t, p.post(plan.Path+"/apply", "do", "save", "digest", hidden(t, plan.Body, "digest"), "workflow", shoutWorkflow), "nothing was done yet", "read-file", "as you edited it")
	for _, name := range []string{"b.txt", "c.txt"} {
		if _, err := os.Stat(p.file(name)); err == nil {
			t.Fatalf("%s was made", name)
		}
	}
	apply := plan.Path + "/apply"
	pageSays(t, p.post(apply, "do", "run", "seen", "0", "digest", "sha256:"+strings.Repeat("0", 64)), "this plan would run sha256:")
	if got := p.post(apply, "do", "run", "seen", "0", "digest", "plan"); got.Status < 400 {
		t.Errorf("--yes=plan was taken: %d", got.Status)
	}
	if _, err := os.Stat(p.file("b.txt")); err == nil {
		t.Fatal("it ran")
	}
	digest := hidden(t, plan.Body, "digest")
	runEnded(t, p, p.post(apply, "do", "run", "seen", hidden(t, plan.Body, "seen"), "digest", digest))
	p.holds("b.txt", "hello\n")

	// The form, sent once more, runs nothing: what it shows is no more so.
	if err := os.Remove(p.file("b.txt")); err != nil {
		t.Fatal(err)
	}
	pageSays(t, p.post(apply, "do", "run", "seen", "0", "digest", digest), "the plan was carried out meanwhile", "<h1>Approved: what came of it stands below</h1>", "What came of it")
	if _, err := os.Stat(p.file("b.txt")); err == nil {
		t.Error("it ran twice")
	}
	pageSays(t, p.get("/"), "Asked before", "copy a.txt to b.txt", "its run: done")

	// Nothing of no request.
	if got := p.post("/", "request", " \n "); got.Status != 400 || !strings.Contains(got.Body, "The request is empty") {
		t.Errorf("an empty request: %d", got.Status)
	}
	if got := p.post("/", "request", "copy a.txt to b.txt", "flow", "no-such-flow", "stdin", "piped <b>"); got.Status < 400 || !strings.Contains(got.Body, "piped &lt;b&gt;") {
		t.Errorf("an unknown flow: %d, or what was typed is gone\n%s", got.Status, mainOf(got.Body))
	}
}

func TestPagePlanDestroys(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"a.txt": "new\n", "b.txt": "old\n"})
	plan := planned(t, p, "request", "copy a.txt to b.txt")
	pageSays(t, plan, "It destroys what is there:", "I agree that")
	apply, digest := plan.Path+"/apply", hidden(t, plan.Body, "digest")
	pageSays(t, p.post(apply, "do", "run", "seen", "0", "digest", digest, "would_destroy", "true"), "tick the box")
	pageSays(t, p.post(apply, "do", "run", "seen", "0", "digest", digest), "may destroy what is there") // whatever the form leaves out
	p.holds("b.txt", "old\n")
	agreed := regexp.MustCompile(`name="destroys" value="([^"]*)"`).FindStringSubmatch(plan.Body)[1]
	runEnded(t, p, p.post(apply, "do", "run", "seen", "0", "digest", digest, "would_destroy", "true", "destroys", agreed))
	p.holds("b.txt", "new\n")

	// Where what it destroys changed since, the box agreed to something else.
	plan = planned(t, p, "request", "delete the file b.txt")
	agreed = regexp.MustCompile(`name="destroys" value="([^"]*)"`).FindStringSubmatch(plan.Body)[1]
	if err := os.Remove(p.file("b.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", p.file("b.txt")); err != nil {
		t.Fatal(err)
	}
	got := p.post(plan.Path+"/apply", "do", "run", "seen", "0", "digest", hidden(t, plan.Body, "digest"), "would_destroy", "true", "destroys", agreed)
	if strings.HasPrefix(got.Path, "/runs/") {
		got = runEnded(t, p, got)
	}
	p.holds("a.txt", "new\n")
}

// TestPagePlanChanges: what changes in files is shown line by line, and steps that ask for an approval of their own are named.
func TestPagePlanChanges(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"b.txt": "one\ntwo\n"})
	plan := planned(t, p, "request", "replace one with 1 in b.txt")
	pageSays(t, plan, "<del>1  one</del>", "<ins>1  1</ins>")
	asks := p.post(plan.Path+"/edit", "do", "workflow", "workflow", `{"ir_version": "0.1.0", "nodes": [{"id": "sure", "type": "template", "approval": "required", "params": {"template": "x"}}]}`)
	pageSays(t, asks, "ask for an approval of their own", `<span class="mono">sure</span>`)
}

// shoutWorkflow reads a file.
const shoutWorkflow = `{"ir_version": "0.1.0", "inputs": {"source_path": {"type": "string", "required": true}},
	"nodes": [{"id": "r", "type": "read-file", "params": {"file_path": "${source_path}"}}], "outputs": {"text": {"source": "${r.content}", "type": "string"}}}`

func TestPagePlanEdited(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"a.txt": "hello\n"})

	// What is missing is asked for.
	plan := planned(t, p, "request", "copy a.txt")
	pageSays(t, plan, "<h1>It needs to know more</h1>", `name="in.copy_dest_path"`)
	edited := p.post(plan.Path+"/edit", "do", "values", "in.copy_dest_path", "c.txt")
	pageSays(t, edited, "<h1>Ready to run</h1>", "as you edited it", "given by you")
	full := planned(t, p, "request", "copy a.txt to b.txt")
	pageSays(t, p.post(full.Path+"/edit", "do", "values", "in.copy_dest_path", ""), "a value is needed for copy_dest_path")
	if back := p.get(full.Path + "/edit"); back.Path != full.Path {
		t.Errorf("the address of a form's page leads to %s", back.Path)
	}
	runEnded(t, p, p.post(plan.Path+"/apply", "do", "run", "seen", "0", "edit", hidden(t, edited.Body, "edit"), "digest", hidden(t, edited.Body, "digest")))
	p.holds("c.txt", "hello\n")

	// The digest of an edit is of that edit alone.
	plan = planned(t, p, "request", "copy a.txt to d.txt")
	edited = p.post(plan.Path+"/edit", "do", "values", "in.copy_dest_path", "e.txt", "in.source_path", "a.txt")
	pageSays(t, edited, "<s>d.txt</s>", "another value was given", ">a.txt<sup>")
	pageSays(t, p.post(plan.Path+"/apply", "do", "run", "seen", "0", "digest", hidden(t, edited.Body, "digest")), "this plan would run sha256:")
	pageSays(t, p.post(plan.Path+"/apply", "do", "run", "seen", "0", "edit", hidden(t, edited.Body, "edit"), "digest", hidden(t, plan.Body, "digest")), "this plan would run sha256:")

	// A workflow with mistakes is shown again with what is wrong; a right one is another plan, and leaves open what it does no more.
	wrong := p.post(plan.Path+"/edit", "do", "workflow", "workflow", `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "red-file", "params": {}}]}`)
	if wrong.Status != 400 {
		t.Errorf("status %d", wrong.Status)
	}
	pageSays(t, wrong, "red-file", "read-file")
	edited = p.post(plan.Path+"/edit", "do", "workflow", "workflow", shoutWorkflow)
	pageSays(t, edited, "A part is not the whole", "copy-file stood for it and was edited away", "Ready to run, as a part of what you asked for")
	saved := p.post(plan.Path+"/apply", "do", "save", "edit", hidden(t, edited.Body, "edit"), "digest", hidden(t, edited.Body, "digest"))
	if !strings.HasPrefix(saved.Path, "/library/") || saved.Status != 200 {
		t.Errorf("saving led to %s (%d)\n%s", saved.Path, saved.Status, mainOf(saved.Body))
	}
	if got := p.get(plan.Path + "?edit=NONE"); got.Status != 404 {
		t.Errorf("an edit that is none: %d", got.Status)
	}

	declined := p.post(plan.Path + "/decline")
	pageSays(t, declined, "copy a.txt to d.txt")
	if _, err := os.Stat(p.file("d.txt")); err == nil {
		t.Error("it ran")
	}
}

func TestPagePlanScheduled(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"a.txt": "hello\n"})
	plan := planned(t, p, "request", "every weekday at 8 copy a.txt to b.txt")
	pageSays(t, plan, "Ready to be scheduled", "Save and schedule", "Next:")
	got := p.post(plan.Path+"/apply", "do", "schedule", "digest", hidden(t, plan.Body, "digest"))
	if !strings.HasPrefix(got.Path, "/schedules/") || got.Status != 200 {
		t.Fatalf("scheduling led to %s (%d)\n%s", got.Path, got.Status, mainOf(got.Body))
	}
	if _, err := os.Stat(p.file("b.txt")); err == nil {
		t.Error("it ran")
	}
}

func TestPagePlanDeclined(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"a.txt": "hello\n"})
	part := planned(t, p, "request", "read a.txt and resize the picture")
	pageSays(t, part, "Only a part of it can be done", "Nothing does:", `<mark class="open"`, "a model may know how")
	text := html.UnescapeString(regexp.MustCompile(`(?s)<textarea[^>]*name="workflow"[^>]*>\n(.*?)</textarea>`).FindStringSubmatch(part.Body)[1])
	pageSays(t, p.post(part.Path+"/edit", "do", "workflow", "workflow", text), "Ready to run, as a part of what you asked for", "Nothing does:", "resize the picture", "Approve and run")
	pageSays(t, planned(t, p, "request", "paint the house"), "Nothing here does that", "Ask in other words")
	if status, doc := p.api("POST", "/api/v1/plans?wait=true", map[string]any{"request": "copy a.txt to b.txt"}); status != 200 || doc["status"] != "ready" {
		t.Errorf("%d %v", status, doc)
	}
}

// TestPageAskHostile: nothing of a request, of piped text or of a workflow becomes anything but text.
func TestPageAskHostile(t *testing.T) {
	t.Parallel()
	p := atPage(t, nil)
	const document = `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "purpose": "</script><script>alert(1)</script>", "params": {"template": "\"><img src=x onerror=alert(1)>"}}]}`
	for _, request := range []string{evilText, "copy '" + evilText + "' to b.txt", "copy \x1b]0;x\a.txt to \u202egnp.exe", "write the piped text to <img src=x>.txt", "javascript:alert(1)", "write the piped text to \u202egnp.exe"} {
		plan := planned(t, p, "request", request, "stdin", evilText)
		for _, page := range []pageAnswer{plan, p.get("/"), p.get("/?request=" + url.QueryEscape(request)),
			p.post(plan.Path+"/edit", "do", "workflow", "workflow", evilText),
			p.post(plan.Path+"/edit", "do", "workflow", "workflow", document), p.post(plan.Path+"/edit", "do", "values", "in.x", evilText)} {
			unharmed(t, mainOf(page.Body))
		}
	}
}

// TestPageNotThere: a file that a plan reads and that is not there is told of beside the approval.
func TestPageNotThere(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"there.txt": "here"})
	pageSays(t, planned(t, p, "request", "copy gone.txt to b.txt", "flow", "planner-offline"),
		"Not there now:", "<code>gone.txt</code>. The run fails where it wants to read that", "Approve and run")
	if plan := planned(t, p, "request", "copy there.txt to b.txt", "flow", "planner-offline"); strings.Contains(plan.Body, "Not there now") {
		t.Error("what is there is said not to be")
	}
}
