// Package printable keeps text from outside from steering a terminal: control characters are shown as escapes, so that a
// name, a message or a reply cannot clear the screen, change what stands on it, or write in another direction.
//
// Escaped are C0 but line break and tab, DEL, C1, the controls of bidirectional text, the separators of lines and
// paragraphs, and bytes that are no UTF-8: \x1b, \u009b, \u202e, \xff. All other text stays as it is. A backslash that
// stands in the text stays one, so what is shown is for reading, not for decoding.
package printable

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Text is s with its controls escaped; its lines stay lines.
func Text(s string) string {
	if clean(s) {
		return s
	}
	return string(appendText(nil, []byte(s)))
}

// Line is Text for what is one line by nature, such as a name or a path: line breaks and tabs are escaped as well.
func Line(s string) string {
	s = Text(s)
	if strings.ContainsAny(s, "\n\t") {
		s = strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s)
	}
	return s
}

// JSON writes the controls in a JSON document as its own escapes (DEL as \u007f): it means what it did. Those outside of
// strings are white space.
func JSON(document []byte) []byte {
	b := make([]byte, 0, len(document))
	for _, r := range string(document) {
		if r >= 0x20 && control(r) {
			b = append(b, '\\', 'u', hex(uint(r)>>12), hex(uint(r)>>8), hex(uint(r)>>4), hex(uint(r)))
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func clean(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || control(r) {
			return false
		}
	}
	return true
}

// control reports whether a character is one that steers.
func control(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r <= 0x9f: // DEL and C1
		return true
	case r < 0x61c:
		return false
	}
	return r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func appendText(b, p []byte) []byte {
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && size == 1 || r < 0x80 && control(r):
			b = append(b, '\\', 'x', hex(uint(p[0])>>4), hex(uint(p[0])))
		case control(r):
			b = append(b, '\\', 'u', hex(uint(r)>>12), hex(uint(r)>>8), hex(uint(r)>>4), hex(uint(r)))
		default:
			b = append(b, p[:size]...)
		}
		p = p[size:]
	}
	return b
}

func hex(n uint) byte { return "0123456789abcdef"[n&0xf] }

// Writer writes text with its controls escaped. It is used by one goroutine at a time.
type Writer struct {
	w    io.Writer
	left []byte // the beginning of a character whose rest has not come
	buf  []byte
}

// NewWriter makes a Writer on w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write implements io.Writer. A character may come in pieces.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.left) > 0 {
		text = append(w.left, p...)
	}
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if start := len(text) - n; utf8.RuneStart(text[start]) {
			if !utf8.FullRune(text[start:]) {
				whole = start
			}
			break
		}
	}
	w.buf = appendText(w.buf[:0], text[:whole])
	w.left = append([]byte(nil), text[whole:]...)
	if _, err := w.w.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what is left of a character that never came whole.
func (w *Writer) Flush() error {
	if len(w.left) == 0 {
		return nil
	}
	left := appendText(nil, w.left)
	w.left = nil
	_, err := w.w.Write(left)
	return err
}
