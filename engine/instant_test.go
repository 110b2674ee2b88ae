package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/value"
)

// long is an instant op that computes for an hour unless its context ends before.
func long() engine.Op {
	return engine.Op{
		Name: "long", Summary: "Computes for an hour.", OpenPrep: true, Idempotent: true, Instant: true, Result: value.Any,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, _ engine.Input) (engine.Output, error) {
				select {
				case <-ctx.Done():
					return engine.Output{}, ctx.Err()
				case <-time.After(time.Hour):
					return engine.Output{Result: "done"}, nil
				}
			}
		},
	}
}

// TestInstantOpsObeyTime: an op that runs in the driver's own goroutine hears the run's end, its node's timeout and the
// limits around it, and is not ended by a wait that is none of its business.
func TestInstantOpsObeyTime(t *testing.T) {
	for _, c := range []struct {
		name, flow string
		want       engine.Status
		kind       string
		took       time.Duration
	}{
		{"nothing stops it", "nodes:\n  a: {op: long, next: end}", engine.Done, "", time.Hour},
		{"the run is cancelled", "nodes:\n  a: {op: long, timeout: 3h, next: end}\n  # cancel", engine.Cancelled, "cancelled", time.Minute},
		{"the node's timeout", "nodes:\n  a: {op: long, timeout: 2m, next: end}", engine.Failed, "timeout", 2 * time.Minute},
		{"the flow's limit", "limits: {timeout: 3m}\nnodes:\n  a: {op: long, next: end}", engine.Limited, "limit", 3 * time.Minute},
		{"an inner flow's limit", "nodes:\n  a: {op: flow, with: {flow: inner}, next: end}", engine.Limited, "limit", 4 * time.Minute},
		{"a timeout of the inner flow", "nodes:\n  a: {op: flow, with: {flow: inner}, timeout: 2m, next: end}", engine.Failed, "timeout", 2 * time.Minute},
		// The wait of x ends while y computes: y goes on beside it, from its beginning.
		{"a sibling's wait", "nodes:\n  a: {op: parallel, retry: {attempts: 2, wait: 30m}, with: {branches: {x: {op: probe, with: {fails: 1}}, y: {op: long}}}, next: end}",
			engine.Done, "", 90 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			ar := txtar.Parse([]byte("-- flow.yaml --\nflow: f\nversion: 1\ndescription: d\n" + c.flow +
				"\n-- inner.yaml --\nflow: inner\nversion: 1\ndescription: d\nlimits: {timeout: 4m}\nnodes:\n  i: {op: long, next: end}\n"))
			flow, _ := enginetest.Load(t, ar, append(enginetest.Ops(), long()))
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if c.want == engine.Cancelled {
					time.AfterFunc(time.Minute, cancel)
				}
				began := time.Now()
				res, err := engine.Execute(ctx, flow, nil, engine.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != c.took || res.Status != c.want || res.Error != nil && string(res.Error.Kind) != c.kind {
					t.Errorf("%s after %v, error %v; want %s after %v", res.Status, took, res.Error, c.want, c.took)
				}
			})
		})
	}
}
