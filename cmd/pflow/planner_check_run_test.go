//go:build !race

package main

import (
	"strings"
	"testing"
)

// TestPlannerCheckRun: a draft that no validator finds fault with, and that fails in each run, goes back with what it fails in.
func TestPlannerCheckRun(t *testing.T) {
	t.Parallel()
	p, plan := tidy(t, strings.Replace(tidyReply, "upper(string(text))", "text - 1", 1), tidyReply)
	const told = "fake-run at nodes[1].params.expression: in a run it fails whatever the nodes before it give: cannot compute string - integer"
	if plan.Attempts != 2 || !tells(p.findings(2), told) {
		t.Errorf("%d attempts; the model is not told %q, but\n%s", plan.Attempts, told, strings.Join(p.findings(2), "\n"))
	}
}
