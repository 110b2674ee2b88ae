package workflow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	saved := map[string]string{
		"greet": `{"ir_version": "0.1.0", "nodes": [{"id": "g", "type": "shout", "params": {"text": "hello ${name}"}}],
			"inputs": {"name": {"type": "string", "required": true}, "unused": {"type": "integer", "default": 3}}, "outputs": {"greeting": {"source": "${g.loud}", "type": "string"}}}`,
		"down": `{"ir_version": "0.1.0", "inputs": {"n": {"type": "integer", "required": true}}, "nodes": [
			{"id": "again", "type": "workflow", "params": {"workflow": "down", "inputs": {"n": "${n}"}}}]}`,
	}
	declared := `[
		{"name": "say", "description": "Say it", "inputs": [{"key": "text", "type": "string", "required": true}, {"key": "loud", "type": "boolean"}],
			"outputs": [{"key": "a", "type": "integer"}, {"key": "said", "type": "string"}], "run": {"shell": "say $text"}},
		{"name": "say-all", "inputs": [{"key": "text", "type": "string", "required": true}], "outputs": [{"key": "answer", "type": "object"}, {"key": "exit_code", "type": "integer"}], "run": {"shell": {"command": "x", "stdin": "in: $text"}}},
		{"name": "plan-only"}]`
	cases := []struct {
		name, doc string
		given     map[string]any
		want      string
	}{
		{"types are kept, text is text", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "echo", "params": {"value": {"list": [1, 2.5, "x"], "none": null}}},
			{"id": "b", "type": "echo", "params": {"value": "${a.out.list} and ${a.out.list[1]} and ${a.out.none}; $$5"}},
			{"id": "c", "type": "echo", "params": {"value": {"whole": "${a.out.list}"}}}],
			"edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
			"outputs": {"text": {"source": "${b.out}", "type": "string"}, "whole": {"source": "${c.out.whole}", "type": "array"}}}`, nil,
			`done {"text":"[1,2.5,\"x\"] and 2.5 and ; $5","whole":[1,2.5,"x"]}
a default
b default
c default
`},
		{"data that looks like a template stays data", `{"ir_version": "0.1.0", "inputs": {"evil": {"type": "string", "required": true}}, "nodes": [
			{"id": "a", "type": "echo", "params": {"value": "<$evil>"}}, {"id": "b", "type": "echo", "params": {"value": "${a.out}"}}],
			"edges": [{"from": "a", "to": "b"}]}`, map[string]any{"evil": "${a.out} $evil $$"},
			`done {"out":"<${a.out} $evil $$>","text":"<${a.out} $evil $$>"}
a default
b default
`},
		{"a required input is bound to the earlier flat key of its name", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "echo", "params": {"value": "hi"}}, {"id": "b", "type": "shout"}], "edges": [{"from": "a", "to": "b"}]}`, nil,
			`done {"loud":"HI!"}
a default
b default
`},
		{"and to the workflow's input before it", `{"ir_version": "0.1.0", "inputs": {"text": {"type": "string", "default": "mine"}}, "nodes": [
			{"id": "b", "type": "shout", "params": {"mark": "?"}}]}`, nil, "done {\"loud\":\"MINE?\"}\nb default\n"},
		{"inputs that templates imply", `{"ir_version": "0.1.0", "nodes": [{"id": "b", "type": "shout", "params": {"text": "$who"}}]}`, map[string]any{"who": "you"},
			"done {\"loud\":\"YOU!\"}\nb default\n"},
		{"a failure whose edge was taken is done, and an output of it null", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "fail", "params": {"message": "no"}}, {"id": "fix", "type": "echo", "params": {"value": "${a.error.kind}: ${a.error.message}"}},
			{"id": "never", "type": "echo", "params": {"value": 1}}],
			"edges": [{"from": "a", "to": "fix", "action": "error"}, {"from": "a", "to": "never"}],
			"outputs": {"why": {"source": "${fix.out}", "type": "string"}, "a": {"source": "${a.never}", "type": "string"}, "n": {"source": "${never.out}", "type": "integer"},
				"d": {"source": "${never.out ?? 7}", "type": "integer"}}}`, nil,
			`done {"a":null,"d":7,"n":null,"why":"not_found: it failed: no"}
a error
fix default
warning: the output a is null: the node a failed: it failed: no
warning: the output n is null: the node never did not run
`},
		{"a failure", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "fail", "retry": {"attempts": 2}, "params": {"kind": "network"}}]}`, nil,
			"failed {}\nerror: network at a (test.json:1:35), 2 attempts: it failed: <nil>\na (failed)\n"},
		{"actions", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "choose", "params": {"action": "right"}}, {"id": "l", "type": "echo"}, {"id": "r", "type": "echo", "params": {"value": "r"}},
			{"id": "j", "type": "echo", "params": {"value": "${l.out ?? r.out}"}}],
			"edges": [{"from": "a", "to": "l", "action": "left"}, {"from": "a", "to": "r", "action": "right"}, {"from": "l", "to": "j"}, {"from": "r", "to": "j"}]}`, nil,
			"done {\"out\":\"r\",\"text\":\"r\"}\na right\nr default\nj default\n"},
		{"several nodes begin", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "echo", "params": {"value": "a"}}, {"id": "b", "type": "fail"}, {"id": "c", "type": "echo", "params": {"value": "c"}},
			{"id": "d", "type": "echo", "params": {"value": "${a.out} ${b.error.kind ?? \"-\"}"}}],
			"edges": [{"from": "a", "to": "d"}, {"from": "b", "to": "d", "action": "error"}], "start_node": ["c", "b", "a"]}`, nil,
			"done {\"out\":\"a not_found\",\"text\":\"a not_found\"}\na default\nb error\nc default\nd default\n"},
		{"a batch goes on after a failed item", `{"ir_version": "0.1.0", "inputs": {"list": {"type": "array", "required": true}}, "nodes": [
			{"id": "b", "type": "shout", "batch": {"items": "${list}", "as": "it", "on_error": "continue", "concurrency": 2}, "params": {"text": "$it"}}]}`,
			map[string]any{"list": []any{"a", nil, "c"}},
			`done {"count":3,"errors":[{"error":{"kind":"invalid_request","message":"text: it is required and is null"},"index":1,"item":null}],"results":[{"loud":"A!"},null,{"loud":"C!"}]}
b default
`},
		{"a batch of workflows goes on after a failed item", `{"ir_version": "0.1.0", "nodes": [
			{"id": "b", "type": "greet", "batch": {"items": [null, "y"], "on_error": "continue"}, "params": {"name": "$item"}},
			{"id": "c", "type": "echo", "params": {"value": "${b.results[0].greeting ?? \"nobody\"} ${b.results[1].greeting}"}}], "edges": [{"from": "b", "to": "c"}],
			"outputs": {"said": {"source": "${c.out}", "type": "string"}, "all": {"source": "${b.results}", "type": "array"}, "errors": {"source": "${b.errors}", "type": "array"}}}`, nil,
			`done {"all":[null,{"greeting":"HELLO Y!"}],"errors":[{"error":{"kind":"invalid_request","message":"the inputs: the workflow greet needs the input \"name\""},"index":0,"item":null}],"said":"nobody HELLO Y!"}
b[1]/g default
b default
c default
`},
		{"every item of a batch fails", `{"ir_version": "0.1.0", "nodes": [
			{"id": "b", "type": "fail", "batch": {"items": [1, 2], "on_error": "continue"}, "params": {"message": "$item"}}]}`, nil,
			`done {"count":2,"errors":[{"error":{"kind":"not_found","message":"it failed: 1"},"index":0,"item":1},{"error":{"kind":"not_found","message":"it failed: 2"},"index":1,"item":2}],"results":[null,null]}
b default
`},
		{"no items", `{"ir_version": "0.1.0", "nodes": [{"id": "b", "type": "shout", "batch": {"items": []}, "params": {"text": "$item"}}]}`, nil,
			"done {\"count\":0,\"errors\":[],\"results\":[]}\nb default\n"},
		{"a batch of workflows", `{"ir_version": "0.1.0", "nodes": [
			{"id": "b", "type": "greet", "batch": {"items": ["x", "y"]}, "params": {"name": "$item"}}]}`, nil,
			`done {"count":2,"errors":[],"results":[{"greeting":"HELLO X!"},{"greeting":"HELLO Y!"}]}
b[0]/g default
b[1]/g default
b default
`},
		{"a saved workflow as a node", `{"ir_version": "0.1.0", "nodes": [{"id": "b", "type": "greet", "params": {"name": "you"}}, {"id": "c", "type": "echo", "params": {"value": "$greeting"}}],
			"edges": [{"from": "b", "to": "c"}]}`, nil,
			"done {\"out\":\"HELLO YOU!\",\"text\":\"HELLO YOU!\"}\nb/g default\nb default\nc default\n"},
		{"a workflow called by name", `{"ir_version": "0.1.0", "nodes": [{"id": "b", "type": "workflow", "params": {"workflow": "greet", "inputs": {"name": "you"}}}]}`, nil,
			"done {\"greeting\":\"HELLO YOU!\"}\nb/g default\nb default\n"},
		{"a workflow called by a computed name", `{"ir_version": "0.1.0", "inputs": {"w": {"type": "string"}}, "nodes": [{"id": "b", "type": "workflow", "params": {"workflow": "${w}", "inputs": {"name": "you"}}}]}`, map[string]any{"w": "greet"},
			"done {\"greeting\":\"HELLO YOU!\"}\nb default\n"},
		{"recursion is bounded", `{"ir_version": "0.1.0", "nodes": [{"id": "b", "type": "down", "params": {"n": 3}}]}`, nil,
			"failed {}\nerror: invalid_request at b/again (test.json:1:35), 1 attempts: again: workflows call each other more than 20 deep: down calls down\nb/again (failed)\nb (failed)\n"},
		{"late and raw params", `{"ir_version": "0.1.0", "inputs": {"x": {"type": "string", "default": "'; rm -rf /"}}, "nodes": [
			{"id": "a", "type": "late", "params": {"command": "run $x ${x}"}}, {"id": "b", "type": "raw", "params": {"expression": "$x + 1"}}],
			"edges": [{"from": "a", "to": "b"}], "outputs": {"a": {"source": "${a.stdout}", "type": "string"}, "b": {"source": "${b.result}", "type": "string"}}}`, nil,
			"done {\"a\":\"run $x ${x} = \\\"'; rm -rf /\\\" \\\"'; rm -rf /\\\"\",\"b\":\"$x + 1\"}\na default\nb default\n"},
		{"declared nodes", `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "say", "params": {"text": "hi"}}, {"id": "b", "type": "say-all", "params": {"text": "ho"}}],
			"edges": [{"from": "a", "to": "b"}], "outputs": {"said": {"source": "${said}", "type": "string"}, "all": {"source": "${b}", "type": "object"}}}`, nil,
			`done {"all":{"answer":{"a":1,"said":"ho"},"exit_code":0},"said":"hi"}
a default
b default
`},
		{"a param of the wrong type", `{"ir_version": "0.1.0", "inputs": {"x": {"type": "any"}}, "nodes": [{"id": "a", "type": "workflow", "params": {"workflow": "greet", "inputs": {"name": "x", "unused": "${x}"}}}]}`, map[string]any{"x": "many"},
			"failed {}\nerror: type at a (test.json:1:69), 0 attempts: the inputs: unused: want integer, got string \"many\"\na (failed)\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := world{saved: saved, declared: declared}.compile(t, c.doc)
			if diff := cmp.Diff(c.want, show(run(t, p, c.given, Options{}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
