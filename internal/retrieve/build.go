package retrieve

import (
	"context"
	"math"
	"slices"
	"strings"
)

// reader reads texts as numbers of words: a word that comes again is not cut and stemmed again.
type reader struct {
	small bool             // small words count, too
	known map[string]int32 // a word as it is written, lower case -> its number, -1 for one that does not count
	stems map[string]int32
	words []string // the stems, by number
}

func newReader(small bool) *reader {
	return &reader{small: small, known: map[string]int32{}, stems: map[string]int32{}}
}

// read appends the numbers of a text's words to a list.
func (r *reader) read(to []int32, text string) []int32 {
	cutWords(text, func(w string, _, _ int) {
		n, ok := r.known[w]
		if !ok {
			n = -1
			if r.small || !lexicon().stop[w] {
				stem := Stem(w)
				if n, ok = r.stems[stem]; !ok {
					n = int32(len(r.words))
					r.stems[stem] = n
					r.words = append(r.words, stem)
				}
			}
			r.known[strings.Clone(w)] = n
		}
		if n >= 0 {
			to = append(to, n)
		}
	})
	return to
}

// sort gives the words their places in the order of the alphabet: the new number of each, by its number.
func (r *reader) sort() []int32 {
	sorted := slices.Clone(r.words)
	slices.Sort(sorted)
	to := make([]int32, len(sorted))
	for at, w := range sorted {
		to[r.stems[w]] = int32(at)
	}
	r.words = sorted
	return to
}

// readCandidate is a candidate as numbers of words: where its fields end in the list of all.
type readCandidate struct {
	name, description, keywords int
	examples                    []int
}

func newIndex(ctx context.Context, candidates []Candidate, usual []string, small bool) (*Index, error) {
	x := &Index{stems: Stems, names: make([]string, len(candidates)), past: make([]uint8, len(candidates))}
	if small {
		x.stems = allStems
	}
	r := newReader(small)
	var all []int32 // the words of all candidates
	read := make([]readCandidate, len(candidates))
	total := 0.0
	for i := range candidates {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c, f := &candidates[i], &read[i]
		x.names[i], x.past[i] = c.Name, uint8(min(len(c.Examples), 2))
		all = r.read(all, c.Name)
		f.name = len(all)
		all = r.read(all, c.Description)
		f.description = len(all)
		total += float64(f.description - f.name)
		all = r.read(all, strings.Join(c.Keywords, " "))
		f.keywords = len(all)
		for _, e := range c.Examples {
			all = r.read(all, e)
			f.examples = append(f.examples, len(all))
		}
	}
	to := r.sort()
	for k, w := range all {
		all[k] = to[w]
	}
	x.words = r.words
	x.readPostings(read, all, max(1, total/max(1, float64(len(candidates)))))
	x.readRarity(usual)
	x.readExamples(read, all)
	x.readNames(read, all)
	return x, nil
}

// noted is a posting of a word, on the way to the list of the word.
type noted[T any] struct {
	word int32
	item T
}

// listed puts what was noted into the lists of the words, in the order in which it was noted.
func listed[T any](words int, all []noted[T]) lists[T] {
	out := lists[T]{from: make([]uint32, words+1), items: make([]T, len(all))}
	for i := range all {
		out.from[all[i].word+1]++
	}
	for w := range words {
		out.from[w+1] += out.from[w]
	}
	next := slices.Clone(out.from)
	for i := range all {
		w := all[i].word
		out.items[next[w]] = all[i].item
		next[w]++
	}
	return out
}

// readPostings works out how much each word tells for each candidate.
func (x *Index) readPostings(read []readCandidate, all []int32, average float64) {
	var postings []noted[posting]
	said, here := make([]float64, len(x.words)), make([]float64, len(x.words))
	var has, now []int32
	note := func(words []int32, times float64) {
		now = now[:0]
		for _, w := range words {
			if here[w] == 0 {
				now = append(now, w)
			}
			here[w] = max(times, here[w]+times/4)
		}
		for _, w := range now {
			if said[w] == 0 {
				has = append(has, w)
			}
			said[w] += here[w]
			here[w] = 0
		}
	}
	start := 0
	for i := range read {
		f := &read[i]
		has = has[:0]
		note(all[start:f.name], inName)
		note(all[f.name:f.description], inDescription/(1-lengthShare+lengthShare*float64(f.description-f.name)/average))
		note(all[f.description:f.keywords], inKeywords)
		start = f.keywords
		for _, end := range f.examples {
			note(all[start:end], inExamples/math.Sqrt(float64(len(f.examples))))
			start = end
		}
		for _, w := range has {
			postings = append(postings, noted[posting]{w, posting{int32(i), float32(said[w] / (said[w] + saturation))}})
			said[w] = 0
		}
	}
	x.postings = listed(len(x.words), postings)
}

// readRarity works out how rare each word is.
func (x *Index) readRarity(usual []string) {
	common := make([]float64, len(x.words)) // how many of the world have a word, by the usual texts
	for _, text := range usual {
		stems := x.stems(text)
		slices.Sort(stems)
		for _, s := range slices.Compact(stems) {
			if w := x.word(s); w >= 0 {
				common[w] += world / float64(len(usual))
			}
		}
	}
	n := float64(len(x.names) + world)
	x.rarity = make([]float64, len(x.words))
	for w, stem := range x.words {
		with := float64(len(x.postings.of(int32(w)))) + common[w]
		x.rarity[w] = math.Log(1 + (n-with+0.5)/(with+0.5))
		if lexicon().verbStems[stem] {
			x.rarity[w] *= verbShare
		}
	}
	x.most = math.Log(1 + (n+0.5)/0.5)
}

// readExamples indexes past requests one by one: likeness to one of them says more than words from all.
func (x *Index) readExamples(read []readCandidate, all []int32) {
	var mentions []noted[int32]
	for i := range read {
		start := read[i].keywords
		for _, end := range read[i].examples {
			words := all[start:end]
			slices.Sort(words) // nobody reads them again
			e := example{candidate: int32(i)}
			for _, w := range slices.Compact(words) {
				e.weight += float32(x.rarity[w])
				mentions = append(mentions, noted[int32]{w, int32(len(x.examples))})
			}
			x.examples = append(x.examples, e)
			start = end
		}
	}
	x.mentions = listed(len(x.words), mentions)
}

// readNames works out the share of a candidate's name that each of its words is.
func (x *Index) readNames(read []readCandidate, all []int32) {
	var shares []noted[posting]
	start := 0
	for i := range read {
		words := all[start:read[i].name]
		slices.Sort(words)
		words = slices.Compact(words)
		total := 0.0
		for _, w := range words {
			total += x.rarity[w]
		}
		for _, w := range words {
			shares = append(shares, noted[posting]{w, posting{int32(i), float32(x.rarity[w] / total)}})
		}
		start = read[i].keywords
		if n := len(read[i].examples); n > 0 {
			start = read[i].examples[n-1]
		}
	}
	x.shares = listed(len(x.words), shares)
}
