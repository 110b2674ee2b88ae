//go:build !race

package main

import (
	"fmt"
	"strings"
	"testing"

	"pflow/internal/planner"
	"pflow/internal/value"
)

// stages are the calls of a model that path B makes in a library that has something: the reply, how its request is known
// whatever the form in which it is asked for, and what the plan needs.
var stages = []struct{ reply, schema, prompt string }{
	{"not-found", "discovery", "You decide whether ONE saved workflow"},
	{"chosen", "choice", "You choose the components"},
	{"named", "parameters", "You name the concrete values in a request"},
	{"good", "workflow", "You design a workflow"},
	{"described", "metadata", "You name a workflow"},
	{"taken", "values", "You take the values of declared inputs"},
}

// faults are what a model's endpoint does wrong for ever at one stage: the kind of the error that comes of it, "" where the
// reply can be read all the same, and how many requests are made.
var faults = []struct {
	fault, kind string
	requests    int
	generation  string // the kind and number of requests at generation, if they are others
	message     string
}{
	{"rate_limit, headers: {Retry-After-Ms: \"5\"}", "rate_limit", 3, "", "limits the rate of requests"},
	{"quota", "quota", 1, "", "no credit or quota left"},
	{"server_error", "unavailable", 3, "", "failed with status 500"},
	{"unavailable, headers: {Retry-After-Ms: \"5\"}", "unavailable", 3, "", "failed with status 503"},
	{"unauthorized", "authentication", 1, "", "does not accept the key in OPENAI_API_KEY"},
	{"forbidden", "permission", 1, "", "does not let the key in OPENAI_API_KEY use this model"},
	{"not_found", "not_found", 1, "", "no such model or address"},
	{"context_length", "context_length", 1, "", "the prompt is too long for the model"},
	{"bad_request", "invalid_request", 1, "", "refused the request with status 400"},
	{"bad_schema", "invalid_request", 5, "invalid_request 4", "refused the request with status 400"},
	{"reset", "network", 3, "", "broke in the middle of the reply"},
	{"cut_body", "unavailable", 3, "", "no chat completion"},
	{"not_json", "unavailable", 3, "", "no chat completion"},
	{"error_inside", "unavailable", 3, "", "failed with status 502"},
	{"empty_choices", "unavailable", 3, "", "without a choice"},
	{"refusal", "refused", 1, "", "refused"},
	{"huge", "truncated", 3, "", "more than 4 MB"},
	{"truncated", "truncated", 3, "", ""},
	{"wrong_schema", "schema", 2, "invalid 6", "does not fit the schema"},
	{"fenced", "", 1, "", ""},
	{"python", "", 1, "", ""},
	{"prose", "", 1, "", ""},
	{"reasoning", "", 1, "", ""},
}

// TestPlannerFaults has each fault at each stage. Where the plan can go on without the model it does; elsewhere it fails with
// the kind of the error, and what was made until then is kept.
func TestPlannerFaults(t *testing.T) {
	for _, f := range faults {
		for at, stage := range stages {
			name, _, _ := strings.Cut(f.fault, ",")
			t.Run(name+"/"+stage.schema, func(t *testing.T) {
				t.Parallel()
				var replies []string
				for i, s := range stages {
					line := scripted[s.reply]
					_, body, _ := strings.Cut(line, ", json: ")
					if i == at {
						line = fmt.Sprintf("{match: %q, times: any, json: %s, fault: %s}", s.prompt, strings.TrimSuffix(body, "}"), f.fault)
					} else {
						line = fmt.Sprintf("{match: %q, times: any, json: %s}", s.prompt, strings.TrimSuffix(body, "}"))
					}
					replies = append(replies, line)
				}
				p := newPlanning(t, replies...)
				p.hasty()
				p.savedAs("duplicate-file", duplicateFile)
				plan, stderr, status := p.plan("copy a.txt to b.txt")
				kind, want := f.kind, f.requests
				if f.generation != "" && stage.schema == "workflow" {
					fmt.Sscan(f.generation, &kind, &want)
				}
				n := 0
				for _, r := range p.server.Requests() {
					if strings.Contains(r.Messages[len(r.Messages)-1].Content+r.Messages[0].Content, stage.prompt) || len(r.Messages) > 1 && strings.Contains(r.Messages[1].Content, stage.prompt) {
						n++
					}
				}
				if n != want {
					t.Errorf("%d requests, want %d", n, want)
				}
				if stage.schema != "workflow" && stage.schema != "values" || kind == "" {
					if plan.Status != planner.Ready || status != 0 || stderr != "" {
						t.Errorf("%s, exit %d\n%s", summary(plan), status, stderr)
					}
					return
				}
				if errorOf(plan, "kind") != kind || status != exitUnplanned || !strings.Contains(stderr, errorOf(plan, "message")) || !strings.Contains(stderr, f.message) && kind != "invalid" ||
					errorOf(plan, "hint") == "" {
					t.Errorf("%s, exit %d\n%s\n%s", summary(plan), status, stderr, value.JSON(plain(t, plan.Error)))
				}
				if stage.schema == "values" && (plan.WorkflowIR == nil || plan.Metadata["suggested_name"] != "copy-a-file" || plan.Path != "generate") {
					t.Errorf("the draft is lost: %s", summary(plan))
				}
			})
		}
	}
}
