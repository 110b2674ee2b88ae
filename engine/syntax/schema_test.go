package syntax

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// testOps are ops as the engine describes its own.
func testOps() []OpSchema {
	unit := []Field{
		{Name: "op", Type: value.String}, {Name: "flow", Type: value.String}, {Name: "prep", Type: value.Object}, {Name: "with", Type: value.Object},
		{Name: "concurrency", Type: value.Integer, Default: 1},
		{Name: "on_error", Type: value.String, Enum: []string{"fail", "continue"}, Default: "fail", Doc: "what the first failed item does"},
	}
	return []OpSchema{
		{Name: "log", Summary: "Writes a message.", OpenPrep: true},
		{Name: "llm", Summary: "Calls a model.", OpenPrep: true, With: []Field{
			{Name: "prompt", Type: value.String, Required: true}, {Name: "schema", Type: value.String}, {Name: "temperature", Type: value.Number},
		}},
		{Name: "validate", Prep: []Field{{Name: "workflow", Type: value.Any, Required: true}}},
		{Name: "eval", OpenPrep: true, With: []Field{{Name: "expr", Type: value.String}, {Name: "cel", Type: value.String}}},
		{Name: "map", Prep: []Field{{Name: "items", Required: true}}, With: unit},
		{Name: "parallel", With: []Field{
			{Name: "branches", Type: value.Object, Required: true},
			{Name: "join", Type: value.String, Enum: []string{"all", "any"}, Default: "all"},
		}},
	}
}

func compileSchema(t *testing.T, ops []OpSchema) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(ops)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("flow.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("flow.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, v *yamltree.Value) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(value.JSON(v.Plain())))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// The schema accepts what Decode accepts.
func TestSchemaOK(t *testing.T) {
	files, _ := filepath.Glob("testdata/ok/*.yaml")
	for name, s := range map[string]*jsonschema.Schema{"without ops": compileSchema(t, nil), "with ops": compileSchema(t, testOps())} {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree, found := read(file, data)
			if len(found) > 0 {
				t.Fatal(found.Text())
			}
			if err := valid(t, s, tree); err != nil {
				t.Errorf("%s, %s: %v", name, file, err)
			}
		}
	}
}

// decodeOnly are documents whose mistakes a JSON Schema cannot tell: relations between values, and YAML itself.
var decodeOnly = map[string]bool{"bad-retry-defaults-alone": true, "duplicate-key": true}

// The schema refuses what Decode refuses, as far as it can be told from the plain value.
func TestSchemaErr(t *testing.T) {
	s := compileSchema(t, nil)
	files, _ := filepath.Glob("testdata/err/*.yaml")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tree, found := read(file, data)
		if tree == nil || found.HasErrors() || decodeOnly[name] || strings.HasPrefix(name, "nested-") {
			continue
		}
		if valid(t, s, tree) == nil {
			t.Errorf("the schema accepts %s", file)
		}
	}
}

// asWritten reads a document as an editor sees it.
func asWritten(t *testing.T, text string) *yamltree.Value {
	t.Helper()
	v, found := yamltree.Parse("f", []byte(text))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	return v
}

// Each mistake alone is refused: in the document, in what an op takes, and inside map and parallel.
func TestSchemaMistakes(t *testing.T) {
	s := compileSchema(t, testOps())
	for _, c := range []struct {
		text string
		want bool
	}{
		{"a: {op: log, next: end}", true},
		{"a: {op: lgo}", false},
		{"a: {op: log, with: {x: 1}}", false},
		{"a: {op: llm}", false},
		{"a: {op: llm, with: {prompt: x}}", true},
		{"a: {op: llm, with: {prompt: x, temperature: 0.5}}", true},
		{"a: {op: llm, with: {prompt: 7}}", false},
		{"a: {op: llm, with: {prompt: x, promt: y}}", false},
		{"a: {op: validate}", false},
		{"a: {op: validate, prep: {workflow: store.x}}", true},
		{"a: {op: validate, prep: {workflow: store.x, more: '1'}}", false},
		{"a: {op: log, timeout: 5}", false},
		{"a: {op: log, timeout: 5us}", false},
		{"a: {op: log, retry: {backoff: linear}}", false},
		{"a: {op: log, retry: {jitter: 2}}", false},
		{"a: {op: log, actions: []}", false},
		{"a: {op: log, actions: [{action: x, expr: a, cel: b}]}", false},
		{"a: {op: log, next: {'*': end, done: a}}", true},
		{"a: {op: log, next: {Done: a}}", false},
		{"end: {op: log}", false},
		{"A: {op: log}", false},
		{"a: {op: map, prep: {items: store.x}, with: {op: llm, with: {prompt: x}, concurrency: 2}}", true},
		{"a: {op: map, prep: {items: store.x}, with: {op: llm, with: {promt: x}}}", false},
		{"a: {op: map, prep: {items: store.x}, with: {op: log, on_error: ignore}}", false},
		{"a: {op: map, prep: {items: store.x}, with: {op: log, nope: 1}}", false},
		{"a: {op: map, prep: {items: store.x}, with: {op: log, prep: {a-b: x}}}", false},
		{"a: {op: parallel, with: {branches: {one: {op: log}}, join: any}}", true},
		{"a: {op: parallel, with: {branches: {one: {op: llm, with: {}}}}}", false},
		{"a: {op: parallel, with: {branches: {one: {op: log, retry: {}}}}}", false},
		{"a: {op: parallel, with: {branches: {One: {op: log}}}}", false},
		{"a: {op: parallel, with: {branches: {}}}", false},
		{"a: {op: validate, prep: {workflow: {a: [store.x, {b: 1}]}}}", true},
		{"a: {op: validate, prep: {workflow: {a: [null]}}}", false},
		{"a: {op: validate, prep: [workflow]}", true},
		{"a: {op: validate, prep: [workflow, more]}", false},
		{"a: {op: validate, prep: [{workflow: store.x}]}", true},
		{"a: {op: eval, with: {expr: '1'}, prep: [x, {y: {z: store.x}}], post: [x, {y: [result]}]}", true},
		{"a: {op: eval, vars: {a: [1, {b: x}], c: vars.a}}", true},
		{"a: {op: eval, vars: {a-b: 1}}", false},
		{"a: {op: eval, vars: {a: [null]}}", false},
		{"a: {op: eval, with: {expr: '1'}, prep: [3]}", false},
		{"a: {op: eval, with: {expr: '1'}, prep: [x y]}", false},
		{"a: {op: eval, with: {expr: '1'}, post: [X]}", false},
		{"a: {op: map, prep: [items], with: {op: log, prep: [item, {message: index}]}}", true},
	} {
		tree := asWritten(t, "flow: a\nversion: 1\nnodes:\n  "+c.text+"\n")
		if err := valid(t, s, tree); (err == nil) != c.want {
			t.Errorf("%s: %v", c.text, err)
		}
		// As a change of another flow, the same may be said, and nulls too.
		change := asWritten(t, "extends: b\nnodes:\n  z: null\n  "+c.text+"\n")
		if err := valid(t, s, change); c.want && err != nil {
			t.Errorf("extending, %s: %v", c.text, err)
		}
	}
	for _, text := range []string{"extends: b\nnodes: {a: {timeout: 1s, op: null, prep: {x: null}, next: {done: null}}}", "extends: b", "extends: b\nstate: {x: null, y: {default: null}}\nparams: {a: null}"} {
		if err := valid(t, s, asWritten(t, text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]bool{
		"{f: {args: [a, b], expr: a + b}, g: {args: [], cel: '1'}}": true,
		"{f: {args: [a b], expr: '1'}}":                             false,
		"{f: {expr: '1'}}":                                          false,
		"{f: {args: [], expr: '1', cel: '1'}}":                      false,
		"{a-b: {args: [], expr: '1'}}":                              false,
		"{f: {args: [], expr: '1', body: x}}":                       false,
	} {
		err := valid(t, s, asWritten(t, "flow: a\nversion: 1\nnodes: {a: {op: log}}\nfunctions: "+text))
		if (err == nil) != want {
			t.Errorf("functions: %s: %v", text, err)
		}
	}
	for _, text := range []string{"extends: b\nnodez: {}", "extends: b\nnodes: {a: {timeout: soon}}"} {
		if valid(t, s, asWritten(t, text)) == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}

// The same ops give the same text.
func TestSchemaStable(t *testing.T) {
	if a, b := Schema(testOps()), Schema(testOps()); !bytes.Equal(a, b) {
		t.Error("two schemas of the same ops differ")
	}
}
