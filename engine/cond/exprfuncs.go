package cond

import (
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/builtin"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// exprOwn replaces functions of expr that go in map order, make text without a bound, print Go's nil, or give another
// number where one does not fit.
var exprOwn = []function{
	own("keys", value.Array, func(s *Scope, a []any) (any, error) {
		m := a[0].(map[string]any)
		if err := s.sorting(len(m)); err != nil {
			return nil, err
		}
		out := make([]any, 0, len(m))
		for _, k := range value.SortedKeys(m) {
			out = append(out, k)
		}
		return out, nil
	}, value.Object),
	own("values", value.Array, func(s *Scope, a []any) (any, error) {
		m := a[0].(map[string]any)
		if err := s.sorting(len(m)); err != nil {
			return nil, err
		}
		out := make([]any, 0, len(m))
		for _, k := range value.SortedKeys(m) {
			out = append(out, m[k])
		}
		return out, nil
	}, value.Object),
	own("toPairs", value.Array, func(s *Scope, a []any) (any, error) {
		m := a[0].(map[string]any)
		if err := s.sorting(len(m)); err != nil {
			return nil, err
		}
		out := make([]any, 0, len(m))
		for _, k := range value.SortedKeys(m) {
			out = append(out, []any{k, m[k]})
		}
		return out, nil
	}, value.Object),
	own("string", value.String, func(s *Scope, a []any) (any, error) {
		if text, ok := a[0].(string); ok {
			return text, nil
		}
		return toJSON(s, a[0])
	}, value.Any),
	own("type", value.String, func(_ *Scope, a []any) (any, error) {
		if a[0] == nil {
			return "null", nil
		}
		return builtin.Type(a[0]), nil
	}, value.Any),
	own("toJSON", value.String, func(s *Scope, a []any) (any, error) { return toJSON(s, a[0]) }, value.Any),
	own("fromJSON", value.Any, func(s *Scope, a []any) (any, error) { return parseJSON(s, a[0].(string)) }, value.String),
	opt(1, own("trim", value.String, func(_ *Scope, a []any) (any, error) {
		if len(a) == 1 {
			return strings.TrimSpace(a[0].(string)), nil
		}
		return strings.Trim(a[0].(string), a[1].(string)), nil
	}, value.String, value.String)),
	opt(1, own("trimPrefix", value.String, func(_ *Scope, a []any) (any, error) {
		return strings.TrimPrefix(a[0].(string), textOr(a, 1, " ")), nil
	}, value.String, value.String)),
	opt(1, own("trimSuffix", value.String, func(_ *Scope, a []any) (any, error) {
		return strings.TrimSuffix(a[0].(string), textOr(a, 1, " ")), nil
	}, value.String, value.String)),
	opt(1, own("split", value.Array, func(s *Scope, a []any) (any, error) { return split(s, a, strings.SplitN) }, value.String, value.String, value.Integer)),
	opt(1, own("splitAfter", value.Array, func(s *Scope, a []any) (any, error) { return split(s, a, strings.SplitAfterN) }, value.String, value.String, value.Integer)),
	opt(1, own("replace", value.String, replace, value.String, value.String, value.String, value.Integer)),
	own("repeat", value.String, func(s *Scope, a []any) (any, error) {
		text, n := a[0].(string), a[1].(int)
		if n < 0 {
			return nil, fault.New(fault.Type, "repeat cannot repeat %d times", n)
		}
		if err := s.product(len(text), n); err != nil {
			return nil, err
		}
		return strings.Repeat(text, n), nil
	}, value.String, value.Integer),
	opt(1, own("join", value.String, join, value.Array, value.String)),
	opt(1, own("sort", value.Array, sortList, value.Array, value.String)),
	own("uniq", value.Array, uniq, value.Array),
	own("int", value.Integer, toInt, value.Any),
	own("float", value.Number, toNumber("float"), value.Any),
	own("abs", value.Number, absolute, value.Number),
	rounding("round", math.Round), rounding("floor", math.Floor), rounding("ceil", math.Ceil),
}

func own(name string, result value.Type, call func(*Scope, []any) (any, error), params ...value.Type) function {
	return function{Function: Function{Name: name}, params: params, result: result, call: call}
}

func opt(n int, f function) function {
	f.optional = n
	return f
}

func textOr(args []any, i int, otherwise string) string {
	if i < len(args) {
		return args[i].(string)
	}
	return otherwise
}

// product pays for n pieces of size bytes.
func (s *Scope) product(size, n int) error {
	if size > 0 && n > maxText/size {
		return s.text(maxText + 1)
	}
	return s.text(size * n)
}

func split(s *Scope, a []any, by func(s, sep string, n int) []string) (any, error) {
	n := -1
	if len(a) == 3 {
		n = a[2].(int)
	}
	text := a[0].(string)
	if err := s.spend(len(text)); err != nil {
		return nil, err
	}
	parts := by(text, a[1].(string), n)
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out, nil
}

func replace(s *Scope, a []any) (any, error) {
	text, from, to, n := a[0].(string), a[1].(string), a[2].(string), -1
	if len(a) == 4 {
		n = a[3].(int)
	}
	places := strings.Count(text, from)
	if n >= 0 {
		places = min(places, n)
	}
	if err := s.product(max(0, len(to)-len(from)), places); err != nil {
		return nil, err
	}
	if err := s.text(len(text)); err != nil {
		return nil, err
	}
	return strings.Replace(text, from, to, n), nil
}

func join(s *Scope, a []any) (any, error) {
	glue := textOr(a, 1, "")
	items := a[0].([]any)
	parts := make([]string, len(items))
	size := 0
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, fault.New(fault.Type, "join takes a list of strings; item %d is %s", i, describe(item))
		}
		parts[i] = text
		size += len(text)
	}
	if err := s.text(size); err != nil {
		return nil, err
	}
	if err := s.product(len(glue), len(parts)); err != nil {
		return nil, err
	}
	return strings.Join(parts, glue), nil
}

func sortList(s *Scope, a []any) (any, error) {
	order := textOr(a, 1, "asc")
	if order != "asc" && order != "desc" {
		return nil, fault.New(fault.Type, `sort takes "asc" or "desc", got %s`, value.JSON(order))
	}
	out := slices.Clone(a[0].([]any))
	if err := s.sorting(len(out)); err != nil {
		return nil, err
	}
	var failed error
	slices.SortStableFunc(out, func(x, y any) int {
		if failed != nil {
			return 0
		}
		c, err := s.order("<", x, y)
		if s.left < 0 {
			failed = err
		} else if err != nil {
			failed = fault.New(fault.Type, "sort cannot order %s and %s", describe(x), value.Describe(y))
		}
		if order == "desc" {
			return -c
		}
		return c
	})
	return out, failed
}

// uniq keeps the first of equal items. Their canonical JSON tells equal items, so that the work grows with the list and
// not with its square.
func uniq(s *Scope, a []any) (any, error) {
	items := a[0].([]any)
	if err := s.spend(10 * len(items)); err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(items))
	out := make([]any, 0, len(items))
	for _, item := range items {
		if f, ok := item.(float64); ok {
			if i, ok := value.Integral(f); ok {
				item = i
			}
		}
		text, err := toJSON(s, item)
		if err != nil {
			return nil, err
		}
		if !seen[text.(string)] {
			seen[text.(string)] = true
			out = append(out, item)
		}
	}
	return out, nil
}
