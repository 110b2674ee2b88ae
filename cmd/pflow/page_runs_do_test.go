package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var runPath = regexp.MustCompile(`^/runs/\d{8}-\d{6}-[0-9a-f]{8}$`)

// TestPageRunApprove: what waits is named, and goes on once it is approved.
func TestPageRunApprove(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "public.txt")
	p.workflow("publish", `{"ir_version": "0.1.0", "nodes": [{"id": "draft", "type": "template", "params": {"template": "a draft"}},
		{"id": "publish", "type": "write-file", "approval": "required", "params": {"file_path": "`+file+`", "content": "${draft.text}"}}], "edges": [{"from": "draft", "to": "publish"}]}`)
	if code := p.exits("run", "publish"); code != exitDeclined {
		t.Fatalf("status %d", code)
	}
	run := p.runsOf()[0].ID
	body := p.get("/runs/" + run).Body
	says(t, body, "Waits for your approval", "publish", "Approve and go on", "Give it up", `data-events="/api/v1/runs/`+run+`/events"`, `"id":"publish","label":"publish","kind":"approval","note":"write-file, waits for approval","state":"waiting"`)
	got := p.post("/runs/"+run+"/resume", "yes", "plan")
	if got.Path != "/runs/"+run {
		t.Errorf("it leads to %s", got.Path)
	}
	says(t, p.until("/runs/"+run, `<span class="badge" data-state="done">done</span></div>`), "Run it again")
	if data, err := os.ReadFile(file); err != nil || string(data) != "a draft" {
		t.Errorf("%q, %v", data, err)
	}

	// One that is given up cannot be gone on with.
	if code := p.exits("run", "publish", "--yes=destructive", "--batch=false"); code != exitDone {
		t.Logf("status %d", code)
	}
	os.Remove(file)
	if code := p.exits("run", "publish"); code != exitDeclined {
		t.Fatalf("status %d", code)
	}
	run = p.runsOf()[0].ID
	p.post("/runs/" + run + "/cancel")
	body = p.get("/runs/" + run).Body
	says(t, body, `data-state="cancelled"`)
	if strings.Contains(body, "/resume") {
		t.Error("a run that was given up can be gone on with")
	}
	if got := p.post("/runs/" + run + "/resume"); got.Status != 400 || !strings.Contains(got.Body, "has ended") {
		t.Errorf("%d: %s", got.Status, got.Body)
	}
}

// TestPageRunFix: a run that failed, its fix as a difference, and the run that comes of it.
func TestPageRunFix(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	dir := t.TempDir()
	order, log := filepath.Join(dir, "order.json"), filepath.Join(dir, "log.txt")
	if err := os.WriteFile(order, []byte(`{"customerName": "Ada", "total": 3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p.workflow("total", `{"ir_version": "0.1.0", "inputs": {}, "nodes": [{"id": "begin", "type": "shell", "params": {"command": "echo begin >> `+log+`"}},
		{"id": "read", "type": "read-json", "params": {"file_path": "`+order+`"}}, {"id": "say", "type": "template", "params": {"template": "${read.value.customer_name} owes ${read.value.total}"}}],
		"edges": [{"from": "begin", "to": "read"}, {"from": "read", "to": "say"}]}`)
	if code := p.exits("run", "total"); code != exitFailed {
		t.Fatalf("status %d", code)
	}
	failed := p.runsOf()[0].ID
	says(t, p.get("/runs/"+failed).Body, "Look for a fix", "did you mean", "missing key")
	got := p.post("/runs/" + failed + "/fix")
	if !strings.HasPrefix(got.Path, "/runs/"+failed+"/fix?job=") {
		t.Fatalf("the fix is at %s: %s", got.Path, got.Body)
	}
	body := p.until(got.Path, "Run it again so")
	says(t, body, "<del>${read.value.customer_name} owes ${read.value.total}</del>", "<ins>${read.value.customerName} owes ${read.value.total}</ins>", "next version of total")
	approve := regexp.MustCompile(`action="(/runs/[^"]+/fix/approve)"`).FindStringSubmatch(body)
	if approve == nil {
		t.Fatal("there is no form to approve the fix")
	}
	p.post(approve[1]).wants(t, "an approval that does not say of what", 409, "Nothing was done", "nothing was saved or run")
	got = p.post(approve[1], sends(t, body, approve[1])...)
	if !runPath.MatchString(got.Path) || got.Path == "/runs/"+failed {
		t.Fatalf("it leads to %s: %s", got.Path, got.Body)
	}
	body = p.until(got.Path, "Ada owes 3")
	says(t, body, `data-state="kept"`, "/runs/"+failed, "compare")
	if data, _ := os.ReadFile(log); string(data) != "begin\n" {
		t.Errorf("what finished ran again: %q", data)
	}
	says(t, p.get("/runs/"+failed).Body, "Led to", strings.TrimPrefix(got.Path, "/runs/"))
	says(t, p.get("/runs/"+failed+"/diff/"+strings.TrimPrefix(got.Path, "/runs/")).Body, "They part at", "say")

	// A fix is approved as it is shown, and no node with it: what wants approval is shown when its turn comes.
	paid := filepath.Join(dir, "paid.txt")
	p.workflow("pay", `{"ir_version": "0.1.0", "nodes": [{"id": "read", "type": "read-json", "params": {"file_path": "`+order+`"}},
		{"id": "say", "type": "template", "params": {"template": "${read.value.customer_name} owes ${read.value.total}"}},
		{"id": "pay", "type": "write-file", "approval": "required", "params": {"file_path": "`+paid+`", "content": "${say.text}"}}],
		"edges": [{"from": "read", "to": "say"}, {"from": "say", "to": "pay"}]}`)
	p.exits("run", "pay")
	got = p.post("/runs/" + p.runsOf()[0].ID + "/fix")
	body = p.until(got.Path, "Run it again so")
	approve = regexp.MustCompile(`action="(/runs/[^"]+/fix/approve)"`).FindStringSubmatch(body)
	fields := sends(t, body, approve[1])
	p.post(approve[1], "yes", "sha256:"+strings.Repeat("0", 64)).wants(t, "a fix that was not shown", 409, "Nothing was done", "is not what was shown as sha256:000")
	got = p.post(approve[1], fields...)
	says(t, p.until(got.Path, "Waits for your approval"), "Ada owes 3", paid)
	if _, err := os.Stat(paid); err == nil {
		t.Error("a node ran that nobody was shown")
	}
	p.post(got.Path+"/resume", sends(t, p.get(got.Path).Body, got.Path+"/resume")...)
	p.until(got.Path, `<span class="badge" data-state="done">done</span></div>`)
	if data, _ := os.ReadFile(paid); string(data) != "Ada owes 3" {
		t.Errorf("%q", data)
	}

	// What nobody can mend says why not.
	p.workflow("gone", `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "read-file", "params": {"file_path": "/nowhere/at/all"}}]}`)
	p.exits("run", "gone")
	gone := p.runsOf()[0].ID
	got = p.post("/runs/" + gone + "/fix")
	says(t, p.until(got.Path, "No fix was found"), "Run it again…")
	says(t, p.get("/runs/"+gone+"/fix").Body, "not known any more", "Look for a fix")
}

// TestPageRunAgain: a run is run again with other inputs, from a step; what repeats an effect is asked about first.
func TestPageRunAgain(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	log := filepath.Join(t.TempDir(), "log.txt")
	p.workflow("begin", `{"ir_version": "0.1.0", "inputs": {"city": {"type": "string", "required": true, "description": "Where."}, "token": {"type": "string", "required": false, "secret": true, "from_env": "NOT_SET"}}, "nodes": [
		{"id": "begin", "type": "shell", "params": {"command": "echo ${city} >> `+log+`"}}, {"id": "say", "type": "template", "params": {"template": "it is ${city}"}}],
		"edges": [{"from": "begin", "to": "say"}]}`)
	p.pflow("run", "begin", "city=Oslo")
	run := p.runsOf()[0].ID
	says(t, p.get("/runs/"+run).Body, `name="input.city" value="Oslo"`, "A secret: it is read from the environment", `<option value="begin">`)

	says(t, p.get("/runs/"+run).Body, `<option value="begin,say">all of it</option>`) // what the form sends of a run that is done

	// Nothing is other than it was, and no step was named: all is kept.
	got := p.post("/runs/"+run+"/retry", "was.city", "Oslo", "input.city", "Oslo")
	if !runPath.MatchString(got.Path) {
		t.Fatalf("it leads to %s: %s", got.Path, got.Body)
	}
	says(t, p.until(got.Path, `data-state="kept"`), "it is Oslo")

	// Another city would repeat an effect: a new run stops there and asks.
	got = p.post("/runs/"+run+"/retry", "was.city", "Oslo", "input.city", "Rome")
	if !runPath.MatchString(got.Path) {
		t.Fatalf("it leads to %s: %s", got.Path, got.Body)
	}
	stopped := got.Path
	says(t, p.until(stopped, "It needs your decision"), "begin", "Go on: it may repeat that")
	if data, _ := os.ReadFile(log); string(data) != "Oslo\n" {
		t.Errorf("the effect was repeated: %q", data)
	}
	p.post(stopped+"/resume", "again", "true")
	says(t, p.until(stopped, "it is Rome"), "Run it again")
	if data, _ := os.ReadFile(log); string(data) != "Oslo\nRome\n" {
		t.Errorf("%q", data)
	}

	// It was run again, which is said before it is run once more.
	got = p.post("/runs/"+run+"/retry", "was.city", "Oslo", "input.city", "Paris")
	if got.Status != 409 {
		t.Fatalf("%d at %s: %s", got.Status, got.Path, got.Body)
	}
	says(t, got.Body, "A question first", "was run again", `name="input.city" value="Paris"`, `name="again" value="true"`)
	got = p.post("/runs/"+run+"/retry", "was.city", "Oslo", "input.city", "Paris", "again", "true")
	says(t, p.until(got.Path, "it is Paris"), "/runs/"+run)

	// Its workflow wants more by now: the question has a field for it.
	p.workflow("begin", `{"ir_version": "0.1.0", "inputs": {"city": {"type": "string", "required": true}, "year": {"type": "integer", "required": true, "description": "Which year."}}, "nodes": [
		{"id": "say", "type": "template", "params": {"template": "it is ${city} in ${year}"}}]}`)
	got = p.post("/runs/"+run+"/retry", "again", "true")
	if got.Status != 409 {
		t.Fatalf("%d at %s: %s", got.Status, got.Path, got.Body)
	}
	says(t, got.Body, `name="input.year"`, "Which year.")
	got = p.post("/runs/"+run+"/retry", "again", "true", "input.year", "1999")
	says(t, p.until(got.Path, "it is Oslo in 1999"), "done")

	// The workflow as it was is saved.
	got = p.post("/runs/"+run+"/save", "name", "begin-as-it-was", "description", "As it was")
	if got.Path != "/library/begin-as-it-was" {
		t.Errorf("saved at %s: %s", got.Path, got.Body)
	}
	if got := p.post("/runs/"+run+"/save", "name", "../x"); got.Status != 400 {
		t.Errorf("a name that is none: %d", got.Status)
	}
}

// TestPageRunAgainDestroys: what may repeat an effect and destroys something is asked about once, and a yes to that is one to both.
func TestPageRunAgainDestroys(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	dir := t.TempDir()
	log, notes := filepath.Join(dir, "log.txt"), filepath.Join(dir, "notes.md")
	p.workflow("note", `{"ir_version": "0.1.0", "inputs": {"to": {"type": "string", "required": true}}, "nodes": [
		{"id": "begin", "type": "shell", "params": {"command": "echo begin >> `+log+`"}}, {"id": "write", "type": "write-file", "params": {"file_path": "${to}", "content": "new"}}],
		"edges": [{"from": "begin", "to": "write"}]}`)
	p.pflow("run", "note", "to="+filepath.Join(dir, "a.md"))
	run := p.runsOf()[0].ID
	got := p.post("/runs/"+run+"/retry", "from", "begin,write", "was.to", filepath.Join(dir, "a.md"), "input.to", filepath.Join(dir, "b.md"), "again", "true")
	p.until(got.Path, `<span class="badge" data-state="done">done</span></div>`)
	if err := os.WriteFile(notes, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	got = p.post("/runs/"+run+"/retry", "from", "begin,write", "was.to", filepath.Join(dir, "a.md"), "input.to", notes)
	got.wants(t, "what repeats and destroys", 409, "A question first", "was run again", "it replaces "+notes, "may destroy what is there, too", "Do it: it may repeat and destroy that", "At a terminal")
	message, _, _ := strings.Cut(mainOf(got.Body), "<form")
	if strings.Contains(message, "--") || strings.Contains(message, "pflow ") {
		t.Errorf("the question speaks of a terminal: %s", message)
	}
	if data, _ := os.ReadFile(notes); string(data) != "old" {
		t.Errorf("%q", data)
	}
	got = p.post("/runs/"+run+"/retry", append(sends(t, got.Body, "/runs/"+run+"/retry"), "yes", "foreseen")...)
	if !runPath.MatchString(got.Path) {
		t.Fatalf("it leads to %s: %s", got.Path, mainOf(got.Body))
	}
	p.until(got.Path, `<span class="badge" data-state="done">done</span></div>`)
	if data, _ := os.ReadFile(notes); string(data) != "new" {
		t.Errorf("%q", data)
	}
	if data, _ := os.ReadFile(log); string(data) != "begin\nbegin\nbegin\n" {
		t.Errorf("%q", data)
	}

	// Whoever agreed to the one only is asked about the other.
	if err := os.WriteFile(notes, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	got = p.post("/runs/"+run+"/retry", "from", "begin,write", "was.to", "", "input.to", notes, "again", "true")
	got.wants(t, "what destroys", 409, "it replaces "+notes, `name="again" value="true"`, "Do it: it may destroy that")
	got = p.post("/runs/"+run+"/retry", append(sends(t, got.Body, "/runs/"+run+"/retry"), "yes", "foreseen")...)
	p.until(got.Path, `<span class="badge" data-state="done">done</span></div>`)
}

// TestPageRunsSince: a time that is none is said beside the form that it stands in.
func TestPageRunsSince(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	for _, page := range []string{"/runs", "/runs/stats"} {
		got := p.get(page + "?since=%3Cscript%3Ealert%281%29")
		got.wants(t, page, 400, `value="&lt;script&gt;alert(1)"`, `aria-invalid="true"`, "want a day such as 2026-01-31")
		if strings.Contains(mainOf(got.Body), "--since") {
			t.Errorf("%s speaks of a flag: %s", page, mainOf(got.Body))
		}
		p.get(page+"?since=7d").wants(t, page, 200, `value="7d"`)
	}
}

// TestPageRunCancel: a run that the page began is stopped alone, and goes on.
func TestPageRunCancel(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	gate := filepath.Join(t.TempDir(), "gate")
	p.workflow("waits", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "template", "params": {"template": "a"}},
		{"id": "gate", "type": "shell", "params": {"command": "while [ ! -e `+gate+` ]; do sleep 0.01; done"}}], "edges": [{"from": "a", "to": "gate"}]}`)
	status, job := p.api("POST", "/api/v1/workflows/waits/runs", map[string]any{})
	if status != 202 {
		t.Fatalf("%d: %v", status, job)
	}
	p.until("/runs", `data-state="running"`)
	run := p.runsOf()[0].ID
	says(t, p.until("/runs/"+run, "Cancel the run"), "/runs/"+run+"/cancel")
	got := p.post("/runs/" + run + "/cancel")
	if got.Path != "/runs/"+run {
		t.Errorf("it leads to %s", got.Path)
	}
	says(t, p.until("/runs/"+run, "It can go on"), `data-state="cancelled"`)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	// The command was under way: whether it may run again is asked.
	p.post("/runs/" + run + "/resume")
	asked := p.until("/runs/"+run, "It needs your decision")
	says(t, asked, "gate was under way, and running that again may repeat its effects</p>", `name="again" value="true"`)
	p.post("/runs/"+run+"/resume", "again", "true")
	p.until("/runs/"+run, `<span class="badge" data-state="done">done</span></div>`)
}
