package compose

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// words are the lexicon; lexicon.yaml says what each of its classes is.
type words struct {
	payload, puts, givesResult, goals, places, back, definite, piped map[string]bool

	refusal   *regexp.Regexp // begins a clause, and has the word behind it
	exception *regexp.Regexp
}

//go:embed lexicon.yaml
var lexiconText []byte

// lexicon is that of lexicon.yaml. The file is part of the program, so a fault in it is one of the program.
var lexicon = sync.OnceValue(func() *words {
	w, found := readLexicon("embedded:lexicon.yaml", lexiconText)
	if found.HasErrors() {
		panic("compose: " + found.Text())
	}
	return w
})

// readLexicon reads a lexicon; file is the name that findings give. Each class has to be there.
func readLexicon(file string, text []byte) (*words, diag.List) {
	doc, found := yamltree.Parse(file, text)
	if found.HasErrors() {
		return nil, found
	}
	var d yamltree.Decoder
	var refusals, exceptions []string
	w := &words{}
	d.Every(doc, "a mapping of words by class", yamltree.Fields{
		"payload": d.Words(&w.payload), "puts": d.Words(&w.puts), "gives_result": d.Words(&w.givesResult), "goals": d.Words(&w.goals),
		"places": d.Words(&w.places), "back": d.Words(&w.back), "definite": d.Words(&w.definite), "piped": d.Words(&w.piped),
		"refusals": d.Texts(&refusals), "exceptions": d.Texts(&exceptions),
	})
	w.refusal = regexp.MustCompile(`(?i)^\W*(?:please\s+)?(?:` + anyOf(refusals) + `)\s+(\w+)`)
	w.exception = regexp.MustCompile(`(?i)\b(?:` + anyOf(exceptions) + `)\b`)
	return w, d.Found.Sort()
}

// anyOf is a pattern for any of some phrases, whatever blanks are between their words.
func anyOf(phrases []string) string {
	out := make([]string, len(phrases))
	for i, phrase := range phrases {
		words := strings.Fields(phrase)
		for k := range words {
			words[k] = regexp.QuoteMeta(words[k])
		}
		out[i] = strings.Join(words, `\s+`)
	}
	return strings.Join(out, "|")
}

// isPayload reports whether a word, or a part of a key, is for whatever there is.
func isPayload(word string) bool { return lexicon().payload[word] }
