package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The ranks are those of the definition: the least value that so many of 100 are at or below.
func TestNearestRank(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	for _, c := range []struct {
		values  []float64
		percent int
		want    float64
	}{
		{nil, 95, 0}, {[]float64{7}, 50, 7}, {[]float64{7}, 99, 7}, {hundred, 50, 50}, {hundred, 95, 95}, {hundred, 99, 99},
		{[]float64{1, 2}, 50, 1}, {[]float64{1, 2}, 95, 2}, {[]float64{15, 20, 35, 40, 50}, 30, 20}, {hundred[:20], 95, 19}, {hundred[:19], 95, 19},
	} {
		if got := NearestRank(c.values, c.percent); got != c.want {
			t.Errorf("p%d of %v: %v, want %v", c.percent, c.values, got, c.want)
		}
	}
}

// The interval is that of the tables: Clopper and Pearson's 95% limits of 0, 1, 5 in 10 and 10 in 100 (R: binom.test).
func TestShareInterval(t *testing.T) {
	for _, c := range []struct{ x, n, low, high float64 }{
		{0, 10, 0, .3085}, {1, 10, .0025, .4450}, {5, 10, .1871, .8129}, {10, 10, .6915, 1}, {10, 100, .0490, .1762}, {0, 72, 0, .0499},
	} {
		i := shareInterval(c.x, c.n)
		if math.Abs(i.Low-c.low) > 5e-5 || math.Abs(i.High-c.high) > 5e-5 {
			t.Errorf("%v of %v: %.4f to %.4f, want %v to %v", c.x, c.n, i.Low, i.High, c.low, c.high)
		}
	}
}

func took(slow, fast, repeats int, group string) (out []Case) {
	for i := range slow + fast {
		c := Case{ID: fmt.Sprint(i), Group: group}
		for range repeats {
			v := 1.
			if i < slow {
				v = 3
			}
			c.B = append(c.B, v)
		}
		out = append(out, c)
	}
	return out
}

func TestTargetCheck(t *testing.T) {
	target := Target{Metric: "p95 of find", Percent: 95, Within: 2, Unit: "s"}
	for _, c := range []struct {
		name   string
		cases  []Case
		state  State
		needed int
		why    string
	}{
		{"none", nil, Unclear, 0, "was never measured"},
		{"72 without one beyond are enough", took(0, 72, 1, ""), Kept, 0, "p95 of find is 1 s, limit 2 s: 0% of 72 independent cases beyond it"},
		{"71 are not", took(0, 71, 1, ""), Unclear, 72, "too few to say"},
		{"repeats do not make cases", took(0, 20, 50, ""), Unclear, 72, "of 20 independent cases"},
		{"nor do the cases of a group", took(0, 200, 1, "g"), Unclear, 72, "of 1 independent cases"},
		{"half of them", took(10, 10, 1, ""), Broken, 0, "p95 of find is 3 s, limit 2 s: 50% of 20"},
		{"a limit is no excess", []Case{{B: []float64{2}}}, Unclear, 72, "0% of 1"},
	} {
		got := target.Check(c.cases)
		if got.State != c.state || got.Needed != c.needed || !strings.Contains(got.Reason, c.why) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if d := Decide(Paired{}.TTest(), Rule{Guards: []Checked{target.Check(took(10, 10, 1, ""))}}); d.Verdict != Reject || !strings.HasPrefix(d.Reason, "guardrail broken: p95 of find") {
		t.Errorf("%+v", d)
	}
}

// A percentile that is exactly at its limit is wrongly called broken, or kept, in at most 2.5% of experiments each.
func TestTargetErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	target := Target{Percent: 95, Within: 2}
	const rounds = 4000
	for _, cases := range []int{80, 200} {
		wrong := map[State]int{}
		for range rounds {
			slow := 0
			for range cases {
				if rng.Float64() < .05 {
					slow++
				}
			}
			wrong[target.Check(took(slow, cases-slow, 1, "")).State]++
		}
		for _, s := range []State{Kept, Broken} {
			if share := float64(wrong[s]) / rounds; share > .025+3*math.Sqrt(.025*.975/rounds) {
				t.Errorf("%d cases: %s in %.4f", cases, s, share)
			}
		}
	}
}
