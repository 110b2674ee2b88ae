package nodes

import (
	"strings"
	"testing"

	"pflow/internal/value"
	"pflow/ir"
	"pflow/prompts"
)

const formFile = "workflow-form.schema.json"

// workflowReplySchema is the shipped form of a reply, made out for components.
func workflowReplySchema(t *testing.T, components ...*ir.Interface) object {
	t.Helper()
	data, err := prompts.FS.ReadFile(formFile)
	if err != nil {
		t.Fatal(err)
	}
	f, found := parseReplyForm("workflow-form", formFile, data)
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	s, err := f.of(components)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReplyFormTypes: the form names the types that there are.
func TestReplyFormTypes(t *testing.T) {
	var names []any
	for _, of := range value.Types() {
		names = append(names, string(of))
	}
	if text := value.JSON(workflowReplySchema(t, &ir.Interface{Name: "a"})); !strings.Contains(text, value.JSON(map[string]any{"enum": names, "type": "string"})) {
		t.Errorf("no %v in %s", names, text)
	}
}

// TestReplyFormIsEdited: what a tuner writes into the form reaches the model, with each reference written out; a form without a
// place for the components, or that does not end, is told by the check.
func TestReplyFormIsEdited(t *testing.T) {
	const form = `{"type": "object", "properties": {"why": {"$ref": "#/$defs/note"}, "workflow": {"$ref": "#/$defs/workflow"}}, "$defs": {
		"workflow": {"type": "object", "properties": {"nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}}}},
		"node": {"type": "object", "properties": {"params": {}, "note": {"$ref": "#/$defs/note"}, "type": {}}, "required": ["type"]},
		"note": {"type": "string", "description": "Say why."}}}`
	f, found := parseReplyForm("mine", "mine.schema.json", []byte(form))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	for _, c := range []struct {
		components []*ir.Interface
		want       string
	}{
		{nil, `{"properties":{"why":{"description":"Say why.","type":"string"},"workflow":{"type":"null"}},"propertyOrdering":["why","workflow"],"type":"object"}`},
		{[]*ir.Interface{{Name: "a"}}, `{"properties":{"why":{"description":"Say why.","type":"string"},"workflow":{"properties":{"nodes":{"items":{"anyOf":[` +
			`{"properties":{"note":{"description":"Say why.","type":"string"},"params":{"additionalProperties":false,"properties":{},"propertyOrdering":[],"required":[],"type":"object"},` +
			`"type":{"enum":["a"],"type":"string"}},"propertyOrdering":["params","note","type"],"required":["type"],"type":"object"}]},"type":"array"}},"propertyOrdering":["nodes"],"type":"object"}},` +
			`"propertyOrdering":["why","workflow"],"type":"object"}`},
	} {
		got, err := f.of(c.components)
		if err != nil || value.JSON(got) != c.want {
			t.Errorf("%v\ngot  %s\nwant %s", err, value.JSON(got), c.want)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`"node": {`, `"nod": {`, "bad-prompt"}, // the reference leads nowhere
		{`{"$ref": "#/$defs/workflow"}`, `{}`, ""},
		{`"workflow": {"type": "object", "properties": {"nodes"`, `"flow": {"type": "object", "properties": {"nodes"`, "bad-prompt"},
		{`"params": {}, `, ``, "mine.schema.json:1:1: error: $defs.node.properties needs params: there stands what each component takes [bad-prompt]"},
		{`{"type": "string", "description": "Say why."}`, `{"anyOf": [{"$ref": "#/$defs/note"}, {"$ref": "#/$defs/note"}]}`, "refers to itself [bad-prompt]"},
		{`{"type": "object", "prop`, `{"type": 3, "prop`, "bad-prompt"},
	} {
		_, found := parseReplyForm("mine", "mine.schema.json", []byte(strings.Replace(form, c.old, c.new, 1)))
		if got := found.Text(); !strings.Contains(got, c.want) || found.HasErrors() != (c.want != "") {
			t.Errorf("%s: %s", c.new, got)
		}
	}
}
