package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recordings are exchanges with a model, which planners are replayed from here and in docs/tuning.md.
const recordings = "../../examples/recorded"

// inCapitals is what is asked for in them, and loud the same of other files.
const (
	inCapitals = "make the words of notes.txt loud, all in capitals, and keep them in loud.txt"
	inOther    = "make the words of minutes.txt loud, all in capitals, and keep them in shout.txt"
)

const capitalsDraft = `{ir_version: "0.1.0",
      inputs: {source: {type: string, required: true, description: The file to read}, target: {type: string, required: true, description: Where the words in capitals go}},
      nodes: [{id: read-words, type: read-file, purpose: Read the words, params: {file_path: "${source}"}},
        {id: raise-words, type: transform, purpose: Write them in capitals, params: {expression: upper(string(text)), inputs: {text: "${read-words.content}"}}},
        {id: keep-words, type: write-file, purpose: Keep them, params: {file_path: "${target}", content: "${raise-words.result}"}}],
      edges: [{from: read-words, to: raise-words}, {from: raise-words, to: keep-words}],
      outputs: {loud_file: {source: "${keep-words.file_path}", type: string, description: The file with the words in capitals}}}`

// capitalsParts are what the draft says stands for each part of the request.
const capitalsParts = `[{text: make the words, by: "node:read-words"}, {text: of notes.txt, by: "input:source"}, {text: "loud, all in capitals", by: "node:raise-words"},
      {text: and keep them, by: "node:keep-words"}, {text: in loud.txt, by: "input:target"}]`

// said are the replies that are recorded.
var said = map[string]string{
	"choice":     `{schema: choice, json: {node_ids: [read-file, transform, write-file], workflow_names: [], reasoning: "read, change and keep the text"}}`,
	"parameters": `{schema: parameters, json: {params: [{name: source, value: notes.txt}, {name: target, value: loud.txt}]}}`,
	"workflow":   `{schema: workflow, json: {feasible: true, reason: "", workflow: ` + capitalsDraft + `, parts: ` + capitalsParts + `}}`,
	"metadata":   `{schema: metadata, json: {name: capitalize-file, description: Writes the words of a text file in capitals to another file., keywords: [capitals, upper case, loud]}}`,
	"values":     `{schema: values, json: {values: [{name: source, value: notes.txt}, {name: target, value: loud.txt}]}}`,
	"discovery": `{schema: discovery, json: {found: true, workflow_name: capitalize-file, confidence: 0.95, reasoning: it writes the words of a file in capitals to another,
      parts: [{text: make the words, by: workflow}, {text: of minutes.txt, by: value}, {text: "loud, all in capitals, and keep them", by: workflow}, {text: in shout.txt, by: value}]}}`,
	"others":   `{schema: values, json: {values: [{name: source, value: minutes.txt}, {name: target, value: shout.txt}]}}`,
	"describe": `{tool_calls: [{name: describe_nodes, arguments: {names: [read-file, transform, write-file]}}]}`,
	"submit":   `{tool_calls: [{name: submit, arguments: {workflow: ` + capitalsDraft + `, parts: ` + capitalsParts + `}}]}`,
}

// recorded are the plans that are recorded: the words are keys of said, in the order of the calls.
var recorded = []struct{ name, flow, request, replies string }{
	{"planner", "planner", inCapitals, "choice parameters workflow metadata values"},
	{"planner-again", "planner", inOther, "discovery others"},
	{"planner-fast", "planner-fast", inCapitals, "choice parameters workflow metadata values"},
	{"planner-hybrid", "planner-hybrid", inCapitals, "choice parameters workflow metadata values"},
	{"planner-strategies", "planner-strategies", inCapitals, "choice parameters workflow workflow workflow metadata values"},
	{"planner-agent", "planner-agent", inCapitals, "describe submit metadata values"},
}

// replaying plans one of the recorded.
func (p *planningDesk) replaying(name, flow, request string, args ...string) (stdout, stderr string, status int) {
	p.t.Helper()
	if name == "planner-again" {
		p.savedAs("capitalize-file", capitalizeFile)
	}
	return p.run(append([]string{"plan", "--json", "--flow", flow, "--date", "2024-01-15", "--model", "openai/gpt-4.1-mini", request}, args...)...)
}

var recordOnce sync.Once

// recordAnew has a scripted model asked for all that is recorded.
func recordAnew(t *testing.T) {
	t.Helper()
	recordOnce.Do(func() {
		dir, err := filepath.Abs(recordings)
		if err != nil {
			t.Fatal(err)
		}
		old, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range old {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range recorded {
			var replies []string
			for _, name := range strings.Fields(c.replies) {
				replies = append(replies, said[name])
			}
			if out, errs, status := newPlanning(t, replies...).replaying(c.name, c.flow, c.request, "--record", dir); status != 0 {
				t.Fatalf("%s: exit %d\n%s%s", c.name, status, out, errs)
			}
		}
	})
}

// TestPlannerRecorded replays what a model said to each shipped planner: the plans are those of testdata/plans. With
// -update a scripted model is asked for all of it anew.
func TestPlannerRecorded(t *testing.T) {
	if *update {
		recordAnew(t)
	}
	dir, err := filepath.Abs(recordings)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range recorded {
		t.Run(c.name, func(t *testing.T) {
			p := newPlanning(t)
			p.env = append(p.env, "OPENAI_BASE_URL=", "OPENAI_API_KEY=")
			out, errs, status := p.replaying(c.name, c.flow, c.request, "--replay", dir)
			if status != 0 || errs != "" {
				t.Fatalf("exit %d; if a prompt or the interface of a node changed: go test ./cmd/pflow -run 'TestPlannerRecorded|TestDocs' -update\n%s", status, errs)
			}
			got := string(masked(roundCost([]byte(out))))
			golden := filepath.Join("testdata", "plans", c.name+".json")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-%s +replayed:\n%s", golden, diff)
			}
		})
	}
}

var cost = regexp.MustCompile(`"cost_usd": [0-9.e-]+`)

// roundCost rounds the cost of a plan, whose last digits are those of the order in which calls at the same time ended.
func roundCost(plan []byte) []byte {
	return cost.ReplaceAllFunc(plan, func(m []byte) []byte {
		usd, err := strconv.ParseFloat(strings.TrimPrefix(string(m), `"cost_usd": `), 64)
		if err != nil {
			return m
		}
		return fmt.Appendf(nil, `"cost_usd": %.9f`, usd)
	})
}

// capitalizeFile is the workflow of the recordings as it is saved.
const capitalizeFile = `{"name": "capitalize-file", "description": "Writes the words of a text file in capitals to another file.", "keywords": ["capitals", "upper case", "loud"], "ir": {
  "ir_version": "0.1.0", "inputs": {"source": {"type": "string", "required": true, "description": "The file to read"}, "target": {"type": "string", "required": true, "description": "Where the words in capitals go"}},
  "nodes": [{"id": "read-words", "type": "read-file", "params": {"file_path": "${source}"}},
    {"id": "raise-words", "type": "transform", "params": {"expression": "upper(string(text))", "inputs": {"text": "${read-words.content}"}}},
    {"id": "keep-words", "type": "write-file", "params": {"file_path": "${target}", "content": "${raise-words.result}"}}],
  "edges": [{"from": "read-words", "to": "raise-words"}, {"from": "raise-words", "to": "keep-words"}],
  "outputs": {"loud_file": {"source": "${keep-words.file_path}", "type": "string", "description": "The file with the words in capitals"}}}}`
