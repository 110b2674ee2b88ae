package phrase

import (
	"slices"
	"strings"

	"pflow/internal/retrieve"
)

// nearWord is a word of the grammar that a misspelt one may be.
type nearWord struct{ word, stem string }

// near are the words of the grammar that a token may be a slip of: one letter lacking, too many, another, or two that
// changed places; two slips in a long word.
func (c *chart) near(i int) []nearWord {
	if c.nearest[i] == nil {
		c.nearest[i] = append([]nearWord{}, c.g.near(&c.tokens[i])...)
	}
	return c.nearest[i]
}

func (g *Grammar) near(t *token) []nearWord {
	if len(t.word) < 3 || t.sign || t.quoted || !letters(t.word) || retrieve.IsVerb(t.word) {
		return nil // a verb is what it says
	}
	var out []nearWord
	most := 1
	if len(t.word) >= 8 {
		most = 2
	}
	for _, w := range g.vocab {
		if len(w) < 3 || abs(len(w)-len(t.word)) > most {
			continue
		}
		if opposite(t.word, w) {
			continue
		}
		if d := slips(t.word, w, most); d <= most && (len(t.word) > 3 && len(w) > 3 || sameLetters(t.word, w)) {
			out = append(out, nearWord{w, retrieve.Stem(w)})
		}
	}
	return out
}

// opposite reports whether one word is the other with a syllable that turns it round: undelete is no misspelt delete.
func opposite(a, b string) bool {
	for _, turn := range []string{"un", "re", "de", "in", "im", "ir", "dis", "non", "mis"} {
		if a == turn+b || b == turn+a {
			return true
		}
	}
	return false
}

// mended gives the tokens with the misspelt ones among them that are a filler or a join (teh, adn) as these: letters that changed
// places, or one slip in a longer word that begins alike.
func (g *Grammar) mended(tokens []token) ([]token, []typo) {
	out := slices.Clone(tokens)
	var found []typo
	for k := range out {
		t := &out[k]
		if len(t.word) < 3 || t.sign || t.quoted || !letters(t.word) || g.knows(t) || g.isFiller(tokens[k:k+1]) > 0 {
			continue
		}
		for _, phrase := range slices.Concat(g.filler, g.joins) {
			w := phrase[0]
			if len(phrase) > 1 || len(w) < 3 || !letters(w) {
				continue
			}
			if len(w) == len(t.word) && sameLetters(t.word, w) || len(w) > 4 && w[0] == t.word[0] && slips(t.word, w, 1) <= 1 {
				found = append(found, typo{k, w})
				t.word = w
				break
			}
		}
	}
	return out, found
}

func abs(n int) int { return max(n, -n) }

func letters(w string) bool {
	for k := range len(w) {
		if w[k] < 'a' || w[k] > 'z' {
			return false
		}
	}
	return true
}

// sameLetters reports whether two words differ in order only.
func sameLetters(a, b string) bool {
	var n [26]int
	for k := range len(a) {
		n[a[k]-'a']++
	}
	for k := range len(b) {
		if b[k] < 'a' || b[k] > 'z' {
			return false
		}
		n[b[k]-'a']--
	}
	return n == [26]int{}
}

// keys are the rows of a keyboard: a slip of the finger hits a key beside the right one.
var keys = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}

// beside reports whether one letter is easily written for another: its key is beside it, or both are vowels. What differs
// otherwise is another word: paint and print.
func beside(a, b byte) bool {
	const vowels = "aeiou"
	if strings.IndexByte(vowels, a) >= 0 && strings.IndexByte(vowels, b) >= 0 {
		return true
	}
	for row, text := range keys {
		at := strings.IndexByte(text, a)
		if at < 0 {
			continue
		}
		for other := max(0, row-1); other <= min(len(keys)-1, row+1); other++ {
			if to := strings.IndexByte(keys[other], b); to >= 0 && abs(to-at) <= 1 {
				return true
			}
		}
	}
	return false
}

// slips is the distance of two words, neighbours that changed places counting as one (optimal string alignment), or more
// than most.
func slips(a, b string, most int) int {
	two, one := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			change := most + 1
			switch {
			case a[i-1] == b[j-1]:
				change = 0
			case beside(a[i-1], b[j-1]):
				change = 1
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > most {
			return most + 1
		}
		two, one = one, row
	}
	return one[len(b)]
}
