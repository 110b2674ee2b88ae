package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/planner"
	"pflow/internal/value"
)

// What plans come to (summary) and the ways they take (shortPath).
const (
	reused    = `ready reuse duplicate-file {"source":"a.txt","target":"b.txt"} [] 0 -`
	generated = `ready generate copy-a-file {"source":"a.txt","target":"b.txt"} [] 1 -`
	wayA      = "discovery gate preparation result"
	wayB      = "discovery browsing parameters generation validation metadata gate preparation result"
	askedB    = "choice parameters workflow metadata values"
)

// route is one way through the planner: what the model replies, and what must come of it.
type route struct {
	name    string
	saved   string // a saved workflow of the name duplicate-file
	request string // "": copy a.txt to b.txt
	stdin   string
	replies []string // names of scripted, or lines of a script
	asked   string
	want    string
	path    string
	exit    int
	says    string // what stderr holds; "" is that it is empty
	about   string // what the error, the candidates or the warnings of the plan hold, each line once
	args    []string
	check   func(t *testing.T, p *planningDesk, plan *planner.Result)
}

func (c route) run(t *testing.T) {
	t.Parallel()
	p := newPlanning(t, c.replies...)
	if c.saved != "" {
		p.savedAs("duplicate-file", c.saved)
	}
	if c.request == "" {
		c.request = "copy a.txt to b.txt"
	}
	p.stdin = c.stdin
	plan, stderr, status := p.plan(c.request, c.args...)
	if diff := cmp.Diff([]string{c.want, c.path, c.asked}, []string{summary(plan), shortPath(plan), p.asked()}); diff != "" {
		t.Errorf("-want +got:\n%s\n%v\n%s", diff, plan.Error, stderr)
	}
	if status != c.exit {
		t.Errorf("exit %d, want %d", status, c.exit)
	}
	if c.says == "" && stderr != "" || !strings.Contains(stderr, c.says) {
		t.Errorf("stderr, want %q:\n%s", c.says, stderr)
	}
	told := value.JSON(plain(t, map[string]any{"error": plan.Error, "candidates": plan.Candidates, "diagnostics": plan.Diagnostics}))
	for _, line := range strings.Split(c.about, "\n") {
		if !strings.Contains(told, line) {
			t.Errorf("the plan does not say %q: %s", line, told)
		}
	}
	if plan.Usage.Calls > 40 {
		t.Errorf("%d calls", plan.Usage.Calls)
	}
	if c.check != nil {
		c.check(t, p, plan)
	}
}

func plain(t *testing.T, v any) any {
	t.Helper()
	out, err := value.Normalize(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// after gives the replies of the calls before generation, and then others.
func after(replies ...string) []string { return append([]string{"chosen", "named"}, replies...) }

// TestPlannerDiscovery takes discovery through all that it can come to.
func TestPlannerDiscovery(t *testing.T) {
	rest := func(first string) []string { return []string{first, "chosen", "named", "good", "described", "taken"} }
	missed := func(name, saved, first, about string) route {
		asked := "discovery " + askedB
		if strings.Contains(first, "times: 3") {
			asked = "discovery discovery " + asked
		}
		return route{name: name, saved: saved, replies: rest(first), asked: asked, want: generated, path: wayB, about: about}
	}
	for _, c := range []route{
		{name: "found", saved: duplicateFile, replies: []string{"found", "taken"}, asked: "discovery values", want: reused, path: wayA},
		{name: "an empty library is asked nobody about", replies: rest("")[1:], asked: askedB, want: generated, path: wayB},
		missed("not found", duplicateFile, "not-found", `"name":"duplicate-file"`),
		missed("not sure", duplicateFile, strings.Replace(scripted["found"], "0.9", "0.4", 1), `"name":"duplicate-file"`),
		missed("a name that is not there", duplicateFile, strings.Replace(scripted["found"], "duplicate-file", "copy-everything", 1),
			`"confidence":0,"name":"copy-everything","reason":"there is no saved workflow`),
		missed("found without a name", duplicateFile, strings.Replace(scripted["found"], "duplicate-file", "null", 1), ""),
		missed("it no longer validates", strings.Replace(duplicateFile, `"copy-file"`, `"copy-machine"`, 1), "found",
			`"confidence":0,"name":"duplicate-file","reason":"the saved workflow duplicate-file is no longer valid: `),
		missed("the model fails", duplicateFile, faulty("found", "server_error", "3"), `(the model failed: openai/gpt-4.1-mini at http`),
		missed("the model refuses", duplicateFile, faulty("found", "refusal", "1"), `(the model failed: `),
	} {
		t.Run(c.name, c.run)
	}

	// A file that cannot be read is no candidate, and is named.
	t.Run("a file that cannot be loaded", func(t *testing.T) {
		t.Parallel()
		p := newPlanning(t, rest(strings.Replace(scripted["found"], "duplicate-file", "broken", 1))...)
		p.savedAs("duplicate-file", duplicateFile)
		p.savedAs("broken", `{"name": "broken", "ir": {`)
		plan, stderr, status := p.plan("copy a.txt to b.txt")
		if got := summary(plan); got != generated || status != 0 || !strings.Contains(stderr, "broken.json") {
			t.Errorf("%s, exit %d\n%s", got, status, stderr)
		}
		if strings.Contains(p.sent("discovery", 1), "broken") {
			t.Error("what cannot be loaded was offered")
		}
	})

	// A model that does not answer in time is one that failed.
	t.Run("the model does not answer in time", func(t *testing.T) {
		t.Parallel()
		p := newPlanning(t, rest(faulty("found", "slow", "3"))...)
		p.savedAs("duplicate-file", duplicateFile)
		plan, stderr, status := p.plan("copy a.txt to b.txt", "--set", "planner-discovery:nodes.ask.timeout=200ms")
		if got := summary(plan); got != generated || status != 0 || stderr != "" || !strings.Contains(value.JSON(plain(t, plan.Candidates)), "no result within 200ms") {
			t.Errorf("%s, exit %d\n%s\n%v", got, status, stderr, plan.Candidates)
		}
	})
}

// TestPlannerGeneration takes path B through all that it can come to before the gate.
func TestPlannerGeneration(t *testing.T) {
	const known = "discovery browsing parameters"
	sentOnce := func(schema string, nth int, want ...string) func(*testing.T, *planningDesk, *planner.Result) {
		return func(t *testing.T, p *planningDesk, _ *planner.Result) {
			t.Helper()
			for _, w := range want {
				if sent := p.sent(schema, nth); !strings.Contains(sent, w) {
					t.Errorf("the request %d for %s does not hold %q:\n%s", nth, schema, w, sent)
				}
			}
		}
	}
	twice := " generation validation generation validation metadata gate preparation result"
	second := strings.Replace(generated, "[] 1 ", "[] 2 ", 1)
	const askedTwice = "choice parameters workflow workflow metadata values"
	good := []string{"good", "described", "taken"}
	for _, c := range []route{
		{name: "browsing chooses what there is not", replies: append([]string{
			`{schema: choice, json: {node_ids: [copy-file, teleport], workflow_names: [beam-up], reasoning: fast}}`, "named"}, good...),
			asked: askedB, want: generated, path: wayB,
			says: "dropped, since the catalogue does not have it: teleport, beam-up"},
		{name: "the model of browsing fails: the lexical shortlist", replies: append([]string{faulty("chosen", "refusal", "1"), "named"}, good...),
			asked: askedB, want: generated, path: wayB,
			check: func(t *testing.T, p *planningDesk, plan *planner.Result) {
				if got := value.JSON(plain(t, plan.Browsed)); !strings.Contains(got, `"copy-file"`) || !strings.Contains(got, "since the model failed") {
					t.Error(got)
				}
			}},
		{name: "saved workflows are components", saved: duplicateFile, replies: append([]string{"not-found",
			`{schema: choice, json: {node_ids: [write-file], workflow_names: [duplicate-file], reasoning: both}}`, "named",
			draftLine(`{id: copy-it, type: duplicate-file, purpose: Copy it, params: {source: "${source}", target: "${target}"}}`)}, good[1:]...),
			asked: "discovery " + askedB, want: generated, path: wayB, check: sentOnce("workflow", 1, "duplicate-file", "Copy a file to another place.")},
		{name: "the model of parameter-discovery fails: no values, masked by their form", replies: append([]string{"chosen", faulty("named", "refusal", "1")}, good...),
			asked: askedB, want: generated, path: wayB,
			check: func(t *testing.T, p *planningDesk, plan *planner.Result) {
				if len(plan.Discovered) > 0 || strings.Contains(p.sent("metadata", 1), "a.txt") {
					t.Errorf("%v\n%s", plan.Discovered, p.sent("metadata", 1))
				}
			}},
		{name: "infeasible", replies: after("impossible"), asked: "choice parameters workflow", exit: exitUnplanned,
			want: `infeasible <nil> <nil> {} [] 1 infeasible`, path: known + " generation result", says: "there is no component that paints",
			about: "there is no component that paints\npflow node search"},
		{name: "generation fails for good", replies: after(faulty("good", "refusal", "1")), asked: "choice parameters workflow", exit: exitUnplanned,
			want: `failed <nil> <nil> {} [] 1 refused`, path: known + " generation result", says: "refused", about: `"node":"workflow-generation"`},
		{name: "a draft goes back with what is wrong", replies: after(append([]string{"bad-type"}, good...)...), asked: askedTwice, want: second, path: known + twice,
			check: sentOnce("workflow", 2, "unknown-node-type", "copy-fil", "Did you mean copy-file?", "## Attempt 2")},
		{name: "the model's IR is no JSON", replies: after(append([]string{`{schema: workflow, text: "I would copy the file with cp.", times: 2}`}, good...)...),
			asked: "choice parameters workflow workflow workflow metadata values", want: second, path: known + twice,
			check: sentOnce("workflow", 3, "malformed-json", "I would copy the file with cp.")},
		{name: "a value of the request in params", replies: after(append([]string{"literal"}, good...)...), asked: askedTwice, want: second, path: known + twice,
			check: sentOnce("workflow", 2, "request-literal", "${source}")},
		{name: "the model of metadata fails: named after the request", replies: after("good", faulty("described", "refusal", "1"), "taken"), asked: askedB,
			want: strings.Replace(generated, "copy-a-file", "copy-source-to-target", 1), path: wayB},
		{name: "metadata with a value of the request", replies: after("good",
			`{schema: metadata, json: {name: copy-a-txt, description: Copies a.txt., keywords: [copy, a.txt]}}`, "taken"), asked: askedB,
			want: strings.Replace(generated, "copy-a-file", "copy-source-to-target", 1), path: wayB,
			check: func(t *testing.T, _ *planningDesk, plan *planner.Result) {
				if got := value.JSON(plain(t, plan.Metadata)); strings.Contains(got, "a.txt") {
					t.Error(got)
				}
			}},
	} {
		t.Run(c.name, c.run)
	}
}

// TestPlannerRecovery: a draft goes back as often as its class of errors allows, within three generations; then the plan is
// invalid and keeps the last draft.
func TestPlannerRecovery(t *testing.T) {
	node := func(old, new string) string { return draftLine(strings.Replace(goodNode, old, new, 1)) }
	cycle := strings.Replace(scripted["good"], "edges: []", "edges: [{from: copy-it, to: again}, {from: again, to: copy-it}]", 1)
	cycle = strings.Replace(cycle, "nodes: [", `nodes: [{id: again, type: copy-file, purpose: Copy, params: {source_path: "${copy-it.dest_path}", dest_path: "${target}"}}, `, 1)
	for _, c := range []struct {
		class, draft, code string
		drafts             int // how many are made before it is given up
		told               string
	}{
		{"structure", node("id: copy-it", "id: copy it"), "bad-id", 3, "The form is wrong."},
		{"unknown-node-type", "bad-type", "unknown-node-type", 3, "Use only the components listed above"},
		{"cycle", cycle, "cycle", 2, "Make it sequential."},
		{"data-flow", node(`"${source}", dest_path: "${target}"`, `"${source}${target}"`), "missing-input", 3, "copy-it outputs dest_path"},
		{"unresolved-template", node("${source}", "${source}${sorce.path}"), "unresolved-template", 3, "list what is in reach."},
		{"other", node(`"${source}", dest_path: "${target}"`, `a.txt, dest_path: "${source}${target}"`), "request-literal", 3, "Do what each finding says."},
	} {
		t.Run(c.class, func(t *testing.T) {
			t.Parallel()
			line, ok := scripted[c.draft]
			if !ok {
				line = c.draft
			}
			line = strings.TrimSuffix(line, "}") + ", times: " + string(rune('0'+c.drafts)) + "}"
			p := newPlanning(t, after(line)...)
			plan, stderr, status := p.plan("copy a.txt to b.txt")
			if plan.Status != planner.Invalid || plan.Attempts != c.drafts || status != exitUnplanned || plan.WorkflowIR == nil || len(plan.Diagnostics) == 0 {
				t.Fatalf("%s, exit %d, draft %v\n%s", summary(plan), status, plan.WorkflowIR, stderr)
			}
			first := plan.Diagnostics[0].(map[string]any)
			if c.code != "" && first["code"] != c.code {
				t.Errorf("the first diagnostic is %v", first)
			}
			if retry := p.sent("workflow", 2); !strings.Contains(retry, c.told) || !strings.Contains(retry, "## Attempt 2") {
				t.Errorf("the second request lacks %q:\n%s", c.told, retry)
			}
			if c.drafts == 3 && !strings.Contains(p.sent("workflow", 3), "Make it simpler: fewer nodes") {
				t.Errorf("the third request:\n%s", p.sent("workflow", 3))
			}
			if msg := errorOf(plan, "message"); msg == "" || !strings.Contains(stderr, msg) {
				t.Errorf("message %q, stderr %q", msg, stderr)
			}
			cause := value.JSON(plain(t, plan.Error.(map[string]any)["cause"]))
			for _, key := range []string{"kind", "time", "user_input", "attempts", "model", "temperature", "prompt_chars", "reply", "context_chars", "components",
				"validation_errors", "attempt_history", "error_history"} {
				if !strings.Contains(cause, `"`+key+`":`) {
					t.Errorf("the cause lacks %s: %s", key, cause)
				}
			}
		})
	}
}
