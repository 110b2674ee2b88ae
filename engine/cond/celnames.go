package cond

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// celResolver settles the names of a parsed CEL tree, in place, before CEL's checker sees it: store.x becomes one
// variable with a dot in its name, and operators become the operations of celOperations, which agree with those that
// expr is given. && and || stay until the types are known, see celShortCircuit.
type celResolver struct {
	*celEnv
	src      string
	tree     *ast.AST
	fac      ast.ExprFactory
	next     int64 // the highest id of a node
	locals   []string
	loops    bool
	called   []*Func
	problems []Problem
	reads    []Read
}

func (r *celResolver) offset(id int64) int {
	if o, ok := r.tree.SourceInfo().GetOffsetRange(id); ok {
		return byteOffset(r.src, int(o.Start))
	}
	return 0
}

func (r *celResolver) problem(at int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Kind: BadExpression, Offset: at, Message: fmt.Sprintf(format, args...)})
}

// call makes e a call of one of our operations.
func (r *celResolver) call(e ast.Expr, name string, args ...ast.Expr) {
	e.SetKindCase(r.fac.NewCall(e.ID(), name, args...))
}

// text makes a string constant that stands where e does.
func (r *celResolver) text(e ast.Expr, s string) ast.Expr {
	return r.fac.NewLiteral(r.id(e), types.String(s))
}

// id is that of a new node, which stands where e does.
func (r *celResolver) id(e ast.Expr) int64 {
	r.next++
	placeAs(r.tree, r.next, e)
	return r.next
}

func placeAs(tree *ast.AST, id int64, e ast.Expr) {
	if o, ok := tree.SourceInfo().GetOffsetRange(e.ID()); ok {
		tree.SourceInfo().SetOffsetRange(id, o)
	}
}

// expr resolves e and what is under it. accu is the accumulator of the macro whose step e belongs to.
func (r *celResolver) expr(e ast.Expr, accu string) {
	switch e.Kind() {
	case ast.IdentKind:
		r.ident(e)
	case ast.SelectKind:
		r.selection(e, accu)
	case ast.CallKind:
		r.callExpr(e, accu)
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			r.expr(item, accu)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.expr(entry.AsMapEntry().Key(), accu)
			r.expr(entry.AsMapEntry().Value(), accu)
		}
	case ast.StructKind:
		r.problem(r.offset(e.ID()), "there are no message types; write an object as {\"key\": value}")
	case ast.ComprehensionKind:
		r.comprehension(e)
	case ast.LiteralKind:
		switch e.AsLiteral().(type) {
		case types.Bytes:
			r.problem(r.offset(e.ID()), "there are no byte strings; use a string")
		case types.Uint:
			r.problem(r.offset(e.ID()), "there are no unsigned integers; leave out the u")
		}
	}
}

// celTypes are the names of types, which are values in CEL: type(x) == string.
var celTypes = map[string]bool{
	"bool": true, "int": true, "double": true, "string": true, "list": true, "map": true, "null_type": true,
	"type": true, "dyn": true, "optional_type": true, "uint": true, "bytes": true,
}

func (r *celResolver) ident(e ast.Expr) {
	name := e.AsIdent()
	if name[0] == '@' || slices.Contains(r.locals, name) || celTypes[name] {
		return
	}
	if _, ok := r.env.Vars[name]; ok {
		return
	}
	if _, ok := r.env.Records[name]; ok {
		r.problems = append(r.problems, r.env.recordAsValue(name, r.offset(e.ID())))
		return
	}
	if name == "nil" || name == "None" {
		r.problems = append(r.problems, Problem{Kind: BadExpression, Offset: r.offset(e.ID()), Message: fmt.Sprintf("unknown name %q", name), Suggestion: "null"})
		return
	}
	r.problems = append(r.problems, r.env.unknownName(name, r.offset(e.ID()), r.functions))
}

// record names the record that an expression stands for: store, or run.visits.
func (r *celResolver) record(e ast.Expr) (string, bool) {
	if e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly() {
		of, ok := r.record(e.AsSelect().Operand())
		if !ok || !r.env.keyed(of, e.AsSelect().FieldName()) {
			return "", false
		}
		return of + "." + e.AsSelect().FieldName(), true
	}
	if e.Kind() != ast.IdentKind || slices.Contains(r.locals, e.AsIdent()) {
		return "", false
	}
	_, ok := r.env.Records[e.AsIdent()]
	return e.AsIdent(), ok
}

// member makes e the variable of a record's member, or reports that there is none. Asked for with .? it is an optional,
// since that is what the source goes on with.
func (r *celResolver) member(e ast.Expr, record, name string, at int, asked bool) {
	if _, ok := r.env.Keyed[record]; ok {
		r.reads = append(r.reads, Read{record, name, at})
		of := r.fac.NewIdent(r.id(e), record)
		if asked {
			r.call(e, "@ask", of, r.text(e, name))
		} else {
			r.call(e, "@member", of, r.text(e, name))
		}
		return
	}
	if r.env.keyed(record, name) {
		r.problems = append(r.problems, r.env.recordAsValue(record+"."+name, r.offset(e.ID())))
		return
	}
	if _, ok := r.env.Records[record][name]; !ok {
		r.problems = append(r.problems, r.env.unknownMember(record, name, at))
		return
	}
	r.reads = append(r.reads, Read{record, name, at})
	if asked {
		r.call(e, "optional.of", r.fac.NewIdent(r.id(e), record+"."+name))
		return
	}
	e.SetKindCase(r.fac.NewIdent(e.ID(), record+"."+name))
}

func (r *celResolver) selection(e ast.Expr, accu string) {
	sel := e.AsSelect()
	at := r.offset(e.ID()) // of the dot; findings point behind it
	if o, ok := r.tree.SourceInfo().GetOffsetRange(e.ID()); ok && strings.HasPrefix(r.src[at:], ".") {
		r.tree.SourceInfo().SetOffsetRange(e.ID(), ast.OffsetRange{Start: o.Start + 1, Stop: o.Stop})
		at++
	}
	if record, ok := r.record(sel.Operand()); ok {
		if sel.IsTestOnly() {
			r.problem(r.after(at, sel.FieldName()), "%s.%s is declared, so has() says nothing: compare it with null", record, sel.FieldName())
			return
		}
		r.member(e, record, sel.FieldName(), r.after(at, sel.FieldName()), false)
		return
	}
	r.expr(sel.Operand(), accu)
	name := "@member"
	if sel.IsTestOnly() {
		name = "@has"
	}
	r.call(e, name, sel.Operand(), r.text(e, sel.FieldName()))
}

// after finds a member's name behind the dot at an offset.
func (r *celResolver) after(at int, name string) int {
	for i := at; i+len(name) <= len(r.src) && i < at+200; i++ {
		if r.src[i:i+len(name)] == name {
			return i
		}
	}
	return at
}

var celOperators = map[string]string{
	operators.Index: "@member", operators.OptIndex: "@ask", operators.OptSelect: "@ask",
	operators.Equals: "@eq", operators.NotEquals: "@ne", operators.In: "@among", operators.Negate: "@neg",
	operators.Add: "@add", operators.Subtract: "@sub", operators.Multiply: "@mul", operators.Divide: "@div", operators.Modulo: "@mod",
	operators.Less: "@lt", operators.LessEquals: "@le", operators.Greater: "@gt", operators.GreaterEquals: "@ge",
}

func (r *celResolver) callExpr(e ast.Expr, accu string) {
	call := e.AsCall()
	name, at := call.FunctionName(), r.offset(e.ID())
	if r.special(e, accu) {
		return
	}
	if why := celOff[name]; why != "" {
		r.problem(r.before(at, name), "%s is off: %s", name, why)
	}
	if call.IsMemberFunction() {
		r.method(e, accu)
		return
	}
	args := call.Args()
	for _, arg := range args {
		r.expr(arg, accu)
	}
	if ours, ok := celReplaced[name]; ok && len(args) > 0 {
		r.call(e, ours, args...)
		return
	}
	if ours, ok := celOperators[name]; ok {
		r.call(e, ours, args...)
		return
	}
	if f := r.env.function(name); f != nil {
		r.called = append(r.called, f)
		return
	}
	if c := name[0]; c >= 'a' && c <= 'z' && celOff[name] == "" && !slices.Contains(r.functions, name) {
		r.unknownFunction(name, r.before(at, name))
	}
}

// special settles the calls that are no calls here: members of records, the sum of a macro, now() and today(). It
// reports whether nothing is left to do.
func (r *celResolver) special(e ast.Expr, accu string) bool {
	call := e.AsCall()
	name, args, at := call.FunctionName(), call.Args(), r.offset(e.ID())
	switch name {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		record, ok := r.record(args[0])
		if !ok {
			return false
		}
		key, ok := args[1].AsLiteral().(types.String)
		if !ok || args[1].Kind() != ast.LiteralKind {
			r.problems = append(r.problems, r.env.recordAsValue(record, r.offset(args[0].ID())))
			return true
		}
		r.member(e, record, string(key), r.after(at, string(key)), name != operators.Index)
		return true
	case operators.Add:
		if accu != "" && args[0].Kind() == ast.IdentKind && args[0].AsIdent() == accu {
			r.expr(args[1], accu) // a macro's own, which CEL runs without copying the list each time
			return true
		}
	case "now", "today":
		if !call.IsMemberFunction() && len(args) == 0 {
			e.SetKindCase(r.fac.NewIdent(e.ID(), "@"+name))
			return true
		}
		r.problem(r.before(at, name), "%s takes no arguments", name)
		return true
	}
	for i, arg := range args {
		if text, ok := celLiteral(arg); ok {
			if reason := badLiteral(name, i, text); reason != "" {
				r.problem(r.offset(arg.ID()), "%s", reason)
			}
		}
	}
	return false
}

// method settles a call of a value's method, or of a function with a dot in its name.
func (r *celResolver) method(e ast.Expr, accu string) {
	call := e.AsCall()
	name, args, target := call.FunctionName(), call.Args(), call.Target()
	of := ""
	if target.Kind() == ast.IdentKind && r.namespace(target.AsIdent()+"."+name) {
		of = target.AsIdent()
	} else {
		r.expr(target, accu)
		if !slices.Contains(r.functions, name) && name[0] != '@' && celOff[name] == "" {
			r.unknownFunction(name, r.before(r.offset(e.ID()), name))
		}
	}
	for _, arg := range args {
		r.expr(arg, accu)
	}
	switch {
	case name == "replace" || name == "join" || name == "distinct":
		r.call(e, "@"+name, append([]ast.Expr{target}, args...)...)
	case name == "value" && len(args) == 0:
		r.call(e, "@value", target)
	case name == "range" && of == "lists":
		r.call(e, "@range", args...)
	case of == "optional" && len(args) == 1:
		// What .orValue gives instead may be of another type, so an optional has no type of its own.
		args[0] = r.fac.NewCall(r.id(args[0]), "dyn", args[0])
		e.SetKindCase(r.fac.NewMemberCall(e.ID(), name, target, args...))
	}
}

// celReplaced are functions of CEL that lose a part of a number, or take too few values, by ours.
var celReplaced = map[string]string{
	"string": "@text", "int": "@int", "double": "@double", "math.@max": "@greatest", "math.@min": "@least",
}

// namespace reports whether a dotted name is a function's, as in optional.none() or math.abs(x).
func (r *celResolver) namespace(name string) bool { return slices.Contains(r.functions, name) }

// before gives the place of a function's name; a call's own place is that of its bracket.
func (r *celResolver) before(at int, name string) int {
	if from := at - len(name); from >= 0 && r.src[from:at] == name {
		return from
	}
	return at
}

func (r *celResolver) unknownFunction(name string, at int) {
	if p, ok := r.env.laterFunction(name, at); ok {
		r.problems = append(r.problems, p)
		return
	}
	r.problems = append(r.problems, Problem{Kind: BadExpression, Offset: at, Message: fmt.Sprintf("there is no function %q", name),
		Suggestion: r.env.nearestFunction(name, r.functions)})
}

func (r *celResolver) comprehension(e ast.Expr) {
	c := e.AsComprehension()
	r.loops = true
	r.expr(c.IterRange(), "")
	if name := c.IterVar(); everVisible[name] {
		r.problem(r.offset(e.ID()), "%s cannot be the name of a variable", name)
		return
	}
	r.expr(c.AccuInit(), "")
	r.locals = append(r.locals, c.IterVar(), c.AccuVar())
	r.expr(c.LoopCondition(), c.AccuVar())
	r.expr(c.LoopStep(), c.AccuVar())
	r.expr(c.Result(), c.AccuVar())
	r.locals = r.locals[:len(r.locals)-2]
	over := r.fac.NewCall(r.id(c.IterRange()), "@iter", c.IterRange())
	e.SetKindCase(r.fac.NewComprehension(e.ID(), over, c.IterVar(), c.AccuVar(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()))
}
