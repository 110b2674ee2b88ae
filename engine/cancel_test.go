package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
)

// TestCancel cancels runs that are busy in every way a run can be: in the bubble of synctest time stands still while
// anything can move, so that a wait that did not end at once, or a goroutine that is left, fails the test.
func TestCancel(t *testing.T) {
	flows := map[string]string{
		"an op":       "  a: {op: probe, with: {after: 1h}, actions: [{action: default}], next: end}",
		"a retry":     "  a: {op: probe, with: {fails: 99}, retry: {attempts: 3, wait: 1h}, actions: [{action: default}], next: end}",
		"sleep":       "  a: {op: sleep, with: {for: 1h}, next: end}",
		"a map":       "  a: {op: map, prep: {items: '[1, 2, 3]'}, with: {op: probe, with: {after: 1h}, concurrency: 2}, next: end}",
		"an inner":    "  a: {op: flow, with: {flow: inner}, timeout: 2h, next: end}",
		"map of flow": "  a: {op: map, prep: {items: '[1, 2, 3]'}, with: {flow: inner, concurrency: 3, on_error: continue}, next: end}",
		"parallel":    "  a: {op: parallel, with: {join: any, branches: {x: {flow: inner}, y: {op: sleep, with: {for: 1h}}}}, next: end}",
		"caught":      "  a: {op: sleep, with: {for: 1h}, catch: {action: c}, fallback: '1', retry: {attempts: 9}, next: {default: end, c: end}}",
	}
	for name, nodes := range flows {
		t.Run(name, func(t *testing.T) {
			ar := txtar.Parse([]byte("-- flow.yaml --\nflow: f\nversion: 1\ndescription: d\nlimits: {timeout: 3h}\nnodes:\n" + nodes +
				"\n-- inner.yaml --\nflow: inner\nversion: 1\ndescription: d\nnodes:\n  i: {op: sleep, with: {for: 1h}, next: end}\n"))
			flow, _ := enginetest.Load(t, ar, enginetest.Ops())
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				time.AfterFunc(time.Minute, cancel)
				began := time.Now()
				res, err := engine.Execute(ctx, flow, nil, engine.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != time.Minute {
					t.Errorf("the run ended %v after it was cancelled", took-time.Minute)
				}
				if res.Status != engine.Cancelled || res.Error.Kind != "cancelled" {
					t.Errorf("status %s, error %v", res.Status, res.Error)
				}
				synctest.Wait() // a goroutine that is left would never end: the bubble would report a deadlock
			})
		})
	}
}

// TestWaits runs backoff in fake time: the waits are those of the policy.
func TestWaits(t *testing.T) {
	flow, _ := enginetest.Load(t, txtar.Parse([]byte(`-- flow.yaml --
flow: f
version: 1
description: d
nodes:
  a:
    op: probe
    with: {fails: 4}
    retry: {attempts: 5, wait: 1s, backoff: exponential, max_wait: 3s}
    actions: [{action: default}]
    next: end
`)), enginetest.Ops())
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, err := engine.Execute(context.Background(), flow, nil, engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if took, want := time.Since(began), (1+2+3+3)*time.Second; took != want {
			t.Errorf("the run took %v, want %v", took, want)
		}
	})
}
