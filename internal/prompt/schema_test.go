package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

func TestParseSchema(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"type": "object"}`, ""},
		{"\ufeff{}", ""},
		{`{"type": "objekt"}`, "the schema cannot be used: type: got string, want array; type: value must be one of 'array'"},
		{`{"properties": 3}`, "the schema cannot be used: properties: got number, want object"},
		{`{"$ref": "https://example.org/x.json"}`, "the schema cannot be used"},
		{`{"$ref": "file:///etc/passwd"}`, "the schema cannot be used"},
		{`[1]`, "a schema is a JSON object"},
		{`{"type": `, "the schema is no JSON"},
		{"\xff", "the schema is not valid UTF-8"},
	} {
		s, found := ParseSchema("x", "x.schema.json", []byte(c.text))
		if (s == nil) != (c.want != "") || found.HasErrors() != (c.want != "") || !strings.Contains(found.Text(), c.want) {
			t.Errorf("%s: %v %s", c.text, s, found.Text())
		}
	}
}

// TestSchemaInAnyDirectory: where pflow runs is nothing to a schema, whatever the folder is called.
func TestSchemaInAnyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "{x} for ${x} %7B")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	s, err := NewSchema("reply", map[string]any{"$ref": "#/$defs/a", "$defs": map[string]any{"a": map[string]any{"type": "string"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Misfits(1.0); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestMisfits(t *testing.T) {
	s, found := ParseSchema("x", "x.schema.json", []byte(`{"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
		"a": {"type": "array", "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}},
		"b": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "c/d": {"enum": ["x", "y"]}}}`))
	if s == nil {
		t.Fatal(found.Text())
	}
	for _, c := range []struct{ text, want string }{
		{`{"a": [{"n": 1}, {"n": 2.0}], "b": null}`, ""},
		{`{}`, "the reply: missing property 'a'"},
		{`[]`, "the reply: got array, want object"},
		{`{"a": [{"n": 1}, {"n": "x"}, {}]}`, "a[1].n: got string, want integer|a[2]: missing property 'n'"},
		{`{"a": [], "zz": 1}`, "the reply: additional properties 'zz' not allowed"},
		{`{"a": [], "b": 1}`, "b: got number, want null|b: got number, want string"},
		{`{"a": [], "c/d": "z"}`, "c/d: value must be one of 'x', 'y'"},
		{`{"a": [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}`, strings.Join([]string{"a[0]", "a[1]", "a[2]", "a[3]", "a[4]", "a[5]", "a[6]", "a[7]"}, ": missing property 'n'|") + ": missing property 'n'"},
	} {
		v, err := value.ParseJSON([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if diff := cmp.Diff(c.want, strings.Join(s.Misfits(v), "|")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.text, diff)
			}
		}
	}
}
