package engine

import (
	"maps"
	"slices"
	"strings"

	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// compileVars settles the vars of a node, each in the environment that sees gives for those before it, and gives the
// environment that has them all: nil if it cannot be known which there are.
func (c *compiler) compileVars(n *node, src *syntax.Node, facts *nodeFacts, sees func(cond.Record) *cond.Env) *cond.Env {
	written := src.V.Get("vars")
	if written == nil {
		return sees(nil)
	}
	if written.Kind != yamltree.Map {
		return nil // reported
	}
	types := cond.Record{}
	env, has := sees(nil), -1 // how many vars it has
	for i := range src.Vars {
		if c.crowded || c.s.full() {
			return nil
		}
		v := &src.Vars[i]
		// An environment is dear to make, and most vars name no other.
		if has < len(types) && mentions(&v.Expr, "vars") {
			env, has = sees(maps.Clone(types)), len(types)
		}
		types[v.Name.Text] = value.Any
		if p := c.value(&v.Expr, env, &facts.reads); p != nil {
			n.vars = append(n.vars, Binding{v.Name.Text, p})
			types[v.Name.Text] = p.Type()
		}
	}
	for _, e := range written.Entries {
		if _, known := types[e.Key]; !known {
			types[e.Key] = value.Any // what could not be decoded
		}
	}
	return sees(types)
}

// mentions reports whether a word stands in an expression, or in a part of a mapping or a list.
func mentions(e *syntax.Expr, word string) bool {
	return strings.Contains(e.Source, word) ||
		slices.ContainsFunc(e.Fields, func(b syntax.Binding) bool { return mentions(&b.Expr, word) }) ||
		slices.ContainsFunc(e.Items, func(e syntax.Expr) bool { return mentions(&e, word) })
}
