package mask

import (
	"bytes"
	"encoding/base64"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// form is one way in which a secret may be written: units that follow each other.
type form struct {
	units []unit
	mark  string
	kept  bool // it is a mark itself, which stays as it is

	// of base64: the character behind the match holds a few bits of the secret, too, and padding may follow
	after bool
}

// unit is a character of a secret or of an encoding of it, in all the ways in which it can be written.
type unit struct {
	r    rune   // utf8.RuneError with raw: a byte that is no UTF-8
	raw  string // its bytes
	or   rune   // another character that means the same; 0: none
	fold bool   // upper case means the same
	gap  string // bytes that may stand before it
}

func textUnits(s string) []unit {
	var out []unit
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		u := unit{r: r, raw: s[i : i+size]}
		if r == ' ' {
			u.or = '+' // in queries
		}
		out = append(out, u)
		i += size
	}
	return out
}

func hexUnits(s string) []unit {
	var out []unit
	for i := range len(s) {
		for k, digit := range strconv.FormatUint(uint64(s[i])|0x100, 16)[1:] {
			u := unit{r: digit, raw: string(digit), fold: true}
			if k == 0 && i > 0 {
				u.gap = " :-\r\n"
			}
			out = append(out, u)
		}
	}
	return out
}

// base64Form is the part of the base64 of any text that holds s behind a number of bytes (modulo 3) that s alone decides.
func base64Form(s string, before int, mark string) form {
	all := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), s...))
	from := (before*8 + 5) / 6
	to := (before + len(s)) * 8 / 6
	f := form{mark: mark, after: (before+len(s))*8%6 != 0}
	for _, r := range all[from:to] {
		u := unit{r: r, raw: string(r), gap: "\r\n"}
		switch r {
		case '+':
			u.or = '-'
		case '/':
			u.or = '_'
		}
		f.units = append(f.units, u)
	}
	return f
}

// mayBegin reports whether text that begins with a byte may be the unit.
func (u *unit) mayBegin(b byte) bool {
	switch {
	case b == u.raw[0], b == '\\', b == '%', b == '&', u.or != 0 && b == byte(u.or), u.fold && b|0x20 == u.raw[0]:
		return true
	}
	return u.r == '\n' && b == '\r' || u.r == utf8.RuneError && b == "\uFFFD"[0]
}

// match finds the end of the longest text at i that is of the form; -1 if there is none. more tells that the text ends
// while more of it could be of the form.
func (f *form) match(text []byte, i int) (end int, more bool) {
	end, more = matchUnits(f.units, text, i)
	if end < 0 {
		return end, more
	}
	if f.after {
		if end < len(text) && isBase64(text[end]) {
			end++
		}
		for end < len(text) && text[end] == '=' {
			end++
		}
		more = more || end == len(text)
	}
	return end, more
}

// most bounds how many ends of a unit are followed at once: a run of escapes that can be read in many ways.
const most = 16

func matchUnits(units []unit, text []byte, i int) (end int, more bool) {
	var a, b [most]int
	at, next := append(a[:0], i), b[:0]
	for k := range units {
		next = next[:0]
		for _, p := range at {
			if k > 0 {
				p = skipGap(text, p, units[k].gap)
			}
			if p >= len(text) {
				more = true
				continue
			}
			var cut bool
			if next, cut = units[k].ends(text, p, next); cut {
				more = true
			}
		}
		if len(next) == 0 {
			return -1, more
		}
		at, next = next, at
	}
	return slices.Max(at), more
}

// skipGap goes over a few of the bytes that may stand between units, also where a line break is escaped.
func skipGap(text []byte, p int, gap string) int {
	for n := 0; gap != "" && n < 4 && p < len(text); n++ {
		switch {
		case bytes.IndexByte([]byte(gap), text[p]) >= 0:
			p++
		case text[p] == '\\' && p+1 < len(text) && (text[p+1] == 'n' || text[p+1] == 'r'):
			p += 2
		default:
			return p
		}
	}
	return p
}

// ends adds where the unit may end that begins at i. cut tells that the text ends within what could be the unit.
func (u *unit) ends(text []byte, i int, out []int) (_ []int, cut bool) {
	rest := text[i:]
	add := func(n int) {
		if n > 0 && len(out) < most && !slices.Contains(out, i+n) {
			out = append(out, i+n)
		}
	}
	prefix := func(s string) {
		switch {
		case len(rest) >= len(s):
			if string(rest[:len(s)]) == s {
				add(len(s))
			}
		case s[:len(rest)] == string(rest):
			cut = true
		}
	}
	prefix(u.raw)
	if u.or != 0 {
		prefix(string(u.or))
	}
	if u.fold && u.r >= 'a' {
		prefix(string(u.r - 'a' + 'A'))
	}
	switch rest[0] {
	case '\\', '%', '&':
		for _, r := range []rune{u.r, u.or} {
			if r == 0 {
				continue
			}
			raw := u.raw
			if r != u.r {
				raw = string(r)
			}
			for again := range levels {
				n, short := escape(rest, r, raw, again, add)
				add(n)
				cut = cut || short
				if rest[0] == '\\' {
					break // how often it is escaped shows
				}
			}
		}
	}
	switch u.r {
	case '\n':
		prefix("\r\n")
	case '\'':
		for _, s := range []string{`'\''`, `'\\''`, `'"'"'`, `'\"'\"'`, `''`} {
			prefix(s)
		}
	case '"', '%', '$':
		prefix(u.raw + u.raw)
	case '\\':
		for n := 2; n <= 8; n *= 2 {
			prefix(`\\\\\\\\`[:n])
		}
	case utf8.RuneError:
		prefix("\uFFFD")
	}
	return out, cut
}

// levels is how often the sign of an escape may itself be escaped, the first time counted.
const levels = 4

// escape reads one escape at the beginning of a text, in whatever language: how long it is if it stands for the character,
// else 0; where it can be read in two ways, add is told of the other one. short tells that the text may end within one. again
// says how often its sign is escaped once more.
func escape(text []byte, r rune, raw string, again int, add func(int)) (n int, short bool) {
	switch text[0] {
	case '%':
		return percent(text, raw, again)
	case '&':
		return entity(text, r, again)
	}
	slashes := 0
	for slashes < len(text) && slashes < 8 && text[slashes] == '\\' {
		slashes++
	}
	if slashes == len(text) {
		return 0, true
	}
	rest := text[slashes:]
	if c, ok := letters[rest[0]]; ok && c == r {
		return slashes + 1, false
	}
	switch rest[0] {
	case 'u', 'U':
		got, size, short := unicodeEscape(text, slashes)
		if got == r && size > 0 {
			add(size)
		}
		if got == '&' && size > 0 { // \u0026quot;
			inner := append([]byte("&"), text[size:min(len(text), size+maxEntity)]...)
			for again := range levels {
				n, more := entity(inner, r, again)
				if n > 0 {
					return size + n - 1, false
				}
				short = short || more
			}
		}
		return 0, short
	case 'x', '0', '1', '2', '3':
		return byteEscapes(text, slashes, raw)
	}
	if r < utf8.RuneSelf && r != '\\' && !alphanumeric(byte(r)) && rest[0] == byte(r) {
		return slashes + 1, false
	}
	return 0, false
}

var letters = map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a', 'e': '\x1b'}

// percent reads %HH for each byte, the percent sign itself escaped again so many times.
func percent(text []byte, raw string, again int) (n int, short bool) {
	sign := "%252525"[:1+2*again]
	for k := range len(raw) {
		size := len(sign) + 2
		if have := min(size, len(text)-n); have < size {
			return 0, strings.HasPrefix(sign, string(text[n:n+min(have, len(sign))]))
		}
		if string(text[n:n+len(sign)]) != sign {
			return 0, false
		}
		if v, err := strconv.ParseUint(string(text[n+len(sign):n+size]), 16, 8); err != nil || byte(v) != raw[k] {
			return 0, false
		}
		n += size
	}
	return n, false
}

// byteEscapes reads \xHH or \OOO for each byte.
func byteEscapes(text []byte, slashes int, raw string) (n int, short bool) {
	for k := range len(raw) {
		if n+slashes+1 > len(text) {
			return 0, true
		}
		for range slashes {
			if text[n] != '\\' {
				return 0, false
			}
			n++
		}
		digits, base := 3, 8
		if n < len(text) && text[n] == 'x' {
			n, digits, base = n+1, 2, 16
		}
		if n+digits > len(text) {
			return 0, true
		}
		v, err := strconv.ParseUint(string(text[n:n+digits]), base, 16)
		if err != nil || v != uint64(raw[k]) {
			return 0, false
		}
		n += digits
	}
	return n, false
}

// unicodeEscape reads \uHHHH, two of them for one character, \u{H…} or \UHHHHHHHH.
func unicodeEscape(text []byte, slashes int) (r rune, n int, short bool) {
	n = slashes + 1
	digits := 4
	if text[slashes] == 'U' {
		digits = 8
	}
	if n < len(text) && text[n] == '{' {
		end := bytes.IndexByte(text[n:min(len(text), n+10)], '}')
		if end < 0 {
			return 0, 0, len(text) < n+10
		}
		v, err := strconv.ParseUint(string(text[n+1:n+end]), 16, 32)
		if err != nil {
			return 0, 0, false
		}
		return rune(v), n + end + 1, false
	}
	if n+digits > len(text) {
		return 0, 0, true
	}
	v, err := strconv.ParseUint(string(text[n:n+digits]), 16, 32)
	if err != nil {
		return 0, 0, false
	}
	r, n = rune(v), n+digits
	if !utf16.IsSurrogate(r) {
		return r, n, false
	}
	if n+slashes+5 > len(text) {
		return 0, 0, true
	}
	low, err := strconv.ParseUint(string(text[n+slashes+1:n+slashes+5]), 16, 32)
	if err != nil || text[n] != '\\' {
		return 0, 0, false
	}
	return utf16.DecodeRune(r, rune(low)), n + slashes + 5, false
}

// maxEntity is how long an entity of HTML may be.
const maxEntity = 40

// entity reads &name; or &#N;, the ampersand itself escaped again so many times.
func entity(text []byte, r rune, again int) (n int, short bool) {
	sign := "&amp;amp;amp;"[:1+4*again]
	if len(text) < len(sign) {
		return 0, strings.HasPrefix(sign, string(text))
	}
	if string(text[:len(sign)]) != sign {
		return 0, false
	}
	n = len(sign)
	const longest = 12 // as named ones for characters that anybody escapes are
	end := bytes.IndexByte(text[n:min(len(text), n+longest)], ';')
	if end < 0 {
		return 0, len(text) < n+longest && !bytes.ContainsAny(text[n:], " \n<&\"")
	}
	if (text[n] == '#' || !alphanumericRune(r)) && html.UnescapeString("&"+string(text[n:n+end+1])) == string(r) {
		return n + end + 1, false
	}
	return 0, false
}

func alphanumeric(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// alphanumericRune tells the characters that have no name in HTML.
func alphanumericRune(r rune) bool { return r < utf8.RuneSelf && alphanumeric(byte(r)) }

func isBase64(b byte) bool {
	return alphanumeric(b) || b == '+' || b == '/' || b == '-' || b == '_'
}
