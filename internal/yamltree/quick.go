package yamltree

import (
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
)

// quick reads the part of YAML that nearly all documents keep to, JSON among it, some ten times as fast as the library: mappings and lists
// in lines and in brackets, texts in one line, blocks, anchors, comments. Whatever else it comes upon, and whatever is wrong, it leaves to the
// library. So no document has another tree by it, and every error is the library's. TestQuickIsTheLibrary and FuzzQuick hold it to that.
type quick struct {
	doc     *Document
	src     string
	at      int
	line    int // counted from 1
	start   int // offset of the line
	counted int // up to here col has counted
	col     int // of counted, from 1
	depth   int
	slab    []Value
	items   []*Value // of the lists that are being read
	entries []Entry  // of the mappings that are being read
	anchors map[string]*Value
	aliased int // values that aliases have added
}

// longestKey is in bytes: the library wants the colon within 1,024 characters.
const longestKey = 1000

// quick gives the values of the documents of a source, nil where only the library can tell.
func (d *Document) quick() []*Value {
	if strings.IndexByte(d.source, '\r') >= 0 {
		return nil
	}
	var out []*Value
	q := &quick{doc: d, line: 1, col: 1}
	for {
		end, after := separator(d.source, q.at)
		q.src, q.anchors, q.aliased = d.source[:end], nil, 0
		if col, ok := q.next(); !ok || col != 0 || q.at == end {
			return nil
		}
		v := q.block(0, -1)
		if v == nil || q.at < end {
			return nil
		}
		out = append(out, v)
		if end == len(d.source) {
			return out
		}
		q.src, q.at = d.source, after-1
		q.newline()
	}
}

// separator finds the line --- behind an offset: where it begins, and where the one after it does. Nothing that is read quickly goes over it.
func separator(source string, from int) (begin, after int) {
	const line = "\n---\n"
	if n := strings.Index(source[from:], line); n >= 0 {
		return from + n + 1, from + n + len(line)
	}
	return len(source), len(source)
}

func (q *quick) peek() byte {
	if q.at < len(q.src) {
		return q.src[q.at]
	}
	return 0
}

// blankAt reports white space or the end at an offset.
func (q *quick) blankAt(at int) bool {
	return at >= len(q.src) || q.src[at] == ' ' || q.src[at] == '\n'
}

func (q *quick) spaces() {
	for q.at < len(q.src) && q.src[q.at] == ' ' {
		q.at++
	}
}

// newline goes behind a line feed.
func (q *quick) newline() {
	q.at++
	q.line++
	q.start, q.counted, q.col = q.at, q.at, 1
}

// next passes blanks, comments and line ends, up to what follows, and gives its offset in its line: its indentation, if it is the first
// there. At the end that is -1, which no indentation is below.
func (q *quick) next() (col int, ok bool) {
	for {
		q.spaces()
		switch q.peek() {
		case '\n':
			q.newline()
			continue
		case '#':
			if q.at > q.start && q.src[q.at-1] != ' ' {
				return 0, false
			}
			if n := strings.IndexByte(q.src[q.at:], '\n'); n >= 0 {
				q.at += n
			} else {
				q.at = len(q.src)
			}
			continue
		}
		if q.at == len(q.src) {
			return -1, true
		}
		if q.at == q.start {
			switch rest := q.src[q.at:]; {
			case rest[0] == '%', strings.HasPrefix(rest, "---"), strings.HasPrefix(rest, "..."):
				return 0, false
			}
		}
		return q.at - q.start, true
	}
}

// make makes a value that begins at an offset of the line.
func (q *quick) make(at int) *Value {
	if len(q.slab) == 0 {
		q.slab = make([]Value, 64)
	}
	v := &q.slab[0]
	q.slab = q.slab[1:]
	q.col += utf8.RuneCountInString(q.src[q.counted:at])
	q.counted = at
	v.Doc, v.Place = q.doc, diag.Place{File: q.doc.File, Line: q.line, Col: q.col}
	return v
}

// block reads the value that begins here, at the offset col of its line, inside what is indented by parent. Behind it is the begin of what
// follows, or the end.
func (q *quick) block(col, parent int) *Value {
	if q.depth++; q.depth > MaxDepth {
		return nil
	}
	defer func() { q.depth-- }()
	switch c := q.peek(); {
	case c == '-' && q.blankAt(q.at+1):
		return q.sequence(col)
	case c == '&' || c == '*':
		return q.inline(parent)
	}
	if q.key() {
		return q.mapping(col)
	}
	return q.inline(parent)
}

// key reports whether a key of a mapping in lines begins here: a text in one line with a colon behind it.
func (q *quick) key() bool {
	at, ok := q.at, false
	switch c := q.peek(); c {
	case '{', '[':
		return false
	case '"', '\'':
		_, ok = q.quoted(c)
		q.spaces()
	default:
		_, ok = q.plain(false)
	}
	ok = ok && q.peek() == ':' && q.blankAt(q.at+1) && q.at-at < longestKey
	q.at = at
	return ok
}

// mapping reads the lines of a mapping that are indented by col.
func (q *quick) mapping(col int) *Value {
	v, mark := q.make(q.at), len(q.entries)
	v.Kind = Map
	for {
		if !q.key() {
			return nil
		}
		name := q.scalar(false)
		if name == nil || !q.fits(name, mark) {
			return nil
		}
		q.spaces()
		q.at++ // the colon
		behind := q.at
		value := q.value(col, behind)
		if value == nil {
			return nil
		}
		q.entries = append(q.entries, Entry{Key: name.Text, KeyPlace: name.Place, Name: name, Value: value})
		switch here := q.at - q.start; {
		case q.at == len(q.src) || here < col:
			v.Entries = append(make([]Entry, 0, len(q.entries)-mark), q.entries[mark:]...)
			q.entries = q.entries[:mark]
			return v
		case here > col:
			return nil
		}
	}
}

// value reads what stands behind the colon of a key that is indented by col.
func (q *quick) value(col, behind int) *Value {
	q.spaces()
	if c := q.peek(); c != 0 && c != '\n' && c != '#' {
		if q.at == behind {
			return nil
		}
		if q.depth++; q.depth > MaxDepth {
			return nil
		}
		defer func() { q.depth-- }()
		return q.inline(col)
	}
	null := q.make(behind)
	here, ok := q.next()
	switch {
	case !ok:
		return nil
	case here > col || here == col && q.peek() == '-' && q.blankAt(q.at+1):
		return q.block(here, col)
	}
	return null
}

// fits reports whether a value may be a key of the mapping whose entries begin at mark.
func (q *quick) fits(name *Value, mark int) bool {
	if name.Kind != String || name.style == plain && name.Text == "<<" {
		return false
	}
	if len(q.entries)-mark > 40 {
		return false // the library has an index of them
	}
	for k := mark; k < len(q.entries); k++ {
		if q.entries[k].Key == name.Text {
			return false
		}
	}
	return true
}

// sequence reads the items in lines that are indented by col.
func (q *quick) sequence(col int) *Value {
	v, mark := q.make(q.at), len(q.items)
	v.Kind = Seq
	for {
		if q.peek() != '-' || !q.blankAt(q.at+1) {
			// A list may be indented as the key of which it is: then the next key ends it.
			break
		}
		q.at++
		line := q.line
		here, ok := q.next()
		if !ok || here <= col || q.at == len(q.src) {
			return nil
		}
		if q.line == line && q.peek() == '-' && q.blankAt(q.at+1) {
			return nil
		}
		item := q.block(here, col)
		if item == nil {
			return nil
		}
		q.items = append(q.items, item)
		if q.at == len(q.src) || q.at-q.start < col {
			break
		}
		if q.at-q.start > col {
			return nil
		}
	}
	v.Items = append(make([]*Value, 0, len(q.items)-mark), q.items[mark:]...)
	q.items = q.items[:mark]
	return v
}

// inline reads a text, or brackets, inside what is indented by parent. Nothing may stand behind it in its line.
func (q *quick) inline(parent int) *Value {
	if c := q.peek(); c == '|' || c == '>' {
		return q.lines(parent)
	}
	v := q.inLine(false)
	if v == nil {
		return nil
	}
	line := q.line
	here, ok := q.next()
	if !ok || q.at < len(q.src) && (q.line == line || here > parent) {
		return nil
	}
	return v
}

// inLine reads a text, brackets or an alias, with an anchor or without.
func (q *quick) inLine(inside bool) *Value {
	switch q.peek() {
	case '{', '[':
		return q.brackets()
	case '*':
		return q.alias()
	case '&':
		at, line := q.at, q.line
		v := q.make(at)
		name := q.name()
		if name == "" || q.peek() != ' ' {
			return nil
		}
		q.spaces()
		if c := q.peek(); c == '&' || c == '*' {
			return nil
		}
		got := q.inLine(inside)
		if got == nil || q.line != line && got.Kind != Map && got.Kind != Seq {
			return nil
		}
		got.Place = v.Place
		if q.anchors == nil {
			q.anchors = map[string]*Value{}
		}
		q.anchors[name] = got
		return got
	}
	return q.scalar(inside)
}

// name reads the name of an anchor behind its sign.
func (q *quick) name() string {
	q.at++
	start := q.at
	for q.at < len(q.src) && inAnchor(q.src[q.at]) {
		q.at++
	}
	return q.src[start:q.at]
}

// alias gives the value of an anchor, which is shared.
func (q *quick) alias() *Value {
	v := q.anchors[q.name()]
	if c := q.peek(); v == nil || !q.blankAt(q.at) && c != ',' && c != ']' && c != '}' || !q.shares(v, q.depth) {
		return nil
	}
	return v
}

// shares counts the values that an alias adds, and reports whether they are within the bounds.
func (q *quick) shares(v *Value, depth int) bool {
	q.aliased++
	ok := q.aliased <= maxAliased && depth < MaxDepth
	for k := 0; ok && k < len(v.Items); k++ {
		ok = q.shares(v.Items[k], depth+1)
	}
	for k := 0; ok && k < len(v.Entries); k++ {
		q.aliased++
		ok = q.shares(v.Entries[k].Value, depth+1)
	}
	return ok
}

// brackets reads a list or mapping in brackets, which may go over several lines.
func (q *quick) brackets() *Value {
	v := q.make(q.at)
	closing := byte(']')
	if v.Kind = Seq; q.peek() == '{' {
		v.Kind, closing = Map, '}'
	}
	items, entries := len(q.items), len(q.entries)
	q.at++
	for {
		if _, ok := q.next(); !ok || q.at == len(q.src) {
			return nil
		}
		if q.peek() == closing {
			break
		}
		var name *Value
		if v.Kind == Map {
			line, at := q.line, q.at
			if name = q.scalar(true); name == nil || !q.fits(name, entries) {
				return nil
			}
			q.spaces()
			if q.peek() != ':' || q.at-at > longestKey {
				return nil
			}
			q.at++
			if name.style == plain && !q.blankAt(q.at) {
				return nil
			}
			if _, ok := q.next(); !ok || q.line != line || q.at == len(q.src) {
				return nil
			}
		}
		var item *Value
		if q.depth++; q.depth > MaxDepth {
			return nil
		}
		item = q.inLine(true)
		q.depth--
		if item == nil {
			return nil
		}
		if v.Kind == Map {
			q.entries = append(q.entries, Entry{Key: name.Text, KeyPlace: name.Place, Name: name, Value: item})
		} else {
			q.items = append(q.items, item)
		}
		if _, ok := q.next(); !ok {
			return nil
		}
		if q.peek() == ',' {
			q.at++
		} else if q.peek() != closing {
			return nil
		}
	}
	q.at++
	if v.Kind == Map {
		v.Entries = append(make([]Entry, 0, len(q.entries)-entries), q.entries[entries:]...)
		q.entries = q.entries[:entries]
	} else {
		v.Items = append(make([]*Value, 0, len(q.items)-items), q.items[items:]...)
		q.items = q.items[:items]
	}
	return v
}
