// Package language tells the language of a short request: of one in another script by the script, of others by the words of
// words.txt. It is made to say nothing rather than to call an English request something else.
package language

import (
	"strings"
	"unicode/utf8"
)

// score is what speaks for one language.
type score struct {
	words int  // different words of it that English does not have
	long  bool // one of them has more than a letter
	asks  bool // one of them is a word of requests
	opens bool // and begins the text
}

// Detect gives the English name of the language of a text: "German", or "Danish or Norwegian" where both fit alike. It is
// "" for English, and where it is not certain. Quoted texts, paths and other values are of no language.
func Detect(text string) string {
	toks := tokens(text)
	english := 0
	scores := make([]score, len(languages))
	seen := map[string]bool{}
	for i, t := range toks {
		if englishWords[t.text] {
			english++
			continue
		}
		if t.script != "" || shared[t.text] || seen[t.text] {
			continue
		}
		seen[t.text] = true
		for k, l := range languages {
			s := &scores[k]
			switch {
			case l.asks.has(t.text):
				s.words++
				s.asks, s.long = true, true
				s.opens = s.opens || i == 0
			case l.words.has(t.text) && !t.name, !t.name && strings.ContainsAny(t.text, l.letters):
				s.words++
				s.long = s.long || utf8.RuneCountInString(t.text) > 1
			}
		}
	}
	if name := byScript(toks, english); name != "" {
		return name
	}
	most := 0
	for _, s := range scores {
		most = max(most, s.words)
	}
	var names []string
	for k, s := range scores {
		if s.words == most && s.tells(english) {
			names = append(names, languages[k].name)
		}
	}
	if len(names) > mostNamed {
		return "" // words that this many languages share are mostly names
	}
	return strings.Join(names, " or ")
}

// mostNamed is how many languages a text may be of alike; Danish, Norwegian and Swedish are.
const mostNamed = 3

// tells reports whether a language is certain enough beside that many English words. Without any, two words tell it, not both
// of one letter, or a verb that the request begins with. Beside English words it takes one of a request: English sentences have
// foreign titles in them.
func (s score) tells(english int) bool {
	if english > 0 {
		return s.asks && s.words > english && s.words >= 3
	}
	return s.words >= 2 && s.long || s.opens
}
