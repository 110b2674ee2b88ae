package yamltree

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// follow checks At for every character of a string: in the source stands that character, but for escapes and for
// white space, which folding changes. It gives how many characters could not be followed.
func follow(t *testing.T, v *Value) (lost int) {
	t.Helper()
	for i, r := range v.Text {
		p := v.At(i)
		line := []rune(v.Doc.line(p.Line))
		if p.Line < 1 || p.Col < 1 || p.Col > len(line)+1 {
			t.Fatalf("At(%d) of %q in %q is %v, outside the document", i, v.Text, v.Doc.source, p)
		}
		got := utf8.RuneError
		if p.Col <= len(line) {
			got = line[p.Col-1]
		}
		if got != r && !unicode.IsSpace(r) && !(v.style == doubleQuoted && got == '\\') {
			if p == v.Place {
				lost++
				continue
			}
			t.Fatalf("At(%d) of %q in %q is %v, where %q stands and not %q", i, v.Text, v.Doc.source, p, got, r)
		}
	}
	return lost
}

func strs(v *Value, visit func(*Value)) {
	if v.Kind == String {
		visit(v)
	}
	for _, item := range v.Items {
		strs(item, visit)
	}
	for _, e := range v.Entries {
		visit(e.Name)
		strs(e.Value, visit)
	}
}

func TestAt(t *testing.T) {
	// The place of the character X is asked for, by its offset in the text that the library read.
	for _, c := range []struct{ name, doc, want string }{
		{"plain", "a: fooX", "1:7"},
		{"plain after multi-byte", "a: föö→X", "1:8"},
		{"plain on two lines", "a: foo\n  bar X", "2:7"},
		{"plain with empty lines", "a: foo\n\n\n  barX", "4:6"},
		{"plain in a list in flow style", "a: [b, c X]", "1:10"},
		{"plain key of flow style", "a: {b: c, d: X}", "1:14"},
		{"single quotes", "a: 'it''s X'", "1:11"},
		{"single quotes on two lines", "a: 'one  \n   two X'", "2:8"},
		{"double quotes", `a: "one X"`, "1:9"},
		{"escapes", `a: "\t\"\\ \u00e9\x41\U0001F600 X"`, "1:33"},
		{"escaped character", `a: "b \u0058"`, "1:7"},
		{"double quotes on two lines", "a: \"one\n  two X\"", "2:7"},
		{"escaped line break", "a: \"one\\\n   two X\"", "2:8"},
		{"escaped line break and empty line", "a: \"one\\\n\n   two X\"", "3:8"},
		{"escaped line break, CRLF", "a: \"one\\\r\n   two X\"\r\n", "2:8"},
		{"literal", "a: |\n  one\n  two X\n", "3:7"},
		{"literal with more indentation", "a: |\n  one\n     two X\n", "3:10"},
		{"literal with an indentation indicator", "a: |2\n   one\n  two X\n", "3:7"},
		{"literal that keeps line ends", "a: |+\n\n\n  one\n\n  X\n\n", "6:3"},
		{"literal without the last line end", "a: |-\n  öX", "2:4"},
		{"literal with a comment", "a: |  # why\n  X\n", "2:3"},
		{"literal, CRLF", "a: |\r\n  one\r\n  two X\r\n", "3:7"},
		{"literal in a list", "a:\n- |\n one X\n", "3:6"},
		{"folded", "a: >\n  one\n  two X\n", "3:7"},
		{"folded with empty lines", "a: >\n  one\n\n\n  two X\n", "5:7"},
		{"folded with more indentation", "a: >\n  one\n    two\n    X\n  three\n", "4:5"},
		{"folded after more indentation", "a: >\n  one\n    two\n\n  three X\n", "5:9"},
		{"folded with an indicator", "a: >1-\n  one\n X\n", "3:2"},
		{"folded that begins with an empty line", "a: >\n\n  one X\n", "3:7"},
		{"folded, multi-byte", "a: >\n  ä→\n  öX\n", "3:4"},
		{"anchor", "a: &b one X", "1:11"},
		{"tag and anchor", "a: !!str &b 'X'", "1:14"},
		{"anchor on a line of its own", "a: &b # c\n  one X", "2:7"},
		{"alias", "a: &b one X\nc: *b", "1:11"},
		{"after a byte order mark", "\uFEFFa: X", "1:4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, found := Parse("", []byte(c.doc))
			if len(found) > 0 {
				t.Fatal(found.Text())
			}
			asked := false
			strs(tree, func(v *Value) {
				if lost := follow(t, v); lost > 0 {
					t.Errorf("%d characters of %q have no place of their own", lost, v.Text)
				}
				i := strings.IndexByte(v.Text, 'X')
				if i < 0 {
					return
				}
				asked = true
				if got := strings.TrimPrefix(v.At(i).String(), ":"); got != c.want {
					t.Errorf("At(%d) of %q is %s, want %s", i, v.Text, got, c.want)
				}
			})
			if !asked {
				t.Error("no text has the X")
			}
		})
	}
}

// An offset outside the text, as compilers give for "at the end", is the end; inside a character it is the character.
func TestAtEdges(t *testing.T) {
	for _, doc := range []string{"a: öb", "a: 'öb'", `a: "öb"`, "a: |\n  öb", "a: >\n  öb", "a: ''", "a: \"\"", "a: |\n", "a: 7"} {
		tree, found := Parse("", []byte(doc))
		if len(found) > 0 {
			t.Fatal(found.Text())
		}
		v := tree.Get("a")
		if got, want := v.At(99), v.At(len(v.Text)); got != want {
			t.Errorf("%q: At(99) = %v, At(end) = %v", doc, got, want)
		}
		if got, want := v.At(-1), v.At(0); got != want {
			t.Errorf("%q: At(-1) = %v, At(0) = %v", doc, got, want)
		}
		if len(v.Text) > 2 && v.At(1) != v.At(0) {
			t.Errorf("%q: At(1) = %v is inside the first character, at %v", doc, v.At(1), v.At(0))
		}
	}
	var none *Value
	if p := none.At(3); p.Line != 0 {
		t.Errorf("At of nothing is %v", p)
	}
}
