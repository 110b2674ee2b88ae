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
	"pflow/engine/enginetest"
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
				l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{Flows: c.flows}}
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
	l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{Home: big}}
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
			l := &engine.Loader{Ops: engine.NewRegistry(append(enginetest.Ops(), bad)...), Resources: engine.Folders{}}
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
