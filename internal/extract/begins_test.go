package extract

import (
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBeginnings: whatever words follow one another, nothing is read where no reading is said to begin.
func TestBeginnings(t *testing.T) {
	words := map[string]bool{}
	for _, w := range strings.Fields(`of on week week's weekend calendar date to through thru and or than ago hence onwards o'clock am pm dozen dozens point percent pct
		% $ . : , / - + # ( ) 's p m st nd rd th hours minutes h s days weeks months years decades km cents hello é 3 12 2015 1.5 1,000 08`) {
		words[w] = true
	}
	add(words, beginnings)
	add(words, scales)
	add(words, shortScales)
	add(words, fractions)
	add(words, timeUnits)
	add(words, dayUnits)
	add(words, currencyWords)
	add(words, dimensions)
	all := slices.Sorted(maps.Keys(words))
	random := rand.New(rand.NewSource(1))
	missed := map[string]string{}
	for range 8_000 {
		var b strings.Builder
		for range 6 {
			b.WriteString(all[random.Intn(len(all))] + []string{" ", " ", ""}[random.Intn(3)])
		}
		now := time.Date(2024, 5, 15, 10, 30, 0, 0, time.UTC)
		p := &reader{text: b.String(), now: now, today: now.Truncate(24 * time.Hour), toks: tokens(b.String(), nil)}
		for i := range p.toks {
			if _, n := p.next(i); n > 0 && !p.begins(i) {
				missed[p.word(i)] = b.String()
			}
		}
	}
	for w, text := range missed {
		t.Errorf("%q begins a reading in %q", w, text)
	}
}
