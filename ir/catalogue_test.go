package ir_test

import (
	"fmt"
	"slices"
	"testing"

	"pflow/ir"
)

// TestWithLater: components that are made when they are asked for are made once, and no others are made.
func TestWithLater(t *testing.T) {
	made := map[string]int{}
	names := []string{"a", "copy", "b", "c"}
	of := func(n int) *ir.Interface {
		made[names[n]]++
		return &ir.Interface{Name: names[n], Workflow: true}
	}
	c := ir.NewCatalogue(&ir.Interface{Name: "copy"}, &ir.Interface{Name: "move"}).WithLater(names, of)
	if got := fmt.Sprint(c.Names()); got != "[copy move a b c]" {
		t.Errorf("names: %s", got)
	}
	if i := c.Get("copy"); i.Workflow || !c.IsNodeType("copy") || c.IsNodeType("a") {
		t.Error("the name of a node type became another's")
	}
	some := c.Only(func(name string) bool { return name != "a" && name != "move" }).With(&ir.Interface{Name: "new"}, &ir.Interface{Name: "b"})
	if got := fmt.Sprint(some.Names()); got != "[copy b c new]" || some.Has("a") || some.Get("a") != nil || !some.Has("b") {
		t.Errorf("names: %s", got)
	}
	if len(made) > 0 {
		t.Errorf("made before they were asked for: %v", made)
	}
	if first := c.Get("b"); some.Get("b") != first || c.Get("b") != first || c.Get("none") != nil {
		t.Error("a component is another one the next time")
	}
	if got := len(some.NodeTypes()); got != 2 {
		t.Errorf("%d node types", got)
	}
	if fmt.Sprint(made) != "map[b:1]" {
		t.Errorf("made: %v", made)
	}
	if all := c.All(); len(all) != 5 || slices.Contains(all, nil) {
		t.Errorf("all: %v", all)
	}
	if again := c.Making(func(n int) *ir.Interface { return &ir.Interface{Name: names[n], Description: "again"} }); again.Get("b").Description != "again" || c.Get("b").Description != "" {
		t.Error("Making changes what is made")
	}
}
