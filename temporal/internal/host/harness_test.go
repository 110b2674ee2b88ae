package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	temporalworkflow "go.temporal.io/sdk/workflow"

	"pflow/engine"
	"pflow/internal/library"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/internal/written"
	"pflow/ir"
	"pflow/temporal/drive"
)

// began is the instant at which the runs of these tests are taken to begin.
var began = time.Date(2026, 3, 4, 15, 4, 5, 0, time.UTC)

// bench is what one comparison works in: a folder and a home that are made anew for each of the two runs, an environment, and servers.
type bench struct {
	t       *testing.T
	dir     string
	env     map[string]string
	servers []*httptest.Server
	served  int // of them, since the folder was made
	swap    []*handler
	sent    *payloads
	refuse  bool      // runs are allowed to destroy nothing
	line    string    // that the user answers
	began   time.Time // of the local run: as the other one's
	// instead carries attempts out in the place of next; nil: next does.
	instead func(ctx context.Context, in drive.Attempt, next attempted) (*drive.Answer, error)
}

// A driver runs documents on Temporal, where the user answers with the bench's line.
type driver func(b *bench, s drive.Start) *drive.Ended

// testEnvironment is the driver of the SDK's test environment.
func testEnvironment(b *bench, s drive.Start) *drive.Ended {
	return b.ended(s, answering(b.line))
}

type attempted func(ctx context.Context, in drive.Attempt) (*drive.Answer, error)

func newBench(t *testing.T) *bench {
	root := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(root, "dir"), began: began, sent: &payloads{},
		env: map[string]string{"HOME": filepath.Join(root, "user"), "PATH": os.Getenv("PATH"), "TZ": "UTC"}}
	return b
}

// handler is what a server answers by, which each run begins anew.
type handler struct {
	mu  sync.Mutex
	now http.Handler
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	now := h.now
	h.mu.Unlock()
	w.Header().Set("Date", began.Format(http.TimeFormat)) // of both runs
	now.ServeHTTP(w, r)
}

// serve gives the address of a server, the same for both runs.
func (b *bench) serve(answer http.Handler) string {
	if b.served == len(b.servers) {
		h := &handler{}
		b.swap, b.servers = append(b.swap, h), append(b.servers, httptest.NewServer(h))
		b.t.Cleanup(b.servers[b.served].Close)
	}
	h := b.swap[b.served]
	h.mu.Lock()
	h.now = answer
	h.mu.Unlock()
	b.served++
	return b.servers[b.served-1].URL
}

// anew empties the folder and the home.
func (b *bench) anew() *Host {
	b.t.Helper()
	for _, dir := range []string{b.dir, b.env["HOME"]} {
		if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
			b.t.Fatal(err)
		}
	}
	b.served = 0
	return b.host()
}

// host is a worker's, of the environment as it is now.
func (b *bench) host() *Host {
	b.t.Helper()
	env := maps.Clone(b.env)
	h, err := Open(Options{Getenv: func(name string) string { return env[name] }, Environ: environ(env), Version: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

func environ(env map[string]string) (out []string) {
	for name, v := range env {
		out = append(out, name+"="+v)
	}
	return out
}

// keep writes a file of the folder: its time, and those of the folders it is in, do not change.
func (b *bench) keep(name, text string) {
	b.t.Helper()
	file := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		b.t.Fatal(err)
	}
	for ; file != b.dir; file = filepath.Dir(file) {
		if err := os.Chtimes(file, began, began); err != nil {
			b.t.Fatal(err)
		}
	}
}

// prepared is a workflow as it is handed on: with its documents.
type prepared struct {
	program   *workflow.Program
	documents []byte
	store     map[string]any
	missing   []ir.Input
}

// prepare compiles a workflow as the command line does, and allows it whatever it destroys.
func (b *bench) prepare(h *Host, file string, doc []byte, given workflow.Given, on ...*library.Record) prepared {
	b.t.Helper()
	r, _, err := library.Parse(file, doc)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, called := range on {
		if _, err := h.library.Save(b.t.Context(), called, library.SaveOptions{}); err != nil {
			b.t.Fatal(err)
		}
	}
	shelf, err := h.shelf()
	if err != nil {
		b.t.Fatal(err)
	}
	_, found := workflow.Check(r.IR(), shelf.Catalogue, h.types, ir.Options{})
	if found.HasErrors() {
		b.t.Fatal(found.Text())
	}
	flows := engine.NewRecording(engine.Folders{})
	env, err := h.core.Env(b.t.Context(), b.dir, flows)
	if err != nil {
		b.t.Fatal(err)
	}
	env.Written = &written.Run{Home: h.core.Home().Dir(), Workflow: "test"}
	src := workflow.Source{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Workflow: r.Workflow(), File: file, Data: doc}
	program, found := workflow.Compile(src, env)
	if program == nil {
		b.t.Fatal(found.Text())
	}
	store, missing, err := program.Bind(given)
	if err != nil {
		b.t.Fatal(err)
	}
	if !b.refuse {
		program.Grant(program.DryRun(store), true)
	}
	documents, err := program.Documents(src, flows)
	if err != nil {
		b.t.Fatal(err)
	}
	return prepared{program, documents, store, missing}
}

// local runs a workflow on the driver of one machine.
func (b *bench) local(p prepared, approve bool) any {
	b.t.Helper()
	res, err := p.program.Run(b.t.Context(), p.store, workflow.Options{Options: engine.Options{RunID: "run", Began: b.began},
		Approve: func(context.Context, workflow.Approval) bool { return approve }})
	if err != nil {
		b.t.Fatal(err)
	}
	return plain(b.t, res)
}

// temporal runs documents on Temporal's, in its test environment, where another worker has the workflow than the attempts.
func (b *bench) temporal(s drive.Start, with ...func(env *testsuite.TestWorkflowEnvironment)) any {
	b.t.Helper()
	return plain(b.t, b.ended(s, with...).Result)
}

func (b *bench) ended(s drive.Start, with ...func(env *testsuite.TestWorkflowEnvironment)) *drive.Ended {
	b.t.Helper()
	env := b.run(s, with...)
	err := env.GetWorkflowError()
	if ended := drive.EndedBy(err); ended != nil {
		return ended
	}
	ended := &drive.Ended{}
	if err == nil {
		err = env.GetWorkflowResult(ended)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return ended
}

func (b *bench) run(s drive.Start, with ...func(env *testsuite.TestWorkflowEnvironment)) *testsuite.TestWorkflowEnvironment {
	b.t.Helper()
	s = identified(s)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetStartTime(began)
	env.SetDataConverter(converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), b.sent))
	stepping, working := b.host(), b.host()
	runs := &drive.Runs{Programs: &drive.Programs{Compile: stepping.Compile}}
	attempts := &drive.Attempts{Programs: &drive.Programs{Compile: working.Compile}, Within: working.Within}
	env.RegisterWorkflowWithOptions(runs.Run, temporalworkflow.RegisterOptions{Name: drive.WorkflowType})
	attempt := attempts.Attempt
	if b.instead != nil {
		attempt = func(ctx context.Context, in drive.Attempt) (*drive.Answer, error) {
			return b.instead(ctx, in, attempts.Attempt)
		}
	}
	env.RegisterActivityWithOptions(attempt, activity.RegisterOptions{Name: drive.AttemptType})
	for _, more := range with {
		more(env)
	}
	env.ExecuteWorkflow(drive.WorkflowType, s)
	if !env.IsWorkflowCompleted() {
		b.t.Fatal("the run has not ended")
	}
	return env
}

// identified fills in what the documents of a start say.
func identified(s drive.Start) drive.Start {
	s.Step, s.Name, s.Hash = engine.StepVersion, "test", drive.HashOf(s.Documents)
	return s
}

// payloads keeps all that a run hands to Temporal.
type payloads struct {
	mu   sync.Mutex
	data [][]byte
}

func (p *payloads) Encode(list []*commonpb.Payload) ([]*commonpb.Payload, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range list {
		p.data = append(p.data, bytes.Clone(one.Data))
	}
	return list, nil
}

func (p *payloads) Decode(list []*commonpb.Payload) ([]*commonpb.Payload, error) { return list, nil }

// bound is the start of a run whose inputs are all there.
func bound(p prepared, yes bool) drive.Start {
	return drive.Start{Documents: p.documents, Given: value.AppendJSON(nil, p.store), Bound: true, Yes: yes}
}

// plain is a result as JSON, without what differs between equal runs.
func plain(t *testing.T, res any) any {
	t.Helper()
	text, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "run_id")
	steps, _ := out["steps"].([]any)
	for _, s := range steps {
		step := s.(map[string]any)
		delete(step, "started_at")
		delete(step, "duration_ms")
	}
	slices.SortStableFunc(steps, func(a, b any) int { // those side by side end in any order
		name := func(s any) string { return s.(map[string]any)["node"].(string) }
		return strings.Compare(name(a), name(b))
	})
	return out
}

// same compares what two runs gave and left.
func same(t *testing.T, local, temporal any) {
	t.Helper()
	if diff := cmp.Diff(local, temporal); diff != "" {
		t.Errorf("(-local +temporal):\n%s", diff)
	}
}
