package yamltree

import "strings"

// bareTemplate reports whether ${ stands without quotes inside brackets, in the line of an offset or in one of the two
// before it, and not behind the offset. To YAML the text ends at that brace, so what is wrong then may be anything.
func (d *Document) bareTemplate(at int) bool {
	line := d.place(at).Line
	text := d.source[d.starts[max(0, line-3)]:min(at+1, len(d.source))]
	open, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		begins := i == 0 || strings.IndexByte(" \t\n[{,:", text[i-1]) >= 0 // an apostrophe inside a word is no quote
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case begins && (c == '"' || c == '\''):
			quote = c
		case c == '$' && strings.HasPrefix(text[i:], "${"):
			if open > 0 {
				return true
			}
			i++ // its brace opens nothing
		case begins && (c == '{' || c == '['):
			open++
		case c == '}' || c == ']':
			open = max(open-1, 0)
		}
	}
	return false
}
