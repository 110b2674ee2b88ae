package prompt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// directive is one % of a format: flags, width, precision, verb, each of width, precision and verb perhaps with the
// number of its argument.
var directive = regexp.MustCompile(`(?s)%[-+# 0]*(\[\d+\])?(\*|\d+)?(\.(\[\d+\])?(\*|\d+)?)?(\[\d+\])?(.)?`)

// printf is fmt.Sprintf, one directive after the other: a width takes up to a megabyte each time it stands there, and an
// argument may be named any number of times, so a short format can stand for any length of text.
func (m *meter) printf(format string, args ...any) (string, error) {
	if err := m.takes(append([]any{format}, args...)...); err != nil {
		return "", err
	}
	var b strings.Builder
	next := 1 // the number of the next argument
	numbered := false
	for rest := format; rest != ""; {
		at := directive.FindStringSubmatchIndex(rest)
		if at == nil {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:at[0]])
		part := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return rest[at[2*i]:at[2*i+1]]
		}
		one := part(0)
		switch verb := part(7); verb {
		case "":
			one = "%!(NOVERB)"
		case "%":
			one = verb
		default:
			var o strings.Builder
			o.WriteString(one[:len(one)-len(strings.TrimLeft(one[1:], "-+# 0"))])
			number := func(given string) {
				if given != "" {
					numbered = true
					next, _ = strconv.Atoi(given[1 : len(given)-1])
				}
				o.WriteString("[" + strconv.Itoa(next) + "]")
				next++
			}
			own := part(6) // the number of the value's argument
			if part(2) == "*" {
				number(part(1))
			} else if own == "" {
				own = part(1)
			}
			o.WriteString(part(2))
			if precision := part(3); precision != "" {
				o.WriteString(".")
				if part(5) == "*" {
					number(part(4))
				} else if own == "" {
					own = part(4)
				}
				o.WriteString(part(5))
			}
			number(own)
			o.WriteString(verb)
			one = fmt.Sprintf(o.String(), args...)
		}
		b.WriteString(one)
		if b.Len() > maxText {
			return "", m.tooLong()
		}
		if err := m.spend(1 + len(one)/64); err != nil {
			return "", err
		}
		rest = rest[at[1]:]
	}
	if !numbered && next <= len(args) {
		format = "" // fmt tells of what is left over
		b.WriteString(fmt.Sprintf(format, args[next-1:]...))
	}
	return b.String(), nil
}
