package when

import (
	"unicode"

	"pflow/internal/diag"
)

// spelled gives the words that were meant to tokens with a slip of the keys: evry, wensday, tommorow. A slip keeps the first letter, and
// is a letter more, less, other or exchanged with the next; in words of eight letters or more, two.
func spelled(toks []token) []token {
	w := words()
	for k, t := range toks {
		if t.quoted || len(t.text) < 4 || w.slips[t.text] || !letters(t.text) {
			continue
		}
		best, least, tie := "", 3, false
		for _, target := range w.spellings {
			if target[0] != t.text[0] {
				continue
			}
			d := diag.Distance(t.text, target)
			switch allowed := 1 + len(target)/8; {
			case d > allowed || d > least:
			case d < least:
				best, least, tie = target, d, false
			default:
				tie = tie || target != best+"s" && best != target+"s"
			}
		}
		if best != "" && !tie {
			toks[k].text = best
		}
	}
	return toks
}

func letters(text string) bool {
	for _, r := range text {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
