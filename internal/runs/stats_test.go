package runs

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/journal"
)

// visit is a step that began and ended at these milliseconds of its run.
func visit(label string, from, to float64, attempts ...Attempt) *Step {
	at := began.Add(time.Duration(from * float64(time.Millisecond)))
	return &Step{Name: label, Label: label, Type: "t", Status: "done", StartedAt: &at, DurationMS: to - from, ended: true, Attempts: attempts}
}

func ranFor(ms int, gaps ...engine.Gap) *journal.Past {
	end := time.Duration(ms) * time.Millisecond
	return &journal.Past{End: &engine.Ending{At: end}, History: engine.History{Gaps: gaps, Events: []engine.Event{
		{Kind: engine.EventStart, Time: began}, {Kind: engine.EventOutcome, At: 10 * time.Millisecond}, {Kind: engine.EventOutcome, At: end},
	}}}
}

// Visits, rounds and items of a step are taken together; what nobody worked on, or was kept, is left out.
func TestStats(t *testing.T) {
	s := NewStats()
	target := []engine.Target{{Node: "find", Percent: 95, Within: 15 * time.Millisecond}}
	failed := visit("find#2", 10, 30)
	failed.Status = "failed"
	each := visit("each", 30, 40)
	each.Steps = []*Step{visit("[0]", 30, 34), visit("[1]", 34, 40)}
	each.Steps[1].Steps = []*Step{visit("fetch#2", 35, 39, Attempt{Attempt: 1}, Attempt{Attempt: 2})}
	row := Row{Kind: journal.OfPlan, Name: "p"}
	s.Add(row, ranFor(40), []*Step{visit("find", 0, 10), failed, each, {Name: "never", Label: "never", Status: StepSkipped}}, target)
	// A second run that nobody worked on from 10 ms to 1010 ms.
	s.Add(row, ranFor(1050, engine.Gap{After: 2, For: time.Second}), []*Step{visit("find", 0, 10), visit("each", 10, 1020)}, target)
	s.Add(row, ranFor(10), []*Step{visit("find", 0, 10, Attempt{Attempt: 1, Kept: "other"})}, target)
	s.Add(Row{Kind: journal.OfWorkflow, Name: "p"}, &journal.Past{}, nil, nil)

	got := ""
	for _, of := range s.Samples() {
		got += fmt.Sprintf("%s %s: %d runs, %v\n", of.Kind, of.Name, of.Runs, of.Whole)
		for _, st := range of.Steps {
			got += fmt.Sprintf("%s inside=%v %v failures=%d retries=%d unmeasured=%d share=%.3f %v\n", st.Step, st.Inside, st.Percentiles, st.Failures, st.Retries, st.Unmeasured, st.Share, st.Targets)
		}
	}
	want := `plan p: 3 runs, {2 10 40 40 40}
find inside=false {3 10 20 20 20} failures=1 retries=0 unmeasured=1 share=0.400 [{95 15 20 1 false}]
each inside=false {1 10 10 10 10} failures=0 retries=0 unmeasured=1 share=0.100 []
each[] inside=true {2 4 6 6 6} failures=0 retries=0 unmeasured=0 share=0.100 []
each[]/fetch inside=true {1 4 4 4 4} failures=0 retries=1 unmeasured=0 share=0.040 []
workflow p: 1 runs, {0 0 0 0 0}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
