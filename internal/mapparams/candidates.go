package mapparams

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
)

// class is how a candidate came to be one.
type class int

const (
	classEntity  class = iota // what extract finds
	className                 // words with capitals
	classCode                 // letters and digits mixed
	classPhrase               // other words that nothing explains
	classList                 // several of them
	classExample              // what the description of an input gives as an example
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
	bracketed   bool   // it is a list in brackets
	object      map[string]any
	label       string // the name that it is given to, as in b=-3
	only        int    // the only input that it can be a value of, from 1; 0: any
	part        part   // which of the values that a span says it is
	counted     bool   // its number is what it counts from now
	days        int    // how many days a period takes that counts from now, 0 if it is none
	unit        string // of a number
	named       bool   // a list whose first value is a name
	inside      bool   // it is part of a name whose other part an input is called
	listed      bool   // it is one of all values that an input has
}

// part tells the values apart that one span says: a period has two ends, and a day a year, a month and a day.
type part int

const (
	wholePart part = iota
	fromPart
	toPart
	yearPart
	monthPart
	dayPart
	datePart // of a moment
	clockPart
	unitPart  // the currency of an amount
	firstPart // of a name with a comma: the city of Rome, Italy
	lastPart
)

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
	m.currencies()
	m.lists()
	m.placesApart()
	m.exemplified()
}

// currencies finds currencies that are named without an amount: Canadian dollars.
func (m *mapper) currencies() {
	if !slices.ContainsFunc(m.inputs, func(s spec) bool { return s.currency }) {
		return
	}
	amounts := slices.DeleteFunc(slices.Clone(m.candidates), func(c candidate) bool { return c.part != unitPart })
	at := 0
	for k := 0; k < len(m.Words); k++ {
		words := []string{m.Words[k].Text}
		if k+1 < len(m.Words) && m.Text[m.Words[k].End:m.Words[k+1].Start] == " " {
			words = append(words, m.Words[k+1].Text)
		}
		code, n := extract.CurrencyOf(words...)
		if n == 0 {
			continue
		}
		c := candidate{class: classEntity, kind: extract.Currency, text: code, start: m.Words[k].Start, end: m.Words[k+n-1].End, part: unitPart}
		for at < len(amounts) && amounts[at].end <= c.start {
			at++
		}
		if at == len(amounts) || amounts[at].start >= c.end {
			m.place(&c)
			m.candidates = append(m.candidates, c)
		}
		k += n - 1
	}
	slices.SortStableFunc(m.candidates, func(a, b candidate) int { return cmp.Or(a.start-b.start, b.end-a.end) })
}

// placesApart adds the two sides of names with a comma, for inputs that want them apart.
func (m *mapper) placesApart() {
	for _, c := range slices.Clone(m.candidates) {
		at := strings.LastIndex(c.text, ", ")
		if c.class != className || at < 0 || c.end-c.start != len(c.text) {
			continue
		}
		first, last := c, c
		first.text, first.end, first.part = c.text[:at], c.start+at, firstPart
		last.text, last.start, last.part = c.text[at+len(", "):], c.start+at+len(", "), lastPart
		m.place(&first)
		last.preposition = c.preposition
		m.place(&last)
		for i := range m.inputs {
			first.inside = first.inside || m.inside(&m.inputs[i], &first) > 0
		}
		last.inside = first.inside
		m.candidates = append(m.candidates, first, last)
	}
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
	add := func(c candidate) {
		if c.start < c.end {
			r.place(&c)
			c.looks()
			out = append(out, c)
		}
	}
	written := r.notation()
	slices.SortFunc(written, func(a, b candidate) int { return a.start - b.start })
	at := 0
	for _, e := range r.Entities {
		for at < len(written) && written[at].end <= e.Start {
			at++
		}
		if at < len(written) && written[at].start < e.End {
			continue // what is written there is one value
		}
		for _, c := range candidatesOf(e, r.Now) {
			add(c)
		}
	}
	for _, c := range written {
		add(c)
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	pairUp(r.Text, out)
	return out
}

// pairUp says of two values between which something lies which is which: of "between 10 and 20" the first is where it begins.
func pairUp(text string, list []candidate) {
	for k := 1; k < len(list); k++ {
		a, b := &list[k-1], &list[k]
		if a.preposition == "between" && b.start >= a.end && strings.TrimSpace(text[a.end:b.start]) == "and" {
			a.preposition, b.preposition = "from", "to"
		}
	}
}

// place says where a candidate stands among the words of the request.
func (r *Request) place(c *candidate) {
	// The words that are not before it, and those that are behind it: without words in it, last is the one before first.
	c.first = sort.Search(len(r.Words), func(k int) bool { return r.Words[k].End > c.start })
	c.last = sort.Search(len(r.Words), func(k int) bool { return r.Words[k].Start >= c.end }) - 1
	c.label = r.label(c.start)
	r.measure(c)
	for k := c.first - 1; k >= max(0, c.first-4) && c.part != fromPart && c.part != toPart && c.part != lastPart; k-- {
		if w := r.Words[k].Text; prepositions[w] {
			c.preposition = w
			break
		} else if !r.Words[k].Stop && k < c.first-2 {
			break
		}
	}
}

// measure notes the unit of a number, in it or behind it: 70kg, 60 days, 20 kelvin.
func (r *Request) measure(c *candidate) {
	if c.number == nil || c.class != classEntity || c.is(extract.Quoted, extract.Currency, extract.Percent) || c.part != wholePart {
		return
	}
	if c.unit != "" {
		return
	}
	for k := c.first; k <= c.last && k >= 0; k++ {
		if u := unitOf(r.Words[k].Text); u != "" {
			c.unit = u
		}
	}
	if m := scaledLetter.FindStringSubmatch(c.text); m != nil {
		c.unit = map[string]string{"k": "K", "m": "m", "mm": "mm"}[strings.ToLower(m[2])]
	}
	for k := c.last + 1; c.unit == "" && k < len(r.Words) && k <= c.last+1; k++ {
		if strings.Trim(r.Text[c.end:r.Words[k].Start], " -°º") == "" {
			c.unit = unitOf(r.Words[k].Text)
		}
	}
}

// candidatesOf makes candidates of an entity: of a period its ends, too, of a day its parts.
func candidatesOf(e extract.Entity, now time.Time) []candidate {
	c := candidate{class: classEntity, kind: e.Kind, text: e.Text, start: e.Start, end: e.End}
	switch e.Kind {
	case extract.Quoted:
		c.text, _ = e.Value.(string)
		if n, ok := signedNumber(c.text); ok {
			c.number = n
		}
		c.isKind()
	case extract.Dimension:
		c.number, c.unit = e.Value, e.Unit
	case extract.Number, extract.Percent, extract.Issue:
		c.number = e.Value
	case extract.Currency:
		c.number = e.Value
		unit := c
		unit.number, unit.text, unit.part = nil, e.Unit, unitPart
		return []candidate{c, unit}
	case extract.Duration:
		c.number = countOf(e.Text)
	case extract.Date:
		c.date, _ = e.Value.(string)
		c.counts(e.Text)
		return append([]candidate{c}, partsOfDay(c)...)
	case extract.DateRange:
		return candidatesOfRange(c, e, now)
	case extract.DateTime:
		c.counts(e.Text)
		if s, ok := e.Value.(string); ok && len(s) > len(time.DateOnly) {
			c.text = s
			date, clock := c, c
			date.kind, date.part, date.date = extract.Date, datePart, s[:len(time.DateOnly)]
			date.text = date.date
			clock.kind, clock.part = extract.Time, clockPart
			clock.text = s[len(time.DateOnly)+1:][:len("15:04")]
			date.number, clock.number = nil, nil
			return []candidate{c, date, clock}
		} else if e.Range {
			return bothEnds(c, e)
		}
	case extract.Time:
		if s, ok := e.Value.(string); ok {
			c.text = s[:5]
		} else if e.Range {
			return bothEnds(c, e)
		}
	}
	return []candidate{c}
}

// counts notes what a moment counts from now, which may as well say how long something takes: in 20 seconds.
func (c *candidate) counts(text string) {
	if m := countedForm.FindStringSubmatch(text); m != nil {
		c.number, c.unit, c.counted = countOf(m[1]), unitOf(strings.ToLower(m[2])), true
	}
}

var countedForm = regexp.MustCompile(`(?i)^(?:in|within)\s+(.+)\s(\pL+)$`)

// isKind gives quoted text the kind of the address that it is.
func (c *candidate) isKind() {
	if strings.ContainsAny(c.text, " \n") || !strings.ContainsAny(c.text, ":@-") {
		return
	}
	found, _ := extract.Entities(context.Background(), c.text, time.Time{})
	if len(found) != 1 || found[0].Start != 0 || found[0].End != len(c.text) {
		return
	}
	switch e := found[0]; e.Kind {
	case extract.URL, extract.Email:
		c.kind = e.Kind
	case extract.Date:
		c.kind = e.Kind
		c.date, _ = e.Value.(string)
	}
}

// countOf is the number in a text, nil if it has none: the past two weeks.
func countOf(text string) any {
	if n, ok := plainNumber(firstNumber.FindString(text)); ok {
		return n
	}
	for _, w := range strings.Fields(text) {
		if n, ok := plainNumber(w); ok {
			return n
		}
	}
	return nil
}

// bothEnds are a range and its two ends.
func bothEnds(c candidate, e extract.Entity) []candidate {
	out := []candidate{c}
	for _, end := range []struct {
		of   any
		part part
		word string
	}{{e.From, fromPart, "from"}, {e.To, toPart, "to"}} {
		if s, ok := end.of.(string); ok {
			if e.Kind == extract.Time && len(s) >= 5 {
				s = s[:5]
			}
			out = append(out, candidate{class: classEntity, kind: e.Kind, text: s, start: e.Start, end: e.End, part: end.part, preposition: end.word})
		}
	}
	return out
}

// partsOfDay are the year, the month and the day of a date, for inputs that want them apart.
func partsOfDay(c candidate) []candidate {
	t, ok := c.instant()
	if !ok {
		return nil
	}
	var out []candidate
	for _, p := range []struct {
		part   part
		number int
	}{{yearPart, t.Year()}, {monthPart, int(t.Month())}, {dayPart, t.Day()}} {
		d := c
		d.part, d.number, d.date = p.part, p.number, ""
		d.text = strconv.Itoa(p.number)
		out = append(out, d)
	}
	return out
}

// candidatesOfRange are a period and its ends: each at its own place where both are named.
func candidatesOfRange(c candidate, e extract.Entity, now time.Time) []candidate {
	from, _ := e.From.(string)
	to, _ := e.To.(string)
	first, err := time.Parse(time.DateOnly, from)
	last, err2 := time.Parse(time.DateOnly, to)
	if err != nil || err2 != nil {
		if m := openLead.FindString(e.Text); m != "" {
			if found, _ := extract.Entities(context.Background(), e.Text[len(m):], now); len(found) == 1 && found[0].Kind == extract.Date {
				c.kind, c.text, c.start = extract.Date, found[0].Text, e.Start+len(m)+found[0].Start
				c.date, _ = found[0].Value.(string)
				return []candidate{c}
			}
		}
		if err == nil {
			c.date = from
		}
		return []candidate{c}
	}
	day := last.AddDate(0, 0, -1)
	if at := rangeSplit.FindStringIndex(e.Text); at != nil && at[0] > 0 {
		begins, ends := c, c
		begins.kind, begins.text, begins.end, begins.date = extract.Date, rangeLead.ReplaceAllString(e.Text[:at[0]], ""), e.Start+at[0], from
		ends.kind, ends.text, ends.start, ends.date = extract.Date, e.Text[at[1]:], e.Start+at[1], day.Format(time.DateOnly)
		begins.start = begins.end - len(begins.text)
		for _, c := range []*candidate{&begins, &ends} {
			if m := fourDigits.FindString(c.text); m == c.text && m != "" {
				c.number, _ = plainNumber(m)
			}
		}
		return []candidate{begins, ends}
	}
	if m := fourDigits.FindString(e.Text); m != "" {
		y, _ := plainNumber(m)
		if first.Month() == time.January && first.AddDate(1, 0, 0).Equal(last) { // a year
			c.text, c.number = m, y
		} else {
			d := c
			d.part, d.number, d.text = yearPart, y, m
			return append(ends(c, from, day), d)
		}
	} else if n := countOf(e.Text); n != nil {
		c.number = n
	} else if from != "" && !namesMonth.MatchString(e.Text) {
		c.days = int(last.Sub(first).Hours() / 24)
	}
	return ends(c, from, day)
}

// ends adds the first and the last day of a period.
func ends(c candidate, from string, last time.Time) []candidate {
	begins, end := c, c
	begins.part, begins.date, begins.number, begins.days = fromPart, from, nil, 0
	end.part, end.date, end.number, end.days = toPart, last.Format(time.DateOnly), nil, 0
	return []candidate{c, begins, end}
}

var (
	openLead   = regexp.MustCompile(`(?i)^(?:(?:on or )?(?:after|before|since|until|till|by|from)|starting(?: from| on)?|up to)\s+`)
	rangeLead  = regexp.MustCompile(`(?i)^(?:from|between|the|since)\s+`)
	fourDigits = regexp.MustCompile(`\b\d{4}\b`)
	namesMonth = regexp.MustCompile(`(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|quarter|\bq\d`)
)

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
