package engine_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/nodes"
)

// probe is the op of these tests: it fails as often as it is told, then gives what it is told.
func probe() engine.Op {
	return engine.Op{
		Name: "probe", Summary: "Does what a test wants.", OpenPrep: true, Idempotent: true,
		Actions: []string{"default", "left", "right"}, Meters: []string{"calls", "cost_usd"},
		With: []engine.Field{
			{Name: "fails", Type: value.Integer, Default: 0}, {Name: "kind", Type: value.String, Default: "unavailable"},
			{Name: "result", Type: value.Any}, {Name: "action", Type: value.String}, {Name: "echo", Type: value.Boolean},
			{Name: "after", Type: value.String, Default: "0s"}, {Name: "calls", Type: value.Number, Default: 1.0},
		},
		New: func(s *engine.Setup) engine.Exec {
			fails, _ := s.Value("fails").(int)
			kind, action, after := fault.Kind(s.Text("kind")), s.Text("action"), s.Duration("after")
			calls, _ := s.Value("calls").(float64)
			result, echo := s.Value("result"), s.Value("echo") == true
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				if after > 0 {
					select {
					case <-time.After(after):
					case <-ctx.Done():
						return engine.Output{}, ctx.Err()
					}
				}
				out := engine.Output{Result: result, Action: action, Meters: map[string]float64{"calls": calls}}
				most := fails
				if n, ok := in.Prep["fails"].(int); ok {
					most = n
				}
				if in.Attempt <= most {
					return out, fault.New(kind, "attempt %d failed", in.Attempt)
				}
				if echo {
					out.Result = in.Prep
				}
				return out, nil
			}
		},
	}
}

// once is probe without being idempotent, and instant ops are the utility ops.
func testOps() []engine.Op {
	p, once := probe(), probe()
	once.Name, once.Idempotent = "once", false
	return append(nodes.All(nodes.Deps{
		ReadLine: func(context.Context, string) (string, error) {
			return "", fault.New(fault.InvalidRequest, "nobody to ask")
		},
		Log: func(string, string) {},
	}), p, once)
}

// watch wraps ops so that what they are given, and what they gave, is hashed before and after: nothing may change it
// until the run has ended.
type watch struct {
	mu   sync.Mutex
	seen []watched
}

type watched struct {
	what string
	v    any
	sum  [32]byte
}

func hash(v any) [32]byte {
	n, err := value.Normalize(v)
	if err != nil {
		panic(err)
	}
	return sha256.Sum256(value.AppendJSON(nil, n))
}

func (w *watch) keep(what string, v any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, watched{what, v, hash(v)})
}

func (w *watch) wrap(ops []engine.Op) []engine.Op {
	for i := range ops {
		name, build := ops[i].Name, ops[i].New
		ops[i].New = func(s *engine.Setup) engine.Exec {
			exec := build(s)
			if exec == nil {
				return nil
			}
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				w.keep(name+" prep", in.Prep)
				w.keep(name+" params", in.Params)
				out, err := exec(ctx, in)
				if err == nil {
					w.keep(name+" result", out.Result)
				}
				return out, err
			}
		}
	}
	return ops
}

func (w *watch) check(t *testing.T) {
	t.Helper()
	for _, s := range w.seen {
		if hash(s.v) != s.sum {
			t.Errorf("%s was changed: now %s", s.what, value.JSON(s.v))
		}
	}
}

// load compiles flow.yaml of an archive; its other files are flows and prompts it may name.
func load(t testing.TB, ar *txtar.Archive, ops []engine.Op) (*engine.Flow, *engine.Recording) {
	t.Helper()
	flow, rec, found := tryLoad(ar, ops)
	if flow == nil {
		t.Fatalf("the flow has errors:\n%s", found.Text())
	}
	return flow, rec
}

func tryLoad(ar *txtar.Archive, ops []engine.Op) (*engine.Flow, *engine.Recording, diag.List) {
	flows, prompts := fstest.MapFS{}, fstest.MapFS{}
	var main []byte
	for _, f := range ar.Files {
		switch {
		case f.Name == "flow.yaml":
			main = f.Data
		case strings.HasSuffix(f.Name, ".yaml"):
			flows[f.Name] = &fstest.MapFile{Data: f.Data}
		default:
			prompts[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	rec := engine.NewRecording(engine.Folders{Flows: flows, Prompts: prompts})
	doc := engine.Document{Kind: engine.FlowDocument, Name: "flow", Path: "embedded:flow.yaml", Data: main}
	rec.Add(doc)
	l := &engine.Loader{Ops: engine.NewRegistry(ops...), Resources: rec}
	flow, found := l.Load(doc)
	return flow, rec, found
}

// sealed is a journal written by hand with its checksums.
func sealed(text string) []byte {
	var out []byte
	sum := uint32(0)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), "}")
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), []byte(line))
		out = fmt.Appendf(out, "%s,\"crc\":\"%08x\"}\n", line, sum)
	}
	return out
}

// show writes a result without what differs between equal runs.
func show(res *engine.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "status: %s\n", res.Status)
	if res.Status == engine.Done {
		fmt.Fprintf(&b, "action: %s\n", res.Action)
	}
	if e := res.Error; e != nil {
		fmt.Fprintf(&b, "error: %s at %s (%s), %d attempts: %s\n", e.Kind, e.Node, e.Place, e.Attempts, e.Message)
	}
	for _, s := range res.Steps {
		action := "(failed)"
		if s.Action != nil {
			action = *s.Action
		}
		fmt.Fprintf(&b, "step: %s visit %d, attempts %d -> %s\n", s.Node, s.Visit, s.Attempts, action)
	}
	store := map[string]any{}
	for k, v := range res.Store {
		store[k] = v
	}
	for _, k := range value.SortedKeys(store) {
		fmt.Fprintf(&b, "store: %s = %s\n", k, value.JSON(store[k]))
	}
	meters := value.SortedKeys(res.Usage)
	sort.Strings(meters)
	for _, m := range meters {
		fmt.Fprintf(&b, "usage: %s = %v\n", m, res.Usage[m])
	}
	for _, w := range res.Waits {
		fmt.Fprintf(&b, "waits: %s\n", w.Step)
	}
	return b.String()
}
