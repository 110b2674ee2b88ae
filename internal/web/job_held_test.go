package web

import (
	"context"
	"strings"
	"testing"
)

// large answers each command with a document of its size.
type large int

func (n large) Carry(_ context.Context, c Command) Ended {
	_, _ = c.Stdout.Write([]byte(`"` + strings.Repeat("x", int(n)) + `"`))
	return Ended{}
}

// TestJobsHeld: jobs that came to much are forgotten before they are many; the last is there.
func TestJobsHeld(t *testing.T) {
	const size = maxHeld/4 - 100
	s := New(Options{Commands: large(size)})
	var all []*Job
	for range 10 {
		j, err := s.Begin("runWorkflow", Params{"name": "much"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	kept := 0
	for _, j := range all {
		if s.jobs.get(j.ID) != nil {
			kept += j.held()
		}
	}
	if kept > maxHeld+size+1000 || kept < maxHeld/2 {
		t.Errorf("%d bytes of jobs are kept", kept)
	}
	if s.jobs.get(all[len(all)-1].ID) == nil {
		t.Error("the last job is forgotten")
	}
}

// TestEditsHeld: edits of plans are forgotten before they take much; the last is there.
func TestEditsHeld(t *testing.T) {
	ps := &plans{of: map[string]*planEdit{}}
	large := strings.Repeat("x", maxEditsHeld/4)
	last := ""
	for range 10 {
		last = ps.keep(&planEdit{run: "r", workflow: large})
	}
	if len(ps.of) != 4 || len(ps.order) != 4 || ps.get(last, "r") == nil {
		t.Errorf("%d edits of %d bytes are kept", len(ps.of), len(large))
	}
}
