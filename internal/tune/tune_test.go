package tune

import (
	"fmt"
	"reflect"
	"testing"

	"pflow/internal/experiment"
)

// TestHalving: the budget is never passed, no rung sees cases that there are not, all candidates plan all cases where that can be
// paid, and each rung has at most half of the one before.
func TestHalving(t *testing.T) {
	for _, candidates := range []int{1, 2, 3, 5, 17, 974, 1 << 40} {
		for _, cases := range []int{1, 7, 8, 43, 500} {
			for _, repeats := range []int{1, 3} {
				for _, budget := range []int{0, 15, 16, 60, 200, 2000, 100_000} {
					at := fmt.Sprint(candidates, " candidates, ", cases, " cases, ", repeats, " repeats, ", budget, " plans")
					s := Halving(candidates, cases, repeats, budget)
					if can := budget >= LeastPlans(cases, repeats); can != (len(s.Rungs) > 0) {
						t.Fatalf("%s: %+v", at, s)
					}
					plans, seen := 0, 0
					for i, r := range s.Rungs {
						plans += (r.Candidates + 1) * r.Cases * repeats
						seen += r.Cases
						if r.Cases < 1 || i > 0 && r.Candidates != (s.Rungs[i-1].Candidates+1)/2 || i == 0 && r.Cases < min(8, cases) {
							t.Fatalf("%s: %+v", at, s)
						}
					}
					if plans != s.Plans || plans > budget || seen > cases || len(s.Rungs) > 0 && s.Rungs[0].Candidates > min(candidates, mostCandidates) {
						t.Fatalf("%s: %d plans of %d cases: %+v", at, plans, seen, s)
					}
					if candidates < 1000 && (candidates+1)*cases*repeats <= budget && (len(s.Rungs) != 1 || seen != cases || s.Candidates != candidates) {
						t.Fatalf("%s: not all is planned: %+v", at, s)
					}
				}
			}
		}
	}
}

// TestSplitCases: groups never part, the seed changes the order of the search and nothing else, a larger share holds out the same
// cases and more, and the share is about kept.
func TestSplitCases(t *testing.T) {
	var cases []experiment.Case
	for i := range 2000 {
		c := experiment.Case{ID: fmt.Sprint("c", i)}
		if i%3 > 0 {
			c.Group = fmt.Sprint("g", i/3)
		}
		cases = append(cases, c)
	}
	part := func(share float64, seed uint64) map[string]bool {
		s := SplitCases(cases, share, seed)
		out := map[string]bool{}
		for _, c := range s.HeldOut {
			out[c.ID] = true
		}
		groups := map[string]bool{}
		for _, c := range s.HeldOut {
			groups[c.Group] = c.Group != ""
		}
		for _, c := range s.Search {
			if groups[c.Group] || out[c.ID] {
				t.Fatalf("the group %q of %s stands on both sides", c.Group, c.ID)
			}
		}
		if n := float64(len(s.HeldOut)) / 2000; len(s.Search)+len(s.HeldOut) != 2000 || n < share-.05 || n > share+.05 {
			t.Errorf("%d held out, for a share of %v", len(s.HeldOut), share)
		}
		return out
	}
	half := part(.5, 1)
	if !reflect.DeepEqual(half, part(.5, 2)) {
		t.Error("the seed decides what is held out")
	}
	more := part(.7, 1)
	for id := range half {
		if !more[id] {
			t.Fatalf("%s is held out with .5 and not with .7", id)
		}
	}
	a, b := SplitCases(cases, .5, 1).Search, SplitCases(cases, .5, 2).Search
	if reflect.DeepEqual(a, b) || !reflect.DeepEqual(a, SplitCases(cases, .5, 1).Search) {
		t.Error("the order of the search does not follow the seed")
	}
}

// TestDraw: candidates are drawn each once, never the flow as it is, all of them where there are few, and the same by the same seed.
func TestDraw(t *testing.T) {
	values := func(n int) (out []Value) {
		for i := range n {
			out = append(out, Value{Label: fmt.Sprint(i)})
		}
		return out
	}
	s := Space{{"a", values(3), 1}, {"b", values(20), 0}, {"c", values(7), 6}}
	if s.Size() != 420 || s.Label(s.Baseline()) != "as it is" {
		t.Fatal(s.Size(), s.Label(s.Baseline()))
	}
	for _, n := range []int{1, 50, 418, 419, 1000} {
		got := s.Draw(n, 3)
		seen := map[string]bool{}
		for _, c := range got {
			if l := s.Label(c); seen[l] || l == "as it is" {
				t.Fatalf("%d: %s twice, or the flow as it is", n, l)
			}
			seen[s.Label(c)] = true
		}
		if len(got) != min(n, 419) || !reflect.DeepEqual(got, s.Draw(n, 3)) {
			t.Errorf("%d: %d candidates", n, len(got))
		}
	}
	if reflect.DeepEqual(s.Draw(50, 3), s.Draw(50, 4)) {
		t.Error("the seed changes nothing")
	}
}
