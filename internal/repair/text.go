package repair

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// place says what a text is, which decides what may follow it.
type place uint8

const (
	inTop place = iota
	inKey
	inObject // the value of a key
	inList
)

// quotes maps every quote that may open a text to those that close it.
var quotes = map[rune]string{'"': `"”`, '\'': `'’`, '“': `”"`, '‘': `’'`, '”': `”"`, '`': "`'"}

// quoteAt is the length of the quote at an offset, or 0.
func (p *parser) quoteAt(at int) int {
	if at < 0 || at >= len(p.src) {
		return 0
	}
	switch c := p.src[at]; {
	case c == '"' || c == '\'' || c == '`':
		return 1
	case c != 0xE2: // of “ ” ‘ ’
		return 0
	}
	r, n := utf8.DecodeRuneInString(p.src[at:])
	if strings.ContainsRune("“”‘’", r) {
		return n
	}
	return 0
}

// blanks gives the offset of the next character that is no blank.
func (p *parser) blanks(at int) int {
	for at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[at]) >= 0 {
		at++
	}
	return at
}

// maxDoubled is how many more quotes may stand where one is meant: two of them, or Python's three.
const maxDoubled = 2

// inner is a quote taken as part of a text, in case it turns out to have been more.
type inner struct{ at, length int }

// text reads the quoted text here. Quotes inside need not be escaped: one ends the text if what follows can follow a
// text in this place. A text that swallowed the next key, because its own closing quote is missing, ends before that.
func (p *parser) text(in place) string {
	open, n := utf8.DecodeRuneInString(p.src[p.at:])
	closers := quotes[open]
	if closers == "" {
		closers = string(open)
	}
	p.at += n
	for n, doubled := p.closes(p.at, closers), 0; n > 0 && doubled < maxDoubled; n, doubled = p.closes(p.at, closers), doubled+1 {
		if p.ends(p.at+n, in) {
			p.at += n
			return ""
		}
		p.at += n // doubled quotes: ""text""
	}
	var b strings.Builder
	var seen []inner
	for p.at < len(p.src) {
		c := p.src[p.at]
		if c == '\\' {
			p.escape(&b)
			continue
		}
		if in == inKey && c == '\n' {
			return b.String()
		}
		n := p.closes(p.at, closers)
		if n == 0 {
			_, size := utf8.DecodeRuneInString(p.src[p.at:])
			b.WriteString(p.src[p.at : p.at+size])
			p.at += size
			continue
		}
		end := p.at + n
		for doubled := 0; doubled < maxDoubled && p.closes(end, closers) > 0 && !p.opensKey(end); doubled++ {
			end += p.closes(end, closers)
		}
		if p.ends(end, in) {
			p.at = end
			return b.String()
		}
		if after := p.blanks(p.at + n); in == inObject && after < len(p.src) && p.src[after] == ':' {
			if len(seen) == 0 {
				p.at += n
				return b.String()
			}
			if text, ok := p.swallowed(b.String(), seen); ok {
				return text
			}
		}
		seen = append(seen, inner{p.at, b.Len()})
		b.WriteString(p.src[p.at : p.at+n])
		p.at += n
	}
	return p.cutOff(b.String())
}

// swallowed gives the text before a key that was read as part of it. The last quote seen opened that key. The one
// before closed the text if only punctuation stands between the two, or if it has no partner inside the text; else none
// did.
func (p *parser) swallowed(text string, seen []inner) (string, bool) {
	key := seen[len(seen)-1]
	if strings.Contains(text[key.length:], "\n") {
		return "", false
	}
	if n := len(seen); n > 1 {
		between := text[seen[n-2].length+1 : key.length]
		words := strings.IndexFunc(between, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
		if !words || n%2 == 0 {
			p.at = key.at
			return text[:seen[n-2].length], true
		}
	}
	before := strings.TrimRight(text[:key.length], " \t\r")
	if !strings.HasSuffix(before, ",") && !strings.HasSuffix(before, "\n") {
		return "", false
	}
	p.at = key.at
	return strings.TrimRight(before, " \t\r\n,"), true
}

// cutOff is a text that the end of the source cut off, without the brackets that were meant to follow it.
func (p *parser) cutOff(text string) string {
	text = strings.TrimSuffix(strings.TrimRight(text, " \t\r\n"), "```")
	for i := len(p.open) - 1; i >= 0; i-- {
		short := strings.TrimRight(text, " \t\r\n")
		if !strings.HasSuffix(short, string(p.open[i])) {
			break
		}
		text = strings.TrimRight(short[:len(short)-1], " \t\r\n")
	}
	return text
}

// closes is the length of a quote at an offset that can close the text, or 0.
func (p *parser) closes(at int, closers string) int {
	n := p.quoteAt(at)
	if n > 0 && strings.Contains(closers, p.src[at:at+n]) {
		return n
	}
	return 0
}

// opensKey reports whether the quote at an offset opens a key rather than doubling the one before it.
func (p *parser) opensKey(at int) bool {
	next := at + p.quoteAt(at)
	return next < len(p.src) && p.quoteAt(next) == 0 && strings.IndexByte(" \t\n:,}]", p.src[next]) < 0 && p.keyAt(at)
}

// ends reports whether a text can end right before an offset, by what stands there.
func (p *parser) ends(at int, in place) bool {
	next := p.blanks(at)
	if next >= len(p.src) {
		return true
	}
	c := p.src[next]
	if next > at && p.comment(next) > next {
		return true
	}
	switch in {
	case inTop:
		return false
	case inKey:
		return strings.IndexByte(":,}]", c) >= 0 || next > at && (p.quoteAt(next) > 0 || strings.IndexByte("{[-0123456789", c) >= 0)
	case inObject:
		switch c {
		case '}':
			return true
		case ']', ')':
			return p.isOpen(c)
		case ',', ';':
			return p.pairFollows(next + 1)
		}
		return (p.quoteAt(next) > 0 || next > at) && p.keyAt(next)
	}
	switch c {
	case ']', ')', '}':
		return p.isOpen(c)
	case ',':
		return p.itemFollows(next + 1)
	}
	if p.quoteAt(next) > 0 {
		return strings.Contains(p.src[at:next], "\n") || p.wellFormed(next)
	}
	return false
}

// pairFollows reports whether the next pair, or the end of the object, can begin at an offset behind a comma.
func (p *parser) pairFollows(at int) bool {
	q := &parser{src: p.src, at: at}
	q.skip()
	at = q.at
	if at >= len(p.src) || strings.IndexByte("}],[{", p.src[at]) >= 0 || p.keyAt(at) {
		return true
	}
	// A key that is cut off: no quote closes it.
	if n := p.quoteAt(at); n > 0 {
		return !strings.ContainsAny(p.src[at+n:], "\"'`\n”’")
	}
	// A word before the key.
	word := at
	for word < len(p.src) && word < at+30 && (unicode.IsLetter(rune(p.src[word])) || p.src[word] == ' ') {
		word++
	}
	return word > at && p.quoteAt(word) > 0 && p.keyAt(word)
}

// itemFollows reports whether the next item, or the end of the list, can begin at an offset behind a comma.
func (p *parser) itemFollows(at int) bool {
	at = p.blanks(at)
	if at >= len(p.src) || p.quoteAt(at) > 0 {
		return true
	}
	c := p.src[at]
	if strings.IndexByte("]}{[(,-.", c) >= 0 || c >= '0' && c <= '9' {
		return true
	}
	end := at
	for end < len(p.src) && (p.src[end] == '_' || unicode.IsLetter(rune(p.src[end]))) {
		end++
	}
	next := p.blanks(end)
	return end > at && (next >= len(p.src) || p.src[next] == ',' || p.src[next] == ']')
}

// wellFormed reports whether a whole text of a list stands at an offset: the comma before it is missing.
func (p *parser) wellFormed(at int) bool {
	from := at + p.quoteAt(at)
	for i := from; i < len(p.src) && i < from+500; i++ {
		if p.src[i] == '\\' {
			i++
			continue
		}
		if n := p.quoteAt(i); n > 0 {
			next := p.blanks(i + n)
			return i > from && p.src[from] != ',' && (next >= len(p.src) || p.src[next] == ',' || p.src[next] == ']' ||
				next > i+n && (p.quoteAt(next) > 0 || p.src[next] >= '0' && p.src[next] <= '9'))
		}
	}
	return false
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", '/': "/", '\\': "\\", '"': `"`, '\'': "'", '`': "`", '\n': "\n"}

// escape reads a backslash and what it escapes. One that escapes nothing stays, as in a path or a pattern.
func (p *parser) escape(b *strings.Builder) {
	if p.at+1 >= len(p.src) {
		p.at++
		return
	}
	c := p.src[p.at+1]
	if c == 'u' {
		if r, n := p.unicodeAt(p.at); n > 0 {
			b.WriteRune(r)
			p.at += n
			return
		}
	}
	if text, ok := escapes[c]; ok {
		b.WriteString(text)
		p.at += 2
		return
	}
	b.WriteByte('\\')
	p.at++
}

// unicodeAt reads \uXXXX, or two of them that make one character.
func (p *parser) unicodeAt(at int) (rune, int) {
	hex := func(at int) (rune, bool) {
		if at+6 > len(p.src) || p.src[at:at+2] != `\u` {
			return 0, false
		}
		n, err := strconv.ParseUint(p.src[at+2:at+6], 16, 32)
		return rune(n), err == nil
	}
	r, ok := hex(at)
	if !ok {
		return 0, 0
	}
	if r >= 0xD800 && r < 0xE000 {
		if low, ok := hex(at + 6); ok && r < 0xDC00 && low >= 0xDC00 && low < 0xE000 {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), 12
		}
		return utf8.RuneError, 6
	}
	return r, 6
}
