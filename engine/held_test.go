package engine_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/engine/journal"
)

// gate is an op that waits for the approval of its step, until approve says otherwise.
func gate(approve func(step string) bool) engine.Op {
	return engine.Op{Name: "gate", Summary: "Waits for approval.", Idempotent: true,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				if approve(in.Step()) {
					return engine.Output{Result: "approved"}, nil
				}
				return engine.Output{Waits: in.Step()}, nil
			}
		}}
}

const gatedFlow = `-- flow.yaml --
flow: f
version: 1
description: d
limits: {timeout: 1h}
state: {each: {type: array, default: []}, both: {type: object, default: {}}}
nodes:
  both:
    op: parallel
    with:
      branches:
        gated:   {op: gate}
        retried: {op: once, with: {fails: 2, after: 1s, result: through}}
        items:   {flow: items}
    retry: {attempts: 3, wait: 10s}
    post: {both: result}
    next: {default: last}
  last: {op: once, with: {result: 1}, actions: [{action: default}], next: end}
-- items.yaml --
flow: items
version: 1
description: d
state: {out: {type: array, default: []}}
nodes:
  each:
    op: map
    prep: {items: '[1, 2, 3, 4]'}
    with: {flow: item, prep: {n: item}, concurrency: 2}
    post: {out: result}
    next: {default: end}
-- item.yaml --
flow: item
version: 1
description: d
state: {n: {type: integer, required: true}, out: {type: any, default: null}}
nodes:
  before: {op: once, prep: {n: store.n}, with: {after: 2s, echo: true}, actions: [{action: default}], next: go}
  go: {op: gate, next: work}
  work: {op: once, prep: {n: store.n}, with: {after: 5s, echo: true}, post: {out: result}, actions: [{action: default}], next: {default: end}}
`

// gatedOps counts how many attempts of the step work are under way at once, and how often each attempt ends.
func gatedOps(approve func(step string) bool, most *int) []engine.Op {
	ops := append(enginetest.Ops(), gate(approve))
	var mu sync.Mutex
	now := 0
	for i := range ops {
		if ops[i].Name != "once" {
			continue
		}
		build := ops[i].New
		ops[i].New = func(s *engine.Setup) engine.Exec {
			run := build(s)
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				if !strings.HasSuffix(in.Step(), "/work") {
					return run(ctx, in)
				}
				mu.Lock()
				now++
				*most = max(*most, now)
				mu.Unlock()
				defer func() { mu.Lock(); now--; mu.Unlock() }()
				return run(ctx, in)
			}
		}
	}
	return ops
}

// TestWaitsForApproval: what waits for approval lets retries, waits and other items go on, is journalled, takes no room
// from the items after it, and goes on when it is approved, two items at a time.
func TestWaitsForApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most := 0
		flow, docs := enginetest.Load(t, txtar.Parse([]byte(gatedFlow)), gatedOps(func(string) bool { return false }, &most))
		home := t.TempDir()
		got, text := runWithJournal(t, home, "run", flow, docs, nil)
		want := `status: waiting
step: both.items/each[0]/before visit 1, attempts 1 -> default
step: both.items/each[1]/before visit 1, attempts 1 -> default
step: both.items/each[2]/before visit 1, attempts 1 -> default
step: both.items/each[3]/before visit 1, attempts 1 -> default
store: both = {}
store: each = []
store: last_error = null
usage: calls = 7
waits: both
waits: both.items/each[0]/go
waits: both.items/each[1]/go
waits: both.items/each[2]/go
waits: both.items/each[3]/go
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if n := bytes.Count(text, []byte(`"waits":`)); n != 5 || !bytes.Contains(text, []byte(`"status":"waiting"`)) {
			t.Errorf("%d waits in the journal:\n%s", n, text)
		}
		flow, _ = enginetest.Load(t, txtar.Parse([]byte(gatedFlow)), gatedOps(func(string) bool { return true }, &most))
		got, text = resume(t, home, flow, docs, text)
		if !strings.HasPrefix(got, "status: done") || !strings.Contains(got, "usage: calls = 12\n") {
			t.Error(got)
		}
		if id := ranTwice(t, text); id != 0 {
			t.Errorf("attempt %d ran again", id)
		}
		if n := bytes.Count(text, []byte(`"e":"approved"`)); n != 5 || most != 2 {
			t.Errorf("%d approvals, %d at work at once", n, most)
		}
		// What is approved is approved: nobody is asked again.
		flow, _ = enginetest.Load(t, txtar.Parse([]byte(gatedFlow)), gatedOps(func(string) bool { t.Error("asked again"); return false }, &most))
		lines := bytes.SplitAfter(text, []byte("\n"))
		if again, _ := resume(t, home, flow, docs, bytes.Join(lines[:len(lines)-2], nil)); again != got {
			t.Errorf("stepped through again it ends as\n%s\nand not as\n%s", again, got)
		}
	})
}

// TestResumeWhatWaited goes on from every record of a run that waited and was approved: it ends as it did.
func TestResumeWhatWaited(t *testing.T) {
	most := 0
	quick := strings.NewReplacer("10s", "1ms", "1s", "1ms", "2s", "1ms", "5s", "1ms", "op: once", "op: probe").Replace(gatedFlow)
	approved := false
	flow, docs := enginetest.Load(t, txtar.Parse([]byte(quick)), gatedOps(func(string) bool { return approved }, &most))
	home := t.TempDir()
	_, text := runWithJournal(t, home, "run", flow, docs, nil)
	approved = true
	want, text := resume(t, home, flow, docs, text)
	if !strings.HasPrefix(want, "status: done") {
		t.Fatal(want)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for n := 1; n < len(lines)-1; n++ {
		got, after := resume(t, home, flow, docs, bytes.Join(lines[:n], nil))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("resumed after %d records:\n%s\njournal:\n%s", n, diff, bytes.Join(lines[:n], nil))
		}
		if id := ranTwice(t, after); id != 0 {
			t.Fatalf("resumed after %d records: attempt %d ran again after it had finished", n, id)
		}
	}
}

// TestCancelWhatWaits: a run that is cancelled while it waits beside something else can be resumed and approved.
func TestCancelWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most := 0
		approved := false
		flow, docs := enginetest.Load(t, txtar.Parse([]byte(gatedFlow)), gatedOps(func(string) bool { return approved }, &most))
		home := t.TempDir()
		data, err := docs.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		w, err := journal.Create(home, "run", journal.About{}, data)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // within the wait for a retry
		defer cancel()
		res, err := engine.Execute(ctx, flow, nil, engine.Options{Seed: 7, Journal: w})
		if err != nil || res.Status != engine.Cancelled {
			t.Fatalf("%v, %v", err, res)
		}
		text, err := os.ReadFile(filepath.Join(home, "runs", "run", "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		approved = true
		if got, _ := resume(t, home, flow, docs, text); !strings.HasPrefix(got, "status: done") || !strings.Contains(got, "usage: calls = 12\n") {
			t.Error(got)
		}
	})
}

// TestNeedsDecisionNamesItems: what was under way is named with its item and its branch.
func TestNeedsDecisionNamesItems(t *testing.T) {
	doc := `-- flow.yaml --
flow: f
version: 1
description: d
nodes:
  each: {op: map, prep: {items: '[1, 2]'}, with: {op: once, concurrency: 2}, next: both}
  both: {op: parallel, with: {branches: {left: {op: once}, right: {flow: inner}}}, next: end}
-- inner.yaml --
flow: inner
version: 1
description: d
nodes:
  act: {op: once, actions: [{action: default}], next: {default: end}}
`
	flow, _ := enginetest.Load(t, txtar.Parse([]byte(doc)), enginetest.Ops())
	start := `{"e":"start","v":1,"time":"2024-01-15T12:00:00Z","seed":1,"input":{}}` + "\n"
	_, err := resumeText(t, flow, start+`{"e":"started","id":1,"at":5,"step":"each","visit":1,"attempt":1}
{"e":"started","id":2,"at":5,"step":"each","visit":1,"attempt":1}
`, false)
	if err == nil || !strings.Contains(err.Error(), "while each[0], each[1] were under way") {
		t.Errorf("%v", err)
	}
	_, err = resumeText(t, flow, start+`{"e":"started","id":1,"at":5,"step":"each","visit":1,"attempt":1}
{"e":"finished","id":1,"at":5,"result":1}
{"e":"finished","id":2,"at":5,"result":1}
{"e":"started","id":3,"at":5,"step":"both","visit":1,"attempt":1}
{"e":"started","id":4,"at":5,"step":"both.right/act","visit":1,"attempt":1}
`, false)
	if err == nil || !strings.Contains(err.Error(), "while both.left, both.right/act were under way") {
		t.Errorf("%v", err)
	}
}
