package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// TTest is the mean difference B-A over cases, with its interval and two-sided p.
type TTest struct {
	Method   string   `json:"method"` // one of the Method constants
	Cases    int      `json:"cases"`
	Clusters int      `json:"clusters"`
	Differ   int      `json:"differ"` // cases on which A and B differ
	Mean     float64  `json:"mean"`   // as observed, whatever the method
	SE       float64  `json:"se"`     // standard error of the mean
	DF       float64  `json:"df"`     // degrees of freedom
	T        float64  `json:"t"`
	P        float64  `json:"p"`
	Interval Interval `json:"interval"`
	Note     string   `json:"note,omitempty"` // why the method is not the usual one

	rate bool // differences lie in -1..1
}

// How a TTest came about.
const (
	MethodT         = "paired t"
	MethodCluster   = "cluster-robust t (CR2)"
	MethodAdded     = "t with two added cases"
	MethodScore     = "score (Tango)" // of a Guard
	MethodExact     = "no variance, exact sign test"
	MethodUndefined = "undefined"
)

// FewDiffer is the number of differing clusters below which rates take MethodAdded.
const FewDiffer = 6

// TTest compares the means of A and B.
//
// Without groups it is Student's paired t-test on the per-case differences. With groups the variance is CR2 and the
// degrees of freedom are Satterthwaite's (Bell and McCaffrey, Survey Methodology 28, 2002; Pustejovsky and Tipton, JBES
// 36, 2018): G-1 when the G clusters are equally large, fewer when they are not. With one case a cluster both are the same.
//
// Rates get two more clusters of average size, one that gains and one that loses (Bonett and Price, J. Educ. Behav.
// Stat. 37, 2012, after Agresti and Min, Stat. Med. 24, 2005, who add them to binary pairs), in two situations in
// which Student's interval covers too little. Below FewDiffer differing clusters they gain and lose 1: else the interval
// would be a point when no case differs, and four differing cases of four would be significant, which a coin gives one
// time in eight. If all differences are 0 or one value v, they gain and lose |v|: the mean is then a binomial share,
// for which Student's interval is Wald's. The degrees of freedom stay those of the data.
//
// Undefined cases: below two clusters p is 1 and the interval unknown. If all differences are the same, which for
// rates is the situation above, the interval is that point, and p is 2^(1-G), that of all signs being equal, or 1 if
// they are 0. Such an interval is no wider for two cases than for a thousand: what rests on it must ask p, too.
func (p Paired) TTest() TTest { return p.test(p.added(p.sums(), p.differences())) }

// test is TTest with what two added clusters gain and lose a case; 0 adds none.
func (p Paired) test(added float64) TTest {
	r := TTest{Method: MethodT, Cases: p.Cases(), Clusters: p.clusters, Differ: p.Differ(), P: 1}
	d := p.differences()
	r.Mean = mean(d)
	if p.clusters < 2 {
		r.Method, r.Note = MethodUndefined, "an interval needs at least two independent cases"
		return r
	}
	if p.clusters < r.Cases {
		r.Method = MethodCluster
	}
	sums := p.sums()
	clusters := make([]weighted, 0, len(sums)+2)
	for _, s := range sums {
		clusters = append(clusters, weighted{float64(s.size), s.total})
	}
	variance, df := cr2(clusters)
	if whole := math.Round(df); math.Abs(df-whole) < 1e-9*df {
		df = whole
	}
	centre := r.Mean
	if added > 0 {
		r.Method = MethodAdded
		r.Note = "few cases differ, or all in the same way: one gained and one lost case are added, so that the interval is not too narrow"
		size := float64(r.Cases) / float64(p.clusters)
		variance, _ = cr2(append(clusters, weighted{size, size * added}, weighted{size, -size * added}))
		centre = r.Mean * float64(p.clusters) / float64(p.clusters+2)
	}
	r.SE, r.DF = math.Sqrt(variance), df
	if r.SE <= 1e-12*math.Abs(r.Mean) || r.SE == 0 {
		r.Method, r.SE = MethodExact, 0
		r.Note = "all differences are equal, so their spread says nothing"
		r.Interval = Interval{r.Mean, r.Mean, true}
		if r.Mean != 0 {
			r.P = signs(p.clusters)
		}
		return r
	}
	r.T, r.rate = centre/r.SE, p.Rate
	r.P = min(1, 2*distuv.StudentsT{Sigma: 1, Nu: r.DF}.CDF(-math.Abs(r.T)))
	r.Interval = r.at(Alpha)
	return r
}

// at is the interval with another chance of an error than Alpha; what is no t interval stays as it is.
func (t TTest) at(alpha float64) Interval {
	if !t.Interval.Known && t.SE == 0 || t.point() {
		return t.Interval
	}
	centre, half := t.T*t.SE, t.SE*distuv.StudentsT{Sigma: 1, Nu: t.DF}.Quantile(1-alpha/2)
	i := Interval{centre - half, centre + half, true}
	if t.rate {
		i.Low, i.High = max(-1, i.Low), min(1, i.High)
	}
	return i
}

// point reports whether the interval is a point for want of any spread, so that only p says how sure it is.
func (t TTest) point() bool { return t.Method == MethodExact }

// signs is the chance, two-sided, that all of so many clusters lie on one side of what they vary around: 2^(1-G).
func signs(clusters int) float64 { return math.Exp2(1 - float64(clusters)) }

// added is what the two added clusters gain and lose a case; 0 if none are added.
func (p Paired) added(sums []sum, d []float64) float64 {
	if !p.Rate {
		return 0
	}
	differ := 0
	for _, s := range sums {
		if s.total != 0 {
			differ++
		}
	}
	if differ < FewDiffer {
		return 1
	}
	v := 0.
	for _, x := range d {
		switch {
		case math.Abs(x) < 1e-12:
		case v == 0:
			v = x
		case math.Abs(x-v) > 1e-12:
			return 0
		}
	}
	return math.Abs(v)
}

// weighted is a cluster for cr2: its size and the sum of its differences.
type weighted struct{ size, total float64 }

// cr2 gives the variance of the mean over all cases and its degrees of freedom. For a mean, the general form
// (Pustejovsky and Tipton, equations 4 to 11, identity as working model) comes down to, with N = Σn, a = 1/(1-n/N) and
// total T of a cluster of size n,
//
//	V  = Σ a (T - n·mean)² / N²
//	df = (1/N)² / (Σ n²/N⁴ + Σ_{g≠h} a_g a_h n_g² n_h² / N⁶)
//
// which for n = 1 are s²/N and N-1.
func cr2(clusters []weighted) (variance, df float64) {
	total, size := 0., 0.
	for _, c := range clusters {
		total, size = total+c.total, size+c.size
	}
	mean := total / size
	var own, cross, cross2 float64
	for _, c := range clusters {
		w := c.size / size
		a := 1 / (1 - w)
		e := (c.total - c.size*mean) / size
		variance += a * e * e
		own += w * w
		cross += a * w * w
		cross2 += a * a * w * w * w * w
	}
	return variance, 1 / (own + cross*cross - cross2)
}
