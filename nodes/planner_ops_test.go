package nodes

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/prompt"
	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/ir"
)

func TestSettleParams(t *testing.T) {
	const inputs = `[{"name": "n", "type": "integer", "required": true, "description": "how many"}, {"name": "id", "type": "string", "required": true},
		{"name": "on", "type": "boolean", "default": true}, {"name": "tags", "type": "array"}, {"name": "text", "type": "string", "required": true, "from_stdin": true}]`
	for _, c := range []struct{ values, stdin, want string }{
		{`[]`, `null`, `{"extracted":{"on":true},"missing":["n","id","text"],"problems":[],"unknown":[]}`},
		{`[{"name": "n", "value": "20"}, {"name": "id", "value": "007"}, {"name": "on", "value": "false"}, {"name": "tags", "value": "[\"a\"]"}]`, `"piped"`,
			`{"extracted":{"id":"007","n":20,"on":false,"tags":["a"],"text":"piped"},"missing":[],"problems":[],"unknown":[]}`},
		{`{"n": 2.0, "id": 7, "text": "said", "zz": 1, "aa": 2}`, `"piped"`,
			`{"extracted":{"id":"7","n":2,"on":true,"text":"said"},"missing":[],"problems":[],"unknown":["aa","zz"]}`},
		{`{"n": "many", "id": "", "on": " ", "tags": 5, "text": null}`, `null`,
			`{"extracted":{"id":"","on":true},"missing":["n","text"],"problems":["n","tags"],"unknown":[]}`},
		{`[{"name": "n", "value": 1}, {"name": "n", "value": 2}]`, `{"a": 1}`,
			`{"extracted":{"n":1,"on":true,"text":"{\"a\":1}"},"missing":["id"],"problems":[],"unknown":[]}`},
	} {
		proposed, err := proposedValues(parsed(t, c.values))
		if err != nil {
			t.Fatal(err)
		}
		got := settle(parsed(t, inputs).([]any), proposed, parsed(t, c.stdin))
		for _, list := range []string{"missing", "problems"} { // their names say enough
			names := []any{}
			for _, m := range got[list].([]any) {
				names = append(names, m.(map[string]any)["name"])
			}
			got[list] = names
		}
		if diff := cmp.Diff(c.want, value.JSON(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.values, diff)
		}
	}
	for _, bad := range []string{`5`, `["a"]`, `[{"value": 1}]`} {
		if got, err := proposedValues(parsed(t, bad)); err == nil {
			t.Errorf("%s: got %v, want an error", bad, got)
		}
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWorkflowReplySchema holds replies against the schema that is made for chosen components.
func TestWorkflowReplySchema(t *testing.T) {
	v, err := value.Normalize(workflowReplySchema(t, tools(t, false).Catalogue.All()...))
	if err != nil {
		t.Fatal(err)
	}
	s, err := prompt.NewSchema("workflow", v.(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, new string
		fits     bool
	}{
		{"", "", true},
		{`"width": "${width}"`, `"width": 3`, true},
		{`"edges": []`, `"edges": [{"from": "a", "to": "b", "action": "error"}]`, true},
		{`"type": "resize"`, `"type": "upload"`, false},
		{`"type": "resize"`, `"type": "resizer"`, false},
		{`, "width": "${width}"`, ``, false},
		{`"width": "${width}"`, `"width": true`, false},
		{`"width": "${width}"`, `"width": 3, "height": 4`, false},
		{`"purpose"`, `"porpoise"`, false},
		{`"purpose"`, `"repeat": {"until": "result.path != inputs.path", "max": 3, "wait": "1s"}, "purpose"`, true},
		{`"purpose"`, `"repeat": {"until": "result.path != inputs.path", "max": "${width}"}, "purpose"`, true},
		{`"purpose"`, `"repeat": {"until": "result.path != inputs.path"}, "purpose"`, false},
		{`"purpose"`, `"repeat": {"while": "true", "until": "false", "max": 3}, "purpose"`, false},
		{`"inputs": {`, `"inputs": {"key": {"type": "string", "description": "A key.", "secret": true, "from_env": "API_KEY"}, `, true},
		{`"inputs": {`, `"inputs": {"key": {"type": "string", "description": "A key.", "secret": true, "from_env": 3}, `, false},
		{`"ir_version": "0.1.0"`, `"ir_version": "1"`, false},
		{`"edges": []`, `"edges": [{"from": "a"}]`, false},
	} {
		wrong := s.Misfits(parsed(t, draft(c.old, c.new).json))
		if (len(wrong) == 0) != c.fits {
			t.Errorf("%s for %s: %v", c.new, c.old, wrong)
		}
	}
	for _, text := range []string{`{"feasible": false, "reason": "no", "workflow": null, "parts": []}`} {
		if wrong := s.Misfits(parsed(t, text)); len(wrong) > 0 {
			t.Errorf("%s: %v", text, wrong)
		}
	}
	if got := value.JSON(s.JSON[prompt.PropertyOrdering]); got != `["feasible","reason","workflow","parts"]` {
		t.Errorf("the order is %s", got)
	}
	// With nothing to choose from there is nothing but a refusal.
	v, _ = value.Normalize(workflowReplySchema(t))
	if s, err = prompt.NewSchema("workflow", v.(map[string]any)); err != nil || len(s.Misfits(parsed(t, goodDraft))) == 0 {
		t.Errorf("%v; a workflow fits the schema of no components", err)
	}
}

// TestLoadComponents: names in the wrong list, twice, or of nothing; and the order of the request.
func TestLoadComponents(t *testing.T) {
	offered := tools(t, true)
	saved := offered.Records[0]
	all := append(offered.Catalogue.All(), saved.Workflow().AsComponent(saved.Name, saved.Description, offered.Catalogue))
	offered.Catalogue = ir.NewCatalogue(all...)
	d := Deps{Shelf: func(context.Context) (*shelf.Shelf, error) { return offered, nil }}
	store := runFlowText(t, d, `flow: t
version: 1
state: {out: {type: any, default: null}}
nodes:
  a:
    op: load-components
    prep: {node_ids: '["shrink", "upload", "upload", "zz", 5]', workflow_names: '["resize", "yy"]', request: '"resize an image"'}
    post: {out: result}
    next: end
`, nil)
	out := store["out"].(map[string]any)
	got := value.JSON(map[string]any{"n": out["node_ids"], "w": out["workflow_names"], "u": out["unknown"]})
	if want := `{"n":["resize","upload"],"u":["zz","yy"],"w":["shrink"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	text := out["context"].(string)
	if !strings.Contains(text, "### shrink") || strings.Index(text, "### resize") > strings.Index(text, "### upload") {
		t.Errorf("the context:\n%s", text)
	}
}

// TestLoadWorkflow: one that is there, one that is not, one that lost a component.
func TestLoadWorkflow(t *testing.T) {
	offered := tools(t, true)
	if record, problem, err := (&candidates{Shelf: offered}).load("shrink"); err != nil || problem != "" || record.(map[string]any)["name"] != "shrink" {
		t.Errorf("%v %q %v", record, problem, err)
	}
	broken := &shelf.Shelf{Records: offered.Records, Catalogue: ir.NewCatalogue()}
	for name, want := range map[string]string{
		"": "no workflow is named", "shrnk": `there is no saved workflow "shrnk"; did you mean "shrink"?`,
		"shrink": `the saved workflow shrink is no longer valid: there is no node type "resize" in the catalogue`,
	} {
		if record, problem, err := (&candidates{Shelf: broken}).load(name); record != nil || problem != want || err != nil {
			t.Errorf("%q: %v %q %v", name, record, problem, err)
		}
	}
}
