package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/engine/journal"
	"pflow/internal/fault"
)

// told writes progress down, one line for each.
func told(to *strings.Builder) func(engine.Progress) {
	kinds := map[engine.ProgressKind]string{engine.ProgressBegan: "began", engine.ProgressAttempt: "attempt", engine.ProgressRetry: "retry", engine.ProgressHeld: "held",
		engine.ProgressUnit: "unit", engine.ProgressEnded: "ended", engine.ProgressSkipped: "skipped"}
	return func(p engine.Progress) {
		fmt.Fprintf(to, "%s %s", p.Step, kinds[p.Kind])
		switch p.Kind {
		case engine.ProgressBegan:
			if p.Units >= 0 {
				fmt.Fprintf(to, " of %d", p.Units)
			}
			if p.Rounds > 0 {
				fmt.Fprintf(to, " of at most %d rounds", p.Rounds)
			}
		case engine.ProgressAttempt, engine.ProgressRetry:
			if p.Index != "" {
				fmt.Fprintf(to, " [%s]", p.Index)
			}
			fmt.Fprintf(to, " %d/%d", p.Attempt, p.Attempts)
		case engine.ProgressUnit:
			fmt.Fprintf(to, " [%s]", p.Index)
		case engine.ProgressEnded:
			fmt.Fprintf(to, " -> %q", p.Action)
		}
		if p.Failed != "" {
			fmt.Fprintf(to, " failed: %s", p.Failed)
		}
		if p.Kept {
			to.WriteString(" kept")
		}
		to.WriteString("\n")
	}
}

// TestProgress: what happens to each step is told as it happens: attempts of how many, items, rounds, what fails, what is skipped.
func TestProgress(t *testing.T) {
	flaky := dagNode("flaky", 0, "left", false)
	work := flaky.Exec
	flaky.Attempts, flaky.Wait = 3, time.Millisecond
	flaky.Exec = func(ctx context.Context, in engine.Input) (engine.Output, error) {
		if in.Attempt < 2 {
			return engine.Output{}, fault.New(fault.Unavailable, "not yet")
		}
		return work(ctx, in)
	}
	batch := dagNode("each", 0, "", false)
	batch.Batch = &engine.Batch{Items: eval(func(*cond.Scope) (any, error) { return []any{"a", "b"}, nil }), KeepGoing: true}
	batch.Exec = func(_ context.Context, in engine.Input) (engine.Output, error) {
		if in.Index() == "0" {
			return engine.Output{}, fault.New(fault.NotFound, "none")
		}
		return engine.Output{}, nil
	}
	twice := repeating("poll", func(_ any, index int) (bool, error) { return index == 1, nil }, 5)
	flow, err := engine.NewDAG(engine.DAG{Name: "d", Starts: []string{"flaky"}, Nodes: []engine.DAGNode{flaky, batch, twice, dagNode("no", 0, "", true), dagNode("right", 0, "", false), dagNode("after", 0, "", false)},
		Edges: edges("flaky -left-> each; each -> poll; poll -> no; flaky -right-> right; right -> after")})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if _, err := engine.Execute(t.Context(), flow, nil, engine.Options{Progress: told(&got)}); err != nil {
		t.Fatal(err)
	}
	want := `flaky began
flaky attempt 1/3
flaky retry 1/3 failed: unavailable
flaky attempt 2/3
flaky ended -> "left"
right skipped
after skipped
each began of 2
each attempt [0] 1/1
each unit [0] failed: not_found
each attempt [1] 1/1
each unit [1]
each ended -> "default"
poll began of at most 5 rounds
poll attempt 1/1
poll#1 began
poll#1 attempt 1/1
poll#1 ended -> "again"
poll#2 began
poll#2 attempt 1/1
poll#2 ended -> "default"
poll ended -> "default"
no began
no attempt 1/1
no ended -> "" failed: not_found
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// TestProgressOfStopped: what is stopped since another step failed is told from what failed.
func TestProgressOfStopped(t *testing.T) {
	under := make(chan struct{})
	slow := dagNode("slow", 0, "", false)
	slow.Exec = func(ctx context.Context, _ engine.Input) (engine.Output, error) {
		if engine.StepOf(ctx) != "slow" {
			t.Errorf("the context is of %q", engine.StepOf(ctx))
		}
		close(under)
		<-ctx.Done()
		return engine.Output{}, ctx.Err()
	}
	fails := dagNode("fails", 0, "", true)
	fails.Exec = func(context.Context, engine.Input) (engine.Output, error) {
		<-under
		return engine.Output{}, fault.New(fault.NotFound, "none")
	}
	flow, err := engine.NewDAG(engine.DAG{Name: "d", Starts: []string{"slow", "fails"}, Concurrency: 2, Nodes: []engine.DAGNode{slow, fails}})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if _, err := engine.Execute(t.Context(), flow, nil, engine.Options{Progress: told(&got)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fails ended -> \"\" failed: not_found\n", "slow ended -> \"\" failed: cancelled\n"} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("no %q in\n%s", want, got.String())
		}
	}
}

// TestProgressOfResumed: a run that goes on tells what happened before, and what waited; what is known of another run was kept.
func TestProgressOfResumed(t *testing.T) {
	var mu sync.Mutex
	approved := false
	op := gate(func(string) bool { mu.Lock(); defer mu.Unlock(); return approved })
	gated := engine.DAGNode{ID: "gated", Op: &op, Exec: op.New(nil)}
	flow, err := engine.NewDAG(engine.DAG{Name: "d", Starts: []string{"first"}, Nodes: []engine.DAGNode{dagNode("first", 0, "", false), gated}, Edges: edges("first -> gated")})
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	j, err := journal.Create(home, "r", journal.About{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	keep := func(a engine.Attempted) (*engine.Event, error) {
		if a.Step == "first" {
			return &engine.Event{From: "another"}, nil
		}
		return nil, nil
	}
	if _, err := engine.Execute(t.Context(), flow, nil, engine.Options{Journal: j, RunID: "r", Keep: keep, Progress: told(&got)}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	before := "first began\nfirst attempt 1/1\nfirst ended -> \"default\" kept\ngated began\ngated attempt 1/1\ngated held\n"
	if diff := cmp.Diff(before, got.String()); diff != "" {
		t.Error(diff)
	}
	past, _, j, err := journal.Resume(home, "r", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	approved = true
	got.Reset()
	if _, err := engine.Execute(t.Context(), flow, nil, engine.Options{Journal: j, RunID: "r", History: &past.History, Progress: told(&got)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before+"gated ended -> \"default\"\n", got.String()); diff != "" {
		t.Error(diff)
	}
}
