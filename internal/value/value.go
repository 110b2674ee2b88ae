// Package value holds the values that flows compute with: null, boolean, integer (64 bit), number (finite float64),
// string, array, object. In Go they are nil, bool, int, float64, string, []any and map[string]any, and nothing else.
// Whatever ops, expressions and documents give is brought to these forms by Normalize. Values are shared and never
// written to; whoever wants another value makes a new one.
package value

import (
	"cmp"
	"math"
	"sort"
	"strings"
)

// Type is a declared or static type. Any stands for every value, null among them.
type Type string

// The types of the flow language and of workflow inputs.
const (
	Any     Type = "any"
	Boolean Type = "boolean"
	Integer Type = "integer"
	Number  Type = "number"
	String  Type = "string"
	Array   Type = "array"
	Object  Type = "object"
)

// Types lists every type, in the order in which documentation names them.
func Types() []Type { return []Type{String, Number, Integer, Boolean, Array, Object, Any} }

// TypeOf is the type of a normalised value; null has type Any.
func TypeOf(v any) Type {
	switch v.(type) {
	case bool:
		return Boolean
	case int:
		return Integer
	case float64:
		return Number
	case string:
		return String
	case []any:
		return Array
	case map[string]any:
		return Object
	}
	return Any
}

// Name is what a message calls the type of a value: like TypeOf, but "null" for nil.
func Name(v any) string {
	if v == nil {
		return "null"
	}
	return string(TypeOf(v))
}

// Equal compares two normalised values. An integer equals the number of the same magnitude.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case int:
		if f, ok := b.(float64); ok {
			return sameNumber(a, f)
		}
		return a == b
	case float64:
		if i, ok := b.(int); ok {
			return sameNumber(i, a)
		}
		return a == b
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}

// sameNumber compares without rounding the integer, which a float64 may not hold.
func sameNumber(i int, f float64) bool {
	j, ok := Integral(f)
	return ok && i == j
}

// Compare orders two numbers or two texts, integers without rounding; false for all else.
func Compare(a, b any) (int, bool) {
	switch x := a.(type) {
	case int:
		switch y := b.(type) {
		case int:
			return cmp.Compare(x, y), true
		case float64:
			return compareMixed(x, y), true
		}
	case float64:
		switch y := b.(type) {
		case int:
			return -compareMixed(y, x), true
		case float64:
			return cmp.Compare(x, y), true
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), true
		}
	}
	return 0, false
}

// compareMixed compares without rounding the integer, which a float64 may not hold.
func compareMixed(i int, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -(1 << 63):
		return 1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(i, int(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}

// Integral gives a number as an integer, where it is one of 64 bits.
func Integral(f float64) (int, bool) {
	// 2^63 itself is out of range; -2^63 is in it.
	if f != math.Trunc(f) || f < -(1<<63) || f >= 1<<63 {
		return 0, false
	}
	return int(f), true
}

// Merge gives a fresh object with the keys of both, one level deep; where both have a key, b wins.
func Merge(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		out[k] = v
	}
	return out
}

// SortedKeys lists the keys of an object in byte order.
func SortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// EachText calls f for each text in a value, those of an object in the order of its keys.
func EachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			EachText(item, f)
		}
	case map[string]any:
		for _, k := range SortedKeys(v) {
			EachText(v[k], f)
		}
	}
}
