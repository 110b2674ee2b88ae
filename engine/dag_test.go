package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/engine/enginetest"
	"pflow/internal/fault"
)

// fromStore reads one key of the store.
type fromStore string

func (k fromStore) Eval(s *cond.Scope) (any, error) {
	store := s.Get("store").(map[string]any)
	v, ok := store[string(k)]
	if !ok {
		return nil, fault.New(fault.MissingKey, "nothing wrote %s", string(k))
	}
	return v, nil
}

// echo is an op of a dag node that gives its prep after a while, or fails.
func echo(after time.Duration, action string, fails bool) (*engine.Op, engine.Exec) {
	op := enginetest.Probe()
	return &op, func(ctx context.Context, in engine.Input) (engine.Output, error) {
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return engine.Output{}, ctx.Err()
		}
		if fails {
			return engine.Output{}, fault.New(fault.NotFound, "no luck")
		}
		return engine.Output{Result: in.Prep, Action: action, Meters: map[string]float64{"calls": 1}}, nil
	}
}

func dagNode(id string, after time.Duration, action string, fails bool, reads ...string) engine.DAGNode {
	n := engine.DAGNode{ID: id}
	n.Op, n.Exec = echo(after, action, fails)
	for _, r := range reads {
		n.Prep = append(n.Prep, engine.Binding{Name: r, Expr: fromStore(r)})
	}
	return n
}

// edges reads "a -> b; a -error-> c".
func edges(text string) []engine.DAGEdge {
	var out []engine.DAGEdge
	for _, e := range strings.Split(text, ";") {
		f := strings.Fields(e)
		action := strings.Trim(f[1], "->")
		if action == "" {
			action = engine.DefaultAction
		}
		out = append(out, engine.DAGEdge{From: f[0], Action: action, To: f[2]})
	}
	return out
}

func TestDAG(t *testing.T) {
	ms := time.Millisecond
	cases := []struct {
		name  string
		nodes []engine.DAGNode
		edges string
		want  string
	}{
		{"fan-out and join", []engine.DAGNode{
			dagNode("a", 0, "", false), dagNode("b", 3*ms, "", false, "a"), dagNode("c", ms, "", false, "a"), dagNode("d", 0, "", false, "b", "c"),
		}, "a -> b; a -> c; b -> d; c -> d", `status: done
action: default
step: a visit 1, attempts 1 -> default
step: b visit 1, attempts 1 -> default
step: c visit 1, attempts 1 -> default
step: d visit 1, attempts 1 -> default
store: a = {}
store: b = {"a":{}}
store: c = {"a":{}}
store: d = {"b":{"a":{}},"c":{"a":{}}}
usage: calls = 4
`},
		{"a dead branch joins", []engine.DAGNode{
			dagNode("a", 0, "left", false), dagNode("l", 0, "", false), dagNode("r", 0, "", false), dagNode("r2", 0, "", false), dagNode("end-up", 0, "", false, "l"),
		}, "a -left-> l; a -right-> r; r -> r2; r2 -> end-up; l -> end-up", `status: done
action: default
step: a visit 1, attempts 1 -> left
step: l visit 1, attempts 1 -> default
step: end-up visit 1, attempts 1 -> default
store: a = {}
store: end-up = {"l":{}}
store: l = {}
usage: calls = 3
`},
		{"an error edge", []engine.DAGNode{
			dagNode("a", 0, "", true), dagNode("never", 0, "", false), dagNode("mend", 0, "", false, "a"),
		}, "a -> never; a -error-> mend", `status: done
action: default
step: a visit 1, attempts 1 -> error
step: mend visit 1, attempts 1 -> default
store: a = {"error":{"attempts":1,"kind":"not_found","message":"no luck","node":"a"}}
store: mend = {"a":{"error":{"attempts":1,"kind":"not_found","message":"no luck","node":"a"}}}
usage: calls = 1
`},
		{"a failure cancels the rest", []engine.DAGNode{
			dagNode("a", 0, "", false), dagNode("bad", ms, "", true), dagNode("slow", time.Hour, "", false), dagNode("after", 0, "", false),
		}, "a -> bad; a -> slow; slow -> after", `status: failed
error: not_found at bad (), 1 attempts: no luck
step: a visit 1, attempts 1 -> default
step: bad visit 1, attempts 1 -> (failed)
step: slow visit 1, attempts 1 -> (failed)
store: a = {}
usage: calls = 1
`},
		{"an action without an edge ends its branch", []engine.DAGNode{
			dagNode("a", 0, "elsewhere", false), dagNode("b", 0, "", false),
		}, "a -> b", `status: done
action: default
step: a visit 1, attempts 1 -> elsewhere
store: a = {}
usage: calls = 1
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			flow, err := engine.NewDAG(engine.DAG{Name: "d", Nodes: c.nodes, Edges: edges(c.edges), Starts: []string{"a"}, Concurrency: 4})
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

// TestWideDAGKeepsToItsConcurrency counts the nodes under way at once.
func TestWideDAGKeepsToItsConcurrency(t *testing.T) {
	const width, most = 200, 7
	var under, peak atomic.Int32
	op := enginetest.Probe()
	d := engine.DAG{Name: "wide", Starts: []string{"start"}, Concurrency: most}
	exec := func(ctx context.Context, in engine.Input) (engine.Output, error) {
		n := under.Add(1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		time.Sleep(100 * time.Microsecond)
		under.Add(-1)
		return engine.Output{}, nil
	}
	d.Nodes = append(d.Nodes, dagNode("start", 0, "", false))
	for i := range width {
		id := fmt.Sprintf("n%d", i)
		d.Nodes = append(d.Nodes, engine.DAGNode{ID: id, Op: &op, Exec: exec})
		d.Edges = append(d.Edges, engine.DAGEdge{From: "start", Action: "default", To: id})
	}
	flow, err := engine.NewDAG(d)
	if err != nil {
		t.Fatal(err)
	}
	res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
	if err != nil || len(res.Steps) != width+1 || peak.Load() > most {
		t.Fatalf("%v, %d steps, %d at once; want at most %d", err, len(res.Steps), peak.Load(), most)
	}
}

// everything is a dag of nodes that run flows with retries, map, parallel and an inner flow: what resume must get
// right all at once.
func everything(t testing.TB, ops []engine.Op) *engine.Flow {
	t.Helper()
	work, _ := enginetest.Load(t, txtar.Parse([]byte(everythingFlow)), ops)
	var d engine.DAG
	d.Name, d.Starts, d.Concurrency = "everything", []string{"first"}, 3
	for _, n := range []struct{ id, reads string }{{"first", ""}, {"left", "first"}, {"right", "first"}, {"last", "left"}} {
		node := engine.DAGNode{ID: n.id, Flow: work, Settings: engine.Settings{Attempts: 2}}
		node.Prep = []engine.Binding{{Name: "seed", Expr: seedOf(n.reads)}}
		d.Nodes = append(d.Nodes, node)
	}
	d.Edges = edges("first -> left; first -> right; left -> last; right -> last")
	flow, err := engine.NewDAG(d)
	if err != nil {
		t.Fatal(err)
	}
	return flow
}

// seedOf hands the sum of an earlier node on.
type seedOf string

func (k seedOf) Eval(s *cond.Scope) (any, error) {
	if k == "" {
		return 1, nil
	}
	v, err := fromStore(k).Eval(s)
	if err != nil {
		return nil, err
	}
	return v.(map[string]any)["sum"], nil
}

const everythingFlow = `
-- flow.yaml --
flow: work
version: 1
description: Retries, map, parallel and an inner flow.
state:
  seed: {type: integer, required: true}
  list: {type: array, default: []}
  sum:  {type: integer, default: 0}
nodes:
  flaky:
    op: probe
    with: {fails: 1, result: [1, 2, 3]}
    retry: {attempts: 3, wait: 1ms, jitter: 0.3}
    post: {list: 'map(result, # + store.seed)'}
    actions: [{action: default}]
    next: each
  each:
    op: map
    prep: {items: store.list}
    with: {flow: inner, prep: {n: item}, concurrency: 2}
    post: {list: 'map(result, .n)'}
    next: both
  both:
    op: parallel
    with:
      branches:
        a: {flow: inner, prep: {n: 'sum(store.list)'}}
        b: {op: probe, prep: {n: 'len(store.list)'}, with: {echo: true}}
    post: {sum: result.a.n + result.b.n}
    next: end
-- inner.yaml --
flow: inner
version: 1
description: Add one, twice.
state: {n: {type: integer, required: true}, turn: {type: integer, default: 0}}
nodes:
  add:
    op: probe
    prep: {n: store.n}
    with: {echo: true}
    post: {n: result.n + 1, turn: store.turn + 1}
    actions:
      - {action: again, cel: 'store.turn < 2'}
      - {action: enough}
    next: {again: add, enough: end}
`

func TestResumeEverything(t *testing.T) {
	checkEveryPrefix(t, everything(t, enginetest.Ops()), engine.NewRecording(nil), nil)
}
