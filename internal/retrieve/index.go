package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
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

// Index finds candidates by words. It is immutable and safe for concurrent use. What it holds lies in few flat lists, so that
// one of 100,000 candidates is quick to walk, to store and to read, and gives the garbage collector nothing to look at.
type Index struct {
	names    []string
	past     []uint8  // how many past requests a candidate has, 2 for more
	words    []string // all words of candidates, sorted; a word below is its place here
	rarity   []float64
	postings lists[posting]
	shares   lists[posting] // the share of a candidate's name that a word is
	mentions lists[int32]   // the examples that have a word
	examples []example
	most     float64   // the rarity of a word that no candidate has
	like     *likeness // nil: requests are compared by words alone
	stems    func(text string) []string
	desks    sync.Pool // *sums
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

// lists has a list for each of many small numbers.
type lists[T any] struct {
	from  []uint32 // where that of a number begins, and where the last ends
	items []T
}

func (l *lists[T]) of(n int32) []T { return l.items[l.from[n]:l.from[n+1]] }

// word gives the place of a stem, or -1.
func (x *Index) word(stem string) int32 {
	if at, ok := slices.BinarySearch(x.words, stem); ok {
		return int32(at)
	}
	return -1
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
	return newIndex(ctx, candidates, usual, false)
}

// NewDiscovery is NewIndex for candidates that are wanted as a whole, such as saved workflows: a request is also compared
// with each of their past requests, and with name and description, as texts. The confidence is then the share of requests
// ranked as high whose first candidate is the right one.
func NewDiscovery(ctx context.Context, candidates []Candidate, usual ...string) (*Index, error) {
	x, err := newIndex(ctx, candidates, usual, true)
	if err != nil {
		return nil, err
	}
	texts := make([][]string, len(candidates))
	for i, c := range candidates {
		texts[i] = append([]string{c.Name + ". " + c.Description}, c.Examples...)
	}
	x.like = newLikeness(joined(texts))
	return x, nil
}

// Knows reports whether any candidate has a word.
func (x *Index) Knows(stem string) bool { return x.word(stem) >= 0 }

// Rarity is how much a word tells: the more, the fewer candidates have it.
func (x *Index) Rarity(stem string) float64 {
	if w := x.word(stem); w >= 0 {
		return x.rarity[w]
	}
	return x.most / 2 // a name or a value more often than a wish nothing here fulfils
}

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
	ranked, _, err := x.first(ctx, request, most, nil)
	return ranked, err
}

// Beside gives the first of Rank as First does, and some of the candidates, by their indexes, as Rank has them.
func (x *Index) Beside(ctx context.Context, request string, most int, some []int) (first, beside []Ranked, err error) {
	return x.first(ctx, request, most, some)
}

func (x *Index) first(ctx context.Context, request string, most int, some []int) (first, beside []Ranked, err error) {
	if most <= 0 || most > len(x.names) {
		most = len(x.names)
	}
	stems := distinct(x.stems(request))
	d := x.desk()
	defer x.desks.Put(d)
	if err := x.byWords(ctx, d, stems); err != nil {
		return nil, nil, err
	}
	score := d.score
	enough := most
	if x.like != nil {
		enough = max(most, shortlist)
	}
	best := bestOf(score, enough)
	if x.like != nil {
		for i := range score {
			score[i] /= 3
		}
		near := best[:min(shortlist, len(best))]
		x.like.compare(request, near, func(i int, whole, nearest float64) { score[i] += (whole + nearest) / 3 })
		sortBest(score, best)
		first := best[:min(localFirst, len(best))]
		for k, apart := range x.like.apart(request, first) {
			score[first[k]] += localShare * apart
		}
		sortBest(score, best)
		best = best[:most]
	}
	first, beside = x.ranked(score, stems, best), x.ranked(score, stems, some)
	if x.like != nil {
		for _, list := range [][]Ranked{first, beside} {
			for k := range list {
				list[k].Confidence = math.Round(rightAt(list[k].Score)*1e4) / 1e4
			}
		}
	}
	return first, beside, nil
}

// ByWords gives the first candidates, most of them, and some by their indexes, as NewIndex would rank them: by words that say
// something, not as texts. The confidence is that of NewIndex.
func (x *Index) ByWords(ctx context.Context, request string, most int, some []int) (first, beside []Ranked, err error) {
	stems := distinct(Stems(request))
	d := x.desk()
	defer x.desks.Put(d)
	if err := x.byWords(ctx, d, stems); err != nil {
		return nil, nil, err
	}
	return x.ranked(d.score, stems, bestOf(d.score, min(most, len(x.names)))), x.ranked(d.score, stems, some), nil
}

func distinct(stems []string) []string {
	slices.Sort(stems)
	return slices.Compact(stems)
}

func (x *Index) ranked(score []float64, stems []string, list []int) []Ranked {
	out := make([]Ranked, len(list))
	for k, i := range list {
		out[k] = Ranked{Name: x.names[i], Confidence: score[i], Score: score[i], Reason: x.shared(stems, i), Index: i}
	}
	return out
}

// How the reason of a ranking begins.
const (
	noneShared = "shares no word"
	someShared = "shares"
)

// shared says which words of a request a candidate has.
func (x *Index) shared(stems []string, candidate int) string {
	var b strings.Builder
	for _, s := range stems {
		if x.like != nil && lexicon().stopStems[s] {
			continue
		}
		w := x.word(s)
		if w < 0 {
			continue
		}
		if _, has := slices.BinarySearchFunc(x.postings.of(w), int32(candidate), func(p posting, i int32) int { return cmp.Compare(p.candidate, i) }); has {
			b.WriteByte(' ')
			b.WriteString(s)
		}
	}
	if b.Len() == 0 {
		return noneShared
	}
	return someShared + b.String()
}

// Said is a reason of Ranked in the words of the request, for people: models are given it with stems, which it is ranked by. It is false
// where nothing is shared.
func Said(reason, request string) (string, bool) {
	shared, more, _ := strings.Cut(reason, " (")
	if shared == noneShared {
		return "", false
	}
	stems, ok := strings.CutPrefix(shared, someShared+" ")
	if !ok {
		return reason, true
	}
	said := map[string]string{}
	for _, w := range Words(request) {
		if said[w.Stem] == "" {
			said[w.Stem] = w.Text
		}
	}
	out := someShared
	for _, s := range strings.Fields(stems) {
		out += " " + cmp.Or(said[s], s)
	}
	if more != "" {
		out += " (" + more
	}
	return out, true
}

// byWords gives each candidate the share of a request's words, weighted by rarity, that it has.
func (x *Index) byWords(ctx context.Context, d *sums, stems []string) error {
	score, said := d.score, d.said
	d.words = d.words[:0]
	total := 0.0
	for k, s := range stems {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		w := x.word(s)
		if w < 0 {
			total += x.Rarity(s)
			continue
		}
		d.words = append(d.words, w)
		rarity := x.rarity[w]
		total += rarity
		for _, p := range x.postings.of(w) {
			score[p.candidate] += rarity * float64(p.weight)
		}
		for _, p := range x.shares.of(w) {
			said[p.candidate] += float64(p.weight)
		}
	}
	if total == 0 {
		return nil
	}
	x.nearest(d, total)
	for i := range score {
		if score[i] == 0 {
			continue // it has none of the words
		}
		c := (1-nameShare)*score[i]/total + nameShare*said[i]
		if x.past[i] > 0 {
			nearest := d.near[i]
			if x.past[i] > 1 {
				nearest = 0.75*nearest + 0.25*d.second[i]
			}
			c = (1-exampleShare)*c + exampleShare*nearest
		}
		score[i] = math.Round(c*1e4) / 1e4
	}
	return nil
}

// nearest gives, for each candidate, the likeness of a request to its most alike past requests, from 0 to 1: the
// harmonic mean of how much of each is in the other, of the best two.
func (x *Index) nearest(d *sums, total float64) {
	if len(x.examples) == 0 {
		return
	}
	for _, w := range d.words {
		rarity := x.rarity[w]
		for _, e := range x.mentions.of(w) {
			d.common[e] += rarity
		}
	}
	near, second := d.near, d.second
	for e, both := range d.common {
		if both == 0 {
			continue
		}
		like := 2 * both / (total + float64(x.examples[e].weight))
		i := x.examples[e].candidate
		switch {
		case like > near[i]:
			near[i], second[i] = like, near[i]
		case like > second[i]:
			second[i] = like
		}
	}
}
