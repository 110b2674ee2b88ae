package repair

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"pflow/internal/value"
)

// bare reads a value without quotes: a literal, a number, or words.
func (p *parser) bare(in place) (any, bool) {
	start, depth := p.at, 0
scan:
	for p.at < len(p.src) {
		c := p.src[p.at]
		switch c {
		case '\n':
			if depth == 0 {
				break scan
			}
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth == 0 && (c == '}' || p.isOpen(c)) {
				break scan
			}
			depth = max(0, depth-1)
		case ',':
			if depth == 0 && (in == inList || p.pairFollows(p.at+1)) {
				break scan
			}
		}
		if p.at > start && depth == 0 {
			if n := p.quoteAt(p.at); n > 0 {
				if p.ends(p.at+n, in) {
					token := p.src[start:p.at]
					p.at += n // the closing quote of a text without an opening one
					return scalar(token)
				}
				if p.src[p.at-1] == ' ' && (p.keyAt(p.at) || in == inList) {
					break scan
				}
			}
			if p.src[p.at-1] == ' ' && p.comment(p.at) > p.at {
				break scan
			}
		}
		_, n := utf8.DecodeRuneInString(p.src[p.at:])
		p.at += n
	}
	return scalar(p.src[start:p.at])
}

func scalar(token string) (any, bool) {
	token = strings.TrimSpace(token)
	if token == "" || token == "..." || token == "…" || token == "-" {
		return nil, false
	}
	if v, ok := literal(token); ok {
		return v, true
	}
	return token, true
}

var (
	numberForm    = regexp.MustCompile(`^[+-]?(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d*)?$`)
	thousandsForm = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+$`)
)

// literal reads a literal of JSON, Python or JavaScript, or a number. An integer beyond 64 bits stays text, so that no
// digit is lost; so does a number with leading zeros, which is some sort of name.
func literal(token string) (any, bool) {
	switch token {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	case "null", "Null", "NULL", "None", "undefined", "NaN", "nan":
		return nil, true
	}
	if thousandsForm.MatchString(token) {
		token = strings.ReplaceAll(token, ",", "")
	}
	if !numberForm.MatchString(token) {
		return nil, false
	}
	digits := strings.TrimLeft(token, "+-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return token, true
	}
	clean := strings.TrimPrefix(strings.ReplaceAll(token, "_", ""), "+")
	clean = strings.TrimRight(strings.TrimRight(clean, "+-eE"), ".")
	v, err := value.ParseNumber(clean)
	if err != nil {
		return token, true
	}
	return v, true
}
