package textmatch

import (
	"regexp"
	"unicode/utf8"
)

// wholeWords finds matches that have no character of a word beside them. \b would not do: it knows ASCII alone, and asks
// for a change at the edge, which "c++" has none of.
type wholeWords struct {
	first *regexp.Regexp // from the begin of the text
	next  *regexp.Regexp // from the last character of what is behind us; it may be the one beside the match
}

// noWord is a character that belongs to no word. An accent of its own belongs to the letter before it.
const noWord = `[^\p{L}\p{M}\p{N}_]`

// compileWhole takes an expression that is enclosed in brackets. That what stands beside is part of the search, rather than
// looked at behind it, finds catalog by cat|catalog.
func compileWhole(source string) (w *wholeWords, err error) {
	w = &wholeWords{}
	if w.first, err = regexp.Compile(`(?:\A|` + noWord + `)(` + source + `)(?:\z|` + noWord + `)`); err != nil {
		return nil, err
	}
	w.next, err = regexp.Compile(`\A(?s:.*?)` + noWord + `(` + source + `)(?:\z|` + noWord + `)`)
	return w, err
}

// find is Pattern.find. What is empty is no word.
func (w *wholeWords) find(text string, most int) (out [][]int) {
	from, re := 0, w.first
	for len(out) != most {
		at := re.FindStringSubmatchIndex(text[from:])
		if at == nil {
			return out
		}
		at = at[2:] // the first group is all that is asked for
		for i := range at {
			if at[i] >= 0 {
				at[i] += from
			}
		}
		from, re = at[1], w.next
		if at[0] < at[1] {
			out = append(out, at)
			_, width := utf8.DecodeLastRuneInString(text[:from])
			from -= width
		}
	}
	return out
}
