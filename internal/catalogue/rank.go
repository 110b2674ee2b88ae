package catalogue

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Doc is what a component is found by.
type Doc struct{ Name, Text string }

// Rank orders documents by how well they fit a request: it gives their indexes, best first, all of them, and the same
// for the same arguments.
type Rank func(request string, docs []Doc) []int

// AsGiven is the order of documents that are ranked already.
func AsGiven(_ string, docs []Doc) []int {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	return order
}

// BM25 is the lexical ranking by term frequency and rarity (k1 = 1.2, b = 0.75); words of the name count three times.
// Documents that fit equally well keep their order.
func BM25(request string, docs []Doc) []int {
	const k1, b, nameWeight = 1.2, 0.75, 3
	counts := make([]map[string]float64, len(docs))
	lengths := make([]float64, len(docs))
	frequency := map[string]int{}
	total := 0.0
	for i, d := range docs {
		counts[i] = map[string]float64{}
		for _, w := range words(d.Name) {
			counts[i][w] += nameWeight
		}
		for _, w := range words(d.Text) {
			counts[i][w]++
			lengths[i]++
		}
		for w := range counts[i] {
			frequency[w]++
		}
		total += lengths[i]
	}
	average := math.Max(total/math.Max(float64(len(docs)), 1), 1)
	asked := words(request)
	slices.Sort(asked) // sums of floats depend on their order
	asked = slices.Compact(asked)
	scores := make([]float64, len(docs))
	order := make([]int, len(docs))
	for i := range docs {
		order[i] = i
		for _, w := range asked {
			if n := counts[i][w]; n > 0 {
				rarity := math.Log(1 + (float64(len(docs)-frequency[w])+0.5)/(float64(frequency[w])+0.5))
				scores[i] += rarity * n * (k1 + 1) / (n + k1*(1-b+b*lengths[i]/average))
			}
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(scores[y], scores[x]) })
	return order
}

// words cuts text into lower-case words, also where a camelCase word turns, with plural endings off.
func words(s string) []string {
	var out []string
	var w strings.Builder
	flush := func() {
		if w.Len() > 0 {
			out = append(out, stem(w.String()))
			w.Reset()
		}
	}
	var before rune
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(before):
			flush()
			w.WriteRune(unicode.ToLower(r))
		default:
			w.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	flush()
	return out
}

func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}
