package cond

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// compileExpr takes an expr source through parsing, the names, expr's types, our operations and its byte code.
func (c *Compiler) compileExpr(p *Program, env *Env) (problems []Problem) {
	defer func() {
		// expr panics on some trees that its own parser lets through.
		if r := recover(); r != nil {
			problems = []Problem{{Kind: BadExpression, Message: "the expression cannot be compiled: " + plain(fmt.Sprint(r))}}
		}
	}()
	e := c.exprEnv(env)
	tree, err := parser.ParseWithConfig(p.src, e.config)
	if err != nil {
		return exprProblem(p.src, err)
	}
	names := resolver{exprEnv: e, src: p.src}
	tree.Node = names.node(tree.Node)
	if names.problems != nil {
		return names.problems
	}
	if err := e.check(tree); err != nil {
		return exprProblem(p.src, err)
	}
	var ok bool
	if p.typ, p.null, ok = e.typeOf(tree.Node); !ok {
		return []Problem{{Kind: BadExpression, Message: "the expression gives no value of a flow"}}
	}
	p.path = isPath(tree.Node) && !slices.ContainsFunc(names.reads, func(r Read) bool { return env.Keyed[r.Record] == value.Number })
	w := rewriter{exprEnv: e, program: p, made: map[*ast.CallNode]string{}, done: map[ast.Node]ast.Node{}}
	tree.Node = w.node(tree.Node)
	p.reads, p.dag = names.reads, p.dag || w.shares
	if p.expr, err = compiler.Compile(tree, e.config); err != nil {
		return exprProblem(p.src, err)
	}
	return nil
}

// isPath reports whether a tree only picks a value out of what the Scope holds, so that the value is normal already.
func isPath(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return true
	case *ast.ChainNode:
		return isPath(n.Node)
	case *ast.MemberNode:
		return isPath(n.Node)
	}
	return false
}

// typeOf is the static type of a checked tree. expr gives `a?.b` the type of b; since the value may be null, it is any
// here.
func (e *exprEnv) typeOf(n ast.Node) (t value.Type, null, ok bool) {
	switch n := n.(type) {
	case *ast.NilNode:
		return value.Any, true, true
	case *ast.ChainNode:
		return value.Any, false, true
	case *ast.VariableDeclaratorNode:
		return e.typeOf(n.Expr)
	case *ast.SequenceNode:
		return e.typeOf(n.Nodes[len(n.Nodes)-1])
	case *ast.ConditionalNode:
		return e.join(n.Exp1, n.Exp2)
	case *ast.BinaryNode:
		if n.Operator == "??" {
			return e.join(n.Left, n.Right)
		}
	case *ast.BuiltinNode:
		switch n.Name {
		case "find", "findLast", "findIndex", "findLastIndex", "first", "last", "get", "min", "max", "reduce", "sum":
			return value.Any, false, true
		}
	}
	nat := n.Nature()
	if nat.IsUnknown(&e.config.NtCache) {
		return value.Any, false, true
	}
	t, ok = valueType(nat.Type)
	return t, false, ok
}

func (e *exprEnv) join(a, b ast.Node) (value.Type, bool, bool) {
	x, nullX, ok1 := e.typeOf(a)
	y, nullY, ok2 := e.typeOf(b)
	if x != y {
		x = value.Any
	}
	return x, nullX && nullY, ok1 && ok2
}

func (p *Program) evalExpr(s *Scope) (any, error) {
	out, err := s.vm.Run(p.expr, s.env)
	if err == nil {
		return out, nil
	}
	var located *file.Error
	message, offset := err.Error(), 0
	if errors.As(err, &located) {
		message, offset = located.Message, byteOffset(p.src, located.From)
	}
	var known *fault.Error
	var called *callError
	switch {
	case errors.As(err, &called):
		return nil, p.calledAt(called, offset)
	case errors.As(err, &known):
		return nil, p.raise(known, offset)
	case strings.HasPrefix(message, "memory budget exceeded"):
		return nil, p.raise(tooMuchWork(), offset)
	}
	return nil, p.raise(&fault.Error{Kind: fault.Type, Message: plain(message), Cause: err}, offset)
}

// exprProblem reads an error of expr's parser, checker or compiler.
func exprProblem(src string, err error) []Problem {
	var located *file.Error
	if errors.As(err, &located) {
		p := Problem{Kind: BadExpression, Offset: byteOffset(src, located.From), Message: plain(located.Message)}
		if other, ok := foreignProblem(src, p.Offset); ok && strings.HasPrefix(p.Message, "unexpected") {
			return []Problem{other}
		}
		if m := memberOf.FindStringSubmatch(p.Message); m != nil && ofMethods[m[1]] != "" {
			p.Message += "; write " + ofMethods[m[1]]
		}
		return []Problem{p}
	}
	message, _, _ := strings.Cut(err.Error(), "\n")
	return []Problem{{Kind: BadExpression, Message: plain(message)}}
}

var memberOf = regexp.MustCompile(`has no member "(\w+)"$`)

// plain puts a message of expr's into the words of the flow language, on one line.
func plain(message string) string {
	message = strings.TrimSpace(strings.Join(strings.Fields(message), " "))
	for _, w := range wording {
		message = w.from.ReplaceAllString(message, w.to)
	}
	return message
}

var wording = func() []struct {
	from *regexp.Regexp
	to   string
} {
	var out []struct {
		from *regexp.Regexp
		to   string
	}
	for _, w := range [][2]string{
		{`^compilation failed: `, ``},
		{`^interface conversion: interface \{\} is (\S+(?: \{\})?), not (\S+)$`, `want $2, got $1`},
		{`^reflect: call of \S+ on (\S+) [vV]alue$`, `the operation does not fit $1`},
		{`^runtime error: `, ``},
		{`^invalid (\w+) literal: .*value out of range$`, `the number does not fit in 64 bits`},
		{`^type string\[(\S+)\] is undefined$`, `a string has no members; take a part of it with s[from:to]`},
		{`unexpected token EOF`, `unexpected end of the expression`},
		{`unexpected token \w+\("(.*)"\)`, `unexpected "$1"`},
		{`map\[string\](interface \{\}|any)|map\[(interface \{\}|any)\]\S+`, `object`},
		{`\[\](interface \{\}|any|int|string|float64)`, `array`},
		{`interface \{\}`, `any`},
		{`\bfloat64\b`, `number`},
		{`\bint\b`, `integer`},
		{`\bbool\b`, `boolean`},
		{`<nil>|\bnil\b`, `null`},
		{`^invalid operation: (\S+) \(mismatched types (\S+) and (\S+)\)$`, `cannot compute $2 $1 $3`},
		{`\bunknown\b`, `any`},
		{`^cannot compute (array \+ \S+|\S+ \+ array)$`, `cannot compute $1; concat(a, b) joins lists`},
		{`^invalid operation: (\S+) \(mismatched type (\S+)\)$`, `cannot apply $1 to $2`},
		{`^invalid operation: (\S+) ([-+*/<>=%^]+) (\S+)$`, `cannot compute $1 $2 $3`},
		{`^cannot compute ((?:integer|number) \+ string|string \+ (?:integer|number))$`, `cannot compute $1; string(x) makes a text of a number`},
		{`^builtin (\w+) takes only array \(got (\S+)\)$`, `$1 takes a list, got $2`},
		{`^non-boolean expression \(type (\S+)\) used as condition$`, `a condition must be boolean, got $1`},
		{`^cannot use (\S+) as argument \(type (\S+)\) to call (\S+)$`, `$3 takes $2, got $1`},
		{`^type (\S+) has no field (\S+)$`, `$1 has no member "$2"`},
		{`^array elements can only be selected using an integer \(got (\S+)\)$`, `a list is indexed by an integer, not by $1`},
		{`^expression exceeds maximum allowed nodes$`, `the expression is too long; do it in several nodes`},
	} {
		out = append(out, struct {
			from *regexp.Regexp
			to   string
		}{regexp.MustCompile(w[0]), w[1]})
	}
	return out
}()

// unknown is the nature of a value of which nothing is known.
var unknown nature.Nature

var boolNature = nature.FromType(reflect.TypeFor[bool]())

func intNature() *nature.Nature { n := nature.FromType(reflect.TypeFor[int]()); return &n }

func stringNature() nature.Nature { return nature.FromType(reflect.TypeFor[string]()) }
