package experiment_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/nodes"
)

// TestUnanswered: a plan that failed for a model that gave no answer is no evidence against a flow. A verdict stands only where the difference is
// larger than all such plans make up, and the report says why the first has no answer.
func TestUnanswered(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/asking.yaml", strings.Replace(asking, `'{"status": "infeasible", "attempts": 0, "error": null}'`, `'{"status": prep.answer == null ? "failed" : "infeasible", "attempts": 0}'`, 1))
	for _, c := range []struct {
		name        string
		down        int // of 60 cases of the variant
		verdict     string
		says, warns string
	}{
		{"all", 60, "INCONCLUSIVE", "pass is not judged: a model gave no answer on 100% of the plans of two, which count as fails and say nothing of a flow", "60 rows without an answer"},
		{"many", 30, "INCONCLUSIVE", "a model gave no answer on 50% of the plans of two", "The first, c0 of two: unavailable: not now"},
		{"few", 1, "INCONCLUSIVE", "pass is worse by 1.7 points", "1 row without an answer"},
		{"none", 0, "INCONCLUSIVE", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lines strings.Builder
			for i := range 60 {
				fmt.Fprintf(&lines, `{"id": "c%d", "request": "paint picture %03d.", "expect": {%s}}`+"\n", i, i, `"abstain": true`)
			}
			s := specOf(t, 1, "variants: [{name: one, flow: "+dir+"/asking.yaml, model: t/one}, {name: two, flow: "+dir+"/asking.yaml, model: t/two}]\n")
			write(t, filepath.Join(s.Dir, "cases.jsonl"), lines.String())
			x, store := started(t, s, surroundings(t, nodes.Deps{Model: func(ctx context.Context, r llm.Request) (*llm.Reply, error) {
				r = experiment.Ask(ctx, r)
				if _, after, _ := strings.Cut(r.Messages[len(r.Messages)-1].Content, "paint picture "); r.Model == "t/two" && after < fmt.Sprintf("%03d.", c.down) {
					return nil, fault.New(fault.Unavailable, "not now")
				}
				reply := &llm.Reply{Text: `{"params": []}`, Value: map[string]any{"params": []any{}}, Model: r.Model, Usage: llm.Usage{Calls: 1, PromptTokens: 10, CompletionTokens: 2, Priced: true}}
				experiment.Answered(ctx, reply)
				return reply, nil
			}}))
			if _, err := x.Run(context.Background(), false); err != nil {
				t.Fatal(err)
			}
			r := report(t, store)
			d := r.Comparisons[0]
			warned := strings.Join(r.Warnings, "\n")
			if r.Errors != c.down || string(d.Verdict) != c.verdict || !strings.Contains(d.Reason, c.says) || !strings.Contains(warned, c.warns) || c.warns == "" && warned != "" {
				t.Errorf("%d errors, %s: %s\n%s", r.Errors, d.Verdict, d.Reason, warned)
			}
		})
	}
}
