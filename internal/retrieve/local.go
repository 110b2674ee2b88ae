package retrieve

import (
	"math"
	"slices"
)

// What tells the first candidates of a ranking apart is learnt on the spot, from their texts alone: a least-squares classifier
// with a ridge, of which each candidate is a class (local learning: Bottou and Vapnik, 1992). Words that all of them have
// then tell nothing, those of one tell most. There is nothing to train beforehand, so that a library may change at any time.

const (
	localFirst = 10  // how many candidates are told apart
	localTexts = 12  // texts looked at of each: those most alike
	localRidge = 0.3 // how little a single text is trusted
	localShare = 0.4 // how much it tells beside the score of a candidate by itself
)

// apart gives, for each of a few candidates, how much a request is like their texts and unlike those of the others: about 1
// for one of their own texts, about 0 for what is like none.
func (l *likeness) apart(request string, some []int) []float64 {
	d := l.desks.Get().(*desk)
	defer l.desks.Put(d)
	asked := l.vector(d, request)
	type text struct {
		of   int // in some
		like float64
		vector
	}
	var texts []text
	for k, i := range some {
		own := l.of(d, i).texts
		d.load(asked)
		first := len(texts)
		for _, v := range own {
			texts = append(texts, text{k, d.dot(v), v})
		}
		d.clear(asked)
		if mine := texts[first:]; len(mine) > localTexts {
			slices.SortStableFunc(mine, func(a, b text) int {
				switch {
				case a.like > b.like:
					return -1
				case a.like < b.like:
					return 1
				}
				return 0
			})
			texts = texts[:first+localTexts]
		}
	}
	gram, like := make([][]float64, len(texts)), make([]float64, len(texts))
	for i := range texts {
		gram[i], like[i] = make([]float64, i+1), texts[i].like
		d.load(texts[i].vector)
		for j := range i + 1 {
			gram[i][j] = d.dot(texts[j].vector)
		}
		d.clear(texts[i].vector)
		gram[i][i] += localRidge
	}
	solve(gram, like)
	out := make([]float64, len(some))
	for i := range texts {
		out[texts[i].of] += like[i]
	}
	return out
}

// load puts a text on the desk, to be compared with others.
func (d *desk) load(v vector) {
	for _, f := range v {
		d.count[f.bucket] = f.weight
	}
}

func (d *desk) clear(v vector) {
	for _, f := range v {
		d.count[f.bucket] = 0
	}
}

// dot is the likeness of a text and the one on the desk.
func (d *desk) dot(v vector) float64 {
	sum := 0.0
	for _, f := range v {
		sum += float64(f.weight) * float64(d.count[f.bucket])
	}
	return sum
}

// solve solves m x = b for a symmetric positive definite matrix, of which the lower triangle is given and overwritten, by
// Cholesky's method. x is left in b.
func solve(m [][]float64, b []float64) {
	for i := range m {
		for j := range i + 1 {
			sum := m[i][j]
			for k := range j {
				sum -= m[i][k] * m[j][k]
			}
			if i == j {
				m[i][i] = math.Sqrt(sum)
			} else {
				m[i][j] = sum / m[j][j]
			}
		}
	}
	for i := range b {
		for k := range i {
			b[i] -= m[i][k] * b[k]
		}
		b[i] /= m[i][i]
	}
	for i := len(b) - 1; i >= 0; i-- {
		for k := i + 1; k < len(b); k++ {
			b[i] -= m[k][i] * b[k]
		}
		b[i] /= m[i][i]
	}
}
