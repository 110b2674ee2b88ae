package experiment_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/experiment"
	"pflow/nodes"
)

// timed makes an experiment of requests to a planner of two nodes that take no time worth naming.
func timed(t *testing.T, cases int, more string) (*experiment.Spec, string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "length.yaml"), lengthFlow)
	var lines strings.Builder
	for i := range cases {
		fmt.Fprintf(&lines, `{"id": "c%d", "request": "copy a very long request", "expect": {"nodes": ["copy-file"]}}`+"\n", i)
	}
	write(t, filepath.Join(dir, "cases.jsonl"), lines.String())
	spec, found := experiment.ReadSpec(filepath.Join(dir, "x.yaml"), []byte("experiment: times\ncases: cases.jsonl\n"+more))
	if spec == nil {
		t.Fatal(found.Text())
	}
	return spec, dir
}

// A guardrail on a percentile of a node's latency is kept by enough cases within it, broken by cases beyond it, and decides;
// flows can declare it themselves.
func TestNodeGuardrails(t *testing.T) {
	const two = "variants:\n- {name: a, flow: ./length.yaml, set: {params.least: 99}}\n- {name: b, flow: ./length.yaml}\n"
	const declared = "variants:\n- {name: a, flow: ./length.yaml, set: {params.least: 99}}\n- {name: b, flow: ./length.yaml, set: {nodes.look.target: {p50: 10h, p95: 1ms}}}\n"
	for _, c := range []struct {
		name    string
		cases   int
		more    string
		verdict string
		want    string // of the guardrails
		needed  int
	}{
		{"kept", 80, two + "guardrails: {nodes: {look: {p95: 10h}}}\n", "PROMOTE", "p95 of look kept", 0},
		{"broken", 30, two + "guardrails: {nodes: {look: {p50: 10h, p95: 1ns}}}\n", "REJECT", "p50 of look kept; p95 of look broken", 0},
		{"too few", 30, two + "repeats: 3\nguardrails: {nodes: {look: {p95: 10h}}}\n", "EXTEND", "p95 of look unclear", 72},
		{"never there", 30, two + "guardrails: {nodes: {ask: {p95: 10h}}}\n", "INCONCLUSIVE", "p95 of ask unclear", 0},
		{"recorded", 80, two + "replies: {record: kept}\nguardrails: {latency_ms: {relative: 9}, nodes: {look: {p95: 10h}}}\n", "INCONCLUSIVE", "latency_ms unclear; p95 of look unclear", 0},
		{"of the flow", 30, declared + "guardrails: {targets: true, nodes: {look: {p95: 1ns}}}\n", "REJECT", "p95 of look broken; p50 of look kept", 0},
		{"of the flow, not asked for", 30, declared, "PROMOTE", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, _ := timed(t, c.cases, c.more)
			x, store := started(t, spec, surroundings(t, nodes.Deps{}))
			if _, err := x.Run(context.Background(), false); err != nil {
				t.Fatal(err)
			}
			r := report(t, store)
			var got []string
			for _, g := range r.Comparisons[0].Guardrails {
				got = append(got, g.Metric+" "+string(g.State))
				if g.Needed != c.needed {
					t.Errorf("needs %d: %+v", g.Needed, g)
				}
				if c.name == "recorded" && !strings.Contains(g.Reason, "recorded replies take no time") {
					t.Errorf("reason: %s", g.Reason)
				}
			}
			if text := strings.Join(got, "; "); text != c.want || string(r.Comparisons[0].Verdict) != c.verdict {
				t.Errorf("%s, %s: %s", text, r.Comparisons[0].Verdict, r.Comparisons[0].Reason)
			}
			if c.verdict == "REJECT" && !strings.HasPrefix(r.Comparisons[0].Reason, "guardrail broken: p95 of look is ") {
				t.Error(r.Comparisons[0].Reason)
			}
			both, err := experiment.CompareStores(store, store, "a", "b")
			if err != nil {
				t.Fatal(err)
			}
			if len(both.Comparisons[0].Guardrails) != len(got) || string(both.Comparisons[0].Verdict) != c.verdict {
				t.Errorf("compared: %+v", both.Comparisons[0])
			}
		})
	}
	spec, _ := timed(t, 30, two+"guardrails: {nodes: {lok: {p95: 10h}}}\n")
	dir := filepath.Join(t.TempDir(), "exp")
	store, err := experiment.CreateStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := experiment.Create(store, spec, surroundings(t, nodes.Deps{})); err == nil || !strings.Contains(err.Error(), `x.yaml:6:22: guardrails.nodes: no flow of a variant has a node "lok"; of length: did you mean "look"?`) {
		t.Error(err)
	}
}
