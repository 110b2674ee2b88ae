package yamltree

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
)

// Document is the source of values. Lines end at a line feed, a carriage return or both.
type Document struct {
	File   string
	source string
	starts []int // offset of each line; at least one
}

func newDocument(file, source string) *Document {
	d := &Document{File: file, source: source, starts: []int{0}}
	for i := 0; i < len(source); i++ {
		if source[i] == '\n' || source[i] == '\r' && (i+1 == len(source) || source[i+1] != '\n') {
			d.starts = append(d.starts, i+1)
		}
	}
	return d
}

// line gives the text of a line, counted from 1, without its end; "" beyond the document.
func (d *Document) line(n int) string {
	if n < 1 || n > len(d.starts) {
		return ""
	}
	end := len(d.source)
	if n < len(d.starts) {
		end = d.starts[n]
	}
	return strings.TrimRight(d.source[d.starts[n-1]:end], "\r\n")
}

// maxSnippet is the longest line worth showing, in bytes.
const maxSnippet = 4 << 10

// Snippet gives a line of the source, counted from 1, or "" if it is blank, very long, or not there.
func (d *Document) Snippet(line int) string {
	text := d.line(line)
	if len(text) > maxSnippet || strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// place turns a byte offset into a place; an offset outside the source gives its nearer end.
func (d *Document) place(offset int) diag.Place {
	offset = min(max(offset, 0), len(d.source))
	lo, hi := 0, len(d.starts) // starts[lo] <= offset < starts[hi]
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; d.starts[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return diag.Place{File: d.File, Line: lo + 1, Col: utf8.RuneCountInString(d.source[d.starts[lo]:offset]) + 1}
}

// offset is the inverse of place, for a line and a column as the library counts them.
func (d *Document) offset(line, col int) int {
	if line < 1 || line > len(d.starts) {
		return len(d.source)
	}
	at := d.starts[line-1]
	for ; col > 1 && at < len(d.source); col-- {
		_, n := utf8.DecodeRuneInString(d.source[at:])
		at += n
	}
	return at
}

func (d *Document) finding(p diag.Place, kind, format string, args ...any) diag.Finding {
	return diag.Finding{
		Severity: diag.Error, Kind: kind, Message: fmt.Sprintf(format, args...), Place: p, Snippet: d.Snippet(p.Line),
	}
}

var byteOrderMark = []byte("\uFEFF")

// open checks the characters of a document, which the library would refuse without a place, and its size.
func open(file string, data []byte) (*Document, diag.List) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if len(data) > MaxSize {
		return nil, diag.List{newDocument(file, "").finding(diag.Place{File: file, Line: 1, Col: 1}, BadYAML,
			"the document has %d bytes; at most %d are read", len(data), MaxSize)}
	}
	values := 0
	for at := 0; at < len(data); {
		c := data[at]
		switch c {
		case ',', '[', '{', '\n', '\r', '-', '?', ':':
			values++
		}
		if c >= ' ' && c < utf8.RuneSelf-1 || c == '\n' || c == '\r' || c == '\t' {
			at++
			continue
		}
		r, n := utf8.DecodeRune(data[at:])
		if problem := badCharacter(r, n); problem != "" {
			// Only what is before the character is shown: what follows may not be text at all.
			d := newDocument(file, string(data[:at]))
			return nil, diag.List{d.finding(d.place(at), BadYAML, "%s", problem)}
		}
		at += n
	}
	if values > maxIndicators {
		return nil, diag.List{newDocument(file, "").finding(diag.Place{File: file, Line: 1, Col: 1}, BadYAML,
			"the document may hold more than %d values; that many are not read", maxIndicators)}
	}
	return newDocument(file, string(data)), nil
}

// badCharacter says why a character cannot stand in a document, or "".
func badCharacter(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "this is not valid UTF-8; save the document as UTF-8"
	case r == '\u0085', r == '\u2028', r == '\u2029':
		// Line breaks in YAML 1.1 and text in 1.2: the library would count lines that no editor shows.
		return fmt.Sprintf("the character U+%04X is a line break to some readers; write it as \"\\u%04X\" in double quotes", r, r)
	case r < ' ', r == 0x7F, r >= 0x80 && r < 0xA0, r == '\uFEFF', r == '\uFFFE', r == '\uFFFF':
		return fmt.Sprintf("the control character U+%04X cannot stand here; write it as \"\\u%04X\" in double quotes", r, r)
	}
	return ""
}
