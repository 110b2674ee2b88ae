// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/diag"
)

// TestHostileDocuments: each document gives findings of a kind, or loads, in bounded time and memory.
func TestHostileDocuments(t *testing.T) {
	good := "{op: eval, with: {expr: '1'}, next: end}"
	for _, c := range []struct{ name, text, want string }{
		{"alias bomb", "a: &a [x,x,x,x,x,x,x,x,x]\n" + many(12, "b%[1]d: &b%[1]d [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n") + bomb(), "bad-yaml"},
		{"alias bomb in params", oneNode(good) + "params:\n  b0: &b0 [1,1,1,1,1,1,1,1,1,1]\n" + bomb(), "bad-yaml"},
		{"100 MB", strings.Repeat("# x\n", 25<<20), "bad-yaml"},
		{"100,000 params", oneNode(good) + "params:\n" + many(100_000, "  k%d: 1\n"), ""},
		{"60,000 state keys", oneNode(good) + "state:\n" + many(60_000, "  k%d: {type: any}\n"), ""},
		{"100,000 unknown keys", oneNode(good) + many(100_000, "k%d: 1\n"), "unknown-key"},
		{"100,000 options", oneNode("{op: eval, next: end, with: {expr: '1'" + many(100_000, ", k%d: 1") + "}}"), "unknown-param"},
		{"40,000 names of prep", oneNode("{op: log, next: end, prep: {message: '1'" + many(40_000, ", k%d: 1") + "}}"), "unknown-param"},
		{"10,000 nodes in a row", "flow: f\nversion: 1\nnodes:\n" + chain(10_000, "end"), ""},
		{"10,000 nodes in a circle", "flow: f\nversion: 1\nnodes:\n" + chain(10_000, "n0"), "no-path-to-end"},
		{"10,000 nodes that none reaches", "flow: f\nversion: 1\nnodes:\n  a: " + good + "\n" + chain(10_000, "end"), "unreachable-node"},
		{"10,000 unknown ops", "flow: f\nversion: 1\nnodes:\n" + many(10_000, "  n%d: {op: evla, next: end}\n"), "unknown-op"},
		{"10,000 unknown nodes", "flow: f\nversion: 1\nnodes:\n" + many(10_000, "  n%d: {op: eval, with: {expr: '1'}, next: nn}\n"), "unknown-node"},
		{"unwritten keys", unwritten(8000, ""), "read-before-write"},
		{"unwritten keys and as many environments", unwritten(8000, "prep: {p%[1]d: '1'}, "), "bad-yaml"},
		{"unknown state keys", "flow: f\nversion: 1\nstate:\n" + many(20_000, "  k%d: {type: any}\n") + "nodes:\n  a: {op: eval, next: end, with: {expr: '1'}, prep: {" + many(10_000, "p%[1]d: store.x%[1]d, ") + "}}", "unknown-state-key"},
		{"10,000 actions", oneNode("{op: eval, with: {expr: '1'}, next: end, actions: [" + many(10_000, "{action: a%[1]d, expr: result == %[1]d}, ") + "{action: b}]}"), "impossible-action"},
		{"10,000 branches", oneNode("{op: parallel, next: end, with: {branches: {" + many(10_000, "b%d: {op: eval, with: {expr: '1'}}, ") + "}}}"), ""},
		{"10,000 meters", oneNode(good) + "limits: {" + many(10_000, "m%d: 1, ") + "}", "unknown-meter"},
		{"deep lists", oneNode(good) + "params: {x: " + strings.Repeat("[", 100_000) + "}", "bad-yaml"},
		{"deep mappings", oneNode(good) + "params: {x: " + strings.Repeat("{a: ", 100_000) + "}", "bad-yaml"},
		{"deep indentation", oneNode(good) + "params:\n" + deep(1500), "bad-yaml"},
		{"deep with", oneNode("{op: probe, next: {default: end, left: end, right: end}, with: {result: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "}}"), ""},
		{"10,000 functions", oneNode(good) + "functions:\n" + many(10_000, "  f%d: {args: [x], expr: x}\n"), "bad-function"},
		{"10,000 functions in CEL", oneNode(good) + "functions:\n" + many(10_000, "  f%d: {args: [x], cel: x}\n"), "bad-function"},
		{"10,000 arguments", oneNode(good) + "functions: {f: {args: [" + many(10_000, "a%d, ") + "], expr: a0}}", ""},
		{"10,000 vars", oneNode("{op: eval, with: {expr: '1'}, next: end, vars: {a: '1', " + many(10_000, "v%d: vars.a, ") + "}}"), "bad-yaml"},
		{"10,000 parts of a record", oneNode("{op: eval, next: end, with: {expr: {a: '1', " + many(10_000, "v%d: prep.x, ") + "}}, prep: {x: [" + many(10_000, "%d, ") + "]}}"), ""},
		{"a deep record", oneNode("{op: eval, next: end, with: {expr: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "}}"), ""},
		{"10,000 names", oneNode("{op: eval, next: end, with: {expr: '1'}, prep: [" + many(10_000, "k%d, ") + "]}"), "unknown-state-key"},
		{"not UTF-8", oneNode(good) + "description: \xff\xfe", "bad-yaml"},
		{"UTF-16", "\xff\xfef\x00l\x00o\x00w\x00", "bad-yaml"},
		{"a null byte", oneNode(good) + "description: a\x00b", "bad-yaml"},
		{"two documents", oneNode(good) + "---\n" + oneNode(good), "bad-yaml"},
		{"empty", "", "bad-yaml"},
		{"a list", "[1, 2]", "wrong-kind"},
		{"a text", "hello", "wrong-kind"},
		{"an expression of 1 MB", oneNode("{op: eval, with: {expr: '1'}, next: end, prep: {x: '1" + strings.Repeat(" + 1", 1<<18) + "'}}"), "bad-expression"},
		{"a condition of 1 MB", oneNode("{op: eval, with: {expr: '1'}, next: {x: end, y: end}, actions: [{action: x, cel: '" + strings.Repeat("(", 1<<20) + "'}, {action: y}]}"), "bad-condition"},
		{"an option of 1 MB", oneNode("{op: eval, with: {expr: '" + strings.Repeat("!", 1<<20) + "true'}, next: end}"), "bad-expression"},
		{"an op name of 1 MB", oneNode("{op: " + strings.Repeat("x", 1<<20) + ", next: end}"), "unknown-op"},
		{"a flow name of 1 MB", oneNode("{op: flow, with: {flow: " + strings.Repeat("x", 1<<20) + "}, next: end}"), "unknown-flow"},
		{"a base of 1 MB", oneNode(good) + "extends: " + strings.Repeat("x", 1<<20), "bad-extends"},
		{"a node id of 1 MB", "flow: f\nversion: 1\nnodes:\n  ? " + strings.Repeat("x", 1<<20) + "\n  : " + good, "bad-name"},
		{"a template of 1 MB", oneNode("{op: template, next: end, with: {text: '" + strings.Repeat("{{.x}}", 1<<17) + "'}}"), "prompt-missing-var"},
		{"a deep template", oneNode("{op: template, next: end, with: {text: '" + strings.Repeat("{{if true}}", 10_000) + strings.Repeat("{{end}}", 10_000) + "'}}"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var found diag.List
			var flow *engine.Flow
			bounded(t, func() {
				l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{}}
				flow, found = l.Load(engine.Document{Kind: engine.FlowDocument, Name: "f", Path: "f.yaml", Data: []byte(c.text)})
			})
			checkFound(t, flow, found, c.want)
		})
	}
}

func bomb() string {
	var b strings.Builder
	for i := range 11 {
		fmt.Fprintf(&b, "  b%d: &b%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*b%d,", i), 10), ","))
	}
	return b.String()
}

func chain(n int, last string) string {
	var b strings.Builder
	for i := range n {
		to := fmt.Sprintf("n%d", i+1)
		if i == n-1 {
			to = last
		}
		fmt.Fprintf(&b, "  n%d: {op: eval, with: {expr: '1'}, next: %s}\n", i, to)
	}
	return b.String()
}

// unwritten is a row of nodes that each read a key before they write it.
func unwritten(n int, prep string) string {
	var nodes strings.Builder
	for i := range n {
		to := fmt.Sprintf("n%d", i+1)
		if i == n-1 {
			to = "end"
		}
		fmt.Fprintf(&nodes, "  n%[1]d: {op: probe, "+prep+"post: {k%[1]d: store.k%[1]d}, next: {left: %[2]s, right: end, default: end}}\n", i, to)
	}
	return "flow: f\nversion: 1\nstate:\n" + many(n, "  k%d: {type: any}\n") + "nodes:\n" + nodes.String()
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%*sa:\n", i+2, "")
	}
	return b.String()
}
