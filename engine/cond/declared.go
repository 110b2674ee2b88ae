package cond

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// BadFunction is the kind of problems with the declaration of a function.
const BadFunction = "bad-function"

// maxDepth bounds how deep functions call each other: each level needs stack of its own.
const maxDepth = 50

// callSteps is what a call costs, beside what the body does: about as long as so many empty steps of a loop.
const callSteps = 20

// Func is a function that a flow declares. It can be called from either language, whichever its body is written in. Its
// arguments have type any.
type Func struct {
	Name  string
	Args  []string
	body  *Program // nil: it has problems, and no program that calls it is run
	depth int      // 1, or more than that of the functions that it calls
}

// BadFunc stands for a function that has problems, so that calls of it are none.
func BadFunc(name string, args []string) *Func { return &Func{Name: name, Args: args} }

// NewFunc declares a function whose body is compiled. The problem, if not "", says why there can be none: functions
// call each other too deep.
func NewFunc(name string, args []string, body *Program) (f *Func, problem string) {
	f = &Func{Name: name, Args: args, body: body, depth: body.depth + 1}
	if f.depth > maxDepth {
		return nil, fmt.Sprintf("functions call each other more than %d deep here; write some of the bodies out", maxDepth)
	}
	return f, ""
}

// CheckFunc says why a function, or one of its arguments, cannot have its name; "" if it can. at is the index of the
// argument that is meant, -1 for the function itself. before are the functions that the body sees.
func CheckFunc(name string, args []string, lang Lang, before []*Func) (problem string, at int) {
	switch {
	case isExprBuiltin(name) || celNames[name]:
		return fmt.Sprintf("%s is a function of the expression languages; choose another name", name), -1
	case everVisible[name] || reserved[name] || celTypes[name]:
		return fmt.Sprintf("%s has a meaning of its own in expressions; choose another name", name), -1
	}
	for i, arg := range args {
		switch {
		case lang == CEL && celTypes[arg]:
			return fmt.Sprintf("the argument %s is the name of a type in CEL; choose another name", arg), i
		case recordNames[arg] || reserved[arg]:
			return fmt.Sprintf("the argument %s has a meaning of its own in expressions; choose another name", arg), i
		case isExprBuiltin(arg) || arg == name || slices.ContainsFunc(before, func(f *Func) bool { return f.Name == arg }):
			return fmt.Sprintf("the argument %s has the name of a function; choose another", arg), i
		case slices.Contains(args[:i], arg):
			return fmt.Sprintf("the argument %s stands here twice", arg), i
		}
	}
	return "", 0
}

// reserved are words that one of the languages reads as something else than a name.
var reserved = map[string]bool{
	"null": true, "nil": true, "true": true, "false": true, "in": true, "not": true, "and": true, "or": true, "let": true,
	"if": true, "else": true, "as": true, "break": true, "const": true, "continue": true, "for": true, "function": true,
	"import": true, "loop": true, "package": true, "namespace": true, "return": true, "var": true, "void": true, "while": true,
	"math": true, "strings": true, "lists": true, "optional": true,
}

// recordNames are the names of records that some expression can see.
var recordNames = map[string]bool{"store": true, "params": true, "prep": true, "vars": true, "run": true}

// celNames are the functions and macros of CEL, as they are without a namespace.
var celNames = names("all bool bytes charAt contains distinct double duration dyn endsWith exists exists_one filter first flatten " +
	"format getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has " +
	"hasValue indexOf int join last lastIndexOf lowerAscii map matches optFlatMap optMap or orValue replace reverse size slice " +
	"sort sortBy split startsWith string substring timestamp trim type uint unwrap unwrapOpt upperAscii value")

func names(list string) map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(list) {
		out[name] = true
	}
	return out
}

func isExprBuiltin(name string) bool {
	_, own := builtin.Index[name]
	return own || exprOff[name] != "" || sharedByName[name] != nil ||
		slices.ContainsFunc(exprOwn, func(f function) bool { return f.Name == name })
}

func (e *Env) function(name string) *Func {
	for _, f := range e.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// laterFunction is the problem of a call of a function that the body of another does not see yet.
func (e *Env) laterFunction(name string, offset int) (p Problem, is bool) {
	switch slices.Index(e.Later, name) {
	case -1:
		return p, false
	case 0:
		return Problem{Kind: BadFunction, Offset: offset, Message: fmt.Sprintf("the function %s calls itself; there is no recursion: loop with next, or over a list", name)}, true
	}
	return Problem{Kind: BadFunction, Offset: offset, Message: fmt.Sprintf("the function %s is declared after this one, which sees those before it; move it up", name)}, true
}

// calls notes that a program calls a function of the flow.
func (p *Program) calls(f *Func) {
	p.dag = true // what is given as an argument may stand in the result many times
	p.depth = max(p.depth, f.depth)
}

// frame is what the body of a function sees and runs in, at one depth of calls.
type frame struct {
	env map[string]any
	vm  vm.VM
}

// call runs the function within what is left of the Scope's bound on work. The arguments need not be normal values if
// the body is in expr.
func (f *Func) call(s *Scope, args []any) (any, error) {
	if err := s.spend(callSteps); err != nil {
		return nil, err
	}
	if s.depth == len(s.frames) {
		s.frames = append(s.frames, &frame{env: map[string]any{nowName: s.env[nowName], todayName: s.env[todayName], scopeName: s}})
		s.frames[s.depth].vm.MemoryBudget = maxMemory
	}
	inner, env, machine := s.frames[s.depth], s.env, s.vm
	inner.env["params"] = env["params"]
	for i, name := range f.Args {
		inner.env[name] = args[i]
	}
	s.depth++
	s.env, s.vm = inner.env, &inner.vm
	defer func() {
		s.depth--
		s.env, s.vm = env, machine
	}()
	out, ok := f.body.member(s)
	if !ok {
		var err error
		if out, err = f.body.run(s); err != nil {
			return nil, &callError{f.Name, fault.Of(err)}
		}
	}
	return out, nil
}

// callError is an error on its way out of a function: it has the place in the body, and none of the call yet.
type callError struct {
	name string
	err  *fault.Error
}

func (e *callError) Error() string { return e.err.Error() }
func (e *callError) Unwrap() error { return e.err }

// calledAt gives an error of a function's body with the place of its call, which is at a byte of the source.
func (p *Program) calledAt(e *callError, offset int) *fault.Error {
	out := *e.err
	out.Message = fmt.Sprintf("%s (in %s, called at %s)", out.Message, e.name, p.place(offset))
	return &out
}

// exprCallable declares the function to expr.
func (f *Func) exprCallable() *builtin.Function {
	result := anyType
	if f.body != nil {
		result = goType(f.body.typ)
	}
	return &builtin.Function{
		Name: f.Name,
		Func: func(args ...any) (any, error) {
			s, args := args[len(args)-1].(*Scope), args[:len(args)-1] // the rewriter adds it
			if f.body.lang == CEL {
				for i, arg := range args {
					v, err := argument(s, f.Name, arg, value.Any)
					if err != nil {
						return nil, err
					}
					args[i] = v
				}
			}
			return f.call(s, args)
		},
		Validate: func(args []reflect.Type) (reflect.Type, error) {
			if len(args) != len(f.Args) {
				return anyType, fmt.Errorf("%s takes %s, got %d", f.Name, countArguments(len(f.Args), 0), len(args))
			}
			return result, nil
		},
	}
}

// celCallable declares the function to CEL.
func (f *Func) celCallable() cel.EnvOption {
	params := make([]*types.Type, len(f.Args))
	for i := range params {
		params[i] = types.DynType
	}
	result := types.DynType
	if f.body != nil {
		result = celType(f.body.typ)
	}
	return cel.Function(f.Name, cel.Overload(f.Name+"_flow", params, result), cel.SingletonFunctionBinding(func(args ...ref.Val) ref.Val {
		s, args := celPays(args)
		values := make([]any, len(args))
		for i, arg := range args {
			v, err := s.native(arg)
			if err != nil {
				return types.WrapErr(err)
			}
			values[i] = v
		}
		out, err := f.call(s, values)
		if err == nil && f.body.lang == Expr {
			out, err = s.normal(out)
		}
		if err != nil {
			return types.WrapErr(err)
		}
		return wrap(out)
	}))
}

// ownFunction is the function that a call in expr calls, if a flow declares it.
func (e *exprEnv) ownFunction(n *ast.CallNode) *Func {
	if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
		return e.env.function(callee.Value)
	}
	return nil
}
