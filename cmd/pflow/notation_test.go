//go:build !race

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
	"pflow/ir"
)

// TestNotationOfExamples: what pflow shows of a workflow is a request that gives the same workflow.
func TestNotationOfExamples(t *testing.T) {
	t.Parallel()
	p := newPlanning(t)
	var files []string
	for _, pattern := range []string{"*.json", "*.yaml"} {
		some, err := filepath.Glob(filepath.Join(exampleFolder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	if len(files) < 30 {
		t.Fatalf("only %d examples", len(files))
	}
	called, _, _ := p.run("workflow", "show", "--ir", mustAbs(t, filepath.Join(exampleFolder, "csv-total.yaml")))
	p.keep("csv-total", called) // which another example calls
	var requests []map[string]any
	want := map[string]string{}
	for _, file := range files {
		file = mustAbs(t, file)
		shown, stderr, status := p.run("workflow", "show", file)
		if status != 0 {
			t.Fatalf("%s: %s", file, stderr)
		}
		document, _, _ := p.run("workflow", "show", file, "--ir")
		sum, err := ir.HashJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		id := filepath.Base(file)
		requests = append(requests, map[string]any{"id": id, "request": shown})
		want[id] = sum
	}
	for id, plan := range p.planned(requests) {
		if found, _ := plan["diagnostics"].([]any); len(found) > 0 {
			t.Errorf("%s: %v", id, found)
		}
		got := ""
		if plan["workflow_ir"] != nil {
			w, _ := ir.DecodeValue(plan["workflow_ir"])
			got = w.Hash()
		}
		if got != want[id] {
			t.Errorf("%s: is not read as it is shown: %s", id, value.JSON(plan["workflow_ir"]))
		}
	}
}

// planned plans requests without a model.
func (p *planningDesk) planned(requests []map[string]any) map[string]map[string]any {
	p.t.Helper()
	var lines strings.Builder
	for _, r := range requests {
		lines.WriteString(value.JSON(r) + "\n")
	}
	p.file("requests.jsonl", lines.String())
	out, stderr, status := p.run("plan", "--from", "requests.jsonl", "--json", "--flow", "planner-offline", "--date", "2024-01-15")
	if status != 0 {
		p.t.Fatal(stderr)
	}
	plans := map[string]map[string]any{}
	scan := bufio.NewScanner(strings.NewReader(out))
	scan.Buffer(nil, 1<<24)
	for scan.Scan() {
		v, err := value.ParseJSON(scan.Bytes())
		if err != nil {
			p.t.Fatal(err)
		}
		plan := v.(map[string]any)
		plans[plan["id"].(string)] = plan
	}
	if len(plans) != len(requests) {
		p.t.Fatalf("%d plans of %d requests", len(plans), len(requests))
	}
	return plans
}

// TestNotationOfPlans: the plan that is shown for a request is a request that gives the same plan, new or saved, ready or not.
func TestNotationOfPlans(t *testing.T) {
	t.Parallel()
	p := newPlanning(t)
	library, err := filepath.Glob("../../experiments/library/*.json")
	if err != nil || len(library) == 0 {
		t.Fatal("no library", err)
	}
	if err := os.MkdirAll(filepath.Join(p.home, "workflows"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range library {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.home, "workflows", filepath.Base(file)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := os.ReadFile("../../experiments/planners.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var requests []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(string(cases)), "\n") {
		var c struct{ ID, Request string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		requests = append(requests, map[string]any{"id": c.ID, "request": c.Request})
	}
	first := p.planned(requests)
	var again []map[string]any
	headers, seen := map[string]string{}, map[string]bool{}
	for _, r := range requests {
		id := r["id"].(string)
		if s := first[id]["status"]; first[id]["workflow_ir"] == nil || s != "ready" && s != "needs_input" {
			continue
		}
		form := value.JSON(first[id]["workflow_ir"])
		if seen[form] {
			continue // each workflow once
		}
		seen[form] = true
		shown, stderr, _ := p.run("plan", "--flow", "planner-offline", "--date", "2024-01-15", "--", r["request"].(string))
		if shown == "" {
			t.Fatalf("%s: nothing is shown\n%s", id, stderr)
		}
		headers[id], _, _ = strings.Cut(shown, ": ")
		again = append(again, map[string]any{"id": id, "request": shown})
	}
	if len(again) < 20 {
		t.Fatalf("only %d plans", len(again))
	}
	second := p.planned(again)
	for id, plan := range second {
		for _, k := range []string{"status", "path", "workflow_ir", "execution_params"} {
			if diff := cmp.Diff(first[id][k], plan[k]); diff != "" {
				t.Errorf("%s: %s of the plan of what was shown (-first +second):\n%s\n%v", id, k, diff, plan["error"])
			}
		}
		if diff := cmp.Diff(lacks(first[id]), lacks(plan)); diff != "" {
			t.Errorf("%s: missing_params (-first +second):\n%s", id, diff)
		}
		if name, _ := plan["workflow_name"].(string); !strings.HasSuffix(headers[id], " workflow "+name) { // a component's name is not kept
			t.Errorf("%s: the name %q, shown is %q", id, name, headers[id])
		}
		parts, _ := plan["coverage"].(map[string]any)["parts"].([]any)
		if open, _ := plan["coverage"].(map[string]any)["open"].([]any); len(parts) == 0 || len(open) > 0 {
			t.Errorf("%s: coverage %v", id, plan["coverage"])
		}
	}
}

// lacks are the names of what a plan has no value for, sorted.
func lacks(plan map[string]any) []string {
	out := map[string]bool{}
	missing, _ := plan["missing_params"].([]any)
	for _, m := range missing {
		out[value.JSON(m)] = true
	}
	return value.SortedKeys(out)
}

func mustAbs(t *testing.T, file string) string {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
