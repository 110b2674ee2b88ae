package workflow

import (
	"context"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/internal/flowtest"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// TestReadBack runs a workflow whose nodes see what others gave as it is kept: what is private is a clear error where a node needs it,
// and null where the result has it; what only looks like it is not.
func TestReadBack(t *testing.T) {
	types := testTypes()
	types["visit"] = nodetype.Type{
		Interface: &ir.Interface{Name: "visit", Outputs: []ir.Port{{Key: "headers", Type: value.Object}}},
		Run: func(context.Context, nodetype.Call) (nodetype.Outcome, error) {
			return nodetype.Outcome{Outputs: map[string]any{"headers": map[string]any{"cookie": "c", "kind": "k"}}, Private: []string{"headers.cookie"}}, nil
		},
	}
	const doc = `{"ir_version": "0.1.0", "nodes": [{"id": "v", "type": "visit"}, {"id": "use", "type": "echo", "params": {"value": "$USES"}}],
		"edges": [{"from": "v", "to": "use"}], "outputs": {"out": {"source": "${use.out}", "type": "any"}, "own": {"source": "${v.headers.cookie}", "type": "string"}}}`
	for uses, want := range map[string]string{
		"${v.headers.kind}":                 "done {\"out\":\"k\",\"own\":null}",
		"${v.headers.cookie}":               "error: invalid_request at use (test.json:1:65), 1 attempts: headers.cookie of the node v is private and not kept with the run",
		"[a of the node b is not kept: no]": "done {\"out\":\"[a of the node b is not kept: no]\",\"own\":null}",
	} {
		w := world{types: types}
		env := w.env(t)
		env.ReadBack = true
		text := strings.Replace(doc, "$USES", uses, 1)
		wf, found := Check([]byte(text), env.Catalogue, env.Types, ir.Options{})
		if found.HasErrors() {
			t.Fatal(found.Text())
		}
		p, found := Compile(Source{Name: "test", Workflow: wf, File: "test.json", Data: []byte(text)}, env)
		if p == nil {
			t.Fatal(found.Text())
		}
		res, err := p.Run(context.Background(), bind(t, p, nil), Options{Drive: func(ctx context.Context, flow *engine.Flow, input map[string]any) (*engine.Result, error) {
			return flowtest.Drive(ctx, flow, input, func(r *engine.Run, c *engine.Command, ev *engine.Event) error {
				if c.Perform(ctx, r, ev); ev.Kept != nil {
					ev.Result = ev.Kept
				}
				return nil
			}, nil)
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := show(res); !strings.Contains(got, want) {
			t.Errorf("%s:\n%swant %s", uses, got, want)
		}
	}
}
