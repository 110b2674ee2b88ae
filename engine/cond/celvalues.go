package cond

import (
	"errors"
	"math"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// native gives a CEL value as the engine holds it, paid for by what is made. Lists and objects that came from the store are
// given as they are.
func (s *Scope) native(v ref.Val) (any, error) { return native(v, s.spend) }

// native gives a CEL value as the engine holds it; pay is asked before n values are made.
func native(v ref.Val, pay func(n int) error) (any, error) {
	switch v := v.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int(v), nil
	case types.Double:
		return float64(v), nil
	case types.String:
		return string(v), nil
	case types.Uint:
		if uint64(v) > math.MaxInt64 {
			return nil, fault.New(fault.Type, "the integer %d does not fit in 64 bits", uint64(v))
		}
		return int(v), nil
	case *types.Optional:
		return nil, fault.New(fault.Type, "an optional is no value of a flow; read it with .orValue(…), or ask with .hasValue()")
	case *types.Err:
		return nil, v
	case traits.Mapper:
		return nativeMap(v, pay)
	case traits.Lister:
		return nativeList(v, pay)
	}
	return nil, fault.New(fault.Type, "%s is no value of a flow", celTypeName(v.Type().TypeName()))
}

func nativeList(v traits.Lister, pay func(int) error) (any, error) {
	if items, ok := v.Value().([]any); ok {
		return items, nil
	}
	n, _ := v.Size().(types.Int)
	if err := pay(int(n)); err != nil {
		return nil, err
	}
	out := make([]any, n)
	for i := range out {
		item, err := native(v.Get(types.Int(i)), pay)
		if err != nil {
			return nil, err
		}
		out[i] = item
	}
	return out, nil
}

func nativeMap(v traits.Mapper, pay func(int) error) (any, error) {
	if m, ok := v.Value().(map[string]any); ok {
		return m, nil
	}
	n, _ := v.Size().(types.Int)
	if err := pay(int(n)); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for it := v.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		key, ok := k.(types.String)
		if !ok {
			return nil, fault.New(fault.Type, "an object's keys are strings, not %s", celTypeName(k.Type().TypeName()))
		}
		item, err := native(v.Get(k), pay)
		if err != nil {
			return nil, err
		}
		out[string(key)] = item
	}
	return out, nil
}

// sketch gives a CEL value as far as an operation on scalars needs it: of a large list or object that CEL made there is
// nothing but its kind.
func sketch(v ref.Val) (any, error) {
	left := 100
	out, err := native(v, func(n int) error {
		if left -= n; left < 0 {
			return errLarge
		}
		return nil
	})
	if err != errLarge {
		return out, err
	}
	if _, ok := v.(traits.Mapper); ok {
		return map[string]any{}, nil
	}
	return []any{}, nil
}

var errLarge = errors.New("large")

// wrap gives a normalised value to CEL.
func wrap(v any) ref.Val {
	switch v := v.(type) {
	case nil:
		return types.NullValue
	case bool:
		return types.Bool(v)
	case int:
		return types.Int(v)
	case float64:
		return types.Double(v)
	case string:
		return types.String(v)
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

func result(v any, err error) ref.Val {
	if err != nil {
		return types.WrapErr(err)
	}
	return wrap(v)
}

// both gives the operands of an operation on scalars.
func both(x, y ref.Val) (a, b any, err error) {
	if a, err = sketch(x); err != nil {
		return nil, nil, err
	}
	b, err = sketch(y)
	return a, b, err
}

// both gives the operands of an operation as the engine holds them.
func (s *Scope) both(x, y ref.Val) (a, b any, err error) {
	if a, err = s.native(x); err != nil {
		return nil, nil, err
	}
	b, err = s.native(y)
	return a, b, err
}

// celMissing is missing of a list or an object that CEL may have made.
func celMissing(x, y ref.Val) error {
	base, key, err := both(x, y)
	if err != nil {
		return err
	}
	if n, ok := x.(traits.Sizer); ok && n.Size() != types.IntZero {
		switch b := base.(type) {
		case []any:
			if _, name := key.(string); len(b) == 0 && !name {
				size, _ := n.Size().(types.Int)
				return missingItem(key, int(size))
			}
		case map[string]any:
			if len(b) == 0 {
				return fault.New(fault.MissingKey, "there is no member %s", value.JSON(key))
			}
		}
	}
	return missing(base, key)
}

// celLookup is lookup in what CEL may have made, which is asked as it is.
func celLookup(x, y ref.Val) (ref.Val, bool, error) {
	switch c := x.(type) {
	case traits.Mapper:
		if _, ok := c.Value().(map[string]any); !ok {
			v, found := c.Find(y)
			return v, found, nil
		}
	case traits.Lister:
		if _, ok := c.Value().([]any); !ok {
			n, _ := c.Size().(types.Int)
			key, err := sketch(y)
			if err != nil {
				return nil, false, err
			}
			i, ok, err := index(key, int(n))
			if err != nil || !ok {
				return nil, false, err
			}
			return c.Get(types.Int(i)), true, nil
		}
	}
	base, key, err := both(x, y)
	if err != nil {
		return nil, false, err
	}
	v, found, err := lookup(base, key)
	return wrap(v), found, err
}

func celMember(x, y ref.Val) ref.Val {
	if opt, ok := x.(*types.Optional); ok {
		return celAsk(opt, y)
	}
	v, found, err := celLookup(x, y)
	if err != nil {
		return types.WrapErr(err)
	}
	if !found {
		return types.WrapErr(celMissing(x, y))
	}
	return v
}

func celAsk(x, y ref.Val) ref.Val {
	if opt, ok := x.(*types.Optional); ok {
		if !opt.HasValue() {
			return types.OptionalNone
		}
		x = opt.GetValue()
	}
	v, found, err := celLookup(x, y)
	switch {
	case err != nil:
		return types.WrapErr(err)
	case !found:
		return types.OptionalNone
	}
	return types.OptionalOf(v)
}

func celHas(x, y ref.Val) ref.Val {
	out := celAsk(x, y)
	if opt, ok := out.(*types.Optional); ok {
		return types.Bool(opt.HasValue())
	}
	return out
}

// celValue is .value() of an optional, which insists where .orValue() gives way.
func celValue(x ref.Val) ref.Val {
	opt, ok := x.(*types.Optional)
	if !ok {
		return types.WrapErr(fault.New(fault.Type, "value() reads an optional"))
	}
	if !opt.HasValue() {
		return types.WrapErr(fault.New(fault.MissingKey, "the optional has no value; give another with .orValue(…)"))
	}
	return opt.GetValue()
}

func celIn(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	item, in, err := s.both(args[0], args[1])
	if err != nil {
		return types.WrapErr(err)
	}
	ok, err := paidContains(item, in, s)
	return result(ok, err)
}

// celEqual compares. Of CEL's own kinds of values, optionals and types compare among themselves; an optional never
// equals a plain value, so that comparing the two is an error and no silent false.
func celEqual(x, y ref.Val, want bool) ref.Val {
	_, optX := x.(*types.Optional)
	_, optY := y.(*types.Optional)
	if optX != optY {
		return types.WrapErr(fault.New(fault.Type, "an optional is no value to compare; read it with .orValue(…)"))
	}
	_, typeX := x.(*types.Type)
	_, typeY := y.(*types.Type)
	if optX || typeX || typeY {
		out := x.Equal(y)
		if eq, ok := out.(types.Bool); ok {
			return types.Bool(bool(eq) == want)
		}
		return out
	}
	a, b, err := both(x, y)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(equal(a, b) == want) // one is a scalar, see celRewriter
}

// celSame is celEqual where both sides may be large.
func celSame(want bool) func(args ...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		s, args := celPays(args)
		a, err := s.native(args[0])
		if err != nil {
			return celEqual(args[0], args[1], want) // what is no value, or one error more
		}
		b, err := s.native(args[1])
		if err != nil {
			return celEqual(args[0], args[1], want)
		}
		same, err := s.same(a, b)
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Bool(same == want)
	}
}

func celCompare(op string, holds func(int) bool) func(x, y ref.Val) ref.Val {
	return func(x, y ref.Val) ref.Val {
		a, b, err := both(x, y)
		if err != nil {
			return types.WrapErr(err)
		}
		c, err := compare(op, a, b)
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Bool(holds(c))
	}
}

func celArithmetic(op string) func(x, y ref.Val) ref.Val {
	return func(x, y ref.Val) ref.Val {
		a, b, err := both(x, y)
		if err != nil {
			return types.WrapErr(err)
		}
		return result(arithmetic(op, a, b))
	}
}

// celConcat is + on what may be texts or lists. CEL's own sum of two lists gives its nulls as 0 when it is taken as a Go
// value.
func celConcat(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	a, b, err := s.both(args[0], args[1])
	if err != nil {
		return types.WrapErr(err)
	}
	return result(add(a, b, s))
}

// celTick counts a round of a loop. A loop does not stop at an error, so that only a panic ends it; CEL recovers it.
func celTick(scope, cond ref.Val) ref.Val {
	s := scope.(celScope)
	if s.stop = s.spend(1); s.stop != nil {
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded})
	}
	return cond
}

// celScope carries the Scope through CEL, as the argument of operations whose work is paid for.
type celScope struct{ *Scope }

var celScopeType = types.NewOpaqueType("@scope")

func (celScope) Type() ref.Type { return celScopeType }
func (s celScope) Value() any   { return s.Scope }
func (celScope) Equal(ref.Val) ref.Val {
	return types.False
}
func (celScope) ConvertToType(ref.Type) ref.Val { return types.NewErr("no value") }
func (celScope) ConvertToNative(reflect.Type) (any, error) {
	return nil, errors.New("no value")
}

// celPays parts the arguments of a paid operation from the Scope behind them.
func celPays(args []ref.Val) (*Scope, []ref.Val) {
	last := len(args) - 1
	return args[last].(celScope).Scope, args[:last]
}

// celIter is what a macro runs over: the items of a list, the keys of an object in order.
func celIter(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	x := args[0]
	switch x.(type) {
	case traits.Mapper:
		v, err := s.native(x)
		if err != nil {
			return types.WrapErr(err)
		}
		if err := s.sorting(len(v.(map[string]any))); err != nil {
			return types.WrapErr(err)
		}
		keys := value.SortedKeys(v.(map[string]any))
		return types.DefaultTypeAdapter.NativeToValue(keys)
	case traits.Lister:
		return x
	}
	v, err := s.native(x)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.WrapErr(fault.New(fault.Type, "this takes a list or an object, got %s", describe(v)))
}

// celPaid gives its first argument, paid for: the steps for each 64 bytes of a text, or one for each item.
func celPaid(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	err := error(nil)
	switch x := args[0].(type) {
	case types.String:
		err = s.scan(len(x) * int(args[1].(types.Int)))
	case traits.Sizer:
		if n, ok := x.Size().(types.Int); ok {
			err = s.spend(int(n))
		}
	}
	if err != nil {
		return types.WrapErr(err)
	}
	return args[0]
}

// celPaidText is celPaid for what takes no time with lists and objects.
func celPaidText(args ...ref.Val) ref.Val {
	if _, ok := args[0].(types.String); ok {
		return celPaid(args...)
	}
	return args[0]
}

// celWalked gives its first argument, paid for by all its parts and for being sorted.
func celWalked(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	v, err := s.native(args[0])
	if err == nil {
		err = s.walk(v)
	}
	if list, ok := v.([]any); ok && err == nil {
		err = s.sorting(len(list))
	}
	if err != nil {
		return types.WrapErr(err)
	}
	return args[0]
}

// celMatches is matches with a pattern that is only known now.
func celMatches(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	a, ok1 := args[0].(types.String)
	b, ok2 := args[1].(types.String)
	if !ok1 || !ok2 {
		return types.WrapErr(fault.New(fault.Type, "matches takes two strings"))
	}
	return result(s.matches(string(a), string(b)))
}

func celBool(x ref.Val) ref.Val {
	if b, ok := x.(types.Bool); ok {
		return b
	}
	v, err := sketch(x)
	if err != nil {
		return types.WrapErr(err)
	}
	b, err := boolean(v)
	return result(b, err)
}

func celString(x ref.Val) ref.Val {
	if s, ok := x.(types.String); ok {
		return s
	}
	v, err := sketch(x)
	if err != nil {
		return types.WrapErr(err)
	}
	s, err := text(v)
	return result(s, err)
}

// celText is string(x), which here takes every value: JSON for what is no string.
func celText(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	if text, ok := args[0].(types.String); ok {
		return text
	}
	v, err := s.native(args[0])
	if err == nil {
		err = s.walk(v)
	}
	if err == nil {
		v, err = value.Normalize(v)
	}
	if err != nil {
		return types.WrapErr(err)
	}
	return result(toJSON(s, v))
}

// celRange is lists.range(n): the integers from 0 to n-1.
func celRange(args ...ref.Val) ref.Val {
	s, args := celPays(args)
	n, ok := args[0].(types.Int)
	if !ok || n < 0 {
		return types.WrapErr(fault.New(fault.Type, "lists.range takes an integer from 0"))
	}
	if n > maxMemory {
		return types.WrapErr(fault.New(fault.InvalidRequest, "lists.range(%d) is too long; at most %d items are allowed", int(n), maxMemory))
	}
	if err := s.spend(int(n)); err != nil {
		return types.WrapErr(err)
	}
	out := make([]any, n)
	for i := range out {
		out[i] = i
	}
	return wrap(out)
}
