package coverage

import (
	"slices"
	"strings"

	"pflow/internal/retrieve"
)

// What stands for a word of a request.
type stands int

const (
	nothing stands = iota // or a phrase
	aStep
	aValue
)

// placed is a word and what stands for it. begins says that a clause begins with it.
type placed struct {
	retrieve.Word
	by     stands
	open   bool
	begins bool
}

// marks counts what limits, times or repeats what is done and nothing stands for.
func (d *leftWords) marks(words []placed) int {
	n := 0
	for k := 0; k < len(words); {
		size := 0
		if d.grave(words, k) {
			size = 1
		}
		for _, limit := range d.limits[words[k].Text] {
			if follow(words[k:], limit) {
				size = max(size, len(limit))
			}
		}
		if size > 0 && !d.harmless(words, k, size) {
			n++
		}
		k += max(1, size)
	}
	return n
}

// grave is isGrave for words of which some have something that stands for them.
func (d *leftWords) grave(words []placed, k int) bool {
	if words[k].by != nothing {
		return false
	}
	if words[k].Text != "every" {
		return grave[words[k].Text]
	}
	return k+1 == len(words) || times[words[k+1].Text] || isNumber(words[k+1].Text)
}

// harmless reports whether what can limit does not do so where it stands.
func (d *leftWords) harmless(words []placed, k, size int) bool {
	text, next := words[k].Text, ""
	if k+size < len(words) {
		next = words[k+size].Text
	}
	switch {
	case text == "not" && next == "only":
		return true
	case text == "only" && k > 0 && words[k-1].Text == "not":
		return true
	case text == "once": // as soon as
		return words[k].begins && next != "" && !d.per[next]
	case (text == "if" || text == "whether") && (d.asked(words, k) || d.polite[next]):
		return true // check if there is any
	case d.given[text] && clauseHas(words, k, aValue):
		return true // the speed, if it takes 20 s
	case d.bounds[text]:
		return boundsValue(words[k+size:])
	case d.negative[text]:
		return d.ownState(words, k)
	}
	return false
}

// asked reports whether a word stands behind one of asking or knowing: tell me if.
func (d *leftWords) asked(words []placed, k int) bool {
	for j := k - 1; j >= max(0, k-mostBetween) && !words[j+1].begins; j-- {
		if d.asking[words[j].Text] {
			return true
		}
		if !words[j].Stop {
			return false
		}
	}
	return k > 0 && d.asking[words[k-1].Text]
}

// mostBetween is how many words stand between one of asking and what is asked.
const mostBetween = 4

// ownState reports whether a negation says how it is with who asks, and not what is to be done: I can't find, we have no idea.
// That something is not wanted does say so.
func (d *leftWords) ownState(words []placed, k int) bool {
	if k+1 < len(words) && d.wishes[words[k+1].Text] {
		return false
	}
	for j := k - 1; j >= max(0, k-mostBetween) && !words[j+1].begins; j-- {
		if d.self[words[j].Text] {
			return true
		}
		if !words[j].Stop {
			return false
		}
	}
	return false
}

// boundsValue reports whether words begin with a value that is taken, but for small words.
func boundsValue(words []placed) bool {
	at := slices.IndexFunc(words, func(w placed) bool { return !w.Stop })
	return at >= 0 && words[at].by == aValue
}

// clauseHas reports whether something of a sort stands for a word of the clause from a place on.
func clauseHas(words []placed, k int, by stands) bool {
	for j := k; j < len(words) && (j == k || !words[j].begins); j++ {
		if words[j].by == by {
			return true
		}
	}
	return false
}

// follow reports whether words begin with a limit that nothing stands for, N being any number.
func follow(words []placed, limit []string) bool {
	if len(words) < len(limit) {
		return false
	}
	for k, w := range limit {
		if words[k].by != nothing || words[k].Text != w && !(w == "N" && isNumber(words[k].Text)) {
			return false
		}
	}
	return true
}

// isNumber reports whether a word is a number, in digits or in letters.
func isNumber(w string) bool {
	return strings.Trim(w, "0123456789") == "" || numberWords[w]
}

var numberWords = wordSet(`two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
	twenty thirty forty fifty sixty seventy eighty ninety hundred thousand dozen`)

func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}
