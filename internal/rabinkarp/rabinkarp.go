// Package rabinkarp finds many words in a text at once, with rolling hashes: the time is that of reading the text once for
// each length that a word has, however many words there are.
package rabinkarp

import (
	"cmp"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Set is words that are looked for. It is immutable and safe for concurrent use.
type Set struct {
	words   []string
	base    uint64 // random, so that nobody can write texts that hash alike
	lengths []ofLength
}

// ofLength are the words of one length.
type ofLength struct {
	bytes  int
	power  uint64 // what the first of so many bytes counts in a hash
	byHash map[uint64][]int
	seen   [64]uint64 // a bit for the last bits of each hash: most places of a text are settled by it
}

// New makes a set. Empty words are never found, and of words that are alike the first.
func New(words []string) *Set {
	s := &Set{words: words, base: 256 + rand.Uint64N(prime-256)}
	byLength := map[int]*ofLength{}
	for k, w := range words {
		if w == "" {
			continue
		}
		l := byLength[len(w)]
		if l == nil {
			l = &ofLength{bytes: len(w), power: 1, byHash: map[uint64][]int{}}
			for range len(w) - 1 {
				l.power = times(l.power, s.base)
			}
			byLength[len(w)] = l
		}
		h := s.hash(w)
		l.byHash[h] = append(l.byHash[h], k)
		l.seen[h>>6&63] |= 1 << (h & 63)
	}
	for _, n := range slices.SortedFunc(maps.Keys(byLength), func(a, b int) int { return cmp.Compare(b, a) }) {
		s.lengths = append(s.lengths, *byLength[n])
	}
	return s
}

// Find looks for longer words first, and for words of one length from the beginning of the text to its end. wanted says
// whether a word, by its index, would do that begins at a byte; if it would and it stands there, found is called and the
// search for words of that length goes on behind it.
func (s *Set) Find(text string, wanted func(word, start int) bool, found func(word, start int)) {
	for i := range s.lengths {
		l := &s.lengths[i]
		if l.bytes > len(text) {
			continue
		}
		h := s.hash(text[:l.bytes])
		behind := 0 // the last word that was found
		for start := 0; ; start++ {
			if start >= behind && l.seen[h>>6&63]>>(h&63)&1 == 1 {
				for _, k := range l.byHash[h] {
					if wanted(k, start) && text[start:start+l.bytes] == s.words[k] {
						found(k, start)
						behind = start + l.bytes
						break
					}
				}
			}
			end := start + l.bytes
			if end == len(text) {
				break
			}
			h = plus(times(plus(h, prime-times(uint64(text[start]), l.power)), s.base), uint64(text[end]))
		}
	}
}

func (s *Set) hash(text string) uint64 {
	h := uint64(0)
	for i := range len(text) {
		h = plus(times(h, s.base), uint64(text[i]))
	}
	return h
}

// prime is that of Mersenne with 61 bits: hashes are counted modulo it.
const prime = 1<<61 - 1

func plus(a, b uint64) uint64 {
	if a += b; a >= prime {
		a -= prime
	}
	return a
}

func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return plus(low&prime, low>>61|high<<3)
}
