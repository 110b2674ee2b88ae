package mapparams

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/retrieve"
	"pflow/internal/value"
)

// What a candidate's place tells, measured on development cases of the map-params set (Seal-Tools and BFCL).
const (
	isLabel     = 4.0  // it is given to the input's name, as in b=-3
	insideName  = 1.2  // a name that ends with a word of the input's name
	isExample   = 3.0  // the input's description gives it as an example
	inClause    = 1.2  // it stands in the clause that speaks of the input's step
	outOfClause = -0.8 // it stands in another
	outOfOrder  = 0.3  // less for the input declared first and the candidate that stands last, or the other way round

	nameBeside  = 2.6 // a word of the input's name stands beside it
	wordBeside  = 1.1 // a word of the input's description does
	behind      = 0.9 // the share of that for a word behind it
	fade        = 0.6 // how fast that fades from word to word before it
	fadeBehind  = 1.5 // and behind it
	beyondComma = 0.5 // the share of all that for a word beyond a comma
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
	if c.label != "" {
		own, others := m.labelled(in, c.label)
		switch {
		case own:
			s += isLabel
		case others:
			return impossible
		}
	}
	s += m.cues(in, c) + m.inside(in, c) + m.unitScore(in, c) + compassScore(in, m.behind(c))
	if m.namesItself(in, c) {
		s -= certain
	} else if _, cut := m.trimmed(in, c); cut {
		s += wordBeside
	}
	if m.countsSeries(in, c) {
		return impossible
	}
	if c.class != classExample && in.examples[strings.ToLower(c.text)] {
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
	if n := len(m.inputs); n > 1 && len(m.candidates) > 1 && in.Order > 0 {
		s -= outOfOrder * math.Abs(float64(i)/float64(n-1)-float64(ci)/float64(len(m.candidates)-1))
	}
	return s
}

// labelled reports whether a label is the name of an input, or that of another one.
func (m *mapper) labelled(in *spec, label string) (own, others bool) {
	stems := retrieve.Stems(label)
	if len(stems) == 0 {
		return strings.EqualFold(label, in.key()), false
	}
	says := func(s *spec) bool {
		return strings.EqualFold(label, s.key()) || !slices.ContainsFunc(stems, func(stem string) bool { return !s.name[stem] })
	}
	if says(in) {
		return true, false
	}
	for i := range m.inputs {
		others = others || says(&m.inputs[i])
	}
	return false, others
}

// namesItself reports whether all words of a candidate are such as say what the input is: they are no value of it.
func (m *mapper) namesItself(in *spec, c *candidate) bool {
	if c.class != classPhrase && c.class != className || c.last < c.first {
		return false
	}
	says := false // small words alone name nothing: A is a file
	for _, w := range m.Words[c.first : c.last+1] {
		_, sort := wantWords[w.Text]
		switch {
		case in.text[w.Stem], in.name[w.Stem], sort && in.wants == wantsCode, w.Text == "id":
			says = true
		case !w.Stop:
			return false
		}
	}
	return says
}

// trimmed takes the words behind a phrase off that say what the input is of: a rock concert for the genre of a concert.
func (m *mapper) trimmed(in *spec, c *candidate) (text string, cut bool) {
	if c.class != classPhrase || c.last <= c.first || in.Type != value.String || in.wants != wantsAnything || in.examples[strings.ToLower(c.text)] {
		return c.text, false
	}
	last := c.last
	for last > c.first && in.text[m.Words[last].Stem] {
		last--
	}
	if last == c.last || m.Words[last].Stop || in.text[m.Words[last].Stem] {
		return c.text, false
	}
	return m.Text[c.start:m.Words[last].End], true
}

// countsSeries reports whether a number says how many numbered inputs there are: two numbers, 40 and 50.
func (m *mapper) countsSeries(in *spec, c *candidate) bool {
	if in.series == "" || c.number == nil || c.last+1 >= len(m.Words) {
		return false
	}
	n := 0
	for i := range m.inputs {
		if m.inputs[i].series == in.series {
			n++
		}
	}
	next := m.Words[c.last+1].Stem
	return value.Equal(c.number, n) && (in.name[next] || in.text[next] || strings.HasPrefix(in.series, next))
}

// behind is the text behind a candidate, a few bytes.
func (m *mapper) behind(c *candidate) string { return m.Text[c.end:min(len(m.Text), c.end+12)] }

// compassScore tells a latitude from a longitude by the direction behind it.
func compassScore(in *spec, behind string) float64 {
	d := compassBehind.FindStringSubmatch(behind)
	if d == nil {
		return 0
	}
	north := d[1][0]|0x20 == 'n' || d[1][0]|0x20 == 's'
	switch {
	case in.named("latitude", "lat"):
		return map[bool]float64{true: certain, false: -certain}[north]
	case in.named("longitude", "lon", "lng", "long"):
		return map[bool]float64{true: -certain, false: certain}[north]
	}
	return 0
}

var compassBehind = regexp.MustCompile(`^\s*°?\s*((?i:north|south|east|west)|[NSEW])\b`)

// inside weighs what a name has of the input's name: Foster City is a city, the Premier League a league.
func (m *mapper) inside(in *spec, c *candidate) float64 {
	if c.class != className && c.class != classPhrase || c.last < 0 || c.last == c.first {
		return 0
	}
	w := m.Words[c.last]
	if !in.name[w.Stem] {
		return 0
	}
	return insideName / math.Sqrt(float64(m.share[w.Stem]))
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
	comma := 1.0
	for k := c.first - 1; k >= max(0, c.first-farthestCue) && d < cuesBefore; k-- {
		w := m.Words[k]
		if m.sentenceEnds(w.End, next) && w.End-w.Start > 2 {
			break
		}
		next0 := next
		next = w.Start
		if w.Text == "and" || w.Text == "or" {
			break // what stands before belongs to another value
		}
		if m.partEnds(w.End, next0) {
			comma *= beyondComma
		}
		if w.Stop {
			continue
		}
		if !seen[w.Stem] {
			seen[w.Stem] = true
			s += comma * weight(w.Stem) / (1 + fade*float64(d))
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
