package engine_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/journal"
)

// The yardstick: the least that any graph runner in Go does, a map of functions and a map of successors.
type bareGraph struct {
	fn   map[string]func(map[string]any) string
	next map[string]map[string]string
}

func bareLinear(n int) *bareGraph {
	g := &bareGraph{map[string]func(map[string]any) string{}, map[string]map[string]string{}}
	for i := range n {
		id := "n" + strconv.Itoa(i)
		g.fn[id] = func(map[string]any) string { return "default" }
		if i+1 < n {
			g.next[id] = map[string]string{"default": "n" + strconv.Itoa(i+1)}
		}
	}
	return g
}

func (g *bareGraph) run() {
	store := map[string]any{}
	for cur := "n0"; cur != ""; {
		cur = g.next[cur][g.fn[cur](store)]
	}
}

// bareNode is what a node costs the yardstick now, in nanoseconds: the machine's speed drifts, so that only a ratio
// within one run means anything.
func bareNode() float64 {
	g := bareLinear(1000)
	began := time.Now()
	n := 0
	for ; time.Since(began) < 50*time.Millisecond; n++ {
		g.run()
	}
	return float64(time.Since(began).Nanoseconds()) / float64(n) / 1000
}

// nothing is an op that does nothing.
func nothing() engine.Op {
	return engine.Op{Name: "nothing", OpenPrep: true, Instant: true, Idempotent: true, New: func(*engine.Setup) engine.Exec {
		return func(context.Context, engine.Input) (engine.Output, error) { return engine.Output{}, nil }
	}}
}

// benchNodes runs a flow of so many node visits and reports what one costs, also as a multiple of the yardstick.
func benchNodes(b *testing.B, flow *engine.Flow, visits int, withJournal bool) {
	b.Helper()
	home := b.TempDir()
	run := func() {
		o := engine.Options{Seed: 1}
		if withJournal {
			w, err := journal.Create(home, journal.NewID(time.Now()), []byte("{}"))
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			o.Journal = w
		}
		res, err := engine.Execute(context.Background(), flow, nil, o)
		if err != nil || len(res.Steps) != visits {
			b.Fatal(err, len(res.Steps), res.Error)
		}
	}
	run()
	before := bareNode()
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	node := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(visits)
	b.ReportMetric(node, "ns/node")
	b.ReportMetric(node/((before+bareNode())/2), "x-bare")
}

// linear is a flow of n nodes of one kind.
func linear(b *testing.B, n int, node string) *engine.Flow {
	var text strings.Builder
	text.WriteString("-- flow.yaml --\nflow: linear\nversion: 1\ndescription: d\nlimits: {steps: 1000000}\n" +
		"state: {i: {type: integer, default: 0}}\nnodes:\n")
	for i := range n {
		next := "end"
		if i+1 < n {
			next = fmt.Sprintf("n%d", i+1)
		}
		fmt.Fprintf(&text, "  n%d:\n    op: nothing\n%s", i, strings.ReplaceAll(node, "NEXT", next))
	}
	flow, _ := load(b, txtar.Parse([]byte(text.String())), []engine.Op{nothing()})
	return flow
}

const (
	emptyNode = "    next: NEXT\n"
	// fullNode has one prep, one post and one condition.
	fullNode = "    prep: {i: store.i}\n    post: {i: prep.i + 1}\n    actions:\n      - {action: on, expr: store.i > 0}\n      - {action: off}\n    next: {on: NEXT, off: end}\n"
)

// counting loops through one full node until it was visited so many times.
func counting(b *testing.B, visits int) *engine.Flow {
	text := fmt.Sprintf(`-- flow.yaml --
flow: counting
version: 1
description: d
limits: {steps: 1000000}
state: {i: {type: integer, default: 0}}
nodes:
  n:
    op: nothing
    prep: {i: store.i}
    post: {i: prep.i + 1}
    actions:
      - {action: again, expr: store.i < %d}
      - {action: done}
    next: {again: n, done: end}
`, visits)
	flow, _ := load(b, txtar.Parse([]byte(text)), []engine.Op{nothing()})
	return flow
}

func BenchmarkEmptyNode(b *testing.B)     { benchNodes(b, linear(b, 1000, emptyNode), 1000, false) }
func BenchmarkFullNode(b *testing.B)      { benchNodes(b, linear(b, 1000, fullNode), 1000, false) }
func BenchmarkJournal(b *testing.B)       { benchNodes(b, linear(b, 1000, fullNode), 1000, true) }
func BenchmarkJournal1000(b *testing.B)   { benchNodes(b, counting(b, 1_000), 1_000, true) }
func BenchmarkJournal100000(b *testing.B) { benchNodes(b, counting(b, 100_000), 100_000, true) }
