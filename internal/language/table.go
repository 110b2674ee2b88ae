package language

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
)

//go:embed words.txt
var wordsText string

// lexicon holds words, and beginnings of words that may end in any way.
type lexicon struct {
	whole      map[string]bool
	beginnings []string
}

// entry is what words.txt says of one language.
type entry struct {
	name        string
	letters     string // that English does not write
	words, asks lexicon
}

// languages are those of words.txt but English, in its order. englishWords are the words by which English is told;
// shared are those of them that another language has as well, which tell nothing.
var languages, englishWords, shared = load(wordsText)

func load(text string) ([]entry, map[string]bool, map[string]bool) {
	var all []entry
	var into *lexicon
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
			continue
		case line[0] != ' ' && len(fields) == 1:
			all = append(all, entry{name: fields[0]})
			into = nil
			continue
		}
		last := &all[len(all)-1]
		switch fields[0] {
		case "letters:":
			last.letters = strings.Join(fields[1:], "")
			continue
		case "words:":
			into, fields = &last.words, fields[1:]
		case "asks:":
			into, fields = &last.asks, fields[1:]
		}
		into.add(fields)
	}
	english, others := all[0], all[1:]
	told, both := maps.Clone(english.words.whole), map[string]bool{}
	maps.Copy(told, english.asks.whole)
	for w := range told {
		if slices.ContainsFunc(others, func(l entry) bool { return l.words.has(w) || l.asks.has(w) }) {
			both[w] = true
		}
	}
	for w := range both {
		delete(told, w)
	}
	return others, told, both
}

func (l *lexicon) add(words []string) {
	if l.whole == nil {
		l.whole = map[string]bool{}
	}
	for _, w := range words {
		if beginning, ok := strings.CutSuffix(w, "*"); ok {
			l.beginnings = append(l.beginnings, beginning)
		} else {
			l.whole[w] = true
		}
	}
}

func (l lexicon) has(word string) bool {
	return l.whole[word] || slices.ContainsFunc(l.beginnings, func(b string) bool { return strings.HasPrefix(word, b) })
}
