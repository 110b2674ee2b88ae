package engine_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/fault"
)

// TestAnyOutcomeIsRecorded runs ops that give what is hard to write down: each run can be resumed from every record of
// its journal and ends as it did.
func TestAnyOutcomeIsRecorded(t *testing.T) {
	outcomes := map[string]func() (engine.Output, error){
		"a large float": func() (engine.Output, error) {
			return engine.Output{Result: []any{1e20, -1e20, 9223372036854775808.0, 1e21, 5e-324}}, nil
		},
		"large details": func() (engine.Output, error) {
			return engine.Output{}, &fault.Error{Kind: "\xff", Message: "a\xffb", Details: map[string]any{"n": 1e20}}
		},
		"details that are no value": func() (engine.Output, error) {
			return engine.Output{}, &fault.Error{Kind: fault.Failure, Message: "m", Details: map[string]any{"n": math.NaN(), "f": func() {}}}
		},
		"a meter that is no number": func() (engine.Output, error) {
			return engine.Output{Meters: map[string]float64{"calls": math.NaN(), "cost_usd": 1e20}}, nil
		},
		"a failure with such a meter": func() (engine.Output, error) {
			return engine.Output{Meters: map[string]float64{"calls": math.Inf(1), "cost_usd": 1e300}}, errors.New("no")
		},
		"a result that is no value": func() (engine.Output, error) { return engine.Output{Result: "\xff"}, nil },
	}
	for name, give := range outcomes {
		t.Run(name, func(t *testing.T) {
			op := engine.Op{Name: "hard", Summary: "Gives it.", Idempotent: true, Meters: []string{"calls", "cost_usd"},
				New: func(*engine.Setup) engine.Exec {
					return func(context.Context, engine.Input) (engine.Output, error) { return give() }
				}}
			flow, docs := enginetest.Load(t, txtar.Parse([]byte(`-- flow.yaml --
flow: f
version: 1
description: d
state: {a: {type: any, default: null}, b: {type: any, default: null}}
nodes:
  one: {op: hard, post: {a: result}, retry: {attempts: 2}, fallback: '{"kind": error.kind, "message": error.message, "details": error.details}', next: two}
  two: {op: eval, prep: {a: store.a}, with: {expr: '{"a": prep.a, "more": 1e20}'}, post: {b: result}, next: end}
`)), append(enginetest.Ops(), op))
			checkEveryPrefix(t, flow, docs, nil)
		})
	}
}
