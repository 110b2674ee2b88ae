package cond

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"

	"pflow/internal/value"
)

// celBase is the environment without names: the languages' functions, ours, and our operations.
type celBase struct{ env *cel.Env }

// celEnv is what CEL needs to compile against one Env.
type celEnv struct {
	env       *Env
	cel       *cel.Env
	functions []string
}

func (c *Compiler) celEnv(env *Env) (*celEnv, error) {
	if e := c.cels[env]; e != nil {
		return e, nil
	}
	if c.cel == nil {
		base, err := newCELBase()
		if err != nil {
			return nil, err
		}
		c.cel = base
	}
	variables := []*decls.VariableDecl{decls.NewVariable(nowName, types.StringType), decls.NewVariable(todayName, types.StringType)}
	for record, members := range env.Records {
		for name, t := range members {
			of := celType(t)
			if t, ok := env.Keyed[record+"."+name]; ok {
				of = types.NewMapType(types.StringType, celType(t))
			}
			variables = append(variables, decls.NewVariable(record+"."+name, of))
		}
	}
	for name, t := range env.Vars {
		variables = append(variables, decls.NewVariable(name, celType(t)))
	}
	options := []cel.EnvOption{cel.VariableDecls(variables...)}
	for _, f := range env.Funcs {
		options = append(options, f.celCallable())
	}
	extended, err := c.cel.env.Extend(options...)
	if err != nil {
		return nil, err
	}
	e := &celEnv{env: env, cel: extended}
	e.functions = append(e.functions, "now", "today", "all", "exists", "exists_one", "filter", "map", "has", "optMap", "optFlatMap")
	for name := range extended.Functions() {
		if c := name[0]; c >= 'a' && c <= 'z' && celOff[name] == "" {
			e.functions = append(e.functions, name)
		}
	}
	c.cels[env] = e
	return e, nil
}

func celType(t value.Type) *types.Type {
	switch t {
	case value.Boolean:
		return types.BoolType
	case value.Integer:
		return types.IntType
	case value.Number:
		return types.DoubleType
	case value.String:
		return types.StringType
	case value.Array:
		return types.NewListType(types.DynType)
	case value.Object:
		return types.NewMapType(types.StringType, types.DynType)
	}
	return types.DynType
}

// celOff are functions of CEL that read time, or grow without a bound, with what to do instead.
var celOff = map[string]string{
	"timestamp":       "dates are strings here, days and instants in RFC 3339; parse_date, format_date, add_date, diff_dates and truncate_date compute with them",
	"duration":        "durations are numbers of seconds here; parse_duration and format_duration read and write them",
	"getDate":         "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getDayOfMonth":   "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getDayOfWeek":    "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getDayOfYear":    "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getFullYear":     "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getHours":        "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getMilliseconds": "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getMinutes":      "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getMonth":        "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"getSeconds":      "dates are strings here; format_date writes a part of one, weekday its day of the week",
	"bytes":           "there are no byte strings; use a string",
	"format":          "join strings with + and string()",
}

func newCELBase() (*celBase, error) {
	options := []cel.EnvOption{
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(MaxSource),
		ext.Strings(), ext.Lists(), ext.Math(),
	}
	for _, f := range shared {
		if f.call != nil {
			options = append(options, celFunction(f))
		}
	}
	env, err := cel.NewEnv(append(options, celOperations()...)...)
	if err != nil {
		return nil, err
	}
	return &celBase{env: env}, nil
}

// celFunction declares one of our functions to CEL: a signature for each number of arguments, and for integers where
// numbers are taken.
func celFunction(f function) cel.EnvOption {
	options := []cel.FunctionOpt{cel.SingletonFunctionBinding(celCall(f))}
	for n := len(f.params) - f.optional; n <= len(f.params); n++ {
		for i, params := range celSignatures(f.params[:n]) {
			options = append(options, cel.Overload(fmt.Sprintf("%s_pflow_%d_%d", f.Name, n, i), params, celType(f.result)))
		}
	}
	return cel.Function(f.Name, options...)
}

func celSignatures(params []value.Type) [][]*types.Type {
	out := [][]*types.Type{{}}
	for _, t := range params {
		var next [][]*types.Type
		for _, before := range out {
			before = before[:len(before):len(before)]
			next = append(next, append(before, celType(t)))
			if t == value.Number {
				next = append(next, append(before, types.IntType))
			}
		}
		out = next
	}
	return out
}

// celCall calls a function with its arguments checked. The last is the Scope, which celRewrite adds.
func celCall(f function) func(args ...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		s, args := celPays(args)
		values := make([]any, len(args))
		for i, arg := range args {
			v, err := s.native(arg)
			if err == nil {
				v, err = argument(s, f.Name, v, f.params[i])
			}
			if err != nil {
				return types.WrapErr(err)
			}
			values[i] = v
		}
		return result(f.call(s, values))
	}
}

// celOperations declares what celResolver puts in the place of CEL's operators. Their signatures are CEL's, with
// integers and numbers mixed.
func celOperations() []cel.EnvOption {
	a, k := types.NewTypeParamType("A"), types.NewTypeParamType("K")
	list, object, dyn := types.NewListType(a), types.NewMapType(k, a), types.DynType
	asked := types.NewOptionalType(dyn)
	type sig struct {
		params []*types.Type
		result *types.Type
	}
	two := func(x, y, out *types.Type) sig { return sig{[]*types.Type{x, y}, out} }
	declare := func(name string, binding decls.FunctionOpt, sigs ...sig) cel.EnvOption {
		opts := []decls.FunctionOpt{binding}
		for i, s := range sigs {
			opts = append(opts, decls.Overload(fmt.Sprintf("%s_%d", name, i), s.params, s.result))
		}
		return cel.Function(name, opts...)
	}
	i, d, s, b := types.IntType, types.DoubleType, types.StringType, types.BoolType
	numbers := []sig{two(i, i, i), two(d, d, d), two(i, d, d), two(d, i, d)}
	order := []sig{two(i, i, b), two(d, d, b), two(i, d, b), two(d, i, b), two(s, s, b)}
	one := func(x, out *types.Type) sig { return sig{[]*types.Type{x}, out} }
	extremesOf := []sig{
		one(i, i), one(d, d), one(types.NewListType(dyn), dyn),
		two(i, i, i), two(d, d, d), two(i, d, dyn), two(d, i, dyn),
	}
	out := []cel.EnvOption{
		declare("@member", cel.SingletonBinaryBinding(celMember), two(object, k, a), two(list, i, a), two(asked, dyn, asked)),
		declare("@ask", cel.SingletonBinaryBinding(celAsk), two(dyn, dyn, asked)),
		declare("@has", cel.SingletonBinaryBinding(celHas), two(object, k, b), two(asked, dyn, b)),
		declare("@among", cel.SingletonFunctionBinding(celIn), two(dyn, types.NewListType(dyn), b), two(dyn, types.NewMapType(dyn, dyn), b)),
		declare("@eq", cel.SingletonBinaryBinding(func(x, y ref.Val) ref.Val { return celEqual(x, y, true) }), two(dyn, dyn, b)),
		declare("@ne", cel.SingletonBinaryBinding(func(x, y ref.Val) ref.Val { return celEqual(x, y, false) }), two(dyn, dyn, b)),
		declare("@add", cel.SingletonBinaryBinding(celArithmetic("+")), append(numbers, two(s, s, s), two(types.NewListType(dyn), types.NewListType(dyn), types.NewListType(dyn)))...),
		declare("@concat", cel.SingletonFunctionBinding(celConcat), sig{[]*types.Type{dyn, dyn, dyn}, dyn}),
		declare("@value", cel.SingletonUnaryBinding(celValue), sig{[]*types.Type{types.NewOptionalType(a)}, a}),
		declare("@same", cel.SingletonFunctionBinding(celSame(true)), sig{[]*types.Type{dyn, dyn, dyn}, b}),
		declare("@differ", cel.SingletonFunctionBinding(celSame(false)), sig{[]*types.Type{dyn, dyn, dyn}, b}),
		declare("@tick", cel.SingletonBinaryBinding(celTick), two(dyn, b, b)),
		declare("@sub", cel.SingletonBinaryBinding(celArithmetic("-")), numbers...),
		declare("@mul", cel.SingletonBinaryBinding(celArithmetic("*")), numbers...),
		declare("@div", cel.SingletonBinaryBinding(celArithmetic("/")), numbers...),
		declare("@mod", cel.SingletonBinaryBinding(celArithmetic("%")), two(i, i, i)),
		declare("@neg", cel.SingletonUnaryBinding(func(x ref.Val) ref.Val { return celArithmetic("-")(types.Int(0), x) }),
			sig{[]*types.Type{i}, i}, sig{[]*types.Type{d}, d}),
		declare("@int", cel.SingletonFunctionBinding(celCall(own("int", value.Integer, toInt, value.Any))), one(i, i), one(d, i), one(s, i)),
		declare("@double", cel.SingletonFunctionBinding(celCall(own("double", value.Number, toNumber("double"), value.Any))), one(i, d), one(d, d), one(s, d)),
		declare("@greatest", cel.SingletonFunctionBinding(celCall(extremes("math.greatest", 1))), extremesOf...),
		declare("@least", cel.SingletonFunctionBinding(celCall(extremes("math.least", -1))), extremesOf...),
		declare("@iter", cel.SingletonFunctionBinding(celIter), sig{[]*types.Type{list}, list}, sig{[]*types.Type{object}, types.NewListType(k)}),
		declare("@string", cel.SingletonUnaryBinding(celString), sig{[]*types.Type{dyn}, s}),
		declare("@text", cel.SingletonFunctionBinding(celText), sig{[]*types.Type{dyn}, s}),
		declare("@range", cel.SingletonFunctionBinding(celRange), sig{[]*types.Type{i}, types.NewListType(i)}),
		declare("@paid", cel.SingletonFunctionBinding(celPaid), sig{[]*types.Type{a, i, dyn}, a}),
		declare("@paidtext", cel.SingletonFunctionBinding(celPaidText), sig{[]*types.Type{a, i, dyn}, a}),
		declare("@walked", cel.SingletonFunctionBinding(celWalked), two(a, dyn, a)),
		declare("@matches", cel.SingletonFunctionBinding(celMatches), sig{[]*types.Type{s, s, dyn}, b}),
		declare("@find", cel.SingletonFunctionBinding(celFind(false)), two(s, s, i), sig{[]*types.Type{s, s, i}, i}),
		declare("@findlast", cel.SingletonFunctionBinding(celFind(true)), two(s, s, i), sig{[]*types.Type{s, s, i}, i}),
		declare("@bool", cel.SingletonUnaryBinding(celBool), sig{[]*types.Type{dyn}, b}),
		declare("@join", cel.SingletonFunctionBinding(celCall(own("join", value.String, join, value.Array, value.String))),
			sig{[]*types.Type{types.NewListType(s)}, s}, two(types.NewListType(s), s, s)),
		declare("@distinct", cel.SingletonFunctionBinding(celCall(own("distinct", value.Array, uniq, value.Array))), sig{[]*types.Type{list}, list}),
		declare("@replace", cel.SingletonFunctionBinding(celCall(own("replace", value.String, replace, value.String, value.String, value.String, value.Integer))), sig{[]*types.Type{s, s, s}, s}, sig{[]*types.Type{s, s, s, i}, s}),
	}
	for op, holds := range map[string]func(int) bool{
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	} {
		out = append(out, declare(orderNames[op], cel.SingletonBinaryBinding(celCompare(op, holds)), order...))
	}
	return out
}
