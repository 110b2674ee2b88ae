package stats

import (
	"math"
	"testing"
)

// Known values: power.t.test of R. Its examples are n=20, delta=1: power 0.8689528, and power=.90, delta=1: n=22.02110, both
// of two samples (df 2(n-1), mean delta·sqrt(n/2)); paired with delta .5: n=33.36713 for .8.
func TestPowerOfR(t *testing.T) {
	near(t, "power", tPower(math.Sqrt(10), 38), .8689528, 1e-6)
	near(t, "power .9", noncentrality(2*21.02110, .9), math.Sqrt(22.02110/2), 1e-4)
	near(t, "paired", noncentrality(32.36713, .8), .5*math.Sqrt(33.36713), 1e-4)
	ones := TTest{Cases: 10, Clusters: 10, SE: 1 / math.Sqrt(10), DF: 9}
	if n, ok := ones.CasesToDecide(.5, .8); !ok || n != 34 {
		t.Errorf("%d cases", n)
	}
	if n, ok := ones.CasesToDecide(.5, .95); !ok || n != 54 {
		t.Errorf("%d cases for 95%%", n)
	}
}

// The difference that is detectable needs just the cases there are; clusters count by their design effect.
func TestDiscordant(t *testing.T) {
	sizes := func(n, size int) (out []int) {
		for range n {
			out = append(out, size)
		}
		return out
	}
	alone := Discordant{Sizes: sizes(100, 1), Share: .2}
	for _, power := range []float64{.8, .95} {
		d, ok := alone.Detectable(power)
		test, _ := alone.Test(d)
		if n, ok2 := test.CasesToDecide(d, power); !ok || !ok2 || n < 100 || n > 101 {
			t.Errorf("%v with %v takes %d cases", d, power, n)
		}
		near(t, "by its own error", test.SE*noncentrality(99, power), d, 1e-9)
	}
	// By hand, with normal quantiles: (1.96 + .8416)²·(.2 - .01)/.01 = 149.1; Student's asks for about two more.
	test, _ := alone.Test(.1)
	if n, ok := test.CasesToDecide(.1, .8); !ok || n < 150 || n > 152 {
		t.Errorf("10 points of 20%% take %d cases", n)
	}
	// Groups of four that change together are one case each.
	grouped := Discordant{Sizes: sizes(100, 4), Share: .2}
	a, _ := alone.Detectable(.8)
	b, _ := grouped.Detectable(.8)
	near(t, "groups of four", b, a, 1e-9)
	if _, ok := (Discordant{Sizes: sizes(20, 1), Share: .1}).Detectable(.8); ok {
		t.Error("two of 20 cases show nothing")
	}
	if _, ok := alone.Test(.3); ok {
		t.Error("30 points take more than a fifth of the cases")
	}
	if _, ok := (Discordant{Sizes: []int{5}, Share: .5}).Detectable(.8); ok {
		t.Error("one cluster")
	}
}
