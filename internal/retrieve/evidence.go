package retrieve

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// Evidence is what spoke for a candidate: the words that it shares with a request, and the past request that is most alike.
type Evidence struct {
	Terms   []Term
	Example string  // "" if it has none that shares a word; a long one is cut
	Alike   float64 // how alike that is by words, from 0 to 1: the harmonic mean of how much of each is in the other
}

// Term is a word of the request, as it is said there. Weight is what it adds to the share of the request's words that the candidate has: how rare
// it is among all words of the request, and how much a mention of it tells for the candidate.
type Term struct {
	Word   string
	Weight float64
}

// How much of it is told.
const (
	mostTerms   = 8
	mostExample = 200 // characters
)

// Evidence says what spoke for a candidate, by its index, in Rank, or in ByWords. examples are its past requests.
func (x *Index) Evidence(request string, candidate int, examples []string, byWords bool) Evidence {
	read := x.stems
	if byWords {
		read = Stems
	}
	stems := distinct(read(request))
	total := 0.0
	for _, s := range stems {
		total += x.Rarity(s)
	}
	var out Evidence
	if total == 0 {
		return out
	}
	said := map[string]string{}
	for _, w := range Words(request) {
		if said[w.Stem] == "" {
			said[w.Stem] = w.Text
		}
	}
	for _, s := range stems {
		w := x.word(s)
		if w < 0 || lexicon().stopStems[s] {
			continue
		}
		of := x.postings.of(w)
		at, has := slices.BinarySearchFunc(of, int32(candidate), func(p posting, i int32) int { return cmp.Compare(p.candidate, i) })
		if has {
			out.Terms = append(out.Terms, Term{cmp.Or(said[s], s), rounded(x.rarity[w] * float64(of[at].weight) / total)})
		}
	}
	slices.SortStableFunc(out.Terms, func(a, b Term) int { return cmp.Compare(b.Weight, a.Weight) })
	out.Terms = out.Terms[:min(mostTerms, len(out.Terms))]
	for _, text := range examples {
		both, own := 0.0, 0.0
		for _, s := range distinct(read(text)) {
			rarity := x.Rarity(s)
			own += rarity
			if _, in := slices.BinarySearch(stems, s); in {
				both += rarity
			}
		}
		if alike := rounded(2 * both / (total + own)); alike > out.Alike {
			out.Example, out.Alike = text, alike
		}
	}
	if utf8.RuneCountInString(out.Example) > mostExample {
		out.Example = string([]rune(out.Example)[:mostExample]) + "…"
	}
	return out
}

func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
