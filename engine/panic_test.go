package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/engine/enginetest"
	"pflow/internal/fault"
)

// panics are ops that panic, in a goroutine of their own and in the driver's, where their prep says so.
func panics() []engine.Op {
	op := engine.Op{Name: "panics", Summary: "Panics.", OpenPrep: true, Idempotent: true,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				if in.Prep["fine"] == true {
					return engine.Output{Result: "fine"}, nil
				}
				none := []int(nil)
				none[in.Attempt] = 1
				return engine.Output{}, nil
			}
		}}
	instant := op
	instant.Name, instant.Instant = "panics_instantly", true
	return []engine.Op{op, instant}
}

// TestPanicIsTheNodesError: whatever op panics, its node fails with the kind bug; others go on, catch and fallback take it.
func TestPanicIsTheNodesError(t *testing.T) {
	doc := `-- flow.yaml --
flow: f
version: 1
description: d
state: {each: {type: array, default: []}, won: {type: any, default: null}, kinds: {type: array, default: []}}
nodes:
  each: {op: map, prep: {items: '[true, false, true]'}, with: {op: OP, prep: {fine: item}, on_error: continue}, retry: {attempts: 3}, post: {each: 'map(result, #?.error?.kind)'}, next: race}
  race: {op: parallel, with: {join: any, branches: {a: {op: OP}, b: {op: OP, prep: {fine: 'true'}}}}, post: {won: result.name}, next: fall}
  fall: {op: OP, fallback: error.kind, post: {kinds: '[result]'}, next: caught}
  caught: {op: OP, catch: {action: bug}, actions: [{action: default}], next: {default: last, bug: last}}
  last: {op: OP, next: end}
`
	for _, op := range []string{"panics", "panics_instantly"} {
		doc := strings.NewReplacer("OP", op, "catch: {action: bug}, actions: [{action: default}]", "catch: {action: bug}").Replace(doc)
		flow, docs := enginetest.Load(t, txtar.Parse([]byte(doc)), append(enginetest.Ops(), panics()...))
		got, _ := runWithJournal(t, t.TempDir(), "run", flow, docs, nil)
		for _, want := range []string{"status: failed\nerror: bug at last", "this is a bug in pflow, not in what you gave it: runtime error: index out of range [1] with length 0, in pflow/engine_test.",
			`store: each = [null,"bug",null]`, `store: won = "b"`, `store: kinds = ["bug"]`, "step: caught visit 1, attempts 1 -> bug", "(panic_test.go:", "please report it"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\nwant %s", op, got, want)
			}
		}
	}
}

type panicking struct{}

func (panicking) Eval(*cond.Scope) (any, error) { panic("in an evaluator") }

// TestPanicInADAG: Go code that computes the values of a dag's nodes fails its node alone.
func TestPanicInADAG(t *testing.T) {
	op := &engine.Op{Name: "op", Idempotent: true}
	exec := func(context.Context, engine.Input) (engine.Output, error) { return engine.Output{Result: 1}, nil }
	flow, err := engine.NewDAG(engine.DAG{Name: "d", Starts: []string{"a"}, Nodes: []engine.DAGNode{
		{ID: "a", Op: op, Exec: exec, Prep: []engine.Binding{{Name: "x", Expr: panicking{}}}}, {ID: "b", Op: op, Exec: exec, Result: panicking{}},
		{ID: "c", Op: op, Exec: exec, Batch: &engine.Batch{Items: panicking{}}}, {ID: "d", Op: op, Exec: exec}},
		Edges: []engine.DAGEdge{{From: "a", Action: "error", To: "b"}, {From: "b", Action: "error", To: "c"}, {From: "c", Action: "error", To: "d"}}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := engine.Execute(t.Context(), flow, nil, engine.Options{})
	if err != nil || res.Status != engine.Done || len(res.Steps) != 4 {
		t.Fatalf("%v, %v", err, res)
	}
	for _, id := range []string{"a", "b", "c"} {
		failed, _ := res.Store[id].(map[string]any)["error"].(map[string]any)
		if failed["kind"] != "bug" {
			t.Errorf("%s: %v", id, res.Store[id])
		}
	}
}

// TestPanicOfTheDriver is the error of Execute, once what was under way has ended.
func TestPanicOfTheDriver(t *testing.T) {
	flow, _ := enginetest.Load(t, txtar.Parse([]byte(`-- flow.yaml --
flow: f
version: 1
description: d
nodes:
  both: {op: parallel, with: {branches: {a: {flow: inner}, b: {op: probe, with: {after: 1h}}}}, next: end}
-- inner.yaml --
flow: inner
version: 1
description: d
nodes:
  act: {op: probe, next: {default: end, left: end, right: end}}
`)), enginetest.Ops())
	_, err := engine.Execute(t.Context(), flow, nil, engine.Options{Observe: func(engine.Transition) { panic("an observer") }})
	if e := fault.Of(err); e == nil || e.Kind != fault.Bug || !strings.Contains(e.Message, "an observer") {
		t.Error(cmp.Diff("a bug", err))
	}
}
