package stats

import (
	"math"
	"testing"
)

// near fails unless got is within the given distance of want.
func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.9g, want %.9g within %g", what, got, want, within)
	}
}

// pairs makes one case of every pair of values.
func pairs(t *testing.T, rate bool, a, b []float64, groups ...string) Paired {
	t.Helper()
	cases := make([]Case, len(a))
	for i := range a {
		cases[i] = Case{A: a[i : i+1], B: b[i : i+1]}
		if groups != nil {
			cases[i].Group = groups[i]
		}
	}
	p, err := Pair(cases, rate)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// differences pairs them with 0.
func differences(t *testing.T, d []float64, groups ...string) Paired {
	return pairs(t, false, make([]float64, len(d)), d, groups...)
}

var (
	// Student, Biometrika 6, 1908: hours of sleep gained with two drugs; R's data set sleep.
	sleep1 = []float64{.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2}
	sleep2 = []float64{1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	// Darwin's maize, crossed minus self-fertilised, eighths of an inch (Fisher, The Design of Experiments, 1935).
	darwin = []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
)

// R: t.test(extra[1:10], extra[11:20], paired = TRUE), with the sign turned.
func TestPairedT(t *testing.T) {
	got := pairs(t, false, sleep1, sleep2).TTest()
	if got.Method != MethodT || got.Cases != 10 || got.Differ != 9 {
		t.Errorf("%+v", got)
	}
	near(t, "t", got.T, 4.0621, .00005)
	near(t, "df", got.DF, 9, 1e-9)
	near(t, "p", got.P, .002833, 5e-7)
	near(t, "mean", got.Mean, 1.58, 1e-12)
	near(t, "low", got.Interval.Low, .7001142, 5e-8)
	near(t, "high", got.Interval.High, 2.4598858, 5e-8)
}

// Fisher's section 17: t = 2.148 with 14 degrees of freedom.
func TestPairedTDarwin(t *testing.T) {
	got := differences(t, darwin).TTest()
	near(t, "t", got.T, 2.148, .0005)
	near(t, "df", got.DF, 14, 1e-9)
}

// Computed from the matrices of Bell and McCaffrey's definition (hat matrix, its inverse square root, p_g'p_h).
func TestClusterRobust(t *testing.T) {
	got := differences(t, []float64{1, 0, 2, 3, 2, 5, 1, 1, 0, 4}, "a", "a", "a", "b", "c", "c", "d", "d", "d", "d").TTest()
	if got.Method != MethodCluster || got.Clusters != 4 {
		t.Errorf("%+v", got)
	}
	near(t, "mean", got.Mean, 1.9, 1e-12)
	near(t, "variance", got.SE*got.SE, .28825396825396826, 1e-12)
	near(t, "df", got.DF, 2.392405063291139, 1e-9)
}

// Equal clusters are a t-test on their means.
func TestClustersOfOneSize(t *testing.T) {
	grouped := differences(t, []float64{1, 3, 2, 6, -1, 0}, "a", "a", "b", "b", "c", "c").TTest()
	means := differences(t, []float64{2, 4, -.5}).TTest()
	near(t, "p", grouped.P, means.P, 1e-12)
	near(t, "df", grouped.DF, 2, 1e-9)
	near(t, "low", grouped.Interval.Low, means.Interval.Low, 1e-9)
}

// Fisher's section 21: 863 of 32,768 arrangements are as far out on one side.
func TestSignFlipExact(t *testing.T) {
	got := differences(t, darwin).SignFlip(1, 0)
	if !got.Exact || got.Resamples != 32768 {
		t.Errorf("%+v", got)
	}
	near(t, "Darwin", got.P, 2*863./32768, 1e-12)
	near(t, "sleep, all 1024 by hand", pairs(t, false, sleep1, sleep2).SignFlip(1, 0).P, 4./1024, 1e-12)
	near(t, "two clusters", differences(t, []float64{1, 2, 3, 1}, "a", "a", "b", "b").SignFlip(1, 0).P, .5, 1e-12)
	if p := differences(t, []float64{0, 0, 0}).SignFlip(1, 0).P; p != 1 {
		t.Errorf("nothing differs, p is %v", p)
	}
}

// Twenty differences of 1, sixteen of them up: the binomial test's p is 0.01182 (twice 6196/2^20).
func TestSignFlipDrawn(t *testing.T) {
	d := make([]float64, 20)
	for i := range d {
		d[i] = 1
		if i >= 16 {
			d[i] = -1
		}
	}
	p := differences(t, d)
	got := p.SignFlip(7, 99999)
	if got.Exact || got != p.SignFlip(7, 99999) {
		t.Errorf("%+v", got)
	}
	near(t, "p", got.P, 2*6196./(1<<20), .0014) // four standard errors
	for i := range d {
		d[i] = 1
	}
	if p := differences(t, d).SignFlip(7, 999).P; p < 1./1000 {
		t.Errorf("a drawn p is never below 1/(m+1), and is %v", p)
	}
}

// Agresti, Categorical Data Analysis, table 10.1: 150 and 86 changed their mind; the first by the sum of the binomial
// tail in whole numbers. The second is of the vignette of R's exact2x2: 9 and 2.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		fixed, broken int
		p             float64
	}{{150, 86, 3.715936139571442e-05}, {86, 150, 3.715936139571442e-05}, {9, 2, .0654296875}, {3, 3, 1}, {0, 0, 1}, {5, 0, .0625}} {
		a, b := []float64{1, 0}, []float64{1, 0}
		for range c.fixed {
			a, b = append(a, 0), append(b, 1)
		}
		for range c.broken {
			a, b = append(a, 1), append(b, 0)
		}
		got, err := pairs(t, true, a, b).McNemar()
		if err != nil || got.Fixed != c.fixed || got.Broken != c.broken {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		near(t, "p", got.P, c.p, 1e-9*c.p)
	}
}

// R: p.adjust(c(.01, .04, .03, .005), "holm"), and Holm's rule by hand.
func TestHolm(t *testing.T) {
	want := []float64{.03, .06, .06, .02}
	for i, got := range Holm([]float64{.01, .04, .03, .005}) {
		near(t, "adjusted", got, want[i], 1e-12)
	}
	if got := Holm([]float64{.04}); got[0] != .04 {
		t.Error("one comparison is not adjusted:", got)
	}
	if got := Holm([]float64{.9, .8}); got[0] != 1 || got[1] != 1 {
		t.Error(got)
	}
}

// R's help of power.t.test: n = 20 a group, delta 1, sd 1 has power .8689528. Two groups of 20 have 38 degrees of freedom
// and a mean of sqrt(10) standard errors.
func TestPower(t *testing.T) {
	near(t, "power", tPower(math.Sqrt(10), 38), .8689528, 1e-6)
	for _, df := range []float64{1, 2, 5, 20, 400, 1000, 1001, 5000} {
		near(t, "chance under no difference", tPower(0, df), Alpha/2, 3e-4)
	}
}

func TestPassK(t *testing.T) {
	for _, c := range []struct {
		c, n, k int
		want    float64
	}{{3, 5, 2, .3}, {5, 5, 5, 1}, {4, 5, 5, 0}, {1, 3, 2, 0}, {2, 3, 1, 2. / 3}} {
		got, err := PassK(c.c, c.n, c.k)
		if err != nil {
			t.Error(err)
		}
		near(t, "pass^k", got, c.want, 1e-12)
	}
	for _, bad := range [][3]int{{1, 2, 3}, {1, 2, 0}, {3, 2, 1}, {-1, 2, 1}} {
		if _, err := PassK(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
