package workflow

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

// TestApprovalParams: what wants approval is told with the params that it then gets: with what earlier steps wrote, with defaults where a
// step was skipped, in workflows that are called and in each item of a batch; of a batch that waits as a whole its items; a secret is a name.
func TestApprovalParams(t *testing.T) {
	types := testTypes()
	w := world{types: types, saved: map[string]string{"inner": `{"ir_version": "0.1.0",
		"inputs": {"n": {"type": "integer", "required": true}, "key": {"type": "string", "required": true, "secret": true, "from_env": "KEY"}},
		"nodes": [{"id": "go", "type": "echo", "approval": "required", "params": {"value": "item $n", "key": "${key}", "both": "<$key>"}}]}`},
		environ: map[string]string{"KEY": "hunter2hunter2"}}
	p := w.compile(t, `{"ir_version": "0.1.0", "inputs": {"pin": {"type": "string", "required": true, "secret": true, "from_env": "KEY"}}, "nodes": [
		{"id": "a", "type": "choose", "params": {"action": "left"}},
		{"id": "right", "type": "echo", "params": {"value": "never"}},
		{"id": "left", "type": "echo", "params": {"value": {"list": [1, 2]}}},
		{"id": "send", "type": "echo", "approval": "required", "params": {"value": "${right.out ?? left.out.list}", "text": "it is ${left.text ?? \"no\"}: ${right.text ?? \"none\"}", "cost": "$$5"}},
		{"id": "all", "type": "echo", "approval": "required", "batch": {"items": "${left.out.list}", "as": "it"}, "params": {"value": "${it} of ${left.out.list}", "other": "${it.x ?? 7}"}},
		{"id": "each", "type": "inner", "batch": {"items": "${left.out.list}", "as": "it"}, "params": {"n": "${it}", "key": "${pin}"}}],
		"edges": [{"from": "a", "to": "right", "action": "right"}, {"from": "a", "to": "left", "action": "left"}, {"from": "left", "to": "send"}, {"from": "right", "to": "send"},
			{"from": "left", "to": "all"}, {"from": "left", "to": "each"}]}`)
	asked := map[string]string{}
	home := t.TempDir()
	res := kept(t, p, home, nil, func(_ context.Context, a Approval) bool {
		asked[a.Node] = value.JSON(a.Params)
		return false
	})
	want := map[string]string{
		"send":       `{"cost":"$5","text":"it is {\"list\":[1,2]}: none","value":[1,2]}`,
		"all":        `{"batch.items":[1,2],"other":"${it.x ?? 7}","value":"${it} of [1,2]"}`,
		"each[0]/go": `{"both":"<{\"$env\":\"KEY\"}>","key":{"$env":"KEY"},"value":"item 1"}`,
		"each[1]/go": `{"both":"<{\"$env\":\"KEY\"}>","key":{"$env":"KEY"},"value":"item 2"}`,
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
	told := func(res *Result) map[string]string {
		out := map[string]string{}
		for _, a := range res.Approvals {
			out[a.Node] = value.JSON(a.Params)
		}
		return out
	}
	if diff := cmp.Diff(want, told(res)); diff != "" || res.Status != Waiting {
		t.Errorf("%s: %s", res.Status, diff)
	}
	// Who goes on with it is asked the same.
	clear(asked)
	again, err := resumed(t, home, types, func(_ context.Context, a Approval) bool {
		asked[a.Node] = value.JSON(a.Params)
		return false
	})
	if err != nil || again.Status != Waiting {
		t.Fatalf("%v, %s", err, show(again))
	}
	if diff := cmp.Diff(want, asked) + cmp.Diff(want, told(again)); diff != "" {
		t.Error(diff)
	}
}
