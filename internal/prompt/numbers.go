package prompt

import (
	"fmt"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions of this file stand in the place of text/template's own, for which 2 and 2.0 are of two kinds that cannot
// be compared, and 2.0 no index.

// equal is eq: whether the first value equals one of the others.
func equal(first any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, fault.New(fault.Type, "eq: there is nothing to compare with")
	}
	for _, other := range others {
		same, err := same("eq", first, other)
		if err != nil || same {
			return same, err
		}
	}
	return false, nil
}

func unequal(a, b any) (bool, error) {
	eq, err := same("ne", a, b)
	return !eq, err
}

// same compares by value. Null is unlike all else; other values of two types cannot be compared.
func same(name string, a, b any) (bool, error) {
	x, err := value.Normalize(a)
	if err != nil {
		return false, err
	}
	y, err := value.Normalize(b)
	if err != nil {
		return false, err
	}
	if x != nil && y != nil && kind(x) != kind(y) {
		return false, fault.New(fault.Type, "%s cannot compare %s with %s", name, value.Describe(x), value.Describe(y))
	}
	return value.Equal(x, y), nil
}

// kind is the type of a value, one for all numbers.
func kind(v any) value.Type {
	if t := value.TypeOf(v); t != value.Integer {
		return t
	}
	return value.Number
}

// order is lt, le, gt or ge.
func order(name string, holds func(int) bool) func(a, b any) (bool, error) {
	return func(a, b any) (bool, error) {
		x, y := number(a), number(b)
		c, ok := value.Compare(x, y)
		if !ok {
			return false, fault.New(fault.Type, "%s compares two numbers or two texts, got %s and %s", name, describe(a), describe(b))
		}
		return holds(c), nil
	}
}

// index is index: a member of an object, an item of a list, and so on for each key.
func index(of any, keys ...any) (any, error) {
	for _, key := range keys {
		v, err := value.Normalize(of)
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case map[string]any:
			name, ok := key.(string)
			if !ok {
				return nil, fault.New(fault.Type, "index: a member of an object is named by a text, not by %s", describe(key))
			}
			of = v[name]
		case []any:
			i, ok := number(key).(int)
			if !ok {
				return nil, fault.New(fault.Type, "index: an item of a list is named by a whole number, not by %s", describe(key))
			}
			if i < 0 || i >= len(v) {
				return nil, fault.New(fault.MissingKey, "index: %d is out of range; the list has %d items", i, len(v))
			}
			of = v[i]
		default:
			return nil, fault.New(fault.Type, "index: %s has no items", value.Describe(v))
		}
	}
	return of, nil
}

// slice is slice: a part of a list or of a text, which is counted in bytes, by one or two whole numbers.
func slice(of any, ends ...any) (any, error) {
	v, err := value.Normalize(of)
	if err != nil {
		return nil, err
	}
	size := 0
	switch v := v.(type) {
	case string:
		size = len(v)
	case []any:
		size = len(v)
	default:
		return nil, fault.New(fault.Type, "slice takes a list or a text, got %s", value.Describe(v))
	}
	at := []int{0, size}
	if len(ends) > 2 {
		return nil, fault.New(fault.Type, "slice takes two ends at most, got %d", len(ends))
	}
	for i, end := range ends {
		n, ok := number(end).(int)
		if !ok {
			return nil, fault.New(fault.Type, "slice: an end is a whole number, not %s", describe(end))
		}
		if n < 0 || n > size {
			return nil, fault.New(fault.MissingKey, "slice: %d is out of range; the length is %d", n, size)
		}
		at[i] = n
	}
	if at[0] > at[1] {
		return nil, fault.New(fault.Type, "slice: %d comes after %d", at[0], at[1])
	}
	if text, ok := v.(string); ok {
		return strings.ToValidUTF8(text[at[0]:at[1]], "\uFFFD"), nil
	}
	return v.([]any)[at[0]:at[1]:at[1]], nil
}

// sprint is fmt.Sprint of the texts of values.
func sprint(args ...any) string { return fmt.Sprint(printed(args)...) }

func sprintln(args ...any) string { return fmt.Sprintln(printed(args)...) }

// word is the text of a value that is no text itself: fmt.Sprint parts two of them.
type word struct{ text string }

func (w word) String() string { return w.text }

func printed(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		if s, ok := a.(string); ok {
			out[i] = s
		} else {
			out[i] = word{text(a)}
		}
	}
	return out
}
