package cond

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
)

// rewriter puts the operations of exprTyped and exprPaid in the place of those of expr that would turn a missing member into nil,
// overflow in silence, take nil for false, or do unbounded work. It works on a checked tree and gives every node it
// makes the nature that expr's compiler looks at.
type rewriter struct {
	*exprEnv
	program *Program
	made    map[*ast.CallNode]string // the calls this rewriter made, by what they call
	done    map[ast.Node]ast.Node    // a node may stand in two places, see maxVisits
	shares  bool                     // the tree has a let or a reduce, with which a result can hold one value in many places
}

// call makes a call of an internal function that stands in the place of n.
func (w *rewriter) call(n ast.Node, nat nature.Nature, name string, args ...ast.Node) ast.Node {
	var callee ast.Node = &ast.IdentifierNode{Value: name}
	if f, ok := exprTyped[name]; ok {
		callee = &ast.ConstantNode{Value: f}
		callee.SetType(reflect.TypeOf(f))
	}
	callee.SetLocation(n.Location())
	call := &ast.CallNode{Callee: callee, Arguments: args}
	w.made[call] = name
	call.SetLocation(n.Location())
	call.SetNature(nat)
	return call
}

func (w *rewriter) scope(n ast.Node) ast.Node {
	s := &ast.IdentifierNode{Value: scopeName}
	s.SetLocation(n.Location())
	return s
}

func (w *rewriter) nodes(list []ast.Node) {
	for i := range list {
		list[i] = w.node(list[i])
	}
}

func (w *rewriter) node(n ast.Node) ast.Node {
	if n == nil {
		return nil
	}
	if out, ok := w.done[n]; ok {
		return out
	}
	out := w.rewrite(n)
	w.done[n], w.done[out] = out, out
	return out
}

func (w *rewriter) rewrite(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.UnaryNode:
		n.Node = w.node(n.Node)
		if n.Operator == "!" || n.Operator == "not" {
			n.Node = w.boolean(n.Node)
		}
		if n.Operator == "-" {
			switch n.Node.(type) {
			case *ast.IntegerNode, *ast.FloatNode:
			default:
				return w.call(n, *n.Nature(), "@neg", n.Node)
			}
		}
	case *ast.BinaryNode:
		return w.binary(n)
	case *ast.ChainNode:
		n.Node = w.node(n.Node)
		n.SetNature(unknown)
	case *ast.MemberNode:
		n.Node, n.Property = w.node(n.Node), w.named(w.node(n.Property))
		if !n.Optional {
			return w.call(n, *n.Nature(), "@member", n.Node, n.Property)
		}
		// expr jumps to the end of the chain if what a?.b asks is nil, which only a member node can do. So @box asks, and
		// gives nil or a list of one that is unwrapped here.
		first := &ast.IntegerNode{Value: 0}
		first.SetLocation(n.Location())
		first.SetNature(*intNature())
		n.Node, n.Property = w.call(n, unknown, "@box", n.Node, n.Property), first
		n.SetNature(unknown)
	case *ast.SliceNode:
		end := func(at ast.Node) ast.Node {
			if at != nil {
				return w.node(at)
			}
			none := &ast.NilNode{}
			none.SetNature(nature.Nature{Nil: true})
			return none
		}
		return w.call(n, *n.Nature(), "@slice", w.node(n.Node), end(n.From), end(n.To), w.scope(n))
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && callee.Value == anyName {
			out := w.node(n.Arguments[0])
			out.SetNature(unknown)
			return out
		}
		if f := w.ownFunction(n); f != nil {
			w.program.calls(f)
		}
		w.nodes(n.Arguments)
		n.Arguments = append(n.Arguments, w.scope(n))
	case *ast.BuiltinNode:
		return w.builtin(n)
	case *ast.PredicateNode:
		n.Node = w.node(n.Node)
		tick := w.call(n, unknown, "@tick", w.scope(n))
		body := &ast.SequenceNode{Nodes: []ast.Node{tick, n.Node}}
		body.SetLocation(n.Location())
		body.SetNature(*n.Node.Nature())
		n.Node = body
	case *ast.VariableDeclaratorNode:
		w.shares = true
		n.Value, n.Expr = w.node(n.Value), w.node(n.Expr)
	case *ast.SequenceNode:
		w.nodes(n.Nodes)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = w.boolean(w.node(n.Cond)), w.node(n.Exp1), w.node(n.Exp2)
	case *ast.ArrayNode:
		w.nodes(n.Nodes)
	case *ast.MapNode:
		w.nodes(n.Pairs)
	case *ast.PairNode:
		n.Key, n.Value = w.node(n.Key), w.node(n.Value)
		n.Key = w.named(w.text(n.Key))
	}
	return n
}

// builtin checks what a predicate runs over, since expr would iterate, or fail on, anything; what looks into nested lists
// is paid for. expr's sum would overflow in silence.
func (w *rewriter) builtin(n *ast.BuiltinNode) ast.Node {
	if n.Name == "reduce" {
		w.shares = true
	}
	w.nodes(n.Arguments)
	switch n.Name {
	case "all", "none", "any", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex", "count", "sum",
		"groupBy", "sortBy", "reduce", "first", "last":
		over := n.Arguments[0]
		n.Arguments[0] = w.call(over, *over.Nature(), "@list", over)
	case "flatten":
		for i, arg := range n.Arguments {
			if !w.scalar(arg) {
				n.Arguments[i] = w.call(arg, *arg.Nature(), "@walked", arg, w.scope(arg))
			}
		}
	case "upper", "lower", "toBase64", "fromBase64":
		w.pay(n.Arguments, "@text", converts)
	case "reverse", "concat", "fromPairs":
		w.pay(n.Arguments, "@paid", reads)
	case "indexOf", "lastIndexOf":
		w.pay(n.Arguments, "@text", reads)
	case "len":
		w.pay(n.Arguments, "@text", reads) // characters are counted; of a list or an object the size is known
	case "get", "hasPrefix", "hasSuffix":
		w.pay(n.Arguments[1:], "@text", reads)
	}
	switch n.Name {
	case "groupBy", "sortBy":
		if by, ok := n.Arguments[1].(*ast.PredicateNode); ok {
			body := by.Node.(*ast.SequenceNode) // the tick, and what the author wrote
			key := body.Nodes[1]
			body.Nodes[1] = w.call(key, *key.Nature(), "@key", key, w.scope(key))
		}
	}
	switch n.Name {
	case "groupBy", "fromPairs":
		return w.call(n, *n.Nature(), "@normal", n, w.scope(n))
	}
	if n.Name != "sum" {
		return n
	}
	over := n.Arguments[0]
	if len(n.Arguments) == 2 {
		each := &ast.BuiltinNode{Name: "map", Arguments: n.Arguments}
		each.SetLocation(n.Location())
		each.SetNature(unknown)
		over = each
	}
	return w.call(n, unknown, "@sum", over, w.scope(n))
}

// pay makes the arguments of a function of expr's pay for what it does with each.
func (w *rewriter) pay(args []ast.Node, name string, weight int) {
	for i, arg := range args {
		args[i] = w.paid(arg, name, weight)
	}
}

// paid is a node whose value is paid for: with "@text" only if it is a text.
func (w *rewriter) paid(n ast.Node, name string, weight int) ast.Node {
	if w.fixed(n) || name == "@text" && (n.Nature().IsArray() || n.Nature().IsMap()) {
		return n
	}
	by := &ast.IntegerNode{Value: weight}
	by.SetLocation(n.Location())
	by.SetNature(*intNature())
	return w.call(n, *n.Nature(), name, n, by, w.scope(n))
}

// named is a key, which pays for being looked up.
func (w *rewriter) named(n ast.Node) ast.Node { return w.paid(n, "@text", reads) }

// isShort reports a text that stands in the source and costs nothing to speak of.
func isShort(n ast.Node) bool {
	text, ok := n.(*ast.StringNode)
	return ok && len(text.Value) <= short
}

var arithmeticNames = map[string]string{"-": "@sub", "*": "@mul", "/": "@div", "%": "@mod", "**": "@pow", "^": "@pow"}
var orderNames = map[string]string{"<": "@lt", "<=": "@le", ">": "@gt", ">=": "@ge"}
var paidOrderNames = map[string]string{"<": "@below", "<=": "@upto", ">": "@above", ">=": "@from"}

func (w *rewriter) binary(n *ast.BinaryNode) ast.Node {
	n.Left, n.Right = w.node(n.Left), w.node(n.Right)
	l, r := n.Left, n.Right
	switch n.Operator {
	case "==", "!=":
		for _, kind := range []string{"int", "float", "string", "bool"} {
			if w.sure(l, kind) && w.sure(r, kind) && (kind != "string" || isShort(l) || isShort(r)) {
				return n
			}
		}
		eq := w.call(n, boolNature, "@same", l, r, w.scope(n))
		if w.fixed(l) || w.fixed(r) {
			eq = w.call(n, boolNature, "@eq", l, r)
		}
		if n.Operator == "==" {
			return eq
		}
		not := &ast.UnaryNode{Operator: "!", Node: eq}
		not.SetLocation(n.Location())
		not.SetNature(boolNature)
		return not
	case "<", "<=", ">", ">=":
		for _, kind := range []string{"int", "float", "string"} {
			if w.sure(l, kind) && w.sure(r, kind) && (kind != "string" || isShort(l) || isShort(r)) {
				return n
			}
		}
		if !w.fixed(l) && !w.fixed(r) {
			return w.call(n, boolNature, paidOrderNames[n.Operator], l, r, w.scope(n))
		}
		return w.call(n, boolNature, orderNames[n.Operator], l, r)
	case "+":
		if w.number(l) && w.number(r) {
			return w.call(n, *n.Nature(), "@plus", l, r)
		}
		return w.call(n, *n.Nature(), "@add", l, r, w.scope(n))
	case "-", "*", "/", "%", "**", "^":
		return w.call(n, *n.Nature(), arithmeticNames[n.Operator], l, r)
	case "in":
		return w.call(n, boolNature, "@among", l, r, w.scope(n))
	case "..":
		return w.call(n, *n.Nature(), "@range", l, r, w.scope(n))
	case "and", "&&", "or", "||":
		n.Left, n.Right = w.boolean(l), w.boolean(r)
	case "contains":
		n.Left, n.Right = w.paid(w.text(l), "@text", reads), w.text(r)
	case "startsWith", "endsWith":
		n.Left, n.Right = w.text(l), w.paid(w.text(r), "@text", reads)
	case "matches":
		n.Left, n.Right = w.text(l), w.text(r)
		constant, ok := n.Right.(*ast.StringNode)
		if !ok {
			return w.call(n, boolNature, "@matches", n.Left, n.Right, w.scope(n))
		}
		n.Left = w.paid(n.Left, "@text", weightOf(constant.Value))
	}
	return n
}

// boolean and text check an operand that may be of another type when it is computed.
func (w *rewriter) boolean(n ast.Node) ast.Node {
	if w.sure(n, "bool") {
		return n
	}
	return w.call(n, boolNature, "@bool", n)
}

func (w *rewriter) text(n ast.Node) ast.Node {
	if w.sure(n, "string") {
		return n
	}
	return w.call(n, stringNature(), "@string", n)
}

// is reports the static type of a node; its value may still be null.
func (w *rewriter) is(n ast.Node, kind string) bool {
	nat := n.Nature()
	switch kind {
	case "int":
		return nat.IsInteger
	case "float":
		return nat.IsFloat
	case "string":
		return nat.IsString()
	case "bool":
		return nat.IsBool()
	}
	return false
}

// scalar reports that comparing with n is quick.
func (w *rewriter) scalar(n ast.Node) bool {
	return n.Nature().Nil || w.number(n) || w.is(n, "string") || w.is(n, "bool")
}

// fixed reports that comparing with n is quick however long the other side is.
func (w *rewriter) fixed(n ast.Node) bool {
	return n.Nature().Nil || w.number(n) || w.is(n, "bool") || isShort(n)
}

func (w *rewriter) number(n ast.Node) bool { return w.is(n, "int") || w.is(n, "float") }

// sure reports that a node always gives a value of this type: a literal, a declared member, or an operation that checks
// its operands.
func (w *rewriter) sure(n ast.Node, kind string) bool {
	if !w.is(n, kind) {
		return false
	}
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.BoolNode:
		return true
	case *ast.UnaryNode:
		return n.Operator == "!" || n.Operator == "not"
	case *ast.BinaryNode:
		return kind == "bool"
	case *ast.BuiltinNode:
		switch n.Name {
		case "len":
			return kind == "int"
		case "all", "none", "any", "one":
			return kind == "bool"
		}
	case *ast.CallNode:
		switch w.made[n] {
		case "@eq", "@same", "@lt", "@le", "@gt", "@ge", "@below", "@upto", "@above", "@from", "@among", "@bool", "@string", "@matches":
			return true
		case "@member":
			// Only a member of a record is typed by its declaration, and a number there may hold an integer.
			if record, ok := n.Arguments[0].(*ast.IdentifierNode); ok && kind != "float" {
				_, ok := w.env.Records[record.Value]
				return ok
			}
		}
	}
	return false
}
