package mapparams

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
	started     bool   // nothing but a preposition stands before it, so that it is the thing itself
	preposition string // the word before it that joins it to the rest
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
	for _, e := range extract.Entities(m.request, m.now) {
		m.addEntity(e)
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
	for _, o := range m.candidates {
		if c.start < o.end && c.end > o.start {
			return
		}
	}
	m.place(&c)
	m.candidates = append(m.candidates, c)
}

func (m *mapper) place(c *candidate) {
	c.first, c.last = len(m.words), -1
	for k, w := range m.words {
		if w.End > c.start && w.Start < c.end {
			c.first, c.last = min(c.first, k), max(c.last, k)
		}
	}
	if c.last < 0 { // no words in it
		c.first = 0
		for c.first < len(m.words) && m.words[c.first].Start < c.start {
			c.first++
		}
		c.last = c.first - 1
	}
	for k := c.first - 1; k >= max(0, c.first-4); k-- {
		if w := m.words[k].Text; prepositions[w] {
			c.preposition = w
			break
		} else if !m.words[k].Stop && k < c.first-2 {
			break
		}
	}
}

func (m *mapper) addEntity(e extract.Entity) {
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
		} else if found := extract.Entities(strings.Fields(e.Text)[0], m.now); len(found) == 1 && found[0].Kind == extract.Number {
			c.number = found[0].Value
		}
	case extract.Date:
		c.date, _ = e.Value.(string)
	case extract.DateRange:
		if n, ok := plainNumber(e.Text); ok {
			c.number = n // a year
		} else if from, ok := e.From.(string); ok {
			c.date = from
			if to, ok := e.To.(string); ok {
				m.addRange(e, from, to)
				return
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
	m.add(c)
}

// addRange makes two candidates of a range that names both its ends, else one.
func (m *mapper) addRange(e extract.Entity, from, to string) {
	text := e.Text
	at := rangeSplit.FindStringIndex(text)
	end, err := time.Parse(time.DateOnly, to)
	if at == nil || err != nil {
		m.add(candidate{class: classEntity, kind: extract.DateRange, text: text, start: e.Start, end: e.End})
		return
	}
	m.add(candidate{class: classEntity, kind: extract.Date, text: text[:at[0]], start: e.Start, end: e.Start + at[0], date: from})
	m.add(candidate{class: classEntity, kind: extract.Date, text: text[at[1]:], start: e.Start + at[1], end: e.End, date: end.AddDate(0, 0, -1).Format(time.DateOnly)})
}

var rangeSplit = regexp.MustCompile(`\s*(?:\bto\b|\band\b|\buntil\b|\btill\b|\bthrough\b|–|—|~|\s-\s)\s*`)
var firstNumber = regexp.MustCompile(`\d+(?:\.\d+)?`)

func plainNumber(text string) (any, bool) {
	found := extract.Entities(text, time.Time{})
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

// names finds runs of words with capitals, with the small words that join them, and codes.
func (m *mapper) names(known map[string]bool) {
	for k := 0; k < len(m.words); {
		if !m.isName(k, known) {
			k++
			continue
		}
		last := k
		for j := k + 1; j < len(m.words); j++ {
			gap := m.request[m.words[j-1].End:m.words[j].Start]
			if strings.Trim(gap, " ") != "" && gap != "-" && gap != "." && gap != ". " && gap != "'" && gap != "&" && strings.TrimSpace(gap) != "&" && gap != ", " {
				break
			}
			if gap == ". " && m.words[j-1].End-m.words[j-1].Start > 2 {
				break
			}
			if m.isName(j, nil) {
				if gap == ", " && !(j-last == 1 && m.place2(j)) {
					break
				}
				last = j
				continue
			}
			if gap != " " || !joiners[m.words[j].Text] || j-last > 2 {
				break
			}
		}
		c := candidate{class: className, start: m.words[k].Start, end: m.words[last].End}
		c.text = m.request[c.start:c.end]
		c.text = strings.TrimSuffix(strings.TrimSuffix(c.text, "'s"), "’s")
		if last == k && hasDigit(c.text) {
			c.class = classCode
			if n, ok := plainNumber(firstNumber.FindString(c.text)); ok {
				c.number = n
			}
		}
		m.add(c)
		k = last + 1
	}
}

// place2 reports whether a word behind a comma can belong to the name before it: Paris, France; Springfield, IL.
func (m *mapper) place2(j int) bool {
	if j < 1 {
		return false
	}
	if m.words[j].End-m.words[j].Start == 2 {
		return true
	}
	// a list goes on behind another comma or "and"
	rest := m.request[m.words[j].End:]
	return !strings.HasPrefix(rest, ", ") && !strings.HasPrefix(rest, " and ") && !strings.HasPrefix(rest, " or ")
}

// joiners stand inside names.
var joiners = map[string]bool{"of": true, "the": true, "de": true, "la": true, "le": true, "du": true, "van": true, "von": true, "and": true, "for": true}

// isName reports whether a word is written as a name: a capital that no sentence begins with, or letters and digits.
func (m *mapper) isName(k int, known map[string]bool) bool {
	w := m.words[k]
	text := m.request[w.Start:w.End]
	r, _ := utf8.DecodeRuneInString(text)
	if hasDigit(text) && strings.IndexFunc(text, unicode.IsLetter) >= 0 {
		return true
	}
	if !unicode.IsUpper(r) {
		return known == nil && numeral(text) && k > 0
	}
	if w.Text == "i" || w.Stop && w.Text == "a" && text == "A" && k == 0 {
		return false
	}
	first := k == 0 || strings.ContainsAny(m.request[m.words[k-1].End:w.Start], ".!?:\n") && m.words[k-1].End-m.words[k-1].Start > 1
	if first {
		// A sentence begins with a capital anyway: a name only if the next word is one too, or nothing else could stand here.
		return k+1 < len(m.words) && !w.Stop && known != nil && !known[w.Stem] && m.isName(k+1, nil) && m.request[w.End:m.words[k+1].Start] == " " && !retrieve.IsVerb(w.Text)
	}
	return !(w.Stop && len(text) > 1 && strings.ToUpper(text) != text)
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// phrases finds runs of other words that neither the inputs nor what is asked for explain.
func (m *mapper) phrases(known map[string]bool) {
	start := -1
	flush := func(k int) {
		if start >= 0 {
			c := candidate{class: classPhrase, start: m.words[start].Start, end: m.words[k-1].End}
			c.text = m.request[c.start:c.end]
			m.add(c)
			start = -1
		}
	}
	for k, w := range m.words {
		text := m.request[w.Start:w.End]
		inside := slices.ContainsFunc(m.candidates, func(c candidate) bool { return c.class != classPhrase && w.Start >= c.start && w.Start < c.end })
		gap := ""
		if k > 0 {
			gap = m.request[m.words[k-1].End:w.Start]
		}
		switch {
		case inside, w.Stop, known[w.Stem], prepositions[w.Text], k == 0 || retrieve.IsVerb(w.Text), numeral(text):
			flush(k)
		case start >= 0 && gap != " " && gap != "-" && gap != "_" && gap != ".":
			flush(k)
			start = k
		case start < 0:
			start = k
		}
	}
	flush(len(m.words))
}

// lists makes one candidate of candidates that are named one after the other.
func (m *mapper) lists() {
	var out []candidate
	for i := 0; i < len(m.candidates); i++ {
		j := i
		for j+1 < len(m.candidates) && listGap.MatchString(m.request[m.candidates[j].end:m.candidates[j+1].start]) && m.alike(i, j+1) {
			j++
		}
		c := candidate{class: classList, start: m.candidates[i].start, end: m.candidates[j].end, preposition: m.candidates[i].preposition}
		for k := i; k <= j; k++ {
			item := any(m.candidates[k].text)
			if n := m.candidates[k].number; n != nil && m.candidates[k].kind != extract.Quoted && m.candidates[k].class == classEntity {
				item = n
			}
			c.list = append(c.list, item)
		}
		c.text = m.request[c.start:c.end]
		c.first, c.last = m.candidates[i].first, m.candidates[j].last
		out = append(out, c)
		i = j
	}
	m.candidates = append(m.candidates, out...)
}

func (m *mapper) alike(i, j int) bool {
	a, b := m.candidates[i], m.candidates[j]
	return (a.number == nil) == (b.number == nil) && (a.kind == b.kind || a.kind == "" || b.kind == "")
}

var listGap = regexp.MustCompile(`^["'”’)]?(?:,| and| or| &|, and|, or|,? as well as)\s*["'“‘(]?$|^\s*,\s*$`)
