package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a number with its grouping and decimals, a word, or one sign.
type token struct {
	text       string // lower case
	start, end int
	digits     bool
	wall       bool // a written entity stands here: nothing reads across it
	upper      bool // begins with a capital
}

// tokens cuts a text; the places of entities found before are walls.
func tokens(text string, taken []Entity) []token {
	var out []token
	next := 0
	for i := 0; i < len(text); {
		if next < len(taken) && i >= taken[next].Start {
			out = append(out, token{start: taken[next].Start, end: taken[next].End, wall: true})
			i = max(i, taken[next].End)
			next++
			continue
		}
		stop := len(text)
		if next < len(taken) {
			stop = taken[next].Start
		}
		if strings.IndexByte(" \t\n\f\r", text[i]) >= 0 {
			i++
			continue
		}
		w := text[i : i+tokenLength(text[i:stop])]
		out = append(out, token{
			text: strings.ToLower(w), start: i, end: i + len(w),
			digits: isDigit(w[0]) || w[0] == '.' && len(w) > 1,
			upper:  w[0] >= 'A' && w[0] <= 'Z',
		})
		i += len(w)
	}
	return out
}

// tokenLength is how long the token is that a text begins with.
func tokenLength(s string) int {
	if n := digitsIn(s); n > 0 {
		return numberLength(s, n)
	}
	if n := decimals(s); n > 0 {
		return n
	}
	n := lettersIn(s)
	if n == 0 {
		_, size := utf8.DecodeRuneInString(s)
		return size
	}
	for n < len(s) {
		mark := 0
		if s[n] == '\'' {
			mark = 1
		} else if strings.HasPrefix(s[n:], "’") {
			mark = len("’")
		}
		more := 0
		if mark > 0 {
			more = lettersIn(s[n+mark:])
		}
		if more == 0 {
			break
		}
		n += mark + more
	}
	return n
}

// numberLength is how long the number is that begins with n digits: 1,234,567.89, 12.5
func numberLength(s string, n int) int {
	for n <= 3 || s[n-4] == ',' {
		if !strings.HasPrefix(s[n:], ",") || digitsIn(s[n+1:min(len(s), n+4)]) < 3 {
			break
		}
		n += 4
	}
	return n + decimals(s[n:])
}

// decimals is how long the point and the digits are that a text begins with.
func decimals(s string) int {
	if s == "" || s[0] != '.' {
		return 0
	}
	if n := digitsIn(s[1:]); n > 0 {
		return n + 1
	}
	return 0
}

func digitsIn(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func lettersIn(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) {
			return i
		}
	}
	return len(s)
}
