package language

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text.
type token struct {
	text   string // in small letters
	script string // "" for Latin
	name   bool   // capitalised within a sentence, or in capitals only: mostly a name
}

// quoted is text that somebody put in quotes, an apostrophe within a word being none.
var quoted = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|`[^`]*`|(?:^|[\\s(])'[^']*'(?:$|[\\s).,;:!?])")

// tokens are the words of a text, without what is quoted, and without paths, addresses, numbers and other values. Of a text
// that is quoted as a whole they are those inside.
func tokens(text string) []token {
	bare := quoted.ReplaceAllString(text, " \" ")
	if !strings.ContainsFunc(bare, unicode.IsLetter) {
		bare = text
	}
	var out []token
	begins := true // a sentence does
	for _, field := range strings.Fields(bare) {
		for _, chunk := range chunks(field) {
			word := strings.TrimFunc(chunk, func(r rune) bool { return unicode.IsPunct(r) && !strings.ContainsRune(`/\_@~`, r) })
			if strings.HasPrefix(chunk, ".") && word != "" {
				word = "." + word // a hidden file, an ending
			}
			if word == "" || !isWord(word) {
				begins = begins && !strings.ContainsFunc(chunk, unicode.IsLetter)
			} else {
				for _, part := range parts(word) {
					out = append(out, token{text: strings.ToLower(part), script: scriptOf(part), name: isName(part, begins)})
					begins = false
				}
			}
			if strings.HasSuffix(chunk, ".") || strings.HasSuffix(chunk, "!") || strings.HasSuffix(chunk, "?") {
				begins = true
			}
		}
	}
	return out
}

// chunks splits a run of text where Latin letters meet those of a script that puts no spaces between words.
func chunks(field string) []string {
	var out []string
	start, dense := 0, false
	for i, r := range field {
		d := isDense(r)
		if i > start && d != dense {
			out = append(out, field[start:i])
			start = i
		}
		dense = d
	}
	return append(out, field[start:])
}

// isWord reports whether a run of text is a word or a few: letters, with hyphens and apostrophes between them.
func isWord(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’‐،、。，！？：・ー", r) {
			return false
		}
	}
	return strings.ContainsFunc(s, unicode.IsLetter)
}

// parts splits a word at its hyphens and behind an apostrophe that is no English one: l'image is two words, don't is one.
func parts(word string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ReplaceAll(word, "’", "'"), func(r rune) bool { return strings.ContainsRune("-‐،、。，！？：・", r) }) {
		before, after, ok := strings.Cut(w, "'")
		switch {
		case ok && englishEnding[strings.ToLower(after)]:
			if before != "" {
				out = append(out, before+"'"+after)
			}
		case ok && before != "" && after != "":
			out = append(out, before+"'", after)
		default:
			if w = strings.Trim(w, "'"); w != "" {
				out = append(out, w)
			}
		}
	}
	return out
}

// englishEnding is what stands behind the apostrophe of an English word.
var englishEnding = map[string]bool{"s": true, "t": true, "m": true, "d": true, "re": true, "ve": true, "ll": true, "": true}

func isName(word string, begins bool) bool {
	first, n := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return false
	}
	return !begins || n < len(word) && word == strings.ToUpper(word)
}
