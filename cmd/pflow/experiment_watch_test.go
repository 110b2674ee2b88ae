//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// renamed writes a file as editors do: beside it, and then in its place.
func renamed(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// TestWatchPrompt edits a prompt of the home while the bare command watches: only the planner that asks it is planned again,
// what cannot be read is said with its place, and what is mended is judged.
func TestWatchPrompt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if out, err := d.command("flow", "eject", "planner").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(d.home, "prompts", "metadata.tmpl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	prompt := string(data)
	tt := d.start("experiment", "run", "--watch")
	tt.expect("planner means the same as shipped:planner: edit it")
	tt.expect("shipped:planner: pass ")
	tt.expect("Ctrl-C ends")
	renamed(t, file, strings.Replace(prompt, "a verb first: what it does", "what it works on, then what it does", 1))
	tt.expect("metadata.tmpl: 88 plans made anew, 88 kept")
	tt.expect("planner against shipped:planner: INCONCLUSIVE, ask a model to know")
	tt.expect("all of it: pflow experiment report planner-")
	renamed(t, file, prompt+"\n{{.request")
	tt.expect("metadata.tmpl: cannot be run")
	tt.expect("metadata.tmpl:24:1: error: the template cannot be read")
	tt.expect("waiting for the next edit")
	renamed(t, file, strings.Replace(prompt, "a verb first: what it does", "a noun first: what it is of", 1))
	tt.expect("metadata.tmpl: 88 plans made anew, 88 kept")
	tt.expect("planner against shipped:planner: INCONCLUSIVE as before, ask a model to know")
	tt.expect("no case came out otherwise than before")
	tt.expect("all of it: pflow experiment report planner-")
	renamed(t, file, prompt)
	tt.expect("planner means the same as shipped:planner")
	tt.expect("metadata.tmpl: 0 plans made anew, 88 kept")
	tt.expect("all of it")
	tt.send(ctrlC)
	tt.exits(exitInterrupted)
}

const watchedFlow = `flow: first
version: 1
state:
  user_input:     {type: string, required: true}
  node:           {type: string, default: ""}
  planner_output: {type: any, default: null}
params: {careful: false}
nodes:
  choose:
    op: eval
    prep: {request: store.user_input}
    with: {expr: 'params.careful && !(prep.request matches "[.]") ? "none" : split(prep.request, " ")[0] == "copy" ? "copy-file" : "read-file"'}
    post: {node: result}
    next: plan
  plan:
    op: eval
    prep: {node: store.node}
    with: {expr: '{"status": "ready", "path": "generate", "attempts": 1, "workflow_ir": {"nodes": [{"id": "step", "type": prep.node}]}}'}
    post: {planner_output: result}
    next: end
`

// TestWatchLines edits cases and flows, and removes and makes files, while --watch prints JSON Lines without a terminal. What
// was copied and planned gives the report that a run anew gives.
func TestWatchLines(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	path := func(name string) string { return filepath.Join(d.dir, name) }
	cases := func(first string, n int) string {
		var b strings.Builder
		for i := range n {
			if i == 0 {
				fmt.Fprintf(&b, "{\"id\": \"0\", \"request\": %q, \"expect\": {\"nodes\": [\"copy-file\"]}}\n", first)
				continue
			}
			fmt.Fprintf(&b, "{\"id\": \"%d\", \"request\": \"read %d.txt\", \"expect\": {\"nodes\": [\"read-file\"]}}\n", i, i)
		}
		return b.String()
	}
	careful := "flow: careful\nversion: 1\nextends: first\nparams: {careful: true}\n"
	document := "experiment: watched\ncases: cases.jsonl\nreplies: {replay: replies}\nvariants:\n- {name: first, flow: ./first.yaml}\n- {name: careful, flow: ./careful.yaml}\n"
	d.file("replies/none", "") // so that no time is measured, and equal rows give equal reports
	d.file("first.yaml", watchedFlow)
	d.file("careful.yaml", careful)
	d.file("experiment.yaml", document)
	d.file("cases.jsonl", cases("copy a.txt", 20))
	schema := compileSchema(t, "experiment-watch")
	var told bytes.Buffer
	c := d.command("experiment", "run", "./experiment.yaml", "--watch", "--json")
	c.Stderr = &told
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }()
	lines := bufio.NewScanner(out)
	var line watchLine
	next := func(status string, planned, kept int) {
		t.Helper()
		if !lines.Scan() {
			_ = c.Wait()
			t.Fatalf("no more lines: %v\n%s", lines.Err(), &told)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(lines.Bytes()))
		if err == nil {
			err = schema.Validate(v)
		}
		line = watchLine{}
		if err == nil {
			err = json.Unmarshal(lines.Bytes(), &line)
		}
		if err != nil || line.Status != status || line.Planned != planned || line.Kept != kept {
			t.Fatalf("%v; want %s, %d made and %d kept, got %s", err, status, planned, kept, lines.Bytes())
		}
	}
	next("report", 40, 0)
	renamed(t, path("cases.jsonl"), cases("copy the file", 22)) // one is another, two are new
	next("report", 6, 38)
	if line.Added != 2 || line.Outcomes != 1 || line.Cases[0].Variant != "careful" || line.Edited[0] != path("cases.jsonl") {
		t.Errorf("%+v", line)
	}
	got, err := d.command("experiment", "report", line.Experiment, "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	renamed(t, path("careful.yaml"), "# says why\n"+careful)
	next("unchanged", 0, 44)
	renamed(t, path("careful.yaml"), careful+"nodess: {}\n")
	next("refused", 0, 0)
	if !strings.Contains(line.Error, "careful.yaml:5:1: error: ") {
		t.Errorf("%q", line.Error)
	}
	renamed(t, path("careful.yaml"), strings.Replace(careful, "true", "false", 1)) // and what was before it is there when it is taken back
	next("report", 22, 22)
	renamed(t, path("careful.yaml"), careful)
	next("report", 0, 44)
	if err := os.Remove(path("cases.jsonl")); err != nil {
		t.Fatal(err)
	}
	next("refused", 0, 0)
	renamed(t, path("cases.jsonl"), cases("copy the file", 22))
	next("unchanged", 0, 44)
	renamed(t, path("experiment.yaml"), document+"effect: 0.2\n")
	next("report", 0, 44)
	renamed(t, path("experiment.yaml"), document)
	next("report", 0, 44)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		t.Errorf("after the end: %s", lines.Bytes())
	}
	_ = c.Wait()
	if status := c.ProcessState.ExitCode(); status != exitInterrupted {
		t.Errorf("exit status %d\n%s", status, &told)
	}
	want, err := d.command("experiment", "run", "./experiment.yaml", "--again", "--json").Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: a run anew gives another report:\n%s", err, firstDifference(want, got))
	}
}
