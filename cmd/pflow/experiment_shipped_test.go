//go:build !race

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"pflow/internal/llmtest"
)

const (
	shippedExperiment = "../../experiments/planners.yaml"
	shippedReplies    = "../../experiments/replies"
	shippedReport     = "../../docs/planners.md"
)

// TestShippedExperiment runs the shipped experiment as it is, on the recorded replies: a case set over the built-in nodes with
// cases of every outcome, on which no plan breaks. docs/planners.md is its report. With -update the replies are recorded
// anew, see recordReplies.
func TestShippedExperiment(t *testing.T) {
	t.Parallel()
	if *update {
		recordReplies(t)
	}
	d := newDesk(t)
	printed, err := d.command("experiment", "run", absolute(t, shippedExperiment), "--id", "planners", "--json").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	var report struct {
		Cases, Errors int
		Variants      []struct {
			Name     string
			Carried  any
			Outcomes map[string]map[string]int
		}
	}
	if err := json.Unmarshal(printed, &report); err != nil {
		t.Fatal(err)
	}
	if report.Cases < 60 || report.Errors > 0 {
		t.Errorf("%d cases, %d errors; if a prompt or the interface of a node changed: go test ./cmd/pflow -run TestShippedExperiment -update", report.Cases, report.Errors)
	}
	for _, v := range report.Variants {
		if v.Carried != nil {
			t.Errorf("%s: replies are carried over from other words: %v", v.Name, v.Carried)
		}
	}
	for _, expected := range []string{"plan", "reuse", "ask", "abstain"} {
		n := 0
		for _, times := range report.Variants[0].Outcomes[expected] {
			n += times
		}
		if n < 8 {
			t.Errorf("%d cases expect %s", n, expected)
		}
	}
	markdown, err := d.command("experiment", "report", "planners", "--format", "markdown").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, markdown)
	}
	if *update {
		if err := os.WriteFile(shippedReport, markdown, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(shippedReport)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), string(markdown)); diff != "" {
		t.Errorf("-%s +program; go test ./cmd/pflow -run TestShippedExperiment -update writes it:\n%s", shippedReport, diff)
	}
}

// TestLatencyExperiment: by the assumed clock, calls side by side make a planner faster, and docs/experiments.md says by how much.
func TestLatencyExperiment(t *testing.T) {
	t.Parallel()
	printed, err := newDesk(t).command("experiment", "run", absolute(t, "../../experiments/latency.yaml"), "--json").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	var report struct {
		Errors   int
		Variants []struct {
			Carried any
			Means   map[string]float64
		}
		Comparisons []struct{ Verdict string }
	}
	if err := json.Unmarshal(printed, &report); err != nil {
		t.Fatal(err)
	}
	if report.Errors > 0 || report.Comparisons[0].Verdict != "PROMOTE" {
		t.Errorf("%d errors, %s", report.Errors, report.Comparisons[0].Verdict)
	}
	text, err := os.ReadFile("../../docs/experiments.md")
	if err != nil {
		t.Fatal(err)
	}
	a, b := report.Variants[0], report.Variants[1]
	said := fmt.Sprintf("it is %.1f s\ninstead of %.1f s", b.Means["latency_ms"]/1000, a.Means["latency_ms"]/1000)
	if !strings.Contains(string(text), said) || a.Carried != nil || b.Carried != nil {
		t.Errorf("docs/experiments.md does not say %q, or replies are carried over: %v, %v", said, a.Carried, b.Carried)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// recordReplies records the shipped replies anew. A server gives what the model said when it was asked for the same thing
// in the words of that time: the recordings move to the prompts and interfaces of today. What was never asked for is
// missing, and needs a model. Tokens are those of the new prompts, as the server counts them.
func recordReplies(t *testing.T) {
	t.Helper()
	old := absolute(t, shippedReplies)
	server, err := llmtest.Start(llmtest.Script{Replies: knownReplies(t, old)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	d := newDesk(t)
	d.env = append(d.env, "VLLM_BASE_URL="+server.BaseURL())
	anew := t.TempDir()
	if printed, err := d.command("experiment", "run", absolute(t, shippedExperiment), "--record", anew, "--replay", "", "--concurrency", "1", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	for _, r := range server.Requests() {
		if !r.Answered {
			t.Errorf("there is no reply of a model for: %s", r.Messages[len(r.Messages)-1].Content)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	untime(t, anew)
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(old, os.DirFS(anew)); err != nil {
		t.Fatal(err)
	}
}

// untime takes out of recordings how long calls took: the milliseconds of the server of a test are those of no model.
func untime(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, timeMember.ReplaceAll(data, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// timeMember is a line of a recording that is never the last of its object.
var timeMember = regexp.MustCompile(`(?m)^ *"(latency_ms|first_token_ms)": [0-9.e+-]+,\n`)

// exchange is what a model said to a prompt, as it was recorded.
type exchange struct {
	prompt string // all messages
	turns  int    // how many they are
	asked  int    // how much of the prompt its Match names
	llmtest.Reply
}

// recordedIn reads the exchanges of a folder.
func recordedIn(t testing.TB, dir string) []exchange {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []exchange
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Request struct {
				Messages []struct{ Role, Content string }
				Schema   struct{ Name string }
			}
			Reply struct {
				Text      string
				ToolCalls []struct{ Name, Arguments string } `json:"tool_calls"`
			}
		}
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if e.Request.Schema.Name != "" && len(e.Reply.ToolCalls) > 0 {
			t.Fatalf("%s: a tool is called where a reply of a schema was asked for", file)
		}
		x := exchange{turns: len(e.Request.Messages), Reply: llmtest.Reply{Schema: e.Request.Schema.Name, Text: e.Reply.Text}}
		for _, m := range e.Request.Messages {
			x.prompt += m.Content
		}
		for _, c := range e.Reply.ToolCalls {
			var arguments any
			if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			x.ToolCalls = append(x.ToolCalls, llmtest.ToolCall{Name: c.Name, Arguments: arguments})
		}
		all = append(all, x)
	}
	return all
}

// knownReplies are the replies of recordings, for requests that ask the same of the model: the same schema, and the same
// material of those fences that say what is asked for. Those of one request stand in the order in which they were given.
func knownReplies(t *testing.T, dir string) []llmtest.Reply {
	t.Helper()
	all := recordedIn(t, dir)
	for i := range all {
		x := &all[i]
		asked := fences(x.prompt, "request", "draft", "steps", "inputs", "stdin")
		if style := styleOf.FindStringSubmatch(x.prompt); x.Schema == "workflow" && style != nil {
			asked = append([]string{regexp.QuoteMeta(style[1])}, asked...)
		}
		x.asked = len(asked)
		// Prompts may share what they ask about, and a reply without a schema fits them all: the prompt's first words tell.
		begins, _, _ := strings.Cut(x.prompt, ",")
		x.Match = strings.Join(append([]string{regexp.QuoteMeta(begins)}, asked...), ".*")
	}
	// What was asked for with a style or a draft beside the request goes first: a reply without these fits all.
	slices.SortStableFunc(all, func(a, b exchange) int { return cmp.Or(cmp.Compare(a.turns, b.turns), cmp.Compare(b.asked, a.asked)) })
	replies := make([]llmtest.Reply, len(all))
	for i, x := range all {
		replies[i] = x.Reply
	}
	return replies
}

// styleOf finds the style that a draft is to have: the paragraph between the list of mistakes and the material.
var styleOf = regexp.MustCompile(`\n\n([^-#<\n][^\n]*)\n\n<(?:components|request)-[0-9]+>\n`)

var fenceStart = regexp.MustCompile(`<([a-z]+)-([0-9]+)>\n`)

// fences are the blocks of a prompt that fence material of these names, quoted for a regular expression, in order.
func fences(prompt string, names ...string) []string {
	var out []string
	for _, m := range fenceStart.FindAllStringSubmatchIndex(prompt, -1) {
		name, number := prompt[m[2]:m[3]], prompt[m[4]:m[5]]
		closing := "\n</" + name + "-" + number + ">"
		end := strings.Index(prompt[m[1]:], closing)
		if end >= 0 && slices.Contains(names, name) {
			out = append(out, regexp.QuoteMeta(prompt[m[0]:m[1]+end+len(closing)]))
		}
	}
	return out
}
