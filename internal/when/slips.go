package when

import "unicode"

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
			d := slips(t.text, target)
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

// slips is the least number of letters put in, left out, changed or exchanged with the next between two words (Damerau 1964, of its
// restricted kind).
func slips(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > 2 || len(y)-len(x) > 2 {
		return 3
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
