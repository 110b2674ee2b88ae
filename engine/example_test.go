package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/engine/syntax"
	"pflow/internal/yamltree"
	"pflow/nodes"
	"pflow/prompts"
)

// exampleOps are the ops as a program has them, with a user who answers.
func exampleOps(said *[]string) *engine.Registry {
	return engine.NewRegistry(nodes.All(nodes.Deps{
		ReadLine: func(context.Context, string) (string, error) { return "Ada", nil },
		Log:      func(level, message string) { *said = append(*said, level+": "+message) },
	})...)
}

// TestExamples loads and runs the example of every op. What an example gives stands here, so that examples stay worth
// reading.
func TestExamples(t *testing.T) {
	gives := map[string]string{
		"eval":     `{"last_error":null,"text":"plan once run for ever","words":5}`,
		"flow":     `{"last_error":null,"text":"Hello, world!"}`,
		"input":    `{"last_error":null,"name":"Ada"} info: hello Ada`,
		"log":      `{"last_error":null,"name":"world"} info: hello world`,
		"map":      `{"last_error":null,"lengths":["1: 4","2: 4","3: 3","4: 3","5: 4"],"words":["plan","once","run","for","ever"]}`,
		"parallel": `{"last_error":null,"shout":"PLAN ONCE RUN FOR EVER","text":"plan once run for ever","words":5}`,
		"sleep":    `{"last_error":null}`,
		"template": `{"greeting":"Hello, world!","last_error":null,"name":"world"}`,
	}
	var said []string
	ops := exampleOps(&said)
	for _, name := range ops.Names() {
		op := ops.Op(name)
		if op.Summary == "" || op.ResultDoc == "" || op.Example == "" {
			t.Errorf("%s lacks a summary, the shape of its result, or an example", name)
			continue
		}
		l := &engine.Loader{Ops: ops, Resources: engine.Folders{Home: "testdata/ok", Prompts: prompts.FS}}
		flow, found := l.Load(engine.Document{Kind: engine.FlowDocument, Path: name + ".yaml", Data: []byte(op.Example)})
		if flow == nil || len(found) > 0 {
			t.Errorf("%s: %s", name, found.Text())
			continue
		}
		uses := false
		for _, n := range flow.Describe() {
			uses = uses || n.Op == name
		}
		if !uses || flow.Name != name+"-example" || flow.Description == "" {
			t.Errorf("the example of %s does not use it, or is not called %[1]s-example, or has no description", name)
		}
		said = nil
		res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
		if err != nil || res.Status != engine.Done {
			t.Errorf("%s: %+v %v", name, res, err)
			continue
		}
		if want, ok := gives[name]; ok {
			store, _ := json.Marshal(res.Store)
			if got := strings.Join(append([]string{string(store)}, said...), " "); got != want {
				t.Errorf("%s\n got %s\nwant %s", name, got, want)
			}
		}
	}
}

// TestSchema: editors accept every good flow, every example, and what they extend; and they refuse what Decode refuses.
func TestSchema(t *testing.T) {
	var said []string
	ops := engine.NewRegistry(enginetest.Ops()...)
	var schemas []syntax.OpSchema
	for _, name := range ops.Names() {
		schemas = append(schemas, ops.Op(name).Schema())
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(syntax.Schema(schemas)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("flow.schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("flow.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, data []byte) error {
		tree, found := yamltree.Parse(name, data)
		if tree == nil {
			t.Fatal(found.Text())
		}
		text, err := json.Marshal(tree.Plain())
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, pattern := range []string{"testdata/ok/*.yaml", "testdata/ok/flows/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := check(file, data); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	for _, name := range exampleOps(&said).Names() {
		if op := ops.Op(name); op != nil {
			if err := check(name, []byte(op.Example)); err != nil {
				t.Errorf("the example of %s: %v", name, err)
			}
		}
	}
	for _, kind := range []string{"unknown-key", "missing-key", "wrong-kind", "unknown-op", "unknown-param", "bad-param", "bad-name", "bad-retry"} {
		file := filepath.Join("testdata/err", kind+".yaml")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if check(file, data) == nil {
			t.Errorf("the schema takes %s", file)
		}
	}
}
