// Package bench runs other engines' cost per node beside pflow's, in one run. It is a module of its own, so that none
// of them becomes a dependency of pflow.
package bench

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cloudwego/eino/compose"
	"github.com/looplab/fsm"

	"pflow/engine"
)

const nodes = 100

func report(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
}

// BenchmarkBare is the least that any graph runner in Go does: a map of functions and a map of successors.
func BenchmarkBare(b *testing.B) {
	fn := map[string]func(map[string]any) string{}
	next := map[string]map[string]string{}
	for i := range nodes {
		id := "n" + strconv.Itoa(i)
		fn[id] = func(map[string]any) string { return "default" }
		if i+1 < nodes {
			next[id] = map[string]string{"default": "n" + strconv.Itoa(i+1)}
		}
	}
	for b.Loop() {
		store := map[string]any{}
		for cur := "n0"; cur != ""; {
			cur = next[cur][fn[cur](store)]
		}
	}
	report(b)
}

// BenchmarkPflow runs nodes that do nothing, with a record of each step.
func BenchmarkPflow(b *testing.B) {
	var text strings.Builder
	text.WriteString("flow: linear\nversion: 1\ndescription: d\nnodes:\n")
	for i := range nodes {
		next := "end"
		if i+1 < nodes {
			next = fmt.Sprintf("n%d", i+1)
		}
		fmt.Fprintf(&text, "  n%d: {op: nothing, next: %s}\n", i, next)
	}
	op := engine.Op{Name: "nothing", Instant: true, New: func(*engine.Setup) engine.Exec {
		return func(context.Context, engine.Input) (engine.Output, error) { return engine.Output{}, nil }
	}}
	l := &engine.Loader{Ops: engine.NewRegistry(op), Resources: engine.Folders{}}
	flow, found := l.Load(engine.Document{Kind: engine.FlowDocument, Path: "linear.yaml", Data: []byte(text.String())})
	if flow == nil {
		b.Fatal(found.Text())
	}
	for b.Loop() {
		if _, err := engine.Execute(context.Background(), flow, nil, engine.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	report(b)
}

// BenchmarkLooplabFSM fires one event for each transition of a linear machine.
func BenchmarkLooplabFSM(b *testing.B) {
	events := fsm.Events{}
	for i := range nodes {
		events = append(events, fsm.EventDesc{Name: "default", Src: []string{"n" + strconv.Itoa(i)}, Dst: "n" + strconv.Itoa(i+1)})
	}
	ctx := context.Background()
	for b.Loop() {
		m := fsm.NewFSM("n0", events, nil)
		for range nodes {
			if err := m.Event(ctx, "default"); err != nil {
				b.Fatal(err)
			}
		}
	}
	report(b)
}

// BenchmarkEino runs a compiled linear graph of eino's compose package.
func BenchmarkEino(b *testing.B) {
	ctx := context.Background()
	g := compose.NewGraph[map[string]any, map[string]any]()
	last := compose.START
	for i := range nodes {
		id := "n" + strconv.Itoa(i)
		step := compose.InvokableLambda(func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil })
		if err := g.AddLambdaNode(id, step); err != nil {
			b.Fatal(err)
		}
		if err := g.AddEdge(last, id); err != nil {
			b.Fatal(err)
		}
		last = id
	}
	if err := g.AddEdge(last, compose.END); err != nil {
		b.Fatal(err)
	}
	run, err := g.Compile(ctx, compose.WithMaxRunSteps(2*nodes))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := run.Invoke(ctx, map[string]any{"i": 0}); err != nil {
			b.Fatal(err)
		}
	}
	report(b)
}
