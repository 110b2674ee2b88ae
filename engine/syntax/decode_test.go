package syntax

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
	"pflow/internal/yamltree"
)

var update = flag.Bool("update", false, "write what is got as what is wanted")

// dump writes a flow as text, every part with its place.
func dump(f *Flow) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	str := func(s *Str) string {
		if s == nil || s.V == nil {
			return "-"
		}
		return fmt.Sprintf("%s@%d:%d", s.Text, s.V.Place.Line, s.V.Place.Col)
	}
	expr := func(e *Expr) string {
		if e == nil {
			return "-"
		}
		return fmt.Sprintf("%s{%s}@%d:%d", e.Lang, e.Source, e.V.Place.Line, e.V.Place.Col)
	}
	val := func(v *yamltree.Value) string {
		if v == nil {
			return "-"
		}
		return value.JSON(v.Plain())
	}
	p("flow %s version %d start %s extends %s: %s", str(&f.Name), f.Version, str(f.Start), str(f.Extends), f.Description.Text)
	for _, k := range f.State {
		p("state %s %s required=%v default=%v:%#v", str(&k.Name), k.Type, k.Required, k.HasDefault, k.Default)
	}
	p("params %s", val(f.Params))
	for _, d := range f.Search {
		p("search %s in %s", str(&d.Path), value.JSON(d.Values))
	}
	p("limits steps=%d timeout=%s", f.Limits.Steps, f.Limits.Timeout)
	for _, m := range f.Limits.Meters {
		p("meter %s <= %v", str(&m.Name), m.Max)
	}
	for _, n := range f.Nodes {
		p("node %s op %s: %s", str(&n.ID), str(&n.Op), n.Description)
		for _, x := range n.Prep {
			p("  prep %s = %s", str(&x.Name), expr(&x.Expr))
		}
		r := n.Retry
		p("  with %s timeout=%s visits=%d partial=%v", val(n.With), n.Timeout, n.MaxVisits, n.Partial)
		p("  retry %d wait=%s max=%s exponential=%v jitter=%v on=%s", r.Attempts, r.Wait, r.MaxWait, r.Exponential, r.Jitter, expr(r.On))
		p("  fallback %s catch %s action %s", expr(n.Fallback), str(n.Catch), expr(n.Action))
		for _, x := range n.Target {
			p("  target p%d within %s", x.Percent, x.Within)
		}
		for _, x := range n.Post {
			p("  post %s = %s", str(&x.Name), expr(&x.Expr))
		}
		for _, a := range n.Actions {
			p("  action %s if %s", str(&a.Action), expr(a.Cond))
		}
		for _, x := range n.Next {
			p("  next %s -> %s", str(&x.Action), str(&x.To))
		}
	}
	return b.String()
}

func TestDecode(t *testing.T) {
	data, err := os.ReadFile("testdata/ok/whole.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := Parse("whole.yaml", data)
	flow, found := Decode(tree)
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	if *update {
		if err := os.WriteFile("testdata/whole.txt", []byte(dump(flow)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/whole.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), dump(flow)); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeUnit(t *testing.T) {
	tree := parse(t, "f", "{op: eval, prep: {x: item.a, y: 3}, with: {expr: prep.x}, concurrency: 2}")
	u, found := DecodeUnit(tree)
	if len(found) > 0 || u.Op.Text != "eval" || u.Flow.V != nil || len(u.Prep) != 2 || u.Prep[1].Expr.Source != "3" || u.With.Get("expr") == nil || u.V != tree {
		t.Errorf("%+v %s", u, found.Text())
	}
	if _, found := DecodeBranch(tree); found.Text() != `f:1:59: error: a branch has no key "concurrency" [unknown-key]
  {op: eval, prep: {x: item.a, y: 3}, with: {expr: prep.x}, concurrency: 2}
                                                            ^
  there is: flow
` {
		t.Error(found.Text())
	}
	if u, found := DecodeUnit(parse(t, "f", "[1]")); u != nil || !found.HasErrors() {
		t.Error("a list is a unit", u, found)
	}
	if u, found := DecodeUnit(nil); u != nil || len(found) > 0 {
		t.Error("nothing is a unit", u, found)
	}
}

// Beside findings the flow is as complete as the document, so that more can be checked.
func TestDecodePartial(t *testing.T) {
	tree := parse(t, "f", "{flow: A, version: 1, nodes: {a: {op: log, nxet: b, prep: {x: [null], y: '2'}}, b: 7, c: {op: log, next: a}}}")
	flow, found := Decode(tree)
	if found.Errors() != 4 || flow == nil || len(flow.Nodes) != 3 {
		t.Fatal(flow, found.Text())
	}
	if a, b, c := flow.Nodes[0], flow.Nodes[1], flow.Nodes[2]; !a.Partial || !b.Partial || c.Partial || len(a.Prep) != 1 || b.Op.V != nil {
		t.Errorf("%+v %+v %+v", a, b, c)
	}
	if found[1].Node != "a" || found[0].Node != "" {
		t.Errorf("nodes of findings: %q %q", found[0].Node, found[1].Node)
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "left-hand": true, "left_hand": true, "2nd": true,
		"": false, "A": false, "a--b": false, "-a": false, "a-": false, "a b": false, "a.b": false, "é": false, strings.Repeat("a", 300): false,
	} {
		if IsName(name) != want {
			t.Errorf("IsName(%q) is %v", name, !want)
		}
	}
}

// Every key is documented, once.
func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Keys() {
		if s.Name == "" || s.Doc == "" || seen[s.Name] {
			t.Errorf("section %+v", s)
		}
		seen[s.Name] = true
		keys := map[string]bool{}
		for _, k := range s.Keys {
			if k.Doc == "" || k.Kind == "" || keys[k.Name] || !strings.HasSuffix(k.Doc, ".") {
				t.Errorf("%s: key %+v", s.Name, k)
			}
			keys[k.Name] = true
		}
		if len(s.Keys) == 0 && s.Other == "" && s.Name != "with" {
			t.Errorf("section %s has nothing in it", s.Name)
		}
	}
}
