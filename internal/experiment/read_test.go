package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
)

const whole = `experiment: all of it
description: every key
cases: cases.jsonl
variants:
  - {name: base, flow: planner-offline}
  - {name: mine, flow: ./my.yaml, model: a/b, set: {params.n: 2}, prompts: ./prompts}
  - {flow: flows/other.yaml, prompts: {discover: p/discover.tmpl}}
node_variants:
  browse:
    wide: {with.most: 40}
    asis: {}
baseline: mine/asis
repeats: 3
concurrency: 2
seed: 7
date: 2024-01-31
model: c/d
library: lib
catalogue: [nodes.yaml]
builtin: false
budget: {cost_usd: 1.5, calls: 10, tokens: 1000}
replies: {replay: r, replay_or_call: true}
scoring: {edges: declared, params: listed}
primary: node_f1
metrics: [pass, calls]
effect: 0.05
guardrails: {cost_usd: {relative: 0.1}, latency_ms: {absolute: 50}, pass: {absolute: 0.05, relative: 0.1}}
fail_on: [reject]
fail_if: ["errors > 0", {cel: "size(comparisons) > 3"}]
`

func TestReadSpec(t *testing.T) {
	s, found := ReadSpec("dir/x.yaml", []byte(whole))
	if s == nil {
		t.Fatal(found.Text())
	}
	var names []string
	for _, v := range s.Variants {
		names = append(names, v.Name)
	}
	want := []string{"mine/asis", "base/wide", "base/asis", "mine/wide", "other/wide", "other/asis"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Variant{
		Name: "mine/wide", Flow: "dir/my.yaml", Model: "a/b", Set: []engine.Setting{{Path: "params.n", Value: "2"}, {Path: "nodes.browse.with.most", Value: "40"}},
		Prompts: []Prompts{{Path: "dir/prompts"}}, Levels: map[string]string{"browse": "wide"}, Place: s.Variants[3].Place,
	}, s.Variants[3]); diff != "" {
		t.Errorf("a variant (-want +got):\n%s", diff)
	}
	relative, absolute, points := .1, 50., .05
	if diff := cmp.Diff([]any{"dir/cases.jsonl", 3, 2, uint64(7), "2024-01-31", "c/d", "dir/lib", []string{"dir/nodes.yaml"}, true, Budget{1.5, 10, 1000},
		Replies{Replay: "dir/r", ReplayOrCall: true}, Scoring{"declared", "listed"}, NodeF1, []Metric{Pass, Calls}, .05,
		[]Guardrail{{CostUSD, &relative, nil}, {Latency, nil, &absolute}, {Pass, &relative, &points}}, []string{"REJECT"}},
		[]any{s.CasesFile, s.Repeats, s.Concurrency, s.Seed, s.Date, s.Model, s.Library, s.Catalogue, s.NoBuiltin, s.Budget, s.Replies, s.Scoring, s.Primary, s.Metrics, s.Effect,
			s.Guardrails, s.FailOn}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.FailIf) != 2 {
		t.Errorf("fail_if: %v", s.FailIf)
	}
}

// TestReadSpecFindings: each mistake is reported at its place, with what was meant.
func TestReadSpecFindings(t *testing.T) {
	const good = "experiment: x\ncases: c.jsonl\nvariants: [{flow: a}, {flow: b}]\n"
	for _, c := range []struct{ name, doc, want string }{
		{"nothing", "{}\n", "x.yaml:1:1: error: an experiment needs experiment"},
		{"no mapping", "[]\n", "x.yaml:1:1: error: want an experiment: {experiment, cases, variants, …}, got a list"},
		{"unknown key", good + "repeat: 2\n", "x.yaml:4:1: error: there is no key \"repeat\" here [unknown-key]\n  repeat: 2\n  ^\n  did you mean \"repeats\"?"},
		{"kind", good + "repeats: many\n", "x.yaml:4:10: error: want a whole number, got text"},
		{"least", good + "repeats: 0\n", "x.yaml:4:10: error: want at least 1"},
		{"metric", good + "primary: passed\n", "x.yaml:4:10: error: want one of: pass, first_try,"},
		{"no variants", "experiment: x\ncases: c\nvariants: []\n", "x.yaml:3:11: error: there are no variants; name at least one"},
		{"one variant, a verdict", "experiment: x\ncases: c\nvariants: [{flow: a}]\nfail_on: [REJECT]\n", "x.yaml:4:10: error: fail_on needs a second variant to compare with"},
		{"one variant, guardrails", "experiment: x\ncases: c\nvariants: [{flow: a}]\nguardrails: {calls: {absolute: 1}}\n", "x.yaml:4:13: error: guardrails needs a second variant"},
		{"twice", "experiment: x\ncases: c\nvariants: [{flow: a}, {flow: a}]\n", "two variants are named \"a\""},
		{"no flow", "experiment: x\ncases: c\nvariants: [{flow: a}, {name: b}]\n", "x.yaml:3:23: error: a variant needs flow"},
		{"baseline", good + "baseline: aa\n", "x.yaml:4:11: error: want one of: a, b"},
		{"guardrail", good + "guardrails: {passed: {relative: 1}}\n", "x.yaml:4:14: error: want one of: pass, first_try, node_f1, edge_f1, param_f1, calls, tokens, cost_usd"},
		{"guardrail on the primary, which is pass unless said", good + "guardrails: {pass: {absolute: 0.05}}\n",
			"x.yaml:4:14: error: pass is the primary, which is judged by itself: a variant that is worse is rejected. To let it get worse by so much, make primary what should get better, such as cost_usd; else leave out this guardrail"},
		{"guardrail on the primary that comes after", good + "guardrails: {calls: {absolute: 1}}\nprimary: calls\n", "x.yaml:4:14: error: calls is the primary, which is judged by itself"},
		{"guardrail in points", good + "primary: calls\nguardrails: {pass: {absolute: 5}}\n", "x.yaml:5:31: error: want less than 1: pass is from 0 to 1, and 0.05 is 5 points of it"},
		{"guardrail of no sign", good + "guardrails: {node_f1: {relative: -0.1}}\n", "x.yaml:4:34: error: want at least 0"},
		{"guardrail on a rate without a limit", good + "guardrails: {node_f1: {}}\n", "want relative or absolute: by how much node_f1 may fall"},
		{"guardrail without a limit", good + "guardrails: {calls: {}}\n", "want relative or absolute: by how much calls may grow"},
		{"node guardrail", good + "guardrails: {nodes: {find: {p90: 2s}}}\n", "x.yaml:4:29: error: there is no key \"p90\" here"},
		{"node guardrail without a limit", good + "guardrails: {nodes: {find: {}}}\n", "want p50, p95 or p99: the time that so many of 100 visits of find keep within"},
		{"node guardrail no time", good + "guardrails: {nodes: {find: {p95: soon}}}\n", "x.yaml:4:34: error: want a time such as 250ms or 2s"},
		{"node guardrail 0", good + "guardrails: {nodes: {find: {p95: 0s}}}\n", "want a time such as 250ms or 2s"},
		{"targets", good + "guardrails: {targets: 2s}\n", "x.yaml:4:23: error: want"},
		{"gate", good + "fail_if: eror > 0\n", "x.yaml:4:10: error: unknown name \"eror\""},
		{"gate no condition", good + "fail_if: errors + 1\n", "[condition-not-bool]"},
		{"verdict", good + "fail_on: maybe\n", "there is no verdict \"maybe\""},
		{"date", good + "date: tomorrow\n", "x.yaml:4:7: error: this is no date"},
		{"inline case", "experiment: x\nvariants: [{flow: a}, {flow: b}]\ncases:\n  - {id: 1, request: r, expect: {nodez: [a]}}\n",
			"x.yaml:4:34: error: expect.nodez: there is no key \"nodez\" here [unknown-key]\n    - {id: 1, request: r, expect: {nodez: [a]}}\n                                   ^\n  did you mean \"nodes\"?"},
		{"replay", good + "replies: {replay_or_call: true}\n", "replay_or_call needs replay"},
		{"node variants", good + "node_variants: {n: {}}\n", "the node \"n\" has no variants"},
	} {
		s, found := ReadSpec("x.yaml", []byte(c.doc))
		if s != nil {
			t.Errorf("%s: no finding", c.name)
		}
		if got := found.Text(); !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q in\n%s", c.name, c.want, got)
		}
	}
}

// TestReadCases: every mistake in a file of cases has a line and a column, and the good lines are handed on.
func TestReadCases(t *testing.T) {
	lines := []string{
		"\ufeff" + `{"id": "a", "request": "x", "expect": {}}`,
		``,
		`{"id": "b", "request": "x", "expect": {"params": [["llm", "prompt"]]}}`,
		`{"id": "a", "request": "x", "expect": {"abstain": true}}`,
		`{"id": "c", "request": "é", "expects": {}}`,
		`not json`,
		`{"id": "d", "request": "x", "expect": {"expr": "result.status =="}}`,
		`{"id": "e", "request": "x", "current_date": "soon", "expect": {"max": {"seconds": 1}}}`,
		`{"id": 5, "request": "x", "expect": {"schema": {"type": "nonsense"}}}`,
		`{"id": "f", "request": "x", "expect": {"status": "redy"}}`,
	}
	var ids []string
	found, err := ReadCases("c.jsonl", strings.NewReader(strings.Join(lines, "\n")), func(c Case) error {
		ids = append(ids, c.ID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Place.String()+" "+f.Kind+" "+f.Suggestion)
	}
	want := []string{
		"c.jsonl:3:51 bad-value ", "c.jsonl:4:1 duplicate-case ", "c.jsonl:5:29 unknown-key expect", "c.jsonl:5:1 missing-key ", "c.jsonl:6:1 bad-case ",
		"c.jsonl:7:40 bad-expression ", "c.jsonl:8:29 bad-value ", "c.jsonl:8:72 unknown-key ", "c.jsonl:9:38 bad-value ", "c.jsonl:10:40 bad-value ready",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s\n%s", diff, found.Text())
	}
}
