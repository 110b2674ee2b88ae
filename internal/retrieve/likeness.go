package retrieve

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// Likeness compares texts as wholes: by all their words, small ones too, pairs of neighbours, and runs of characters. It
// tells past requests apart that words for things do not: "how do I close it" from "when was it closed".

// buckets is how many features of a text are told apart in each block; those that share one count as the same.
const buckets = 1 << 18

// The blocks of a text's features, which weigh the same.
const (
	inWords = iota
	inChars
	blocks
)

// The lengths of the runs of characters.
const (
	shortRun = 3
	longRun  = 5
)

// feature is what a text has, by the bucket of its hash, and how much of the text it is.
type feature struct {
	bucket uint32
	weight float32
}

// featured is a word as features: its hash, and the buckets of its runs of characters.
type featured struct {
	hash  uint32
	chars []uint32
}

// features reads texts as features. A word that comes again is not worked out again; of very many words the first are
// forgotten.
type features map[string]featured

const keepWords = 1 << 14

const (
	offset = 2166136261 // FNV-1a
	prime  = 16777619
)

func bucket(block, h uint32) uint32 { return block*buckets + (h^h>>18)%buckets }

// each gives the features of a text, each as often as it has it.
func (r features) each(text string, f func(bucket uint32)) {
	before := uint32(0)
	cutWords(text, func(w string, _, _ int) {
		of, ok := r[w]
		if !ok {
			of = featuresOf(w)
			if len(r) >= keepWords {
				clear(r)
			}
			r[strings.Clone(w)] = of
		}
		f(bucket(inWords, of.hash))
		if before != 0 {
			f(bucket(inWords, (before*31+of.hash)*prime))
		}
		before = of.hash
		for _, b := range of.chars {
			f(b)
		}
	})
}

func featuresOf(word string) featured {
	out := featured{hash: offset}
	stem := Stem(word)
	for i := range len(stem) {
		out.hash = (out.hash ^ uint32(stem[i])) * prime
	}
	whole := "<" + word + ">"
	for from := 0; from+shortRun <= len(whole); from++ {
		h := uint32(offset)
		for n := 0; n < longRun && from+n < len(whole); n++ {
			h = (h ^ uint32(whole[from+n])) * prime
			if n+1 >= shortRun {
				out.chars = append(out.chars, bucket(inChars, h))
			}
		}
	}
	return out
}

// texts are those of candidates, one behind the other.
type texts struct {
	all   string
	ends  []uint32 // of each text
	first []uint32 // the first text of each candidate, and behind them how many texts there are
}

func joined(of [][]string) *texts {
	t := &texts{first: make([]uint32, 1, len(of)+1)}
	var b strings.Builder
	for _, list := range of {
		for _, text := range list {
			b.WriteString(text)
			t.ends = append(t.ends, uint32(b.Len()))
		}
		t.first = append(t.first, uint32(len(t.ends)))
	}
	t.all = b.String()
	return t
}

// of gives the texts of a candidate.
func (t *texts) of(candidate int) []string {
	out := make([]string, 0, 8)
	for n := t.first[candidate]; n < t.first[candidate+1]; n++ {
		start := uint32(0)
		if n > 0 {
			start = t.ends[n-1]
		}
		out = append(out, t.all[start:t.ends[n]])
	}
	return out
}

func (t *texts) candidates() int { return len(t.first) - 1 }

// likeness compares requests with the texts of candidates. It is safe for concurrent use.
type likeness struct {
	texts  *texts
	with   []uint32  // how many candidates have a feature, by bucket
	rarity []float32 // of a feature, by how many candidates have it
	kept   []keptTexts
	desks  sync.Pool // *desk
}

// keptTexts are the texts of a candidate as features, worked out when it is first compared.
type keptTexts struct {
	once  sync.Once
	texts []vector
	mean  float64 // the length of their sum
}

// vector is a text as features: each block has the length 1/sqrt(blocks).
type vector []feature

// desk is room to work in: a number for each bucket, all 0 between uses.
type desk struct {
	count, sum []float32
	touched    []uint32
	features   features
}

// keepTexts is how many bytes of texts are kept as features, some 30 times the memory; of more, those of a ranking are
// worked out anew.
const keepTexts = 1 << 20

// newLikeness counts the features of candidates' texts. A feature is as rare as the candidates that have it are few: the
// past requests of one workflow may well have its words, each of them.
func newLikeness(of *texts) *likeness {
	with := make([]uint32, blocks*buckets)
	last := make([]uint32, blocks*buckets) // the candidate that had it last, from 1
	read := features{}
	for i := range of.candidates() {
		for _, text := range of.of(i) {
			read.each(text, func(b uint32) {
				if last[b] != uint32(i+1) {
					last[b] = uint32(i + 1)
					with[b]++
				}
			})
		}
	}
	return likenessOf(of, with)
}

// likenessOf compares with texts of which it is known how many candidates have each feature.
func likenessOf(of *texts, with []uint32) *likeness {
	l := &likeness{texts: of, with: with}
	l.desks.New = func() any {
		return &desk{count: make([]float32, blocks*buckets), sum: make([]float32, blocks*buckets), features: features{}}
	}
	l.rarity = make([]float32, slices.Max(with)+1)
	for n := range l.rarity {
		l.rarity[n] = float32(math.Log(float64(1+of.candidates())/float64(1+n)) + 1)
	}
	if len(of.all) <= keepTexts {
		l.kept = make([]keptTexts, of.candidates())
	}
	return l
}

// logs are the logarithms of small numbers: how often a text has a feature.
var logs = func() (out [16]float64) {
	for n := range out {
		out[n] = math.Log(float64(n))
	}
	return out
}()

func logOf(n float32) float64 {
	if int(n) < len(logs) {
		return logs[int(n)]
	}
	return math.Log(float64(n))
}

// vector writes a text as features.
func (l *likeness) vector(d *desk, text string) vector {
	d.touched = d.touched[:0]
	d.features.each(text, func(b uint32) {
		if d.count[b] == 0 {
			d.touched = append(d.touched, b)
		}
		d.count[b]++
	})
	out := make(vector, len(d.touched))
	var square [blocks]float64
	for i, b := range d.touched {
		w := (1 + logOf(d.count[b])) * float64(l.rarity[l.with[b]])
		out[i] = feature{b, float32(w)}
		square[b/buckets] += w * w
		d.count[b] = 0
	}
	for i, f := range out {
		out[i].weight = f.weight / float32(math.Sqrt(square[f.bucket/buckets]*blocks))
	}
	return out
}

// of gives the texts of a candidate as features.
func (l *likeness) of(d *desk, i int) *keptTexts {
	if l.kept == nil {
		k := &keptTexts{}
		k.read(l, d, i)
		return k
	}
	k := &l.kept[i]
	k.once.Do(func() { k.read(l, d, i) })
	return k
}

func (k *keptTexts) read(l *likeness, d *desk, i int) {
	for _, text := range l.texts.of(i) {
		k.texts = append(k.texts, l.vector(d, text))
	}
	square := 0.0
	for _, v := range k.texts {
		for _, f := range v {
			d.sum[f.bucket] += f.weight
		}
	}
	for _, v := range k.texts {
		for _, f := range v {
			square += float64(d.sum[f.bucket]) * float64(d.sum[f.bucket])
			d.sum[f.bucket] = 0
		}
	}
	k.mean = math.Sqrt(square)
}

// nearestShares is how much each of the most alike texts tells.
var nearestShares = [...]float64{0.6, 0.25, 0.15}

// compare gives, for some of the candidates, the likeness of a request to all their texts together and to those that are
// most alike, each from 0 to 1.
func (l *likeness) compare(request string, some []int, f func(candidate int, whole, nearest float64)) {
	d := l.desks.Get().(*desk)
	defer l.desks.Put(d)
	asked := l.vector(d, request)
	for _, i := range some {
		k := l.of(d, i)
		d.load(asked)
		likes, total := make([]float64, len(k.texts)), 0.0
		for n, v := range k.texts {
			likes[n] = d.dot(v)
			total += likes[n]
		}
		d.clear(asked)
		slices.SortFunc(likes, func(a, b float64) int {
			switch {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
		nearest, shares := 0.0, 0.0
		for n := range min(len(nearestShares), len(likes)) {
			nearest += nearestShares[n] * likes[n]
			shares += nearestShares[n]
		}
		if shares > 0 {
			nearest /= shares
		}
		whole := 0.0
		if k.mean > 0 {
			whole = total / k.mean
		}
		f(i, whole, nearest)
	}
}
