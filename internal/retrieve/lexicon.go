package retrieve

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
	stop, verbs, leadIn  map[string]bool
	stopStems, verbStems map[string]bool
	joining              *regexp.Regexp // is behind the blanks at the end of a clause, and has the blanks behind it
	longestJoining       int            // how much of a text shows whether it begins with a joining word and a blank
}

//go:embed lexicon.yaml
var lexiconText []byte

// lexicon is that of lexicon.yaml. The file is part of the program, so a fault in it is one of the program.
var lexicon = sync.OnceValue(func() *words {
	w, found := readLexicon("embedded:lexicon.yaml", lexiconText)
	if found.HasErrors() {
		panic("retrieve: " + found.Text())
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
	var joining []string
	w := &words{}
	d.Every(doc, "a mapping of words by class", yamltree.Fields{
		"stop": d.Words(&w.stop), "verbs": d.Words(&w.verbs), "lead_in": d.Words(&w.leadIn), "joining": d.Texts(&joining),
	})
	w.stopStems, w.verbStems = stemsIn(w.stop), stemsIn(w.verbs)
	for k, phrase := range joining {
		w.longestJoining = max(w.longestJoining, len(phrase)+2)
		joining[k] = regexp.QuoteMeta(phrase)
	}
	w.joining = regexp.MustCompile(`^(?:` + strings.Join(joining, "|") + `)[\t\n\f\r ]+`)
	return w, d.Found.Sort()
}

// stemsIn are the stems of words.
func stemsIn(words map[string]bool) map[string]bool {
	out := map[string]bool{}
	for w := range words {
		out[Stem(w)] = true
	}
	return out
}
