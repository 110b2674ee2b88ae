package cond

import (
	"slices"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// exprTyped and exprPaid are the functions that rewriting puts in the place of operators. The typed ones have signatures
// that expr calls without making a list of the arguments; an error is thrown, and comes out of the run as it is.
var exprTyped = map[string]any{
	"@member": func(base, key any) any { return must(member(base, key)) },
	"@box": func(base, key any) any {
		if base == nil {
			return nil
		}
		v, _, err := ask(base, key)
		return must([]any{v}, err)
	},
	"@eq":     func(a, b any) bool { return equal(a, b) },
	"@lt":     func(a, b any) bool { return must(compare("<", a, b)) < 0 },
	"@le":     func(a, b any) bool { return must(compare("<=", a, b)) <= 0 },
	"@gt":     func(a, b any) bool { return must(compare(">", a, b)) > 0 },
	"@ge":     func(a, b any) bool { return must(compare(">=", a, b)) >= 0 },
	"@plus":   func(a, b any) any { return must(arithmetic("+", a, b)) },
	"@sub":    func(a, b any) any { return must(arithmetic("-", a, b)) },
	"@mul":    func(a, b any) any { return must(arithmetic("*", a, b)) },
	"@div":    func(a, b any) any { return must(quotient(a, b)) },
	"@pow":    func(a, b any) any { return must(power(a, b)) },
	"@mod":    func(a, b any) any { return must(modulo(a, b)) },
	"@neg":    func(a any) any { return must(arithmetic("-", 0, a)) },
	"@bool":   func(a any) bool { return must(boolean(a)) },
	"@string": func(a any) any { return must(text(a)) },
	"@list":   func(a any) any { return must(list(a)) },
}

// exprPaid take the Scope as their last argument, because their work grows with their values.
var exprPaid = map[string]func(args ...any) (any, error){
	"@among": func(a ...any) (any, error) { return paidContains(a[0], a[1], a[2].(*Scope)) },
	"@same":  func(a ...any) (any, error) { return a[2].(*Scope).same(a[0], a[1]) },
	"@below": func(a ...any) (any, error) { c, err := a[2].(*Scope).order("<", a[0], a[1]); return c < 0, err },
	"@upto":  func(a ...any) (any, error) { c, err := a[2].(*Scope).order("<=", a[0], a[1]); return c <= 0, err },
	"@above": func(a ...any) (any, error) { c, err := a[2].(*Scope).order(">", a[0], a[1]); return c > 0, err },
	"@from":  func(a ...any) (any, error) { c, err := a[2].(*Scope).order(">=", a[0], a[1]); return c >= 0, err },
	"@paid":  func(a ...any) (any, error) { return a[0], a[2].(*Scope).pay(a[0], a[1].(int)) },
	"@text":  func(a ...any) (any, error) { return a[0], a[2].(*Scope).payText(a[0], a[1].(int)) },
	"@key": func(a ...any) (any, error) {
		s := a[1].(*Scope)
		if err := s.spend(4); err != nil {
			return nil, err
		}
		return a[0], s.pay(a[0], 4*reads)
	},
	"@normal":  func(a ...any) (any, error) { return a[1].(*Scope).normal(a[0]) },
	"@matches": func(a ...any) (any, error) { return a[2].(*Scope).matches(a[0].(string), a[1].(string)) },
	"@walked":  func(a ...any) (any, error) { return a[0], a[1].(*Scope).walk(a[0]) },
	"@add":     func(a ...any) (any, error) { return add(a[0], a[1], a[2].(*Scope)) },
	"@sum":     func(a ...any) (any, error) { return sum(a[0], a[1].(*Scope)) },
	"@range":   func(a ...any) (any, error) { return rangeOf(a[0], a[1], a[2].(*Scope)) },
	"@slice":   func(a ...any) (any, error) { return slice(a[0], a[1], a[2], a[3].(*Scope)) },
	"@tick":    func(a ...any) (any, error) { return nil, a[0].(*Scope).spend(1) },
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// paidContains is contains, paid for by the items looked at.
func paidContains(item, in any, s *Scope) (bool, error) {
	switch in := in.(type) {
	case []any:
		if err := s.spend(len(in)); err != nil {
			return false, err
		}
		for _, v := range in {
			if ok, err := s.same(v, item); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case []int:
		if err := s.spend(len(in)); err != nil {
			return false, err
		}
		return slices.ContainsFunc(in, func(v int) bool { return equal(v, item) }), nil
	case map[string]any:
		if err := s.payText(item, reads); err != nil {
			return false, err
		}
		return contains(item, in)
	}
	if err := s.walk(in); err != nil {
		return false, err
	}
	return contains(item, in)
}

// add is a + b: numbers, texts, or lists.
func add(a, b any, s *Scope) (any, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			if err := s.text(len(x) + len(y)); err != nil {
				return nil, err
			}
			return x + y, nil
		}
	case []any:
		if y, ok := b.([]any); ok {
			if err := s.spend(len(x) + len(y)); err != nil {
				return nil, err
			}
			return append(x[:len(x):len(x)], y...), nil
		}
	}
	return arithmetic("+", a, b)
}

func modulo(a, b any) (any, error) {
	x, ok1 := a.(int)
	y, ok2 := b.(int)
	if !ok1 || !ok2 {
		return nil, misfit("%", a, b)
	}
	return integers("%", x, y)
}

func boolean(v any) (bool, error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	return false, fault.New(fault.Type, "%s is neither true nor false", describe(v))
}

func text(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", fault.New(fault.Type, "want a string, got %s", describe(v))
}

// list is what a predicate runs over, in one of the forms that expr iterates.
func list(v any) (any, error) {
	switch v := v.(type) {
	case []any, []int, []string:
		return v, nil
	case map[string]any:
		return nil, fault.New(fault.Type, "this takes a list, not an object: use keys, values or toPairs")
	}
	normal, err := value.Normalize(v)
	if err == nil {
		if items, ok := normal.([]any); ok {
			return items, nil
		}
	}
	return nil, fault.New(fault.Type, "this takes a list, got %s", describe(v))
}

// rangeOf is a..b, both ends included.
func rangeOf(from, to any, s *Scope) (any, error) {
	a, ok1 := from.(int)
	b, ok2 := to.(int)
	if !ok1 || !ok2 {
		return nil, misfit("..", from, to)
	}
	if a > b {
		return []int{}, nil
	}
	n := b - a + 1
	if n <= 0 || n > maxMemory {
		return nil, fault.New(fault.InvalidRequest, "the range %d..%d is too long; at most %d items are allowed", a, b, maxMemory)
	}
	if err := s.spend(n); err != nil {
		return nil, err
	}
	out := make([]int, n)
	for i := range out {
		out[i] = a + i
	}
	return out, nil
}

// slice is a[from:to] of a list, or of a string by characters. Ends out of range are drawn in, as expr has it; nil
// stands for an end left out.
func slice(base, from, to any, s *Scope) (any, error) {
	if _, ok := base.([]any); !ok {
		if err := s.pay(base, converts); err != nil {
			return nil, err
		}
	}
	normal, err := shallow(base)
	if err != nil {
		return nil, err
	}
	var n int
	switch b := normal.(type) {
	case []any:
		n = len(b)
	case string:
		n = utf8.RuneCountInString(b)
	case nil:
		return nil, fault.New(fault.MissingKey, "null has no items to slice")
	default:
		return nil, fault.New(fault.Type, "cannot slice %s", describe(base))
	}
	end := func(v any, otherwise int) (int, error) {
		if v == nil {
			return otherwise, nil
		}
		i, ok := v.(int)
		if !ok {
			return 0, fault.New(fault.Type, "the ends of a slice are integers, got %s", describe(v))
		}
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n), nil
	}
	b, err := end(to, n)
	if err != nil {
		return nil, err
	}
	a, err := end(from, 0)
	if err != nil {
		return nil, err
	}
	a = min(a, b)
	if items, ok := normal.([]any); ok {
		return items[a:b:b], nil
	}
	return string([]rune(normal.(string))[a:b]), nil
}
