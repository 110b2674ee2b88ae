package ir

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// assignable reports whether a value of one declared type can become one of another by Coerce. It only says no where no
// value of the type could: text may hold a number or JSON, anything can be written as text.
func assignable(from, to value.Type) bool {
	if from == to || from == value.Any || to == value.Any || from == value.String || to == value.String {
		return true
	}
	numeric := func(t value.Type) bool { return t == value.Integer || t == value.Number }
	return numeric(from) && numeric(to)
}

// Coerce brings what a template gave to the type its param or input declares: anything to text, text that holds a
// number, a boolean or JSON to that, an integral number to an integer. Null stays null. Everything else is a fault of
// kind type.
func Coerce(t value.Type, v any) (any, error) {
	v = tidy(v)
	if v == nil || t == value.Any {
		return v, nil
	}
	if got, err := value.Fits(t, v); err == nil {
		return got, nil
	}
	text, isText := v.(string)
	switch {
	case t == value.String:
		return Text(v), nil
	case !isText:
		if f, ok := v.(float64); ok && t == value.Integer && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return int(f), nil
		}
	case t == value.Boolean:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	case t == value.Integer || t == value.Number:
		if n := strings.TrimSpace(text); json.Valid([]byte(n)) {
			if got, err := value.ParseNumber(n); err == nil {
				if fit, err := value.Fits(t, got); err == nil {
					return fit, nil
				}
			}
		} else if i, err := strconv.Atoi(n); err == nil {
			return value.Fits(t, i) // 007 and +7 are no JSON, yet clear
		}
	default:
		if got, err := value.ParseJSON([]byte(text)); err == nil && value.TypeOf(got) == t {
			return got, nil
		}
	}
	return nil, fault.New(fault.Type, "want %s, got %s", t, value.Describe(v))
}
