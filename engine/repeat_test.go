package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/engine/enginetest"
)

// storeOf is the store of the rounds: the keys that are there, and the item of a batch.
type storeOf []string

func (keys storeOf) Eval(s *cond.Scope) (any, error) {
	store := s.Get("store").(map[string]any)
	out := map[string]any{"item": s.Get("item")}
	for _, k := range keys {
		if v, ok := store[k]; ok {
			out[k] = v
		}
	}
	return out, nil
}

// eval is an Evaluator.
type eval func(*cond.Scope) (any, error)

func (f eval) Eval(s *cond.Scope) (any, error) { return f(s) }

// until is a condition over what a round wrote and its index.
type until func(result any, index int) (bool, error)

func (f until) Test(s *cond.Scope) (bool, error) {
	return f(s.Get("result"), s.Get("index").(int))
}

// repeating is a node that writes, each round, its index and what the round before wrote.
func repeating(id string, holds until, most int) engine.DAGNode {
	n := dagNode(id, 0, "", false, engine.RoundKey, engine.PreviousKey)
	n.Settings = engine.Settings{Rounds: most, Pause: time.Millisecond}
	n.Repeat = &engine.Repeat{Store: storeOf{"first"}, Until: holds,
		Result: eval(func(s *cond.Scope) (any, error) {
			got := s.Get("result").(map[string]any)
			before, _ := got[engine.PreviousKey].(int)
			return before + got[engine.RoundKey].(int) + 1, nil
		})}
	n.Result = eval(func(s *cond.Scope) (any, error) {
		return s.Get("result").(map[string]any)[engine.RoundsKey], nil
	})
	return n
}

func TestRepeat(t *testing.T) {
	third := func(result any, index int) (bool, error) { return result == 6 && index == 2, nil }
	never := func(any, int) (bool, error) { return false, nil }
	batch := repeating("each", third, 5)
	batch.Batch = &engine.Batch{Items: eval(func(*cond.Scope) (any, error) { return []any{"a", "b"}, nil }), KeepGoing: true}
	batch.Concurrency = 2
	batch.Result = nil
	flaky := repeating("poll", third, 5)
	flaky.Attempts = 2
	work := flaky.Exec
	flaky.Exec = func(ctx context.Context, in engine.Input) (engine.Output, error) {
		if in.Attempt == 1 && in.Prep[engine.RoundKey] == 1 {
			return engine.Output{}, context.DeadlineExceeded
		}
		return work(ctx, in)
	}
	late := repeating("poll", never, 0)
	late.Late = func(*cond.Scope) (engine.Settings, error) { return engine.Settings{Rounds: 2, Attempts: 1}, nil }
	cases := []struct {
		name  string
		nodes []engine.DAGNode
		edges string
		want  string
	}{
		{"until it holds", []engine.DAGNode{repeating("poll", third, 5), dagNode("after", 0, "", false, "poll")}, "poll -> after", `status: done
action: default
step: poll#1 visit 1, attempts 1 -> again
step: poll#2 visit 1, attempts 1 -> again
step: poll#3 visit 1, attempts 1 -> default
step: poll visit 1, attempts 1 -> default
step: after visit 1, attempts 1 -> default
store: after = {"poll":[1,3,6]}
store: poll = [1,3,6]
usage: calls = 4
`},
		{"exhausted, and caught", []engine.DAGNode{repeating("poll", never, 2), dagNode("mend", 0, "", false)}, "poll -error-> mend", `status: done
action: default
step: poll#1 visit 1, attempts 1 -> again
step: poll#2 visit 1, attempts 1 -> default
step: poll visit 1, attempts 1 -> error
step: mend visit 1, attempts 1 -> default
store: mend = {}
store: poll = {"error":{"attempts":1,"kind":"exhausted","message":"the condition of until did not hold after 2 rounds; raise max, or lead an edge with the action \"error\" from this node","node":"poll"}}
usage: calls = 3
`},
		{"attempts are of a round", []engine.DAGNode{flaky}, "", `status: done
action: default
step: poll#1 visit 1, attempts 1 -> again
step: poll#2 visit 1, attempts 2 -> again
step: poll#3 visit 1, attempts 1 -> default
step: poll visit 1, attempts 1 -> default
store: poll = [1,3,6]
usage: calls = 3
`},
		{"settings that are known late", []engine.DAGNode{late}, "", `status: failed
error: exhausted at poll (), 1 attempts: the condition of until did not hold after 2 rounds; raise max, or lead an edge with the action "error" from this node
step: poll#1 visit 1, attempts 1 -> again
step: poll#2 visit 1, attempts 1 -> default
step: poll visit 1, attempts 1 -> (failed)
usage: calls = 2
`},
		{"each item of a batch", []engine.DAGNode{batch}, "", `status: done
action: default
step: each[0]#1 visit 1, attempts 1 -> again
step: each[0]#2 visit 1, attempts 1 -> again
step: each[0]#3 visit 1, attempts 1 -> default
step: each[1]#1 visit 1, attempts 1 -> again
step: each[1]#2 visit 1, attempts 1 -> again
step: each[1]#3 visit 1, attempts 1 -> default
step: each visit 1, attempts 1 -> default
store: each = [{"the ended rounds":[1,3,6],"the last round":6,"the round":3},{"the ended rounds":[1,3,6],"the last round":6,"the round":3}]
usage: calls = 6
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var list []engine.DAGEdge
			if c.edges != "" {
				list = edges(c.edges)
			}
			flow, err := engine.NewDAG(engine.DAG{Name: "d", Nodes: c.nodes, Edges: list, Starts: []string{c.nodes[0].ID}, Concurrency: 4})
			if err != nil {
				t.Fatal(err)
			}
			res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, enginetest.Show(res)); diff != "" {
				t.Error(diff)
			}
			checkEveryPrefix(t, flow, engine.NewRecording(nil), nil)
		})
	}
}
