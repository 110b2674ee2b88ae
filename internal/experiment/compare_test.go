package experiment_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/experiment"
	"pflow/internal/llm"
	"pflow/internal/stats"
	"pflow/nodes"
)

// lengthFlow is a planner that plans requests of at least so many letters, and asks a model first where it is told to.
const lengthFlow = `flow: length
version: 1
state:
  user_input: {type: string, required: true}
  planner_output: {type: any, default: null}
params: {least: 0, asks: false}
start: begin
nodes:
  begin:
    op: eval
    with: {expr: 'null'}
    actions:
      - {action: ask, expr: params.asks}
      - {action: think}
    next: {ask: ask, think: look}
  ask:
    op: llm
    prep: {request: store.user_input}
    with: {prompt: parameters}
    next: look
  look:
    op: eval
    prep: {request: store.user_input}
    with: {expr: 'len(prep.request) >= params.least'}
    post:
      planner_output: |
        result ? {"status": "ready", "path": "generate", "attempts": 1, "workflow_ir": {"nodes": [{"id": "a", "type": "copy-file"}]}} : {"status": "infeasible"}
    actions:
      - {action: plan, expr: result}
      - {action: stop}
    next: {plan: end, stop: end}
`

// compared runs an experiment of 30 cases, of which the first five are short, in ten groups.
func compared(t *testing.T, more string) *experiment.Report {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "length.yaml"), lengthFlow)
	var lines strings.Builder
	for i := range 30 {
		request := "copy a very long request"
		if i < 5 {
			request = "copy"
		}
		fmt.Fprintf(&lines, `{"id": "c%d", "request": %q, "group": "g%d", "expect": {"nodes": ["copy-file"]}}`+"\n", i, request, i/3)
	}
	write(t, filepath.Join(dir, "cases.jsonl"), lines.String())
	spec, found := experiment.ReadSpec(filepath.Join(dir, "x.yaml"), []byte("experiment: lengths\ncases: cases.jsonl\n"+more))
	if spec == nil {
		t.Fatal(found.Text())
	}
	x, store := started(t, spec, surroundings(t, nodes.Deps{Model: func(_ context.Context, r llm.Request) (*llm.Reply, error) {
		return &llm.Reply{Text: "{}", Value: map[string]any{"params": []any{}}, Usage: llm.Usage{Calls: 1, PromptTokens: 100, Priced: true, CostUSD: .01}}, nil
	}}))
	if _, err := x.Run(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	return report(t, store)
}

// TestScoreOfVariants: each variant has the primary metric by itself, with an interval that knows of the groups.
func TestScoreOfVariants(t *testing.T) {
	for _, v := range compared(t, three).Variants {
		s := v.Score
		if s == nil || s.Cases != 30 || s.Clusters != 10 || s.Method != stats.MethodEffective || math.Abs(s.Mean-v.Means["pass"]) > 1e-12 {
			t.Fatalf("%s: %+v, means %v", v.Name, s, v.Means)
		}
		if i := s.Interval; !i.Known || !i.Contains(s.Mean) || i.High-i.Low < .05 || i.High-i.Low > .6 {
			t.Errorf("%s: %+v", v.Name, i)
		}
	}
}

// TestCompare: means, clusters, Holm and guardrails come from what the rows say.
func TestCompare(t *testing.T) {
	r := compared(t, `variants:
  - {name: strict, flow: ./length.yaml, set: {params.least: 10}}
  - {name: lenient, flow: ./length.yaml}
  - {name: dear, flow: ./length.yaml, set: {params.asks: true}}
repeats: 3
effect: 0.1
guardrails: {calls: {absolute: 0.5}}
`)
	if r.Groups != 10 || r.Rows != 270 || math.Abs(r.Variants[0].Means[experiment.Pass]-25./30) > 1e-12 || r.Variants[2].Totals[experiment.CostUSD] < .899 {
		t.Errorf("groups %d, rows %d, means %v, totals %v", r.Groups, r.Rows, r.Variants[0].Means, r.Variants[2].Totals)
	}
	if k := r.Variants[0].PassK; len(k) != 3 || math.Abs(k[2]-25./30) > 1e-12 {
		t.Errorf("pass^k: %v", k)
	}
	lenient, dear := r.Comparisons[0], r.Comparisons[1]
	if tt := lenient.Metrics[0].TTest; tt.Clusters != 10 || tt.Cases != 30 || lenient.Differ != 2 && lenient.Differ != 5 || lenient.McNemar != nil {
		t.Errorf("lenient: %+v, differ %d", tt, lenient.Differ)
	}
	if lenient.PHolm < lenient.P || len(lenient.Fixed) != 5 || len(lenient.Broken) != 0 || lenient.Fixed[0].Baseline.Runs != 3 {
		t.Errorf("lenient: p %v, by Holm %v, %d fixed", lenient.P, lenient.PHolm, len(lenient.Fixed))
	}
	if dear.Verdict != "REJECT" || !strings.Contains(dear.Reason, "guardrail broken: calls goes from 0 to 1") {
		t.Errorf("dear: %s, %s", dear.Verdict, dear.Reason)
	}
	for _, d := range dear.Metrics {
		if d.Metric == experiment.Calls && (d.Ratio.Interval.Known || !d.Median.Interval.Known) {
			t.Errorf("calls against none: ratio %+v, median %+v", d.Ratio, d.Median)
		}
	}
	if d := lenient.Fixed[0].Diverge; d == nil || d.Node != "look" || d.Baseline.Action != "stop" || d.Variant.Action != "plan" {
		t.Errorf("diverge: %+v", d)
	}
}

// TestGuardedRate: where what is paid decides, pass may fall by so much. Without calls a model is asked no more; kept is what passes as
// often, broken what passes less by more than that, and unclear what 30 cases in ten groups cannot tell.
func TestGuardedRate(t *testing.T) {
	const variants = `variants:
  - {name: dear, flow: ./length.yaml, set: {params.asks: true}}
  - {name: cheap, flow: ./length.yaml}
  - {name: worse, flow: ./length.yaml, set: {params.least: 1000}}
primary: calls
effect: 0.5
guardrails: {pass: {%s}, node_f1: {absolute: 0.9}}
`
	for _, c := range []struct {
		limit        string
		cheap, worse string // what comes of pass
		verdict      string // of cheap
	}{
		{"absolute: 0.4", "kept, pass goes from 100% to 100%, may fall by 40 points", "broken, pass goes from 100% to 0%, may fall by 40 points", "PROMOTE"},
		{"relative: 0.5", "kept, pass goes from 100% to 100%, may fall by 50% of that", "broken, pass goes from 100% to 0%, may fall by 50% of that", "PROMOTE"},
		{"absolute: 0.05", "unclear, pass goes from 100% to 100%, may fall by 5 points, which chance could have crossed either way", "broken, pass goes from 100% to 0%, may fall by 5 points", "INCONCLUSIVE"},
	} {
		r := compared(t, fmt.Sprintf(variants, c.limit))
		cheap, worse := r.Comparisons[0], r.Comparisons[1]
		for i, want := range []string{c.cheap, c.worse} {
			g := r.Comparisons[i].Guardrails
			if len(g) != 2 || g[0].Metric != "pass" || string(g[0].State)+", "+g[0].Reason != want {
				t.Errorf("%s: %+v, want %s", c.limit, g, want)
			}
		}
		if string(cheap.Verdict) != c.verdict && !(c.verdict == "INCONCLUSIVE" && cheap.Verdict == "EXTEND") || worse.Verdict != "REJECT" || !strings.HasPrefix(worse.Reason, "guardrail broken: "+strings.TrimPrefix(c.worse, "broken, ")) {
			t.Errorf("%s: cheap %s, %s; worse %s, %s", c.limit, cheap.Verdict, cheap.Reason, worse.Verdict, worse.Reason)
		}
	}
}

// TestFormats: every format is whole, and the same each time.
func TestFormats(t *testing.T) {
	r := compared(t, `variants:
  - {name: "strict & <b>", flow: ./length.yaml, set: {params.least: 10}}
  - {name: lenient, flow: ./length.yaml}
description: "A | pipe, a *star* and <i>"
metrics: [pass, node_f1]
`)
	for _, format := range experiment.Formats {
		once, err := r.Format(format, 2)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := r.Format(format, 2); again != once {
			t.Errorf("%s is not the same each time", format)
		}
		switch format {
		case "json":
			var v map[string]any
			if err := json.Unmarshal([]byte(once), &v); err != nil || v["schema"] != experiment.ReportSchema {
				t.Errorf("%v: %v", v["schema"], err)
			}
		case "junit":
			var v struct {
				Suites []struct {
					Failures int `xml:"failures,attr"`
					Cases    []struct {
						Name string `xml:"name,attr"`
					} `xml:"testcase"`
				} `xml:"testsuite"`
			}
			if err := xml.Unmarshal([]byte(once), &v); err != nil || len(v.Suites) != 3 || len(v.Suites[0].Cases) != 1 || len(v.Suites[1].Cases) != 30 || len(v.Suites[2].Cases) != 30 {
				t.Errorf("%+v: %v", v, err)
			}
		case "markdown":
			if !contains(once, `| strict & &lt;b> |`, `A \| pipe, a \*star\* and &lt;i>`, "### Fixed: 5 cases", "and 3 more.") {
				t.Errorf("markdown:\n%s", once)
			}
		case "text":
			if !contains(once, "fixed: 5 cases", "and 3 more", "at look: stop -> plan") {
				t.Errorf("text:\n%s", once)
			}
		case "html":
			if strings.Contains(once, "<b>\"") || !contains(once, "strict &amp; &lt;b&gt;") {
				t.Error("html: a name is not escaped")
			}
		}
	}
	if _, err := r.Format("pdf", 0); err == nil {
		t.Error("there is a format pdf")
	}
}

// TestFactors: each level of a node's variants against the first, over all else.
func TestFactors(t *testing.T) {
	r := compared(t, `variants: [{name: base, flow: ./length.yaml}]
node_variants:
  look:
    all: {}
    none: {with.expr: "false"}
  begin:
    one: {}
    two: {with.expr: "1"}
`)
	if len(r.Variants) != 4 || len(r.Factors) != 2 {
		t.Fatalf("%d variants, %d effects", len(r.Variants), len(r.Factors))
	}
	begin, look := r.Factors[0], r.Factors[1]
	if begin.Node != "begin" || begin.TTest.Mean != 0 || look.Node != "look" || look.Level != "none" || look.Versus != "all" || look.TTest.Mean != -1 {
		t.Errorf("%+v\n%+v", begin, look)
	}
}

// TestRatioWords: what is paid for is told as a share of what it was, with its interval, p and p by Holm.
func TestRatioWords(t *testing.T) {
	s := experiment.MadeStore(t, 40, 3, 1)
	r, err := experiment.NewReport(s)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, c := range r.Comparisons {
		for _, d := range c.Metrics {
			if d.Metric.Rate() != (d.Ratio == nil) || d.Metric.Rate() != (d.Median == nil) {
				t.Errorf("%s: ratio %+v, median %+v", d.Metric, d.Ratio, d.Median)
			}
			if d.Ratio != nil && d.Ratio.PHolm < d.Ratio.P {
				t.Errorf("%s: %+v", d.Metric, d.Ratio)
			}
			if d.Ratio != nil && d.Ratio.Interval.Known {
				told++
			}
		}
	}
	for _, text := range []string{r.Text(3), r.Markdown(3)} {
		if told == 0 || !strings.Contains(text, "by Holm") || !strings.Contains(text, "32% less to the same") {
			t.Errorf("%d ratios:\n%s", told, text)
		}
	}
}
