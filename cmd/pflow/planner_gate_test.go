package main

import (
	"strings"
	"testing"

	"pflow/internal/planner"
	"pflow/internal/value"
)

// rangeWorkflow is a saved workflow whose inputs are of several types, some with defaults.
const rangeWorkflow = `{"name": "duplicate-file", "description": "Report a period.", "ir": {"ir_version": "0.1.0", "inputs": {
  "start_date": {"type": "string", "required": true, "description": "first day"}, "end_date": {"type": "string", "required": true, "description": "last day"},
  "limit": {"type": "integer", "required": false, "default": 20, "description": "how many"}, "loud": {"type": "boolean", "required": false, "default": false, "description": "in capitals"},
  "text": {"type": "string", "required": true, "description": "what to report on", "from_stdin": true}},
  "nodes": [{"id": "report-it", "type": "template", "params": {"template": "${start_date} ${end_date} ${limit} ${loud} ${text}"}}]}}`

// TestPlannerGate takes the gate through all that it can come to, on both paths.
func TestPlannerGate(t *testing.T) {
	gate := func(values string) string { return `{schema: values, json: {values: [` + values + `]}}` }
	span := `{name: start_date, value: "2023-11-01"}, {name: end_date, value: "2023-11-30"}`
	for _, c := range []route{
		{name: "incomplete on path A", saved: duplicateFile, replies: []string{"found", "half"}, asked: "discovery values", exit: exitMissing,
			want: `needs_input reuse duplicate-file {"source":"a.txt"} [target] 0 -`, path: "discovery gate result", says: "target (string): where it goes"},
		{name: "incomplete on path B", replies: after("good", "described", "half"), asked: askedB, exit: exitMissing,
			want: `needs_input generate copy-a-file {"source":"a.txt"} [target] 1 -`, path: strings.Replace(wayB, " preparation", "", 1), says: "target (string): where it goes"},
		{name: "failed on path A", saved: duplicateFile, replies: []string{"found", faulty("taken", "refusal", "1")}, asked: "discovery values", exit: exitUnplanned,
			want: `failed reuse duplicate-file {} [source target] 0 refused`, path: "discovery gate result", says: "refused", about: `"node":"parameter-mapping"`},
		{name: "failed on path B keeps the draft", replies: after("good", "described", faulty("taken", "refusal", "1")), asked: askedB, exit: exitUnplanned,
			want: `failed generate copy-a-file {} [source target] 1 refused`, path: strings.Replace(wayB, " preparation", "", 1), says: "refused", about: `"node":"parameter-mapping"`},
		{name: "unknown names are dropped", saved: duplicateFile, replies: []string{"found", gate(`{name: source, value: a.txt}, {name: target, value: b.txt}, {name: mode, value: fast}`)},
			asked: "discovery values", want: reused, path: wayA},
		{name: "values are taken afresh", replies: []string{"chosen",
			`{schema: parameters, json: {params: [{name: source, value: a.txt}, {name: target, value: "b.txt"}, {name: mode, value: WRONGLY-DISCOVERED}]}}`, "good", "described", "taken"},
			asked: askedB, want: generated, path: wayB, check: func(t *testing.T, p *planningDesk, _ *planner.Result) {
				if !strings.Contains(p.sent("workflow", 1), "WRONGLY-DISCOVERED") || strings.Contains(p.sent("values", 1), "WRONGLY-DISCOVERED") {
					t.Error("discovered values are a guide for generation, and nothing of the gate's")
				}
			}},
		{name: "types, defaults, dates and piped text", saved: rangeWorkflow, request: "report november, 5 of them", stdin: "the piped text\n",
			replies: []string{"found", gate(span + `, {name: limit, value: "5"}`)}, asked: "discovery values", path: wayA,
			want: `ready reuse duplicate-file {"end_date":"2023-11-30","limit":5,"loud":false,"start_date":"2023-11-01","text":"the piped text\n"} [] 0 -`,
			check: func(t *testing.T, p *planningDesk, _ *planner.Result) {
				sent := p.sent("values", 1)
				for _, want := range []string{"The current date is 2024-01-15.", "weeks begin on Monday", "the piped text", "start_date (string, required): first day", "report november, 5 of them"} {
					if !strings.Contains(sent, want) {
						t.Errorf("the gate is not told %q:\n%s", want, sent)
					}
				}
			}},
		{name: "a value that does not fit its type is missing", saved: strings.Replace(rangeWorkflow, `"required": false, "default": 20`, `"required": true`, 1), stdin: "x",
			replies: []string{"found", gate(span + `, {name: limit, value: "a few"}`)}, asked: "discovery values", path: "discovery gate result", exit: exitMissing,
			want: `needs_input reuse duplicate-file {"end_date":"2023-11-30","loud":false,"start_date":"2023-11-01","text":"x"} [limit] 0 -`, says: "limit (integer): how many"},
	} {
		t.Run(c.name, c.run)
	}
}

// TestPlannerRequests: a request reaches every prompt as it was given; an empty or oversized one is no request at all.
func TestPlannerRequests(t *testing.T) {
	const cli = `copy-file --source_path=a.txt --dest_path=b.txt >> write-file | "odd"  \ ünïcode`
	whole := draftWith(`[{text: `+value.JSON(cli)+`, by: "node:copy-it"}]`, goodNode)
	p := newPlanning(t, "not-found", "chosen", "named", whole, "described", "taken")
	p.savedAs("duplicate-file", duplicateFile)
	if plan, _, status := p.plan(cli); summary(plan) != generated || status != 0 {
		t.Errorf("%s, exit %d", summary(plan), status)
	}
	for _, schema := range []string{"discovery", "choice", "parameters", "workflow", "values"} {
		if !strings.Contains(p.sent(schema, 1), cli) {
			t.Errorf("the request for %s does not hold the user's words:\n%s", schema, p.sent(schema, 1))
		}
	}
	for _, request := range []string{"", " \n ", strings.Repeat("x ", 51<<10)} {
		p.stdin = request
		out, stderr, status := p.run("plan", "--json", "-")
		if status != exitUsage || !strings.Contains(stderr, "the request is") {
			t.Errorf("%.10q: exit %d, %s%s", request, status, stderr, out)
		}
	}
	if n := len(p.server.Requests()); n != 6 {
		t.Errorf("%d requests", n)
	}
}

// TestPlannerWithoutAnswer: where no model answers at all, the plan says so.
func TestPlannerWithoutAnswer(t *testing.T) {
	for name, c := range map[string]struct{ fault, message string }{
		"no key that is accepted": {"unauthorized", "does not accept the key in OPENAI_API_KEY"},
		"the server is down":      {"server_error", "failed with status 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlanning(t, `{fault: `+c.fault+`, times: any}`)
			p.savedAs("duplicate-file", duplicateFile)
			plan, stderr, status := p.plan("copy a.txt to b.txt")
			if got := summary(plan); got != `failed <nil> <nil> {} [] 1 provider_error` || status != exitUnplanned || !strings.Contains(stderr, "no model answered: ") ||
				!strings.Contains(stderr, c.message) || !strings.Contains(errorOf(plan, "hint"), "pflow model check") {
				t.Errorf("%s, exit %d\n%s\n%v", got, status, stderr, value.JSON(plain(t, plan.Error)))
			}
			if n := len(p.server.Requests()); n > 12 { // four stages, three attempts each
				t.Errorf("%d requests", n)
			}
		})
	}
	t.Run("nobody is there", func(t *testing.T) {
		t.Parallel()
		p := newPlanning(t)
		p.env = append(p.env, "OPENAI_BASE_URL=http://127.0.0.1:1/v1") // nobody listens on the port of tcpmux, and no test is given it
		plan, stderr, status := p.plan("copy a.txt to b.txt")
		if got := summary(plan); got != `failed <nil> <nil> {} [] 1 provider_error` || status != exitUnplanned || !strings.Contains(stderr, "cannot be reached") {
			t.Errorf("%s, exit %d\n%s", got, status, stderr)
		}
	})
}
