package repair

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/value"
)

// parser reads containers leniently. open holds the closing brackets that are still to come.
type parser struct {
	src  string
	at   int
	open []byte
	deep bool // nesting passed maxDepth
	read int  // values so far; past value.MaxValues no more is read
}

func (p *parser) rest() string { return strings.TrimSpace(p.src[p.at:]) }

func (p *parser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

// skip passes blanks and comments.
func (p *parser) skip() {
	for p.at < len(p.src) {
		r, n := utf8.DecodeRuneInString(p.src[p.at:])
		if unicode.IsSpace(r) || r == '\uFEFF' {
			p.at += n
			continue
		}
		end := p.comment(p.at)
		if end == p.at {
			return
		}
		p.at = end
	}
}

// comment gives the end of the comment at an offset, or the offset. A line comment ends with its line; if the rest is
// one line, with the next bracket that can close something.
func (p *parser) comment(at int) int {
	rest := p.src[at:]
	switch {
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest, "*/"); end >= 0 {
			return at + end + 2
		}
		return len(p.src)
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "#"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return at + end
		}
		if end := strings.IndexAny(rest, "}]"); end >= 0 {
			return at + end
		}
		return len(p.src)
	}
	return at
}

// opens reports whether the bracket here looks like JSON's and not like one of prose.
func (p *parser) opens() bool {
	q := &parser{src: p.src, at: p.at + 1}
	q.skip()
	c := q.peek()
	if q.quoteAt(q.at) > 0 || c == 0 || c == '[' || c == '{' {
		return true
	}
	if p.src[p.at] == '{' {
		return c == '}' || q.keyAt(q.at)
	}
	if strings.IndexByte("]-+.(0123456789", c) >= 0 {
		return true
	}
	word := q.src[q.at:]
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	_, ok := literal(word)
	return ok
}

// container reads the object or list here; false if there is nothing of one in it.
func (p *parser) container() (any, bool) {
	start := p.at
	p.at++
	if p.src[start] == '[' {
		return p.list(']'), true
	}
	m := p.object()
	inside := strings.TrimSpace(p.src[start+1 : p.at])
	return m, len(m) > 0 || inside == "" || inside == "}" || p.at == len(p.src)
}

func (p *parser) enter(closer byte) bool {
	if len(p.open) >= maxDepth {
		p.deep = true
		p.at = len(p.src)
		return false
	}
	p.open = append(p.open, closer)
	return true
}

func (p *parser) leave() { p.open = p.open[:len(p.open)-1] }

// awaited reports whether a container around the innermost one is closed by c.
func (p *parser) awaited(c byte) bool {
	for _, o := range p.open[:max(0, len(p.open)-1)] {
		if o == c {
			return true
		}
	}
	return false
}

// inList reports whether the object being read is an item of a list.
func (p *parser) inList() bool {
	n := len(p.open)
	return n > 1 && p.open[n-2] == ']'
}

// isOpen reports whether any container is closed by c.
func (p *parser) isOpen(c byte) bool { return strings.IndexByte(string(p.open), c) >= 0 }

// many reports that there are too many values.
func (p *parser) many() bool { return p.read > value.MaxValues }

// value reads one value; false if there is none before the next comma or bracket.
func (p *parser) value(in place) (any, bool) {
	if p.read++; p.many() {
		p.at = len(p.src)
	}
	p.skip()
	switch c := p.peek(); {
	case c == 0:
		return nil, false
	case c == '{':
		p.at++
		return p.object(), true
	case c == '[':
		p.at++
		return p.list(']'), true
	case c == '(':
		return p.tuple()
	case p.quoteAt(p.at) > 0:
		return p.text(in), true
	}
	return p.bare(in)
}

// tuple reads Python's (a, b) as a list; (a) is a in brackets.
func (p *parser) tuple() (any, bool) {
	start := p.at
	p.at++
	items := p.list(')')
	if n := len(items); n == 1 && !strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(p.src[start:p.at], ")"), " \t\n"), ",") {
		return items[0], true
	}
	return items, true
}

// list reads up to its closing bracket, which may be missing.
func (p *parser) list(closer byte) []any {
	out := []any{}
	if !p.enter(closer) {
		return out
	}
	defer p.leave()
	for {
		p.skip()
		switch c := p.peek(); {
		case c == 0:
			return out
		case c == closer:
			p.at++
			return out
		case c == '}' || c == ']' || c == ')':
			if p.awaited(c) {
				return out // the list's own bracket is missing
			}
			p.at++
			continue
		case c == ',' || c == ':' || c == ';':
			p.at++
			continue
		}
		before := p.at
		if p.quoteAt(p.at) > 0 && p.keyAt(p.at) {
			out = append(out, p.object()) // the object's opening brace is missing
			continue
		}
		v, ok := p.value(inList)
		if ok {
			out = append(out, v)
		} else if p.at == before {
			p.at++
		}
	}
}

// object reads pairs up to the closing brace, which may be missing. A key without a value behind it is left out if the
// text ends there, and is "" otherwise.
func (p *parser) object() map[string]any {
	out := map[string]any{}
	if !p.enter('}') {
		return out
	}
	defer p.leave()
	p.pairs(out)
	return out
}

func (p *parser) pairs(out map[string]any) {
	lastKey := ""
	for {
		p.skip()
		c := p.peek()
		switch {
		case c == 0:
			return
		case c == '}':
			p.at++
			return
		case c == ']' || c == ')':
			if p.awaited(c) {
				return // the object's own brace is missing
			}
			p.at++
			continue
		case c == ',' || c == ':' || c == ';':
			p.at++
			continue
		case c == '[' || c == '{' || c == '(':
			// A container without a key: more items of the list before it, which was closed too early, or nothing.
			v, _ := p.value(inObject)
			if before, ok := out[lastKey].([]any); ok && lastKey != "" {
				out[lastKey] = more(before, v)
			}
			continue
		}
		start := p.at
		key, ok := p.key()
		if !ok {
			continue
		}
		if _, twice := out[key]; twice && p.inList() {
			p.at = start // the brackets between two objects of a list are missing
			return
		}
		p.skip()
		if p.peek() == ':' {
			p.at++
		}
		p.skip()
		v, ok := p.value(inObject)
		if !ok {
			if p.at >= len(p.src) {
				return // cut off before the value
			}
			v = ""
		}
		out[key], lastKey = v, key
		p.trash()
	}
}

// more adds what stood behind a list to it: a list to a list of lists, else the items of a list.
func more(list []any, v any) []any {
	items, ok := v.([]any)
	if !ok {
		return list
	}
	if len(list) > 0 {
		if _, nested := list[0].([]any); nested {
			return append(list, v)
		}
	}
	return append(list, items...)
}

// continued reads the pairs that follow an object which was closed too early: `{"a": 1}, "b": 2}`.
func (p *parser) continued(m map[string]any) {
	for {
		start := p.at
		p.skip()
		if p.peek() == ',' {
			p.at++
			p.skip()
			if p.quoteAt(p.at) > 0 && p.keyAt(p.at) {
				p.open = append(p.open[:0], '}')
				p.pairs(m)
				p.open = p.open[:0]
				continue
			}
		}
		p.at = start
		return
	}
}

// trash passes what stands between a value and the next comma, bracket or key, such as a word nobody asked for.
func (p *parser) trash() {
	for p.at < len(p.src) {
		p.skip()
		c := p.peek()
		if c == 0 || strings.IndexByte(",}])", c) >= 0 || p.keyAt(p.at) {
			return
		}
		if c == '{' || c == '[' {
			if p.value(inObject); p.deep {
				return
			}
			continue
		}
		_, n := utf8.DecodeRuneInString(p.src[p.at:])
		p.at += n
	}
}
