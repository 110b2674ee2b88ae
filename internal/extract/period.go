package extract

import (
	"strings"
	"time"
)

// period reads this week, last month, the next quarter, this calendar year, next weekend.
func (p *reader) period(i int) (span, int) {
	at := p.skip(i, "the")
	which := 0
	switch {
	case p.is(at, "this", "current"):
	case p.is(at, "next", "coming", "following"):
		which = 1
	case p.is(at, "last", "previous", "past", "prior"):
		which = -1
	default:
		return p.toDate(i)
	}
	unit := p.skip(at+1, "calendar")
	n := unit + 1 - i
	is := func(word string) bool { return p.is(unit, word, word+"'s", word+"’s") } // this week's
	y, m := p.now.Year(), p.now.Month()
	first := time.Date(y, m, 1, 0, 0, 0, 0, p.now.Location())
	switch {
	case is("week"):
		t := monday(p.today).AddDate(0, 0, 7*which)
		return span{from: t, to: t.AddDate(0, 0, 7)}, n
	case is("weekend"):
		t := monday(p.today).AddDate(0, 0, 7*which+5)
		return span{from: t, to: t.AddDate(0, 0, 2)}, n
	case is("month"):
		t := first.AddDate(0, which, 0)
		return span{from: t, to: t.AddDate(0, 1, 0), year: true}, n
	case is("quarter"):
		t := first.AddDate(0, -(int(m)-1)%3+3*which, 0)
		return span{from: t, to: t.AddDate(0, 3, 0), year: true}, n
	case is("year"):
		t := time.Date(y+which, 1, 1, 0, 0, 0, 0, p.now.Location())
		return span{from: t, to: t.AddDate(1, 0, 0), year: true}, n
	}
	if m, k, weak := p.monthName(unit); k > 0 && unit == at+1 && !(weak && which == 0) { // next May
		year := y
		if which > 0 && m <= p.now.Month() {
			year++
		} else if which < 0 && m >= p.now.Month() {
			year--
		}
		return p.monthOf(year, m), unit + k - i
	}
	return span{}, 0
}

// toDate reads year to date.
func (p *reader) toDate(i int) (span, int) {
	if !p.is(i+1, "to") || !p.is(i+2, "date") {
		return span{}, 0
	}
	y, m := p.now.Year(), p.now.Month()
	switch {
	case p.is(i, "year"):
		m = 1
	case p.is(i, "quarter"):
		m -= (m - 1) % 3
	case !p.is(i, "month"):
		return span{}, 0
	}
	return span{from: time.Date(y, m, 1, 0, 0, 0, 0, p.now.Location()), to: p.today.AddDate(0, 0, 1)}, 3
}

// quarter reads Q1, q3 2019, 2018-Q4, third quarter of 2018.
func (p *reader) quarter(i int) (span, int) {
	of := func(y, q int) span {
		t := time.Date(y, time.Month(q*3-2), 1, 0, 0, 0, 0, p.now.Location())
		return span{from: t, to: t.AddDate(0, 3, 0)}
	}
	name := func(i int) (int, int) {
		if p.is(i, "q") && p.glued(i+1) {
			if q, ok := p.plain(i+1, 1, 4); ok {
				return q, 2
			}
		}
		at := p.skip(i, "the")
		q, ok := ordinals[p.word(at)]
		if d, k, ordinal := p.dayNumber(at); ordinal && !ok {
			q, ok, at = d, true, at+k-1
		}
		if ok && q <= 4 && p.is(at+1, "quarter", "qtr") {
			return q, at + 2 - i
		}
		return 0, 0
	}
	if y, ok := p.fullYear(i); ok {
		at := p.skip(i+1, "-")
		if q, n := name(at); n > 0 {
			s := of(y, q)
			s.year = true
			return s, at + n - i
		}
		return span{}, 0
	}
	q, n := name(i)
	if n == 0 {
		return span{}, 0
	}
	at := p.skip(i+n, "-")
	if y, k := p.behindYear(at); k > 0 {
		s := of(y, q)
		s.year = true
		return s, at + k - i
	}
	return of(p.now.Year(), q), n
}

// year reads 2014 and the year 2008. A bare number of four digits is a year only where something supports it.
func (p *reader) year(i int) (span, int) {
	at := p.skip(i, "the")
	named := p.is(at, "year")
	if named {
		at++
	} else {
		at = i
	}
	y, ok := p.fullYear(at)
	if !ok || p.is(at+1, ":", "%", "/") || p.glued(at+1) && p.is(at+1, ".") && at+2 < len(p.toks) && p.toks[at+2].digits {
		return span{}, 0
	}
	if p.is(at-1, "-", "#", "/", ".", "$", "€", "£") && p.glued(at) && at-1 > 0 && p.glued(at-1) {
		return span{}, 0
	}
	if p.is(at+1, "-") && p.glued(at+1) && p.glued(at+2) {
		if _, year := p.fullYear(at + 2); !year || p.is(at+3, "-") {
			return span{}, 0
		}
	}
	t := time.Date(y, 1, 1, 0, 0, 0, 0, p.now.Location())
	supported := named || p.is(at-1, "in", "since", "from", "until", "before", "after", "during", "of", "by", "than", "for", "year")
	return span{from: t, to: t.AddDate(1, 0, 0), year: true, weak: !supported}, at + 1 - i
}

var dayUnits = map[string][3]int{ // years, months, days
	"day": {0, 0, 1}, "week": {0, 0, 7}, "fortnight": {0, 0, 14}, "month": {0, 1, 0}, "quarter": {0, 3, 0}, "year": {1, 0, 0}, "decade": {10, 0, 0},
}

// dayUnit reads day, weeks, quarters.
func (p *reader) dayUnit(i int) ([3]int, bool) {
	u, ok := dayUnits[strings.TrimSuffix(p.word(i), "s")]
	return u, ok
}

// mostUnits are so many days that a date so far away still has a year of four digits.
const mostUnits = 1_000_000

// shift goes so many units on. There is no day outside the years 1 to 9999.
func (p *reader) shift(t time.Time, u [3]int, n float64) (time.Time, bool) {
	k := int(min(mostUnits, max(-mostUnits, n)))
	if float64(k) != n {
		return t, false
	}
	t = t.AddDate(u[0]*k, u[1]*k, u[2]*k)
	return t, t.Year() >= 1 && t.Year() <= 9999
}

// howMany reads the number of units: 3, three, a, a couple of.
func (p *reader) howMany(i int) (float64, int) {
	switch {
	case p.is(i, "a", "an") && p.is(i+1, "couple"):
		return 2, p.skip(i+2, "of") - i
	case p.is(i, "couple"):
		return 2, p.skip(i+1, "of") - i
	case p.is(i, "a", "an", "one") && !p.is(i+1, "half", "and", "hundred", "dozen"):
		return 1, 1
	}
	return p.positive(i)
}

// rollingDays reads the last 30 days, next two weeks, 3 next weeks.
func (p *reader) rollingDays(i int) (span, int) {
	at := p.skip(i, "the")
	back, v, n := false, 0.0, 0
	switch {
	case p.is(at, "last", "past", "previous", "next", "coming", "following"):
		back = p.is(at, "last", "past", "previous")
		v, n = p.howMany(at + 1)
		if n == 0 || p.is(at+1, "a", "an", "one") {
			return span{}, 0
		}
		at += 1 + n
	default:
		if v, n = p.howMany(at); n == 0 || !p.is(at+n, "last", "past", "previous", "next") {
			return span{}, 0
		}
		back = !p.is(at+n, "next")
		at += n + 1
	}
	u, ok := p.dayUnit(at)
	if !ok || v == 1 || !strings.HasSuffix(p.word(at), "s") {
		return span{}, 0
	}
	if back {
		v = -v
	}
	other, ok := p.shift(p.today, u, v)
	switch {
	case !ok:
		return span{}, 0
	case back:
		return span{from: other, to: p.today, year: true}, at + 1 - i
	}
	return span{from: p.today, to: other, year: true}, at + 1 - i
}

// offsetDay reads 2 days ago, in two weeks, a week from tomorrow, 3 weeks later.
func (p *reader) offsetDay(i int) (span, int) {
	at := i
	ahead := p.is(at, "in", "within")
	if ahead {
		at++
	}
	v, n := p.howMany(at)
	if n == 0 {
		return span{}, 0
	}
	u, ok := p.dayUnit(at + n)
	if !ok {
		return span{}, 0
	}
	at += n + 1
	base := p.today
	switch {
	case p.is(at, "ago") && !ahead:
		v, at = -v, at+1
	case p.is(at, "later", "hence") && !ahead:
		at++
	case p.is(at, "from") && !ahead && p.is(at+1, "now", "today", "tomorrow"):
		if p.is(at+1, "tomorrow") {
			base = base.AddDate(0, 0, 1)
		}
		at += 2
	case ahead && !p.is(i, "within"):
	default:
		return span{}, 0
	}
	day, ok := p.shift(base, u, v)
	if !ok {
		return span{}, 0
	}
	return p.dayAt(day), at - i
}
