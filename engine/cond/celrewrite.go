package cond

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// celRewriter changes a checked tree, in place, where the types are needed for it or no longer matter.
type celRewriter struct {
	tree *ast.AST
	fac  ast.ExprFactory
	next int64
}

// celRewrite puts in the last of our operations; next is the highest id of a node so far.
//
// && and || look at their sides from left to right and stop at the first that decides, as in expr. CEL's own look at
// both and forget an error if the other side decides: `missing || true` would be true. Operands whose type is only known
// when they are computed are checked by operations of ours, whose errors say what was wrong. Loops, and what makes text
// or walks lists, pay for it to the Scope.
func celRewrite(tree *ast.AST, next int64) {
	w := celRewriter{tree: tree, fac: ast.NewExprFactory(), next: next}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(w.visit))
}

// id is that of a new node, which stands where e does.
func (w *celRewriter) id(e ast.Expr) int64 {
	w.next++
	placeAs(w.tree, w.next, e)
	return w.next
}

func (w *celRewriter) scope(e ast.Expr) ast.Expr { return w.fac.NewIdent(w.id(e), scopeName) }

// is reports the static type of e, where it is certain.
func (w *celRewriter) is(e ast.Expr, kind types.Kind) bool {
	t := w.tree.GetType(e.ID())
	return t != nil && t.Kind() == kind
}

// checked is e, or e under an operation that checks its type.
func (w *celRewriter) checked(e ast.Expr, kind types.Kind, with string) ast.Expr {
	if w.is(e, kind) || e.Kind() == ast.LiteralKind {
		return e
	}
	return w.fac.NewCall(w.id(e), with, e)
}

func (w *celRewriter) boolean(e ast.Expr) ast.Expr { return w.checked(e, types.BoolKind, "@bool") }
func (w *celRewriter) text(e ast.Expr) ast.Expr    { return w.checked(e, types.StringKind, "@string") }

func (w *celRewriter) number(e ast.Expr) bool {
	return w.is(e, types.IntKind) || w.is(e, types.DoubleKind)
}

// scalar reports that comparing with e is quick.
func (w *celRewriter) scalar(e ast.Expr) bool {
	return w.number(e) || w.is(e, types.BoolKind) || w.is(e, types.StringKind) || w.is(e, types.NullTypeKind)
}

func (w *celRewriter) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind:
		w.call(e)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		// The condition is looked at in every round, also after a round that failed.
		cond := w.fac.NewCall(w.id(e), "@tick", w.scope(e), c.LoopCondition())
		e.SetKindCase(w.fac.NewComprehension(e.ID(), c.IterRange(), c.IterVar(), c.AccuVar(), c.AccuInit(), cond, c.LoopStep(), c.Result()))
	}
}

func (w *celRewriter) call(e ast.Expr) {
	call := e.AsCall()
	name, args := call.FunctionName(), call.Args()
	put := func(name string, args ...ast.Expr) { e.SetKindCase(w.fac.NewCall(e.ID(), name, args...)) }
	switch name {
	case operators.LogicalNot:
		put(name, w.boolean(args[0]))
	case operators.Conditional:
		put(name, w.boolean(args[0]), args[1], args[2])
	case operators.LogicalAnd, operators.LogicalOr:
		right := w.boolean(args[len(args)-1])
		for i := len(args) - 2; i >= 0; i-- {
			left := w.boolean(args[i])
			if name == operators.LogicalAnd {
				right = w.fac.NewCall(w.id(e), operators.Conditional, left, right, w.fac.NewLiteral(w.id(e), types.False))
			} else {
				right = w.fac.NewCall(w.id(e), operators.Conditional, left, w.fac.NewLiteral(w.id(e), types.True), right)
			}
		}
		e.SetKindCase(right)
	case "contains", "startsWith", "endsWith", "matches":
		if call.IsMemberFunction() && len(args) == 1 {
			e.SetKindCase(w.fac.NewMemberCall(e.ID(), name, w.text(call.Target()), w.text(args[0])))
		}
	case "@add":
		if !w.number(args[0]) || !w.number(args[1]) {
			put("@concat", args[0], args[1], w.scope(e))
		}
	case "@eq", "@ne":
		if !w.scalar(args[0]) && !w.scalar(args[1]) {
			put(map[string]string{"@eq": "@same", "@ne": "@differ"}[name], args[0], args[1], w.scope(e))
		}
	case "@among", "@text", "@range", "@replace", "@join", "@distinct", "@int", "@double", "@greatest", "@least":
		put(name, append(args[:len(args):len(args)], w.scope(e))...)
	default:
		if !call.IsMemberFunction() && sharedNames[name] {
			put(name, append(args[:len(args):len(args)], w.scope(e))...)
		}
	}
}
