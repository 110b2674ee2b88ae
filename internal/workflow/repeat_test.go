package workflow

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

func TestRepeat(t *testing.T) {
	saved := map[string]string{
		"greet": `{"ir_version": "0.1.0", "nodes": [{"id": "g", "type": "shout", "params": {"text": "hello ${name}"}}],
			"inputs": {"name": {"type": "string", "required": true}}, "outputs": {"greeting": {"source": "${g.loud}", "type": "string"}}}`}
	cases := []struct {
		name, doc string
		given     map[string]any
		want      string
	}{
		{"the round, and what the one before wrote", `{"ir_version": "0.1.0", "inputs": {"long": {"type": "integer", "default": 4}}, "nodes": [
			{"id": "a", "type": "echo", "params": {"value": "${previous.out}${index}"}, "repeat": {"until": "len(result.text) >= inputs.long", "max": 9}},
			{"id": "b", "type": "echo", "params": {"value": "${a.out}: ${a.results[1].out} ${a.results[3].text}"}}],
			"edges": [{"from": "a", "to": "b"}]}`, nil,
			`done {"out":"0123: 01 0123","text":"0123: 01 0123"}
a#1 again
a#2 again
a#3 again
a#4 default
a default
b default
`},
		{"the first round has nothing before it, however deep", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "echo", "params": {"value": {"whole": "${previous}", "deep": "${previous.out.deep[0].x}", "or": "${previous.out.n ?? 7}"}}, "repeat": {"until": "true", "max": 2}}],
			"outputs": {"v": {"source": "${a.out}", "type": "any"}}}`, nil,
			`done {"v":{"deep":null,"or":7,"whole":null}}
a#1 default
a default
`},
		{"until nothing changes any more", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "echo", "params": {"value": "${previous.out ?? \"x\"}"}, "repeat": {"until": "previous != null and result.text == previous.text", "max": 9}}]}`, nil,
			`done {"out":"x","results":[{"out":"x","text":"x"},{"out":"x","text":"x"}],"text":"x"}
a#1 again
a#2 default
a default
`},
		{"numbers from templates, and an error edge when they are spent", `{"ir_version": "0.1.0", "inputs": {"most": {"type": "integer", "default": 2}, "pause": {"type": "string", "default": "1ms"}}, "nodes": [
			{"id": "a", "type": "echo", "params": {"value": "${index}"}, "repeat": {"until": "index > 5", "max": "${most}", "wait": "${pause}"}},
			{"id": "b", "type": "echo", "params": {"value": "${a.error.kind}: ${a.error.message}"}}],
			"edges": [{"from": "a", "to": "b", "action": "error"}], "outputs": {"why": {"source": "${b.out}", "type": "string"}}}`, nil,
			`done {"why":"exhausted: the condition of until did not hold after 2 rounds; raise max, or lead an edge with the action \"error\" from this node"}
a#1 again
a#2 default
a error
b default
`},
		{"spent without an edge", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "echo", "params": {"value": "${index}"}, "repeat": {"until": "false", "max": 1}}]}`, nil,
			`failed {}
error: exhausted at a (test.json:2:101), 1 attempts: the condition of until did not hold after 1 round; raise max, or lead an edge with the action "error" from this node
a#1 default
a (failed)
`},
		{"a round that fails", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "fail", "retry": {"attempts": 2}, "params": {"kind": "network", "message": "${index}"}, "repeat": {"until": "true", "max": 3}}]}`, nil,
			`failed {}
error: network at a#1 (test.json:2:4), 2 attempts: it failed: 0
a#1 (failed)
a (failed)
`},
		{"a condition that fails says where", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "echo", "params": {"value": {}}, "repeat": {"until": "result.out.done", "max": 3}}]}`, nil,
			`failed {}
error: missing_key at a#1 (test.json:2:77), 1 attempts: there is no member "done"; the object is empty
a#1 (failed)
a (failed)
`},
		{"an action is the last round's", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "choose", "params": {"action": "right"}, "repeat": {"until": "index == 1", "max": 3}},
			{"id": "l", "type": "echo"}, {"id": "r", "type": "echo", "params": {"value": "r"}}],
			"edges": [{"from": "a", "to": "l", "action": "left"}, {"from": "a", "to": "r", "action": "right"}]}`, nil,
			`done {"out":"r","text":"r"}
a#1 again
a#2 right
a right
r default
`},
		{"each item of a batch repeats by itself", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "shout", "params": {"text": "${item}${index}"}, "batch": {"items": ["x", "yyy", null], "on_error": "continue", "concurrency": 2},
				"repeat": {"until": "len(result.loud) + index > 4", "max": 3}}]}`, nil,
			`done {"count":3,"errors":[{"error":{"kind":"exhausted","message":"the condition of until did not hold after 3 rounds; raise max, or lead an edge with the action \"error\" from this node"},"index":2,"item":null}],"results":[{"loud":"X2!","results":[{"loud":"X0!"},{"loud":"X1!"},{"loud":"X2!"}]},{"loud":"YYY0!","results":[{"loud":"YYY0!"}]},null]}
a[0]#1 again
a[0]#2 again
a[0]#3 default
a[1]#1 default
a[2]#1 again
a[2]#2 again
a[2]#3 default
a default
`},
		{"a workflow repeats", `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "greet", "params": {"name": "${previous.greeting ?? \"you\"}"}, "repeat": {"until": "index == 1", "max": 3}}]}`, nil,
			`done {"greeting":"HELLO HELLO YOU!!","results":[{"greeting":"HELLO YOU!"},{"greeting":"HELLO HELLO YOU!!"}]}
a#1/g default
a#1 again
a#2/g default
a#2 default
a default
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := world{saved: saved}.compile(t, c.doc)
			if diff := cmp.Diff(c.want, show(run(t, p, c.given, Options{}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRepeatApproval approves a node once, whatever its rounds.
func TestRepeatApproval(t *testing.T) {
	p := world{}.compile(t, `{"ir_version": "0.1.0", "nodes": [
		{"id": "a", "type": "echo", "approval": "required", "params": {"value": "${index}"}, "repeat": {"until": "index == 2", "max": 3}}]}`)
	want := "waiting {}\nwaits: a\n"
	if got := show(run(t, p, nil, Options{})); got != want {
		t.Errorf("unapproved: %s, want %s", got, want)
	}
	want = `done {"out":2,"results":[{"out":0,"text":"0"},{"out":1,"text":"1"},{"out":2,"text":"2"}],"text":"2"}
a:approval default
a#1 again
a#2 again
a#3 default
a default
`
	if diff := cmp.Diff(want, show(run(t, p, nil, Options{Approve: yes}))); diff != "" {
		t.Error(diff)
	}
}

// TestRepeatForeseen looks at what each round would destroy: of the first that nothing was before it, of the others their
// number, and of all where either is not known.
func TestRepeatForeseen(t *testing.T) {
	types := testTypes()
	types["put"] = nodetype.Type{
		Interface: &ir.Interface{Name: "put", Inputs: []ir.Port{{Key: "path", Type: value.String, Required: true}}, Outputs: []ir.Port{{Key: "path", Type: value.String}}},
		Foresee: func(c nodetype.Call, pending []string) nodetype.Foreseen {
			if len(pending) > 0 {
				return nodetype.Foreseen{Destroys: "it may replace anything"}
			}
			path, _ := c.Params["path"].(string)
			return nodetype.Foreseen{Destroys: "it replaces " + path, Replaces: []string{path}, Needs: []string{path}}
		},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			return nodetype.Outcome{Outputs: map[string]any{"path": c.Params["path"]}}, nil
		},
	}
	cases := []struct{ name, node, replaces, reasons string }{
		{"the rounds have a number", `"params": {"path": "f${index}"}, "repeat": {"until": "false", "max": "${most}"}`, `f0 f1 f2`, `it replaces f0; it replaces f1; it replaces f2`},
		{"rounds are alike", `"params": {"path": "f"}, "repeat": {"until": "false", "max": 3}`, `f`, `it replaces f`},
		{"only the first is known", `"params": {"path": "f${previous.path}"}, "repeat": {"until": "false", "max": 3}`, `f`, `it replaces f; it may replace anything`},
		{"there is only the first", `"params": {"path": "f${previous.path}"}, "repeat": {"until": "false", "max": 1}`, `f`, `it replaces f`},
		{"each item has its rounds", `"params": {"path": "${item}${index}"}, "batch": {"items": ["x", "y"]}, "repeat": {"until": "false", "max": 2}`,
			`x0 x1 y0 y1`, `it replaces x0; it replaces x1; it replaces y0; it replaces y1`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := world{types: types}.compile(t, `{"ir_version": "0.1.0", "inputs": {"most": {"type": "integer", "default": 3}}, "nodes": [
				{"id": "a", "type": "put", `+c.node+`}, {"id": "b", "type": "echo", "params": {"value": "$most"}}], "edges": [{"from": "a", "to": "b"}]}`)
			step := p.DryRun(bind(t, p, nil)).Steps[0]
			if got := strings.Join(step.Replaces, " "); got != c.replaces {
				t.Errorf("replaces %s, want %s", got, c.replaces)
			}
			if got := strings.Join(slices.Compact(slices.Clone(step.reasons)), "; "); got != c.reasons {
				t.Errorf("reasons %s, want %s", got, c.reasons)
			}
		})
	}
}

// TestRepeatGranted runs what was allowed before the run in each of its rounds, and refuses it where it was not.
func TestRepeatGranted(t *testing.T) {
	types := testTypes()
	types["drop"] = nodetype.Type{
		Interface: &ir.Interface{Name: "drop", Params: []ir.Port{{Key: "n", Type: value.Integer}}, Outputs: []ir.Port{{Key: "n", Type: value.Integer}}},
		Foresee: func(c nodetype.Call, _ []string) nodetype.Foreseen {
			return nodetype.Foreseen{Destroys: "it drops " + ir.Text(c.Params["n"])}
		},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			return nodetype.Outcome{Outputs: map[string]any{"n": c.Params["n"]}}, nil
		},
	}
	for granted, want := range map[bool]string{
		true:  "done {\"n\":1,\"results\":[{\"n\":0},{\"n\":1}]}\na#1 again\na#2 default\na default\n",
		false: "failed {}\nerror: refused at a#1 ",
	} {
		p := world{types: types}.compile(t, `{"ir_version": "0.1.0", "nodes": [
			{"id": "a", "type": "drop", "params": {"n": "${index}"}, "repeat": {"until": "index == 1", "max": 2}}]}`)
		store := bind(t, p, nil)
		if granted {
			p.Grant(p.DryRun(store), false)
		}
		if got := show(run(t, p, nil, Options{})); !strings.HasPrefix(got, want) {
			t.Errorf("granted %v: %s, want %s", granted, got, want)
		}
	}
}

// TestRepeatDryRun shows all that repeat says.
func TestRepeatDryRun(t *testing.T) {
	p := world{}.compile(t, `{"ir_version": "0.1.0", "inputs": {"most": {"type": "integer", "default": 3}}, "nodes": [
		{"id": "a", "type": "echo", "params": {"value": "${previous.out} ${index}"}, "repeat": {"until": "result.out != \"$x\"", "max": "${most}", "wait": "1m"}}]}`)
	want := `a: echo --value='${previous.out} ${index}'
    runs with: repeat.max=3, repeat.until='result.out != "$x"', repeat.wait=1m
    not known before earlier steps ran: value
nothing was run
`
	if diff := cmp.Diff(want, p.DryRun(bind(t, p, nil)).Text()); diff != "" {
		t.Error(diff)
	}
}
