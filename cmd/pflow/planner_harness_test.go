package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pflow/internal/llmtest"
	"pflow/internal/planner"
	"pflow/internal/value"
)

// scripted are replies of a model that plans to copy a file, as lines of a script of internal/llmtest. A test puts its
// script together of their names and of lines of its own.
var scripted = map[string]string{
	"found":      `{schema: discovery, json: {found: true, workflow_name: duplicate-file, confidence: 0.9, reasoning: it copies a file}}`,
	"not-found":  `{schema: discovery, json: {found: false, workflow_name: null, confidence: 0, reasoning: nothing copies}}`,
	"chosen":     `{schema: choice, json: {node_ids: [copy-file, write-file], workflow_names: [], reasoning: they copy}}`,
	"named":      `{schema: parameters, json: {params: [{name: source, value: a.txt}, {name: target, value: b.txt}]}}`,
	"good":       draftLine(goodNode),
	"bad-type":   draftLine(strings.Replace(goodNode, "copy-file", "copy-fil", 1)),
	"bad-key":    draftLine(strings.Replace(goodNode, "${source}", "${sorce.path}", 1)),
	"literal":    draftLine(strings.Replace(goodNode, "${source}", "a.txt", 1)),
	"impossible": `{schema: workflow, json: {feasible: false, reason: there is no component that paints, workflow: null, parts: []}}`,
	"described":  `{schema: metadata, json: {name: copy-a-file, description: Copies a file to another place., keywords: [copy, duplicate]}}`,
	"taken":      `{schema: values, json: {values: [{name: source, value: a.txt}, {name: target, value: b.txt}]}}`,
	"half":       `{schema: values, json: {values: [{name: source, value: a.txt}]}}`,
}

const goodNode = `{id: copy-it, type: copy-file, purpose: Copy the file, params: {source_path: "${source}", dest_path: "${target}"}}`

// copyParts are what the draft says stands for each part of the request.
const copyParts = `[{text: copy, by: "node:copy-it"}, {text: a.txt, by: "input:source"}, {text: to b.txt, by: "input:target"}]`

// draftLine is a reply with a workflow of some nodes, one after the other, for the request to copy a.txt to b.txt.
func draftLine(nodes ...string) string { return draftWith(copyParts, nodes...) }

// draftWith is the same for a request that has other parts.
func draftWith(parts string, nodes ...string) string {
	var edges []string
	for i := range nodes[1:] {
		edges = append(edges, fmt.Sprintf("{from: %s, to: %s}", idOf(nodes[i]), idOf(nodes[i+1])))
	}
	return `{schema: workflow, json: {feasible: true, reason: "", workflow: {ir_version: "0.1.0", inputs: {source: {type: string, required: true, description: the file},
      target: {type: string, required: true, description: where it goes}}, nodes: [` + strings.Join(nodes, ", ") + `], edges: [` + strings.Join(edges, ", ") + `], outputs: {}}, parts: ` + parts + `}}`
}

// idOf is the id of a node as it is written in these tests.
func idOf(node string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(node, "{id: "), ",")
	return id
}

// faulty gives a scripted reply a fault, and how often it comes.
func faulty(line, fault, times string) string {
	return strings.TrimSuffix(scripted[line], "}") + ", fault: " + fault + ", times: " + times + "}"
}

// duplicateFile is a saved workflow that copies a file.
const duplicateFile = `{"name": "duplicate-file", "description": "Copy a file to another place.", "keywords": ["copy"], "ir": {
  "ir_version": "0.1.0", "inputs": {"source": {"type": "string", "required": true, "description": "the file"}, "target": {"type": "string", "required": true, "description": "where it goes"}},
  "nodes": [{"id": "copy-it", "type": "copy-file", "params": {"source_path": "${source}", "dest_path": "${target}"}}]}}`

// planningDesk is a desk whose model is a scripted server.
type planningDesk struct {
	*desk
	server *llmtest.Server
	stdin  string
}

// newPlanning starts a server that gives the replies. The test fails if at its end replies are left, if requests had
// none, or if the key of the server is in any file.
func newPlanning(t *testing.T, replies ...string) *planningDesk {
	t.Helper()
	var b strings.Builder
	b.WriteString("replies:\n")
	for _, r := range replies {
		line, ok := scripted[r]
		if !ok {
			line = r
		}
		fmt.Fprintf(&b, "  - %s\n", line)
	}
	if len(replies) == 0 {
		b.WriteString("  []\n")
	}
	script, found := llmtest.Parse("script", []byte(b.String()))
	if found.HasErrors() {
		t.Fatalf("%s\n%s", found.Text(), b.String())
	}
	p := &planningDesk{desk: newDesk(t), server: llmtest.New(t, script)}
	p.env = append(p.env, "OPENAI_BASE_URL="+p.server.BaseURL(), "OPENAI_API_KEY="+serverKey)
	t.Cleanup(func() {
		for _, dir := range []string{p.dir, p.home} {
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				data, err := os.ReadFile(path)
				if strings.Contains(string(data), serverKey) {
					t.Errorf("the key of the model server is in %s", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	return p
}

// run runs the program. No stream may hold the key.
func (p *planningDesk) run(args ...string) (stdout, stderr string, status int) {
	p.t.Helper()
	c := p.command(args...)
	c.Stdin = strings.NewReader(p.stdin)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	status = exitStatus(c.Run())
	if strings.Contains(out.String()+errs.String(), serverKey) {
		p.t.Errorf("the key of the model server is in what pflow %s prints", strings.Join(args, " "))
	}
	return out.String(), errs.String(), status
}

// plan plans a request.
func (p *planningDesk) plan(request string, args ...string) (plan *planner.Result, stderr string, status int) {
	p.t.Helper()
	out, errs, status := p.run(append([]string{"plan", "--json", "--date", "2024-01-15", request}, args...)...)
	plan = &planner.Result{}
	if err := json.Unmarshal([]byte(out), plan); err != nil {
		p.t.Fatalf("exit %d, %v\n%s\n%s", status, err, out, errs)
	}
	return plan, errs, status
}

// asked are the schemas of the requests that came to the server, in order.
func (p *planningDesk) asked() string {
	var names []string
	for _, r := range p.server.Requests() {
		names = append(names, r.Schema)
	}
	return strings.Join(names, " ")
}

// sent is what was sent with a schema for the nth time, from 1 on: its messages as text.
func (p *planningDesk) sent(schema string, nth int) string {
	p.t.Helper()
	for _, r := range p.server.Requests() {
		if r.Schema == schema {
			if nth--; nth == 0 {
				var parts []string
				for _, m := range r.Messages {
					parts = append(parts, m.Content)
				}
				return strings.Join(parts, "\n")
			}
		}
	}
	p.t.Fatalf("there was no such request for %s: %s", schema, p.asked())
	return ""
}

// savedAs keeps a workflow as a file of the home, valid or not.
func (p *planningDesk) savedAs(name, document string) {
	p.t.Helper()
	p.inHome(filepath.Join("workflows", name+".json"), document)
}

// inHome writes a file of the home.
func (p *planningDesk) inHome(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.home, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// eject copies a shipped flow into the home.
func (p *planningDesk) eject(flow string) {
	p.t.Helper()
	if out, errs, status := p.run("flow", "eject", flow); status != 0 {
		p.t.Fatalf("exit %d\n%s%s", status, out, errs)
	}
}

// edit changes a file of the home; what is replaced must be there.
func (p *planningDesk) edit(name, old, new string) {
	p.t.Helper()
	file := filepath.Join(p.home, name)
	data, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		p.t.Fatalf("%s does not hold %q", name, old)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, new, 1)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// summary is what a plan comes to: status, path, name, values, the names of what is missing, attempts, the kind of its error.
func summary(p *planner.Result) string {
	missing := []string{}
	for _, m := range p.MissingParams {
		missing = append(missing, fmt.Sprint(m.(map[string]any)["name"]))
	}
	kind := "-"
	if e, ok := p.Error.(map[string]any); ok {
		kind = fmt.Sprint(e["kind"])
	}
	params, err := value.Normalize(p.ExecutionParams)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(p.Status, " ", p.Path, " ", p.WorkflowName, " ", value.JSON(params), " ", missing, " ", p.Attempts, " ", kind)
}

// errorOf is a part of the error of a plan, "" without an error.
func errorOf(p *planner.Result, key string) string {
	e, _ := p.Error.(map[string]any)
	if e == nil {
		return ""
	}
	return fmt.Sprint(e[key])
}

// shortPath is the path of a plan in short names, without the node that every path begins with.
func shortPath(p *planner.Result) string {
	short := map[string]string{"workflow-discovery": "discovery", "component-browsing": "browsing", "parameter-discovery": "parameters",
		"workflow-generation": "generation", "workflow-validation": "validation", "metadata-generation": "metadata",
		"parameter-mapping": "gate", "parameter-preparation": "preparation", "result-preparation": "result"}
	var out []string
	for _, n := range p.ExecutionPath {
		if n == "trigger-reading" {
			continue
		}
		if s, ok := short[n]; ok {
			n = s
		}
		out = append(out, n)
	}
	return strings.Join(slices.Clip(out), " ")
}
