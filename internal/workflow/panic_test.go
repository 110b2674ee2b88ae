package workflow

import (
	"context"
	"strings"
	"testing"

	"pflow/internal/nodetype"
	"pflow/internal/value"
)

// TestPanicIsTheNodesError: a node type that panics fails its item; the others, and the node on its error edge, run. What
// the panic says of a secret is redacted.
func TestPanicIsTheNodesError(t *testing.T) {
	types := testTypes()
	boom := types["echo"]
	iface := *boom.Interface
	iface.Name = "boom"
	boom.Interface = &iface
	boom.Run = func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
		if c.Params["value"] != "fine" {
			panic("it was given " + c.Params["value"].(string))
		}
		return nodetype.Outcome{Outputs: map[string]any{"out": "fine", "text": "fine"}}, nil
	}
	types["boom"] = boom
	w := world{types: types, environ: map[string]string{"TOKEN": "s3cret-t0ken"}}
	p := w.compile(t, `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "secret": true, "from_env": "TOKEN"}},
		"nodes": [{"id": "each", "type": "boom", "batch": {"items": ["fine", "no", "fine"], "as": "it", "on_error": "continue"}, "params": {"value": "${it}"}},
		{"id": "one", "type": "boom", "params": {"value": "$token"}}, {"id": "after", "type": "echo", "params": {"value": "${one.error.kind}: ${one.error.message}"}}],
		"edges": [{"from": "each", "to": "one"}, {"from": "one", "action": "error", "to": "after"}],
		"outputs": {"said": {"source": "${after.text}", "type": "string"}, "errors": {"source": "${each.errors}", "type": "array"}}}`)
	res := run(t, p, nil, Options{})
	said, _ := res.Outputs["said"].(string)
	if res.Status != Done || !strings.HasPrefix(said, "bug: this is a bug in pflow") || !strings.Contains(said, "it was given") {
		t.Fatal(show(res))
	}
	if all := value.JSON(res.Outputs); strings.Contains(all, "s3cret-t0ken") || strings.Count(all, `"kind":"bug"`) != 1 {
		t.Error(all)
	}
}
