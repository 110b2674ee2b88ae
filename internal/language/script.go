package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scripts are those other than Latin: what a text in one is written in, unless a letter tells another language of it.
var scripts = []struct {
	table    *unicode.RangeTable
	language string
	letters  []struct{ some, language string } // a text that has one of some is in language
}{
	{unicode.Hiragana, "Japanese", nil},
	{unicode.Katakana, "Japanese", nil},
	{unicode.Hangul, "Korean", nil},
	{unicode.Han, "Chinese", nil},
	{unicode.Cyrillic, "Russian", []struct{ some, language string }{
		{"іїєґ", "Ukrainian"}, {"ў", "Belarusian"}, {"ђћљњџј", "Serbian"},
	}},
	{unicode.Arabic, "Arabic", []struct{ some, language string }{{"ٹڈڑںےھ", "Urdu"}, {"پچژگک", "Persian"}}},
	{unicode.Greek, "Greek", nil},
	{unicode.Hebrew, "Hebrew", nil},
	{unicode.Devanagari, "Hindi", nil},
	{unicode.Thai, "Thai", nil},
	{unicode.Bengali, "Bengali", nil},
	{unicode.Tamil, "Tamil", nil},
	{unicode.Telugu, "Telugu", nil},
	{unicode.Gurmukhi, "Punjabi", nil},
	{unicode.Gujarati, "Gujarati", nil},
	{unicode.Georgian, "Georgian", nil},
	{unicode.Armenian, "Armenian", nil},
	{unicode.Khmer, "Khmer", nil},
	{unicode.Lao, "Lao", nil},
	{unicode.Myanmar, "Burmese", nil},
	{unicode.Ethiopic, "Amharic", nil},
}

// isDense reports whether a letter is of a script that puts no spaces between words.
func isDense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Hangul) || r == 'ー'
}

// scriptOf is the language of the script of a word's first letter, "" for Latin and what is not known.
func scriptOf(word string) string {
	for _, r := range word {
		if r < utf8.RuneSelf || unicode.Is(unicode.Latin, r) {
			continue
		}
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				return s.language
			}
		}
	}
	return ""
}

// wordLetters is how many letters make a word in a script without spaces.
const wordLetters = 2

// byScript is the language of a text that is written in another script, beside at most a few English words: "translate мир"
// is English. Japanese has Chinese letters, too.
func byScript(toks []token, english int) string {
	words, of, letters := 0, map[string]int{}, strings.Builder{}
	for _, t := range toks {
		if t.script == "" {
			continue
		}
		n := 1
		if first, _ := utf8.DecodeRuneInString(t.text); isDense(first) {
			n = (utf8.RuneCountInString(t.text) + wordLetters - 1) / wordLetters
		}
		words += n
		for _, r := range t.text {
			of[scriptOf(string(r))]++
		}
		letters.WriteString(t.text)
	}
	if words <= 2*english {
		return ""
	}
	if of["Japanese"] > 0 {
		return "Japanese"
	}
	best, most := "", 0
	for _, s := range scripts {
		if of[s.language] <= most {
			continue
		}
		best, most = s.language, of[s.language]
		for _, l := range s.letters {
			if strings.ContainsAny(letters.String(), l.some) {
				best = l.language
				break
			}
		}
	}
	return best
}
