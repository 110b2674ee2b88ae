package cond

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/builtin"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions of this file are numbers as both languages have them here: an integer stays exact, and what 64 bits
// cannot hold is an error and never another number.

// toInt is int(x): a number loses its fraction, a text is an integer in decimal.
func toInt(_ *Scope, a []any) (any, error) {
	switch x := a[0].(type) {
	case int:
		return x, nil
	case float64:
		i, ok := value.Integral(math.Trunc(x))
		if !ok {
			return nil, fault.New(fault.Type, "int(%s) does not fit in 64 bits", value.JSON(x))
		}
		return i, nil
	case string:
		i, err := strconv.ParseInt(x, 10, 64)
		if err != nil {
			return nil, fault.New(fault.Type, "int reads no integer of 64 bits in %s", describe(x))
		}
		return int(i), nil
	}
	return nil, fault.New(fault.Type, "int takes a number or a string, got %s", describe(a[0]))
}

// toNumber is float(x) in expr and double(x) in CEL.
func toNumber(name string) func(*Scope, []any) (any, error) {
	return func(_ *Scope, a []any) (any, error) {
		switch x := a[0].(type) {
		case int:
			if roundsOff(x) {
				return nil, fault.New(fault.Type, "%s(%d) would be another number: beyond 2^53 not every integer is a number of floating point; compute with the integer", name, x)
			}
			return float64(x), nil
		case float64:
			return x, nil
		case string:
			f, err := strconv.ParseFloat(x, 64)
			if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
				return nil, fault.New(fault.Type, "%s reads no finite number in %s", name, describe(x))
			}
			return f, nil
		}
		return nil, fault.New(fault.Type, "%s takes a number or a string, got %s", name, describe(a[0]))
	}
}

func absolute(_ *Scope, a []any) (any, error) {
	switch x := a[0].(type) {
	case int:
		switch {
		case x == math.MinInt:
			return nil, fault.New(fault.Type, "abs(%d) does not fit in 64 bits", x)
		case x < 0:
			return -x, nil
		}
		return x, nil
	case float64:
		return math.Abs(x), nil
	}
	return nil, fault.New(fault.Type, "abs takes a number, got %s", describe(a[0]))
}

// rounding is round, floor or ceil, which leave an integer as it is.
func rounding(name string, by func(float64) float64) function {
	return own(name, value.Number, func(_ *Scope, a []any) (any, error) {
		switch x := a[0].(type) {
		case int:
			return x, nil
		case float64:
			return by(x), nil
		}
		return nil, fault.New(fault.Type, "%s takes a number, got %s", name, describe(a[0]))
	}, value.Number)
}

// power is a ** b. Of integers it is an integer, unless the exponent is negative.
func power(a, b any) (any, error) {
	x, ok1 := a.(int)
	n, ok2 := b.(int)
	if ok1 && ok2 && n >= 0 {
		out := new(big.Int)
		if n > 64 { // of 0, 1 and -1 it is the same power; all else is too large from 64 on
			n = 64 + n%2
		}
		out.Exp(big.NewInt(int64(x)), big.NewInt(int64(n)), nil)
		if !out.IsInt64() {
			return nil, fault.New(fault.Type, "%d ** %d does not fit in 64 bits; %[1]d.0 ** %[2]d gives a number", x, b)
		}
		return int(out.Int64()), nil
	}
	f, ok1 := asFloat(a)
	g, ok2 := asFloat(b)
	if !ok1 || !ok2 {
		return nil, misfit("**", a, b)
	}
	out := math.Pow(f, g)
	if math.IsInf(out, 0) || math.IsNaN(out) {
		return nil, fault.New(fault.Type, "%s ** %s is no finite number", describe(a), describe(b))
	}
	return out, nil
}

func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// quotient is a / b where the quotient of integers is a number: exact where it is an integer.
func quotient(a, b any) (any, error) {
	x, ok1 := a.(int)
	y, ok2 := b.(int)
	switch {
	case !ok1 || !ok2:
		return arithmetic("/", a, b)
	case y == 0 || x%y == 0 && (x != math.MinInt || y != -1):
		return integers("/", x, y)
	}
	f, _ := big.NewRat(int64(x), int64(y)).Float64()
	return f, nil
}

// roundsOff reports that a float64 cannot hold an integer.
func roundsOff(i int) bool {
	f := float64(i)
	return f >= 1<<63 || int(f) != i
}

// mixed is an integer and a number together. They are computed as numbers, but an integer that a number cannot hold
// stays one if the other is integral too.
func mixed(op string, a, b any) (any, error) {
	if op != "/" && op != "%" {
		x, okX := exactly(a)
		y, okY := exactly(b)
		if okX && okY && (roundsOff(x) || roundsOff(y)) {
			return integers(op, x, y)
		}
	}
	f, _ := asFloat(a)
	g, _ := asFloat(b)
	return floats(op, f, g)
}

func exactly(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		return value.Integral(v)
	}
	return 0, false
}

// sum adds up a list of numbers from left to right.
func sum(items any, s *Scope) (any, error) {
	if err := s.walk(items); err != nil {
		return nil, err
	}
	numbers, err := numbersOf("sum", items, nil)
	if err != nil {
		return nil, err
	}
	var out any = 0
	for _, n := range numbers {
		if out, err = arithmetic("+", out, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// numbersOf appends the numbers of a value: of a list those of its items, to any depth.
func numbersOf(name string, v any, to []any) ([]any, error) {
	switch v := v.(type) {
	case int, float64:
		return append(to, v), nil
	case []any:
		for _, item := range v {
			var err error
			if to, err = numbersOf(name, item, to); err != nil {
				return nil, err
			}
		}
		return to, nil
	case []int:
		for _, item := range v {
			to = append(to, item)
		}
		return to, nil
	}
	return nil, fault.New(fault.Type, "%s takes numbers, got %s", name, describe(v))
}

// extremes is the least (sign -1) or the greatest of the arguments and the items of lists among them, as CEL has it.
func extremes(name string, sign int) function {
	return opt(1, own(name, value.Any, func(_ *Scope, a []any) (any, error) {
		var numbers []any
		for _, arg := range a {
			var err error
			if numbers, err = numbersOf(name, arg, numbers); err != nil {
				return nil, err
			}
		}
		if len(numbers) == 0 {
			return nil, fault.New(fault.Type, "%s takes a list that is not empty", name)
		}
		return extreme(numbers, sign)
	}, value.Any, value.Any))
}

// exprAggregates are expr's functions of any number of numbers, and of lists of them.
var exprAggregates = []*builtin.Function{
	aggregate("min", func(numbers []any) (any, error) { return extreme(numbers, -1) }),
	aggregate("max", func(numbers []any) (any, error) { return extreme(numbers, 1) }),
	aggregate("mean", mean),
	aggregate("median", median),
}

func aggregate(name string, of func(numbers []any) (any, error)) *builtin.Function {
	return &builtin.Function{
		Name: name,
		Func: func(args ...any) (any, error) {
			s, args := args[len(args)-1].(*Scope), args[:len(args)-1] // the rewriter adds it
			var numbers []any
			for _, arg := range args {
				err := s.walk(arg)
				if err == nil {
					numbers, err = numbersOf(name, arg, numbers)
				}
				if err != nil {
					return nil, err
				}
			}
			if err := s.sorting(len(numbers)); err != nil {
				return nil, err
			}
			return of(numbers)
		},
		Validate: func(args []reflect.Type) (reflect.Type, error) {
			if len(args) == 0 {
				return anyType, fmt.Errorf("%s takes numbers or a list of them, got nothing", name)
			}
			for _, arg := range args {
				switch got, ok := valueType(arg); {
				case !ok, got == value.String, got == value.Boolean, got == value.Object:
					return anyType, fmt.Errorf("%s takes numbers or a list of them, got %s", name, withArticle(string(got)))
				}
			}
			return anyType, nil
		},
	}
}

// extreme is the least of the numbers (sign -1) or the greatest; null of none.
func extreme(numbers []any, sign int) (any, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	return slices.MaxFunc(numbers, func(a, b any) int {
		c, _ := compare("<", a, b)
		return sign * c
	}), nil
}

// mean is the sum over the count, rounded once where all are integers.
func mean(numbers []any) (any, error) {
	if len(numbers) == 0 {
		return nil, fault.New(fault.Type, "there is no mean of no numbers; ask len first")
	}
	total, float := new(big.Int), 0.0
	whole := true
	for _, n := range numbers {
		f, _ := asFloat(n)
		float += f
		if i, ok := n.(int); ok {
			total.Add(total, big.NewInt(int64(i)))
		} else {
			whole = false
		}
	}
	if !whole {
		return floats("/", float, float64(len(numbers)))
	}
	ratio := new(big.Rat).SetFrac(total, big.NewInt(int64(len(numbers))))
	if ratio.IsInt() {
		return int(ratio.Num().Int64()), nil // a mean of integers of 64 bits is none larger
	}
	f, _ := ratio.Float64()
	return f, nil
}

func median(numbers []any) (any, error) {
	if len(numbers) == 0 {
		return nil, fault.New(fault.Type, "there is no median of no numbers; ask len first")
	}
	sorted := slices.Clone(numbers)
	slices.SortStableFunc(sorted, func(a, b any) int {
		c, _ := compare("<", a, b)
		return c
	})
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2], nil
	}
	return mean(sorted[n/2-1 : n/2+1])
}

// ownName is the name of one of our operations as its author wrote it.
func ownName(name string) string { return strings.TrimPrefix(name, "@") }
