package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sends gives the fields that the form of a page to an address sends by itself, names and values in turn, but for the word by which what
// is sent twice is done once: each post asks anew.
func sends(t *testing.T, body, action string) (fields []string) {
	t.Helper()
	_, form, ok := strings.Cut(body, `action="`+action+`"`)
	if form, _, _ = strings.Cut(form, "</form>"); !ok {
		t.Fatalf("there is no form to %s:\n%s", action, body)
	}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(form, -1) {
		if m[1] != "token" && m[1] != "once" {
			fields = append(fields, html.UnescapeString(m[1]), html.UnescapeString(m[2]))
		}
	}
	return fields
}

// TestPageApprovesWhatWasShown: an approval is of the steps that the page showed. Others wait to be shown, and a form that is sent once
// more, or from an old page, approves none of them.
func TestPageApprovesWhatWasShown(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.txt"), filepath.Join(dir, "second.txt")
	p.workflow("two", `{"ir_version": "0.1.0", "nodes": [
		{"id": "first", "type": "write-file", "approval": "required", "params": {"file_path": "`+first+`", "content": "1"}},
		{"id": "second", "type": "write-file", "approval": "required", "params": {"file_path": "`+second+`", "content": "2"}}], "edges": [{"from": "first", "to": "second"}]}`)
	if code := p.exits("run", "two"); code != exitDeclined {
		t.Fatalf("status %d", code)
	}
	run := "/runs/" + p.runsOf()[0].ID
	approval := sends(t, p.get(run).Body, run+"/resume")
	p.post(run+"/resume", "yes", "sha256:"+strings.Repeat("0", 64)).wants(t, "a digest of something else", 409, "Nothing was done", "nothing was approved", "it waits for first (write-file) now")
	if _, err := os.Stat(first); err == nil {
		t.Fatal("a step ran that nobody approved")
	}
	p.post(run+"/resume", approval...)
	says(t, p.until(run, `:approval" class="mono">second</a>`), "Waits for your approval", second)
	for range 2 { // the form of a page that was shown before says that nothing was done, and does nothing
		p.post(run+"/resume", approval...).wants(t, "an old page", 409, "Nothing was done", "it waits for second (write-file) now", "See how the run is now")
		if _, err := os.Stat(first); err != nil {
			t.Errorf("the step that was approved: %v", err)
		}
		if _, err := os.Stat(second); err == nil {
			t.Fatal("a step ran that nobody was shown")
		}
	}
	p.post(run+"/resume", sends(t, p.get(run).Body, run+"/resume")...)
	p.until(run, `<span class="badge" data-state="done">done</span></div>`)
	if _, err := os.Stat(second); err != nil {
		t.Error(err)
	}

	// What a page showed of a workflow is what it runs, or nothing.
	wrote := filepath.Join(dir, "wrote.txt")
	does := func(content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.home, "workflows", "two.json"), []byte(`{"ir_version": "0.1.0", "nodes": [{"id": "w", "type": "write-file", "params": {"file_path": "`+wrote+`", "content": "`+content+`"}}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	does("harmless")
	run = "/library/two/run"
	shown := sends(t, p.get(run).Body, run)
	scheduled := append(sends(t, p.post("/schedules/_new", "workflow", "two", "when", "every", "every", "6h", "do", "show").Body, "/schedules/_new"), "every", "6h", "do", "approve")
	does("something else")
	p.post(run, shown...).wants(t, "a workflow that was changed since", 409, "Nothing was run")
	p.post("/schedules/_new", scheduled...).wants(t, "a schedule of it", 409, "not what was shown")
	p.workflow("drop", `{"ir_version": "0.1.0", "inputs": {"what": {"type": "string", "required": true}}, "nodes": [{"id": "d", "type": "shell", "params": {"command": "rm -f ${what}"}}]}`)
	run = "/library/drop/run"
	asked := p.post(run, "in.what", first)
	agreed := append(sends(t, asked.Body, run), "destroys", asked.field(t, "destroys"))
	p.post(run, append(agreed, "in.what", second)...).wants(t, "an approval of what destroys another", 409, "Nothing was run")
	if _, err := os.Stat(second); err != nil {
		t.Error(err)
	}

	// Who agrees to what a run destroys approves no step that wants approval.
	kept := filepath.Join(dir, "kept.txt")
	p.workflow("both", `{"ir_version": "0.1.0", "nodes": [{"id": "d", "type": "shell", "params": {"command": "rm -f `+first+`"}},
		{"id": "w", "type": "write-file", "approval": "required", "params": {"file_path": "`+kept+`", "content": "x"}}], "edges": [{"from": "d", "to": "w"}]}`)
	run = "/library/both/run"
	asked = p.post(run)
	got := p.post(run, append(sends(t, asked.Body, run), "destroys", asked.field(t, "destroys"))...)
	says(t, p.until(got.Path, "Waits for your approval"), kept)
	if _, err := os.Stat(first); err == nil {
		t.Error("what was agreed to did not run")
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("a step ran that nobody approved")
	}

	// What is shown reads as it runs: nothing turns it round.
	p.workflow("turned", "{\"ir_version\": \"0.1.0\", \"nodes\": [{\"id\": \"t\", \"type\": \"shell\", \"params\": {\"command\": \"echo \u202eterces tac\"}}]}")
	for _, body := range []string{p.post("/library/turned/dry-run").Body, p.get("/library/turned").Body} {
		if says(t, body, `\u202eterces tac`); strings.ContainsRune(body, '\u202e') {
			t.Errorf("what is shown is turned round:\n%s", body)
		}
	}

	if code := p.exits("resume", "last", "--only", "second"); code != exitUsage {
		t.Errorf("--only without --yes: status %d", code)
	}
}

// TestPageApprovalIsShown: what a step that waits would do stands where it is approved, whatever it says, but for secrets; long values are
// cut, and a link leads to the whole.
func TestPageApprovalIsShown(t *testing.T) {
	const secret = "hunter2-hunter2"
	t.Setenv("THE_TOKEN", secret)
	p := startPage(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "page.html")
	long := strings.Repeat("long ", 400)
	p.workflow("hostile", `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "secret": true, "from_env": "THE_TOKEN", "required": true}}, "nodes": [
		{"id": "draft", "type": "template", "params": {"template": "<script>alert(1)</script>\"><img src=x onerror=alert(2)> \u202etxt.exe"}},
		{"id": "publish", "type": "write-file", "approval": "required", "params": {"file_path": "`+file+`", "content": "${draft.text}"}},
		{"id": "tell", "type": "http", "approval": "required", "params": {"url": "http://127.0.0.1:9/javascript:alert(3)", "method": "POST", "headers": {"Authorization": "Bearer ${token}"}, "body": "`+long+`"}}],
		"start_node": ["draft", "tell"], "edges": [{"from": "draft", "to": "publish"}]}`)
	if code := p.exits("run", "hostile"); code != exitDeclined {
		t.Fatalf("status %d", code)
	}
	id := p.runsOf()[0].ID
	run := "/runs/" + id
	answer := p.get(run)
	answer.wants(t, "the page of the approval", 200, "Waits for your approval", "&lt;script&gt;alert(1)&lt;/script&gt;", "txt.exe", file, "http://127.0.0.1:9/javascript:alert(3)", "THE_TOKEN",
		"kB in all", run+`/steps/tell:approval?whole=true">show the whole</a>`, "Approve all of it and go on", `name="only" value="publish"`)
	for _, never := range []string{secret, "<script>alert", "<img", "\u202e"} {
		if strings.Contains(answer.Body, never) {
			t.Errorf("the page of the approval has %q\n%s", never, mainOf(answer.Body))
		}
	}
	says(t, p.get(run+"/steps/tell:approval?whole=true").Body, long)

	// One of two is approved; then the page that showed both approves nothing any more.
	form := sends(t, answer.Body, run+"/resume")
	p.post(run+"/resume", append(form, "only", "publish")...)
	says(t, p.until(run, "Approve and go on"), ">tell</a>")
	if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), "<script>alert(1)") {
		t.Errorf("%q, %v", data, err)
	}
	p.post(run+"/resume", form...).wants(t, "a page of both", 409, "it waits for tell (http) now")

	// It was answered elsewhere: the form of the page does nothing.
	form = sends(t, p.get(run).Body, run+"/resume")
	if code := p.exits("runs", "cancel", id); code != exitDone {
		t.Fatalf("status %d", code)
	}
	p.post(run+"/resume", form...).wants(t, "a run that was given up", 409, "it waits for nothing now")
}
