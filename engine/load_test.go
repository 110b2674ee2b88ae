package engine_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/value"
)

const counted = `flow: counted
version: 1
state: {n: {type: integer, default: 0}}
params: {most: 3, deep: {a: 1}}
nodes:
  count:
    op: eval
    prep: {n: store.n}
    with: {expr: prep.n + 1}
    post: {n: result}
    actions:
      - {action: again, expr: store.n < params.most}
      - {action: done}
    next: {again: count, done: end}
`

func fromText(text string, set ...engine.Setting) (*engine.Flow, string) {
	l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{}, Set: set}
	flow, found := l.Load(engine.Document{Kind: engine.FlowDocument, Name: "f", Path: "f.yaml", Data: []byte(text)})
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s: %s [%s]\n", f.Place, f.Message, f.Kind)
	}
	return flow, b.String()
}

// TestSet: an edit of the tree has the same checks as the document.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		path, value string
		want        string // the final n, or findings
	}{
		{"params.most", "5", "5"},
		{"params.most", "2.5", "3"},
		{"state.n.default", "1", "3"},
		{"nodes.count.actions[0].expr", "store.n < 2", "2"},
		{"nodes.count.next", "{again: end, done: end}", "1"},
		{"nodes.count.next.again", "end", "1"},
		{"nodes.count.retry.attempts", "2", "3"},
		{"limits.steps", "2", "limit"},
		{"params.most", "three", "f.yaml:12:39: cannot compute integer < string [bad-condition]\n"},
		{"params.mots", "5", "--set params.mots: the flow has no param \"mots\" [unknown-key]\n"},
		{"params.most", "null", "f.yaml:12:48: params has no member \"most\" [bad-condition]\n"},
		{"state.n.default", "x", "--set state.n.default:1:1: the default does not fit the type"},
		{"state.m", "{}", "--set state.m:1:1: state key \"m\" needs the key \"type\""},
		{"start", "cuont", "--set start:1:1: start names \"cuont\", which is no node of this flow [unknown-node]\n"},
		{"nodes.count.op", "evla", "--set nodes.count.op:1:1: there is no op \"evla\" [unknown-op]\n"},
		{"nodes.cuont.op", "eval", "--set nodes.cuont.op: the flow has no node \"cuont\" [unknown-key]\n"},
		{"nodes.count.post.n", "result +", "--set nodes.count.post.n:1:8: "},
		{"limits.tokens", "3", "--set limits.tokens:1:1: no op of this flow has the meter \"tokens\""},
		{"", "1", "--set : the path is empty; write one like params.max_attempts [unknown-key]\n"},
		{"nodes.count.next", "[", "--set nodes.count.next:1:1: "},
	} {
		flow, found := fromText(counted, engine.Setting{Path: c.path, Value: c.value})
		got := found
		if flow != nil {
			res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got = value.JSON(res.Store["n"])
			if res.Status != engine.Done {
				got = string(res.Status)
			}
		}
		if !strings.HasPrefix(got, c.want) || (flow != nil) != (len(c.want) < 6) {
			t.Errorf("--set %s=%s\n got %s\nwant %s", c.path, c.value, got, c.want)
		}
	}
}

// TestExtendsLooksUp: a base is looked for beside its child, then in the home, then among the embedded; prompts and inner
// flows beside the child, each base, the home, the embedded.
func TestExtendsLooksUp(t *testing.T) {
	greet := func(extends, word string) string {
		return extends + "version: 1\nparams: {word: " + word + "}\n"
	}
	files := map[string]string{
		"work/child.yaml":             "flow: child\n" + greet("extends: middle\n", "child"),
		"work/middle.yaml":            greet("extends: base\n", "middle") + "description: beside the child\n",
		"home/flows/middle.yaml":      greet("extends: nowhere\n", "wrong"),
		"home/flows/base.yaml":        greet("extends: lowest\n", "base"),
		"home/prompts/two.tmpl":       "---\nname: two\n---\nhome",
		"home/prompts/three.tmpl":     "---\nname: three\n---\nhome",
		"work/prompts/two.tmpl":       "---\nname: two\n---\nbeside",
		"home/flows/prompts/one.tmpl": "---\nname: one\n---\nbeside the base",
	}
	embedded := fstest.MapFS{"lowest.yaml": {Data: []byte(`flow: lowest
version: 1
state: {out: {type: string, default: ""}}
params: {word: lowest}
nodes:
  a: {op: template, with: {prompt: one}, post: {out: 'store.out + result'}, next: b}
  b: {op: template, with: {prompt: two}, post: {out: 'store.out + " " + result'}, next: c}
  c: {op: template, with: {prompt: three}, post: {out: 'store.out + " " + result'}, next: d}
  d: {op: template, with: {prompt: four}, post: {out: 'store.out + " " + result + " " + params.word'}, next: end}
`)}}
	prompts := fstest.MapFS{}
	for _, name := range []string{"one", "two", "three", "four"} {
		prompts[name+".tmpl"] = &fstest.MapFile{Data: []byte("---\nname: " + name + "\n---\nembedded")}
	}
	dir := t.TempDir()
	write(t, dir, files)
	load := func() (*engine.Flow, string) {
		l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{
			Home: filepath.Join(dir, "home"), Flows: embedded, Prompts: prompts,
		}}
		doc, err := engine.ReadDocument(engine.FlowDocument, filepath.Join(dir, "work/child.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		flow, found := l.Load(doc)
		return flow, strings.ReplaceAll(found.Text(), dir+string(filepath.Separator), "")
	}
	flow, found := load()
	if flow == nil {
		t.Fatal(found)
	}
	res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Store["out"]; got != "beside the base beside home embedded child" {
		t.Errorf("the prompts were %q", got)
	}
	if flow.Description != "beside the child" || flow.Name != "child" {
		t.Errorf("the flow is %s, %s", flow.Name, flow.Description)
	}

	// Findings point at the file that the text came from.
	write(t, dir, map[string]string{
		"work/middle.yaml":     greet("extends: base\n", "middle") + "nodes: {b: {next: nowhere}}\n",
		"home/flows/base.yaml": greet("extends: lowest\n", "base") + "nodes: {c: {with: {text: x}}}\n",
		"work/child.yaml":      "flow: child\n" + greet("extends: middle\n", "child") + "nodes: {a: {post: {out: word}}}\n",
	})
	_, found = load()
	want := `work/child.yaml:5:25: error: unknown name "word"; this expression sees params, prep, run, store, action, attempt, result [bad-expression]
work/middle.yaml:4:19: error: there is no node "nowhere" to go to [unknown-node]
embedded:flows/lowest.yaml:8:11: error: template needs exactly one of text and prompt [bad-param]
`
	var got strings.Builder
	for line := range strings.Lines(found) {
		if strings.Contains(line, "error:") {
			got.WriteString(line)
		}
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHash: the hash changes with what a run may depend on, and with nothing else.
func TestHash(t *testing.T) {
	base := map[string]string{
		"main.yaml": `flow: main
version: 1
extends: base
nodes:
  a: {op: template, with: {prompt: p}, next: b}
`,
		"base.yaml": `flow: base
version: 1
params: {x: 1}
nodes:
  a: {op: template, with: {prompt: p}, next: b}
  b: {op: map, prep: {items: '[1]'}, with: {flow: inner}, next: end}
`,
		"inner.yaml":    "flow: inner\nversion: 1\nnodes:\n  a: {op: flow, with: {flow: deeper}, next: end}\n",
		"deeper.yaml":   "flow: deeper\nversion: 1\nnodes:\n  a: {op: eval, with: {expr: '1'}, next: b}\n  b: {op: eval, with: {expr: '1'}, next: end}\n",
		"unused.yaml":   "flow: unused\n",
		"p.tmpl":        "---\nname: p\nschema: s\n---\nText",
		"s.schema.json": "{}",
	}
	hashOf := func(files map[string]string, set ...engine.Setting) string {
		flows, prompts := fstest.MapFS{}, fstest.MapFS{}
		for name, text := range files {
			fsys := flows
			if !strings.HasSuffix(name, ".yaml") {
				fsys = prompts
			}
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{Flows: flows, Prompts: prompts}, Set: set}
		flow, found := l.LoadNamed("main")
		if flow == nil {
			t.Fatal(found.Text())
		}
		return flow.Hash
	}
	first := hashOf(base)
	for _, c := range []struct {
		file, old, new string
		same           bool
	}{
		{"main.yaml", "version: 1", "version: 1 # a comment", true},
		{"main.yaml", "nodes:", "\n\nnodes:", true},
		{"main.yaml", "{op: template, with: {prompt: p}, next: b}", "\n    next: 'b'\n    op: \"template\"\n    with:\n      prompt: p\n", true},
		{"base.yaml", "params: {x: 1}", "params:\n  x: 1", true},
		{"inner.yaml", "flow: inner\nversion: 1", "version: 1\nflow: inner # the inner one", true},
		{"unused.yaml", "unused", "other", true},
		{"main.yaml", "flow: main", "flow: other", false},
		{"base.yaml", "x: 1", "x: 2", false},
		{"base.yaml", "x: 1", "y: 1", false},
		{"base.yaml", "items: '[1]'", "items: '[2]'", false},
		{"inner.yaml", "version: 1", "version: 1\ndescription: other", false},
		{"deeper.yaml", "expr: '1'", "expr: '2'", false},
		// where the flow starts
		{"deeper.yaml", "  a: {op: eval, with: {expr: '1'}, next: b}\n  b: {op: eval, with: {expr: '1'}, next: end}\n", "  b: {op: eval, with: {expr: '1'}, next: a}\n  a: {op: eval, with: {expr: '1'}, next: end}\n", false},
		{"p.tmpl", "Text", "Text ", false},
		{"s.schema.json", "{}", "{ }", false},
	} {
		files := maps.Clone(base)
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		if files[c.file] == base[c.file] {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		if same := hashOf(files) == first; same != c.same {
			t.Errorf("%s: %q for %q: the hash is the same: %v", c.file, c.new, c.old, same)
		}
	}
	if hashOf(base, engine.Setting{Path: "params.x", Value: "1"}) != first || hashOf(base, engine.Setting{Path: "params.x", Value: "2"}) == first {
		t.Error("the hash does not follow --set")
	}
	// Two flows that merge to the same are the same.
	merged := maps.Clone(base)
	merged["main.yaml"] = strings.Replace(base["base.yaml"], "flow: base", "flow: main", 1)
	if hashOf(merged) != first {
		t.Error("the hash covers how a flow is made, not what it is")
	}
}

func TestLoadNamed(t *testing.T) {
	flows := fstest.MapFS{"main.yaml": {Data: []byte("flow: main\nversion: 1\nnodes: {a: {op: eval, with: {expr: '1'}, next: end}}\n")}, "main_test.yaml": {}}
	l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{Flows: flows}}
	for name, want := range map[string]string{
		"main": "",
		"mian": "error: there is no flow \"mian\" [unknown-flow]\n  did you mean \"main\"?\n",
		"":     "error: \"\" is no name of a flow [unknown-flow]\n  there is: main\n",
		"a/b":  "error: \"a/b\" is no name of a flow [unknown-flow]\n  there is: main\n",
	} {
		flow, found := l.LoadNamed(name)
		if diff := cmp.Diff(want, found.Text()); diff != "" || (flow == nil) == (want == "") {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
