package host

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"pflow/engine"
	"pflow/internal/library"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/temporal/drive"
)

// features are workflows that use what the IR has, each with its inputs and how it ends.
var features = []struct {
	name, doc string
	given     map[string]any
	status    string
	differs   string // how it ends on Temporal, where that is something else: docs/scale.md says so
}{
	{"a batch at once that goes on after a failure", `{"ir_version": "0.1.0", "inputs": {"list": {"type": "array", "required": true}}, "nodes": [
		{"id": "b", "type": "shell", "batch": {"items": "${list}", "as": "it", "on_error": "continue", "concurrency": 3}, "params": {"command": "test $it != b && echo $it"}}],
		"outputs": {"all": {"source": "${b.results}", "type": "array"}, "failed": {"source": "${b.errors}", "type": "array"}}}`,
		map[string]any{"list": []any{"a", "b", "c", "d e"}}, "done", ""},
	{"a batch that stops", `{"ir_version": "0.1.0", "nodes": [{"id": "b", "type": "shell", "batch": {"items": ["a", "b", "c"], "as": "it"}, "params": {"command": "test $it != b && echo $it"}}]}`, nil, "failed", ""},
	{"rounds with what the one before gave", `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "transform", "params": {"inputs": {"n": "${previous.result ?? 0}"}, "expression": "n + 1"},
		"repeat": {"until": "result.result >= 4", "max": 9, "wait": "1ms"}}], "outputs": {"n": {"source": "${r.result}", "type": "integer"}, "all": {"source": "${r.results}", "type": "array"}}}`, nil, "done", ""},
	{"rounds without an end", `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "transform", "params": {"expression": "1"}, "repeat": {"until": "result.result == 2", "max": 3, "wait": "1ms"}}]}`, nil, "failed", ""},
	{"an edge for errors, and a null output", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "read-file", "params": {"file_path": "none.txt"}},
		{"id": "fix", "type": "template", "params": {"inputs": {"why": "${a.error.kind}"}, "template": "{{.why}}"}}, {"id": "never", "type": "shell", "params": {"command": "echo never"}}],
		"edges": [{"from": "a", "to": "fix", "action": "error"}, {"from": "a", "to": "never"}],
		"outputs": {"why": {"source": "${fix.text}", "type": "string"}, "never": {"source": "${never.stdout}", "type": "string"}}}`, nil, "done", ""},
	{"retries that do not help", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "shell", "retry": {"attempts": 3, "wait": "1ms"}, "params": {"command": "echo x >> tries.txt; exit 7"}}]}`, nil, "failed", ""},
	{"a timeout", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "wait", "timeout": "20ms", "params": {"duration": "1h"}}]}`, nil, "failed", ""},
	{"files and the shell", `{"ir_version": "0.1.0", "inputs": {"text": {"type": "string", "from_env": "SAID"}}, "nodes": [
		{"id": "w", "type": "write-file", "params": {"file_path": "a/b.txt", "content": "${text} $$5\n"}},
		{"id": "c", "type": "copy-file", "params": {"source_path": "a/b.txt", "dest_path": "c.txt"}},
		{"id": "again", "type": "write-file", "params": {"file_path": "c.txt", "content": "replaced", "overwrite": true}},
		{"id": "s", "type": "shell", "params": {"command": "cat a/b.txt c.txt; echo oops >&2"}}],
		"edges": [{"from": "w", "to": "c"}, {"from": "c", "to": "again"}, {"from": "again", "to": "s"}], "outputs": {"all": {"source": "${s.stdout}", "type": "string"}}}`, nil, "done", ""},
	{"a called workflow", `{"ir_version": "0.1.0", "nodes": [{"id": "g", "type": "greet", "batch": {"items": ["Ada", "Bob"], "as": "who"}, "params": {"name": "${who}"}},
		{"id": "h", "type": "workflow", "params": {"workflow": "greet", "inputs": {"name": "Cy"}}}], "edges": [{"from": "g", "to": "h"}],
		"outputs": {"all": {"source": "${g.results}", "type": "array"}, "last": {"source": "${h.text}", "type": "string"}}}`, nil, "done", ""},
	{"a workflow that is called by a computed name", `{"ir_version": "0.1.0", "inputs": {"which": {"type": "string", "default": "greet"}}, "nodes": [
		{"id": "h", "type": "workflow", "params": {"workflow": "${which}", "inputs": {"name": "Cy"}}}], "outputs": {"out": {"source": "${h.text}", "type": "any"}}}`, nil, "done", "it is not among the documents of the run"},
	{"what is private", `{"ir_version": "0.1.0", "inputs": {"url": {"type": "string", "required": true}}, "nodes": [{"id": "a", "type": "http", "params": {"url": "${url}"}},
		{"id": "b", "type": "template", "params": {"inputs": {"v": "${a.headers.set-cookie}"}, "template": "{{.v}}"}}], "edges": [{"from": "a", "to": "b"}]}`, map[string]any{}, "done", "invalid_request"},
	{"numbers keep their forms", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "transform", "params": {"expression": "{\"whole\": 1.0, \"int\": 1, \"big\": 9007199254740993}"}},
		{"id": "b", "type": "template", "params": {"inputs": {"v": "${a.result}"}, "template": "{{.v.whole}} {{.v.int}} {{.v.big}}"}}], "edges": [{"from": "a", "to": "b"}]}`, nil, "done", ""},
}

const greet = `{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "required": true}}, "nodes": [{"id": "s", "type": "shell", "params": {"command": "echo hello $name"}},
	{"id": "t", "type": "template", "params": {"inputs": {"s": "${s.stdout}"}, "template": "{{.s}}!"}}], "edges": [{"from": "s", "to": "t"}], "outputs": {"text": {"source": "${t.text}", "type": "string"}}}`

func (b *bench) greeting() *library.Record {
	b.t.Helper()
	r, _, err := library.Parse("greet.json", []byte(greet))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Name = "greet"
	return r
}

// TestFeatures runs them on both drivers: they give the same, and leave the same files, but for what docs/scale.md says.
func TestFeatures(t *testing.T) { allFeatures(t, testEnvironment) }

func allFeatures(t *testing.T, on driver) {
	page, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range features {
		t.Run(f.name, func(t *testing.T) {
			b := newBench(t)
			b.env["SAID"] = "of the environment"
			begin := func() prepared {
				h := b.anew()
				if f.name == "what is private" {
					f.given["url"] = b.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Set-Cookie", "id=7") }))
				}
				return b.prepare(h, "test.json", []byte(f.doc), workflow.Given{Values: f.given}, b.greeting())
			}
			temporal := plain(t, on(b, bound(begin(), false)).Result)
			left := b.tree()
			local := b.local(begin(), false)
			if f.differs == "" {
				same(t, local, temporal)
				same(t, b.tree(), left)
			} else if got := value.JSON(temporal); !strings.Contains(got, f.differs) || !strings.Contains(string(page), f.differs) {
				t.Errorf("%s, want %s", got, f.differs)
			}
			if got := local.(map[string]any)["status"]; got != f.status {
				t.Errorf("it is %v: %v", got, local.(map[string]any)["error"])
			}
		})
	}
}

// TestSecrets has secrets that only the environment of the worker has come into no payload, whatever nodes do with them.
func TestSecrets(t *testing.T) {
	const secret, key = "s3cret-of-the-worker", "sk-key-of-the-worker"
	b := newBench(t)
	b.env["TOKEN"], b.env["OPENAI_API_KEY"] = secret, key
	const doc = `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "secret": true, "required": true, "from_env": "TOKEN"}}, "nodes": [
		{"id": "call", "type": "http", "params": {"url": "$URL", "headers": {"Authorization": "Bearer ${token}"}}},
		{"id": "show", "type": "shell", "params": {"command": "echo $token; echo $token >&2; env -u PFLOW_NODE printenv | sort"}},
		{"id": "given", "type": "inner", "params": {"token": "${token}"}},
		{"id": "fails", "type": "shell", "params": {"command": "echo $token >&2; exit 3"}},
		{"id": "after", "type": "template", "params": {"inputs": {"why": "${fails.error.message}"}, "template": "{{.why}}"}}],
		"edges": [{"from": "call", "to": "show"}, {"from": "show", "to": "given"}, {"from": "given", "to": "fails"}, {"from": "fails", "to": "after", "action": "error"}],
		"outputs": {"said": {"source": "${show.stdout}", "type": "string"}, "why": {"source": "${after.text}", "type": "string"}, "inner": {"source": "${given.said}", "type": "string"}}}`
	const inner = `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "secret": true, "required": true, "from_env": "TOKEN"}}, "nodes": [
		{"id": "s", "type": "shell", "params": {"command": "echo $token"}}], "outputs": {"said": {"source": "${s.stdout}", "type": "string"}}}`
	r, _, err := library.Parse("inner.json", []byte(inner))
	if err != nil {
		t.Fatal(err)
	}
	r.Name = "inner"
	var used atomic.Int32
	begin := func() prepared {
		h := b.anew()
		url := b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer "+secret {
				used.Add(1)
			}
			_, _ = w.Write([]byte(`"you said ` + r.Header.Get("Authorization") + `"`))
		}))
		return b.prepare(h, "test.json", []byte(strings.Replace(doc, "$URL", url, 1)), workflow.Given{}, r)
	}
	same(t, b.local(begin(), true), b.temporal(bound(begin(), true)))
	if used.Load() != 2 {
		t.Errorf("the secret was used %d times", used.Load())
	}
	b.sent.without(t, secret, key)

	delete(b.env, "TOKEN")
	s := bound(begin(), true)
	s.Bound, s.Given = false, []byte("{}")
	env := b.run(s, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() {
			if s := state(t, env); len(s.Waits) != 1 || s.Waits[0].Name != "token" {
				t.Errorf("%+v", s)
			}
			env.CancelWorkflow()
		}, time.Minute)
	})
	if err := env.GetWorkflowError(); !temporal.IsCanceledError(errors.Unwrap(err)) {
		t.Errorf("without the secret: %v", err)
	}
}

// TestApproval has a run wait for a node that wants approval until a signal approves it.
func TestApproval(t *testing.T) {
	const doc = `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "shell", "approval": "required", "params": {"command": "echo a >> did.txt"}},
		{"id": "b", "type": "shell", "params": {"command": "echo b >> beside.txt"}}, {"id": "c", "type": "shell", "approval": "required", "params": {"command": "cat did.txt"}}],
		"start_node": ["a", "b"], "edges": [{"from": "a", "to": "c"}], "outputs": {"did": {"source": "${c.stdout}", "type": "string"}}}`
	b := newBench(t)
	begin := func() prepared { return b.prepare(b.anew(), "test.json", []byte(doc), workflow.Given{}) }
	local := b.local(begin(), true)
	left := b.tree()
	asked := []string{}
	waiting := func(env *testsuite.TestWorkflowEnvironment, step string) func() {
		return func() {
			s := state(t, env)
			if s.Status != "waiting" || len(s.Waits) != 1 || s.Waits[0].Kind != "approval" || s.Waits[0].Step != step {
				t.Errorf("it does not wait for %s: %+v", step, s)
			}
			if step == "a" && b.tree()["did.txt"] != "" {
				t.Error("it ran before it was approved")
			}
			asked = append(asked, step)
			env.SignalWorkflow(drive.ApproveSignal, drive.Approve{Step: step})
		}
	}
	p := begin()
	same(t, local, b.temporal(bound(p, false), func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(waiting(env, "a"), time.Hour)
		env.RegisterDelayedCallback(waiting(env, "c"), 2*time.Hour)
	}))
	same(t, left, b.tree())
	if len(asked) != 2 {
		t.Errorf("asked for %v", asked)
	}
}

// TestInputsBySignal begins a workflow without an input, with piped text.
func TestInputsBySignal(t *testing.T) {
	const doc = `{"ir_version": "0.1.0", "inputs": {"n": {"type": "integer", "required": true, "description": "How many."}, "word": {"type": "string", "default": "x"}}, "nodes": [
		{"id": "a", "type": "shell", "params": {"command": "echo $n $word $stdin"}}]}`
	b := newBench(t)
	piped := "of a pipe"
	given := workflow.Given{Values: map[string]any{"word": "w", "n": 3}, Stdin: &piped}
	local := b.local(b.prepare(b.anew(), "test.json", []byte(doc), given), true)
	p := b.prepare(b.anew(), "test.json", []byte(doc), given)
	s := drive.Start{Documents: p.documents, Given: value.AppendJSON(nil, map[string]any{"word": "w", "stdin": piped})}
	same(t, local, b.temporal(s, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() {
			s := state(t, env)
			if s.Status != "waiting" || len(s.Waits) != 1 || s.Waits[0].Name != "n" || s.Waits[0].For != "the input n: How many." {
				t.Errorf("%+v", s)
			}
			env.SignalWorkflow(drive.InputSignal, map[string]any{"m": 3})
		}, time.Minute)
		env.RegisterDelayedCallback(func() {
			if s := state(t, env); !strings.Contains(s.Refused, `has no input "m"`) || len(s.Waits) != 1 {
				t.Errorf("%+v", s)
			}
			env.SignalWorkflow(drive.InputSignal, "n=3")
			env.SignalWorkflow(drive.ApproveSignal, drive.Approve{}) // which has nothing to do with it
		}, 2*time.Hour)
		env.RegisterDelayedCallback(func() {
			if s := state(t, env); s.Refused != "the inputs are no JSON object" || len(s.Waits) != 1 {
				t.Errorf("%+v", s)
			}
			env.SignalWorkflow(drive.InputSignal, map[string]any{"n": 3})
		}, 3*time.Hour)
	}))
}

// TestCancel ends a run while a node is at work.
func TestCancel(t *testing.T) {
	const doc = `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "shell", "params": {"command": "echo a >> did.txt"}}, {"id": "w", "type": "shell", "params": {"command": "echo w >> did.txt; echo > ready; sleep 600"}},
		{"id": "n", "type": "shell", "params": {"command": "echo n >> did.txt"}}], "edges": [{"from": "a", "to": "w"}, {"from": "w", "to": "n"}]}`
	b := newBench(t)
	begin := func() prepared {
		h := b.anew()
		if err := syscall.Mkfifo(filepath.Join(b.dir, "ready"), 0o600); err != nil {
			t.Fatal(err)
		}
		return b.prepare(h, "test.json", []byte(doc), workflow.Given{})
	}
	atWork := func() {
		if _, err := os.ReadFile(filepath.Join(b.dir, "ready")); err != nil { // once the step writes to it
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := begin()
	go func() { defer cancel(); atWork() }()
	res, err := p.program.Run(ctx, p.store, workflow.Options{Options: engine.Options{RunID: "run", Began: began}})
	if err != nil {
		t.Fatal(err)
	}
	left := b.tree()
	p = begin()
	var env *testsuite.TestWorkflowEnvironment
	b.instead = func(ctx context.Context, in drive.Attempt, next attempted) (*drive.Answer, error) {
		if in.Call.Name != "w" {
			return next(ctx, in)
		}
		stopped, stop := context.WithCancel(ctx) // as a heartbeat's answer does on a server
		defer stop()
		go func() { defer stop(); atWork(); env.CancelWorkflow() }()
		return next(stopped, in)
	}
	got := b.temporal(bound(p, false), func(e *testsuite.TestWorkflowEnvironment) { env = e })
	same(t, plain(t, res), got)
	same(t, left, b.tree())
}

// TestLostWorker has workers lost while a step is under way: one that may not run twice waits for a decision, any other runs again.
func TestLostWorker(t *testing.T) {
	const doc = `{"ir_version": "0.1.0", "nodes": [{"id": "once", "type": "shell", "params": {"command": "echo x >> once.txt; cat once.txt"}},
		{"id": "any", "type": "read-file", "params": {"file_path": "once.txt"}}], "edges": [{"from": "once", "to": "any"}], "outputs": {"read": {"source": "${any.content}", "type": "string"}}}`
	for name, how := range map[string]error{
		"killed":  temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_HEARTBEAT, nil),
		"stopped": temporal.NewNonRetryableApplicationError("the worker was stopped", "pflow.worker-stopped", nil),
	} {
		for _, again := range []bool{true, false} {
			b := newBench(t)
			p := b.prepare(b.anew(), "test.json", []byte(doc), workflow.Given{})
			began := map[string]int{}
			b.instead = func(ctx context.Context, in drive.Attempt, next attempted) (*drive.Answer, error) {
				answer, err := next(ctx, in) // what it did was done, and nobody heard of it
				if err != nil || answer.Documents {
					return answer, err
				}
				if began[in.Call.Name]++; began[in.Call.Name] == 1 {
					return nil, how
				}
				return answer, nil
			}
			waited := false
			ended := b.ended(bound(p, false), func(env *testsuite.TestWorkflowEnvironment) {
				env.RegisterDelayedCallback(func() {
					s := state(t, env)
					waited = s.Status == "waiting" && len(s.Waits) == 1 && s.Waits[0].Kind == "decision" && s.Waits[0].Step == "once"
					env.SignalWorkflow(drive.DecideSignal, drive.Decide{Step: "once", Again: again})
				}, time.Hour)
			})
			if !waited || began["once"] != map[bool]int{true: 2, false: 1}[again] {
				t.Errorf("%s, again %v: it waited: %v, and began %v", name, again, waited, began)
			}
			switch {
			case again && (ended.Status != engine.Done || !strings.Contains(string(ended.Result), `"outputs":{"read":"x\nx\n"}`) || began["any"] != 2):
				t.Errorf("%s: %s %v", name, ended.Result, began)
			case !again && (ended.Status != engine.Failed || !strings.Contains(string(ended.Result), "it was decided not to run it again")):
				t.Errorf("%s: %s", name, ended.Result)
			}
		}
	}
}
