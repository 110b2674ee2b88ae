package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"pflow/internal/fault"
)

// McNemar is the exact test of pairs of pass and fail.
type McNemar struct {
	Fixed  int     `json:"fixed"`  // A failed, B passed
	Broken int     `json:"broken"` // A passed, B failed
	P      float64 `json:"p"`
}

// McNemar gives the exact two-sided p: twice the smaller binomial tail with chance 1/2, at most 1 (McNemar,
// Psychometrika 12, 1947; the exact form is in Agresti, Categorical Data Analysis, section 10.1). It is an error if a
// case was run more than once, a value is neither 0 nor 1, or cases share a group: the test counts independent single runs.
func (p Paired) McNemar() (McNemar, error) {
	var m McNemar
	if p.Repeats > 1 {
		return m, fault.New(fault.InvalidRequest, "McNemar's test needs one run a case, and there are up to %d; use the paired t or the sign-flip test", p.Repeats)
	}
	if p.clusters < p.Cases() {
		return m, fault.New(fault.InvalidRequest, "McNemar's test needs independent cases, and some share a group; use the cluster-robust t or the sign-flip test")
	}
	for i, a := range p.A {
		b := p.B[i]
		if a != 0 && a != 1 || b != 0 && b != 1 {
			return McNemar{}, fault.New(fault.InvalidRequest, "McNemar's test needs pass (1) or fail (0), and there is a pair of %v and %v; use the paired t or the sign-flip test", a, b)
		}
		if b > a {
			m.Fixed++
		} else if a > b {
			m.Broken++
		}
	}
	m.P = 1
	if n := m.Fixed + m.Broken; n > 0 {
		m.P = min(1, 2*distuv.Binomial{N: float64(n), P: .5}.CDF(math.Min(float64(m.Fixed), float64(m.Broken))))
	}
	return m, nil
}
