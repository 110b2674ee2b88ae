package experiment

import "testing"

func TestLessOrMore(t *testing.T) {
	for _, c := range []struct {
		ratio, low, high float64
		change, within   string
	}{
		{.69, .62, .76, "31% less", "24 to 38% less"},
		{1.1, 1.02, 1.2, "10% more", "2 to 20% more"},
		{1.03, .95, 1.12, "3% more", "5% less to 12% more"},
		{1, 1, 1, "the same", "the same"},
		{1.011, 1.011, 1.011, "1% more", "1% more"},
		{2.5, 1.8, 3.2, "2.5 times", "80% more to 3.2 times"},
		{0, 0, .1, "100% less", "90 to 100% less"},
	} {
		if got := lessOrMore(c.ratio); got != c.change {
			t.Errorf("%v: %q, want %q", c.ratio, got, c.change)
		}
		if got := fromTo(c.low, c.high); got != c.within {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.within)
		}
	}
}
