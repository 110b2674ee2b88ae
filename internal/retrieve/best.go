package retrieve

import (
	"cmp"
	"slices"
)

// sums is room to rank in: a number for each candidate, and one for each example.
type sums struct {
	score, said, near, second []float64
	common                    []float64
	words                     []int32
}

// desk gives room whose numbers are all 0.
func (x *Index) desk() *sums {
	d, _ := x.desks.Get().(*sums)
	if d == nil {
		n := len(x.names)
		return &sums{score: make([]float64, n), said: make([]float64, n), near: make([]float64, n), second: make([]float64, n), common: make([]float64, len(x.examples))}
	}
	clear(d.score)
	clear(d.said)
	clear(d.near)
	clear(d.second)
	clear(d.common)
	return d
}

// bestOf lists the best candidates by a score, best first; equals keep their order.
func bestOf(score []float64, most int) []int {
	if most >= len(score) {
		all := make([]int, len(score))
		for i := range all {
			all[i] = i
		}
		sortBest(score, all)
		return all
	}
	// A heap whose first is the worst of the best so far: most candidates are no better, and are looked at once.
	worse := func(a, b int) bool { return score[a] < score[b] || score[a] == score[b] && a > b }
	heap := make([]int, 0, most)
	down := func() {
		for at := 0; ; {
			next := 2*at + 1
			if next >= len(heap) {
				return
			}
			if next+1 < len(heap) && worse(heap[next+1], heap[next]) {
				next++
			}
			if !worse(heap[next], heap[at]) {
				return
			}
			heap[at], heap[next] = heap[next], heap[at]
			at = next
		}
	}
	for i := range score {
		if len(heap) < most {
			heap = append(heap, i)
			for at := len(heap) - 1; at > 0 && worse(heap[at], heap[(at-1)/2]); at = (at - 1) / 2 {
				heap[at], heap[(at-1)/2] = heap[(at-1)/2], heap[at]
			}
			continue
		}
		if most > 0 && worse(heap[0], i) {
			heap[0] = i
			down()
		}
	}
	sortBest(score, heap)
	return heap
}

func sortBest(score []float64, list []int) {
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
}
