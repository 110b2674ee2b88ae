package workflow

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// TestSettingsFromTemplates runs nodes whose numbers and durations templates give: what an earlier node wrote, an input,
// a default, a text that holds a number.
func TestSettingsFromTemplates(t *testing.T) {
	const head = `{"ir_version": "0.1.0", "inputs": {"tries": {"type": "any", "default": 3}, "limit": {"type": "any", "default": "20ms"}}, "nodes": [
		{"id": "a", "type": "echo", "params": {"value": {"tries": "2", "wait": "1ms"}}}, `
	const tail = `], "edges": [{"from": "a", "to": "b"}]}`
	for _, c := range []struct {
		name, node string
		given      map[string]any
		want, path string
	}{
		{"attempts and wait", `{"id": "b", "type": "fail", "params": {"kind": "network"}, "retry": {"attempts": "${a.out.tries}", "wait": "${a.out.wait}"}}`, nil,
			"failed {}\nerror: network at b (test.json:2:84), 2 attempts: it failed: <nil>\na default\nb (failed)\n", ""},
		{"a default", `{"id": "b", "type": "fail", "params": {"kind": "network"}, "retry": {"attempts": "${a.out.none ?? 4}"}}`, nil,
			"failed {}\nerror: network at b (test.json:2:84), 4 attempts: it failed: <nil>\na default\nb (failed)\n", ""},
		{"timeout", `{"id": "b", "type": "wait", "params": {"for": "1h"}, "timeout": "$limit"}`, nil,
			"failed {}\nerror: timeout at b (test.json:2:84), 1 attempts: no result within 20ms\na default\nb (failed)\n", ""},
		{"the retry of a batch's items", `{"id": "b", "type": "fail", "params": {"kind": "network"}, "batch": {"items": [1], "retry": {"attempts": "${tries}"}}}`, nil,
			"failed {}\nerror: network at b (test.json:2:84), 3 attempts: it failed: <nil>\na default\nb (failed)\n", ""},
		{"no number", `{"id": "b", "type": "echo", "retry": {"attempts": "${tries}"}}`, map[string]any{"tries": "often"},
			"failed {}\nerror: type at b (test.json:2:134), 0 attempts: want a whole number from 1 on, got string \"often\"\na default\nb (failed)\n", "nodes[1].retry.attempts"},
		{"a number too small", `{"id": "b", "type": "echo", "batch": {"items": [], "concurrency": "${tries}"}}`, map[string]any{"tries": 0},
			"failed {}\nerror: type at b (test.json:2:150), 0 attempts: want a whole number from 1 on, got integer 0\na default\nb (failed)\n", "nodes[1].batch.concurrency"},
		{"a fraction", `{"id": "b", "type": "echo", "batch": {"items": [], "retry": {"attempts": "${tries}"}}}`, map[string]any{"tries": 2.5},
			"failed {}\nerror: type at b (test.json:2:157), 0 attempts: want a whole number from 1 on, got number 2.5\na default\nb (failed)\n", "nodes[1].batch.retry.attempts"},
		{"a duration without a unit", `{"id": "b", "type": "echo", "timeout": "${limit}"}`, map[string]any{"limit": 30},
			"failed {}\nerror: type at b (test.json:2:123), 0 attempts: want a duration as in \"500ms\", \"30s\" or \"2m\", got integer 30; write its unit with it, as in \"30s\"\na default\nb (failed)\n", "nodes[1].timeout"},
		{"no duration at all", `{"id": "b", "type": "echo", "retry": {"attempts": 2, "wait": "${limit}"}}`, map[string]any{"limit": "-1s"},
			"failed {}\nerror: type at b (test.json:2:145), 0 attempts: want a duration as in \"500ms\", \"30s\" or \"2m\", got string \"-1s\"\na default\nb (failed)\n", "nodes[1].retry.wait"},
		{"what is not there", `{"id": "b", "type": "echo", "timeout": "${a.out.nothing}"}`, nil,
			"failed {}\nerror: missing_key at b (test.json:2:123), 0 attempts: ${a.out.nothing}: a.out has no key \"nothing\"; it has tries, wait\na default\nb (failed)\n", "nodes[1].timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := world{}.compile(t, head+c.node+tail)
			res := run(t, p, c.given, Options{})
			if diff := cmp.Diff(c.want, show(res)); diff != "" {
				t.Error(diff)
			}
			if res.Error.Path != c.path {
				t.Errorf("the path is %q, want %q", res.Error.Path, c.path)
			}
		})
	}
	t.Run("an error edge takes it", func(t *testing.T) {
		p := world{}.compile(t, `{"ir_version": "0.1.0", "inputs": {"tries": {"type": "any"}}, "nodes": [
			{"id": "b", "type": "echo", "retry": {"attempts": "${tries}"}}, {"id": "c", "type": "echo", "params": {"value": "${b.error.message}"}}],
			"edges": [{"from": "b", "to": "c", "action": "error"}]}`)
		want := "want a whole number from 1 on, got boolean true"
		if res := run(t, p, map[string]any{"tries": true}, Options{}); res.Status != Done || res.Outputs["out"] != want {
			t.Error(show(res))
		}
	})
}

// TestConcurrencyFromATemplate sees that no more items are at work than a template says, and as many.
func TestConcurrencyFromATemplate(t *testing.T) {
	var now, most, wanted atomic.Int32
	types := testTypes()
	types["busy"] = nodetype.Type{
		Interface: &ir.Interface{Name: "busy", Inputs: []ir.Port{{Key: "n", Type: value.Any}}},
		Run: func(context.Context, nodetype.Call) (nodetype.Outcome, error) {
			for at := now.Add(1); ; {
				was := most.Load()
				if at <= was || most.CompareAndSwap(was, at) {
					break
				}
			}
			// As many as may are waited for, however slow the machine is; what comes too many has a moment to come.
			for until := time.Now().Add(time.Minute); most.Load() < wanted.Load() && time.Now().Before(until); {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(10 * time.Millisecond)
			now.Add(-1)
			return nodetype.Outcome{}, nil
		},
	}
	p := world{types: types}.compile(t, `{"ir_version": "0.1.0", "inputs": {"many": {"type": "integer", "required": true}}, "nodes": [
		{"id": "b", "type": "busy", "batch": {"items": [1, 2, 3, 4, 5, 6, 7, 8], "concurrency": "${many}"}, "params": {"n": "$item"}}]}`)
	for _, many := range []int{1, 3} {
		most.Store(0)
		wanted.Store(int32(many))
		if res := run(t, p, map[string]any{"many": many}, Options{}); res.Status != Done || int(most.Load()) != many {
			t.Errorf("%d at once, want %d: %s", most.Load(), many, show(res))
		}
	}
}

func TestSecretsAreNoSettings(t *testing.T) {
	w := world{environ: map[string]string{"TOKEN": secretValue}}
	env := w.env(t)
	wf, found := Check([]byte(`{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "secret": true, "from_env": "TOKEN"}}, "nodes": [
		{"id": "a", "type": "echo", "timeout": "${token}"}]}`), env.Catalogue, env.Types, ir.Options{})
	if found.HasErrors() {
		t.Fatal(found.Text())
	}
	_, found = Compile(Source{Name: "test", Workflow: wf}, env)
	want := "nodes[0]: error: timeout: the secret \"token\" cannot stand here, where its value would be kept; give it to the node that uses it, in a param [bad-secret]\n"
	if diff := cmp.Diff(want, found.Text()); diff != "" {
		t.Error(diff)
	}
}
