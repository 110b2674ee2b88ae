package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
)

const shownRun = "20261123-120000-0a1b2c3d"

// slowToEnd is a command whose run has ended, and that has more to do.
type slowToEnd struct{ begun, end chan bool }

func (s slowToEnd) Carry(_ context.Context, c Command) Ended {
	if c.Begun == nil { // another one, that shows the run
		fmt.Fprintf(c.Stdout, `{"run": {"id": %q, "status": "done", "kind": "workflow", "name": "greet"}, "steps": [], "counts": {}}`, shownRun)
		return Ended{}
	}
	c.Begun(shownRun)
	close(s.begun)
	<-s.end
	return Ended{}
}

// TestEventsOfBusyRun: the page of a run that has ended hears of the end of the command that worked on it: the stream of the run says
// nothing more.
func TestEventsOfBusyRun(t *testing.T) {
	c := slowToEnd{make(chan bool), make(chan bool)}
	s := New(Options{Commands: c})
	r := httptest.NewRequest("GET", "/runs/"+shownRun, nil)
	r.SetPathValue("id", shownRun)
	heard := func() string {
		t.Helper()
		v, err := s.showRun(r)
		if err != nil {
			t.Fatal(err)
		}
		return v.Events
	}
	j, err := s.Begin("runWorkflow", Params{"name": "greet"})
	if err != nil {
		t.Fatal(err)
	}
	<-c.begun
	if got := heard(); got != j.Events() {
		t.Errorf("the page hears of %q, not of the command", got)
	}
	close(c.end)
	if _, err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := heard(); got != "" {
		t.Errorf("the page waits for %q, where nothing follows", got)
	}
}
