package engine_test

import (
	"context"
	"testing"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// TestErrorDetails: what an op knows of its error reaches retry.on and fallback, also in a run that was killed and resumed.
// An op is told which of its meters are limited, by its flow or one around it.
func TestErrorDetails(t *testing.T) {
	op := engine.Op{Name: "detailed", Meters: []string{"calls", "cost"}, Idempotent: true, New: func(*engine.Setup) engine.Exec {
		return func(_ context.Context, in engine.Input) (engine.Output, error) {
			limited := map[string]any{"calls": in.Limited("calls"), "cost": in.Limited("cost"), "attempt": in.Attempt}
			return engine.Output{Meters: map[string]float64{"calls": 1}}, &fault.Error{Kind: fault.Unavailable, Message: "no", Details: limited}
		}
	}}
	flow, docs := enginetest.Load(t, txtar.Parse([]byte(`-- flow.yaml --
flow: f
version: 1
limits: {cost: 5}
state: {out: {type: any, default: null}, plain: {type: any, default: null}}
nodes:
  a: {op: flow, with: {flow: inner}, post: {out: result.out}, next: b}
  b: {op: probe, with: {fails: 9}, fallback: error.details, post: {plain: result}, actions: [{action: default}], next: end}
-- inner.yaml --
flow: inner
version: 1
state: {out: {type: any, default: null}}
nodes:
  a: {op: detailed, retry: {attempts: 9, on: error.details.attempt < 3}, fallback: error.details, post: {out: result}, next: end}
`)), append(enginetest.Ops(), op))
	res, err := engine.Execute(t.Context(), flow, nil, engine.Options{})
	if err != nil || res.Status != engine.Done {
		t.Fatalf("%v %v", err, res.Error)
	}
	if got, want := value.JSON(res.Store["out"]), `{"attempt":3,"calls":false,"cost":true}`; got != want {
		t.Errorf("details %s, want %s", got, want)
	}
	if got := value.JSON(res.Store["plain"]); got != "{}" {
		t.Errorf("an error without details has %s", got)
	}
	checkEveryPrefix(t, flow, docs, nil)
}
