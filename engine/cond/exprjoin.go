package cond

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/parser"
)

// anyName is the function that stands around what may be of several types while the types are checked. The rewriter
// takes it away again.
const anyName = "@any"

var anyFunction = &builtin.Function{
	Name:     anyName,
	Func:     func(args ...any) (any, error) { return args[0], nil },
	Validate: func([]reflect.Type) (reflect.Type, error) { return anyType, nil },
}

// check settles the types of a tree. expr gives what can be one of several values (a conditional, ??, a reduce, the
// items of a list) the type of the one that stands first, if that could be taken for the other. Here it has the join of
// their types: the one that all have, else any.
func (e *exprEnv) check(tree *parser.Tree) error {
	o := opener{exprEnv: e, opened: map[ast.Node]*ast.CallNode{}}
	for {
		_, err := checker.Check(tree, e.config)
		o.again, o.passes = false, o.passes+1
		ast.Walk(&tree.Node, &o)
		if !o.again {
			return err
		}
	}
}

// opener puts anyName around the nodes of a checked tree whose values may have several types. What is opened can make
// more of them visible, so it runs until there are none: a node is opened once at most. After maxOpened passes it opens
// whatever it could ever have to.
type opener struct {
	*exprEnv
	opened map[ast.Node]*ast.CallNode
	again  bool
	passes int
}

// Visit is ast.Visitor.
func (o *opener) Visit(at *ast.Node) {
	n := *at
	if around := o.opened[n]; around != nil {
		if at != &around.Arguments[0] {
			*at = around // the parser put n in two places
		}
		return
	}
	switch n := n.(type) {
	case *ast.ConditionalNode:
		o.openUnless(at, n.Exp1, n.Exp2)
	case *ast.BinaryNode:
		if n.Operator == "??" {
			o.openUnless(at, n.Left, n.Right)
		}
	case *ast.BuiltinNode:
		if n.Name == "reduce" && len(n.Arguments) == 3 {
			if step, ok := n.Arguments[1].(*ast.PredicateNode); ok {
				o.openUnless(at, step.Node, n.Arguments[2])
			}
		}
	case *ast.ArrayNode:
		for i := 1; i < len(n.Nodes); i++ {
			if _, is := n.Nodes[0].(*ast.CallNode); !is || o.opened[callArgument(n.Nodes[0])] == nil {
				o.openUnless(&n.Nodes[0], n.Nodes[0], n.Nodes[i])
			}
		}
	}
}

func callArgument(n ast.Node) ast.Node {
	if call, ok := n.(*ast.CallNode); ok && len(call.Arguments) == 1 {
		return call.Arguments[0]
	}
	return nil
}

// openUnless opens a place unless a and b have one type.
func (o *opener) openUnless(at *ast.Node, a, b ast.Node) {
	if o.passes <= maxOpened && o.same(*a.Nature(), *b.Nature()) {
		return
	}
	n := *at
	around := &ast.CallNode{Callee: &ast.IdentifierNode{Value: anyName}, Arguments: []ast.Node{n}}
	around.Callee.SetLocation(n.Location())
	around.SetLocation(n.Location())
	*at, o.opened[n], o.again = around, around, true
}

// same reports that two types are one, down to the items of lists.
func (o *opener) same(a, b nature.Nature) bool {
	c := &o.config.NtCache
	for {
		switch {
		case a.IsUnknown(c) || b.IsUnknown(c):
			return a.IsUnknown(c) && b.IsUnknown(c)
		case a.Nil || b.Nil:
			return a.Nil && b.Nil
		}
		x, ok1 := valueType(a.Type)
		y, ok2 := valueType(b.Type)
		if x != y || ok1 != ok2 || a.IsArray() != b.IsArray() {
			return false
		}
		if !a.IsArray() {
			return true
		}
		a, b = a.Elem(c), b.Elem(c)
	}
}
