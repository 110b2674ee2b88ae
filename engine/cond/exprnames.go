package cond

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// maxVisits bounds the walk over a tree. expr parses a < b < c into a tree that holds b twice, so that nesting such
// chains doubles the work of every later pass.
const maxVisits = 50_000

// resolver settles the names of a parsed expr tree before expr's own checker sees it: records and their members, null,
// now() and today(), and what the language would let through.
type resolver struct {
	*exprEnv
	src      string
	locals   []string
	visits   int
	problems []Problem
	reads    []Read
}

func (r *resolver) problem(n ast.Node, format string, args ...any) {
	r.add(Problem{Kind: BadExpression, Offset: r.offset(n), Message: fmt.Sprintf(format, args...)})
}

func (r *resolver) add(p Problem) { r.problems = append(r.problems, p) }

func (r *resolver) offset(n ast.Node) int { return byteOffset(r.src, n.Location().From) }

func (r *resolver) nodes(list []ast.Node) {
	for i := range list {
		list[i] = r.node(list[i])
	}
}

// node resolves n and what is under it, and gives what stands in its place.
func (r *resolver) node(n ast.Node) ast.Node {
	if r.visits++; r.visits > maxVisits {
		if r.visits == maxVisits+1 {
			r.problem(n, "the expression is too deeply nested; do it in several nodes")
		}
		return n
	}
	switch n := n.(type) {
	case *ast.NilNode:
		// The parser makes null's node only for nil; ours comes from an identifier and keeps its place.
		if at := r.offset(n); strings.HasPrefix(r.src[at:], "nil") {
			r.add(Problem{Kind: BadExpression, Offset: at, Message: `unknown name "nil"`, Suggestion: "null"})
		}
	case *ast.IdentifierNode:
		return r.identifier(n)
	case *ast.BytesNode:
		r.problem(n, "there are no byte strings; use a string")
	case *ast.UnaryNode:
		n.Node = r.node(n.Node)
	case *ast.BinaryNode:
		n.Left, n.Right = r.node(n.Left), r.node(n.Right)
	case *ast.ChainNode:
		n.Node = r.node(n.Node)
		if !asks(n.Node) {
			return n.Node // store?.x, where nothing is left to ask
		}
	case *ast.MemberNode:
		return r.member(n)
	case *ast.SliceNode:
		n.Node = r.node(n.Node)
		if n.From != nil {
			n.From = r.node(n.From)
		}
		if n.To != nil {
			n.To = r.node(n.To)
		}
	case *ast.CallNode:
		return r.call(n)
	case *ast.BuiltinNode:
		r.nodes(n.Arguments)
	case *ast.PredicateNode:
		n.Node = r.node(n.Node)
	case *ast.VariableDeclaratorNode:
		n.Value = r.node(n.Value)
		if everVisible[n.Name] || n.Name == "null" {
			r.problem(n, "%s cannot be the name of a variable", n.Name)
		}
		r.locals = append(r.locals, n.Name)
		n.Expr = r.node(n.Expr)
		r.locals = r.locals[:len(r.locals)-1]
	case *ast.SequenceNode:
		r.nodes(n.Nodes)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = r.node(n.Cond), r.node(n.Exp1), r.node(n.Exp2)
	case *ast.ArrayNode:
		r.nodes(n.Nodes)
	case *ast.MapNode:
		r.nodes(n.Pairs)
	case *ast.PairNode:
		n.Key, n.Value = r.node(n.Key), r.node(n.Value)
	}
	return n
}

func (r *resolver) identifier(n *ast.IdentifierNode) ast.Node {
	if strings.HasPrefix(n.Value, "@") || slices.Contains(r.locals, n.Value) {
		return n
	}
	if n.Value == "null" {
		null := &ast.NilNode{}
		null.SetLocation(n.Location())
		return null
	}
	if _, ok := r.env.Vars[n.Value]; ok {
		return n
	}
	if _, ok := r.env.Records[n.Value]; ok {
		r.add(r.env.recordAsValue(n.Value, r.offset(n)))
		return n
	}
	r.add(r.env.unknownName(n.Value, r.offset(n), r.functions))
	return n
}

// member settles a.b and a[k]. Of a record only a declared member can be read, by a name that is written out.
func (r *resolver) member(n *ast.MemberNode) ast.Node {
	record, ok := r.record(n.Node)
	if !ok {
		n.Node, n.Property = r.node(n.Node), r.node(n.Property)
		return n
	}
	name, ok := n.Property.(*ast.StringNode)
	if !ok {
		r.add(r.env.recordAsValue(record, r.offset(n.Node)))
		r.node(n.Property)
		return n
	}
	at := r.offset(name)
	if _, ok := r.env.Keyed[record]; ok {
		r.reads = append(r.reads, Read{record, name.Value, at})
		if chain, ok := n.Node.(*ast.ChainNode); ok {
			n.Node = chain.Node
		}
		n.Node.(*ast.MemberNode).Optional, n.Optional = false, false
		return n
	}
	if r.env.keyed(record, name.Value) {
		r.add(r.env.recordAsValue(record+"."+name.Value, r.offset(n.Node)))
		return n
	}
	if _, ok := r.env.Records[record][name.Value]; !ok {
		r.add(r.env.unknownMember(record, name.Value, at))
		return n
	}
	r.reads = append(r.reads, Read{record, name.Value, at})
	n.Optional = false // what is declared need not be asked for
	return n
}

// asks reports whether a chain still has a ?. in it.
func asks(n ast.Node) bool {
	for {
		switch m := n.(type) {
		case *ast.MemberNode:
			if m.Optional {
				return true
			}
			n = m.Node
		case *ast.CallNode:
			n = m.Callee
		case *ast.SliceNode:
			n = m.Node
		default:
			return false
		}
	}
}

// record names the record that a node stands for: store, or run.visits.
func (r *resolver) record(n ast.Node) (string, bool) {
	if chain, ok := n.(*ast.ChainNode); ok {
		n = chain.Node // run?.visits, where nothing is asked
	}
	if m, ok := n.(*ast.MemberNode); ok {
		of, ok := m.Node.(*ast.IdentifierNode)
		name, written := m.Property.(*ast.StringNode)
		if !ok || !written || slices.Contains(r.locals, of.Value) || !r.env.keyed(of.Value, name.Value) {
			return "", false
		}
		return of.Value + "." + name.Value, true
	}
	id, ok := n.(*ast.IdentifierNode)
	if !ok || slices.Contains(r.locals, id.Value) {
		return "", false
	}
	_, ok = r.env.Records[id.Value]
	return id.Value, ok
}

func (r *resolver) call(n *ast.CallNode) ast.Node {
	r.nodes(n.Arguments)
	switch callee := n.Callee.(type) {
	case *ast.IdentifierNode:
		if _, ok := r.config.Functions[callee.Value]; !ok {
			if _, ok := r.config.Builtins[callee.Value]; !ok {
				r.add(r.unknownFunction(callee.Value, r.offset(callee)))
				return n
			}
		}
		switch callee.Value {
		case "now", "today":
			if len(n.Arguments) == 0 {
				constant := &ast.IdentifierNode{Value: "@" + callee.Value}
				constant.SetLocation(n.Location())
				return constant
			}
		}
		for i, arg := range n.Arguments {
			if text, ok := arg.(*ast.StringNode); ok {
				if reason := badLiteral(callee.Value, i, text.Value); reason != "" {
					r.problem(text, "%s", reason)
				}
			}
		}
	case *ast.MemberNode:
		r.node(callee.Node)
		name, _ := callee.Property.(*ast.StringNode)
		if name == nil {
			r.problem(n, "only functions can be called")
			break
		}
		switch {
		case slices.Contains([]string{"contains", "startsWith", "endsWith", "matches"}, name.Value):
			r.problem(name, "%s is an operator: write a %s b", name.Value, name.Value)
		case slices.Contains(r.functions, name.Value):
			r.problem(name, "values have no methods: write %s(…)", name.Value)
		default:
			if here := ofMethods[name.Value]; here != "" {
				r.problem(name, "values have no methods: write %s", here)
			} else {
				r.problem(name, "values have no methods: %s cannot be called", name.Value)
			}
		}
	default:
		r.problem(n, "only functions can be called")
	}
	return n
}
