package cond

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// celRewriter changes a checked tree, in place, where the types are needed for it or no longer matter.
type celRewriter struct {
	tree *ast.AST
	env  *Env
	fac  ast.ExprFactory
	next int64
}

// celRewrite puts in the last of our operations; next is the highest id of a node so far.
//
// && and || look at their sides from left to right and stop at the first that decides, as in expr. CEL's own look at
// both and forget an error if the other side decides: `missing || true` would be true. Operands whose type is only known
// when they are computed are checked by operations of ours, whose errors say what was wrong. Loops, and what makes text
// or walks lists, pay for it to the Scope.
func celRewrite(tree *ast.AST, env *Env, next int64) {
	w := celRewriter{tree: tree, env: env, fac: ast.NewExprFactory(), next: next}
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

// fixed reports that comparing with e is quick however long the other side is.
func (w *celRewriter) fixed(e ast.Expr) bool {
	if w.number(e) || w.is(e, types.BoolKind) || w.is(e, types.NullTypeKind) {
		return true
	}
	text, ok := celLiteral(e)
	return ok && len(text) <= short
}

func celLiteral(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().(types.String)
	return string(text), ok
}

// paid is e, whose value is paid for: weight steps for 64 bytes of text, and one for each item of what is no text unless
// with is "@paidtext".
func (w *celRewriter) paid(e ast.Expr, with string, weight int) ast.Expr {
	if w.fixed(e) || with == "@paidtext" && (w.is(e, types.ListKind) || w.is(e, types.MapKind)) {
		return e
	}
	return w.fac.NewCall(w.id(e), with, e, w.fac.NewLiteral(w.id(e), types.Int(weight)), w.scope(e))
}

// celWeights are CEL's functions of texts, by what they take of each.
var celWeights = map[string]int{
	"charAt": converts, "lowerAscii": converts, "upperAscii": converts, "substring": converts, "trim": converts,
	"strings.quote": parses, "split": cuts, "reverse": converts, "slice": reads, "size": reads, "bool": reads,
}

func (w *celRewriter) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind:
		w.call(e)
	case ast.MapKind:
		entries := e.AsMap().Entries()
		for i, entry := range entries {
			m := entry.AsMapEntry()
			entries[i] = w.fac.NewMapEntry(entry.ID(), w.paid(m.Key(), "@paidtext", reads), m.Value(), m.IsOptional())
		}
		e.SetKindCase(w.fac.NewMap(e.ID(), entries))
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
			args = []ast.Expr{call.Target(), args[0]}
		}
		if len(args) != 2 {
			return
		}
		text, other := w.text(args[0]), w.text(args[1])
		switch pattern, constant := celLiteral(other); {
		case name == "matches" && !constant:
			delete(w.tree.ReferenceMap(), e.ID()) // or CEL calls what it first found under this id
			put("@matches", text, other, w.scope(e))
			return
		case name == "matches":
			text = w.paid(text, "@paidtext", weightOf(pattern))
		case name == "contains":
			text = w.paid(text, "@paidtext", reads)
		default:
			other = w.paid(other, "@paidtext", reads)
		}
		e.SetKindCase(w.fac.NewMemberCall(e.ID(), name, text, other))
	case "indexOf", "lastIndexOf":
		if call.IsMemberFunction() {
			delete(w.tree.ReferenceMap(), e.ID())
			put(map[string]string{"indexOf": "@find", "lastIndexOf": "@findlast"}[name],
				append(append([]ast.Expr{call.Target()}, args...), w.scope(e))...)
		}
	case "@member", "@ask", "@has":
		put(name, args[0], w.paid(args[1], "@paidtext", reads))
	case "@lt", "@le", "@gt", "@ge":
		if !w.fixed(args[0]) && !w.fixed(args[1]) {
			put(name, w.paid(args[0], "@paidtext", reads), args[1])
		}
	case "@add":
		if !w.number(args[0]) || !w.number(args[1]) {
			put("@concat", args[0], args[1], w.scope(e))
		}
	case "@eq", "@ne":
		if !w.fixed(args[0]) && !w.fixed(args[1]) {
			put(map[string]string{"@eq": "@same", "@ne": "@differ"}[name], args[0], args[1], w.scope(e))
		}
	case "@among", "@text", "@range", "@replace", "@join", "@distinct", "@int", "@double", "@greatest", "@least", "@iter":
		put(name, append(args[:len(args):len(args)], w.scope(e))...)
	case "sort", "@sortByAssociatedKeys", "flatten":
		if call.IsMemberFunction() {
			walked := func(e ast.Expr) ast.Expr { return w.fac.NewCall(w.id(e), "@walked", e, w.scope(e)) }
			of := make([]ast.Expr, len(args))
			for i, arg := range args {
				if of[i] = arg; !w.number(arg) {
					of[i] = walked(arg)
				}
			}
			e.SetKindCase(w.fac.NewMemberCall(e.ID(), name, walked(call.Target()), of...))
		}
	default:
		if weight, ok := celWeights[name]; ok {
			with := "@paid"
			if name == "size" {
				with = "@paidtext" // characters are counted; of a list or an object the size is known
			}
			of := make([]ast.Expr, len(args))
			for i, arg := range args {
				of[i] = w.paid(arg, with, weight)
			}
			if call.IsMemberFunction() {
				e.SetKindCase(w.fac.NewMemberCall(e.ID(), name, w.paid(call.Target(), with, weight), of...))
			} else {
				put(name, of...)
			}
			return
		}
		if !call.IsMemberFunction() && (sharedByName[name] != nil || w.env.function(name) != nil) {
			put(name, append(args[:len(args):len(args)], w.scope(e))...)
		}
	}
}
