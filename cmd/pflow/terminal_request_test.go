package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pflow/engine/journal"
	"pflow/internal/runs"
)

const (
	copyRequest = "copy README.md to out.md"
	saveAndRun  = "and run? [Y/n/e/s]: "
	withoutEdit = "and run without what you edited? [y/N/e/s]: "
)

// TestTerminalApprove answers the question after the plan in every way there is.
func TestTerminalApprove(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		status      int
		runs, saves bool
		says        string
		decided     runs.Decision
	}{
		{name: "enter", typed: "\n", runs: true, saves: true, decided: runs.ByApproving},
		{name: "yes", typed: "Yes\n", runs: true, saves: true, decided: runs.ByApproving},
		{name: "no", typed: "n\n", status: 4, says: "nothing was saved or run", decided: runs.ByDeclining},
		{name: "save only", typed: "s\n", saves: true, says: "run it with: pflow run ", decided: runs.ByApproving},
		{name: "something else first", typed: "what?\ny\n", runs: true, saves: true, decided: runs.ByApproving, says: `"what?" is none of yes, no, edit or save only`},
		{name: "end of input", typed: ctrlD, status: 4, says: "nothing was saved or run"},
		{name: "interrupt", typed: ctrlC, status: 130, says: "nothing was saved or run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			tt := d.start(strings.Fields(copyRequest)...)
			tt.expect("copy-file --source_path=README.md --dest_path=out.md")
			tt.expect(saveAndRun)
			tt.send(c.typed)
			if c.says != "" {
				tt.expect(c.says)
			}
			tt.exits(c.status)
			if d.has("out.md") != c.runs || (len(d.saved()) == 1) != c.saves {
				t.Errorf("ran: %v, want %v; saved: %v, want %v\n%s", d.has("out.md"), c.runs, d.saved(), c.saves, tt.printed())
			}
			d.decided(c.decided)
		})
	}
}

// decided holds what the run of the last plan says of the answer, also by an index that is made again.
func (d *desk) decided(want runs.Decision) {
	d.t.Helper()
	for _, remade := range []bool{false, true} {
		if remade {
			if err := os.Remove(filepath.Join(d.home, "runs.db")); err != nil {
				d.t.Fatal(err)
			}
		}
		h := runs.Of(d.home)
		rows, err := h.List(runs.Query{Kind: journal.OfPlan, Limit: 1})
		h.Close()
		status := runs.Ready
		if want == runs.ByDeclining {
			status = runs.Declined
		}
		if err != nil || len(rows) != 1 || rows[0].Decided != want || rows[0].Status != status {
			d.t.Errorf("want %q: %+v %v", want, rows, err)
		}
	}
}

// TestTerminalSources shows, before anything is asked, where the value of each input comes from.
func TestTerminalSources(t *testing.T) {
	d := newDesk(t)
	d.file("deploy.json", `{"ir_version": "0.1.0",
		"inputs": {"environment": {"type": "string", "required": true}, "region": {"type": "string", "default": "eu"}},
		"nodes": [{"id": "app", "type": "template", "params": {"template": "$environment $region"}}]}`)
	tt := d.start("workflow", "save", "./deploy.json", "--description", "deploy the app to a server")
	tt.exits(0)
	tt = d.start("deploy the app")
	tt.expect("environment: nothing says it")
	tt.expect("region: its default")
	tt.expect("environment")
	tt.send("there\n")
	tt.answer("Run 'deploy'? [Y/n]: ", "n")
	tt.exits(4)
	tt = d.start(copyRequest)
	tt.expect(`dest_path: your words "out.md"`)
	tt.expect(`source_path: your words "README.md"`)
	tt.answer(saveAndRun, "n")
	tt.exits(4)
}

// TestTerminalDeclineSchedule says no to a plan that would run by itself.
func TestTerminalDeclineSchedule(t *testing.T) {
	d := newDesk(t)
	tt := d.start(copyRequest + " every weekday at 8")
	tt.answer("Run it by itself? [Y/n]: ", "n")
	tt.expect("nothing was scheduled")
	tt.exits(4)
	d.decided(runs.ByDeclining)
	tt = d.start("runs", "logs", "last")
	tt.expect("its plan is declined")
	tt.exits(0)
}

// TestTerminalPipe is the same through a pipe: nothing is asked, and without --yes nothing happens.
func TestTerminalPipe(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{copyRequest}, 4, "nothing was saved or run: --yes approves the plan"},
		{[]string{"--batch", copyRequest}, 4, "nothing was saved or run: --yes approves the plan"},
		{[]string{"--yes", copyRequest}, 0, "saved as"},
	} {
		cmd := d.command(c.args...)
		cmd.Stdin = strings.NewReader("")
		printed, err := cmd.CombinedOutput()
		if status := exitStatus(err); status != c.status || !strings.Contains(string(printed), c.says) || strings.Contains(string(printed), "[Y/n") {
			t.Errorf("%v: status %d, want %d\n%s", c.args, status, c.status, printed)
		}
	}
	if !d.has("out.md") {
		t.Error("--yes did not run it")
	}
}

// TestTerminalBatch has a terminal and is not to ask.
func TestTerminalBatch(t *testing.T) {
	d := newDesk(t)
	tt := d.start("--batch", copyRequest)
	tt.expect("--yes approves the plan")
	tt.exits(4)
	if strings.Contains(tt.printed(), "[Y/n") {
		t.Errorf("asked:\n%s", tt.printed())
	}
}

// TestTerminalReuse makes a workflow, then is asked whether to run it for other files.
func TestTerminalReuse(t *testing.T) {
	d := newDesk(t)
	tt := d.start(copyRequest)
	tt.answer(saveAndRun, "y")
	tt.exits(0)
	tt = d.start("copy other.md to out2.md")
	tt.expect("saved workflow ")
	tt.answer("? [Y/n]: ", "e") // a found workflow is not edited here
	tt.expect(`"e" is none of yes or no`)
	tt.answer("? [Y/n]: ", "")
	tt.exits(0)
	if !d.has("out2.md") || len(d.saved()) != 1 {
		t.Errorf("%v\n%s", d.saved(), tt.printed())
	}
}

// editor is a program that edits the file it is given with sed.
func (d *desk) editor(name, script string) {
	d.file(name, "#!/bin/sh\nsed "+script+" \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"\n")
	d.env = append(d.env, "EDITOR="+filepath.Join(d.dir, name))
}

// TestTerminalEdit edits the plan, which is shown again and then run as it was edited.
func TestTerminalEdit(t *testing.T) {
	d := newDesk(t)
	d.editor("edit", `'s/copy-file/move-file/g'`)
	tt := d.start(copyRequest)
	tt.answer(saveAndRun, "e")
	tt.expect("move-file --source_path=README.md --dest_path=out.md")
	tt.answer(saveAndRun, "y")
	tt.exits(0)
	if d.has("README.md") || !d.has("out.md") {
		t.Errorf("it was not moved:\n%s", tt.printed())
	}
	d.decided(runs.ByEditing)
}

// TestTerminalEditErrors makes a mistake in the editor: it is told where, and nothing is lost.
func TestTerminalEditErrors(t *testing.T) {
	d := newDesk(t)
	d.editor("edit", `'s/"copy-file"/"copi-file"/'`)
	tt := d.start(copyRequest)
	tt.answer(saveAndRun, "e")
	tt.expect(`there is no node type "copi-file" in the catalogue`)
	tt.expect(`did you mean "copy-file"?`)
	tt.answer(withoutEdit, "") // Enter approves no plan without the edit
	tt.expect("what you edited is kept in ")
	tt.exits(4)
	d.decided(runs.ByDeclining)
	drafts, err := filepath.Glob(filepath.Join(d.home, "drafts", "*.json"))
	if err != nil || len(drafts) != 1 {
		t.Fatalf("%v, %v", drafts, err)
	}
	if text, _ := os.ReadFile(drafts[0]); !strings.Contains(string(text), "copi-file") {
		t.Errorf("the text is not what was edited: %s", text)
	}

	// The next edit goes on with the text that has the mistake.
	d.editor("second", `-e 's/"copy-file"/"copi-file"/' -e 's/"zopi-file"/"copy-file"/' -e 's/"copi-file"/"zopi-file"/'`)
	tt = d.start(copyRequest)
	tt.answer(saveAndRun, "e")
	tt.expect(`there is no node type "zopi-file"`)
	tt.answer(withoutEdit, "e")
	tt.expect("copy-file --source_path=README.md")
	tt.answer(saveAndRun, "y")
	tt.exits(0)
}

// TestTerminalNoEditor is asked for an editor that is not there, and asks again.
func TestTerminalNoEditor(t *testing.T) {
	d := newDesk(t)
	program, err := exec.LookPath("pflow")
	if err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "PATH="+filepath.Dir(program)) // without vi
	tt := d.start(copyRequest)
	tt.answer(saveAndRun, "e")
	tt.expect("there is no editor: set EDITOR")
	tt.answer(saveAndRun, "y")
	tt.exits(0)

	// Nothing was edited, so there is nothing to keep.
	tt = d.start("move README.md to out3.md")
	tt.answer(saveAndRun, "e")
	tt.answer(saveAndRun, "n")
	tt.exits(4)
	if drafts, err := filepath.Glob(filepath.Join(d.home, "drafts", "*")); err != nil || len(drafts) > 0 || strings.Contains(tt.printed(), "is kept") {
		t.Errorf("%v, drafts %v\n%s", err, drafts, tt.printed())
	}
}

const deploy = `{"name": "deploy-app", "description": "Deploy the app to an environment", "keywords": ["deploy", "app", "release"],
"ir": {"ir_version": "0.1.0", "inputs": {
  "environment": {"type": "string", "required": true, "description": "Where it goes: staging or production"},
  "replicas": {"type": "integer", "required": true, "description": "How many of it are started"},
  "region": {"type": "string", "required": true, "description": "The data centre"}},
 "nodes": [{"id": "note", "type": "write-file", "params": {"file_path": "deployed.txt", "content": "${environment} ${replicas} ${region}"}}]}}`

// TestTerminalMissing is asked for what the request does not say; an answer that does not fit is asked for again.
func TestTerminalMissing(t *testing.T) {
	d := newDesk(t)
	d.keep("deploy-app", deploy)
	tt := d.start("deploy", "the", "app")
	for _, a := range [][2]string{
		{"environment (string): Where it goes: staging or production: ", "staging"},
		{"replicas (integer): How many of it are started: ", "two"},
		{"replicas (integer): How many of it are started: ", "2"},
		{"region (string): The data centre: ", "west"},
		{"Run 'deploy-app'? [Y/n]: ", "y"},
	} {
		tt.answer(a[0], a[1])
	}
	tt.exits(0)
	if got, _ := os.ReadFile(filepath.Join(d.dir, "deployed.txt")); string(got) != "staging 2 west" {
		t.Errorf("%q\n%s", got, tt.printed())
	}

	// Without a terminal the three are named, with what they are.
	cmd := d.command("deploy the app", "--json")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exitStatus(err) != 3 || !strings.Contains(string(out), `"status": "needs_input"`) {
		t.Errorf("%v\n%s%s", err, out, errs.String())
	}
	for _, want := range []string{"environment (string): Where it goes", "replicas (integer): How many", "region (string): The data centre"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("no %q in\n%s", want, errs.String())
		}
	}
}

// TestTerminalInterrupt types Ctrl-C at each question: nothing is saved or run, and the exit status says why.
func TestTerminalInterrupt(t *testing.T) {
	type at struct {
		name     string
		question string
		prepare  func(d *desk)
		args     []string
		answers  [][2]string
	}
	for _, c := range []at{
		{name: "missing input", question: "environment (string)", args: []string{"deploy", "the", "app"},
			prepare: func(d *desk) { d.keep("deploy-app", deploy) }},
		{name: "second missing input", question: "replicas (integer)", args: []string{"deploy", "the", "app"},
			prepare: func(d *desk) { d.keep("deploy-app", deploy) }, answers: [][2]string{{"environment (string)", "staging"}}},
		{name: "found workflow", question: "Run 'deploy-app'?", args: []string{"deploy", "the", "app"},
			prepare: func(d *desk) { d.keep("deploy-app", deploy) },
			answers: [][2]string{{"environment", "a"}, {"replicas", "1"}, {"region", "b"}}},
		{name: "editor", question: "editing", args: []string{copyRequest},
			prepare: func(d *desk) {
				d.file("slow", "#!/bin/sh\necho editing\nsleep 60\n")
				d.env = append(d.env, "EDITOR="+filepath.Join(d.dir, "slow"))
			}, answers: [][2]string{{saveAndRun, "e"}}},
		{name: "input of a run", question: "environment (string)", args: []string{"run", "deploy-app"},
			prepare: func(d *desk) { d.keep("deploy-app", deploy) }},
		{name: "what destroys", question: "Run it? [y/N]", args: []string{"run", "./rm.json"},
			prepare: func(d *desk) {
				d.file("rm.json", `{"ir_version": "0.1.0", "nodes": [{"id": "rm", "type": "delete-file", "params": {"file_path": "other.md", "confirm_delete": true}}]}`)
			}},
		{name: "approval", question: "? [y/N]", args: []string{"run", "./ask.json"},
			prepare: func(d *desk) {
				d.file("ask.json", `{"ir_version": "0.1.0", "nodes": [{"id": "w", "type": "write-file", "approval": "required", "params": {"file_path": "deployed.txt", "content": "x"}}]}`)
			}},
		{name: "secret", question: "token (string)", args: []string{"run", "./secret.json"},
			prepare: func(d *desk) {
				d.file("secret.json", `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "NO_SUCH_TOKEN"}},
 "nodes": [{"id": "w", "type": "write-file", "params": {"file_path": "deployed.txt", "content": "${token}"}}]}`)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			c.prepare(d)
			before := len(d.saved())
			tt := d.start(c.args...)
			for _, a := range c.answers {
				tt.answer(a[0], a[1])
			}
			tt.expect(c.question)
			tt.send(ctrlC)
			tt.exits(130)
			if strings.Contains(tt.printed(), "context canceled") {
				t.Errorf("the end says how it was brought about:\n%s", tt.printed())
			}
			if d.has("deployed.txt") || d.has("out.md") || !d.has("other.md") || len(d.saved()) != before {
				t.Errorf("something was done: %v\n%s", d.saved(), tt.printed())
			}
		})
	}
}

// TestTerminalSecret types a secret: it is used, and never shown.
func TestTerminalSecret(t *testing.T) {
	d := newDesk(t)
	d.file("secret.json", `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "NO_SUCH_TOKEN"}},
 "nodes": [{"id": "w", "type": "shell", "params": {"command": "printenv TOKEN | wc -c", "env": {"TOKEN": "${token}"}}}]}`)
	tt := d.start("run", "./secret.json")
	tt.answer("token (string): ", "hunter2")
	tt.exits(0)
	if strings.Contains(tt.printed(), "hunter2") || !strings.Contains(tt.printed(), "8") {
		t.Errorf("%s", tt.printed())
	}
}

// TestTerminalSecretOfARequest: a saved workflow that a request finds asks for its secret, too.
func TestTerminalSecretOfARequest(t *testing.T) {
	d := newDesk(t)
	d.file("measure-token.json", `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "NO_SUCH_TOKEN"}},
 "nodes": [{"id": "w", "type": "shell", "params": {"command": "printenv TOKEN | wc -c", "env": {"TOKEN": "${token}"}}}]}`)
	d.file("plan.json", `{"schema": "pflow.plan/v1", "status": "needs_input", "path": "generate", "workflow_name": "measure-token",
 "workflow_ir": {"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "NO_SUCH_TOKEN"}},
 "nodes": [{"id": "w", "type": "shell", "params": {"command": "printenv TOKEN | wc -c", "env": {"TOKEN": "${token}"}}}]},
 "workflow_metadata": {"suggested_name": "measure-token", "description": "Measures a token"},
 "missing_params": [{"name": "token", "type": "string", "description": ""}], "execution_params": {}, "request": "measure the token", "plan_digest": "sha256:none"}`)
	tt := d.start("apply", "./plan.json")
	tt.answer("token (string): ", "hunter2")
	tt.answer(saveAndRun, "y")
	tt.exits(0)
	if strings.Contains(tt.printed(), "hunter2") || !strings.Contains(tt.printed(), "8") {
		t.Errorf("%s", tt.printed())
	}
}

var controls = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// TestTerminalKinds runs something slow on several kinds of terminals: progress is shown in lines that fit, and no
// terminal gets what it cannot show.
func TestTerminalKinds(t *testing.T) {
	slow := `{"ir_version": "0.1.0", "nodes": [{"id": "wait-a-little-for-the-other-side-to-answer", "type": "shell", "params": {"command": "sleep 3"}}]}`
	for _, c := range []struct {
		name    string
		env     []string
		args    []string
		columns uint16
		shows   string
		never   string // a pattern
	}{
		{name: "usual", columns: 80, env: []string{"NO_COLOR="}, shows: "running slow: 0 of 1 done"},
		{name: "narrow", columns: 20, shows: "running slow: 0 of"},
		{name: "no colour", columns: 80, env: []string{"NO_COLOR=1"}, shows: "running slow: 0 of 1 done", never: `\x1b\[[0-9;]*m`},
		{name: "no colour by flag", columns: 80, env: []string{"NO_COLOR="}, args: []string{"--no-color"}, shows: "running slow: 0 of 1 done", never: `\x1b\[[0-9;]*m`},
		{name: "dumb", columns: 80, env: []string{"TERM=dumb"}, shows: "running slow: wait-a-little-for-the-other-side-to-answer\r\n", never: `\x1b`},
		{name: "quiet", columns: 80, args: []string{"--quiet"}, never: `running slow`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.env, d.columns = append(d.env, c.env...), c.columns
			d.file("slow.json", slow)
			tt := d.start(append([]string{"run", "./slow.json"}, c.args...)...)
			if c.shows != "" {
				tt.expect(c.shows)
			}
			tt.exits(0)
			text := tt.printed()
			if c.never != "" && regexp.MustCompile(c.never).MatchString(text) {
				t.Errorf("%q holds %s", text, c.never)
			}
			if c.env == nil || c.env[0] != "TERM=dumb" {
				for _, line := range strings.FieldsFunc(controls.ReplaceAllString(text, "\n"), func(r rune) bool { return r == '\n' || r == '\r' }) {
					if strings.Contains(line, "running") && len(line) >= int(c.columns) {
						t.Errorf("a line of progress is %d wide on %d columns: %q", len(line), c.columns, line)
					}
				}
			}
		})
	}
}

const partly = "copy README.md to out.md and watermark it"

// TestTerminalPart offers the part of a request that can be done. It is run where somebody says so, and nothing is kept of it.
func TestTerminalPart(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		runs        bool
		status      int
	}{
		{"part", "p\n", true, 0},
		{"enter", "\n", false, 5},
		{"yes is no answer to it", "y\n", false, 5},
		{"end of input", ctrlD, false, 5},
		{"interrupt", ctrlC, false, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			tt := d.start(partly)
			tt.expect("????????????")
			tt.expect(`I can copy README.md to out.md; nothing I know does "watermark it"`)
			tt.expect("the part that can be done:")
			tt.expect("copy-file --source_path=README.md --dest_path=out.md")
			tt.expect("Run only this part, without keeping it as a workflow? [p/N]")
			tt.send(c.typed)
			tt.exits(c.status)
			if d.has("out.md") != c.runs || len(d.saved()) > 0 {
				t.Errorf("ran: %v, want %v; saved: %v\n%s", d.has("out.md"), c.runs, d.saved(), tt.printed())
			}
		})
	}
	d := newDesk(t)
	for _, args := range [][]string{{"--yes", partly}, {"--yes=destructive", partly}, {"--batch", partly}, {"--save", partly}} {
		tt := d.start(args...)
		tt.expect(`nothing I know does "watermark it"`)
		tt.exits(5)
		if d.has("out.md") || len(d.saved()) > 0 || strings.Contains(tt.printed(), "[p/N]") {
			t.Errorf("%v took a part, or asked for it:\n%s", args, tt.printed())
		}
	}
}

// TestTerminalDestroysOnce: what destroys is approved by one answer, which names it and is no unless it is yes.
func TestTerminalDestroysOnce(t *testing.T) {
	const question = "This destroys what was there: delete-file (delete-file: it deletes other.md). Save as 'delete-file-workflow' and run? [y/N/e/s]: "
	d := newDesk(t)
	tt := d.start("delete other.md")
	tt.answer(question, "")
	tt.exits(4)
	if !d.has("other.md") {
		t.Errorf("it was deleted:\n%s", tt.printed())
	}
	tt = d.start("delete other.md")
	tt.answer(question, "y")
	tt.exits(0)
	if d.has("other.md") || strings.Count(tt.printed(), "destroys what was there") != 1 {
		t.Errorf("it was not deleted, or asked for twice:\n%s", tt.printed())
	}
	d.file("more.md", "x")
	tt = d.start("delete more.md")
	tt.answer("it deletes more.md). Run 'delete-file-workflow'? [y/N]: ", "y")
	tt.exits(0)
	if d.has("more.md") {
		t.Errorf("it was not deleted:\n%s", tt.printed())
	}
}

// TestTerminalColours: what is open and what destroys is red where colours are used, and nowhere else.
func TestTerminalColours(t *testing.T) {
	for _, c := range []struct {
		name, set string
		args      []string
		red       bool
	}{
		{"colours", "NO_COLOR=", nil, true},
		{"NO_COLOR", "NO_COLOR=1", nil, false},
		{"--no-color", "NO_COLOR=", []string{"--no-color"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.env = append(d.env, c.set)
			tt := d.start(append(c.args, "--batch", "delete other.md")...)
			tt.expect("destroys: it deletes other.md")
			tt.exits(4)
			open := d.start(append(c.args, "--batch", partly)...)
			open.expect("????????????")
			open.exits(5)
			for text, red := range map[string]string{"destroys: it deletes other.md": "\x1b[31m    destroys: it deletes other.md\x1b[0m", "effects: writes, ": "effects: writes, \x1b[31mdestructive\x1b[0m"} {
				if !strings.Contains(tt.printed(), text) || strings.Contains(tt.printed(), red) != c.red {
					t.Errorf("red is %v:\n%q", !c.red, tt.printed())
				}
			}
			if strings.Contains(open.printed(), "\x1b[31m????????????\x1b[0m") != c.red {
				t.Errorf("red is %v:\n%q", !c.red, open.printed())
			}
		})
	}
}
