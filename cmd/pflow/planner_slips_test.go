//go:build !race

package main

import (
	"regexp"
	"strings"
	"testing"

	"pflow/internal/planner"
	"pflow/internal/value"
)

// tidied is a request with several clauses, and tidyReply a whole reply to it, as a model writes it.
const (
	tidied    = "read notes.txt, write its words in capitals to loud.txt, and list the files of docs/ in files.json"
	tidyReply = `{"feasible": true, "reason": "", "workflow": {"ir_version": "0.1.0",
 "inputs": {"source": {"type": "string", "required": true, "description": "The file to read"},
  "target": {"type": "string", "required": true, "description": "Where the capitals go"},
  "folder": {"type": "string", "required": true, "description": "The folder to list"},
  "listing": {"type": "string", "required": true, "description": "Where the list goes"}},
 "nodes": [{"id": "read-words", "type": "read-file", "purpose": "Read the words", "params": {"file_path": "${source}"}, "retry": {"attempts": 3, "wait": "1s"}},
  {"id": "raise-words", "type": "transform", "purpose": "Write them in capitals", "params": {"expression": "upper(string(text))", "inputs": {"text": "${read-words.content}"}}},
  {"id": "keep-words", "type": "write-file", "purpose": "Keep them", "params": {"file_path": "${target}", "content": "${raise-words.result}"}},
  {"id": "list-docs", "type": "list-files", "purpose": "List the files of the folder", "params": {"path": "${folder}"}},
  {"id": "shape-list", "type": "transform", "purpose": "Name each file", "params": {"expression": "map(files, {{\"file\": #}})", "inputs": {"files": "${list-docs.files}"}}},
  {"id": "keep-list", "type": "write-file", "purpose": "Keep the list", "params": {"file_path": "${listing}", "content": "${shape-list.result}"}}],
 "edges": [{"from": "read-words", "to": "raise-words"}, {"from": "raise-words", "to": "keep-words"}, {"from": "keep-words", "to": "list-docs"},
  {"from": "list-docs", "to": "shape-list"}, {"from": "shape-list", "to": "keep-list"}],
 "outputs": {"loud": {"source": "${keep-words.file_path}", "type": "string", "description": "The file in capitals"}}},
 "parts": [{"text": "read", "by": "node:read-words"}, {"text": "notes.txt", "by": "input:source"}, {"text": "write", "by": "node:keep-words"},
  {"text": "in capitals", "by": "node:raise-words"}, {"text": "to loud.txt", "by": "input:target"},
  {"text": "and list the files", "by": "node:list-docs"}, {"text": "of docs/", "by": "input:folder"}, {"text": "in files.json", "by": "input:listing"}]}`
)

// slips are what models typically get wrong, each as a change of the reply. told is what of it the findings say, in one line
// of theirs; "" where the slip costs no attempt.
var slips = []struct{ name, old, new, told string }{
	{"name and description at the top", `"workflow": {"ir_version"`, `"workflow": {"name": "tidy-up", "description": "Tidies up.", "ir_version"`, ""},
	{"a node type that is made up", `"list-files"`, `"folder-lister"`, "unknown-node-type at nodes[3].type"},
	{"an input that nothing uses", `"inputs": {"source"`, `"inputs": {"verbose": {"type": "boolean", "default": false, "description": "Say more"}, "source"`, "unused-input at inputs.verbose"},
	{"{{x}} for ${x}", `"file_path": "${source}"`, `"file_path": "{{source}}"`, "foreign-template at nodes[0].params.file_path"},
	{"{x} for ${x}", `"file_path": "${target}"`, `"file_path": "{target}"`, "foreign-template at nodes[2].params.file_path"},
	{"an output that the interface does not have", "${read-words.content}", "${read-words.text}", "unresolved-template at nodes[1].params.inputs.text"},
	{"a required param is missing", `"path": "${folder}"`, "", "missing-input at nodes[3].params"},
	{"a value of the request in params", `"file_path": "${listing}"`, `"file_path": "files.json"`, "request-literal at nodes[5].params.file_path"},
	{"an arrow function", `upper(string(text))`, `text.split(\"\\n\").map(line => line.toUpperCase())`, "bad-template at nodes[1].params.expression: => cannot stand here"},
	{": in the object of a map", `map(files, {{\"file\": #}})`, `map(files, {\"file\": #})`, "bad-template at nodes[4].params.expression: the { before this"},
	{"a cycle", `{"from": "keep-words", "to": "list-docs"}`, `{"from": "keep-words", "to": "list-docs"}, {"from": "keep-words", "to": "raise-words"}`, "cycle at"},
	{"an edge to a node that is not there", `"edges": [`, `"edges": [{"from": "keep-list", "to": "tell-team"}, `, "dangling-edge at edges[0]"},
	{"a clause without a part", `{"text": "and list the files", "by": "node:list-docs"}, `, "", `uncovered-request at parts: no part is for "list the files"`},
	{"a part that the request does not have", `"text": "in capitals"`, `"text": "in upper case"`, `uncovered-request at parts[3]`},
	{"a retry with a wrong key", `"retry": {"attempts": 3`, `"retry": {"times": 3`, "unknown-key at nodes[0].retry.times"},
}

// slipped is the whole reply with the slips of some indices.
func slipped(t *testing.T, which func(i int) bool) string {
	t.Helper()
	reply := tidyReply
	for i, s := range slips {
		if !which(i) {
			continue
		}
		if strings.Count(reply, s.old) != 1 {
			t.Fatalf("%s: %q is not in the reply once", s.name, s.old)
		}
		reply = strings.Replace(reply, s.old, s.new, 1)
	}
	return reply
}

// saying is a line of a script: a reply of generation, as it is written.
func saying(text string) string { return `{schema: workflow, text: ` + value.JSON(text) + `}` }

// tidy plans with a model that generates these replies, one after the other.
func tidy(t *testing.T, generated ...string) (*planningDesk, *planner.Result) {
	t.Helper()
	replies := []string{`{schema: choice, json: {node_ids: [read-file, transform, write-file, list-files], workflow_names: [], reasoning: files}}`,
		`{schema: parameters, json: {params: [{name: source, value: notes.txt}, {name: target, value: loud.txt}, {name: folder, value: docs/}, {name: listing, value: files.json}]}}`}
	for _, g := range generated {
		replies = append(replies, saying(g))
	}
	p := newPlanning(t, append(replies, `{schema: metadata, json: {name: tidy-up, description: Writes words in capitals and lists files., keywords: [capitals, list]}}`,
		`{schema: values, json: {values: [{name: source, value: notes.txt}, {name: target, value: loud.txt}, {name: folder, value: docs/}, {name: listing, value: files.json}]}}`)...)
	plan, stderr, status := p.plan(tidied)
	if plan.Status != planner.Ready || status != 0 {
		t.Errorf("%s, exit %d\n%s\n%s", summary(plan), status, stderr, value.JSON(plain(t, plan.Diagnostics)))
	}
	return p, plan
}

var fencedFindings = regexp.MustCompile(`(?s)\n<findings-\d+>\n(.*?)\n</findings-\d+>`)

// findings are the lines in which the nth request for a workflow says what is wrong with the draft before.
func (p *planningDesk) findings(nth int) []string {
	p.t.Helper()
	between := fencedFindings.FindStringSubmatch(p.sent("workflow", nth))
	if between == nil {
		p.t.Fatalf("the request %d for a workflow has no findings:\n%s", nth, p.sent("workflow", nth))
	}
	return strings.Split(between[1], "\n")
}

// tells reports whether findings tell of a slip.
func tells(findings []string, told string) bool {
	for _, f := range findings {
		if strings.HasPrefix(f, told) {
			return true
		}
	}
	return false
}

// TestPlannerSlips: each slip is named to the model, and mended in one attempt.
func TestPlannerSlips(t *testing.T) {
	for i, s := range slips {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			replies := []string{slipped(t, func(k int) bool { return k == i }), tidyReply}
			if s.told == "" {
				replies = replies[:1]
			}
			p, plan := tidy(t, replies...)
			if plan.Attempts != len(replies) {
				t.Errorf("%d attempts", plan.Attempts)
			}
			if len(replies) > 1 && !tells(p.findings(2), s.told) {
				t.Errorf("the model is not told %q, but\n%s", s.told, strings.Join(p.findings(2), "\n"))
			}
		})
	}
	t.Run("prose around the JSON", func(t *testing.T) { // costs nothing
		t.Parallel()
		if _, plan := tidy(t, "Here is the workflow:\n\n```json\n"+tidyReply+"\n```\nTell me if {you} need anything else!"); plan.Attempts != 1 {
			t.Errorf("%d attempts", plan.Attempts)
		}
	})
	t.Run("JSON that is cut off", func(t *testing.T) {
		t.Parallel()
		p, plan := tidy(t, tidyReply[:strings.Index(tidyReply, `{"id": "shape-list"`)], tidyReply)
		if plan.Attempts != 2 || !tells(p.findings(2), `uncovered-request at parts: no part is for "read notes.txt"`) {
			t.Errorf("%d attempts\n%s", plan.Attempts, strings.Join(p.findings(2), "\n"))
		}
	})
	t.Run("no JSON", func(t *testing.T) {
		t.Parallel()
		p, plan := tidy(t, "I would read the file first.", "I would read the file first.", tidyReply) // the client asks once more for JSON
		if plan.Attempts != 2 || !tells(p.findings(3), "malformed-json at the whole") {
			t.Errorf("%d attempts\n%s", plan.Attempts, strings.Join(p.findings(3), "\n"))
		}
	})
}

// TestPlannerSlipsTogether: of all slips in one draft the model is told twelve findings; when it has mended what it was told,
// and nothing else, the rest is told, and the third draft is good.
func TestPlannerSlipsTogether(t *testing.T) {
	all := "Here you are:\n" + slipped(t, func(int) bool { return true })
	p, plan := tidy(t, all, tidyReply)
	told := p.findings(2)
	if plan.Attempts != 2 || len(told) != 12 {
		t.Errorf("%d attempts, %d findings\n%s", plan.Attempts, len(told), strings.Join(told, "\n"))
	}
	missed := map[int]bool{}
	for i, s := range slips {
		if s.told != "" && !tells(told, s.told) {
			missed[i] = true
		}
	}
	p, plan = tidy(t, all, slipped(t, func(i int) bool { return missed[i] }), tidyReply)
	again := p.findings(3)
	for i, s := range slips {
		if missed[i] && !tells(again, s.told) {
			t.Errorf("%s: neither of the requests says %q:\n%s\n%s", s.name, s.told, strings.Join(told, "\n"), strings.Join(again, "\n"))
		}
	}
	if plan.Attempts != 3 {
		t.Errorf("%d attempts", plan.Attempts)
	}
}

// TestPlannerAgentSlips: what the agent submits is held to the same rules, and it is told the same.
func TestPlannerAgentSlips(t *testing.T) {
	submit := func(line string) string {
		_, reply, _ := strings.Cut(strings.TrimSuffix(line, "}"), "json: ")
		return `{tool_calls: [{name: submit, arguments: ` + reply + `}]}`
	}
	noType := strings.Replace(goodNode, "copy-file", "copy-fil", 1)
	p := newPlanning(t, submit(draftWith("[]", noType)), submit(scripted["good"]), "described", "taken")
	plan, stderr, status := p.plan("copy a.txt to b.txt", "--flow", "planner-agent")
	if got := summary(plan); got != strings.Replace(generated, "[] 1 ", "[] 2 ", 1) || status != 0 {
		t.Errorf("%s, exit %d\n%s", got, status, stderr)
	}
	messages := p.server.Requests()[1].Messages
	answer := messages[len(messages)-1].Content
	for _, want := range []string{"It is not valid.", "unknown-node-type at nodes[0].type", "uncovered-request at parts", "These components are near:", "### copy-file"} {
		if !strings.Contains(answer, want) {
			t.Errorf("the agent is not told %q:\n%s", want, answer)
		}
	}
}
