package value

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"pflow/internal/fault"
)

// maxDepth bounds nesting, so that no value can exhaust the stack of what walks it.
const maxDepth = 1000

// Normalize brings a Go value to the forms of this package: every integer kind becomes int, every integral float in
// range becomes int, typed slices and maps become []any and map[string]any. A value that is already normal is returned
// as it is, without a copy. A time, NaN, an infinity, invalid UTF-8, an integer beyond 64 bits, a non-string key, a
// struct or a cycle is a fault of kind type that names the path.
func Normalize(v any) (any, error) { return normalize(v, nil, 0) }

// path is the way from the root to a value, kept as a list on the stack: it is only written out for an error.
type path struct {
	up    *path
	key   string
	index int
}

func (p *path) String() string {
	if p == nil {
		return "the value"
	}
	var parts []string
	for ; p != nil; p = p.up {
		if p.index >= 0 {
			parts = append(parts, "["+strconv.Itoa(p.index)+"]")
		} else {
			parts = append(parts, "."+p.key)
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return strings.TrimPrefix(b.String(), ".")
}

func normalize(v any, at *path, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fault.New(fault.Type, "%s is nested deeper than %d levels", at, maxDepth)
	}
	switch v := v.(type) {
	case nil, bool, int:
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, fault.New(fault.Type, "%s is text that is not valid UTF-8", at)
		}
		return v, nil
	case float64:
		return number(v, at)
	case []any:
		return normalizeArray(v, at, depth)
	case map[string]any:
		return normalizeObject(v, at, depth)
	case json.Number:
		return ParseNumber(string(v))
	}
	return normalizeReflect(v, at, depth)
}

func normalizeArray(in []any, at *path, depth int) (any, error) {
	if in == nil {
		return []any{}, nil
	}
	out := in
	for i, item := range in {
		if isNormalScalar(item) {
			continue
		}
		got, err := normalize(item, &path{up: at, index: i}, depth+1)
		if err != nil {
			return nil, err
		}
		if same(item, got) {
			continue
		}
		if &out[0] == &in[0] {
			out = append([]any(nil), in...)
		}
		out[i] = got
	}
	return out, nil
}

func normalizeObject(in map[string]any, at *path, depth int) (any, error) {
	if in == nil {
		return map[string]any{}, nil
	}
	var out map[string]any
	for k, item := range in {
		if !utf8.ValidString(k) {
			return nil, fault.New(fault.Type, "%s has a key that is not valid UTF-8", at)
		}
		if isNormalScalar(item) {
			continue
		}
		got, err := normalize(item, &path{up: at, key: k, index: -1}, depth+1)
		if err != nil {
			return nil, err
		}
		if same(item, got) {
			continue
		}
		if out == nil {
			out = Merge(in, nil)
		}
		out[k] = got
	}
	if out == nil {
		return in, nil
	}
	return out, nil
}

// isNormalScalar spares the common scalars the path that an error would need.
func isNormalScalar(v any) bool {
	switch v := v.(type) {
	case nil, bool, int:
		return true
	case string:
		return utf8.ValidString(v)
	}
	return false
}

// same reports that normalising changed nothing: it decides whether a container must be copied.
func same(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && a != nil && len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && a != nil && reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
	case nil, bool, int, string, float64:
		return a == b
	}
	return false
}

// number keeps a float, but an integral one in the range of 64 bits becomes an integer.
func number(f float64, at *path) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fault.New(fault.Type, "%s is %v; a number must be finite", at, f)
	}
	if i, ok := Integral(f); ok {
		return i, nil
	}
	return f, nil
}

func normalizeReflect(v any, at *path, depth int) (any, error) {
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Bool:
		return rv.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if rv.Type().PkgPath() == "time" {
			return nil, fault.New(fault.Type, "%s is a %s; give it as text", at, rv.Type())
		}
		return int(rv.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if rv.Uint() > math.MaxInt64 {
			return nil, fault.New(fault.Type, "%s is %d; an integer must fit in 64 bits", at, rv.Uint())
		}
		return int(rv.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return number(rv.Float(), at)
	case reflect.String:
		return normalize(rv.String(), at, depth)
	case reflect.Slice, reflect.Array:
		out := make([]any, rv.Len())
		for i := range out {
			got, err := normalize(rv.Index(i).Interface(), &path{up: at, index: i}, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = got
		}
		return out, nil
	case reflect.Map:
		out := make(map[string]any, rv.Len())
		for iter := rv.MapRange(); iter.Next(); {
			k := iter.Key()
			if k.Kind() == reflect.Interface {
				k = k.Elem()
			}
			if k.Kind() != reflect.String {
				return nil, fault.New(fault.Type, "%s has a key that is no string: %v", at, k)
			}
			got, err := normalize(iter.Value().Interface(), &path{up: at, key: k.String(), index: -1}, depth+1)
			if err != nil {
				return nil, err
			}
			out[k.String()] = got
		}
		return normalize(out, at, depth)
	}
	return nil, fault.New(fault.Type, "%s is a Go %T, which is no value of a flow", at, v)
}

// Fits checks a normalised value against a declared type and gives the value as that type holds it: an integer in a
// place declared number becomes a float64. A misfit is a fault of kind type, and so is an integer that no float64 holds.
func Fits(t Type, v any) (any, error) {
	got := TypeOf(v)
	switch {
	case t == Any, got == t && v != nil:
		return v, nil
	case t == Number && got == Integer:
		i := v.(int)
		if f := float64(i); f < 1<<63 && int(f) == i {
			return f, nil
		}
		return nil, fault.New(fault.Type, "%d would be another number: beyond 2^53 not every integer is a number of floating point; declare it integer or string", i)
	}
	return nil, fault.New(fault.Type, "want %s, got %s", t, Describe(v))
}

// Describe names a value in a message: its type and, if short, the value itself.
func Describe(v any) string {
	if v == nil {
		return "null"
	}
	text := JSON(v)
	if len(text) > 60 {
		return Name(v)
	}
	return Name(v) + " " + text
}
