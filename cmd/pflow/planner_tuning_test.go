//go:build !race

package main

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"pflow/internal/planner"
	"pflow/prompts"
)

// onlyLiteral is a draft that has a value of the request in params, and nothing else that is wrong.
var onlyLiteral = draftLine(strings.Replace(goodNode, `"${source}", dest_path: "${target}"`, `a.txt, dest_path: "${source}${target}"`, 1))

// tuning is a change of one line, in each of the ways in which it can be made, and what comes of it.
type tuning struct {
	name    string
	set     string // PATH=VALUE of --set
	extends string // what a flow that extends planner says; "" where the change is in an inner flow
	file    string // the flow in whose own copy old is replaced by new
	old     string
	new     string
	saved   string
	replies []string
	want    string // the summary
	effect  func(p *planningDesk, plan *planner.Result) bool
}

// tunings are what a tuner looks for in planner.yaml and in what it names.
var tunings = []tuning{
	{name: "how often a plan goes back at all", set: "params.max_generations=1", extends: "params: {max_generations: 1}",
		file: "planner", old: "max_generations: 3", new: "max_generations: 1",
		replies: after("bad-type"), want: `invalid generate <nil> {} [] 1 invalid`},
	{name: "how often for a class of findings", set: "params.retries.unknown-node-type=0", extends: "params: {retries: {unknown-node-type: 0}}",
		file: "planner", old: "unknown-node-type: 2", new: "unknown-node-type: 0",
		replies: after("bad-type"), want: `invalid generate <nil> {} [] 1 invalid`},
	{name: "which class a code is of", set: "params.classes.cycle=[cycle, request-literal]", extends: "params: {classes: {cycle: [cycle, request-literal]}}",
		file: "planner", old: "cycle: [cycle]", new: "cycle: [cycle, request-literal]",
		replies: after(onlyLiteral, onlyLiteral), want: `invalid generate <nil> {} [] 2 invalid`,
		effect: func(p *planningDesk, _ *planner.Result) bool {
			return strings.Contains(p.sent("workflow", 2), "Make it sequential.")
		}},
	{name: "how sure reuse must be", set: "params.reuse_confidence=0.95", extends: "params: {reuse_confidence: 0.95}",
		file: "planner", old: "reuse_confidence: 0.5", new: "reuse_confidence: 0.95",
		saved: duplicateFile, replies: []string{"found", "chosen", "named", "good", "described", "taken"}, want: generated},
	{name: "whether a draft accounts for the request", set: "params.account=false", extends: "params: {account: false}",
		file: "planner", old: "account: true", new: "account: false",
		replies: after(draftWith("[]", goodNode), "described", "taken"), want: generated},
	{name: "whether reuse accounts for the request", set: "params.account=false", extends: "params: {account: false}",
		file: "planner", old: "account: true", new: "account: false",
		saved: duplicateFile, replies: []string{strings.Replace(scripted["found"], "reasoning:", "parts: [], reasoning:", 1), "taken"}, want: reused},
	{name: "how many findings the model is told", set: "params.findings_told=1", extends: "params: {findings_told: 1}",
		file: "planner", old: "findings_told: 12", new: "findings_told: 1",
		replies: after(draftWith("[]", strings.Replace(goodNode, "copy-file", "copy-fil", 1)), "good", "described", "taken"), want: strings.Replace(generated, "[] 1 ", "[] 2 ", 1),
		effect: func(p *planningDesk, _ *planner.Result) bool { return len(p.findings(2)) == 1 }},
	{name: "how many calls a plan may make", set: "limits.calls=2", extends: "limits: {calls: 2}",
		file: "planner", old: "calls: 40", new: "calls: 2",
		replies: after(), want: `failed <nil> <nil> {} [] 1 limit`},
	{name: "how often every call of a model is tried", set: "*:nodes.ask.retry.attempts=1",
		file: "planner-ask", old: "attempts: 3", new: "attempts: 1",
		replies: []string{faulty("chosen", "server_error", "1"), faulty("named", "server_error", "1"), faulty("good", "server_error", "1")},
		want:    `failed <nil> <nil> {} [] 1 provider_error`},
	{name: "how often one step is tried", set: "planner-browsing:nodes.ask.retry.attempts=1",
		file: "planner-browsing", old: "with: {prompt: browse}", new: "with: {prompt: browse}\n    retry: {attempts: 1}",
		replies: []string{faulty("chosen", "server_error", "1"), "named", "good", "described", "taken"}, want: generated},
	{name: "the temperature of every call", set: "*:nodes.ask.with.temperature=0.7",
		file: "planner-ask", old: "temperature: 0}", new: "temperature: 0.7}",
		replies: after("good", "described", "taken"), want: generated,
		effect: func(p *planningDesk, _ *planner.Result) bool {
			for _, r := range p.server.Requests() {
				if fmt.Sprint(r.Body["temperature"]) != "0.7" {
					return false
				}
			}
			return true
		}},
	{name: "the model of one step", set: "planner-gate:nodes.ask.with.model=openai/gpt-4.1",
		file: "planner-gate", old: "with: {prompt: map}", new: "with: {prompt: map, model: openai/gpt-4.1}",
		replies: after("good", "described", "taken"), want: generated,
		effect: func(p *planningDesk, _ *planner.Result) bool {
			requests := p.server.Requests()
			return requests[len(requests)-1].Model == "gpt-4.1" && requests[0].Model != "gpt-4.1"
		}},
	{name: "what a plan that came to nothing advises", set: "params.hints.infeasible=ask Ann", extends: "params: {hints: {infeasible: ask Ann}}",
		file: "planner", old: "infeasible: pflow node search", new: "infeasible: ask Ann, or pflow node search",
		replies: after("impossible"), want: `infeasible <nil> <nil> {} [] 1 infeasible`,
		effect: func(_ *planningDesk, plan *planner.Result) bool {
			return strings.HasPrefix(errorOf(plan, "hint"), "ask Ann")
		}},
}

// TestPlannerTuning makes each change in every way there is, and looks at the plan and at what the model was sent.
func TestPlannerTuning(t *testing.T) {
	for _, c := range tunings {
		ways := map[string]func(p *planningDesk) []string{
			"set": func(*planningDesk) []string { return []string{"--set", c.set} },
			"own copy": func(p *planningDesk) []string {
				p.eject("planner")
				p.edit("flows/"+c.file+".yaml", c.old, c.new)
				return nil
			},
		}
		if c.extends != "" {
			ways["extends"] = func(p *planningDesk) []string {
				p.file("mine.yaml", "flow: mine\nversion: 1\nextends: planner\n"+c.extends+"\n")
				return []string{"--flow", "./mine.yaml"}
			}
		}
		for way, make := range ways {
			t.Run(c.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				p := newPlanning(t, c.replies...)
				if c.saved != "" {
					p.savedAs("duplicate-file", c.saved)
				}
				plan, stderr, _ := p.plan("copy a.txt to b.txt", make(p)...)
				if got := summary(plan); got != c.want {
					t.Errorf("%s, want %s\n%s", got, c.want, stderr)
				}
				if c.effect != nil && !c.effect(p, plan) {
					t.Errorf("it has no effect: %s, asked %s, %v", summary(plan), p.asked(), plan.Error)
				}
			})
		}
	}
}

// steps are the inner flows of the planner that ask a model, the prompts that they ask, and the schemas of the replies.
var steps = []struct{ flow, prompt, schema string }{
	{"planner-discovery", "discover", "discovery"},
	{"planner-browsing", "browse", "choice"},
	{"planner-parameters", "parameters", "parameters"},
	{"planner-draft", "generate", "workflow"},
	{"planner-metadata", "metadata", "metadata"},
	{"planner-gate", "map", "values"},
}

// TestPlannerPrompts: each step asks another prompt by one --set, or the shipped one in words of one's own by a file.
func TestPlannerPrompts(t *testing.T) {
	for _, s := range steps {
		data, err := fs.ReadFile(prompts.FS, s.prompt+".tmpl")
		if err != nil {
			t.Fatal(err)
		}
		const mine = "Write as Ann would."
		text := strings.Replace(string(data), "\nYou ", "\n"+mine+"\nYou ", 1)
		for way, args := range map[string][]string{
			"mine":   {"--set", s.flow + ":nodes.ask.with.prompt=mine"},
			s.prompt: nil,
		} {
			t.Run(s.flow+"/"+way, func(t *testing.T) {
				t.Parallel()
				p := newPlanning(t, "not-found", "chosen", "named", "good", "described", "taken")
				p.savedAs("duplicate-file", duplicateFile)
				p.inHome("prompts/"+way+".tmpl", strings.Replace(text, "name: "+s.prompt, "name: "+way, 1))
				plan, stderr, _ := p.plan("copy a.txt to b.txt", args...)
				if got := summary(plan); got != generated {
					t.Errorf("%s\n%s", got, stderr)
				}
				for _, other := range steps {
					if got := strings.Contains(p.sent(other.schema, 1), mine); got != (other == s) {
						t.Errorf("%s is asked in these words: %v", other.flow, got)
					}
				}
			})
		}
	}
}
