package ir

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
)

// notationReader reads CLI notation from the beginning to the end.
type notationReader struct {
	c    *Catalogue
	n    *Notation
	text string
	i    int

	ids       map[string]bool // that are taken
	numbers   map[string]int  // the last that stands behind a component's name
	pending   int             // the step that >> leads on from; -1: none
	pendingAt int
	section   *[]namedObject // inputs or outputs, where lines of them follow
	noted     int            // how far a note is set in whose lines may follow; 0: none
	standIns  standIns
	implied   map[string]bool
	written   []writtenAt

	unbraced int // no } stands before this offset
	failures int // of reading JSON

	first                        int  // params of the first step
	firstKnown, dashed, labelled bool // one of them is known; a param has dashes; the first step has an id
	stray                        int  // words that fit nowhere
	strayEnd                     int
	sentence                     bool // it cannot be notation
}

type writtenAt struct{ into, of map[string]any }

// problem notes a mistake in the text.
func (r *notationReader) problem(offset int, format string, args ...any) *diag.Finding {
	const most = 200 // more than anybody reads
	if len(r.n.Problems) == most {
		return &diag.Finding{}
	}
	f := diag.Finding{Severity: diag.Error, Kind: MalformedNotation, Message: fmt.Sprintf(format, args...)}
	f.Place.Line, f.Place.Col, f.Snippet = r.n.lines.at(offset)
	r.n.Problems = append(r.n.Problems, f)
	return &r.n.Problems[len(r.n.Problems)-1]
}

func (r *notationReader) part(start, end int, by string) {
	r.n.parts = append(r.n.parts, NotationPart{start, end, by})
}

func (r *notationReader) has(prefix string) bool { return strings.HasPrefix(r.text[r.i:], prefix) }

// blanks passes over blanks, and over the end of a line that a backslash stands before.
func (r *notationReader) blanks() int {
	from := r.i
	for r.i < len(r.text) {
		switch {
		case r.text[r.i] == ' ' || r.text[r.i] == '\t' || r.text[r.i] == '\r':
			r.i++
		case r.has("\\\n"):
			r.part(r.i, r.i+1, phrasePart)
			r.i += 2
		case r.has("\\\r\n"):
			r.part(r.i, r.i+1, phrasePart)
			r.i += 3
		default:
			return r.i - from
		}
	}
	return r.i - from
}

// phrasePart stands for what asks for nothing.
const phrasePart = "phrase"

// ended reports whether the line ends here.
func (r *notationReader) ended() bool { return r.i >= len(r.text) || r.text[r.i] == '\n' }

// lineEnd is where the line ends, without blanks before.
func (r *notationReader) lineEnd() int {
	end := strings.IndexByte(r.text[r.i:], '\n')
	if end < 0 {
		end = len(r.text) - r.i
	}
	return r.i + len(strings.TrimRight(r.text[r.i:r.i+end], " \t\r"))
}

// rest takes the rest of the line.
func (r *notationReader) rest() string {
	from := r.i
	r.i = max(r.lineEnd(), r.i)
	return r.text[from:r.i]
}

// name takes letters, digits, _ and -, and dots where they may stand.
func (r *notationReader) name(dots bool) string {
	from := r.i
	for r.i < len(r.text) && (isWord(r.text[r.i]) || r.text[r.i] == '-' || dots && r.text[r.i] == '.') {
		r.i++
	}
	return r.text[from:r.i]
}

// word takes a word as a shell does: quotes keep blanks, and pieces in quotes and without stand together. A template is
// taken as a whole. It ends before a blank, before >> and before the characters of stops.
func (r *notationReader) word(stops string) string {
	var b strings.Builder
	for r.i < len(r.text) {
		c := r.text[r.i]
		switch {
		case r.has("\\\n"), r.has("\\\r\n"), strings.IndexByte(" \t\r\n", c) >= 0, strings.IndexByte(stops, c) >= 0, r.has(">>"):
			return b.String()
		case c == '\'':
			end := strings.IndexByte(r.text[r.i+1:], '\'')
			if end < 0 {
				r.problem(r.i, "this quote is not closed; close it with ' behind the value, or write a value that holds a quote in double quotes")
				b.WriteString(r.rest())
				return b.String()
			}
			b.WriteString(r.text[r.i+1 : r.i+1+end])
			r.i += end + 2
		case c == '"':
			r.doubleQuoted(&b)
		case c == '\\' && r.i+1 < len(r.text) && strings.IndexByte(" \t'\"\\$", r.text[r.i+1]) >= 0:
			b.WriteByte(r.text[r.i+1])
			r.i += 2
		case r.has("${") && r.braces(&b):
		default:
			b.WriteByte(c)
			r.i++
		}
	}
	return b.String()
}

// doubleQuoted takes what stands in double quotes, with the escapes of JSON; any other backslash is text.
func (r *notationReader) doubleQuoted(b *strings.Builder) {
	start := r.i
	for r.i++; r.i < len(r.text); r.i++ {
		switch c := r.text[r.i]; {
		case c == '"':
			r.i++
			return
		case c != '\\' || r.i+1 == len(r.text):
			b.WriteByte(c)
		default:
			r.i++
			r.escape(b)
		}
	}
	r.problem(start, `this quote is not closed; close it with " behind the value`)
}

func (r *notationReader) escape(b *strings.Builder) {
	switch c := r.text[r.i]; c {
	case '"', '\\', '/', '$':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'u':
		end := r.i + 5
		if strings.HasPrefix(r.text[min(end, len(r.text)):], `\u`) {
			end += 6 // the other half of a character beyond 16 bits
		}
		for _, end := range []int{end, r.i + 5} {
			var text string
			if end <= len(r.text) && json.Unmarshal([]byte(`"\`+r.text[r.i:end]+`"`), &text) == nil && (end == r.i+5 || utf8.RuneCountInString(text) == 1) {
				b.WriteString(text)
				r.i = end - 1
				return
			}
		}
		b.WriteString(`\u`)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
}

// braces takes a template, which may hold blanks and quotes, if its brace is closed on the same line.
func (r *notationReader) braces(b *strings.Builder) bool {
	if r.i < r.unbraced {
		return false
	}
	quoted := false
	for k := r.i + 2; k < len(r.text) && r.text[k] != '\n'; k++ {
		switch c := r.text[k]; {
		case c == '\\' && quoted:
			k++
		case c == '"':
			quoted = !quoted
		case c == '}' && !quoted:
			b.WriteString(r.text[r.i : k+1])
			r.i = k + 1
			return true
		}
		r.unbraced = k
	}
	return false
}

// maxFailures bounds how often text that begins like JSON is read as such in vain, each time perhaps to the end.
const maxFailures = 20

// valueWord takes the value of a param: a word, or a list or an object in JSON as it is, blanks and quotes included.
func (r *notationReader) valueWord(stops string) string {
	if r.i < len(r.text) && (r.text[r.i] == '[' || r.text[r.i] == '{') && r.failures < maxFailures {
		d := json.NewDecoder(strings.NewReader(r.text[r.i:]))
		var raw json.RawMessage
		if err := d.Decode(&raw); err == nil {
			end := r.i + int(d.InputOffset())
			if end == len(r.text) || strings.IndexByte(" \t\r\n,"+stops, r.text[end]) >= 0 || strings.HasPrefix(r.text[end:], ">>") {
				r.i = end
				return string(raw)
			}
		}
		r.failures++
	}
	return r.word(stops)
}

// token is a word of a line below a step.
type token struct {
	text  string
	start int
}

// pieces takes the words of a line up to its end or a character of stops, parted by commas.
func (r *notationReader) pieces(stops string) [][]token {
	out := [][]token{nil}
	for {
		r.blanks()
		if r.ended() || strings.IndexByte(stops, r.text[r.i]) >= 0 && stops != "" {
			return out
		}
		t := token{start: r.i}
		t.text = r.valueWord(stops)
		if r.i == t.start { // >>, which fits nowhere here
			r.i += 2
			t.text = ">>"
		}
		comma := false
		if !r.ended() && r.text[r.i-1] == ',' && strings.HasSuffix(t.text, ",") {
			t.text, comma = strings.TrimSuffix(t.text, ","), true
		} else if !r.ended() && r.text[r.i] == ',' {
			r.i, comma = r.i+1, true
		}
		last := len(out) - 1
		out[last] = append(out[last], t)
		if comma {
			out = append(out, nil)
		}
	}
}

// settingValue is a number or a text, such as a duration or a template.
func settingValue(text string) any {
	if _, err := strconv.Atoi(text); err == nil {
		return json.Number(text)
	}
	return text
}
