package engine_test

import (
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
)

// TestSimulated: by a clock that jumps, what waits takes its time and none of ours; what is side by side overlaps, what comes
// first wins, limits hold.
func TestSimulated(t *testing.T) {
	for name, c := range map[string]struct {
		nodes, want string
		took        time.Duration
	}{
		"one after the other": {"  a: {op: sleep, with: {for: 1h}, next: b}\n  b: {op: sleep, with: {for: 2h}, next: end}", "done", 3 * time.Hour},
		"side by side":        {"  a: {op: parallel, with: {branches: {x: {op: sleep, with: {for: 1h}}, y: {op: sleep, with: {for: 2h}}}}, next: end}", "done", 2 * time.Hour},
		"two at a time":       {"  a: {op: map, prep: {items: '[1, 2, 3]'}, with: {op: sleep, with: {for: 1h}, concurrency: 2}, next: end}", "done", 2 * time.Hour},
		"the first of two":    {"  a: {op: parallel, with: {join: any, branches: {x: {op: sleep, with: {for: 1h}}, y: {op: sleep, with: {for: 2h}}}}, next: end}", "done", time.Hour},
		"a timeout":           {"  a: {op: sleep, with: {for: 2h}, timeout: 1h, next: end}", "failed", time.Hour},
		"in time":             {"  a: {op: sleep, with: {for: 1h}, timeout: 2h, next: end}", "done", time.Hour},
		"a limit of the run":  {"  a: {op: sleep, with: {for: 9h}, next: end}", "limit", 5 * time.Hour},
		"retries":             {"  a: {op: probe, with: {fails: 2}, retry: {attempts: 3, wait: 1h, backoff: constant, jitter: 0}, next: {default: end, left: end, right: end}}", "done", 2 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			flow, _ := enginetest.Load(t, txtar.Parse([]byte("-- flow.yaml --\nflow: f\nversion: 1\ndescription: d\nlimits: {timeout: 5h}\nnodes:\n"+c.nodes+"\n")), enginetest.Ops())
			for range 3 {
				res, err := engine.Execute(t.Context(), flow, nil, engine.Options{Simulated: true, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				if string(res.Status) != c.want || res.Took != c.took {
					t.Errorf("want %s after %v, got %s after %v: %v", c.want, c.took, res.Status, res.Took, res.Error)
				}
			}
		})
	}
}
