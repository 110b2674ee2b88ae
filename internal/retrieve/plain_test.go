package retrieve

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainIndex ranks as Index does, by maps and loops that follow the formulas and do nothing to be quick.
type plainIndex struct {
	candidates []Candidate
	postings   map[string][]posting
	rarity     map[string]float64
	most       float64
	names      map[string][]posting
	examples   []example
	mentions   map[string][]int32
	stems      func(text string) []string
}

func newPlainIndex(candidates []Candidate, usual []string, stemsOf func(string) []string) *plainIndex {
	x := &plainIndex{candidates: candidates, postings: map[string][]posting{}, rarity: map[string]float64{}, stems: stemsOf}
	lengths, total := make([]float64, len(candidates)), 0.0
	for i := range candidates {
		lengths[i] = float64(len(stemsOf(candidates[i].Description)))
		total += lengths[i]
	}
	average := max(1, total/max(1, float64(len(candidates))))
	for i := range candidates {
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
		if lexicon().verbStems[s] {
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
	return x
}

func (x *plainIndex) byWords(stems []string) []float64 {
	score := make([]float64, len(x.candidates))
	said := make([]float64, len(x.candidates)) // the share of its name
	total := 0.0
	for _, s := range stems {
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
		return score
	}
	nearest := x.nearest(stems, total)
	for i := range score {
		c := (1-nameShare)*score[i]/total + nameShare*said[i]
		if len(x.candidates[i].Examples) > 0 {
			c = (1-exampleShare)*c + exampleShare*nearest[i]
		}
		score[i] = math.Round(c*1e4) / 1e4
	}
	return score
}

func (x *plainIndex) readExamples() {
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

func (x *plainIndex) nearest(stems []string, total float64) []float64 {
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

// plainFeatures are the features of a text, worked out letter by letter.
func plainFeatures(text string) (out []uint32) {
	before := uint32(0)
	for _, w := range Words(text) {
		h := uint32(offset)
		for i := range len(w.Stem) {
			h = (h ^ uint32(w.Stem[i])) * prime
		}
		out = append(out, bucket(inWords, h))
		if before != 0 {
			out = append(out, bucket(inWords, (before*31+h)*prime))
		}
		before = h
		whole := "<" + w.Text + ">"
		for from := 0; from+shortRun <= len(whole); from++ {
			for n := shortRun; n <= longRun && from+n <= len(whole); n++ {
				h := uint32(offset)
				for i := range n {
					h = (h ^ uint32(whole[from+i])) * prime
				}
				out = append(out, bucket(inChars, h))
			}
		}
	}
	return out
}

// randomLibrary makes candidates and requests of few words, so that they share many: with small words, other forms and other
// cases, without a description or examples, and some with the same words.
func randomLibrary(r *rand.Rand, n int) (all []Candidate, text func(n int) string) {
	words := strings.Fields("the of my a File files FILING getUserID report reports weekly Ärger it's cards card copying copy move text list show délta 2024 x y")
	text = func(n int) string {
		var b strings.Builder
		for range r.IntN(n + 1) {
			b.WriteString(words[min(r.IntN(len(words)), r.IntN(len(words)))] + []string{" ", ", ", "-", "  "}[r.IntN(4)])
		}
		return b.String()
	}
	for i := range n {
		c := Candidate{Name: text(3), Description: text(9)}
		for range r.IntN(3) {
			c.Keywords = append(c.Keywords, text(2))
		}
		for range r.IntN(4) {
			c.Examples = append(c.Examples, text(7))
		}
		if i > 0 && r.IntN(5) == 0 {
			c = all[r.IntN(len(all))]
		}
		all = append(all, c)
	}
	return all, text
}

// TestSameAsPlain: the flat lists of an index, and its way to the best of a ranking, change nothing in what the formulas give.
func TestSameAsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		all, text := randomLibrary(r, []int{0, 1, 7, 60, 400}[round%5])
		usual := []string{text(5), text(5), text(5)}[:r.IntN(4)]
		stems := Stems
		x, err := NewIndex(t.Context(), all, usual...)
		if round%2 == 0 {
			stems = allStems
			x, err = newIndex(t.Context(), all, usual, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		plain := newPlainIndex(all, usual, stems)
		for range 8 {
			request := text(9) + []string{"", "nowhere", "getUserID"}[r.IntN(3)]
			asked := stems(request)
			slices.Sort(asked)
			score := plain.byWords(slices.Compact(asked))
			want := make([]int, len(all))
			for i := range want {
				want[i] = i
			}
			sortBest(score, want)
			for _, most := range []int{0, 1, 3, 50} {
				ranked, err := x.First(t.Context(), request, most)
				if err != nil {
					t.Fatal(err)
				}
				if n := len(ranked); n != len(all) && n != most {
					t.Fatalf("%d of %d", n, most)
				}
				for k, got := range ranked {
					if got.Index != want[k] || math.Float64bits(got.Score) != math.Float64bits(score[want[k]]) || got.Name != all[want[k]].Name {
						t.Fatalf("round %d, %q, place %d of %d: %+v, want %d %v", round, request, k, most, got, want[k], score[want[k]])
					}
				}
			}
		}
		for range 5 {
			said := text(9)
			var got []uint32
			features{}.each(said, func(b uint32) { got = append(got, b) })
			if diff := cmp.Diff(plainFeatures(said), got); diff != "" {
				t.Errorf("%q:\n%s", said, diff)
			}
		}
	}
}

// TestBeside: what is asked for by its index is ranked as in the ranking of all.
func TestBeside(t *testing.T) {
	all, text := randomLibrary(rand.New(rand.NewPCG(5, 6)), 500)
	x, err := NewDiscovery(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	request := text(9)
	_, beside, err := x.Beside(t.Context(), request, 3, []int{499, 0, 250})
	if err != nil {
		t.Fatal(err)
	}
	ranked, _ := x.First(t.Context(), request, shortlist)
	for _, b := range beside {
		if k := slices.IndexFunc(ranked, func(r Ranked) bool { return r.Index == b.Index }); k >= 0 && fmt.Sprint(ranked[k]) != fmt.Sprint(b) {
			t.Errorf("%+v, want %+v", b, ranked[k])
		}
	}
	if len(beside) != 3 || beside[0].Index != 499 || beside[1].Index != 0 {
		t.Errorf("%+v", beside)
	}
}
