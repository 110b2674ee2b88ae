package retrieve

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// past are saved workflows that differ in small words and forms of words more than in things.
var past = []Candidate{
	{Name: "card-arrival", Description: "Card arrival.", Examples: []string{"when will my card get here", "how long until my card comes", "has my new card been sent"}},
	{Name: "card-activation", Description: "Activate a card.", Examples: []string{"how do I activate my card", "I want to switch my card on", "make my new card active"}},
	{Name: "card-lost", Description: "Lost card.", Examples: []string{"I can't find my card", "my card is gone", "somebody took my card"}},
	{Name: "exchange-rate", Description: "Exchange rate.", Examples: []string{"what is the euro worth", "how many dollars for a pound", "rate of the yen"}},
}

func discover(t *testing.T, candidates []Candidate, request string, most int) []Ranked {
	t.Helper()
	x, err := NewDiscovery(t.Context(), candidates)
	if err != nil {
		t.Fatal(err)
	}
	ranked, err := x.First(t.Context(), request, most)
	if err != nil {
		t.Fatal(err)
	}
	return ranked
}

// TestDiscovery: small words, pairs and misspelt words tell workflows apart that share the words for things.
func TestDiscovery(t *testing.T) {
	for request, want := range map[string]string{
		"when will it get here":               "card-arrival",
		"how do I actvate my crad":            "card-activation",
		"my card can't be found":              "card-lost",
		"how many euros for a dollar":         "exchange-rate",
		"has it been sent yet":                "card-arrival",
		"I want to switch on the card I have": "card-activation",
	} {
		if got := discover(t, past, request, 1); got[0].Name != want || got[0].Confidence < 0.3 {
			t.Errorf("%q: %+v, want %s", request, got[0], want)
		}
	}
	if got := discover(t, past, "bake bread at noon", 1); got[0].Confidence > 0.1 {
		t.Errorf("what is like nothing: %+v", got[0])
	}
	if got := discover(t, past, "", 0); got[0].Confidence != 0 || len(got) != len(past) {
		t.Errorf("an empty request: %+v", got)
	}
}

// TestFirst: the first of a ranking are the same whether all are asked for or few, also where many are alike.
func TestFirst(t *testing.T) {
	var many []Candidate
	for n := range 3000 {
		many = append(many, Candidate{Name: fmt.Sprintf("wf-%d", n), Description: fmt.Sprintf("report %d of the week %d", n%7, n%31), Examples: []string{fmt.Sprintf("make report %d", n%5)}})
	}
	x, err := NewDiscovery(t.Context(), many)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"make report 3", "the week 17", "nothing like it", "report"} {
		all, _ := x.Rank(t.Context(), request)
		for _, most := range []int{1, 10, 100} {
			some, _ := x.First(t.Context(), request, most)
			if fmt.Sprint(some) != fmt.Sprint(all[:most]) {
				t.Errorf("%q, %d: %+v, want %+v", request, most, some, all[:most])
			}
		}
		if !slices.IsSortedFunc(all, func(a, b Ranked) int { return int(1e6 * (b.Score - a.Score)) }) {
			t.Errorf("%q: not in order", request)
		}
	}
}

// TestApart: what many of the first have tells nothing, what one of them has tells most.
func TestApart(t *testing.T) {
	var cards []Candidate
	for _, what := range []string{"lost", "late", "blocked", "broken"} {
		cards = append(cards, Candidate{Name: "card-" + what, Description: "Card " + what + ".",
			Examples: []string{"my new bank card is " + what, "is the card of my bank " + what, "the " + what + " card of mine"}})
	}
	x, err := NewDiscovery(t.Context(), cards)
	if err != nil {
		t.Fatal(err)
	}
	all := []int{0, 1, 2, 3}
	for request, want := range map[string][2]int{"my new bank card is late": {1, 80}, "late": {1, 10}, "my new bank card is here": {-1, 40}, "": {-1, 1}} {
		for k, got := range x.like.apart(request, all) {
			if k == want[0] != (100*got > float64(want[1])) {
				t.Errorf("%q is %.2f like %s", request, got, cards[k].Name)
			}
		}
	}
}

// TestSolve holds the solver to its equations.
func TestSolve(t *testing.T) {
	full := [][]float64{{4, 2, 1}, {2, 5, 3}, {1, 3, 6}}
	m, b := [][]float64{{4}, {2, 5}, {1, 3, 6}}, []float64{1, -2, 3}
	solve(m, b)
	for i, want := range []float64{1, -2, 3} {
		got := 0.0
		for j := range b {
			got += full[i][j] * b[j]
		}
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
}
