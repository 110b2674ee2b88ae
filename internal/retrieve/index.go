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
	Score      float64 // what the confidence is worked out from
	Reason     string
	Index      int // among the candidates
}

// Index finds candidates by words. It is immutable and safe for concurrent use.
type Index struct {
	candidates []Candidate
	postings   map[string][]posting
	rarity     map[string]float64
	most       float64              // the rarity of a word that no candidate has
	names      map[string][]posting // the share of its name that a word is
	examples   []example
	mentions   map[string][]int32 // a word -> the examples that have it
	like       *likeness          // nil: requests are compared by words alone
	stems      func(text string) []string
}

// example is one past request.
type example struct {
	candidate int32
	weight    float32 // of all its words
}

// posting says how much a mention of a word tells for a candidate, from 0 to 1.
type posting struct {
	candidate int32
	weight    float32
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
	return newIndex(ctx, candidates, usual, Stems)
}

// NewDiscovery is NewIndex for candidates that are wanted as a whole, such as saved workflows: a request is also compared
// with each of their past requests, and with name and description, as texts. The confidence is then the share of requests
// ranked as high whose first candidate is the right one.
func NewDiscovery(ctx context.Context, candidates []Candidate, usual ...string) (*Index, error) {
	x, err := newIndex(ctx, candidates, usual, allStems)
	if err != nil {
		return nil, err
	}
	texts := make([][]string, len(candidates))
	for i, c := range candidates {
		texts[i] = append([]string{c.Name + ". " + c.Description}, c.Examples...)
	}
	x.like = newLikeness(texts)
	return x, nil
}

func newIndex(ctx context.Context, candidates []Candidate, usual []string, stemsOf func(string) []string) (*Index, error) {
	x := &Index{candidates: candidates, postings: map[string][]posting{}, rarity: map[string]float64{}, stems: stemsOf}
	lengths, total := make([]float64, len(candidates)), 0.0
	for i := range candidates {
		lengths[i] = float64(len(stemsOf(candidates[i].Description)))
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
			for _, s := range stemsOf(text) {
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
			x.postings[s] = append(x.postings[s], posting{int32(i), float32(said[s] / (said[s] + saturation))})
		}
	}
	common := map[string]float64{} // how many of the world have a word, by the usual texts
	for _, text := range usual {
		stems := stemsOf(text)
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
	x.names = map[string][]posting{}
	for i, c := range candidates {
		total := 0.0
		stems := stemsOf(c.Name)
		slices.Sort(stems)
		stems = slices.Compact(stems)
		for _, s := range stems {
			total += x.rarity[s]
		}
		for _, s := range stems {
			x.names[s] = append(x.names[s], posting{int32(i), float32(x.rarity[s] / total)})
		}
	}
	return x, nil
}

// Knows reports whether any candidate has a word.
func (x *Index) Knows(stem string) bool { return x.postings[stem] != nil }

// shortlist is how many of the best by words are compared with a request as texts.
const shortlist = 120

// Rank orders all candidates by how well they fit a request, best first; equals keep their order. The confidence is the
// share of the request's words, weighted by rarity, that a candidate has; see NewDiscovery for that of its indexes. The
// error is that of a context that ended.
func (x *Index) Rank(ctx context.Context, request string) ([]Ranked, error) {
	return x.First(ctx, request, 0)
}

// First gives the first of Rank, most of them, all with 0.
func (x *Index) First(ctx context.Context, request string, most int) ([]Ranked, error) {
	if most <= 0 || most > len(x.candidates) {
		most = len(x.candidates)
	}
	stems := x.stems(request)
	slices.Sort(stems)
	stems = slices.Compact(stems)
	score, err := x.byWords(ctx, stems)
	if err != nil {
		return nil, err
	}
	best := x.best(score, most)
	if x.like != nil {
		best = x.best(score, max(most, shortlist))
		for i := range score {
			score[i] /= 3
		}
		near := best[:min(shortlist, len(best))]
		x.like.compare(request, near, func(i int, whole, nearest float64) { score[i] += (whole + nearest) / 3 })
		sortBest(score, best)
		best = best[:most]
	}
	out := make([]Ranked, len(best))
	for k, i := range best {
		out[k] = Ranked{Name: x.candidates[i].Name, Confidence: score[i], Score: score[i], Reason: x.shared(stems, i), Index: i}
		if x.like != nil {
			out[k].Confidence = math.Round(rightAt(score[i])*1e4) / 1e4
		}
	}
	return out, nil
}

// best lists the best candidates by a score, best first; equals keep their order.
func (x *Index) best(score []float64, most int) []int {
	all := make([]int, 0, len(score))
	if most >= len(score) {
		for i := range score {
			all = append(all, i)
		}
		sortBest(score, all)
		return all
	}
	// The least score that is among the best is found first, so that only those are put in order.
	sorted := slices.Clone(score)
	least := nth(sorted, len(sorted)-most)
	room := most
	for _, s := range score {
		if s > least {
			room--
		}
	}
	for i, s := range score {
		if s > least {
			all = append(all, i)
		} else if s == least && room > 0 {
			room--
			all = append(all, i)
		}
	}
	sortBest(score, all)
	return all
}

func sortBest(score []float64, list []int) {
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
}

// nth gives the number that would be at a place if the list were sorted, and moves those of the list.
func nth(list []float64, at int) float64 {
	for low, high := 0, len(list)-1; low < high; {
		pivot := list[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for list[j] > pivot {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case at <= j:
			high = j
		case at >= i:
			low = i
		default:
			return list[at]
		}
	}
	return list[at]
}

// shared says which words of a request a candidate has.
func (x *Index) shared(stems []string, candidate int) string {
	var b strings.Builder
	for _, s := range stems {
		if x.like != nil && smallStems[s] {
			continue
		}
		if _, has := slices.BinarySearchFunc(x.postings[s], int32(candidate), func(p posting, i int32) int { return cmp.Compare(p.candidate, i) }); has {
			b.WriteByte(' ')
			b.WriteString(s)
		}
	}
	if b.Len() == 0 {
		return "shares no word"
	}
	return "shares" + b.String()
}

// byWords gives each candidate the share of a request's words, weighted by rarity, that it has.
func (x *Index) byWords(ctx context.Context, stems []string) ([]float64, error) {
	score := make([]float64, len(x.candidates))
	said := make([]float64, len(x.candidates)) // the share of its name
	total := 0.0
	for k, s := range stems {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rarity, known := x.rarity[s]
		if !known {
			total += x.most / 2 // a name or a value more often than a wish nothing here fulfils
			continue
		}
		total += rarity
		for _, p := range x.postings[s] {
			score[p.candidate] += rarity * float64(p.weight)
		}
		for _, p := range x.names[s] {
			said[p.candidate] += float64(p.weight)
		}
	}
	if total == 0 {
		return score, nil
	}
	nearest := x.nearest(stems, total)
	for i := range score {
		c := (1-nameShare)*score[i]/total + nameShare*said[i]
		if len(x.candidates[i].Examples) > 0 {
			c = (1-exampleShare)*c + exampleShare*nearest[i]
		}
		score[i] = math.Round(c*1e4) / 1e4
	}
	return score, nil
}

// readExamples indexes past requests one by one: likeness to one of them says more than words from all.
func (x *Index) readExamples() {
	x.mentions = map[string][]int32{}
	for i := range x.candidates {
		for _, text := range x.candidates[i].Examples {
			stems := x.stems(text)
			slices.Sort(stems)
			e := example{candidate: int32(i)}
			for _, s := range slices.Compact(stems) {
				e.weight += float32(x.rarity[s])
				x.mentions[s] = append(x.mentions[s], int32(len(x.examples)))
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
	common := make([]float64, len(x.examples))
	for _, s := range stems {
		for _, e := range x.mentions[s] {
			common[e] += x.rarity[s]
		}
	}
	second := make([]float64, len(x.candidates))
	for e, both := range common {
		if both == 0 {
			continue
		}
		like := 2 * both / (total + float64(x.examples[e].weight))
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
