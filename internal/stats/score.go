package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is the mean of one variant by itself, with its interval.
type Estimate struct {
	Method   string   `json:"method"` // one of the Method constants
	Cases    int      `json:"cases"`
	Clusters int      `json:"clusters"`
	Mean     float64  `json:"mean"`
	Interval Interval `json:"interval"`
	Note     string   `json:"note,omitempty"` // why the interval is unknown or a point
}

// How an Estimate came about, beside MethodCluster, MethodExact and MethodUndefined.
const (
	MethodWilson    = "Wilson"
	MethodEffective = "Wilson of the effective sample (CR2)"
	MethodOneT      = "t"
)

// Score estimates the mean of A over cases; B is not looked at. Repeats of a case are averaged, and the cases of a group
// are one cluster. Cases without a value count for nothing. rate says that values lie in 0..1.
//
// One run of pass or fail a case without groups is a binomial share: its interval is Wilson's (JASA 22, 1927), which Brown,
// Cai and DasGupta (Statistical Science 16, 2001) recommend. Other rates take the same formula with the effective number of
// cases mean·(1-mean)/V, V being the CR2 variance of the mean, and Student's quantile for the normal one (Dean and Pagano,
// J. Surv. Stat. Methodol. 3, 2015; Franco, Little, Louis and Slud, ibid. 7, 2019). Below FewDiffer clusters away from the value
// that most have, V says little: the effective number is then at most that of the clusters. What is no rate takes the t interval.
func Score(cases []Case, rate bool) (Estimate, error) {
	alone := make([]Case, len(cases))
	binary, repeats := rate, 0
	for i, c := range cases {
		alone[i] = Case{ID: c.ID, Group: c.Group, B: c.A}
		if len(c.A) > 0 {
			alone[i].A = []float64{0}
		}
		repeats = max(repeats, len(c.A))
		for _, x := range c.A {
			binary = binary && (x == 0 || x == 1)
		}
	}
	p, err := Pair(alone, rate)
	if err != nil {
		return Estimate{}, err
	}
	out := Estimate{Method: MethodUndefined, Cases: p.Cases(), Clusters: p.clusters, Mean: p.MeanB()}
	grouped := p.clusters < p.Cases()
	switch {
	case p.clusters < 2:
		out.Note = "an interval needs at least two independent cases"
	case binary && repeats == 1 && !grouped:
		out.Method = MethodWilson
		out.Interval = wilson(out.Mean, float64(out.Cases), distuv.UnitNormal.Quantile(1-Alpha/2))
	case rate:
		out.Method = MethodEffective
		out.Interval = p.effective(out.Mean)
	default:
		p.Rate = false
		t := p.TTest()
		out.Interval, out.Method, out.Note = t.Interval, t.Method, t.Note
		switch t.Method {
		case MethodT:
			out.Method = MethodOneT
		case MethodExact:
			out.Note = "all cases have the same value, so their spread says nothing"
		}
	}
	return out, nil
}

// effective is Wilson's interval of the mean of B for as many cases as its variance is worth.
func (p Paired) effective(mean float64) Interval {
	sums := p.sums()
	clusters := make([]weighted, len(sums))
	most, seen := 0, map[float64]int{}
	for i, s := range sums {
		clusters[i] = weighted{float64(s.size), s.total}
		at := math.Round(1e9 * s.total / float64(s.size))
		seen[at]++
		most = max(most, seen[at])
	}
	variance, df := cr2(clusters)
	worth := float64(p.clusters)
	if own := mean * (1 - mean) / variance; variance > 0 && (len(sums)-most >= FewDiffer || own < worth) {
		worth = own
	}
	return wilson(mean, worth, distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1-Alpha/2))
}

// wilson is the score interval of a share of n, with z standard errors to either side.
func wilson(share, n, z float64) Interval {
	spread := z * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	centre := share + z*z/(2*n)
	return Interval{max(0, (centre-spread)/scale), min(1, (centre+spread)/scale), true}
}
