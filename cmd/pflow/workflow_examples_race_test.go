//go:build race

package main

import (
	"slices"
	"testing"
)

// TestWorkflowExamplesRace runs those under the race detector in which several nodes run at once, wait, go round or are approved;
// TestWorkflowExamples runs them all.
func TestWorkflowExamplesRace(t *testing.T) {
	sample := []string{"two-at-once", "all-pages", "wait-for-job", "publish-after-approval", "download-list", "fallback"}
	for _, name := range sample {
		if workflowExamples[name] == nil {
			t.Errorf("there is no workflow %s", name)
		}
	}
	runExamples(t, func(name string) bool { return slices.Contains(sample, name) })
}
