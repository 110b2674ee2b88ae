package extract

import "strings"

// beginnings are the words and signs, beside digits, that a reading can begin with: for most tokens of a text nothing need
// be tried. A reader that begins with another word adds it here; TestBeginnings says which.
var beginnings = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`a an one couple half the this current next coming following last previous past prior upcoming day year quarter month
		today tonight tomorrow yesterday q from between in within at no not later earlier since after before until till starting beginning by
		noon midday midnight now right minus negative - − rmb`) {
		out[w] = true
	}
	add(out, months)
	add(out, weekdays)
	add(out, ordinals)
	add(out, units)
	add(out, tens)
	add(out, signs)
	add(out, currencySigns)
	add(out, currencyCodes)
	add(out, nationalities)
	return out
}()

func add[V any](to map[string]bool, words map[string]V) {
	for w := range words {
		to[w] = true
	}
}

// begins reports whether a reading can begin at a token.
func (p *reader) begins(i int) bool { return p.toks[i].digits || beginnings[p.toks[i].text] }

// memo keeps the last readings of one reader: the others ask for the same ones again and again.
type memo[T any] struct {
	kept [8]struct {
		behind int // the token, from 1
		value  T
		n      int
	}
}

func (m *memo[T]) read(i int, read func(int) (T, int)) (T, int) {
	k := &m.kept[i&(len(m.kept)-1)]
	if k.behind != i+1 {
		v, n := read(i)
		k.behind, k.value, k.n = i+1, v, n
	}
	return k.value, k.n
}
