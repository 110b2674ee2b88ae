package cond

import (
	"math"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// The operations of this file are what both languages compute with wherever their own would differ, lose an error or
// overflow in silence. Arguments are normalised values, or what expr makes underway: []int, []string, map[any][]any.

// member is a.b and a[k]: a missing member and any member of null are faults of kind missing_key. A negative index
// counts from the end of a list.
func member(base, key any) (any, error) {
	if m, ok := base.(map[string]any); ok {
		if k, ok := key.(string); ok {
			if v, ok := m[k]; ok {
				return v, nil
			}
		}
	}
	v, found, err := lookup(base, key)
	if err != nil || found {
		return v, err
	}
	return nil, missing(base, key)
}

// ask is a?.b: null where member would fail because nothing is there.
func ask(base, key any) (any, bool, error) {
	if base == nil {
		return nil, false, nil
	}
	return lookup(base, key)
}

func lookup(base, key any) (v any, found bool, err error) {
	switch b := base.(type) {
	case nil, bool, int, float64, string:
		return nil, false, nil
	case map[string]any:
		k, ok := key.(string)
		if !ok {
			return nil, false, badKey(key)
		}
		v, found = b[k]
		return v, found, nil
	case []any:
		i, ok, err := index(key, len(b))
		if err != nil || !ok {
			return nil, false, err
		}
		return b[i], true, nil
	case []int:
		i, ok, err := index(key, len(b))
		if err != nil || !ok {
			return nil, false, err
		}
		return b[i], true, nil
	}
	normal, err := shallow(base)
	if err != nil {
		return nil, false, err
	}
	switch normal.(type) {
	case map[string]any, []any:
		return lookup(normal, key)
	}
	return nil, false, nil
}

// shallow gives v in one of the forms of value, without looking into what has one already.
func shallow(v any) (any, error) {
	switch v.(type) {
	case nil, bool, int, float64, string, []any, map[string]any:
		return v, nil
	}
	if !small(v) {
		return nil, tooMuchWork()
	}
	return value.Normalize(v)
}

// index reads a key as a place in a list of n items.
func index(key any, n int) (i int, ok bool, err error) {
	switch k := key.(type) {
	case int:
		i = k
	case float64:
		if k != math.Trunc(k) || math.Abs(k) > 1<<53 {
			return 0, false, nil
		}
		i = int(k)
	case string:
		return 0, false, nil
	default:
		return 0, false, badKey(key)
	}
	if i < 0 {
		i += n
	}
	return i, 0 <= i && i < n, nil
}

func badKey(key any) error {
	if _, ok := key.(int); ok {
		return nil // an object has no member by number: missing, not wrong
	}
	if _, ok := key.(float64); ok {
		return nil
	}
	return fault.New(fault.Type, "%s cannot name a member; use a string, or an integer for a list", describe(key))
}

// missing says what is not there, and what is.
func missing(base, key any) error {
	base, _ = shallow(base)
	name := describe(key)
	if k, ok := key.(string); ok {
		name = value.JSON(k)
	}
	switch b := base.(type) {
	case nil:
		return fault.New(fault.MissingKey, "null has no member %s; ask with ?. if it may be absent", name)
	case map[string]any:
		keys := value.SortedKeys(b)
		if k, ok := key.(string); ok {
			if near := diag.Nearest(k, keys); near != "" {
				return fault.New(fault.MissingKey, "there is no member %s; did you mean %q?", name, near).Lacks(k, keys)
			}
		}
		if len(keys) == 0 {
			return fault.New(fault.MissingKey, "there is no member %s; the object is empty", name)
		}
		err := fault.New(fault.MissingKey, "there is no member %s; there is %s", name, diag.Names(keys, 8))
		if k, ok := key.(string); ok {
			return err.Lacks(k, keys)
		}
		return err
	case []any:
		if _, ok := key.(string); ok {
			return fault.New(fault.MissingKey, "a list has no member %s; use an index", name)
		}
		return missingItem(key, len(b))
	default:
		return fault.New(fault.MissingKey, "%s has no member %s", describe(base), name)
	}
}

func missingItem(key any, n int) error {
	return fault.New(fault.MissingKey, "the index %s is out of range; the list has %d items", value.JSON(key), n)
}

// contains is "k in a": a key of an object or an item of a list; nothing is in null.
func contains(item, in any) (bool, error) {
	switch c := in.(type) {
	case nil:
		return false, nil
	case map[string]any:
		k, ok := item.(string)
		if !ok {
			return false, nil
		}
		_, ok = c[k]
		return ok, nil
	case []any:
		return slices.ContainsFunc(c, func(v any) bool { return equal(v, item) }), nil
	case string:
		return false, fault.New(fault.Type, "in asks for a key of an object or an item of a list, not for a part of a string: use contains")
	case bool, int, float64:
		return false, fault.New(fault.Type, "in asks for a key of an object or an item of a list, not of %s", describe(in))
	}
	normal, err := shallow(in)
	if err != nil {
		return false, err
	}
	return contains(item, normal)
}

// equal compares any two values; an integer equals the number of the same magnitude.
func equal(a, b any) bool {
	switch x, y := isScalar(a), isScalar(b); {
	case x && y:
		return value.Equal(a, b)
	case x || y:
		return false
	}
	x, err := value.Normalize(a)
	if err != nil {
		return false
	}
	y, err := value.Normalize(b)
	return err == nil && value.Equal(x, y)
}

// compare orders two numbers or two strings.
func compare(op string, a, b any) (int, error) {
	if c, ok := value.Compare(a, b); ok {
		return c, nil
	}
	return 0, misfit(op, a, b)
}

// arithmetic is a OP b on numbers; integers stay integers and must not overflow. Division is another matter in each
// language, and is handled there.
func arithmetic(op string, a, b any) (any, error) {
	switch x := a.(type) {
	case int:
		switch y := b.(type) {
		case int:
			return integers(op, x, y)
		case float64:
			return mixed(op, x, y)
		}
	case float64:
		switch y := b.(type) {
		case int:
			return mixed(op, x, y)
		case float64:
			return floats(op, x, y)
		}
	}
	return nil, misfit(op, a, b)
}

func integers(op string, a, b int) (any, error) {
	var out int
	ok := true
	switch op {
	case "+":
		out = a + b
		ok = (out > a) == (b > 0)
	case "-":
		out = a - b
		ok = (out < a) == (b > 0)
	case "*":
		out = a * b
		ok = a == 0 || (out/a == b && !(a == -1 && b == math.MinInt))
	case "/", "%":
		if b == 0 {
			return nil, fault.New(fault.Type, "division by zero: %d %s 0", a, op)
		}
		if op == "%" {
			if b == -1 {
				return 0, nil
			}
			return a % b, nil
		}
		out = a / b
		ok = a != math.MinInt || b != -1
	}
	if !ok {
		return nil, fault.New(fault.Type, "%d %s %d does not fit in 64 bits", a, op, b)
	}
	return out, nil
}

func floats(op string, a, b float64) (any, error) {
	var out float64
	switch op {
	case "+":
		out = a + b
	case "-":
		out = a - b
	case "*":
		out = a * b
	case "/":
		if b == 0 {
			return nil, fault.New(fault.Type, "division by zero: %s / 0", value.JSON(a))
		}
		out = a / b
	default:
		return nil, misfit(op, a, b)
	}
	if math.IsInf(out, 0) || math.IsNaN(out) {
		return nil, fault.New(fault.Type, "%s %s %s is out of range", describe(a), op, describe(b))
	}
	return out, nil
}

func misfit(op string, a, b any) error {
	return fault.New(fault.Type, "cannot compute %s %s %s%s", describe(a), op, describe(b), textAdvice(op, value.Name(a), value.Name(b)))
}

// textAdvice says what to do where a number was to be added to a text; a and b are the names of types.
func textAdvice(op, a, b string) string {
	if op == "+" && (a == "string" && numeric(b) || b == "string" && numeric(a)) {
		return "; string(x) makes a text of a number"
	}
	return ""
}

// describe is value.Describe for what may not be normal yet, or large.
func describe(v any) string {
	if left := 100; !walk(v, &left) {
		return value.Name(v)
	}
	normal, err := value.Normalize(v)
	if err != nil {
		return "a value that is none of a flow's"
	}
	return value.Describe(normal)
}
