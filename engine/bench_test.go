package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/engine/journal"
	"pflow/internal/cputime"
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

// beside times what is measured and its yardsticks in turn, a few runs of each, and gives the median of each one's
// nanoseconds of processor time a node: the machine's speed drifts and others use it, too, so that only ratios within one
// benchmark mean anything.
func beside(b *testing.B, nodes int, timed ...func()) []float64 {
	b.Helper()
	for _, run := range timed {
		run()
	}
	took := make([][]float64, len(timed))
	b.ReportAllocs()
	for b.Loop() {
		for i, run := range timed {
			began := cputime.Used()
			run()
			took[i] = append(took[i], float64(cputime.Used()-began)/float64(nodes))
		}
	}
	medians := make([]float64, len(timed))
	for i, all := range took {
		slices.Sort(all)
		medians[i] = all[len(all)/2]
	}
	b.ReportMetric(0, "ns/op")
	return medians
}

// nothing is an op that does nothing.
func nothing() engine.Op {
	return engine.Op{Name: "nothing", OpenPrep: true, Instant: true, Idempotent: true, New: func(*engine.Setup) engine.Exec {
		return func(context.Context, engine.Input) (engine.Output, error) { return engine.Output{}, nil }
	}}
}

// execute runs a flow of so many node visits, with a journal if a writer is given.
func execute(b *testing.B, flow *engine.Flow, visits int, w *journal.Writer) {
	o := engine.Options{Seed: 1}
	if w != nil {
		o.Journal = w
	}
	res, err := engine.Execute(context.Background(), flow, nil, o)
	if err != nil || len(res.Steps) != visits {
		b.Fatal(err, len(res.Steps), res.Error)
	}
}

// benchNodes reports what a node of a flow costs, as a multiple of the yardstick, which runs ten times as many nodes.
func benchNodes(b *testing.B, flow *engine.Flow, visits int) {
	bare := bareLinear(1000)
	at := beside(b, visits, func() { execute(b, flow, visits, nil) }, func() {
		for range visits / 100 {
			bare.run()
		}
	})
	b.ReportMetric(at[0], "ns/node")
	b.ReportMetric(at[0]/at[1]*10, "x-bare")
}

// heard is a journal that keeps what it is told, to be told to another.
type heard []func(engine.Journal) error

func (h *heard) keep(tell func(engine.Journal) error) error {
	*h = append(*h, tell)
	return nil
}

func (h *heard) Begin(ev engine.Event) error {
	return h.keep(func(j engine.Journal) error { return j.Begin(ev) })
}

func (h *heard) Started(a engine.Attempt) error {
	return h.keep(func(j engine.Journal) error { return j.Started(a) })
}

func (h *heard) Happened(ev engine.Event) error {
	return h.keep(func(j engine.Journal) error { return j.Happened(ev) })
}

func (h *heard) Ended(end engine.Ending) error {
	return h.keep(func(j engine.Journal) error { return j.Ended(end) })
}

// benchJournal reports what the journal of a run takes, its checksums included, as a multiple of writing the same lines to
// a file and doing nothing else; and what a node costs with it, as a multiple of the yardstick.
func benchJournal(b *testing.B, flow *engine.Flow, visits int) {
	var told heard
	if res, err := engine.Execute(context.Background(), flow, nil, engine.Options{Seed: 1, Journal: &told}); err != nil || res.Status != engine.Done {
		b.Fatal(err, res)
	}
	home, n := b.TempDir(), 0
	create := func() *journal.Writer {
		n++
		w, err := journal.Create(home, strconv.Itoa(n), journal.About{}, []byte("{}"))
		if err != nil {
			b.Fatal(err)
		}
		return w
	}
	journaled := func() {
		w := create()
		defer w.Close()
		for _, tell := range told {
			if err := tell(w); err != nil {
				b.Fatal(err)
			}
		}
	}
	journaled()
	text, err := os.ReadFile(filepath.Join(home, "runs", "1", "journal.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines = lines[:len(lines)-1]
	writes := func() {
		n++
		f, err := os.OpenFile(filepath.Join(home, strconv.Itoa(n)), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for _, line := range lines {
			if _, err := f.Write(line); err != nil {
				b.Fatal(err)
			}
		}
	}
	whole := func() {
		w := create()
		defer w.Close()
		execute(b, flow, visits, w)
	}
	bare := bareLinear(1000)
	at := beside(b, visits, journaled, writes, whole, func() {
		for range visits / 100 {
			bare.run()
		}
	})
	b.ReportMetric(at[0]/at[1], "x-writes")
	b.ReportMetric(at[2], "ns/node")
	b.ReportMetric(at[2]/at[3]*10, "x-bare")
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
	flow, _ := enginetest.Load(b, txtar.Parse([]byte(text.String())), []engine.Op{nothing()})
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
	flow, _ := enginetest.Load(b, txtar.Parse([]byte(text)), []engine.Op{nothing()})
	return flow
}

// mending is counting with a node that a failure would lead to, and what the flow and that node declare beside.
func mending(b *testing.B, visits int, functions, vars string) *engine.Flow {
	text := fmt.Sprintf(`-- flow.yaml --
flow: mending
version: 1
description: d
limits: {steps: 1000000}
state: {i: {type: integer, default: 0}}
%snodes:
  n:
    op: nothing
    prep: {i: store.i}
    post: {i: prep.i + 1}
    actions:
      - {action: again, expr: store.i < %d}
      - {action: done}
    catch: {action: failed}
    next: {again: n, failed: mend, done: end}
  mend:
    op: nothing
%s    next: end
`, functions, visits, vars)
	flow, _ := enginetest.Load(b, txtar.Parse([]byte(text)), []engine.Op{nothing()})
	return flow
}

// BenchmarkUnused compares a flow that declares functions and vars, and comes by none of them, with the same flow without
// them: it fails if a run takes one allocation more.
func BenchmarkUnused(b *testing.B) {
	const visits = 1000
	declaring := mending(b, visits, "functions:\n  more: {args: [n], expr: n + 1}\n  twice: {args: [n], expr: more(n) * 2}\n",
		"    vars: {next: twice(store.i), far: vars.next > 9}\n    post: {i: vars.next}\n")
	plain := mending(b, visits, "", "    post: {i: store.i}\n")
	with, without := func() { execute(b, declaring, visits, nil) }, func() { execute(b, plain, visits, nil) }
	if a, c := testing.AllocsPerRun(5, with), testing.AllocsPerRun(5, without); a != c {
		b.Fatalf("with what is not used a run takes %v allocations, without %v", a, c)
	}
	at := beside(b, visits, with, without)
	b.ReportMetric(at[0]/at[1], "x-without")
}

func BenchmarkEmptyNode(b *testing.B)     { benchNodes(b, linear(b, 1000, emptyNode), 1000) }
func BenchmarkFullNode(b *testing.B)      { benchNodes(b, linear(b, 1000, fullNode), 1000) }
func BenchmarkLoop1000(b *testing.B)      { benchNodes(b, counting(b, 1_000), 1_000) }
func BenchmarkLoop100000(b *testing.B)    { benchNodes(b, counting(b, 100_000), 100_000) }
func BenchmarkJournal1000(b *testing.B)   { benchJournal(b, counting(b, 1_000), 1_000) }
func BenchmarkJournal100000(b *testing.B) { benchJournal(b, counting(b, 100_000), 100_000) }
