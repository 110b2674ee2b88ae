package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
)

// thirtyLines is an expression of thirty lines whose operation in line 20 fails: a member that is not there, at column 19.
func thirtyLines(lang, record string) string {
	var b strings.Builder
	b.WriteString("[\n")
	for i := 2; i < 30; i++ {
		if i == 20 {
			fmt.Fprintf(&b, "  1 + 2, [3], %s.o.absent,\n", record)
			continue
		}
		fmt.Fprintf(&b, "  %d + %s.n,\n", i, record)
	}
	b.WriteString("0]\n")
	return b.String()
}

// failing are the places of a flow where an expression can fail while it runs. In each §OBJECT§ stands for such an
// expression over a record of the name, in a block scalar that is indented by ten.
var failing = []struct{ name, lang, record, node string }{
	{"prep", "expr", "store", "op: probe\n    prep:\n      x: |\n§\n    next: {default: end, left: end, right: end}"},
	{"post", "expr", "store", "op: probe\n    post:\n      out: |\n§\n    next: {default: end, left: end, right: end}"},
	{"actions", "expr", "store", "op: probe\n    actions:\n    - action: left\n      expr: |\n          [] == §\n    - {action: right}\n    next: {left: end, right: end}"},
	{"actions in CEL", "cel", "store", "op: probe\n    actions:\n    - action: left\n      cel: |\n          [] == §\n    - {action: right}\n    next: {left: end, right: end}"},
	{"action", "expr", "store", "op: probe\n    action: |\n          string(§)\n    next: {'*': end}"},
	{"retry.on", "expr", "prep", "op: probe\n    prep: {o: store.o, n: store.n}\n    with: {fails: 1}\n    retry:\n      attempts: 2\n      on: |\n          [] == §\n    next: {default: end, left: end, right: end}"},
	{"fallback", "expr", "prep", "op: probe\n    prep: {o: store.o, n: store.n}\n    with: {fails: 1}\n    fallback: |\n§\n    next: {default: end, left: end, right: end}"},
	{"eval", "expr", "prep", "op: eval\n    prep: {o: store.o, n: store.n}\n    with:\n      expr: |\n§\n    next: end"},
	{"eval in CEL", "cel", "prep", "op: eval\n    prep: {o: store.o, n: store.n}\n    with:\n      cel: |\n§\n    next: end"},
	{"a record in prep", "expr", "store", "op: probe\n    prep:\n      x:\n      - a: store.n\n      - c: |\n§\n    next: {default: end, left: end, right: end}"},
	{"a list in post", "expr", "store", "op: probe\n    post:\n      out:\n      - store.n\n      - |\n§\n    next: {default: end, left: end, right: end}"},
	{"a record in eval, in CEL", "cel", "prep", "op: eval\n    prep: {o: store.o, n: store.n}\n    with:\n      cel:\n        a: prep.n\n        b: |\n§\n    next: end"},
	{"vars", "expr", "store", "op: probe\n    vars:\n      x: |\n§\n    next: {default: end, left: end, right: end}"},
	{"the prep of an item", "expr", "store", "op: map\n    prep: {items: '[1]'}\n    with:\n      op: probe\n      prep:\n        x: |\n§\n    next: end"},
}

// TestRunningExpressionsHavePlaces fails in the twentieth line of an expression of thirty, wherever one can stand: the
// error has the place of the operation.
func TestRunningExpressionsHavePlaces(t *testing.T) {
	for _, f := range failing {
		t.Run(f.name, func(t *testing.T) {
			const indent = "          "
			lines := strings.Split(strings.TrimSuffix(thirtyLines(f.lang, f.record), "\n"), "\n")
			body := strings.Join(lines, "\n"+indent)
			node := strings.Replace(f.node, "\n§", "\n"+indent+"§", 1)
			if !strings.Contains(node, "\n"+indent+"§") {
				node = f.node
			}
			node = strings.Replace(node, "§", body, 1)
			doc := "flow: places\nversion: 1\ndescription: Fail.\nstate:\n  o: {type: object, default: {}}\n  n: {type: integer, default: 1}\n  out: {type: any, default: null}\nnodes:\n  a:\n    " + node + "\n"
			want := ""
			for i, line := range strings.Split(doc, "\n") {
				if at := strings.Index(line, "absent"); at >= 0 {
					want = fmt.Sprintf("embedded:flow.yaml:%d:%d", i+1, at+1)
				}
			}
			flow, _ := enginetest.Load(t, &txtar.Archive{Files: []txtar.File{{Name: "flow.yaml", Data: []byte(doc)}}}, enginetest.Ops())
			res, err := engine.Execute(context.Background(), flow, map[string]any{}, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if res.Error == nil || res.Error.Kind != "missing_key" || res.Error.Place.String() != want {
				t.Errorf("got %+v, want a missing key at %s", res.Error, want)
			}
		})
	}
}
