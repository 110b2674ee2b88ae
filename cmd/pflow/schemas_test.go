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
)

// TestSchemas holds what the commands of workflows and nodes print with --json to the schemas in docs/schemas. Each line
// of outputs is run in turn, in one directory with one home; the first word is the schema of what it prints.
func TestSchemas(t *testing.T) {
	const outputs = `
workflow          workflow save ./greet.json --description hello
workflow          workflow save ./greet.json --yes
workflow-diff     workflow diff greet@1 greet
workflow-diff     workflow diff ./greet.json ./wait.json
workflows         workflow list --match greet --limit 1
workflows         workflow list
workflow          workflow show greet
workflow          workflow show greet@1
workflow-history  workflow history greet
workflow-run      run greet name=Ada
new               workflow test --from-run last
workflow-test     workflow test greet
schedule          schedule add greet --every 1h name=Ada --yes=schedule
schedules         schedule list
schedule          schedule show greet
schedule          schedule add greet --as again --every 1h name=Ada --dry-run
schedule          schedule resume greet --dry-run
workflow          workflow save ./destroy.json
notices           workflow notify greet --on-failure destroy --dry-run
notices           schedule notify greet --on-success destroy --dry-run
deleted           workflow delete destroy --yes
workflow-history  workflow history greet
workflow-run      run greet --fake
workflow-run      run ./fail.json --fake
workflow-test     workflow test ./fail.json
workflow-test     workflow test ./fail.json --fake
workflow-run-line run greet --each people.jsonl
workflow-run      run greet
workflow-run      run ./fail.json
workflow-run      run ./wait.json
workflow-run      run ./destroy.json
workflow-run      node run transform expression=1
prepared          run greet name=Ada --prepare
prepared          run greet --prepare
prepared          flow run ./count.yaml --prepare
prepared          flow run ./count.yaml --prepare --input n=1
dry-run           run greet name=Ada --dry-run
dry-run           run ./batch.json --dry-run
validation        validate greet
validation        validate ./bad.json
validation        validate ./form.json
validation        validate ./cut.json
validation        validate ./many.json
validation-line   validate --from lines.jsonl
workflow          workflow rename greet hello
deleted           workflow delete hello --yes
workflows         workflow list
nodes             node list
nodes             node search copy
nodes             node search zebra
node              node show shell
node              node show write-file
node              node show workflow
experiment-live   experiment live
plan              plan paint the house --split planner-offline=1,planner-words=1
experiment-live   experiment live
plan              plan paint the house
plan              plan copy a.txt to b.txt
plan              plan read a.txt and resize the picture
run-shown         runs show last
run-why           runs why last
plan              plan copy people.jsonl to far.jsonl
apply             apply last --dry-run
apply             apply last copy_dest_path=other.jsonl --dry-run
apply             apply last --workflow greet.json --dry-run
apply             apply last --workflow destroy.json --dry-run
plan              apply last --decline
plan              plan every weekday at 8 copy a.txt to b.txt
apply             apply last --dry-run
plan              plan paint the house
apply             apply last --dry-run
plan              plan when a file arrives in inbox copy it to b.txt
plan              plan every 2 hours copy a.txt to b.txt
run-log-line      runs logs last
doctor            doctor
mcp-added         mcp add docs --no-check --url http://127.0.0.1:9/mcp
mcp               mcp list
mcp-check         mcp check
mcp-removed       mcp remove docs
new               node new count-words
node-test         node test transform
node-test         node test count-words
node-removed      node remove count-words --yes
new               workflow new weekly-report
new               workflow new weekly-report -o -
flows             flow list
ops               flow ops
prompts           prompt list
flow              flow show planner-words
text              flow show planner-words --text
text              prompt show map
check             flow check ./count.yaml
check             flow check --draft prompts/map.tmpl=bad.json
saved-text        flow save counting ./counting.yaml
deleted-text      flow delete counting --yes
ejected           flow eject planner-words
flow-variant      flow variant planner-words words --draft flows/planner-words.yaml=words.yaml
flow-test         flow test planner-words
deleted-text      flow delete planner-words --yes
run-replay        runs replay --flow planner-words --dry-run
run-replay        runs replay last
flow-diff         flow diff planner-offline
flow-diff         flow diff planner-offline planner-fast
runs              runs list
run-stats         runs stats
runs              runs list --failed --limit 1
run-shown         runs show last
run-log-line      runs logs last
run-step          runs show last --step trigger-reading
run-shown         runs show last --source --limit 1 --cut 20
run-step          runs show last --step trigger-reading --limit 1 --cut 20
run-diff          runs diff last last
run-why           runs why last
workflow-run      run ./wait.json
run-shown         runs show last --source
run-log-line      runs logs last
workflow-run      runs retry last
run-shown         runs show last
workflow-run      run ./moved.json
run-fix           runs fix last --dry-run
run-fix           runs fix last
workflow-run      runs fix FIX --yes
workflow-run      run ./fail.json
run-fix           runs fix last
workflow-run      run ./wait.json
run-cancelled     runs cancel last
runs-pruned       runs prune --keep 1 --dry-run
runs-pruned       runs prune --keep 1
workflow-run      --yes copy people.jsonl to q.jsonl
experiment-cases  experiment cases --from-runs
experiment-cases  experiment cases --from-runs --keep mine
cases             experiment cases
experiment-power  experiment run --a planner-offline --b ./strict.yaml --cases cases.jsonl --power
experiment-prepared experiment run --a planner-offline --b ./strict.yaml --cases cases.jsonl --dry-run
experiment-report experiment run --a planner-offline --b ./strict.yaml --cases cases.jsonl --repeats 2 --id strict
experiment-power  experiment run --a planner-offline --b ./strict.yaml --cases cases.jsonl --power
experiment-report experiment report strict
experiments       experiment list
experiment-shown  experiment show
experiment-case   experiment show strict 1
experiment-matrix experiment matrix strict --diff broken
experiment-matrix experiment matrix strict --limit 1
tune              tune planner-offline --cases tune.jsonl --over params.reuse_confidence=0.2|0.9 --held-out 0.5
tune              tune planner-offline --cases tune.jsonl --over params.reuse_confidence=0.2|0.9 --held-out 0.5 --dry-run
experiment-report experiment compare strict strict
`
	documents := map[string]string{
		"greet.json":     `{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "required": true}}, "nodes": [{"id": "t", "type": "template", "purpose": "p", "params": {"template": "$name"}}]}`,
		"fail.json":      `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "read-file", "params": {"file_path": "no"}}]}`,
		"moved.json":     `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "read-file", "params": {"file_path": "in/people.jsonl"}}]}`,
		"wait.json":      `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "approval": "required", "params": {"template": "x"}}]}`,
		"destroy.json":   `{"ir_version": "0.1.0", "nodes": [{"id": "d", "type": "delete-file", "params": {"file_path": "no", "confirm_delete": true}}]}`,
		"batch.json":     `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "approval": "required", "batch": {"items": [1]}, "params": {"template": "$item"}}]}`,
		"bad.json":       `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "templat", "params": {"template": "${x.y}"}}]}`,
		"cut.json":       `{"ir_version": "0.1.0", "nodes": [`,
		"form.json":      `{"ir_version": "0.1.0", "nodes": [{"id": "t"}], "edges": [{"from": "t", "to": "u"}]}`,
		"fail_test.yaml": "cases:\n- {name: it is made up, expect: {outputs: {content: fake content of r}}}\n",
		"people.jsonl":   "{\"id\": 1, \"name\": \"Ada\"}\n{}\nnone\n",
		"strict.yaml":    "flow: strict\nversion: 1\nextends: planner-offline\nparams: {phrases_decide: false}\nnodes: {workflow-generation: {post: {generated_workflow: \"null\"}}}\n",
		"count.yaml":     "flow: count\nversion: 1\nstate: {n: {type: integer, required: true}}\nnodes: {wait: {op: sleep, with: {for: 1ms}, next: end}}\n",
		"counting.yaml":  "flow: counting\nversion: 1\nnodes: {wait: {op: sleep, with: {for: 1ms}, next: end}}\n",
		"words.yaml":     "flow: planner-words\nversion: 1\nextends: shipped:planner-words\nparams: {max_generations: 2}\n",
		"tune.jsonl":     "{\"id\": 1, \"request\": \"copy x.txt to y.txt\", \"expect\": {}}\n{\"id\": 2, \"request\": \"copy x.txt to y.txt\", \"expect\": {}}\n{\"id\": 3, \"request\": \"paint the house\", \"expect\": {}}\n",
		"cases.jsonl":    "{\"id\": 1, \"group\": \"g\", \"request\": \"x.txt copied to y.txt\", \"expect\": {\"nodes\": [\"copy-file\"]}}\n{\"id\": 2, \"request\": \"copy x.txt to y.txt\", \"expect\": {\"nodes\": [\"llm\"]}}\n{\"id\": 3, \"request\": \"paint the house\", \"expect\": {}}\n",
		"lines.jsonl":    "{\"id\": 1, \"ir\": {}}\nnone\n",
	}
	var many strings.Builder
	for i := range 60 {
		fmt.Fprintf(&many, `, "p%d": 1`, i)
	}
	documents["many.json"] = `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "params": {"template": "x"` + many.String() + `}}]}`
	t.Chdir(t.TempDir())
	for name, text := range documents {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	used := map[string]bool{}
	found := struct {
		Run string `json:"fix_run"` // the last one
	}{}
	for _, line := range strings.Split(strings.TrimSpace(outputs), "\n") {
		words := strings.Fields(strings.ReplaceAll(line, "FIX", found.Run))
		t.Run(strings.Join(words[1:], " "), func(t *testing.T) {
			used[words[0]] = true
			var out, messages bytes.Buffer
			a := newApp(strings.NewReader(""), &out, &messages, os.Getenv)
			a.main(t.Context(), append(words[1:], "--json", "--home", home))
			if out.Len() == 0 {
				t.Fatalf("it printed nothing: %s", messages.String())
			}
			schema := compileSchema(t, words[0])
			d := json.NewDecoder(&out)
			for d.More() {
				var raw json.RawMessage
				if err := d.Decode(&raw); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(raw, &found); err != nil && words[0] == "run-fix" {
					t.Fatal(err)
				}
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
				if err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(v); err != nil {
					t.Errorf("%v\n%s", err, raw)
				}
			}
		})
	}
	for _, name := range []string{"workflow-run", "workflow-run-line", "prepared", "dry-run", "validation", "validation-line", "apply", "workflows", "workflow", "workflow-history", "workflow-diff", "deleted", "nodes", "node", "runs", "run-shown", "run-why", "run-step", "run-log-line", "run-diff", "run-fix", "run-cancelled", "runs-pruned", "experiment-report"} {
		if !used[name] {
			t.Errorf("no output is held to the schema %q", name)
		}
	}
}

// packageDir is the folder of this package; tests change the working directory.
var packageDir = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}()

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(packageDir, "../../docs/schemas", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, v); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
