package stats

import (
	"math"

	"pflow/internal/fault"
)

// Case is what one case gave: the values of all its repeats under both variants. The numbers of repeats may differ, as
// when a run was lost. A pass is 1, a fail 0.
type Case struct {
	ID    string
	Group string // cases of one group are not independent of each other; "" is a group of its own
	A, B  []float64
}

// Paired holds one metric of two variants: the means of each case, in the order of the cases.
type Paired struct {
	A, B    []float64 // means over a case's repeats
	Rate    bool      // the values are pass rates or scores in 0..1; TTest needs to know when few cases differ
	Missing int       // cases left out, since one variant has no value
	Repeats int       // the largest number of values that a case has under a variant

	cluster  []int // of each case, 0..clusters-1 in order of appearance
	clusters int
}

// largest is the largest value taken: its square, summed over any number of cases, is still finite.
const largest = 1e100

// Pair averages the repeats of each case. Cases without a value for one of the variants are left out and counted. rate
// says that values lie in 0..1; one that does not is an error, as is one that is NaN or beyond ±1e100.
func Pair(cases []Case, rate bool) (Paired, error) {
	p := Paired{Rate: rate}
	index := map[string]int{}
	for _, c := range cases {
		for _, v := range [][]float64{c.A, c.B} {
			for _, x := range v {
				if !(math.Abs(x) <= largest) {
					return Paired{}, fault.New(fault.InvalidRequest, "case %q: the value %v cannot be compared; leave it out if it is unknown", c.ID, x)
				}
				if rate && (x < 0 || x > 1) {
					return Paired{}, fault.New(fault.InvalidRequest, "case %q: %v is no rate; rates are from 0 to 1", c.ID, x)
				}
			}
			p.Repeats = max(p.Repeats, len(v))
		}
		if len(c.A) == 0 || len(c.B) == 0 {
			p.Missing++
			continue
		}
		at, seen := index[c.Group]
		if !seen || c.Group == "" {
			at = p.clusters
			p.clusters++
			index[c.Group] = at
		}
		p.A, p.B, p.cluster = append(p.A, mean(c.A)), append(p.B, mean(c.B)), append(p.cluster, at)
	}
	return p, nil
}

// Cases is the number of cases that both variants have values for.
func (p Paired) Cases() int { return len(p.A) }

// Differ is the number of cases on which the variants have different means.
func (p Paired) Differ() int {
	n := 0
	for i := range p.A {
		if math.Abs(p.A[i]-p.B[i]) > 1e-12*(math.Abs(p.A[i])+math.Abs(p.B[i])) {
			n++
		}
	}
	return n
}

// MeanA is the macro mean of A: over cases, each counting once. It is 0 without cases.
func (p Paired) MeanA() float64 { return mean(p.A) }

// MeanB is the macro mean of B.
func (p Paired) MeanB() float64 { return mean(p.B) }

// differences are B-A of each case.
func (p Paired) differences() []float64 {
	d := make([]float64, len(p.A))
	for i := range d {
		d[i] = p.B[i] - p.A[i]
	}
	return d
}

// sum is the size of a cluster and the sum of its differences B-A.
type sum struct {
	size  int
	total float64
}

// sums gives the clusters in order. A total that is only rounding is 0.
func (p Paired) sums() []sum {
	out := make([]sum, p.clusters)
	scale := make([]float64, p.clusters)
	for i := range p.A {
		s := &out[p.cluster[i]]
		s.size++
		s.total += p.B[i] - p.A[i]
		scale[p.cluster[i]] += math.Abs(p.A[i]) + math.Abs(p.B[i])
	}
	for i := range out {
		if math.Abs(out[i].total) <= 1e-12*scale[i] {
			out[i].total = 0
		}
	}
	return out
}

// mean is 0 for no values. The sum of passes and fails is exact in any order.
func mean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	total := 0.
	for _, v := range x {
		total += v
	}
	return total / float64(len(x))
}
