//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"pflow/engine"
	"pflow/internal/diag"
)

// What hostile input may take. The time only tells a hang, or a square, from work: a quiet machine takes under a second,
// a busy one under the race detector many times that.
const (
	mostTime   = 90 * time.Second
	mostMemory = 256 << 20
)

// bounded runs f and checks the time and the memory that it takes.
func bounded(t *testing.T, f func()) {
	t.Helper()
	// What the collector has not yet freed is no memory that f needs.
	defer debug.SetGCPercent(debug.SetGCPercent(15))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc+now.StackInuse)
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	start := time.Now()
	f()
	took := time.Since(start)
	close(stop)
	used := int64(<-peak) - int64(before.HeapAlloc+before.StackInuse)
	if testing.Verbose() {
		t.Logf("%v, %d MB", took.Round(time.Millisecond), used>>20)
	}
	if took > mostTime {
		t.Errorf("it took %v", took)
	}
	if used > mostMemory {
		t.Errorf("it took %d MB", used>>20)
	}
}

// oneNode is a flow around the text of a node.
func oneNode(node string) string { return "flow: f\nversion: 1\nnodes:\n  a: " + node + "\n" }

func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestHostileDocuments: each document gives findings of a kind, or loads, in bounded time and memory.
func TestHostileDocuments(t *testing.T) {
	good := "{op: eval, with: {expr: '1'}, next: end}"
	for _, c := range []struct{ name, text, want string }{
		{"alias bomb", "a: &a [x,x,x,x,x,x,x,x,x]\n" + many(12, "b%[1]d: &b%[1]d [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n") + bomb(), "bad-yaml"},
		{"alias bomb in params", oneNode(good) + "params:\n  b0: &b0 [1,1,1,1,1,1,1,1,1,1]\n" + bomb(), "bad-yaml"},
		{"100 MB", strings.Repeat("# x\n", 25<<20), "bad-yaml"},
		{"100,000 params", oneNode(good) + "params:\n" + many(100_000, "  k%d: 1\n"), ""},
		{"60,000 state keys", oneNode(good) + "state:\n" + many(60_000, "  k%d: {type: any}\n"), ""},
		{"100,000 unknown keys", oneNode(good) + many(100_000, "k%d: 1\n"), "unknown-key"},
		{"100,000 options", oneNode("{op: eval, next: end, with: {expr: '1'" + many(100_000, ", k%d: 1") + "}}"), "unknown-param"},
		{"40,000 names of prep", oneNode("{op: log, next: end, prep: {message: '1'" + many(40_000, ", k%d: 1") + "}}"), "unknown-param"},
		{"10,000 nodes in a row", "flow: f\nversion: 1\nnodes:\n" + chain(10_000, "end"), ""},
		{"10,000 nodes in a circle", "flow: f\nversion: 1\nnodes:\n" + chain(10_000, "n0"), "no-path-to-end"},
		{"10,000 nodes that none reaches", "flow: f\nversion: 1\nnodes:\n  a: " + good + "\n" + chain(10_000, "end"), "unreachable-node"},
		{"10,000 unknown ops", "flow: f\nversion: 1\nnodes:\n" + many(10_000, "  n%d: {op: evla, next: end}\n"), "unknown-op"},
		{"10,000 unknown nodes", "flow: f\nversion: 1\nnodes:\n" + many(10_000, "  n%d: {op: eval, with: {expr: '1'}, next: nn}\n"), "unknown-node"},
		{"unwritten keys", unwritten(8000, ""), "read-before-write"},
		{"unwritten keys and as many environments", unwritten(8000, "prep: {p%[1]d: '1'}, "), "bad-yaml"},
		{"unknown state keys", "flow: f\nversion: 1\nstate:\n" + many(20_000, "  k%d: {type: any}\n") + "nodes:\n  a: {op: eval, next: end, with: {expr: '1'}, prep: {" + many(10_000, "p%[1]d: store.x%[1]d, ") + "}}", "unknown-state-key"},
		{"10,000 actions", oneNode("{op: eval, with: {expr: '1'}, next: end, actions: [" + many(10_000, "{action: a%[1]d, expr: result == %[1]d}, ") + "{action: b}]}"), "impossible-action"},
		{"10,000 branches", oneNode("{op: parallel, next: end, with: {branches: {" + many(10_000, "b%d: {op: eval, with: {expr: '1'}}, ") + "}}}"), ""},
		{"10,000 meters", oneNode(good) + "limits: {" + many(10_000, "m%d: 1, ") + "}", "unknown-meter"},
		{"deep lists", oneNode(good) + "params: {x: " + strings.Repeat("[", 100_000) + "}", "bad-yaml"},
		{"deep mappings", oneNode(good) + "params: {x: " + strings.Repeat("{a: ", 100_000) + "}", "bad-yaml"},
		{"deep indentation", oneNode(good) + "params:\n" + deep(1500), "bad-yaml"},
		{"deep with", oneNode("{op: probe, next: {default: end, left: end, right: end}, with: {result: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "}}"), ""},
		{"not UTF-8", oneNode(good) + "description: \xff\xfe", "bad-yaml"},
		{"UTF-16", "\xff\xfef\x00l\x00o\x00w\x00", "bad-yaml"},
		{"a null byte", oneNode(good) + "description: a\x00b", "bad-yaml"},
		{"two documents", oneNode(good) + "---\n" + oneNode(good), "bad-yaml"},
		{"empty", "", "bad-yaml"},
		{"a list", "[1, 2]", "wrong-kind"},
		{"a text", "hello", "wrong-kind"},
		{"an expression of 1 MB", oneNode("{op: eval, with: {expr: '1'}, next: end, prep: {x: '1" + strings.Repeat(" + 1", 1<<18) + "'}}"), "bad-expression"},
		{"a condition of 1 MB", oneNode("{op: eval, with: {expr: '1'}, next: {x: end, y: end}, actions: [{action: x, cel: '" + strings.Repeat("(", 1<<20) + "'}, {action: y}]}"), "bad-condition"},
		{"an option of 1 MB", oneNode("{op: eval, with: {expr: '" + strings.Repeat("!", 1<<20) + "true'}, next: end}"), "bad-expression"},
		{"an op name of 1 MB", oneNode("{op: " + strings.Repeat("x", 1<<20) + ", next: end}"), "unknown-op"},
		{"a flow name of 1 MB", oneNode("{op: flow, with: {flow: " + strings.Repeat("x", 1<<20) + "}, next: end}"), "unknown-flow"},
		{"a base of 1 MB", oneNode(good) + "extends: " + strings.Repeat("x", 1<<20), "bad-extends"},
		{"a node id of 1 MB", "flow: f\nversion: 1\nnodes:\n  ? " + strings.Repeat("x", 1<<20) + "\n  : " + good, "bad-name"},
		{"a template of 1 MB", oneNode("{op: template, next: end, with: {text: '" + strings.Repeat("{{.x}}", 1<<17) + "'}}"), "prompt-missing-var"},
		{"a deep template", oneNode("{op: template, next: end, with: {text: '" + strings.Repeat("{{if true}}", 10_000) + strings.Repeat("{{end}}", 10_000) + "'}}"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var found diag.List
			var flow *engine.Flow
			bounded(t, func() {
				l := &engine.Loader{Ops: engine.NewRegistry(testOps()...), Resources: engine.Folders{}}
				flow, found = l.Load(engine.Document{Kind: engine.FlowDocument, Name: "f", Path: "f.yaml", Data: []byte(c.text)})
			})
			checkFound(t, flow, found, c.want)
		})
	}
}

func checkFound(t *testing.T, flow *engine.Flow, found diag.List, want string) {
	t.Helper()
	switch {
	case want == "" && (flow == nil || len(found) > 0):
		t.Errorf("it does not load: %.2000s", found.Text())
	case want != "" && flow != nil:
		t.Errorf("it loads; want %s", want)
	case want != "":
		for _, f := range found {
			if f.Kind == want {
				if len(f.Message) > 2000 {
					t.Errorf("a message of %d bytes", len(f.Message))
				}
				return
			}
		}
		t.Errorf("no finding has the kind %s: %.2000s", want, found.Text())
	}
}

func bomb() string {
	var b strings.Builder
	for i := range 11 {
		fmt.Fprintf(&b, "  b%d: &b%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*b%d,", i), 10), ","))
	}
	return b.String()
}

func chain(n int, last string) string {
	var b strings.Builder
	for i := range n {
		to := fmt.Sprintf("n%d", i+1)
		if i == n-1 {
			to = last
		}
		fmt.Fprintf(&b, "  n%d: {op: eval, with: {expr: '1'}, next: %s}\n", i, to)
	}
	return b.String()
}

// unwritten is a row of nodes that each read a key before they write it.
func unwritten(n int, prep string) string {
	var nodes strings.Builder
	for i := range n {
		to := fmt.Sprintf("n%d", i+1)
		if i == n-1 {
			to = "end"
		}
		fmt.Fprintf(&nodes, "  n%[1]d: {op: probe, "+prep+"post: {k%[1]d: store.k%[1]d}, next: {left: %[2]s, right: end, default: end}}\n", i, to)
	}
	return "flow: f\nversion: 1\nstate:\n" + many(n, "  k%d: {type: any}\n") + "nodes:\n" + nodes.String()
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%*sa:\n", i+2, "")
	}
	return b.String()
}

// TestHostileFlows: flows that reach themselves, or too many others.
func TestHostileFlows(t *testing.T) {
	flowNode := func(name string) string { return "{op: flow, with: {flow: " + name + "}, next: end}" }
	mapNode := func(name string) string {
		return "{op: map, prep: {items: '[1]'}, with: {flow: " + name + "}, next: end}"
	}
	parallelNode := func(name string) string {
		return "{op: parallel, with: {branches: {x: {flow: " + name + "}, y: {flow: " + name + "}}}, next: end}"
	}
	deepFlows := fstest.MapFS{}
	for i := range 40 {
		next := fmt.Sprintf("f%d", i+1)
		text := oneNode(parallelNode(next))
		if i == 39 {
			text = oneNode("{op: eval, with: {expr: '1'}, next: end}")
		}
		deepFlows[fmt.Sprintf("f%d.yaml", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	tooDeep, manyBases := fstest.MapFS{}, fstest.MapFS{}
	for i := range 200 {
		tooDeep[fmt.Sprintf("f%d.yaml", i)] = &fstest.MapFile{Data: []byte(oneNode(flowNode(fmt.Sprintf("f%d", i+1))))}
		manyBases[fmt.Sprintf("f%d.yaml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "extends: f%d\n", i+1)}
	}
	files := func(pairs ...string) fstest.MapFS {
		out := fstest.MapFS{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]+".yaml"] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		}
		return out
	}
	for _, c := range []struct {
		name  string
		flows fstest.MapFS
		want  string
	}{
		{"itself", files("f0", oneNode(flowNode("f0"))), "flow-cycle"},
		{"over two others", files("f0", oneNode(flowNode("f1")), "f1", oneNode(flowNode("f2")), "f2", oneNode(flowNode("f0"))), "flow-cycle"},
		{"by map", files("f0", oneNode(mapNode("f0"))), "flow-cycle"},
		{"by parallel", files("f0", oneNode(parallelNode("f1")), "f1", oneNode(mapNode("f0"))), "flow-cycle"},
		{"others that reach themselves", files("f0", oneNode(flowNode("f1")), "f1", oneNode(flowNode("f2")), "f2", oneNode(flowNode("f1"))), "flow-cycle"},
		{"by extends", files("f0", "extends: f1\n", "f1", "extends: f2\n", "f2", "extends: f0\n"), "bad-extends"},
		{"a base that runs its child", files("f0", "flow: f\nversion: 1\nextends: f1\n", "f1", oneNode(flowNode("f0"))), "flow-cycle"},
		{"2^40 ways through 40 flows", deepFlows, ""},
		{"200 flows deep", tooDeep, "flow-cycle"},
		{"200 bases", manyBases, "bad-extends"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var found diag.List
			var flow *engine.Flow
			bounded(t, func() {
				l := &engine.Loader{Ops: engine.NewRegistry(testOps()...), Resources: engine.Folders{Flows: c.flows}}
				flow, found = l.LoadNamed("f0")
			})
			checkFound(t, flow, found, c.want)
			if c.want != "" && len(found) != 1 {
				t.Errorf("one mistake gives %d findings: %s", len(found), found.Text())
			}
		})
	}
}

// TestHostilePaths: what cannot be read is an error that names the path.
func TestHostilePaths(t *testing.T) {
	dir := t.TempDir()
	fifo, big, secret := filepath.Join(dir, "fifo.yaml"), filepath.Join(dir, "big.yaml"), filepath.Join(dir, "secret.yaml")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Skip(err)
	}
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	f.Truncate(100 << 20)
	f.Close()
	os.WriteFile(secret, nil, 0)
	loop := filepath.Join(dir, "loop.yaml")
	os.Symlink(loop, loop)
	for path, want := range map[string]string{
		dir:                              "is a directory, not a flow",
		fifo:                             "is no regular file; write the flow to a file first",
		"/dev/zero":                      "is no regular file",
		"/dev/null":                      "is no regular file",
		big:                              "is larger than 4194304 bytes, the most a flow may have",
		filepath.Join(dir, "gone.yaml"):  "no such file",
		filepath.Join(big, "below.yaml"): "not a directory",
		secret:                           "permission denied",
		loop:                             "too many levels of symbolic links",
		"\x00":                           "invalid argument",
	} {
		bounded(t, func() {
			if path == secret && os.Getuid() == 0 {
				return
			}
			doc, err := engine.ReadDocument(engine.FlowDocument, path)
			if err == nil || doc.Data != nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v; want %s", path, err, want)
			}
		})
	}

	// The same where a flow names them, and a home that is none.
	l := &engine.Loader{Ops: engine.NewRegistry(testOps()...), Resources: engine.Folders{Home: big}}
	doc := engine.Document{Kind: engine.FlowDocument, Name: "f", Path: filepath.Join(dir, "f.yaml")}
	for name, want := range map[string]string{"fifo": "unknown-flow", "big": "unknown-flow", "loop": "unknown-flow", "gone": "unknown-flow"} {
		bounded(t, func() {
			doc.Data = []byte(oneNode("{op: flow, with: {flow: " + name + "}, next: end}"))
			flow, found := l.Load(doc)
			checkFound(t, flow, found, want)
		})
	}
}

// TestNoJSON: a value that is no JSON is a fault of kind type, wherever it comes from.
func TestNoJSON(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	for name, v := range map[string]any{
		"chan": make(chan int), "func": func() {}, "NaN": math.NaN(), "infinity": math.Inf(1), "complex": 1i,
		"time": time.Now(), "keys": map[int]any{1: 2}, "deep inside": []any{map[string]any{"a": math.NaN()}}, "cycle": cycle,
		"not UTF-8": "\xff",
	} {
		t.Run(name, func(t *testing.T) {
			bad := engine.Op{Name: "bad", New: func(*engine.Setup) engine.Exec {
				return func(context.Context, engine.Input) (engine.Output, error) { return engine.Output{Result: v}, nil }
			}}
			l := &engine.Loader{Ops: engine.NewRegistry(append(testOps(), bad)...), Resources: engine.Folders{}}
			flow, found := l.Load(engine.Document{Path: "f.yaml", Data: []byte(
				"flow: f\nversion: 1\nstate: {x: {type: any, default: null}}\nnodes: {a: {op: bad, post: {x: result}, next: end}}\n")})
			if flow == nil {
				t.Fatal(found.Text())
			}
			bounded(t, func() {
				res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
				if err != nil || res.Status != engine.Failed || res.Error.Kind != "type" || res.Error.Node != "a" {
					t.Errorf("%+v %v", res, err)
				}
				_, err = engine.Execute(context.Background(), flow, map[string]any{"x": v}, engine.Options{})
				if err == nil {
					t.Error("such an input is taken")
				}
			})
		})
	}
}
