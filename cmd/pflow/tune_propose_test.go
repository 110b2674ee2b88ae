package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pflow/internal/experiment"
	"pflow/internal/llmtest"
	"pflow/internal/tune"
)

// proposedFlow asks a model whether a request can be done.
const proposedFlow = `flow: ask
version: 1
state:
  user_input: {type: string, required: true}
  answer: {type: string, default: ""}
  planner_output: {type: any, default: null}
limits: {calls: 3}
nodes:
  ask:
    op: llm
    prep: {request: store.user_input}
    with: {prompt: ask}
    retry: {attempts: 1}
    post: {answer: result.value.answer}
    next: tell
  tell:
    op: eval
    prep: {answer: store.answer}
    with: {expr: '{"status": prep.answer == "yes" ? "ready" : "infeasible", "workflow_name": "w", "workflow_ir": {"nodes": [{"id": "a", "type": "log"}]}}'}
    post: {planner_output: result}
    next: end
`

// proposing is a folder with a flow, its prompt and cases, of which every second one fails with the prompt as it is.
func proposing(t *testing.T, replies ...llmtest.Reply) (run func(args ...string) (status int, out, messages string), server *llmtest.Server, split tune.Split, dir string) {
	t.Helper()
	dir = t.TempDir()
	var lines strings.Builder
	var cases []experiment.Case
	for i := range 60 {
		c := experiment.Case{ID: fmt.Sprint(i), Request: fmt.Sprintf("%s thing<%d>", []string{"plain", "hard"}[i%2], i)}
		cases = append(cases, c)
		fmt.Fprintf(&lines, "{\"id\": %q, \"request\": %q, \"expect\": {\"status\": \"ready\"}}\n", c.ID, c.Request)
	}
	for name, text := range map[string]string{
		"ask.yaml": proposedFlow, "cases.jsonl": lines.String(),
		"prompts/ask.tmpl":           "---\nname: ask\ndescription: Asks.\nvariables: [request]\nschema: answer\n---\nCan this be done? {{.request}}\n",
		"prompts/answer.schema.json": `{"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"], "additionalProperties": false}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(match, text string) llmtest.Reply {
		return llmtest.Reply{Schema: "answer", Match: match, JSON: map[string]any{"answer": text}, Times: llmtest.Any}
	}
	server = llmtest.New(t, llmtest.Script{Replies: append(replies, answer("TAKE YOUR TIME", "yes"), answer("hard", "no"), answer("plain", "yes"))})
	run = func(args ...string) (int, string, string) {
		t.Helper()
		env := map[string]string{"OPENAI_BASE_URL": server.BaseURL(), "OPENAI_API_KEY": serverKey}
		var out, messages bytes.Buffer
		a := newApp(strings.NewReader(""), &out, &messages, func(name string) string { return env[name] })
		status := a.main(t.Context(), append([]string{"tune", filepath.Join(dir, "ask.yaml"), "--cases", filepath.Join(dir, "cases.jsonl"), "--home", filepath.Join(dir, "home")}, args...))
		return status, out.String(), messages.String()
	}
	return run, server, tune.SplitCases(cases, 0.5, 1), dir
}

func proposes(text string) llmtest.Reply {
	return llmtest.Reply{Schema: "tune", JSON: map[string]any{"why": "Hard things take time.", "prompt": text}}
}

const goodProposal = "Can this be done? TAKE YOUR TIME. {{.request}}"

// TestTuneProposals: of three proposals, the one that helps is judged by the held-out part, wins and is written; those that use other
// variables or change nothing are named and dropped. No held-out case is ever shown to the model that proposes, and the same command calls nothing again.
func TestTuneProposals(t *testing.T) {
	run, server, split, dir := proposing(t, proposes("Can this be done? {{.wish}}"), proposes(goodProposal), proposes("Can this be done? {{.request}}"))
	status, out, messages := run("--model", "openai/gpt-4.1-mini", "--propose", "3")
	if status != exitDone {
		t.Fatal(status, out, messages)
	}
	for _, want := range []string{
		"PROMOTE: prompts.ask=proposal 2\n",
		"the template uses {{.wish}}, which variables does not declare",
		"prompts.ask=proposal 1: dropped: ",
		"prompts.ask=proposal 2: Hard things take time.\n",
		"prompts.ask=proposal 3: dropped: it is the prompt as it is\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s%s", want, out, messages)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "prompts", "ask-tuned-ask.tmpl"))
	if err != nil || !strings.Contains(string(data), goodProposal) || !strings.Contains(string(data), "variables: [request]") {
		t.Errorf("%s, %v", data, err)
	}
	if data, err = os.ReadFile(filepath.Join(dir, "ask-tuned.yaml")); err != nil || !strings.Contains(string(data), "prompt: ask-tuned-ask") {
		t.Errorf("%s, %v", data, err)
	}
	asked, shown := 0, 0
	for _, r := range server.Requests() {
		if r.Schema != "tune" {
			continue
		}
		asked++
		text := ""
		for _, m := range r.Messages {
			text += m.Content
		}
		for _, c := range split.HeldOut {
			if strings.Contains(text, c.Request) {
				t.Errorf("the held-out case %q stands in the prompt:\n%s", c.Request, text)
			}
		}
		for _, c := range split.Search {
			if strings.Contains(text, c.Request) {
				shown++
				if strings.HasPrefix(c.Request, "plain") {
					t.Errorf("the case %q did not fail:\n%s", c.Request, text)
				}
			}
		}
	}
	if asked != 3 || shown == 0 {
		t.Errorf("%d proposals were asked for, with %d cases", asked, shown)
	}
	before := len(server.Requests())
	status, out, messages = run("--model", "openai/gpt-4.1-mini", "--propose", "3", "--force", "--json")
	if got := len(server.Requests()); status != exitDone || got != before {
		t.Errorf("again: %d calls more, status %d: %s", got-before, status, messages)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err == nil {
		err = compileSchema(t, "tune").Validate(v)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestTuneProposalsAreBounded: a dry run calls nothing and says how many calls it is at most; a budget that is used up before the proposals
// asks for none of them.
func TestTuneProposalsAreBounded(t *testing.T) {
	run, server, split, _ := proposing(t)
	status, out, messages := run("--model", "openai/gpt-4.1-mini", "--propose", "2", "--dry-run", "--json")
	var told tuneReport
	if err := json.Unmarshal([]byte(out), &told); err != nil || status != exitDone {
		t.Fatal(status, err, out, messages)
	}
	want := 3 * (len(split.Search) + told.Search.Plans + told.HeldOut.Plans)
	if p := told.Propose; p == nil || p.Plans != len(split.Search) || p.Calls != 2*proposalCalls || p.PlanCalls == nil || *p.PlanCalls != want {
		t.Errorf("%s", out)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("the dry run made %d calls", n)
	}
	n := fmt.Sprint(len(split.Search))
	status, _, messages = run("--model", "openai/gpt-4.1-mini", "--propose", "2", "--max-calls", n, "--quiet")
	if status != exitFailed || !strings.Contains(messages, "the budget calls "+n+" is used up at the proposals, with 2 plans of it still to make") {
		t.Error(status, messages)
	}
	if got := len(server.Requests()); got != len(split.Search) {
		t.Errorf("%d calls, want %s", got, n)
	}
}

// TestTuneProposalsAskAgain: a model that could not be asked has not proposed nothing; the same command goes on.
func TestTuneProposalsAskAgain(t *testing.T) {
	run, server, split, _ := proposing(t, llmtest.Reply{Schema: "tune", Fault: "server_error"}, proposes(goodProposal))
	status, _, messages := run("--model", "openai/gpt-4.1-mini", "--propose", "1")
	if status != exitFailed || !strings.Contains(messages, "no proposal for the prompt ask: ") || !strings.Contains(messages, "the same command goes on") {
		t.Fatal(status, messages)
	}
	before := len(server.Requests())
	status, out, messages := run("--model", "openai/gpt-4.1-mini", "--propose", "1")
	if status != exitDone || !strings.Contains(out, "PROMOTE: prompts.ask=proposal 1") {
		t.Error(status, out, messages)
	}
	if before < len(split.Search) {
		t.Errorf("%d calls before it was broken off", before)
	}
}

// TestTuneProposalsNeedAModel: without one it is an error before anything is planned.
func TestTuneProposalsNeedAModel(t *testing.T) {
	run, server, _, dir := proposing(t)
	status, _, messages := run("--model", "none", "--propose", "2")
	if status != exitUsage || !strings.Contains(messages, "no model is configured, and a model proposes") {
		t.Error(status, messages)
	}
	if _, err := os.Stat(filepath.Join(dir, "home", "tune")); !os.IsNotExist(err) || len(server.Requests()) > 0 {
		t.Error("something was planned", err)
	}
}
