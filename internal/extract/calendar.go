package extract

import (
	"strings"
	"time"
)

// span is a stretch of days, to exclusive. A day is one that was named as such, a date and no range.
type span struct {
	from, to time.Time
	day      bool
	month    bool // from was given by month: a bare day behind it belongs to the same month
	year     bool // the year was given
	weak     bool // could well mean something else; counts only where a preposition or a range supports it
}

// months and weekdays by their names and short forms.
var (
	months = func() map[string]time.Month {
		out := map[string]time.Month{"sept": time.September}
		for m := time.January; m <= time.December; m++ {
			name := strings.ToLower(m.String())
			out[name], out[name[:3]] = m, m
		}
		return out
	}()
	weekdays = func() map[string]time.Weekday {
		out := map[string]time.Weekday{"tues": time.Tuesday, "thur": time.Thursday, "thurs": time.Thursday}
		for d := time.Sunday; d <= time.Saturday; d++ {
			name := strings.ToLower(d.String())
			out[name], out[name[:3]] = d, d
		}
		return out
	}()
)

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11,
	"twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
	"twentieth": 20, "thirtieth": 30,
}

// date reads a day or a calendar period.
func (p *reader) date(i int) (span, int) { return p.dates.read(i, p.longestDate) }

func (p *reader) longestDate(i int) (span, int) {
	best, length := span{}, 0
	for _, read := range []func(int) (span, int){
		p.relativeDay, p.isoDate, p.monthDate, p.weekday, p.nthWeekday, p.period, p.quarter, p.year, p.rollingDays, p.offsetDay,
	} {
		if s, n := read(i); n > length {
			best, length = s, n
		}
	}
	return best, length
}

func (p *reader) dayAt(t time.Time) span { return span{from: t, to: t.AddDate(0, 0, 1), day: true} }

func (p *reader) ymd(y int, m time.Month, d int) (span, bool) {
	t := time.Date(y, m, d, 0, 0, 0, 0, p.now.Location())
	if t.Day() != d || t.Month() != m {
		return span{}, false
	}
	s := p.dayAt(t)
	s.month = true
	return s, true
}

func (p *reader) monthOf(y int, m time.Month) span {
	t := time.Date(y, m, 1, 0, 0, 0, 0, p.now.Location())
	return span{from: t, to: t.AddDate(0, 1, 0)}
}

func (p *reader) relativeDay(i int) (span, int) {
	switch {
	case p.is(i, "today", "tonight"):
		return p.dayAt(p.today), 1
	case p.is(i, "tomorrow"):
		return p.dayAt(p.today.AddDate(0, 0, 1)), 1
	case p.is(i, "yesterday"):
		return p.dayAt(p.today.AddDate(0, 0, -1)), 1
	}
	at := p.skip(i, "the")
	if p.is(at, "day") && p.is(at+1, "after", "before") {
		if p.is(at+1, "after") && p.is(at+2, "tomorrow") {
			return p.dayAt(p.today.AddDate(0, 0, 2)), at + 3 - i
		}
		if p.is(at+1, "before") && p.is(at+2, "yesterday") {
			return p.dayAt(p.today.AddDate(0, 0, -2)), at + 3 - i
		}
	}
	return span{}, 0
}

// plain reads plain digits within bounds; no sign, no scale.
func (p *reader) plain(i, low, high int) (int, bool) {
	if i >= len(p.toks) || i < 0 || !p.toks[i].digits || strings.ContainsAny(p.toks[i].text, ".,") || len(p.toks[i].text) > 4 {
		return 0, false
	}
	f, _ := p.digits(i)
	return int(f), int(f) >= low && int(f) <= high
}

func (p *reader) fullYear(i int) (int, bool) {
	if i >= len(p.toks) || i < 0 || len(p.toks[i].text) != 4 {
		return 0, false
	}
	return p.plain(i, 1900, 2099)
}

// isoDate reads 2016-11-07, 2019/aug/01, 2015-12, 5/17/2018, 5/17, 05-Aug-2016.
func (p *reader) isoDate(i int) (span, int) {
	if p.is(i-1, "-", "/") && p.glued(i) && i > 1 && p.glued(i-1) && p.toks[i-2].digits {
		return span{}, 0 // part of a longer code
	}
	sep := p.word(i + 1)
	if sep != "-" && sep != "/" && sep != "." {
		return span{}, 0
	}
	if y, ok := p.fullYear(i); ok {
		return p.yearFirst(i, y, sep)
	}
	if y, ok := p.fullYear(i + 4); ok && p.is(i+3, sep) && p.joined(i, 5, sep) {
		return p.yearLast(i, y)
	}
	if m, ok := months[p.word(i)]; ok {
		if y, ok := p.fullYear(i + 2); ok && p.joined(i, 3, sep) {
			return p.inYear(p.monthOf(y, m)), 3
		}
	}
	return p.monthAndDay(i, sep)
}

// joined reports whether n tokens stand together without blanks, and no further part of a code behind them.
func (p *reader) joined(i, n int, sep string) bool {
	for k := 1; k < n; k++ {
		if !p.glued(i + k) {
			return false
		}
	}
	return !(p.is(i+n, sep) && p.glued(i+n) && p.glued(i+n+1) && i+n+1 < len(p.toks) && p.toks[i+n+1].digits)
}

// inYear says of a span that its year was given.
func (p *reader) inYear(s span) span {
	s.year = true
	return s
}

// monthAt reads a month by its name or its number.
func (p *reader) monthAt(i int) (time.Month, bool) {
	if m, ok := months[p.word(i)]; ok {
		return m, true
	}
	m, ok := p.plain(i, 1, 12)
	return time.Month(m), ok
}

// yearFirst reads 2016-11-07 and 2015-12.
func (p *reader) yearFirst(i, y int, sep string) (span, int) {
	m, ok := p.monthAt(i + 2)
	if !ok {
		return span{}, 0
	}
	if d, ok := p.plain(i+4, 1, 31); ok && p.is(i+3, sep) && p.joined(i, 5, sep) {
		if s, ok := p.ymd(y, m, d); ok {
			return p.inYear(s), 5
		}
	}
	if p.joined(i, 3, sep) && len(p.word(i+2)) > 1 && !p.is(i+3, sep) {
		return p.inYear(p.monthOf(y, m)), 3
	}
	return span{}, 0
}

// yearLast reads 05-Aug-2016, 5/17/2018 and, the day first as most of the world writes, 17/5/2018.
func (p *reader) yearLast(i, y int) (span, int) {
	first, isDay := p.plain(i, 1, 31)
	second, behind := p.plain(i+2, 1, 31)
	of := func(m time.Month, d int) (span, int) {
		if s, ok := p.ymd(y, m, d); ok {
			return p.inYear(s), 5
		}
		return span{}, 0
	}
	if m, named := months[p.word(i+2)]; named && isDay {
		return of(m, first)
	}
	if m, ok := p.monthAt(i); ok && behind {
		if s, n := of(m, second); n > 0 {
			return s, n
		}
	}
	if isDay && first > 12 && behind && second <= 12 {
		return of(time.Month(second), first)
	}
	return span{}, 0
}

// monthAndDay reads 5/17; a small day only where a preposition tells it from a fraction.
func (p *reader) monthAndDay(i int, sep string) (span, int) {
	m, ok := p.plain(i, 1, 12)
	if !ok || sep != "/" || !p.joined(i, 3, sep) || p.is(i+3, "/") {
		return span{}, 0
	}
	d, ok := p.plain(i+2, 1, 31)
	if !ok || d <= 10 && !p.is(i-1, "on", "by", "since", "until", "before", "after", "from", "meet", "date") {
		return span{}, 0
	}
	if s, ok := p.ymd(p.now.Year(), time.Month(m), d); ok {
		return s, 3
	}
	return span{}, 0
}

// dayNumber reads the day of a month: 4, 4th, the fourth, twenty second.
func (p *reader) dayNumber(i int) (d, n int, ordinal bool) {
	at := p.skip(i, "the")
	if d, ok := p.plain(at, 1, 31); ok {
		if p.is(at+1, "st", "nd", "rd", "th") && p.glued(at+1) {
			return d, at + 2 - i, true
		}
		return d, at + 1 - i, false
	}
	if d, ok := ordinals[p.word(at)]; ok {
		return d, at + 1 - i, true
	}
	if t := tens[p.word(at)]; t == 20 || t == 30 {
		next := p.skip(at+1, "-")
		if d, ok := ordinals[p.word(next)]; ok && d < 10 {
			return int(t) + d, next + 1 - i, true
		}
	}
	return 0, 0, false
}

// monthName reads the name of a month. may, march and the short forms are words of their own too: they need a capital
// or a preposition.
func (p *reader) monthName(i int) (m time.Month, n int, weak bool) {
	m, ok := months[p.word(i)]
	if !ok {
		return 0, 0, false
	}
	n = 1
	if p.is(i+1, ".") && p.glued(i+1) && len(p.word(i)) <= 4 {
		n = 2
	}
	weak = p.is(i, "may", "mar", "march", "dec", "sept") && !p.toks[i].upper && len(p.toks) > 1
	return m, n, weak || p.is(i, "may") && i == 0
}

// behindYear reads a year that belongs to a date: ", 2014", "of 1995", "in 2008".
func (p *reader) behindYear(i int) (y, n int) {
	at := p.skip(i, ",")
	at = p.skip(at, "of", "in")
	if y, ok := p.fullYear(at); ok && !p.is(at+1, ":") && !(p.is(at+1, "-") && p.glued(at+1) && p.is(at, "of")) {
		return y, at + 1 - i
	}
	return 0, 0
}

// monthDate reads May 5, 4th of July 1995, March, October 2014, Monday, Feb 18.
func (p *reader) monthDate(i int) (span, int) {
	if _, named := weekdays[p.word(i)]; named {
		at := p.skip(i+1, ".")
		at = p.skip(at, ",")
		if s, n := p.monthDate(at); n > 0 && s.day {
			return s, at + n - i
		}
		return span{}, 0
	}
	year := p.now.Year()
	if y, ok := p.fullYear(i); ok { // 2017 april
		if m, n, _ := p.monthName(i + 1); n > 0 {
			s := p.monthOf(y, m)
			s.year = true
			return s, 1 + n
		}
	}
	if m, n, weak := p.monthName(i); n > 0 {
		at := p.skip(i+n, ",")
		if y, k := p.behindYear(i + n); k > 0 {
			s := p.monthOf(y, m)
			s.year = true
			return s, n + k
		}
		if d, k, _ := p.dayNumber(at); k > 0 && !p.is(at+k, ":") && !(p.is(at+k, "am", "pm") && at == i+n) {
			y, k2 := p.behindYear(at + k)
			if k2 > 0 {
				year = y
			}
			if s, ok := p.ymd(year, m, d); ok {
				s.year = k2 > 0
				return s, at + k + k2 - i
			}
		}
		s := p.monthOf(year, m)
		s.weak = weak && !p.is(i-1, "in", "since", "until", "by", "from", "of", "next", "last", "during", "the", "before", "after")
		s.month = true
		return s, n
	}
	if d, k, ordinal := p.dayNumber(i); k > 0 {
		at := p.skip(i+k, "of")
		if m, n, _ := p.monthName(at); n > 0 && (ordinal || at > i+k || p.word(at) != "may" || p.toks[at].upper) {
			y, k2 := p.behindYear(at + n)
			if k2 > 0 {
				year = y
			}
			if s, ok := p.ymd(year, m, d); ok {
				s.year = k2 > 0
				return s, at + n + k2 - i
			}
		}
	}
	return span{}, 0
}

// monday is the first day of the week that a day is in.
func monday(t time.Time) time.Time {
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// weekday reads Monday, next Tuesday, this past Wednesday, Wednesday of next week, next week on Tuesday.
func (p *reader) weekday(i int) (span, int) {
	inWeek := func(d time.Weekday, weeks int) span {
		return p.dayAt(monday(p.today).AddDate(0, 0, (int(d)+6)%7+7*weeks))
	}
	weekOf := func(i int) (weeks, n int) {
		at := p.skip(i, "of")
		if p.is(at+1, "week", "week's", "week’s") {
			switch {
			case p.is(at, "this"):
				return 0, at + 2 - i
			case p.is(at, "next"):
				return 1, at + 2 - i
			case p.is(at, "last", "previous"):
				return -1, at + 2 - i
			}
		}
		return 0, 0
	}
	if weeks, n := weekOf(i); n > 0 && !p.is(i, "of") {
		at := p.skip(i+n, "on", "'s", "’s")
		if d, ok := weekdays[p.word(at)]; ok {
			return inWeek(d, weeks), at + 1 - i
		}
		return span{}, 0
	}
	at, which := i, ""
	for p.is(at, "this", "next", "last", "previous", "past", "coming", "upcoming") && at < i+2 {
		which, at = p.word(at), at+1
	}
	d, ok := weekdays[p.word(at)]
	if !ok {
		return span{}, 0
	}
	weak := p.is(at, "sun", "sat", "wed", "mon") && which == "" && !p.toks[at].upper && len(p.toks) > 1 && !p.is(at-1, "on")
	n := at + 1 - i
	if p.is(at+1, ".") && p.glued(at+1) && len(p.word(at)) <= 5 {
		n++
	}
	if weeks, k := weekOf(i + n); k > 0 && which == "" {
		return inWeek(d, weeks), n + k
	}
	ahead := (int(d) - int(p.today.Weekday()) + 7) % 7
	s := p.dayAt(p.today.AddDate(0, 0, ahead))
	switch which {
	case "next":
		s = inWeek(d, 1)
	case "last", "previous":
		s = inWeek(d, -1)
	case "this":
		s = inWeek(d, 0)
	case "past":
		if ahead == 0 {
			s = p.dayAt(p.today.AddDate(0, 0, -7))
		} else {
			s = p.dayAt(p.today.AddDate(0, 0, ahead-7))
		}
	case "coming", "upcoming":
		if ahead == 0 {
			s = p.dayAt(p.today.AddDate(0, 0, 7))
		}
	}
	s.weak = weak
	return s, n
}

// nthWeekday reads the first Monday of this month, the last Friday in October.
func (p *reader) nthWeekday(i int) (span, int) {
	at := p.skip(i, "the")
	nth, ok := ordinals[p.word(at)]
	if p.is(at, "last") {
		nth, ok = -1, true
	}
	d, named := weekdays[p.word(at+1)]
	if !ok || !named || nth > 5 || !p.is(at+2, "of", "in") {
		return span{}, 0
	}
	m, n := p.monthPeriod(at + 3)
	if n == 0 {
		return span{}, 0
	}
	t := m.from.AddDate(0, 0, (int(d)-int(m.from.Weekday())+7)%7+7*(nth-1))
	if nth < 0 {
		last := m.to.AddDate(0, 0, -1)
		t = last.AddDate(0, 0, -(int(last.Weekday())-int(d)+7)%7)
	}
	if !t.Before(m.to) {
		return span{}, 0
	}
	return p.dayAt(t), at + 3 + n - i
}

func (p *reader) monthPeriod(i int) (span, int) {
	if s, n := p.monthDate(i); n > 0 && !s.day {
		return s, n
	}
	if p.is(i, "the") && p.is(i+1, "month") {
		return p.monthOf(p.now.Year(), p.now.Month()), 2
	}
	at := p.skip(i, "the")
	if p.is(at+1, "month") {
		if s, n := p.period(at); n > 0 {
			return s, at + n - i
		}
	}
	return span{}, 0
}
