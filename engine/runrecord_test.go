package engine_test

import (
	"context"
	"testing"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/value"
)

const manyErrors = `-- flow.yaml --
flow: many
version: 1
description: Fail 130 times.
state:
  early: {type: array, default: []}
  facts: {type: any, default: null}
nodes:
  fail:
    op: eval
    with: {expr: 'run.visits.fail > 130 ? run.errors : fail("refused", "no " + string(run.visits["fail"]))'}
    catch: {action: caught}
    post: {facts: '[len(result), result[0].message, result[0].step, result[-1].message, len(store.early), store.early[9].message]'}
    next: {default: end, caught: keep}
  keep:
    op: eval
    with: {expr: run.errors}
    actions:
      - {action: early, expr: run.steps == 20}
      - {action: late}
    next: {early: write, late: fail}
  write:
    op: eval
    with: {expr: run.errors}
    post: {early: result}
    next: fail
`

// TestRunErrorsAreBounded fails 130 times: the last 100 errors are kept, and what was written to the store before stays as
// it was.
func TestRunErrorsAreBounded(t *testing.T) {
	flow, _ := enginetest.Load(t, txtar.Parse([]byte(manyErrors)), enginetest.Ops())
	res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
	if err != nil || res.Status != engine.Done {
		t.Fatal(err, res.Error)
	}
	if got, want := value.JSON(res.Store["facts"]), `[100,"no 31",62,"no 130",10,"no 10"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
