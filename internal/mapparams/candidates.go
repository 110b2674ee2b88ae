package mapparams

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
)

// class is how a candidate came to be one.
type class int

const (
	classEntity class = iota // what extract finds
	className                // words with capitals
	classCode                // letters and digits mixed
	classPhrase              // other words that nothing explains
	classList                // several of them
)

// candidate is what could be a value.
type candidate struct {
	class       class
	kind        string // of an entity
	text        string
	start, end  int
	first, last int // words
	number      any // its number, nil if it has none
	list        []any
	date        string // ISO
	preposition string // the word before it that joins it to the rest
	medium      string // the sort of data of the file that it names
	file        bool   // it has the form of a file's path
	ending      bool   // it is the ending of files: .go
	glob        bool   // it has the signs of a pattern
}

// is reports whether a candidate is an entity of one of some kinds.
func (c *candidate) is(kinds ...string) bool { return c.kind != "" && slices.Contains(kinds, c.kind) }

// temporal reports whether a candidate says when or how long.
func (c *candidate) temporal() bool {
	return c.is(extract.Date, extract.DateRange, extract.DateTime, extract.Time, extract.Duration)
}

// looks says of a candidate what its form says.
func (c *candidate) looks() {
	c.medium, c.file, c.ending, c.glob = Medium(c.text), fileForm.MatchString(c.text), endingForm.MatchString(c.text), IsPattern(c.text)
}

func (c *candidate) instant() (time.Time, bool) {
	if c.date == "" {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, c.date)
	return t, err == nil
}

// findCandidates lists what could be a value, in the order of the request.
func (m *mapper) findCandidates(about string) {
	known := map[string]bool{}
	for _, s := range retrieve.Stems(about) {
		known[s] = true
	}
	for i := range m.inputs {
		for w := range m.inputs[i].name {
			known[w] = true
		}
	}
	m.candidates = slices.Clone(m.named())
	for _, c := range m.candidates {
		m.cover(c)
	}
	m.names(known)
	m.phrases(known)
	slices.SortStableFunc(m.candidates, func(a, b candidate) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	m.lists()
}

// add places a candidate among the words; one that overlaps an earlier one is left out.
func (m *mapper) add(c candidate) {
	if c.start >= c.end {
		return
	}
	if slices.Contains(m.covered[c.start:c.end], true) {
		return
	}
	m.cover(c)
	m.place(&c)
	c.looks()
	m.candidates = append(m.candidates, c)
}

// cover notes where a candidate stands.
func (m *mapper) cover(c candidate) {
	for k := c.start; k < c.end; k++ {
		m.covered[k] = true
	}
}

// entityCandidates are those that the entities of a request are, whatever is wanted.
func (r *Request) entityCandidates() []candidate {
	out := make([]candidate, 0, len(r.Entities))
	for _, e := range r.Entities {
		for _, c := range candidatesOf(e) {
			if c.start < c.end {
				r.place(&c)
				c.looks()
				out = append(out, c)
			}
		}
	}
	return out
}

// place says where a candidate stands among the words of the request.
func (r *Request) place(c *candidate) {
	// The words that are not before it, and those that are behind it: without words in it, last is the one before first.
	c.first = sort.Search(len(r.Words), func(k int) bool { return r.Words[k].End > c.start })
	c.last = sort.Search(len(r.Words), func(k int) bool { return r.Words[k].Start >= c.end }) - 1
	for k := c.first - 1; k >= max(0, c.first-4); k-- {
		if w := r.Words[k].Text; prepositions[w] {
			c.preposition = w
			break
		} else if !r.Words[k].Stop && k < c.first-2 {
			break
		}
	}
}

// candidatesOf makes a candidate of an entity, or two of a range.
func candidatesOf(e extract.Entity) []candidate {
	c := candidate{class: classEntity, kind: e.Kind, text: e.Text, start: e.Start, end: e.End}
	switch e.Kind {
	case extract.Quoted:
		c.text, _ = e.Value.(string)
		if n, ok := plainNumber(c.text); ok {
			c.number = n
		}
	case extract.Number, extract.Percent, extract.Currency, extract.Dimension, extract.Issue:
		c.number = e.Value
	case extract.Duration:
		if n, ok := plainNumber(firstNumber.FindString(e.Text)); ok {
			c.number = n
		} else if n, ok := plainNumber(strings.Fields(e.Text)[0]); ok {
			c.number = n
		}
	case extract.Date:
		c.date, _ = e.Value.(string)
	case extract.DateRange:
		if n, ok := plainNumber(e.Text); ok {
			c.number = n // a year
		} else if from, ok := e.From.(string); ok {
			c.date = from
			if to, ok := e.To.(string); ok {
				return candidatesOfRange(e, from, to)
			}
		}
	case extract.DateTime:
		if s, ok := e.Value.(string); ok && len(s) >= 10 {
			c.text = s
		}
	case extract.Time:
		if s, ok := e.Value.(string); ok {
			c.text = s[:5]
		}
	}
	return []candidate{c}
}

// candidatesOfRange makes two candidates of a range that names both its ends, else one.
func candidatesOfRange(e extract.Entity, from, to string) []candidate {
	text := e.Text
	at := rangeSplit.FindStringIndex(text)
	end, err := time.Parse(time.DateOnly, to)
	if at == nil || err != nil {
		return []candidate{{class: classEntity, kind: extract.DateRange, text: text, start: e.Start, end: e.End}}
	}
	return []candidate{
		{class: classEntity, kind: extract.Date, text: text[:at[0]], start: e.Start, end: e.Start + at[0], date: from},
		{class: classEntity, kind: extract.Date, text: text[at[1]:], start: e.Start + at[1], end: e.End, date: end.AddDate(0, 0, -1).Format(time.DateOnly)},
	}
}

var rangeSplit = regexp.MustCompile(`\s*(?:\bto\b|\band\b|\buntil\b|\btill\b|\bthrough\b|–|—|~|\s-\s)\s*`)

// longestNumber is how long the text of a number may be: in words it takes fewer bytes.
const longestNumber = 200

var firstNumber = regexp.MustCompile(`\d+(?:\.\d+)?`)

// plainNumber reads a text that is a number and nothing else. It is short: no context need end it.
func plainNumber(text string) (any, bool) {
	if len(text) > longestNumber {
		return nil, false
	}
	found, _ := extract.Entities(context.Background(), text, time.Time{})
	if len(found) == 1 && found[0].Kind == extract.Number && found[0].Start == 0 && found[0].End == len(text) {
		return found[0].Value, true
	}
	if numeral(text) && text != "" && len(text) < 16 {
		n := 0
		for _, d := range text {
			n = n*10 + int(d-'0')
		}
		return n, true
	}
	return nil, false
}
