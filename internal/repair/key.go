package repair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// key reads a key, quoted or not. What no colon follows is a comment or a rest, and no key.
func (p *parser) key() (string, bool) {
	if p.quoteAt(p.at) > 0 {
		start := p.at
		k := p.text(inKey)
		p.skip()
		if c := p.peek(); c == ':' || c != 0 && !strings.ContainsRune(",}])", rune(c)) && strings.TrimSpace(k) != "" && !p.keyAt(p.at) {
			return k, true
		}
		if p.at == start {
			p.at++
		}
		return "", false
	}
	end, ok := p.bareKey(p.at)
	if !ok {
		// A word before the next key, or a character that begins nothing.
		_, n := utf8.DecodeRuneInString(p.src[p.at:])
		p.at += n
		for p.at < len(p.src) && p.quoteAt(p.at) == 0 && strings.IndexByte(",}]:\n", p.src[p.at]) < 0 {
			if _, ok := p.bareKey(p.at); ok && p.src[p.at-1] == ' ' {
				break
			}
			p.at++
		}
		return "", false
	}
	k := strings.TrimSpace(p.src[p.at:end])
	p.at = end
	return k, true
}

// bareKey finds the colon behind an unquoted key: letters, digits and a few signs, no blanks.
func (p *parser) bareKey(at int) (colon int, ok bool) {
	end := at
	for end < len(p.src) && end < at+100 {
		r, n := utf8.DecodeRuneInString(p.src[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.$@", r) {
			break
		}
		end += n
	}
	if end == at {
		return 0, false
	}
	for end < len(p.src) && (p.src[end] == ' ' || p.src[end] == '\t') {
		end++
	}
	return end, end < len(p.src) && p.src[end] == ':' && !strings.HasPrefix(p.src[end:], "://")
}

// keyAt reports whether a key with its colon stands at an offset.
func (p *parser) keyAt(at int) bool {
	n := p.quoteAt(at)
	if n == 0 {
		_, ok := p.bareKey(at)
		return ok
	}
	from := at + n
	for p.quoteAt(from) > 0 && from < at+4 {
		from += p.quoteAt(from) // doubled
	}
	for i := from; i < len(p.src) && i < at+200; {
		c := p.src[i]
		if c == '\\' {
			i += 2
			continue
		}
		if c == '\n' {
			return false
		}
		if q := p.quoteAt(i); q > 0 {
			for doubled := 0; doubled <= maxDoubled && p.quoteAt(i) > 0; doubled++ {
				i += p.quoteAt(i)
			}
			for i < len(p.src) && (p.src[i] == ' ' || p.src[i] == '\t') {
				i++
			}
			return i < len(p.src) && p.src[i] == ':'
		}
		i++
	}
	return false
}
