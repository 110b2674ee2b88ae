package cond

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// maxOpened bounds how often a tree is checked again after branches of two types were opened.
const maxOpened = 20

// compileCEL takes a CEL source through parsing, the names and our operations, CEL's types, and its plan.
func (c *Compiler) compileCEL(p *Program, env *Env) (problems []Problem) {
	defer func() {
		if r := recover(); r != nil {
			problems = []Problem{{Kind: BadExpression, Message: "the expression cannot be compiled: " + plain(fmt.Sprint(r))}}
		}
	}()
	e, err := c.celEnv(env)
	if err != nil {
		return []Problem{{Kind: BadExpression, Message: "CEL cannot be set up: " + plain(err.Error())}}
	}
	parsed, issues := e.cel.Parse(p.src)
	if issues.Err() != nil {
		return celProblems(p.src, issues)
	}
	tree := parsed.NativeRep()
	names := celResolver{celEnv: e, src: p.src, tree: tree, fac: ast.NewExprFactory(), next: ast.MaxID(tree)}
	names.expr(tree.Expr(), "")
	if names.problems != nil {
		return names.problems
	}
	checked, issues := e.cel.Check(parsed)
	for range maxOpened {
		if issues.Err() == nil || !names.openBranches(issues) {
			break
		}
		checked, issues = e.cel.Check(parsed)
	}
	if issues.Err() != nil {
		return celProblems(p.src, issues)
	}
	tree = checked.NativeRep()
	if problems := celMismatches(p.src, tree); problems != nil {
		return problems
	}
	out := checked.OutputType()
	t, ok := celValueType(out)
	if !ok {
		return []Problem{{Kind: BadExpression, Message: celNoValue(out)}}
	}
	p.typ, p.null, p.reads = t, out.Kind() == types.NullTypeKind, names.reads
	p.dag = names.loops
	for _, f := range names.called {
		p.calls(f)
	}
	p.info = tree.SourceInfo()
	celRewrite(tree, env, names.next)
	if p.cel, err = e.cel.Program(checked, cel.EvalOptions(cel.OptOptimize)); err != nil {
		return []Problem{{Kind: BadExpression, Message: plain(err.Error())}}
	}
	return nil
}

func (p *Program) evalCEL(s *Scope) (any, error) {
	out, _, err := p.cel.Eval((*activation)(s))
	if err == nil {
		v, err := s.native(out)
		if err != nil {
			return nil, p.Raise(err)
		}
		return v, nil
	}
	message, offset := err.Error(), 0
	var celErr *types.Err
	if errors.As(err, &celErr) {
		message, offset = celErr.String(), p.celOffset(celErr.NodeID())
	}
	var known *fault.Error
	var cancelled interpreter.EvalCancelledError
	var called *callError
	switch {
	case errors.As(err, &called):
		return nil, p.calledAt(called, offset)
	case errors.As(err, &known):
		return nil, p.raise(known, offset)
	case errors.As(err, &cancelled):
		return nil, p.raise(s.stop, offset)
	}
	return nil, p.raise(&fault.Error{Kind: fault.Type, Message: celPlain(message), Cause: err}, offset)
}

// celOffset is where an operation of CEL stands. A call's own place is that of its bracket; here it is its name's.
func (p *Program) celOffset(id int64) int {
	o, ok := p.info.GetOffsetRange(id)
	if !ok {
		return 0
	}
	at := byteOffset(p.src, int(o.Start))
	if at < len(p.src) && p.src[at] == '(' {
		for at > 0 && isNameByte(p.src[at-1]) {
			at--
		}
	}
	return at
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// activation is a Scope as CEL sees it. Members of records are variables with a dot in their name.
type activation Scope

func (a *activation) Parent() interpreter.Activation { return nil }

func (a *activation) ResolveName(name string) (any, bool) {
	dot := strings.IndexByte(name, '.')
	if dot < 0 {
		if name == scopeName {
			return celScope{(*Scope)(a)}, true
		}
		v, ok := a.env[name]
		return v, ok
	}
	record, _ := a.env[name[:dot]].(map[string]any)
	v, ok := record[name[dot+1:]]
	if !ok {
		return types.WrapErr(missing(record, name[dot+1:])), true
	}
	return v, true
}

// celValueType is the type of a flow that a static type of CEL's stands for; false for one that is none.
func celValueType(t *types.Type) (value.Type, bool) {
	switch t.Kind() {
	case types.DynKind, types.AnyKind, types.NullTypeKind, types.TypeParamKind:
		return value.Any, true
	case types.BoolKind:
		return value.Boolean, true
	case types.IntKind, types.UintKind:
		return value.Integer, true
	case types.DoubleKind:
		return value.Number, true
	case types.StringKind:
		return value.String, true
	case types.ListKind:
		return value.Array, true
	case types.MapKind:
		return value.Object, true
	}
	return "", false
}

func celNoValue(t *types.Type) string {
	if isOptional(t) {
		return "an optional is no value of a flow; read it with .orValue(…), or ask with .hasValue()"
	}
	return fmt.Sprintf("the expression gives %s, which is no value of a flow", celTypeName(t.String()))
}
