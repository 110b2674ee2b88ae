package ir

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pflow/internal/value"
)

// Template is one string with its templates read. It is immutable.
//
//	$name  $name.key[0]       a bare name: letters, digits and _; a dot that no letter follows is text
//	${name.key[0]["a b"]}     in braces names and keys may hold hyphens; blanks around it do not count
//	${a ?? b ?? "text"}       the first that is there and not null; literals are JSON strings, numbers, true, false, null
//	$$                        a dollar; a dollar that none of these follow is text
type Template struct {
	parts []part
	text  string // the source
}

// part is literal text, or an expression if expr is set.
type part struct {
	text string
	expr *Expr
}

// Expr is one template: alternatives that are tried in turn.
type Expr struct {
	Alts   []Alt
	Offset int // byte offset of the dollar in the string
	Text   string
	in     string // the string it stands in
	Longer *Ref   // what a bare name that a hyphen and a letter follow would be if it went on, as in $my-read.content
}

// Alt is a reference, or a literal if Ref is nil.
type Alt struct {
	Ref     *Ref
	Literal any
}

// Ref names a value: a root and the way into it.
type Ref struct {
	Root string
	Path []Step
}

// Step is a key, or an index if IsIndex is set.
type Step struct {
	Key     string
	Index   int
	IsIndex bool
}

// String writes a reference as it stands in braces: get-issue.issue_data.labels[0].
func (r *Ref) String() string { return refText(r.Root, r.Path) }

func refText(root string, path []Step) string {
	var b strings.Builder
	b.WriteString(root)
	for _, s := range path {
		switch {
		case s.IsIndex:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case isID(s.Key):
			b.WriteString("." + s.Key)
		default:
			b.WriteString("[" + value.JSON(s.Key) + "]")
		}
	}
	return b.String()
}

// String writes an expression in its canonical form, with braces.
func (e *Expr) String() string {
	var parts []string
	for _, a := range e.Alts {
		if a.Ref != nil {
			parts = append(parts, a.Ref.String())
		} else {
			parts = append(parts, string(appendValue(nil, a.Literal)))
		}
	}
	return "${" + strings.Join(parts, " ?? ") + "}"
}

// Problem is what is wrong with a template.
type Problem struct {
	Path    string // into the param's value: "", ".key[0]"
	Offset  int    // byte offset in the string
	Message string
}

// ParseTemplate reads the templates of a string. Text without any is a template too.
func ParseTemplate(s string) (*Template, *Problem) {
	t := &Template{text: s}
	var text strings.Builder
	start := 0 // of text that was not copied yet
	flush := func(to int) {
		text.WriteString(s[start:to])
		if text.Len() > 0 {
			t.parts = append(t.parts, part{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(s); {
		next := strings.IndexByte(s[i:], '$')
		if next < 0 {
			break
		}
		i += next
		switch {
		case strings.HasPrefix(s[i:], "$$"):
			text.WriteString(s[start : i+1])
			i += 2
			start = i
		case strings.HasPrefix(s[i:], "${"):
			expr, end, err := parseBraces(s, i)
			if err != "" {
				return nil, &Problem{Offset: i, Message: err}
			}
			flush(i)
			t.parts = append(t.parts, part{expr: expr})
			i, start = end, end
		case i+1 < len(s) && isLetter(s[i+1]):
			ref, end := parseBare(s, i+1)
			flush(i)
			t.parts = append(t.parts, part{expr: &Expr{Alts: []Alt{{Ref: ref}}, Offset: i, Text: s[i:end], in: s, Longer: longer(s, i+1, end)}})
			i, start = end, end
		default:
			i++
		}
	}
	flush(len(s))
	return t, nil
}

func word(s string, i int) int {
	for i < len(s) && isWord(s[i]) {
		i++
	}
	return i
}

// longer reads the bare name from i to end as if it could hold hyphens; nil if there is none behind it.
func longer(s string, i, end int) *Ref {
	if end != word(s, i) || end+1 >= len(s) || s[end] != '-' || !isLetter(s[end+1]) {
		return nil
	}
	for end+1 < len(s) && s[end] == '-' && isWord(s[end+1]) {
		end = word(s, end+1)
	}
	r, _ := parsePath(s, i, end)
	return r
}

// parseBare reads name(.key|[0])* from i on.
func parseBare(s string, i int) (*Ref, int) { return parsePath(s, i, word(s, i)) }

// parsePath reads the keys and indexes behind a name.
func parsePath(s string, i, end int) (*Ref, int) {
	r := &Ref{Root: s[i:end]}
	for end < len(s) {
		switch {
		case s[end] == '.' && end+1 < len(s) && isLetter(s[end+1]):
			to := word(s, end+1)
			r.Path = append(r.Path, Step{Key: s[end+1 : to]})
			end = to
		case s[end] == '[':
			n, to := digits(s, end+1)
			if to < 0 || to >= len(s) || s[to] != ']' {
				return r, end
			}
			r.Path = append(r.Path, Step{Index: n, IsIndex: true})
			end = to + 1
		default:
			return r, end
		}
	}
	return r, end
}

// digits reads an index; to is -1 if there is none or it is absurdly large.
func digits(s string, i int) (n, to int) {
	to = i
	for to < len(s) && s[to] >= '0' && s[to] <= '9' {
		to++
	}
	n, err := strconv.Atoi(s[i:to])
	if err != nil {
		return 0, -1
	}
	return n, to
}

// scan reads the inside of braces.
type scan struct {
	s string
	i int
}

func (c *scan) blanks() {
	for c.i < len(c.s) && strings.IndexByte(" \t\r\n", c.s[c.i]) >= 0 {
		c.i++
	}
}

func (c *scan) has(prefix string) bool {
	if !strings.HasPrefix(c.s[c.i:], prefix) {
		return false
	}
	c.i += len(prefix)
	return true
}

// parseBraces reads the expression whose dollar stands at start; message is "" if it is well formed.
func parseBraces(s string, start int) (e *Expr, end int, message string) {
	c := &scan{s: s, i: start + 2}
	e = &Expr{Offset: start, in: s}
	for {
		c.blanks()
		alt, problem := c.alternative(len(e.Alts) > 0)
		if problem != "" {
			return nil, 0, fmt.Sprintf("%s: %s; write ${name}, ${node-id.key[0]} or ${a ?? \"text\"}, and $$ for a dollar that is text",
				excerpt(s[start:]), problem)
		}
		e.Alts = append(e.Alts, alt)
		c.blanks()
		if c.has("}") {
			e.Text = s[start:c.i]
			return e, c.i, ""
		}
		if !c.has("??") {
			problem = "the } is missing"
			if c.i < len(s) {
				r, _ := utf8.DecodeRuneInString(s[c.i:])
				problem = fmt.Sprintf("%q cannot stand in a template", r)
			}
			return nil, 0, fmt.Sprintf("%s: %s; write ${name}, ${node-id.key[0]} or ${a ?? \"text\"}, and $$ for a dollar that is text",
				excerpt(s[start:]), problem)
		}
	}
}

// alternative reads a reference or, after ??, a literal.
func (c *scan) alternative(literals bool) (Alt, string) {
	if literals && c.i < len(c.s) {
		if v, n := literal(c.s[c.i:]); n > 0 {
			c.i += n
			return Alt{Literal: v}, ""
		}
	}
	from := c.i
	for c.i < len(c.s) && (isWord(c.s[c.i]) || c.s[c.i] == '-') {
		c.i++
	}
	if c.i == from {
		return Alt{}, "a name is missing"
	}
	r := &Ref{Root: c.s[from:c.i]}
	for {
		step, ok, problem := c.step()
		if problem != "" {
			return Alt{}, problem
		}
		if !ok {
			return Alt{Ref: r}, ""
		}
		r.Path = append(r.Path, step)
	}
}

func (c *scan) step() (s Step, ok bool, problem string) {
	switch {
	case c.has("."):
		from := c.i
		for c.i < len(c.s) && (isWord(c.s[c.i]) || c.s[c.i] == '-') {
			c.i++
		}
		if c.i == from {
			return s, false, "a key is missing after the dot"
		}
		return Step{Key: c.s[from:c.i]}, true, ""
	case c.has("["):
		if c.i < len(c.s) && c.s[c.i] == '"' {
			k, n := quoted(c.s[c.i:])
			c.i += n
			if n == 0 || !c.has("]") {
				return s, false, `a key in brackets is written ["key"]`
			}
			return Step{Key: k}, true, ""
		}
		n, to := digits(c.s, c.i)
		if to < 0 {
			return s, false, "an index is a number from 0 on"
		}
		c.i = to
		if !c.has("]") {
			return s, false, "the ] is missing"
		}
		return Step{Index: n, IsIndex: true}, true, ""
	}
	return s, false, ""
}

// quoted reads a JSON string at the start of s; n is 0 if there is none.
func quoted(s string) (text string, n int) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			if json.Unmarshal([]byte(s[:i+1]), &text) != nil {
				return "", 0
			}
			return text, i + 1
		}
	}
	return "", 0
}

// literal reads a JSON scalar at the start of s; n is 0 if there is none.
func literal(s string) (v any, n int) {
	if s[0] == '"' {
		text, n := quoted(s)
		return text, n
	}
	for n < len(s) && (isWord(s[n]) || s[n] == '-' || s[n] == '.' || s[n] == '+') {
		n++
	}
	switch s[:n] {
	case "true":
		return true, n
	case "false":
		return false, n
	case "null":
		return nil, n
	}
	if n > 0 && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s[:n])) {
		return json.Number(s[:n]), n
	}
	return nil, 0
}

// excerpt is the beginning of a text, for messages.
func excerpt(s string) string {
	const most = 40
	for i, r := range s {
		if i >= most || r == '\n' {
			return strconv.Quote(s[:i] + "…")
		}
	}
	return strconv.Quote(s)
}

// Escape writes text so that a template with it resolves to that text.
func Escape(s string) string {
	if strings.IndexByte(s, '$') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] == '$' && (i+1 == len(s) || s[i+1] == '$' || s[i+1] == '{' || isLetter(s[i+1])) {
			b.WriteByte('$')
		}
	}
	return b.String()
}
