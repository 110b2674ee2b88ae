package mapparams

import (
	"math"
	"strings"
)

// What a candidate's place tells, measured on development cases of the map-params set (Seal-Tools and BFCL).
const (
	isExample   = 3.0  // the input's description gives it as an example
	inClause    = 1.2  // it stands in the clause that speaks of the input's step
	outOfClause = -0.8 // it stands in another
	outOfOrder  = 0.3  // less for the input declared first and the candidate that stands last, or the other way round

	nameBeside  = 2.6 // a word of the input's name stands beside it
	wordBeside  = 1.1 // a word of the input's description does
	behind      = 0.9 // the share of that for a word behind it
	fade        = 0.6 // how fast that fades from word to word before it
	fadeBehind  = 1.5 // and behind it
	mostCues    = 5.0 // for all of them
	cuesBefore  = 4   // words looked at, small ones aside
	cuesBehind  = 2   // the same behind it, small ones included
	farthestCue = 12  // words looked at in all before it
)

// score weighs a candidate for an input.
func (m *mapper) score(i, ci int) float64 {
	in, c := &m.inputs[i], &m.candidates[ci]
	s := classScore(in, c)
	if math.IsInf(s, -1) {
		return s
	}
	s += m.cues(in, c)
	if in.examples[strings.ToLower(c.text)] {
		s += isExample
	}
	s += roleScore(in.role, in.wants, c.preposition)
	if in.clause >= 0 {
		if k := m.clauses[in.clause]; c.start >= k[0] && c.start < k[1] {
			s += inClause
		} else {
			s += outOfClause
		}
	}
	// What stands first belongs to what is declared first, all else being equal.
	if n := len(m.inputs); n > 1 && len(m.candidates) > 1 {
		s -= outOfOrder * math.Abs(float64(i)/float64(n-1)-float64(ci)/float64(len(m.candidates)-1))
	}
	return s
}

// cues weighs the words beside a candidate that the input has: those before it count by nearness, that behind it most
// where it is the very next one.
func (m *mapper) cues(in *spec, c *candidate) float64 {
	weight := func(stem string) float64 {
		switch {
		case in.name[stem]:
			return nameBeside / math.Sqrt(float64(m.share[stem]))
		case in.text[stem]:
			return wordBeside / float64(m.share[stem])
		}
		return 0
	}
	s := 0.0
	seen := map[string]bool{}
	d, next := 0, c.start // next is where what stands behind the word begins
	for k := c.first - 1; k >= max(0, c.first-farthestCue) && d < cuesBefore; k-- {
		w := m.Words[k]
		if m.sentenceEnds(w.End, next) && w.End-w.Start > 2 {
			break
		}
		next = w.Start
		if w.Text == "and" || w.Text == "or" {
			break // what stands before belongs to another value
		}
		if w.Stop {
			continue
		}
		if !seen[w.Stem] {
			seen[w.Stem] = true
			s += weight(w.Stem) / (1 + fade*float64(d))
		}
		d++
	}
	d = 0
	before := c.end // where what stands before the word ends
	for k := c.last + 1; k < len(m.Words) && d < cuesBehind; k++ {
		w := m.Words[k]
		if m.partEnds(before, w.Start) || w.Text == "and" {
			break
		}
		before = w.End
		if w.Stop {
			d++
			continue
		}
		if !seen[w.Stem] {
			seen[w.Stem] = true
			s += behind * weight(w.Stem) / (1 + fadeBehind*float64(d))
		}
		d++
	}
	return min(s, mostCues)
}
