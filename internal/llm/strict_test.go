package llm

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestStrict(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"closes and requires", `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`,
			`{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}`},
		{"optional", `{"type": "object", "properties": {"a": {"type": ["string", "integer"]}, "b": {"enum": ["x"]}, "c": {"const": 1}, "d": {"anyOf": [{"type": "string"}]}, "e": {"$ref": "#/$defs/e"}}, "$defs": {"e": {"type": "number"}}}`,
			`{"type": "object", "properties": {"a": {"type": ["string", "integer", "null"]}, "b": {"type": ["string", "null"], "enum": ["x", null]},
			  "c": {"anyOf": [{"type": "integer", "const": 1}, {"type": "null"}]}, "d": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "e": {"anyOf": [{"$ref": "#/$defs/e"}, {"type": "null"}]}},
			  "$defs": {"e": {"type": "number"}}, "required": ["a", "b", "c", "d", "e"], "additionalProperties": false}`},
		{"leaves out", `{"$schema": "s", "title": "t", "type": "object", "additionalProperties": false, "required": ["a"],
			"properties": {"a": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "x", "maxLength": 3, "description": "d", "default": "q"}}}}`,
			`{"type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": {"type": "array", "items": {"type": "string", "description": "d"}}}}`},
		{"nested", `{"type": "object", "required": ["a"], "properties": {"a": {"oneOf": [{"type": "object", "properties": {"b": {"type": "null"}}}, {"type": "null"}]}}}`,
			`{"type": "object", "required": ["a"], "additionalProperties": false, "properties": {"a": {"anyOf": [
			  {"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"], "additionalProperties": false}, {"type": "null"}]}}}`},
		{"free object", `{"type": "object"}`, ``},
		{"open object", `{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}`, ``},
		{"open inside", `{"type": "object", "properties": {"params": {"type": "object"}}}`, ``},
		{"any value", `{"type": "object", "properties": {"a": {}}}`, ``},
		{"true", `{"type": "object", "properties": {"a": true}}`, ``},
		{"list of anything", `{"type": "object", "properties": {"a": {"type": "array"}}}`, ``},
		{"root anyOf", `{"type": "object", "anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}`, ``},
		{"allOf", `{"type": "object", "properties": {"a": {"allOf": [{"type": "string"}]}}}`, ``},
		{"bad type", `{"type": "object", "properties": {"a": {"type": 1}}}`, ``},
		{"mixed enum", `{"type": "object", "properties": {"a": {"enum": ["x", 1]}}}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := parsed(t, c.schema).(map[string]any)
			before := value.JSON(in)
			got, ok := strict(in)
			if value.JSON(in) != before {
				t.Errorf("the schema was changed")
			}
			if ok != (c.want != "") {
				t.Fatalf("got %v, %s", ok, value.JSON(got))
			}
			if ok {
				if diff := cmp.Diff(parsed(t, c.want), parsed(t, jsonText(got))); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

func TestDropNulls(t *testing.T) {
	schema := parsed(t, `{"type": "object", "required": ["r"], "properties": {
		"r": {"type": "string"}, "o": {"type": "string"}, "n": {"type": ["string", "null"]}, "a": {"type": "array", "items": {"type": "object", "properties": {"o": {"type": "integer"}}}},
		"u": {"anyOf": [{"type": "object", "properties": {"o": {"type": "string"}}}, {"type": "null"}]}}}`).(map[string]any)
	in := parsed(t, `{"r": null, "o": null, "n": null, "a": [{"o": null}, {"o": 1}], "u": {"o": null}, "other": null}`)
	before := value.JSON(in)
	got := value.JSON(dropNulls(in, schema))
	if want := `{"a":[{},{"o":1}],"n":null,"other":null,"r":null,"u":{}}`; got != want || value.JSON(in) != before {
		t.Errorf("got %s, want %s", got, want)
	}
}
