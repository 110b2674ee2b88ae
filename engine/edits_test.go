package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/value"
)

// nested is a flow that runs count itself, for items, in a branch, and once more below another flow.
var nested = fstest.MapFS{
	"outer.yaml": {Data: []byte(`flow: outer
version: 1
state: {a: {type: any, default: null}, b: {type: any, default: null}, c: {type: any, default: null}, d: {type: any, default: null}}
params: {most: 1}
nodes:
  one: {op: flow, with: {flow: count}, post: {a: result.n}, next: {done: each}}
  each: {op: map, prep: {items: '[1]'}, with: {flow: count}, post: {b: 'result[0].n'}, next: side}
  side: {op: parallel, with: {branches: {left: {flow: count}}}, post: {c: result.left.n}, next: deep}
  deep: {op: flow, with: {flow: below}, post: {d: result.n}, next: {done: end}}
`)},
	"below.yaml": {Data: []byte(`flow: below
version: 1
state: {n: {type: any, default: null}}
nodes:
  more: {op: flow, with: {flow: count}, post: {n: result.n}, next: {done: end}, actions: [{action: done}]}
`)},
	"count.yaml": {Data: []byte(counted)},
}

func nestedFlow(res engine.Resources, set ...engine.Setting) (*engine.Flow, string) {
	l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: res, Set: set}
	flow, found := l.LoadNamed("outer")
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s: %s [%s]\n", f.Place, f.Message, f.Kind)
	}
	return flow, b.String()
}

// TestSetInner: INNER:PATH edits every use of the flow that an option names so, *:PATH every flow that has PATH; an edit
// that finds nothing is a finding, at the argument.
func TestSetInner(t *testing.T) {
	for _, c := range []struct {
		path, value string
		want        string // a, b, c and d, or findings
	}{
		{"params.most", "2", "[3,3,3,3]"},
		{"count:params.most", "2", "[2,2,2,2]"},
		{"*:params.most", "2", "[2,2,2,2]"},
		{"*:nodes.count.next.done", "end", "[3,3,3,3]"},
		{"below:nodes.more.post.n", "result.n + 1", "[3,3,3,4]"},
		{"count:state.n.default", "2", "[3,3,3,3]"},
		{"counted:params.most", "2", `--set counted:params.most: no flow: option names "counted", in this flow or in one that it runs [unknown-flow]` + "\n"},
		{"*:params.mots", "2", `--set *:params.mots: no flow here has "params.mots"; write the path of something that is there [unknown-key]` + "\n"},
		{"count:nodes.count.op", "evla", `--set count:nodes.count.op:1:1: there is no op "evla" [unknown-op]` + "\n"},
		{"count:nodes.cuont.op", "eval", `--set count:nodes.cuont.op: the flow has no node "cuont" [unknown-key]` + "\n"},
		{"count:", "eval", "--set count:: the path is empty; write one like params.max_attempts [unknown-key]\n"},
	} {
		flow, got := nestedFlow(engine.Folders{Flows: nested}, engine.Setting{Path: c.path, Value: c.value})
		if flow != nil {
			res, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got = value.JSON([]any{res.Store["a"], res.Store["b"], res.Store["c"], res.Store["d"]})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("--set %s=%s (-want +got):\n%s", c.path, c.value, diff)
		}
	}
}

// TestShipped: shipped:NAME is the embedded flow, and all that it names is embedded, too, whatever lies in the home and
// beside the flow that asks.
func TestShipped(t *testing.T) {
	home := t.TempDir()
	write(t, home, map[string]string{
		"flows/count.yaml": strings.Replace(counted, "most: 3", "most: 1", 1),
		"flows/outer.yaml": "flow: outer\nversion: 1\nextends: shipped:outer\nparams: {own: 1}\n",
		"flows/names.yaml": strings.Replace(string(nested["below.yaml"].Data), "flow: count}", "flow: shipped:count}", 1),
	})
	res := engine.Folders{Home: home, Flows: nested}
	for _, c := range []struct{ name, key, want string }{
		{"outer", "a", "1"}, // its own folder comes first
		{"shipped:outer", "a", "3"},
		{"count", "n", "1"},
		{"shipped:count", "n", "3"},
		{"names", "n", "3"},
		{"shipped:names", "", `unknown-flow there is no flow "shipped:names"`},
		{"shipped:", "", `unknown-flow "shipped:" is no name of a flow`},
		{"shipped:conut", "", `unknown-flow there is no flow "shipped:conut"; did you mean "shipped:count"?`},
	} {
		l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: res}
		flow, found := l.LoadNamed(c.name)
		got := ""
		for _, f := range found {
			got += f.Kind + " " + f.Message
			if f.Suggestion != "" {
				got += fmt.Sprintf("; did you mean %q?", f.Suggestion)
			}
		}
		if flow != nil {
			r, err := engine.Execute(context.Background(), flow, nil, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got = value.JSON(r.Store[c.key])
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
