package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want, line string }{
		{"plain ü 漢字 \U0001F600 \\x1b", "plain ü 漢字 \U0001F600 \\x1b", ""},
		{"a\tb\nc", "a\tb\nc", `a\tb\nc`},
		{"\x1b[2J\x1b]0;title\a\r\b\x00\x7f", `\x1b[2J\x1b]0;title\x07\x0d\x08\x00\x7f`, ""},
		{"\u009b31m\u0085", `\u009b31m\u0085`, ""},
		{"\u202eevil\u2066\u2069\u200e\u200f\u061c\u2028", `\u202eevil\u2066\u2069\u200e\u200f\u061c\u2028`, ""},
		{"\x9b31m \xff \xe2\x80", `\x9b31m \xff \xe2\x80`, ""},
		{"\uFFFD", "\uFFFD", ""},
	} {
		if got := Text(c.text); got != c.want {
			t.Errorf("Text(%q) = %q", c.text, got)
		}
		if c.line == "" {
			c.line = c.want
		}
		if got := Line(c.text); got != c.line {
			t.Errorf("Line(%q) = %q", c.text, got)
		}
	}
}

// TestEveryControl goes over every character: none that Unicode calls a control or a bidi control passes.
func TestEveryControl(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		escaped := Text(string(r)) != string(r)
		want := unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
		if escaped != want {
			t.Errorf("%U: escaped is %v", r, escaped)
		}
	}
}

// TestWriterInPieces writes a text cut at every two places: what is written is always the same.
func TestWriterInPieces(t *testing.T) {
	const text = "a\u202e\x1b[1m漢\U0001F600\x9b\xe2\x80"
	for i := range len(text) + 1 {
		for j := i; j <= len(text); j++ {
			var b strings.Builder
			w := NewWriter(&b)
			for _, piece := range []string{text[:i], text[i:j], text[j:]} {
				if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			w.Flush()
			if b.String() != Text(text) {
				t.Fatalf("cut at %d and %d: %q", i, j, b.String())
			}
		}
	}
}

// TestJSON: no control is left in a document, and it means what it did.
func TestJSON(t *testing.T) {
	const text = "a\u009b31m\\\u202eevil\u2066\x7f\u200e\u2028\n漢\U0001F600"
	plain, err := json.Marshal(map[string]any{text: text})
	if err != nil {
		t.Fatal(err)
	}
	document := JSON(plain)
	if !clean(string(document)) {
		t.Errorf("controls are left: %q", document)
	}
	var back map[string]string
	if err := json.Unmarshal(document, &back); err != nil || back[text] != text {
		t.Errorf("%v: %q from %s", err, back, document)
	}
}

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "ü": 1, "u\u0308": 1, "漢字": 4, "ｗ": 2, "한": 2, "\u1112\u1161\u11ab": 2, "😀": 2, "👍🏽": 4, "a\u200db": 2, "ﾊ": 1, "é…": 2} {
		if got := Width(text); got != want {
			t.Errorf("Width(%q) = %d, want %d", text, got, want)
		}
	}
}
