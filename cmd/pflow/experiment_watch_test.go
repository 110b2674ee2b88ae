//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pflow/internal/llmtest"
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
	tt.expect(fmt.Sprintf("metadata.tmpl:%d:1: error: the template cannot be read", strings.Count(prompt, "\n")+2))
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

// linesWatch is a watch without a terminal that prints JSON Lines.
type linesWatch struct {
	t      *testing.T
	c      *exec.Cmd
	lines  *bufio.Scanner
	schema *jsonschema.Schema
	told   bytes.Buffer
	line   watchLine // the last
}

func watching(t *testing.T, d *desk, args ...string) *linesWatch {
	t.Helper()
	w := &linesWatch{t: t, c: d.command(append([]string{"experiment", "run", "--watch", "--json"}, args...)...), schema: compileSchema(t, "experiment-watch")}
	w.c.Stderr = &w.told
	out, err := w.c.StdoutPipe()
	if err == nil {
		err = w.c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.c.Process.Kill() })
	w.lines = bufio.NewScanner(out)
	w.lines.Buffer(nil, 1<<20)
	return w
}

// next waits for a line, and wants so many rows made and kept.
func (w *linesWatch) next(status string, planned, kept int) {
	w.t.Helper()
	if !w.lines.Scan() {
		_ = w.c.Wait()
		w.t.Fatalf("no more lines: %v\n%s", w.lines.Err(), &w.told)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(w.lines.Bytes()))
	if err == nil {
		err = w.schema.Validate(v)
	}
	w.line = watchLine{}
	if err == nil {
		err = json.Unmarshal(w.lines.Bytes(), &w.line)
	}
	if err != nil || w.line.Status != status || w.line.Planned != planned || w.line.Kept != kept {
		w.t.Fatalf("%v; want %s, %d made and %d kept, got %s", err, status, planned, kept, w.lines.Bytes())
	}
}

// end interrupts it.
func (w *linesWatch) end() {
	w.t.Helper()
	if err := w.c.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	for w.lines.Scan() {
		w.t.Errorf("after the end: %s", w.lines.Bytes())
	}
	_ = w.c.Wait()
	if status := w.c.ProcessState.ExitCode(); status != exitInterrupted {
		w.t.Errorf("exit status %d\n%s", status, &w.told)
	}
}

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
	w := watching(t, d, "./experiment.yaml")
	next, line := w.next, &w.line
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
	w.end()
	want, err := d.command("experiment", "run", "./experiment.yaml", "--again", "--json").Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: a run anew gives another report:\n%s", err, firstDifference(want, got))
	}
}

// TestWatchBudget: what a watch may call is bound over all of its edits together, and without a bound it calls nothing.
func TestWatchBudget(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	server := llmtest.New(t, llmtest.Script{Replies: []llmtest.Reply{{Schema: "answer", JSON: map[string]any{"answer": "yes"}, Times: llmtest.Any}}})
	d.env = append(d.env, "OPENAI_BASE_URL="+server.BaseURL(), "OPENAI_API_KEY="+serverKey)
	prompt := func(question string) string {
		return "---\nname: ask\ndescription: Asks.\nvariables: [request]\nschema: answer\n---\n" + question + " {{.request}}\n"
	}
	d.file("ask.yaml", proposedFlow)
	d.file("prompts/ask.tmpl", prompt("Can this be done?"))
	d.file("prompts/answer.schema.json", `{"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"], "additionalProperties": false}`)
	d.file("other/ask.tmpl", prompt("Possible?"))
	d.file("cases.jsonl", "{\"id\": \"1\", \"request\": \"one\", \"expect\": {\"status\": \"ready\"}}\n{\"id\": \"2\", \"request\": \"two\", \"expect\": {\"status\": \"ready\"}}\n")
	args := []string{"--a", "./ask.yaml", "--b", "other=./ask.yaml+./other/ask.tmpl", "--cases", "cases.jsonl", "--model", "openai/gpt-4.1-mini"}
	if out, err := d.command(append([]string{"experiment", "run", "--watch"}, args...)...).CombinedOutput(); err == nil || !strings.Contains(string(out), "asks a model, and --watch would call it after each edit") {
		t.Errorf("%v\n%s", err, out)
	}
	if n := len(server.Requests()); n > 0 {
		t.Fatalf("%d calls that nothing bounds", n)
	}
	w := watching(t, d, append(args, "--max-calls", "4")...)
	w.next("report", 4, 0)
	file := filepath.Join(d.dir, "other", "ask.tmpl")
	renamed(t, file, prompt("Feasible?"))
	w.next("report", 0, 2)
	if w.line.Missing != 2 {
		t.Errorf("%+v", w.line)
	}
	renamed(t, file, prompt("Doable?"))
	w.next("report", 0, 2)
	w.end()
	if n := len(server.Requests()); n != 4 {
		t.Errorf("%d calls, and 4 were allowed", n)
	}
}
