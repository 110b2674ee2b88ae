package retrieve

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
)

// Candidate is what can be found.
type Candidate struct {
	Name        string
	Description string
	Keywords    []string // further words it is found by, such as the keys of its inputs
	Examples    []string // past requests it was right for
}

// Ranked is a candidate as it fits a request. Confidence is from 0 to 1 and means the same for every request.
type Ranked struct {
	Name       string
	Confidence float64
	Reason     string
	Index      int // among the candidates
}

// Index finds candidates by words. It is immutable and safe for concurrent use.
type Index struct {
	candidates []Candidate
	postings   map[string][]posting
	rarity     map[string]float64
	most       float64      // the rarity of a word that no candidate has
	names      [][]nameWord // of each candidate
	examples   []example
	mentions   map[string][]int // a word -> the examples that have it
}

// nameWord is a word of a name, and the share that it has of it.
type nameWord struct {
	stem  string
	share float64
}

// example is one past request.
type example struct {
	candidate int
	weight    float64 // of all its words
}

// posting says how much a mention of a word tells for a candidate, from 0 to 1.
type posting struct {
	candidate int
	weight    float64
}

// How often a word counts as said by where a candidate has it, and how soon saying it more often adds nothing: the
// weight of a word is f/(f+saturation), as in BM25 over fields.
const (
	inName        = 4.0
	inDescription = 2.0
	inKeywords    = 0.8
	inExamples    = 1.5
	saturation    = 0.8
	exampleShare  = 0.6  // how much is the likeness to the past request that is most alike
	nameShare     = 0.08 // how much of the confidence is the share of the candidate's name that the request has
	lengthShare   = 0.3  // how much a long description takes off its words
	verbShare     = 0.7  // how much a general verb tells beside a word for a thing; with 1, recall@5 is 0.01 less on MetaTool, Seal-Tools and NESTFUL
)

// world is how many candidates without any of the words stand beside those there are: of few, counts say little.
const world = 50

// checkEvery is how many candidates or words are looked at between two looks at the context.
const checkEvery = 256

// NewIndex reads the candidates once. usual are texts of the same sort that are no candidates, such as what components
// say of themselves: a word that many of them have tells little, also where few candidates have it. The error is that
// of a context that ended.
func NewIndex(ctx context.Context, candidates []Candidate, usual ...string) (*Index, error) {
	x := &Index{candidates: candidates, postings: map[string][]posting{}, rarity: map[string]float64{}}
	lengths, total := make([]float64, len(candidates)), 0.0
	for i := range candidates {
		lengths[i] = float64(len(Stems(candidates[i].Description)))
		total += lengths[i]
	}
	average := max(1, total/max(1, float64(len(candidates))))
	for i := range candidates {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := &candidates[i]
		said := map[string]float64{}
		note := func(text string, times float64) {
			here := map[string]float64{}
			for _, s := range Stems(text) {
				here[s] = max(times, here[s]+times/4)
			}
			for s, f := range here {
				said[s] += f
			}
		}
		note(c.Name, inName)
		note(c.Description, inDescription/(1-lengthShare+lengthShare*lengths[i]/average))
		note(strings.Join(c.Keywords, " "), inKeywords)
		for _, e := range c.Examples {
			note(e, inExamples/math.Sqrt(float64(len(c.Examples))))
		}
		for _, s := range slices.Sorted(maps.Keys(said)) {
			x.postings[s] = append(x.postings[s], posting{i, said[s] / (said[s] + saturation)})
		}
	}
	common := map[string]float64{} // how many of the world have a word, by the usual texts
	for _, text := range usual {
		stems := Stems(text)
		slices.Sort(stems)
		for _, s := range slices.Compact(stems) {
			common[s] += world / float64(len(usual))
		}
	}
	n := float64(len(candidates) + world)
	for s, p := range x.postings {
		with := float64(len(p)) + common[s]
		x.rarity[s] = math.Log(1 + (n-with+0.5)/(with+0.5))
		if verbStems[s] {
			x.rarity[s] *= verbShare
		}
	}
	x.most = math.Log(1 + (n+0.5)/0.5)
	x.readExamples()
	x.names = make([][]nameWord, len(candidates))
	for i, c := range candidates {
		total := 0.0
		stems := Stems(c.Name)
		slices.Sort(stems)
		for _, s := range slices.Compact(stems) {
			x.names[i] = append(x.names[i], nameWord{s, x.rarity[s]})
			total += x.rarity[s]
		}
		for k := range x.names[i] {
			x.names[i][k].share /= total
		}
	}
	return x, nil
}

// Knows reports whether any candidate has a word.
func (x *Index) Knows(stem string) bool { return x.postings[stem] != nil }

// Rank orders all candidates by how well they fit a request, best first; equals keep their order. The confidence is the
// share of the request's words, weighted by rarity, that a candidate has. The error is that of a context that ended.
func (x *Index) Rank(ctx context.Context, request string) ([]Ranked, error) {
	stems := Stems(request)
	slices.Sort(stems)
	stems = slices.Compact(stems)
	out := make([]Ranked, len(x.candidates))
	for i := range out {
		out[i] = Ranked{Name: x.candidates[i].Name, Index: i}
	}
	asked := make(map[string]bool, len(stems))
	total := 0.0
	for k, s := range stems {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		asked[s] = true
		rarity, known := x.rarity[s]
		if !known {
			total += x.most / 2 // a name or a value more often than a wish nothing here fulfils
			continue
		}
		total += rarity
		for _, p := range x.postings[s] {
			r := &out[p.candidate]
			r.Confidence += rarity * p.weight
			r.Reason += " " + s
		}
	}
	nearest := x.nearest(stems, total)
	for i := range out {
		if total > 0 {
			said := 0.0
			for _, w := range x.names[i] {
				if asked[w.stem] {
					said += w.share
				}
			}
			c := (1-nameShare)*out[i].Confidence/total + nameShare*said
			if len(x.candidates[i].Examples) > 0 {
				c = (1-exampleShare)*c + exampleShare*nearest[i]
			}
			out[i].Confidence = math.Round(c*1e4) / 1e4
		}
		if out[i].Reason != "" {
			out[i].Reason = "shares" + out[i].Reason
		} else {
			out[i].Reason = "shares no word"
		}
	}
	slices.SortStableFunc(out, func(a, b Ranked) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out, nil
}

// readExamples indexes past requests one by one: likeness to one of them says more than words from all.
func (x *Index) readExamples() {
	x.mentions = map[string][]int{}
	for i := range x.candidates {
		for _, text := range x.candidates[i].Examples {
			stems := Stems(text)
			slices.Sort(stems)
			e := example{candidate: i}
			for _, s := range slices.Compact(stems) {
				e.weight += x.rarity[s]
				x.mentions[s] = append(x.mentions[s], len(x.examples))
			}
			x.examples = append(x.examples, e)
		}
	}
}

// nearest gives, for each candidate, the likeness of a request to its most alike past requests, from 0 to 1: the
// harmonic mean of how much of each is in the other, of the best two.
func (x *Index) nearest(stems []string, total float64) []float64 {
	out := make([]float64, len(x.candidates))
	if len(x.examples) == 0 {
		return out
	}
	common := map[int]float64{}
	for _, s := range stems {
		for _, e := range x.mentions[s] {
			common[e] += x.rarity[s]
		}
	}
	second := make([]float64, len(x.candidates))
	for e, both := range common {
		like := 2 * both / (total + x.examples[e].weight)
		i := x.examples[e].candidate
		switch {
		case like > out[i]:
			out[i], second[i] = like, out[i]
		case like > second[i]:
			second[i] = like
		}
	}
	for i := range out {
		if len(x.candidates[i].Examples) > 1 {
			out[i] = 0.75*out[i] + 0.25*second[i]
		}
	}
	return out
}
