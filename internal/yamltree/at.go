package yamltree

import (
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
)

// At gives the place of a byte of a string's text in the document: where the character stands that the byte belongs
// to, through quotes, escapes, indentation and folded lines. An offset at the end of the text, or after it, is the
// place after its last character. Where the text cannot be followed the place is that of the whole scalar.
func (v *Value) At(offset int) diag.Place {
	if v == nil {
		return diag.Place{}
	}
	if v.Doc == nil || v.Kind == Map || v.Kind == Seq {
		return v.Place
	}
	text := v.Text[v.lead:]
	offset = min(max(offset-v.lead, 0), len(text))
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	w := walker{src: v.Doc.source, at: v.Doc.offset(v.Place.Line, v.Place.Col), text: text, stop: offset}
	w.properties()
	ok := false
	switch v.style {
	case plain:
		// Tags can hold almost anything: be sure that they were passed.
		ok = strings.HasPrefix(w.src[w.at:], text[:firstLen(text)]) && w.flow(0)
	case singleQuoted:
		ok = w.char('\'') && w.flow('\'')
	case doubleQuoted:
		ok = w.char('"') && w.flow('"')
	case literal, folded:
		ok = w.block(v.style == folded)
	}
	if !ok {
		return v.Place
	}
	return v.Doc.place(w.at)
}

// firstLen is the length of the first character, 0 of an empty text.
func firstLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// walker follows a text through the source that it was read from, up to the byte stop. It demands that the two agree:
// what it does not understand stops it, and then the place is less exact but never wrong.
type walker struct {
	src  string
	at   int // in src
	text string
	read int // in text
	stop int
}

func (w *walker) peek() byte {
	if w.at < len(w.src) {
		return w.src[w.at]
	}
	return 0
}

func (w *walker) char(c byte) bool {
	if w.peek() != c {
		return false
	}
	w.at++
	return true
}

// properties passes a tag and an anchor before the scalar, and what is between.
func (w *walker) properties() {
	for w.peek() == '!' || w.peek() == '&' {
		tag := w.peek() == '!'
		for w.at++; w.at < len(w.src); w.at++ {
			if c := w.src[w.at]; tag && strings.IndexByte(" \t\r\n,[]{}", c) >= 0 || !tag && !inAnchor(c) {
				break
			}
		}
		w.skip(" \t\r\n")
		for w.peek() == '#' {
			w.line()
			w.skip(" \t\r\n")
		}
	}
}

// inAnchor tells the characters that the library takes for the name of an anchor.
func inAnchor(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func (w *walker) skip(chars string) {
	for w.at < len(w.src) && strings.IndexByte(chars, w.src[w.at]) >= 0 {
		w.at++
	}
}

// take passes n bytes of the source that stand for the next bytes of the text; false if the text has others.
func (w *walker) take(n int, as string) bool {
	if !strings.HasPrefix(w.text[w.read:], as) {
		return false
	}
	w.at += n
	w.read += len(as)
	return true
}

// flow follows a plain scalar (quote 0) or a quoted one after its quote.
func (w *walker) flow(quote byte) bool {
	for w.read < w.stop {
		c := w.peek()
		ok := false
		switch {
		case w.at >= len(w.src):
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			ok = w.blanks()
		case quote == '\'' && c == '\'':
			ok = w.take(2, "'")
		case quote == '"' && c == '\\':
			ok = w.escape()
		default:
			_, n := utf8.DecodeRuneInString(w.src[w.at:])
			ok = w.take(n, w.src[w.at:w.at+n])
		}
		if !ok {
			return false
		}
	}
	return w.read == w.stop
}

// blanks passes white space. Without a line break it stands for itself; one break stands for a blank, and each further
// one for a line break.
func (w *walker) blanks() bool {
	end, breaks := w.at, 0
	for ; end < len(w.src); end++ {
		switch c := w.src[end]; {
		case c == '\n' || c == '\r' && (end+1 == len(w.src) || w.src[end+1] != '\n'):
			breaks++
		case c != ' ' && c != '\t' && c != '\r':
			return w.fold(end, breaks)
		}
	}
	return w.fold(end, breaks)
}

func (w *walker) fold(end, breaks int) bool {
	switch breaks {
	case 0:
		// Bytes one by one, so that stop may lie among them.
		n := min(end-w.at, w.stop-w.read)
		return w.take(n, w.src[w.at:w.at+n])
	case 1:
		return w.take(end-w.at, " ")
	}
	for n := 1; n < breaks && w.read < w.stop; n++ {
		if !w.take(0, "\n") {
			return false
		}
	}
	w.at = end
	return true
}

// escapes are what a backslash and a character stand for in double quotes; x, u and U take hexadecimal digits.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, '\'': "'", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

func (w *walker) escape() bool {
	if w.at+1 >= len(w.src) {
		return false
	}
	c := w.src[w.at+1]
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case digits > 0:
		_, n := utf8.DecodeRuneInString(w.text[w.read:])
		return w.take(2+digits, w.text[w.read:w.read+n])
	case c == '\n' || c == '\r':
		// The line goes on without a blank; empty lines after it count.
		w.at += 2
		for breaks := 0; ; w.at++ {
			switch w.peek() {
			case '\n':
				if c == '\r' && w.src[w.at-1] == '\r' && breaks == 0 {
					continue // the second half of the line's end
				}
				breaks++
				if !w.take(0, "\n") {
					return false
				}
			case ' ', '\t', '\r':
			default:
				return true
			}
		}
	}
	as, ok := escapes[c]
	return ok && w.take(2, as)
}

// block follows a literal or a folded scalar from its header. The indentation need not be known: what a line of the
// text lacks of a line of the source is its indentation.
func (w *walker) block(fold bool) bool {
	w.line() // the header
	if fold {
		return w.folded()
	}
	for {
		line := w.src[w.at:lineEnd(w.src, w.at)]
		text := w.text[w.read:]
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			text = text[:end]
		}
		if !strings.HasSuffix(line, text) {
			return false
		}
		if w.stop <= w.read+len(text) {
			w.at += len(line) - len(text) + w.stop - w.read
			return true
		}
		w.read += len(text) + 1
		if !w.line() {
			return w.read >= w.stop
		}
	}
}

// folded follows the lines of a folded scalar.
func (w *walker) folded() bool {
	for {
		line := w.src[w.at:lineEnd(w.src, w.at)]
		bare := strings.TrimLeft(line, " \t")
		rest := w.text[w.read:]
		if strings.Trim(rest, "\n") == "" {
			return true // only line ends are left of the text
		}
		if bare == "" {
			if !w.line() {
				return false
			}
			continue
		}
		// Between two lines the text has line breaks, where empty lines or more indentation keep them, or one blank.
		lead := len(rest) - len(strings.TrimLeft(rest, "\n"))
		indent := len(rest[lead:]) - len(strings.TrimLeft(rest[lead:], " \t"))
		if w.read > 0 && lead == 0 {
			lead, indent = 1, 0
		}
		if !strings.HasPrefix(rest[lead+indent:], bare) || indent > len(line)-len(bare) {
			return false
		}
		if skip := lead + indent; w.stop <= w.read+skip+len(bare) {
			w.at += len(line) - len(bare) - indent + max(0, w.stop-w.read-lead)
			return true
		}
		w.read += lead + indent + len(bare)
		if strings.Trim(w.text[w.read:], "\n") == "" {
			w.at += len(line)
			return true
		}
		if !w.line() {
			return false
		}
	}
}

// line goes to the begin of the next line; false at the end of the source.
func (w *walker) line() bool {
	w.at = lineEnd(w.src, w.at)
	if w.at >= len(w.src) {
		return false
	}
	if strings.HasPrefix(w.src[w.at:], "\r\n") {
		w.at++
	}
	w.at++
	return true
}

func lineEnd(s string, from int) int {
	if n := strings.IndexAny(s[from:], "\r\n"); n >= 0 {
		return from + n
	}
	return len(s)
}
