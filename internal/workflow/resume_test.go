package workflow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// kept runs a program with a journal in a home.
func kept(t *testing.T, p *Program, home string, given map[string]any, approve Approve) *Result {
	t.Helper()
	docs, err := p.Documents(Source{Name: "test", Workflow: p.Workflow}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Create(home, "run", journal.About{}, docs)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	return run(t, p, given, Options{Options: engine.Options{RunID: "run", Seed: 1, Journal: j}, Approve: approve})
}

// resumed goes on with the run of a home, from nothing but its files.
func resumed(t *testing.T, home string, types map[string]nodetype.Type, approve Approve) (*Result, error) {
	t.Helper()
	past, docs, j, err := journal.Resume(home, "run", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	r, err := Reload(docs, types)
	if err != nil {
		t.Fatal(err)
	}
	p, found := Compile(r.Source, r.Env)
	if p == nil {
		t.Fatal(found.Text())
	}
	return p.Run(context.Background(), nil, Options{Options: engine.Options{RunID: "run", Journal: j, History: &past.History}, Approve: approve})
}

func yes(context.Context, Approval) bool { return true }

func TestApprovalPauses(t *testing.T) {
	w := world{saved: map[string]string{"inner": `{"ir_version": "0.1.0", "nodes": [{"id": "go", "type": "echo", "approval": "required", "params": {"value": "went"}}]}`}}
	p := w.compile(t, `{"ir_version": "0.1.0", "nodes": [
		{"id": "a", "type": "echo", "params": {"value": "a"}},
		{"id": "slow", "type": "wait", "params": {"for": "150ms"}},
		{"id": "late", "type": "echo", "params": {"value": "late"}},
		{"id": "send", "type": "echo", "approval": "required", "params": {"value": "sent ${a.out}"}},
		{"id": "inner", "type": "inner"},
		{"id": "end", "type": "echo", "params": {"value": "${send.out} ${late.out} ${inner.out}"}}],
		"edges": [{"from": "a", "to": "slow"}, {"from": "slow", "to": "late"}, {"from": "a", "to": "send"}, {"from": "a", "to": "inner"},
			{"from": "late", "to": "end"}, {"from": "send", "to": "end"}, {"from": "inner", "to": "end"}]}`)
	home := t.TempDir()
	res := kept(t, p, home, nil, nil)
	want := `waiting {}
a default
slow default
late default
waits: send
waits: inner/go
`
	if diff := cmp.Diff(want, show(res)); diff != "" {
		t.Fatal(diff)
	}
	// Nothing else was decided meanwhile: it still waits.
	res, err := resumed(t, home, testTypes(), nil)
	if err != nil || res.Status != Waiting {
		t.Fatalf("%v %v", err, res)
	}
	res, err = resumed(t, home, testTypes(), yes)
	if err != nil {
		t.Fatal(err)
	}
	want = `done {"out":"sent a late went","text":"sent a late went"}
a default
slow default
late default
send:approval default
send default
inner/go:approval default
inner/go default
inner default
end default
`
	if diff := cmp.Diff(want, show(res)); diff != "" {
		t.Error(diff)
	}
}

// TestApprovalLetsOthersGoOn: beside a node that waits for approval, what waits for a retry, the items of a batch and
// what workflows it calls have left to do go on; nothing of it is cancelled, and nothing of it runs again.
func TestApprovalLetsOthersGoOn(t *testing.T) {
	types := testTypes()
	flaky := types["echo"]
	iface := *flaky.Interface
	iface.Name, iface.Effects = "flaky", nil
	var mu sync.Mutex
	calls := map[string]int{}
	flaky.Interface = &iface
	flaky.Run = func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
		mu.Lock()
		defer mu.Unlock()
		key := ir.Text(c.Params["value"])
		if calls[key]++; calls[key] == 1 {
			return nodetype.Outcome{}, fault.New(fault.Network, "once")
		}
		return nodetype.Outcome{Outputs: map[string]any{"out": key, "text": key}}, nil
	}
	types["flaky"] = flaky
	w := world{types: types, saved: map[string]string{"inner": `{"ir_version": "0.1.0", "inputs": {"n": {"type": "integer", "required": true}},
		"nodes": [{"id": "before", "type": "flaky", "params": {"value": "before $n"}, "retry": {"attempts": 2, "wait": "200ms"}},
		{"id": "go", "type": "flaky", "approval": "required", "params": {"value": "went $n"}, "retry": {"attempts": 2, "wait": "1ms"}}],
		"edges": [{"from": "before", "to": "go"}], "outputs": {"out": {"source": "${go.out}", "type": "string"}}}`}}
	p := w.compile(t, `{"ir_version": "0.1.0", "nodes": [
		{"id": "a", "type": "echo", "params": {"value": [1, 2, 3]}},
		{"id": "send", "type": "echo", "approval": "required", "params": {"value": "sent"}},
		{"id": "retried", "type": "flaky", "params": {"value": "retried"}, "retry": {"attempts": 2, "wait": "300ms"}},
		{"id": "each", "type": "inner", "batch": {"items": "${a.out}", "as": "it"}, "params": {"n": "${it}"}}],
		"edges": [{"from": "a", "to": "send"}, {"from": "a", "to": "retried"}, {"from": "a", "to": "each"}]}`)
	home := t.TempDir()
	res := kept(t, p, home, nil, nil)
	want := `waiting {}
a default
retried default
each[0]/before default
each[1]/before default
each[2]/before default
waits: send
waits: each[0]/go
waits: each[1]/go
waits: each[2]/go
`
	if diff := cmp.Diff(want, show(res)); diff != "" {
		t.Fatal(diff)
	}
	if a := res.Approvals[1]; a.Type != "flaky" {
		t.Errorf("an approval of an item has the type %q", a.Type)
	}
	only := func(_ context.Context, a Approval) bool { return a.Node == "each[1]/go" }
	if res, err := resumed(t, home, types, only); err != nil || len(res.Approvals) != 3 || len(res.Steps) != 7 {
		t.Fatalf("one approval: %v, %s", err, show(res))
	}
	res, err := resumed(t, home, types, yes)
	if err != nil || res.Status != Done {
		t.Fatalf("%v, %s", err, show(res))
	}
	for key, n := range calls {
		if n != 2 {
			t.Errorf("%s ran %d times, want 2: one that failed and one that did not", key, n)
		}
	}
	if len(calls) != 7 {
		t.Errorf("calls: %v", calls)
	}
}

// TestApprovalIsAskedBesideOthers: while somebody is asked, the rest of the run goes on.
func TestApprovalIsAskedBesideOthers(t *testing.T) {
	p := world{}.compile(t, `{"ir_version": "0.1.0", "nodes": [
		{"id": "a", "type": "echo", "params": {"value": 1}},
		{"id": "send", "type": "echo", "approval": "required", "params": {"value": "sent"}},
		{"id": "other", "type": "echo", "approval": "required", "params": {"value": "other"}},
		{"id": "beside", "type": "echo", "params": {"value": "beside"}}],
		"edges": [{"from": "a", "to": "send"}, {"from": "a", "to": "other"}, {"from": "a", "to": "beside"}]}`)
	ended := make(chan struct{})
	asked := 0
	approve := func(_ context.Context, a Approval) bool {
		asked++ // one at a time
		<-ended
		return a.Node == "send"
	}
	res := run(t, p, nil, Options{Approve: approve, Options: engine.Options{Observe: func(s engine.Transition) {
		if s.Node == "beside" {
			close(ended)
		}
	}}})
	if res.Status != Waiting || asked != 2 || len(res.Approvals) != 1 || res.Approvals[0].Node != "other" {
		t.Errorf("asked %d times: %s", asked, show(res))
	}
}

func TestApprovals(t *testing.T) {
	w := world{saved: map[string]string{"inner": `{"ir_version": "0.1.0", "nodes": [{"id": "go", "type": "destroy", "approval": "required"}]}`}}
	p := w.compile(t, `{"ir_version": "0.1.0", "nodes": [{"id": "i", "type": "inner"}, {"id": "d", "type": "destroy"}], "edges": [{"from": "i", "to": "d"}]}`)
	const why = "its effects are destructive"
	want := []Approval{{Node: "i/go", Type: "destroy", Destructive: true, Why: why}, {Node: "d", Type: "destroy", Destructive: true, Why: why}, {Node: "i/go", Type: "destroy"}}
	store, _, _ := p.Bind(Given{})
	if diff := cmp.Diff(want, append(p.DryRun(store).Destructive(), p.Approvals...)); diff != "" {
		t.Error(diff)
	}
	if res := run(t, p, nil, Options{Approve: yes}); res.Status != Done {
		t.Error(show(res))
	}
}

// TestResumeFromEveryRecord cuts the journal of a run after each record and goes on from there: it ends as it did, from
// nothing but its files.
func TestResumeFromEveryRecord(t *testing.T) {
	w := world{
		environ: map[string]string{"WHO": "you"},
		saved: map[string]string{"greet": `{"ir_version": "0.1.0", "inputs": {"who": {"type": "string", "required": true, "from_env": "WHO"}, "n": {"type": "integer", "default": 1}},
			"nodes": [{"id": "x", "type": "shout", "params": {"text": "$who $n"}}], "outputs": {"greeting": {"source": "${x.loud}", "type": "string"}}}`},
		declared: `[{"name": "my.say", "inputs": [{"key": "text", "type": "string", "required": true}], "effects": ["idempotent"],
			"outputs": [{"key": "said", "type": "string", "structure": "string"}], "run": {"shell": "say $text"}}]`,
	}
	p := w.compile(t, `{"ir_version": "0.1.0", "inputs": {"list": {"type": "array", "default": [1, 2]}}, "nodes": [
		{"id": "a", "type": "shout", "batch": {"items": "${list}", "as": "it"}, "params": {"text": "$it"}},
		{"id": "b", "type": "greet", "params": {"n": 7}}, {"id": "c", "type": "my.say", "params": {"text": "${greeting}"}},
		{"id": "f", "type": "fail", "params": {"kind": "network"}, "retry": {"attempts": 2, "wait": "1ms"}},
		{"id": "g", "type": "echo", "params": {"value": "${f.error.kind} ${said} ${a.results[1].loud}"}}],
		"edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "f"}, {"from": "f", "to": "g", "action": "error"}]}`)
	home := t.TempDir()
	want := show(kept(t, p, home, nil, nil))
	if !strings.HasPrefix(want, `done {"out":"network YOU 7! 2!"`) {
		t.Fatal(want)
	}
	text, err := os.ReadFile(filepath.Join(home, "runs", "run", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	types := testTypes()
	fail := types["fail"]
	iface := *fail.Interface
	iface.Effects = append(iface.Effects, "idempotent")
	fail.Interface = &iface
	types["fail"] = fail
	for n := 1; n < len(lines)-1; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			at := t.TempDir()
			if err := os.CopyFS(at, os.DirFS(home)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at, "runs", "run", "journal.jsonl"), []byte(strings.Join(lines[:n], "")), 0o600); err != nil {
				t.Fatal(err)
			}
			res, err := resumed(t, at, types, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, show(res)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
