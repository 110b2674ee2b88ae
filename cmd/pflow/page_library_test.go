//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostileText is what would run, or turn the text around, if a page wrote it as it is.
const hostileText = `</textarea></script><script>alert(1)</script>"><img src=x onerror=alert(1)>` + "\u202e"

// libraryWorkflow is a workflow with a value of each type, a secret, and hostileText texts.
var libraryWorkflow = `description: ` + quotedYAML("Greets "+hostileText) + `
keywords: [hello, ` + quotedYAML(hostileText) + `]
ir:
  ir_version: 0.1.0
  inputs:
    name: {type: string, default: World, description: ` + quotedYAML(hostileText) + `}
    times: {type: integer, required: true}
    tags: {type: array, default: [a, "` + `</script>` + `"]}
    loud: {type: boolean, default: false}
    key: {type: string, secret: true, from_env: GREET_KEY}
  nodes:
    - {id: say, type: template, purpose: ` + quotedYAML(hostileText) + `, params: {template: "Hello, ${name}: ${times}, ${loud}, ${tags}, ${key}"}}
  outputs:
    text: {source: "${say.text}", type: string}
`

func quotedYAML(s string) string { return `'` + strings.ReplaceAll(s, `'`, `''`) + `'` }

// writtenFile writes a file into a folder of the test.
func writtenFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPageLibrary(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := startPage(t, home, "GREET_KEY=k-1234567890")
	p.get("/library").wants(t, "an empty library", 200, "No workflows are saved yet", `href="/library/_new"`)
	p.pflow("workflow", "save", writtenFile(t, "greet.yaml", libraryWorkflow), "--yaml")
	for n := range 60 {
		p.pflow("workflow", "save", writtenFile(t, fmt.Sprintf("other-%02d.json", n), `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "params": {"template": "x"}}]}`))
	}
	if err := os.WriteFile(filepath.Join(home, "workflows", "cut.json"), []byte(`{"ir":`), 0o600); err != nil {
		t.Fatal(err)
	}
	first := p.get("/library")
	first.wants(t, "the library", 200, "61 saved workflows", `href="/library/greet"`, "other-48", "1 warning about files", "cut.json", `href="/library?after=other-48"`)
	if strings.Contains(first.Body, "other-49") {
		t.Error("the first page has more than 50 workflows")
	}
	p.get("/library?after=other-48").wants(t, "the second page", 200, "other-59")
	found := p.get("/library?match=greets+script")
	found.wants(t, "a search", 200, "1 found", `href="/library/greet"`)
	p.get("/library?match=%3Cscript%3Ealert(1)%3C/script%3E+zebra").wants(t, "a search without success", 200, "Nothing has all of these words")
	p.get("/library/_nodes").wants(t, "the components", 200, `href="/library/_nodes/http"`)
	p.get("/library/_nodes?words=copy+a+file").wants(t, "a search of components", 200, "copy-file")
	p.get("/library/_nodes/write-file").wants(t, "a component", 200, "file_path", "required")
	p.get("/library/_nodes/no-such").wants(t, "an unknown component", 404, "there is no node type", `href="/library/_nodes"`)

	p.pflow("workflow", "save", writtenFile(t, "nodes.json", `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "params": {"template": "x"}}]}`))
	p.get("/library/nodes").wants(t, "a workflow that is called nodes", 200, `action="/library/nodes/delete"`)

	shown := p.get("/library/greet")
	shown.wants(t, "a workflow", 200, "<pflow-graph", "Greets &lt;/textarea&gt;", "GREET_KEY", "default <code>World</code>", "It has not run.", "make one of a run")
	p.get("/library/no-such").wants(t, "an unknown workflow", 404, "there is no saved workflow")
	p.get("/library/greet/no-such").wants(t, "an unknown part", 404, "no such page")
	p.get("/library/..%2f..%2fetc").wants(t, "a name that is a path", 404)

	// The form, wrong inputs, a dry run, a run.
	form := p.get("/library/greet/run")
	form.wants(t, "the form", 200, `name="in.times"`, `name="in.loud"`, "GREET_KEY")
	if strings.Contains(form.Body, `name="in.key"`) || strings.Contains(form.Body, "k-1234567890") {
		t.Error("the form has a field for a secret, or the secret")
	}
	given := []string{"in.name", hostileText, "in.times", "3", "in.tags", `["x", "</script>"]`, "in.loud", "true"}
	p.post("/library/greet/run", "in.times", "many").wants(t, "a wrong input", 422, "times")
	p.post("/library/greet/run").wants(t, "a missing input", 422, "It needs a value for <a href=\"#in-", `aria-invalid="true"`, "A value is needed.")
	p.post("/library/greet/dry-run", given...).wants(t, "a dry run", 200, "What the run would do", "template", "&lt;/script&gt;")
	ran := p.post("/library/greet/run", given...)
	if !strings.HasPrefix(ran.Path, "/runs/") {
		t.Fatalf("a run leads to %s\n%s", ran.Path, mainOf(ran.Body))
	}
	id := strings.TrimPrefix(ran.Path, "/runs/")
	waitRun(t, p, id)
	for counted := false; !counted; { // what came of it is noted with the workflow after its journal ended
		_, listed := p.api("GET", "/api/v1/workflows?match=greet", nil)
		runs, _ := listed["workflows"].([]any)[0].(map[string]any)["runs"].(map[string]any)
		counted = runs["last"] != nil
	}
	p.get("/library/greet").wants(t, "a workflow that ran", 200, "/runs/"+id, "1 done, 0 failed")
	p.pflow("workflow", "edit", "greet", writtenFile(t, "greet.yaml", strings.Replace(libraryWorkflow, "keywords: [hello", "keywords: [hello, salute", 1)))
	p.get("/library/greet").wants(t, "another version of the same steps", 200, "version 2", "1 done, 0 failed <span class=\"muted\">with those of greet@1, of the same steps;</span>")
	p.pflow("workflow", "edit", "greet", writtenFile(t, "greet.yaml", strings.Replace(libraryWorkflow, "Hello, ", "Dear ", 1)))
	p.get("/library/greet").wants(t, "a version that never ran", 200, "version 3", "no runs")

	// Tests.
	p.get("/library/greet/tests").wants(t, "no tests", 200, "It has no tests yet", id)
	p.post("/library/greet/tests", "run", id).wants(t, "a test of a run", 200, "What stands in them", "as in run")
	p.post("/library/greet/tests", "run", id).wants(t, "a test that is there", 400, "is there already")
	tested := p.post("/library/greet/test")
	for strings.Contains(tested.Body, "The tests run;") {
		tested = p.get(tested.Path)
	}
	tested.wants(t, "the tests", 200, "1 passed, 0 failed")
}

// waitRun waits for the end of a run, as the page does.
func waitRun(t *testing.T, p *pageServer, id string) {
	t.Helper()
	for {
		status, run := p.api("GET", "/api/v1/runs/"+id, nil)
		if status == 200 && run["status"] != "running" {
			return
		}
	}
}

func TestPageLibraryEdit(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	start := p.get("/library/_new?name=letter")
	start.wants(t, "a new workflow", 200, "pflow-editor", "name: letter", `check="/api/v1/workflow-check/yaml"`)
	status, template := p.api("GET", "/api/v1/workflow-template?name=letter", nil)
	text, _ := template["text"].(string)
	if status != 200 || !strings.Contains(text, "# A workflow") {
		t.Fatalf("%d: %v", status, template)
	}
	p.post("/library/_new", "as", "letter", "language", "yaml", "text", strings.Replace(text, "type: template", "type: templat", 1)).
		wants(t, "a new workflow with an error", 422, "templat", "Did you mean", "line ")
	p.post("/library/_new", "as", "Not A Name", "language", "yaml", "text", text).wants(t, "a name that is none", 422, "no such name")
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	saved := p.post("/library/_new", "as", "letter", "language", "yaml", "text", crlf)
	saved.wants(t, "a workflow that was saved", 200, "letter", "version 1")
	if got := p.pflow("workflow", "show", "letter", "--text"); got != text {
		t.Errorf("what was saved is not what was typed:\n%s", got)
	}
	p.post("/library/_new", "as", "letter", "language", "yaml", "text", text).wants(t, "a name that is taken", 422, "letter", "Nothing was saved")

	// Two people edit it at a time: the second sees what the first did, and nothing is lost.
	mine, theirs := p.get("/library/letter/edit"), p.get("/library/letter/edit")
	base := mine.field(t, "base")
	if base != theirs.field(t, "base") {
		t.Error("the same text has two revisions")
	}
	edit := func(base, from, to string) pageAnswer {
		return p.post("/library/letter/edit", "do", "save", "language", "yaml", "base", base, "text", strings.Replace(text, from, to, 1))
	}
	edit(base, "Hello, ", "Dear ").wants(t, "the first edit", 200, "version 2")
	again := edit(base, "Hello, ", "Salve "+strings.ReplaceAll(hostileText, `"`, "'")+" ")
	again.wants(t, "the second edit", 409, "somebody changed the workflow meanwhile", "nodes.say.params.template", "Salve", "Dear")
	if got := p.pflow("workflow", "show", "letter", "--text"); !strings.Contains(got, "Dear ") {
		t.Errorf("the first edit is gone:\n%s", got)
	}
	edit(again.field(t, "base"), "Hello, ", "Salve ").wants(t, "the second edit, once it was seen", 200, "version 3")
	if got := p.pflow("workflow", "show", "letter@2", "--text"); !strings.Contains(got, "Dear ") {
		t.Errorf("version 2 is not what the first edit was:\n%s", got)
	}
	edit("1-x", "ir:", "ir: [").wants(t, "a text that is no YAML", 422, "line ")
	p.get("/library/letter/versions").wants(t, "the versions", 200, "letter@1", "How letter@3 differs from letter@2", "Salve")
	p.get("/library/letter/versions?from=letter@1&to=letter@2").wants(t, "two versions", 200, "How letter@2 differs from letter@1")
	p.get("/library/letter@1").wants(t, "a version", 200, "This is an earlier version")
	p.get("/library/letter@1/edit").wants(t, "a version to be the next one", 200, "Hello, ")

	offered := p.get("/library/_options?workflow=letter")
	offered.wants(t, "what can be typed", 200, `{"label":"write-file","detail":"writes","info":`, `"under":"ir.nodes.type"`, `"label":"name","detail":"input, string"`, `"label":"say","detail":"node, template"`)
	p.get("/library/_options?workflow=no-such").wants(t, "what can be typed of an unknown workflow", 200, "write-file")

	// A workflow that is kept as JSON is edited as JSON, and stays JSON.
	p.pflow("workflow", "save", writtenFile(t, "plain.json", `{"ir_version": "0.1.0", "nodes": [{"id": "say", "type": "template", "params": {"template": "plain"}}]}`))
	plain := p.get("/library/plain/edit")
	plain.wants(t, "a workflow in JSON", 200, `<pflow-editor language="json"`, `check="/api/v1/workflow-check/json"`)
	document := p.pflow("workflow", "show", "plain", "--text")
	p.post("/library/plain/edit", "do", "save", "language", "json", "base", plain.field(t, "base"), "text", strings.Replace(document, `"plain"`, `"plainer"`, 1)).wants(t, "an edit in JSON", 200, "version 2")
	if got := p.pflow("workflow", "show", "plain", "--text"); got != strings.Replace(document, `"plain"`, `"plainer"`, 1) {
		t.Errorf("what was saved is not what was typed:\n%s", got)
	}
	p.post("/library/plain/edit", "do", "check", "language", "json", "base", "1-x", "text", "{").wants(t, "a text that is cut", 422, "text ends too early")

	p.post("/library/letter/rename", "to", "No Name").wants(t, "a new name that is none", 400, "no name for a workflow")
	p.post("/library/letter/rename", "to", "brief").wants(t, "another name", 200, "brief")
	p.post("/library/brief/delete").wants(t, "a delete that was not meant", 400, "nothing was deleted")
	p.post("/library/brief/delete", "sure", "yes").wants(t, "a delete", 200, "There is no workflow brief now", "brief@3")
	p.get("/library/brief").wants(t, "a deleted workflow", 404, "brief@1")
	p.get("/library/brief@1").wants(t, "a version of it", 200, "Hello, ")
}

// TestPageDestroys: what a run destroys is agreed to by its own words, or nothing is run.
func TestPageDestroys(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	dir := p.dir
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("here"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.pflow("workflow", "save", writtenFile(t, "drop.json", `{"ir_version": "0.1.0", "inputs": {"file": {"type": "string", "required": true}},
		"nodes": [{"id": "d", "type": "delete-file", "params": {"file_path": "${file}", "confirm_delete": true}}]}`))
	asked := p.post("/library/drop/run", "in.file", "a.txt")
	asked.wants(t, "a run that destroys", 409, "destroys what is there", "a.txt")
	p.post("/library/drop/run", "in.file", "a.txt", "destroys", "something else").wants(t, "an approval of something else", 409, "Nothing was run")
	if _, err := os.Stat(file); err != nil {
		t.Fatal("the file is gone, and nobody agreed")
	}
	ran := p.post("/library/drop/run", "in.file", "a.txt", "destroys", asked.field(t, "destroys"), "shown", asked.field(t, "shown"))
	if !strings.HasPrefix(ran.Path, "/runs/") {
		t.Fatalf("it leads to %s\n%s", ran.Path, mainOf(ran.Body))
	}
	waitRun(t, p, strings.TrimPrefix(ran.Path, "/runs/"))
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is there still: %v", err)
	}

	// Who is told of the runs of a workflow is approved as it was shown.
	p.pflow("workflow", "save", writtenFile(t, "log.json", `{"ir_version": "0.1.0", "nodes": [{"id": "d", "type": "delete-file", "params": {"file_path": "old.log", "confirm_delete": true}}]}`))
	if err := os.WriteFile(filepath.Join(dir, "old.log"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.get("/library/drop/notify").wants(t, "who is told", 200, `name="on_failure"`)
	p.post("/library/drop/notify", "on_failure", "no-such").wants(t, "an unknown workflow", 422, "there is no saved workflow")
	told := p.post("/library/drop/notify", "on_failure", "log")
	told.wants(t, "who would be told", 200, "This is what would run", "old.log", `name="destroys"`)
	var agreed []string
	for _, m := range regexp.MustCompile(`name="(shown|destroys)" value="([^"]*)"`).FindAllStringSubmatch(told.Body, -1) {
		agreed = append(agreed, m[1], html.UnescapeString(m[2]))
	}
	p.post("/library/drop/notify", "on_failure", "log", "do", "approve").wants(t, "what was not shown", 409, "not what was shown")
	p.post("/library/drop/notify", append([]string{"on_failure", "log", "do", "approve"}, agreed...)...).wants(t, "who is told", 200, "When a run failed", `href="/library/log"`)
	p.get("/library/log").wants(t, "what tells", 200, "tells of the runs of drop")
	p.post("/library/drop/notify", "on_failure", "").wants(t, "nobody is told", 200, "nobody")

	// A schedule for files that arrive, which it deletes.
	if err := os.Mkdir(filepath.Join(dir, "inbox"), 0o700); err != nil {
		t.Fatal(err)
	}
	given := []string{"workflow", "drop", "when", "watch", "watch", "inbox/*.csv", "input", "file"}
	p.get("/schedules/_new?workflow=drop&when=watch").wants(t, "the form of a folder", 200, `name="watch"`, "<option>file</option>")
	p.post("/schedules/_new", "workflow", "drop", "when", "watch", "watch", "nowhere/*.csv", "input", "no-such").wants(t, "an input that there is not", 422, "no input")
	shown := p.post("/schedules/_new", given...)
	shown.wants(t, "what would run", 200, "This is what would run", "the file that arrives", "It destroys what is there, each time")
	given = append(given, "do", "approve", "words", shown.field(t, "words"), "ran", "drop", "version", "1", "digest", shown.field(t, "digest"))
	p.post("/schedules/_new", given...).wants(t, "an approval without what it destroys", 409, "It destroys what is there")
	p.post("/schedules/_new", append(given, "destroys", shown.field(t, "destroys"))...).wants(t, "an approval of all", 200, "drop", "Run now for a file")
}

func TestPageSchedules(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir(), "GREET_KEY=k-1234567890")
	p.get("/schedules").wants(t, "no schedules", 200, "Nothing runs by itself yet")
	p.pflow("workflow", "save", writtenFile(t, "greet.yaml", libraryWorkflow), "--yaml")
	p.get("/schedules/_new?workflow=greet").wants(t, "the form", 200, `name="cron"`, `name="in.times"`)
	p.get("/schedules/_new").wants(t, "no workflow", 400, "no workflow is named")
	given := []string{"workflow", "greet", "when", "cron", "cron", "0 8 * * 1-5", "timezone", "Europe/Berlin", "as", "morning", "in.times", "2", "in.name", hostileText}
	p.post("/schedules/_new", "workflow", "greet", "when", "cron", "cron", "0 8", "in.times", "2").wants(t, "a cron that is none", 422, "has 2 fields")
	p.post("/schedules/_new", "workflow", "greet", "when", "cron", "cron", "", "in.times", "2").wants(t, "no time", 422, "“Times”: say when it runs", `name="in.times" inputmode="numeric" autocomplete="off" value="2"`)
	wrong := p.post("/schedules/_new", "workflow", "greet", "when", "cron", "cron", "99 8 * * 1-5", "timezone", "Europe/Berlin", "in.times", "2", "in.name", "Ann")
	wrong.wants(t, "a minute that is none", 422, "“Times”: &#34;99 8 * * 1-5&#34; is no cron expression: 99 is no minute", `aria-invalid="true"`, `value="99 8 * * 1-5"`, `value="Europe/Berlin"`, "Ann")
	p.post("/schedules/_new", "workflow", "greet", "when", "every", "every", "often", "in.times", "2").wants(t, "an interval that is none", 422, "“Interval”: ", `value="often"`)
	p.post("/schedules/_new", "workflow", "greet", "when", "cron", "cron", "0 8 * * *", "timezone", "Mars/Base", "in.times", "2").wants(t, "a zone that is none", 422, "“Time zone”: ", `value="Mars/Base"`)
	p.post("/schedules/_new", "workflow", "greet", "when", "every", "every", "1h").wants(t, "a missing input", 422, `aria-invalid="true"`, "It needs a value for")
	shown := p.post("/schedules/_new", given...)
	shown.wants(t, "what would run", 200, "This is what would run", "every weekday at 08:00 (Europe/Berlin)", "Next times")
	if got := strings.Count(shown.Body[strings.Index(shown.Body, "Next times"):strings.Index(shown.Body, "<dt>With")], "<li>"); got != 5 {
		t.Errorf("%d next times are shown, want 5", got)
	}
	p.get("/schedules").wants(t, "what was shown is not kept", 200, "Nothing runs by itself yet")
	agreed := append(given, "do", "approve", "ran", "greet", "version", shown.field(t, "version"), "digest", shown.field(t, "digest"))
	p.post("/schedules/_new", append(agreed, "words", "every day")...).wants(t, "an approval of something else", 409, "not what was shown")
	p.post("/schedules/_new", append(agreed, "words", shown.field(t, "words"))...).wants(t, "a schedule", 200, "morning", "active", "It has not run yet")
	p.get("/library").wants(t, "the library", 200, `href="/schedules/morning"`)
	p.get("/library/greet").wants(t, "its workflow", 200, "the schedule <a")

	p.post("/schedules/morning/pause").wants(t, "paused", 200, "paused", "Resume")
	p.post("/schedules/morning/resume").wants(t, "resumed", 200, "active")
	ran := p.post("/schedules/morning/run")
	if !strings.HasPrefix(ran.Path, "/runs/") {
		t.Fatalf("it leads to %s\n%s", ran.Path, mainOf(ran.Body))
	}
	id := strings.TrimPrefix(ran.Path, "/runs/")
	waitRun(t, p, id)
	for ended := false; !ended; {
		_, one := p.api("GET", "/api/v1/schedules/morning", nil)
		ended = one["last"] != nil
	}
	p.get("/schedules/morning").wants(t, "what it ran", 200, "/runs/"+id)

	// Its workflow is changed: it waits until somebody has seen what changed.
	p.pflow("workflow", "edit", "greet", writtenFile(t, "greet.yaml", strings.Replace(libraryWorkflow, "Hello, ", "Dear ", 1)))
	p.get("/schedules").wants(t, "the list", 200, "morning waits for you", "was changed since this was approved")
	p.post("/schedules/morning/resume").wants(t, "without looking", 409, "What changed since version 1")
	look := p.get("/schedules/morning/approve")
	look.wants(t, "what changed", 200, "nodes.say.params.template", "Dear", "version 2")
	p.post("/schedules/morning/resume", "do", "approve", "words", look.field(t, "words"), "ran", "greet", "version", look.field(t, "version"), "digest", look.field(t, "digest")).wants(t, "approved again", 200, "active")

	p.post("/schedules/morning/remove").wants(t, "a removal that was not meant", 400, "nothing was removed")
	p.post("/schedules/morning/remove", "sure", "yes").wants(t, "removed", 200, "Nothing runs by itself yet")
	p.get("/schedules/morning").wants(t, "gone", 404, "there is no schedule")
}

// TestPageScheduleDestroys: a schedule that was approved when there was nothing to destroy is refused when there is, and what it would
// destroy is shown and agreed to on its page.
func TestPageScheduleDestroys(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "one")
	p.pflow("workflow", "save", writtenFile(t, "keep.json", `{"ir_version": "0.1.0", "nodes": [{"id": "c", "type": "copy-file", "params": {"source_path": "a.txt", "dest_path": "b.txt"}}]}`))
	given := []string{"workflow", "keep", "when", "every", "every", "6h"}
	shown := p.post("/schedules/_new", given...)
	if strings.Contains(shown.Body, `name="destroys"`) {
		t.Error("it destroys what is not there")
	}
	p.post("/schedules/_new", append(given, "do", "approve", "words", shown.field(t, "words"), "ran", "keep", "version", "1", "digest", shown.field(t, "digest"))...).wants(t, "a schedule", 200, "active")
	run := func() {
		t.Helper()
		ran := p.post("/schedules/keep/run")
		if !strings.HasPrefix(ran.Path, "/runs/") {
			t.Fatalf("it leads to %s\n%s", ran.Path, mainOf(ran.Body))
		}
		waitRun(t, p, strings.TrimPrefix(ran.Path, "/runs/"))
		for busy := true; busy; { // the run is noted with the schedule after its journal ended
			_, one := p.api("GET", "/api/v1/schedules/keep", nil)
			busy = one["status"] == "running" || len(one["running"].([]any)) > 0
		}
	}
	run()
	write("b.txt", "somebody's own")

	p.get("/schedules/keep").wants(t, "what would be refused", 200, "will be refused as things are", `href="/schedules/keep/approve"`, "c (copy-file: ")
	refused := p.post("/schedules/keep/run")
	refused.wants(t, "a run that is refused", 409, "It was not run: c (copy-file: ", "May keep destroy what is there?", `name="destroys"`)
	if main := mainOf(refused.Body); strings.Contains(main, "--yes") {
		t.Errorf("it says what to type at a terminal:\n%s", main)
	}
	p.post("/schedules/keep/pause").wants(t, "paused", 200, "paused")
	resumed := p.post("/schedules/keep/resume")
	resumed.wants(t, "a resume that would be refused later", 409, "It destroys what is there, each time", "Resume without that")
	p.post("/schedules/keep/resume", "do", "as-it-was").wants(t, "resumed as it was", 200, "active", "will be refused as things are")

	look := p.get("/schedules/keep/approve")
	agreed := []string{"do", "approve", "words", look.field(t, "words"), "ran", "keep", "version", "1", "digest", look.field(t, "digest")}
	p.post("/schedules/keep/resume", agreed...).wants(t, "an approval without what it destroys", 409, "It destroys what is there. See what, and agree to it.")
	approved := p.post("/schedules/keep/resume", append(agreed, "destroys", look.field(t, "destroys"))...)
	approved.wants(t, "an approval of all", 200, "active", "approved, each time")
	if strings.Contains(approved.Body, "will be refused") {
		t.Error("what was approved will be refused")
	}
	run()
	if got, err := os.ReadFile(filepath.Join(p.dir, "b.txt")); err != nil || string(got) != "one" {
		t.Errorf("b.txt is %q, %v", got, err)
	}
	p.get("/schedules/keep").wants(t, "what was approved", 200, "what is there: ", "approved, each time")
}

// TestPageLibraryAPI: the calls of the library give what the commands print, and what is wrong has its status.
func TestPageLibraryAPI(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir(), "GREET_KEY=k-1234567890")
	call := func(status int, method, path string, body any) map[string]any {
		t.Helper()
		got, document := p.api(method, "/api/v1"+path, body)
		if got != status {
			t.Errorf("%s %s: status %d, want %d: %v", method, path, got, status, document)
		}
		return document
	}
	same := func(path string, command ...string) {
		t.Helper()
		var want map[string]any
		if err := json.Unmarshal([]byte(p.pflow(append(command, "--json")...)), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, call(200, "GET", path, nil)); diff != "" {
			t.Errorf("%s is not what pflow %s prints:\n%s", path, strings.Join(command, " "), diff)
		}
	}
	type body = map[string]any
	call(200, "POST", "/workflows", body{"name": "greet", "yaml": libraryWorkflow, "keep": true})
	call(409, "POST", "/workflows", body{"name": "greet", "yaml": libraryWorkflow})
	call(400, "POST", "/workflows", body{"name": "../greet", "yaml": libraryWorkflow})
	call(400, "POST", "/workflows", body{"name": "-x", "yaml": libraryWorkflow})
	call(400, "POST", "/workflows", body{"name": "bad", "yaml": "ir: ["})
	call(400, "POST", "/workflows", body{"name": "bad", "run": "x"})
	same("/workflows", "workflow", "list")
	same("/workflows?match=hello&limit=1", "workflow", "list", "--match", "hello", "--limit", "1")
	same("/workflows/greet", "workflow", "show", "greet")
	same("/nodes", "node", "list")
	same("/node-search?words=copy+a+file", "node", "search", "copy a file")
	same("/nodes/http", "node", "show", "http")

	shown := call(200, "GET", "/workflows/greet", nil)
	edited := strings.Replace(libraryWorkflow, "Hello, ", "Dear ", 1)
	call(409, "PUT", "/workflows/greet", body{"yaml": edited, "base": "1-0"})
	call(200, "PUT", "/workflows/greet", body{"yaml": edited, "base": shown["revision"]})
	call(409, "PUT", "/workflows/greet", body{"yaml": edited + "\n# again", "base": shown["revision"]})
	same("/workflows/greet/versions", "workflow", "history", "greet")
	same("/workflows/greet/diff?from=greet@1", "workflow", "diff", "greet@1", "greet")
	if d := call(200, "POST", "/workflows/greet/diff", body{"yaml": libraryWorkflow}); len(d["changes"].([]any)) != 1 {
		t.Errorf("a text differs by %v", d["changes"])
	}
	if d := call(200, "POST", "/workflow-check/yaml", body{"text": strings.Replace(libraryWorkflow, "template,", "templat,", 1)}); d["valid"] != false {
		t.Errorf("a workflow with an error: %v", d)
	}
	call(200, "POST", "/workflow-check/json", body{"text": "{"})
	call(400, "POST", "/workflow-check/yaml", body{"text": "x", "file": "/etc/passwd"})

	if d := call(200, "POST", "/workflows/greet/dry-run", body{"inputs": body{"times": 3, "name": "--home=/etc"}}); d["inputs"].(body)["name"] != "--home=/etc" {
		t.Errorf("what looks like a flag is no value: %v", d)
	}
	call(400, "POST", "/workflows/greet/dry-run", body{"inputs": body{"times": 3, "home": "x"}})
	call(400, "POST", "/workflows/greet/dry-run", body{"inputs": body{"times": 3, "key": "typed"}})
	ran := call(200, "POST", "/workflows/greet/runs?wait=true", body{"inputs": body{"times": 3, "tags": []any{"x"}}})
	if ran["status"] != "done" {
		t.Errorf("the run: %v", ran)
	}
	call(200, "POST", "/workflows/greet/tests", body{"run": ran["run_id"]})
	if d := call(200, "POST", "/workflows/greet/test?wait=true", body{}); d["passed"] != 1.0 {
		t.Errorf("the tests: %v", d)
	}

	call(200, "POST", "/workflows/greet/rename", body{"to": "hello"})
	call(200, "DELETE", "/workflows/hello", nil)
	call(404, "DELETE", "/workflows/hello", nil)
	call(404, "GET", "/workflows/hello", nil)
	call(200, "GET", "/workflows/hello@1", nil)
}

// TestPageTestNames: the names of tests, and what is wrong with them, are texts on the page.
func TestPageTestNames(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := startPage(t, home, "GREET_KEY=k-1234567890")
	p.pflow("workflow", "save", writtenFile(t, "greet.yaml", libraryWorkflow), "--yaml")
	tests := "cases:\n- name: " + quotedYAML(hostileText) + "\n  inputs: {times: 1, name: " + quotedYAML(hostileText) + "}\n  expect: {outputs: {text: " + quotedYAML("never "+hostileText) + "}}\n"
	if err := os.WriteFile(filepath.Join(home, "workflows", "greet_test.yaml"), []byte(tests), 0o600); err != nil {
		t.Fatal(err)
	}
	tested := p.post("/library/greet/test")
	for strings.Contains(tested.Body, "The tests run;") {
		tested.safe(t, "tests that run")
		tested = p.get(tested.Path)
	}
	tested.wants(t, "a test that fails", 200, "0 passed, 1 failed", "&lt;img src=x", "never")
	p.get("/library/greet/tests?job=no-such").wants(t, "a job that nobody knows", 200, "not remembered")
}
