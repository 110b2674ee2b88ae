package mapparams

import (
	"slices"
	"strings"

	"pflow/internal/retrieve"
)

// pairs are the quotation marks that a whole request may stand in.
var pairs = [][2]string{{`"`, `"`}, {"“", "”"}, {"”", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"'", "'"}, {"`", "`"}}

// fewestQuoted is how many words a quoted text has at least that is taken for the request: less is a value.
const fewestQuoted = 4

// unquoted gives a request that stands in one pair of quotation marks, but for words that only lead in to it, with blanks in the
// place of the marks: what is quoted is the request then and no value of it. Any other is as it was.
func unquoted(text string) string {
	for _, p := range pairs {
		from := strings.Index(text, p[0])
		if from < 0 {
			continue
		}
		to := strings.LastIndex(text, p[1])
		inside := from + len(p[0])
		if to < inside {
			continue
		}
		quoted := text[inside:to]
		if !apostrophes(quoted, p[0]) || !apostrophes(quoted, p[1]) {
			continue
		}
		says := func(w retrieve.Word) bool { return !w.Stop && !retrieve.LeadsIn(w.Text) }
		if slices.ContainsFunc(retrieve.Words(text[:from]), says) || slices.ContainsFunc(retrieve.Words(text[to:]), says) ||
			len(retrieve.Words(quoted)) < fewestQuoted {
			continue
		}
		return text[:from] + strings.Repeat(" ", len(p[0])) + quoted + strings.Repeat(" ", len(p[1])) + text[to+len(p[1]):]
	}
	return text
}

// apostrophes reports whether a mark is nowhere in a text but inside words: it's.
func apostrophes(text, mark string) bool {
	if mark != "’" && mark != "'" {
		return !strings.Contains(text, mark)
	}
	for at := 0; ; {
		k := strings.Index(text[at:], mark)
		if k < 0 {
			return true
		}
		if !inWord(text, at+k, at+k+len(mark)) {
			return false
		}
		at += k + len(mark)
	}
}

// inWord reports whether letters stand on both sides of a place.
func inWord(text string, from, to int) bool {
	return from > 0 && to < len(text) && letter(text[from-1]) && letter(text[to])
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }
