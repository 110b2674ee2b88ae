package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"pflow/flows"
	"pflow/internal/planner"
	"pflow/internal/value"
)

// hasty gives the home copies of the shipped flows that wait no longer than a test needs between attempts.
func (p *planningDesk) hasty() {
	p.t.Helper()
	files, err := fs.Glob(flows.FS, "planner*.yaml")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range files {
		data, err := fs.ReadFile(flows.FS, name)
		if err != nil {
			p.t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.yaml") {
			p.inHome(filepath.Join("flows", name), strings.ReplaceAll(string(data), "wait: 1s", "wait: 1ms"))
		}
	}
}

// TestPlannerBounds: however long an endpoint takes or wants to be left alone, a plan ends, says why, and keeps what it has.
func TestPlannerBounds(t *testing.T) {
	t.Run("the flow's own timeout", func(t *testing.T) {
		t.Parallel()
		p := newPlanning(t, `{fault: slow, times: any}`)
		p.savedAs("duplicate-file", duplicateFile)
		plan, stderr, status := p.plan("copy a.txt to b.txt", "--set", "limits.timeout=4s")
		if errorOf(plan, "kind") != "limit" || plan.Status != planner.Failed || status != exitUnplanned || !strings.Contains(stderr, "timeout") || len(p.server.Requests()) != 1 {
			t.Errorf("%s, exit %d\n%s", summary(plan), status, stderr)
		}
	})
	t.Run("a limit of calls", func(t *testing.T) {
		t.Parallel()
		p := newPlanning(t, "chosen", "named", "bad-type")
		plan, stderr, status := p.plan("copy a.txt to b.txt", "--set", "limits.calls=3")
		if errorOf(plan, "kind") != "limit" || status != exitUnplanned || !strings.Contains(stderr, "calls") || plan.WorkflowIR == nil || plan.Attempts != 2 {
			t.Errorf("%s, exit %d, draft %v\n%s", summary(plan), status, plan.WorkflowIR, stderr)
		}
	})
	t.Run("the gate's model does not answer in time", func(t *testing.T) {
		t.Parallel()
		p := newPlanning(t, "chosen", "named", "good", "described", faulty("taken", "slow", "3"))
		plan, stderr, status := p.plan("copy a.txt to b.txt", "--set", "planner-gate:nodes.ask.timeout=200ms", "--set", "*:nodes.ask.retry.wait=1ms")
		if got := summary(plan); got != `failed generate copy-a-file {} [source target] 1 timeout` || status != exitUnplanned || !strings.Contains(stderr, "no result within 200ms") {
			t.Errorf("%s, exit %d\n%s", got, status, stderr)
		}
	})
	t.Run("left alone for an hour", func(t *testing.T) { // nobody waits for it, and nobody asks again
		t.Parallel()
		p := newPlanning(t, `{fault: rate_limit, headers: {Retry-After: "3600"}}`)
		p.savedAs("duplicate-file", duplicateFile)
		plan, stderr, status := p.plan("copy a.txt to b.txt")
		if errorOf(plan, "kind") != "provider_error" || status != exitUnplanned || !strings.Contains(stderr, "wants to be left alone for another") {
			t.Errorf("%s, exit %d\n%s", summary(plan), status, stderr)
		}
	})
	t.Run("a later generation fails", func(t *testing.T) { // the first draft is kept
		t.Parallel()
		p := newPlanning(t, "chosen", "named", "bad-type", faulty("good", "refusal", "1"))
		plan, stderr, status := p.plan("copy a.txt to b.txt")
		if plan.Status != planner.Failed || errorOf(plan, "kind") != "refused" || plan.Attempts != 2 || status != exitUnplanned ||
			!strings.Contains(value.JSON(plain(t, plan.WorkflowIR)), `"copy-fil"`) {
			t.Errorf("%s, exit %d, draft %v\n%s", summary(plan), status, plan.WorkflowIR, stderr)
		}
	})
	t.Run("no time twice, then an answer", func(t *testing.T) { // at each stage, within the flow's one retry policy
		t.Parallel()
		quick := `rate_limit, headers: {Retry-After-Ms: "5"}`
		var replies []string
		for _, line := range []string{"chosen", "named", "good", "described", "taken"} {
			replies = append(replies, faulty(line, quick, "1"), faulty(line, "unavailable", "1"), line)
		}
		p := newPlanning(t, replies...)
		p.hasty()
		plan, stderr, status := p.plan("copy a.txt to b.txt")
		if got := summary(plan); got != generated || status != 0 || stderr != "" || len(p.server.Requests()) != 15 {
			t.Errorf("%s, exit %d, %d requests\n%s", got, status, len(p.server.Requests()), stderr)
		}
	})
	t.Run("a fault that passes", func(t *testing.T) { // is asked again, and forgotten
		t.Parallel()
		p := newPlanning(t, faulty("chosen", "reset", "1"), "chosen", faulty("named", "server_error", "1"), "named", faulty("good", "empty_choices", "1"), "good",
			faulty("described", "truncated", "1"), "described", faulty("taken", `rate_limit, headers: {Retry-After-Ms: "5"}`, "1"), "taken")
		p.hasty()
		plan, stderr, status := p.plan("copy a.txt to b.txt")
		if got := summary(plan); got != generated || status != 0 || stderr != "" || errorOf(plan, "kind") != "" {
			t.Errorf("%s, exit %d\n%s", got, status, stderr)
		}
	})
}
