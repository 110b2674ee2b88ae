package yamltree

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	decimal   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	prefixed  = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	floating  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	notFinite = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// resolve reads a plain scalar as YAML 1.2's core schema does (section 10.3.2 of its specification). An integral number
// in the range of 64 bits is an integer, however it is written. problem is "" or says why the value is refused.
func resolve(text string) (kind Kind, v any, problem string) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null, nil, ""
	case "true", "True", "TRUE":
		return Bool, true, ""
	case "false", "False", "FALSE":
		return Bool, false, ""
	}
	if c := text[0]; c != '.' && c != '+' && c != '-' && (c < '0' || c > '9') {
		return String, text, ""
	}
	switch {
	case decimal.MatchString(text), prefixed.MatchString(text):
		base := 10
		digits := text
		if prefixed.MatchString(text) {
			digits, base = text[2:], 16
			if text[1] == 'o' {
				base = 8
			}
		}
		n, err := strconv.ParseInt(digits, base, 64)
		if err != nil {
			return Null, nil, "the integer " + text + " does not fit in 64 bits; quote it if it is text"
		}
		return Int, int(n), ""
	case floating.MatchString(text):
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Null, nil, "the number " + text + " is too large; quote it if it is text"
		}
		if f == math.Trunc(f) && f >= -(1<<63) && f < 1<<63 {
			return Int, int(f), ""
		}
		return Float, f, ""
	case notFinite.MatchString(text):
		return Null, nil, text + " is no value; a number must be finite (quote it if it is text)"
	}
	return String, text, ""
}

// tagged says whether an explicit tag agrees with what a value is without it; !!str makes any scalar text.
func tagged(tag string, kind Kind) bool {
	switch strings.TrimPrefix(tag, "!!") {
	case "null":
		return kind == Null
	case "bool":
		return kind == Bool
	case "int":
		return kind == Int
	case "float":
		return kind == Float || kind == Int
	case "seq":
		return kind == Seq
	case "map":
		return kind == Map
	}
	return false
}
