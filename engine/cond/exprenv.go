package cond

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/types"

	"pflow/internal/value"
)

// maxNodes bounds the size of expr's syntax tree, parentheses aside.
const maxNodes = 10_000

// exprEnv is what expr needs to compile against one Env.
type exprEnv struct {
	env       *Env
	config    *conf.Config
	functions []string // the names that can be called, for suggestions
}

func (c *Compiler) exprEnv(env *Env) *exprEnv {
	if e := c.exprs[env]; e != nil {
		return e
	}
	e := &exprEnv{env: env, config: exprConfig(env)}
	for name := range e.config.Builtins {
		e.functions = append(e.functions, name)
	}
	for name := range e.config.Functions {
		if name[0] != '@' {
			e.functions = append(e.functions, name)
		}
	}
	c.exprs[env] = e
	return e
}

// exprConfig declares an Env to expr. Its optimiser stays off: it folds and reorders, and with it the order in which
// errors come would differ from what is written.
func exprConfig(env *Env) *conf.Config {
	names := types.Map{nowName: types.String, todayName: types.String, scopeName: types.Any}
	for record, members := range env.Records {
		m := types.Map{}
		for name, t := range members {
			m[name] = exprType(t)
			if of, ok := env.Keyed[record+"."+name]; ok {
				m[name] = types.Map{types.Extra: exprType(of)}
			}
		}
		names[record] = m
	}
	for name, t := range env.Vars {
		names[name] = exprType(t)
	}
	config := conf.CreateNew()
	config.WithEnv(names)
	config.Optimize = false
	config.MaxNodes = maxNodes
	for name := range exprOff {
		delete(config.Builtins, name)
		config.Disabled[name] = true
	}
	maps.Copy(config.Functions, exprFunctions())
	for _, f := range env.Funcs {
		config.Functions[f.Name] = f.exprCallable()
	}
	return config
}

// exprFunctions are the functions that every expression sees. They are made once: a transform compiles for each run.
var exprFunctions = sync.OnceValue(func() map[string]*builtin.Function {
	out := map[string]*builtin.Function{anyName: anyFunction}
	for _, f := range slices.Concat(shared, exprOwn) {
		out[f.Name] = exprFunction(f)
	}
	for _, f := range exprAggregates {
		out[f.Name] = f
	}
	for name, f := range exprPaid {
		out[name] = &builtin.Function{Name: name, Func: f}
	}
	return out
})

func exprType(t value.Type) types.Type {
	switch t {
	case value.Boolean:
		return types.Bool
	case value.Integer:
		return types.Int
	case value.Number:
		return types.Float64
	case value.String:
		return types.String
	case value.Array:
		return types.TypeOf([]any(nil))
	case value.Object:
		return types.TypeOf(map[string]any(nil))
	}
	return types.Any
}

var anyType = reflect.TypeFor[any]()

func goType(t value.Type) reflect.Type {
	switch t {
	case value.Boolean:
		return reflect.TypeFor[bool]()
	case value.Integer:
		return reflect.TypeFor[int]()
	case value.Number:
		return reflect.TypeFor[float64]()
	case value.String:
		return reflect.TypeFor[string]()
	case value.Array:
		return reflect.TypeFor[[]any]()
	case value.Object:
		return reflect.TypeFor[map[string]any]()
	}
	return anyType
}

// valueType is the type of a flow that a Go type of expr's stands for; false for one that is none.
func valueType(t reflect.Type) (value.Type, bool) {
	if t == nil {
		return value.Any, true
	}
	switch t.Kind() {
	case reflect.Interface:
		return value.Any, true
	case reflect.Bool:
		return value.Boolean, true
	case reflect.Int, reflect.Int64:
		return value.Integer, true
	case reflect.Float64:
		return value.Number, true
	case reflect.String:
		return value.String, true
	case reflect.Slice, reflect.Array:
		return value.Array, true
	case reflect.Map:
		return value.Object, true
	}
	return "", false
}

// exprFunction declares a function to expr. One Validate instead of several signatures keeps checking linear: expr
// visits the arguments once for every signature it tries, which is exponential in the nesting of such calls.
func exprFunction(f function) *builtin.Function {
	return &builtin.Function{
		Name: f.Name,
		Func: func(args ...any) (any, error) {
			s, args := args[len(args)-1].(*Scope), args[:len(args)-1] // the rewriter adds it
			for i, arg := range args {
				v, err := argument(s, f.Name, arg, f.params[i])
				if err != nil {
					return nil, err
				}
				args[i] = v
			}
			return f.call(s, args)
		},
		Validate: func(args []reflect.Type) (reflect.Type, error) {
			if n := len(args); n < len(f.params)-f.optional || n > len(f.params) {
				return anyType, fmt.Errorf("%s takes %s, got %d", f.Name, countArguments(len(f.params), f.optional), n)
			}
			for i, arg := range args {
				got, ok := valueType(arg)
				want := f.params[i]
				if !ok || !(got == value.Any || want == value.Any || got == want || want == value.Number && got == value.Integer) {
					return anyType, fmt.Errorf("%s takes %s, got %s", f.Name, withArticle(string(want)), withArticle(string(got)))
				}
			}
			return goType(f.result), nil
		},
	}
}

func countArguments(most, optional int) string {
	switch {
	case most == 0:
		return "no arguments"
	case most == 1 && optional == 0:
		return "1 argument"
	case optional == 0:
		return fmt.Sprintf("%d arguments", most)
	}
	return fmt.Sprintf("%d to %d arguments", most-optional, most)
}

// exprOff are the functions of expr that read a clock or give what is no value of a flow, with what to do instead.
var exprOff = map[string]string{
	"date":     "dates are strings here, days and instants in RFC 3339; parse_date, format_date, add_date, diff_dates and truncate_date compute with them",
	"duration": "durations are numbers of seconds here; parse_duration and format_duration read and write them",
	"timezone": "a zone is a text here, such as \"Europe/Berlin\", that format_date and the like take last",
}

func (e *exprEnv) unknownFunction(name string, offset int) Problem {
	if p, ok := e.env.laterFunction(name, offset); ok {
		return p
	}
	if why, off := exprOff[name]; off {
		return Problem{Kind: BadExpression, Offset: offset, Message: fmt.Sprintf("%s is off: %s", name, why)}
	}
	return Problem{Kind: BadExpression, Offset: offset, Message: fmt.Sprintf("there is no function %q", name), Suggestion: e.env.nearestFunction(name, e.functions)}
}
