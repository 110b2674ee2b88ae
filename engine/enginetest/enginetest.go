// Package enginetest is what tests of the engine's drivers share: the flows of engine/testdata/run, the op that they probe a
// driver with, and how their runs are told.
package enginetest

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
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

// Probe is the op of these tests: it fails as often as it is told, then gives what it is told.
func Probe() engine.Op {
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

// Ops are those that flows may use, probe, and once, which is probe without being idempotent.
func Ops() []engine.Op {
	p, once := Probe(), Probe()
	once.Name, once.Idempotent = "once", false
	return append(nodes.All(nodes.Deps{
		ReadLine: func(context.Context, string) (string, error) {
			return "", fault.New(fault.InvalidRequest, "nobody to ask")
		},
		Log: func(string, string) {},
	}), p, once)
}

// Files lists the test flows in the engine's folder: testdata/run/*.txtar, each a flow.yaml, what else it needs, input.json if it takes
// any, and want, how its run ends.
func Files(t testing.TB, engine string) []string {
	files, err := filepath.Glob(filepath.Join(engine, "testdata", "run", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no test flows", err)
	}
	return files
}

// Read reads a test flow: what it is made of, its input, and how its run ends.
func Read(t testing.TB, file string) (ar *txtar.Archive, input map[string]any, want string) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	input = map[string]any{}
	var rest []txtar.File
	for _, f := range ar.Files {
		switch f.Name {
		case "input.json":
			v, err := value.ParseJSON(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			input = v.(map[string]any)
		case "want":
			want = string(f.Data)
		default:
			rest = append(rest, f)
		}
	}
	return &txtar.Archive{Comment: ar.Comment, Files: rest}, input, want
}

// Load compiles flow.yaml of an archive; its other files are flows and prompts it may name.
func Load(t testing.TB, ar *txtar.Archive, ops []engine.Op) (*engine.Flow, *engine.Recording) {
	t.Helper()
	flow, rec, found := TryLoad(ar, ops)
	if flow == nil {
		t.Fatalf("the flow has errors:\n%s", found.Text())
	}
	return flow, rec
}

// TryLoad is Load for a flow that may have errors; then it is nil.
func TryLoad(ar *txtar.Archive, ops []engine.Op) (*engine.Flow, *engine.Recording, diag.List) {
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

// Show writes a result without what differs between equal runs.
func Show(res *engine.Result) string {
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
