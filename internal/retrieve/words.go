// Package retrieve ranks candidates, such as node types or saved workflows, by how well their words fit a request. It is
// purely lexical and deterministic: words are cut, stemmed and weighted by how rare they are among the candidates.
package retrieve

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is one word of a text. Start and End are byte offsets of it.
type Word struct {
	Stem       string
	Text       string // lower case
	Start, End int
	Stop       bool // says too little to find anything by
}

// Words cuts a text into words: runs of letters or digits, also where a camelCase name turns.
func Words(text string) []Word {
	const usual = 6 // bytes of a word and the blank behind it
	out := make([]Word, 0, len(text)/usual+1)
	cutWords(text, func(w string, start, end int) {
		out = append(out, Word{Stem: Stem(w), Text: w, Start: start, End: end, Stop: lexicon().stop[w]})
	})
	return out
}

// cutWords gives the words of a text in lower case, and where they stand.
func cutWords(text string, f func(word string, start, end int)) {
	start := -1
	var before rune
	flush := func(end int) {
		if start < 0 {
			return
		}
		f(strings.ToLower(text[start:end]), start, end)
		start = -1
	}
	for i, r := range text {
		letter, digit := unicode.IsLetter(r), unicode.IsDigit(r)
		switch {
		case !letter && !digit:
			if !(r == '\'' || r == '’') || start < 0 || !letterFollows(text[i+utf8.RuneLen(r):]) {
				flush(i)
			}
		case start < 0:
			start = i
		case letter && unicode.IsUpper(r) && unicode.IsLower(before),
			letter && unicode.IsUpper(r) && unicode.IsUpper(before) && lowerFollows(text[i+utf8.RuneLen(r):]):
			flush(i)
			start = i
		}
		before = r
	}
	flush(len(text))
}

func letterFollows(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// lowerFollows tells the last capital of HTTPServer, where a word begins, from that of APIs, where none does.
func lowerFollows(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[n:])
	return unicode.IsLower(r) && unicode.IsLower(next)
}

// Stems lists the stems of a text without stop words.
func Stems(text string) []string {
	var out []string
	for _, w := range Words(text) {
		if !w.Stop {
			out = append(out, w.Stem)
		}
	}
	return out
}

// allStems lists the stems of a text, those of small words too.
func allStems(text string) []string {
	var out []string
	for _, w := range Words(text) {
		out = append(out, w.Stem)
	}
	return out
}
