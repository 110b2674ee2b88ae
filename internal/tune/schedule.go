package tune

import "math/bits"

// Rung is a round of the search: so many candidates, beside the flow as it is, plan so many cases more.
type Rung struct {
	Candidates int `json:"candidates"`
	Cases      int `json:"cases"`
}

// Schedule is the search as it is planned before it begins.
type Schedule struct {
	Candidates int    // that begin, beside the flow as it is
	Rungs      []Rung // each has at most half of the candidates of the one before
	Plans      int    // at most; a candidate that does the same as another is not planned
}

// fewest is how many cases a candidate is to see before it may go: less tells hardly anything.
const fewest = 8

// mostCandidates is how many candidates may begin: each is a compiled flow and a variant of an experiment, and all are held at once.
const mostCandidates = 1000

// Halving plans the search: of a number of candidates beside the flow as it is, on a number of cases, repeats of each, within a
// budget of plans. As many candidates begin, mostCandidates at most, as see at least fewest cases each. Each rung has an equal share of the budget. Where
// the budget is enough, all candidates plan all cases at once. Rungs are empty where the budget is not enough for one
// candidate on fewest cases.
func Halving(candidates, cases, repeats, budget int) Schedule {
	if candidates < 1 || cases < 1 {
		return Schedule{}
	}
	candidates = min(candidates, mostCandidates)
	if whole, ok := product(candidates+1, cases, repeats); ok && whole <= budget {
		return Schedule{candidates, []Rung{{candidates, cases}}, whole}
	}
	least := min(fewest, cases)
	affordable := func(n int) bool {
		cost, ok := product(n+1, rounds(n), least*repeats)
		return ok && cost <= budget
	}
	if !affordable(1) {
		return Schedule{}
	}
	low, high := 1, min(candidates, budget)+1 // low can be paid, high cannot, or is too many
	if affordable(high - 1) {
		low = high - 1
	}
	for low+1 < high {
		if mid := (low + high) / 2; affordable(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	s := Schedule{Candidates: low}
	seen, all := 0, rounds(low)
	for n := low; seen < cases; n = (n + 1) / 2 {
		more := min(budget/(all*(n+1)*repeats), cases-seen)
		s.Rungs = append(s.Rungs, Rung{n, more})
		s.Plans += (n + 1) * more * repeats
		seen += more
		if n <= 2 {
			break
		}
	}
	return s
}

// LeastPlans is the smallest budget that searches anything.
func LeastPlans(cases, repeats int) int { return 2 * min(fewest, cases) * repeats }

// rounds is how many rungs it takes until one candidate is left.
func rounds(n int) int { return max(1, bits.Len(uint(n-1))) }

func product(factors ...int) (int, bool) {
	out := uint64(1)
	for _, f := range factors {
		high, low := bits.Mul64(out, uint64(f))
		if high > 0 || low > 1<<62 {
			return 0, false
		}
		out = low
	}
	return int(out), true
}
