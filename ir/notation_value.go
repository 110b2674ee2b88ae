package ir

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"pflow/internal/value"
)

// The words that lines of CLI notation begin with.
const (
	versionLine  = "ir_version"
	beginsLine   = "begins at"
	orderLine    = "order in the document"
	mappingsLine = "mappings (unused)"
	edgesLine    = "edges in the document"
	effectsLine  = "effects"

	batchLine    = "batch"
	repeatLine   = "repeat"
	retryLine    = "retry"
	timeoutLine  = "timeout"
	approvalLine = "approval"
	asWritten    = "as written"

	valueKey       = "value" // of this run, beside what the document says of an input
	defaultVersion = "0.1.0"
)

// Notes are the beginnings of lines about what a step does to what is there. They are no part of the workflow: whoever reads
// CLI notation passes them over, with all lines below that are set further in.
var Notes = []string{"will not run", "not there now", "destroys", "replaces", "appends to", "changes"}

var arrayPort = &Port{Type: value.Array}

// paramPort is the port of a param; one that takes anything if it is not known.
func paramPort(c *Catalogue, typ, k string) *Port {
	if i := c.Get(typ); i != nil {
		if p, ok := i.Param(k); ok {
			return p
		}
	}
	return &Port{Key: k, Type: value.Any}
}

// plainText is a value as the text of a word.
func plainText(v any) string {
	if v == nil {
		return "null"
	}
	return Text(v)
}

// readWord gives the value that a word stands for where a port takes it: text that is no value of the port's type stays
// text, such as a template or a mistake that the validator finds.
func readWord(text string, p *Port) any {
	if p.Type == value.String {
		return text
	}
	if start := strings.TrimLeft(text, " \t\r\n"); start == "" || start[0] == '"' {
		return text
	}
	tree, err := readTree([]byte(text))
	if err != nil {
		return text
	}
	v, fits := plain(tree), true
	switch got := v.(type) {
	case json.Number:
		fits = p.Type == value.Any || p.Type == "" || p.Type == value.Number || p.Type == value.Integer
	case bool:
		fits = p.Type == value.Any || p.Type == "" || p.Type == value.Boolean
	case []any:
		fits = p.Type == value.Any || p.Type == "" || p.Type == value.Array
	case map[string]any:
		fits = p.Type == value.Any || p.Type == "" || p.Type == value.Object
	default:
		fits = got == nil
	}
	if !fits {
		return text
	}
	return v
}

// sameValue reports whether two values are the same in a document.
func sameValue(a, b any) bool { return string(appendValue(nil, a)) == string(appendValue(nil, b)) }

// standIns tells by a text or a number which input has it as its value, where that is one input alone.
type standIns map[string]string

func (s *standIns) add(name string, v any) {
	if *s == nil {
		*s = standIns{}
	}
	if text, ok := v.(string); ok {
		v = Escape(text)
	}
	k := standInKey(v)
	if _, taken := (*s)[k]; taken {
		name = ""
	}
	(*s)[k] = name
}

// standInKey is "" for what is too common to mean an input: nothing, yes and no.
func standInKey(v any) string {
	switch v := v.(type) {
	case string:
		if v != "" {
			return "s" + v
		}
	case json.Number, int, float64:
		return "n" + Text(tidy(v))
	}
	return ""
}

// restored puts the template of an input where its value stands as a whole, at any depth.
func (s standIns) restored(v any, p *Port) any {
	if len(s) == 0 || p.Raw {
		return v
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.restored(v[i], p)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = s.restored(v[k], p)
		}
		return out
	}
	if k := standInKey(v); k != "" && s[k] != "" {
		return slot(s[k])
	}
	return v
}

// shellWord writes text as one word of a command line: bare, in single quotes, or, where it holds a quote or what a
// terminal would act on, in double quotes with escapes.
func shellWord(s string) string {
	bare, printable := s != "", true
	for _, r := range s {
		if !(r < 128 && (isWord(byte(r)) || strings.ContainsRune("-./:@%+,=${}[]", r))) {
			bare = false
		}
		if !unicode.IsPrint(r) || r == '\'' || r == unicode.ReplacementChar {
			printable = false
		}
	}
	switch {
	case bare:
		return s
	case printable:
		return "'" + s + "'"
	}
	return visible(value.JSON(s))
}

func flagWord(s string) string {
	switch {
	case isID(s):
		return s
	case strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == '\'' || r == unicode.ReplacementChar }) < 0:
		return "'" + s + "'"
	}
	return visible(value.JSON(s))
}

// proseText writes a text that goes to the end of its line: as it is, or in double quotes where the line could not hold it.
func proseText(s string) string {
	if strings.TrimSpace(s) != s || strings.HasPrefix(s, `"`) || visible(s) != s {
		return visible(value.JSON(s))
	}
	return s
}

// visible escapes what would move the cursor, hide text or turn its direction, as JSON does.
func visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}
