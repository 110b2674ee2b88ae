package yamltree

import "strings"

// Comment gives the comment that stands behind a text without quotes on its last line, with its #; "" if there is none.
// Whoever did not mean a comment there has to quote the text.
func (v *Value) Comment() string {
	if v == nil || v.Doc == nil || v.Kind != String || v.style != plain {
		return ""
	}
	end := v.At(len(v.Text))
	at := v.Doc.offset(end.Line, end.Col)
	rest := v.Doc.source[at:lineEnd(v.Doc.source, at)]
	if comment := strings.TrimLeft(rest, " \t"); comment != rest && strings.HasPrefix(comment, "#") {
		return comment
	}
	return ""
}

// cutOff finds a comment that begins inside parentheses, in the line of an offset or in one of the two before it: most
// likely a part of an expression. It gives the number of the line, or 0.
func (d *Document) cutOff(at int) int {
	last := d.place(at).Line
	for n := last; n > max(0, last-3); n-- {
		from := d.starts[n-1]
		before, _, found := strings.Cut(d.source[from:lineEnd(d.source, from)], " #")
		if found && strings.Count(before, "(") > strings.Count(before, ")") {
			return n
		}
	}
	return 0
}
