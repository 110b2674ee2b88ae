package stats

import (
	"math"
	"math/bits"
)

// enumerated is the largest number of differing clusters of which SignFlip tries all signs: 2^16 of them.
const enumerated = 16

// DefaultResamples is how many sign patterns SignFlip draws unless told otherwise.
const DefaultResamples = 9999

// SignFlip is a permutation test: under the null hypothesis it is chance which variant is called A.
type SignFlip struct {
	P         float64 `json:"p"`
	Exact     bool    `json:"exact"`     // all sign patterns were tried
	Resamples int     `json:"resamples"` // patterns tried
}

// SignFlip gives the two-sided p of the mean difference under all flips of the signs of whole clusters (Fisher, The
// Design of Experiments, 1935, section 21). Clusters that do not differ change nothing and are left out. All patterns
// are tried when at most 2^16; else `resamples` are drawn (0: DefaultResamples), and p = (b+1)/(m+1) with b of m at least as far out as
// what was seen, which keeps the test valid for any m (Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010). p is 1 if nothing differs.
func (p Paired) SignFlip(seed uint64, resamples int) SignFlip {
	var totals []float64
	seen, scale := 0., 0.
	for _, s := range p.sums() {
		if s.total != 0 {
			totals = append(totals, s.total)
			seen += s.total
			scale += math.Abs(s.total)
		}
	}
	bound := math.Abs(seen) - 1e-10*scale // sums of the same numbers in another order differ by rounding
	if len(totals) == 0 {
		return SignFlip{P: 1, Exact: true, Resamples: 1}
	}
	if len(totals) <= enumerated {
		// The first sign is fixed: a pattern and its opposite are equally far out.
		patterns, out := 1<<(len(totals)-1), 0
		sum := seen
		sign := make([]float64, len(totals))
		for i := range sign {
			sign[i] = 1
		}
		for g := 1; ; g++ { // Gray code: one sign changes a step
			if math.Abs(sum) >= bound {
				out++
			}
			if g == patterns {
				break
			}
			at := bits.TrailingZeros(uint(g)) + 1
			sign[at] = -sign[at]
			sum += 2 * sign[at] * totals[at]
		}
		return SignFlip{P: float64(out) / float64(patterns), Exact: true, Resamples: 2 * patterns}
	}
	if resamples <= 0 {
		resamples = DefaultResamples
	}
	rng := source(seed)
	out := 0
	for range resamples {
		sum, signs := 0., uint64(0)
		for i, x := range totals {
			if i%64 == 0 {
				signs = rng.Uint64()
			}
			sum += math.Float64frombits(math.Float64bits(x) ^ signs<<63) // x or -x
			signs >>= 1
		}
		if math.Abs(sum) >= bound {
			out++
		}
	}
	return SignFlip{P: float64(out+1) / float64(resamples+1), Resamples: resamples}
}
