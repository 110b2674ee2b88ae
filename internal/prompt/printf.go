package prompt

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// directive is one % of a format: flags, width, precision, verb, each of width, precision and verb perhaps with the
// number of its argument.
var directive = regexp.MustCompile(`(?s)%([-+# 0]*)(\[\d+\])?(\*|\d+)?(\.(\[\d+\])?(\*|\d+)?)?(\[\d+\])?(.)?`)

// printf is fmt.Sprintf, one directive after the other: a width takes up to a megabyte each time it stands there, and an
// argument may be named any number of times, so a short format can stand for any length of text. Numbers are numbers,
// whether they are integers or not, and what fmt would write as %!… is an error.
func (m *meter) printf(format string, args ...any) (string, error) {
	if err := m.takes(append([]any{format}, args...)...); err != nil {
		return "", err
	}
	var b strings.Builder
	f := formatter{args: args, next: 1}
	for rest := format; rest != ""; {
		at := directive.FindStringSubmatchIndex(rest)
		if at == nil {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:at[0]])
		parts := make([]string, len(at)/2)
		for i := range parts {
			if at[2*i] >= 0 {
				parts[i] = rest[at[2*i]:at[2*i+1]]
			}
		}
		one, err := f.format(parts)
		if err != nil {
			return "", err
		}
		b.WriteString(one)
		if b.Len() > m.maxText {
			return "", m.tooLong()
		}
		if err := m.spend(1 + len(one)/64); err != nil {
			return "", err
		}
		rest = rest[at[1]:]
	}
	if left := len(args) - f.next + 1; !f.numbered && left > 0 {
		return "", badFormat("the format %s leaves %d of its %d values over", value.JSON(format), left, len(args))
	}
	return b.String(), nil
}

// formatter goes through the arguments of a format.
type formatter struct {
	args     []any
	next     int // the number of the next argument
	numbered bool
}

func badFormat(format string, args ...any) error {
	return fault.New(fault.Type, "printf: "+format, args...)
}

// format writes one directive, in the parts of its pattern.
func (f *formatter) format(parts []string) (string, error) {
	flags, verb := parts[1], parts[8]
	switch verb {
	case "":
		return "", badFormat("%s at the end of the format has no verb; write %%%% for a percent sign", parts[0])
	case "%":
		return verb, nil
	}
	width, precision := parts[3], parts[4]
	own := parts[7] // the number of the value's argument
	var err error
	if width == "*" {
		if width, err = f.size(parts[0], parts[2]); err != nil {
			return "", err
		}
		if strings.HasPrefix(width, "-") {
			flags, width = flags+"-", width[1:]
		}
	} else if own == "" {
		own = parts[2]
	}
	if parts[6] == "*" {
		if precision, err = f.size(parts[0], parts[5]); err != nil {
			return "", err
		}
		precision = "." + strings.TrimPrefix(precision, "-")
	} else {
		precision = strings.Replace(precision, parts[5], "", 1)
		if own == "" {
			own = parts[5]
		}
	}
	for _, size := range []string{width, strings.TrimPrefix(precision, ".")} {
		if n, err := strconv.Atoi(size); size != "" && (err != nil || n > 1_000_000) {
			return "", badFormat("%s: a width or precision is at most 1000000", parts[0])
		}
	}
	v, err := f.argument(parts[0], own)
	if err != nil {
		return "", err
	}
	if v, err = fitVerb(parts[0], verb, v); err != nil {
		return "", err
	}
	return fmt.Sprintf("%"+flags+width+precision+verb, v), nil
}

// argument takes the next argument, or the one with the number that is written as [n].
func (f *formatter) argument(of, given string) (any, error) {
	if given != "" {
		f.numbered = true
		f.next, _ = strconv.Atoi(given[1 : len(given)-1])
	}
	n := f.next
	f.next++
	if n < 1 || n > len(f.args) {
		return nil, badFormat("%s has no value: there are %d", of, len(f.args))
	}
	return f.args[n-1], nil
}

// size takes a width or precision from the arguments.
func (f *formatter) size(of, given string) (string, error) {
	v, err := f.argument(of, given)
	if err != nil {
		return "", err
	}
	if n, ok := number(v).(int); ok {
		return strconv.Itoa(n), nil
	}
	return "", badFormat("%s: a width or precision is an integer, got %s", of, describe(v))
}

// fitVerb gives a value in the form in which a verb takes it: a whole number where it wants an integer, any number where
// it wants one of floating point, the text of a value where it wants text.
func fitVerb(of, verb string, v any) (any, error) {
	n := number(v)
	i, whole := n.(int)
	f, float := n.(float64)
	switch verb {
	case "e", "E", "f", "F", "g", "G":
		switch {
		case whole:
			return new(big.Float).SetInt64(int64(i)), nil
		case float:
			return f, nil
		}
		return nil, badFormat("%s takes a number, got %s", of, describe(v))
	case "d", "b", "o", "O", "c", "U":
		if whole {
			return i, nil
		}
		return nil, badFormat("%s takes a whole number, got %s", of, describe(v))
	case "t":
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, badFormat("%s takes true or false, got %s", of, describe(v))
	case "v":
		if whole || float {
			return n, nil
		}
		return text(v), nil
	case "x", "X":
		if whole || float {
			return n, nil
		}
		return text(v), nil
	case "s", "q":
		return text(v), nil
	}
	return nil, badFormat("%s: there is no verb %s; for numbers there are d, f, e, g and x, for text s and q, for any value v", of, verb)
}

// number gives a number as the flow language holds it: a whole one as an integer. What is none stays as it is.
func number(v any) any {
	switch v.(type) {
	case nil, string, bool, []any, map[string]any:
		return v
	}
	n, err := value.Normalize(v)
	if err != nil {
		return v
	}
	return n
}

// describe names a value in a message.
func describe(v any) string {
	n, err := value.Normalize(v)
	if err != nil {
		return fmt.Sprintf("a Go %T", v)
	}
	return value.Describe(n)
}
