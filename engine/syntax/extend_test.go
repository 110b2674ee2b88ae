package syntax

import (
	"strings"
	"testing"

	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// show writes a tree on one line, keys in order; what comes from the file `c` is marked with '.
func show(v *yamltree.Value) string {
	mark := ""
	if v.Place.File == "c" {
		mark = "'"
	}
	switch v.Kind {
	case yamltree.Map:
		var parts []string
		for _, e := range v.Entries {
			k := e.Key
			if e.KeyPlace.File == "c" {
				k += "'"
			}
			parts = append(parts, k+": "+show(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yamltree.Seq:
		var parts []string
		for _, item := range v.Items {
			parts = append(parts, show(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yamltree.String:
		return v.Text + mark
	}
	return value.JSON(v.Scalar) + mark
}

func parse(t *testing.T, file, text string) *yamltree.Value {
	t.Helper()
	v, found := Parse(file, []byte(text))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	return v
}

func TestExtend(t *testing.T) {
	for _, c := range []struct{ name, base, child, want string }{
		{"new keys come after", "{a: 1, b: 2}", "{c: 3, a: 4}", "{a': 4', b: 2, c': 3'}"},
		{"maps merge", "{params: {a: 1, b: 2}}", "{params: {b: 3}}", "{params: {a: 1, b': 3'}}"},
		{"lists replace", "{a: [1, 2], b: [1]}", "{a: [3, null]}", "{a': [3', null'], b: [1]}"},
		{"a map replaces a scalar", "{a: 1}", "{a: {b: 2}}", "{a': {b': 2'}}"},
		{"a scalar replaces a map", "{a: {b: 2}}", "{a: 1}", "{a': 1'}"},
		{"null removes", "{a: 1, b: {c: 1, d: 2}, e: 3}", "{a: null, b: {c: ~}, e: 4}", "{b: {d: 2}, e': 4'}"},
		{"the last key removed", "{a: {b: 1}}", "{a: {b: null}}", "{a: {}}"},
		{"removed and not there", "{a: 1}", "{b: null}", `c:1:2: error: null removes a key, but the extended flow has no "b" here [bad-extends]`},
		{"removed in what is new", "{a: 1}", "{b: {c: null}}", `c:1:6: error: null removes a key, but the extended flow has no "c" here; quote 'null' if it is an expression [bad-extends]`},
		{"null under default is a value", "{state: {x: {type: string}}}", "{state: {x: {default: null}}}", "{state: {x: {type: string, default': null'}}}"},
		{"and below it", "{state: {x: {type: any, default: {a: 1}}}}", "{state: {x: {default: {a: null}}}}", "{state: {x: {type: any, default: {a': null'}}}}"},
		{"a state key named default", "{state: {default: {type: any}}}", "{state: {default: null}}", "{state: {}}"},
		{"a node with an op of its own", "{nodes: {n: {op: a, prep: {x: y}, next: end}}}", "{nodes: {n: {op: b}}}", "{nodes: {n': {op': b'}}}"},
		{"a node without one", "{nodes: {n: {op: a, prep: {x: y}, next: end}}}", "{nodes: {n: {prep: {z: w}}}}", "{nodes: {n: {op: a, prep: {x: y, z': w'}, next: end}}}"},
		{"a node named default", "{nodes: {default: {op: a}}}", "{nodes: {default: null}}", "{nodes: {}}"},
		{"an option named default", "{nodes: {a: {with: {x: 1}}}}", "{nodes: {a: {with: {default: null, x: null}}}}", "{nodes: {a: {with: {default': null'}}}}"},
		{"next: X is {default: X}", "{nodes: {a: {next: b}}}", "{nodes: {a: {next: {other: c}}}}", "{nodes: {a: {next: {default: b, other': c'}}}}"},
		{"in the child, too", "{nodes: {a: {next: {other: b, default: c}}}}", "{nodes: {a: {next: d}}}", "{nodes: {a: {next: {other: b, default': d'}}}}"},
		{"in both", "{nodes: {a: {next: b}}}", "{nodes: {a: {next: d}}}", "{nodes: {a: {next: {default': d'}}}}"},
		{"default of next is removed", "{nodes: {a: {next: b}}}", "{nodes: {a: {next: {default: null, x: c}}}}", "{nodes: {a: {next: {x': c'}}}}"},
		{"a range is replaced as a whole", "{search: {a: {from: 1, to: 2}, b: [1]}}", "{search: {a: {from: 0}, b: null}}", "{search: {a': {from': 0'}}}"},
		{"next elsewhere is a key like others", "{params: {next: b}}", "{params: {next: {x: c}}}", "{params: {next': {x': c'}}}"},
		{"start is the base's", "{start: b, nodes: {a: {}, b: {}}}", "{nodes: {c: {}}}", "{start: b, nodes: {a: {}, b: {}, c': {}}}"},
		{"a list of names is a mapping", "{nodes: {a: {prep: [x, {y: store.z}], post: [p]}}}", "{nodes: {a: {prep: {x: null, w: 1}, post: [q]}}}", "{nodes: {a: {prep: {y: store.z, w': 1'}, post: {p: result.p, q': result.q'}}}}"},
		{"in the child, too, and in units", "{nodes: {a: {with: {prep: {x: 1}, branches: {b: {prep: [item, index, n]}}}}}}", "{nodes: {a: {with: {prep: [item], branches: {b: {prep: [x, {n: null}]}}}}}}",
			"{nodes: {a: {with: {prep: {x: 1, item': item'}, branches: {b: {prep: {item: item, index: index, x': store.x'}}}}}}}"},
		{"records merge", "{nodes: {a: {post: {x: {a: 1, b: [1, 2]}}}}}", "{nodes: {a: {post: {x: {b: [3], c: {d: 4}}}}}}", "{nodes: {a: {post: {x: {a: 1, b': [3'], c': {d': 4'}}}}}}"},
		{"null removes from records", "{nodes: {a: {post: {x: {a: 1, b: 2}}}}}", "{nodes: {a: {post: {x: {a: null}}}}}", "{nodes: {a: {post: {x: {b: 2}}}}}"},
		{"functions merge by name", "{functions: {f: {args: [a], expr: a}, g: {args: [], expr: 1}}}", "{functions: {g: null, f: {expr: a + 1}, h: {args: [], cel: 2}}}", "{functions: {f: {args: [a], expr': a + 1'}, h': {args': [], cel': 2'}}}"},
		{"the base is no mapping", "[1]", "{a: 1}", "[1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, child := parse(t, "b", c.base), parse(t, "c", c.child)
			before := show(base) + show(child)
			got, found := Extend(base, child)
			text := show(got)
			if len(found) > 0 {
				text, _, _ = strings.Cut(found.Text(), "\n")
			}
			if text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
			if after := show(base) + show(child); after != before {
				t.Errorf("what was merged has changed: %s, was %s", after, before)
			}
		})
	}
}

// A chain merges from its end; each value points at the file that it came from.
func TestExtendChain(t *testing.T) {
	base := parse(t, "base.yaml", "flow: a\nversion: 1\nnodes:\n  a:\n    op: log\n    timeout: 5\n    next: b\n")
	middle := parse(t, "middle.yaml", "extends: a\nnodes:\n  a:\n    max_visits: 0\n")
	child := parse(t, "child.yaml", "extends: middle\nflow: c\nnodes:\n  a:\n    retry: {wait: x}\n")
	tree, found := Extend(base, middle)
	tree, more := Extend(tree, child)
	if len(found)+len(more) > 0 {
		t.Fatal(found.Text(), more.Text())
	}
	flow, found := Decode(tree)
	want := `base.yaml:6:14: error: the duration 5 has no unit; write 5s, or use ms, m or h [wrong-kind]
      timeout: 5
               ^
child.yaml:5:19: error: "x" is no duration; write one like 250ms, 30s, 5m or 1h30m [bad-retry]
      retry: {wait: x}
                    ^
middle.yaml:4:17: error: 0 is out of range; write an integer of at least 1 [wrong-kind]
      max_visits: 0
                  ^
`
	if got := found.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if flow.Extends.Text != "middle" || flow.Name.Text != "c" || flow.Nodes[0].Op.V.Place.File != "base.yaml" {
		t.Errorf("merged flow: %+v", flow)
	}
}

func TestSet(t *testing.T) {
	const flow = "{params: {a: 1}, state: {x: {type: any}}, nodes: {gen: {op: llm, next: b, actions: [{action: x, expr: e}, {action: y}], with: {a.b: 1}}}}"
	for _, c := range []struct{ name, path, value, want string }{
		{"a scalar", "params.a", "2", "params.a=2"},
		{"a new key", "state.x.description", "text", "state.x={type: any, description: text}"},
		{"text that is quoted", "params.a", "'2'", `params.a=2`},
		{"nothing is the empty text", "params.a", "", "params.a="},
		{"a mapping replaces", "nodes.gen", "{op: log}", "nodes.gen={op: log}"},
		{"mappings are made", "nodes.gen.retry.attempts", "5", "nodes.gen.retry={attempts: 5}"},
		{"sections are made", "limits.steps", "5", "limits={steps: 5}"},
		{"an index", "nodes.gen.actions[0].expr", "'a == b'", "nodes.gen.actions=[{action: x, expr: a == b}, {action: y}]"},
		{"an index with a dot", "nodes.gen.actions.1.action", "z", "nodes.gen.actions=[{action: x, expr: e}, {action: z}]"},
		{"a key with a dot", `nodes.gen.with."a.b"`, "2", "nodes.gen.with={a.b: 2}"},
		{"a key in brackets", `nodes.gen.with['a.b']`, "2", "nodes.gen.with={a.b: 2}"},
		{"an action of next", "nodes.gen.next.other", "end", "nodes.gen.next={default: b, other: end}"},
		{"null removes", "params.a", "null", "params={}"},
		{"null under default is a value", "state.x.default", "null", "state.x={type: any, default: null}"},
		{"a new node", "nodes.new", "{op: log}", "nodes.new={op: log}"},
		{"removes what is not there", "params.b", "null", `--set params.b: error: null removes a key, but there is no "b" [bad-extends]`},
		{"an unknown param", "params.aa", "2", `--set params.aa: error: the flow has no param "aa" [unknown-key]`},
		{"an unknown node", "nodes.gne.timeout", "5s", `--set nodes.gne.timeout: error: the flow has no node "gne" [unknown-key]`},
		{"below a scalar", "params.a.b", "1", `--set params.a.b: error: params.a is an integer and has no key "b" [wrong-kind]`},
		{"an index outside", "nodes.gen.actions[2].expr", "e", `--set nodes.gen.actions[2].expr: error: nodes.gen.actions is a list of 2; "2" is none of its indices [unknown-key]`},
		{"no path", "", "1", "--set : error: the path is empty; write one like params.max_attempts [unknown-key]"},
		{"an empty key", "params..a", "1", `--set params..a: error: the path "params..a" has an empty key [unknown-key]`},
		{"a dot at the end", "params.", "1", `--set params.: error: the path "params." has an empty key [unknown-key]`},
		{"no index", "params[", "1", `--set params[: error: the path "params[" has a [ without an index [unknown-key]`},
		{"no dot", "params[a]b", "1", `--set params[a]b: error: the path "params[a]b" needs a dot before "b" [unknown-key]`},
		{"an open quote", "params.'a", "1", `--set params.'a: error: the path "params.'a" has a quote that does not end [unknown-key]`},
		{"bad YAML", "params.a", "{b", "--set params.a:1:2: error: a comma or the } of a mapping is missing here or before [bad-yaml]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := parse(t, "f", flow)
			before := show(tree)
			got, found := Set(tree, c.path, c.value)
			if show(tree) != before {
				t.Errorf("the tree was changed")
			}
			var text string
			if len(found) > 0 {
				text, _, _ = strings.Cut(found.Text(), "\n")
				if show(got) != before {
					t.Errorf("changed beside a finding: %s", show(got))
				}
			} else {
				path, _, _ := strings.Cut(c.want, "=")
				v := got
				for _, key := range strings.Split(path, ".") {
					v = v.Get(key)
				}
				if v == nil {
					t.Fatalf("nothing at %s in %s", path, show(got))
				}
				text = path + "=" + show(v)
			}
			if text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

// What --set puts into a flow is checked like the rest, and placed in the option.
func TestSetChecked(t *testing.T) {
	tree := parse(t, "f", "{flow: a, version: 1, nodes: {a: {op: log, next: end}}}")
	tree, found := Set(tree, "nodes.a.retry.wiat", "1s")
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	tree, _ = Set(tree, "nodes.a.timeout", "{s: soon}")
	_, found = Decode(tree)
	want := `--set nodes.a.retry.wiat:1:1: error: retry has no key "wiat" [unknown-key]
  1s
  ^
  did you mean "wait"?
--set nodes.a.timeout:1:1: error: "timeout" must be a duration such as 250ms, 30s or 1h30m, but is a mapping [wrong-kind]
  {s: soon}
  ^
`
	if got := found.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
