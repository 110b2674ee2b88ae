package experiment

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/planner"
)

// TestCases: requests that ask and expect the same are one case, a group is never parted, and what is expected is what the
// request gave, not what the plan chose by itself.
func TestCases(t *testing.T) {
	plan := func(name, file string) *planner.Result {
		return &planner.Result{
			Status: planner.Ready, Path: "generate", WorkflowName: name, ExecutionParams: map[string]any{"file": file},
			WorkflowIR: map[string]any{
				"inputs": map[string]any{"file": map[string]any{"type": "string"}},
				"nodes": []any{
					map[string]any{"id": "r", "type": "read-file", "params": map[string]any{"file_path": "in/${file}"}},
					map[string]any{"id": "s", "type": "llm", "params": map[string]any{"prompt": "Sum it up: ${r.content}", "model": "some/model"}},
				},
			},
		}
	}
	at := func(minute int) time.Time { return time.Date(2024, 1, 15, 8, minute, 0, 0, time.UTC) }
	list := []Approved{
		{ID: "d", Request: "Sum  up b.txt", At: at(4), Plan: plan("sum-up", "b.txt")},
		{ID: "a", Request: "sum up a.txt", At: at(1), Plan: plan("sum-up", "a.txt")},
		{ID: "b", Request: "SUM up a.txt ", At: at(2), Plan: plan("sum-up", "a.txt")},
		{ID: "c", Request: "recap a.txt", At: at(3), Plan: plan("recap", "a.txt")},
	}
	first, later := Cases(list, nil, .3)
	ids := func(cases []map[string]any) (out []string) {
		for _, c := range cases {
			out = append(out, fmt.Sprint(c["id"]))
		}
		return out
	}
	if diff := cmp.Diff([][]string{{"a", "d"}, {"c"}}, [][]string{ids(first), ids(later)}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	want := map[string]any{
		"status": "ready", "nodes": []any{"read-file", "llm"}, "edges": map[string]any{"all": []any{[]any{"read-file", "llm"}}},
		"params": map[string]any{"all": []any{[]any{"read-file", "file_path", "in/a.txt"}}},
	}
	if diff := cmp.Diff(want, first[0]["expect"]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
