package when

import (
	"time"
)

// spec is what was said of when something runs, put together from its parts in any order.
type spec struct {
	start, end int // tokens

	recurring bool          // every, each, daily, Mondays
	soft      bool          // which only a list or a range of days says: from Sunday to Wednesday
	unit      string        // of every hour, daily
	every     time.Duration // of every 45 minutes
	count     int           // of twice a day
	days      dayset        // of the week
	except    dayset
	monthDays []string // of the month, as cron writes them: 1, L, 1W
	nth       []string // days of the week in the month, as cron writes them: 1#2
	months    monthset
	part      string // morning
	times     []clock
	minutes   []int // past the hour
	window    *[2]clock
	anchor    *clock // of every 6 hours starting at midnight
	zone      string
	date      *time.Time  // a day, at 0:00 UTC
	also      []time.Time // more days of each year
	yearly    bool        // a day of each year
	yearless  bool        // the date names no year
	in        time.Duration
	hasIn     bool
	fresh     []string // what is unreadable in it
}

type (
	dayset   uint8
	monthset uint16
)

const (
	allDays  dayset = 1<<7 - 1
	workdays dayset = 1<<time.Monday | 1<<time.Tuesday | 1<<time.Wednesday | 1<<time.Thursday | 1<<time.Friday
)

// component reads one part of a spec at a place, and how many tokens it took.
type component func(p *parser, s *spec, i int) int

// components in the order in which they are tried.
var components = []component{(*parser).vague, (*parser).exception, (*parser).pastHour, (*parser).frequency, (*parser).dayOfMonth, (*parser).edgeOf,
	(*parser).weekdays, (*parser).date, (*parser).offset, (*parser).within, (*parser).timesOf, (*parser).partOf, (*parser).zoneOf, (*parser).monthsOf}

// spec reads as much as goes together from a place on.
func (p *parser) spec(i int) *spec {
	s := &spec{start: i, end: i}
	p.why = ""
	for at := i; ; {
		n, from := 0, at
		if at > i && p.is(at, ",", "and", ";", "(") {
			from++
		}
		if at > i && p.is(from, "and", "but") {
			from++
		}
		if at > i && p.is(from, "only") {
			from++
		}
		if from > at && p.is(at, "and") && len(s.times) > 0 && (s.days > 0 || s.recurring && p.is(from, "every", "each")) {
			break // another day with another time: see read
		}
		for _, c := range components {
			before := *s
			if n = c(p, s, from); n > 0 {
				if from > at && p.is(from-1, "and") && len(before.times) > 0 && before.recurring &&
					(s.part != before.part || len(s.monthDays)+len(s.nth) > len(before.monthDays)+len(before.nth)) {
					s.fresh = append(s.fresh, reasons["part"]) // every day at 9 and in the evening
				}
				break
			}
			*s = before
		}
		if n == 0 {
			break
		}
		at = from + n
		if p.is(from-1, "(") && p.is(at, ")") {
			at++
		}
		s.end = at
	}
	return s
}

// wrong notes that what is being read cannot be, and why.
func (p *parser) wrong(why string) {
	if p.why == "" {
		p.why = why
	}
}

// goesOn reports whether a part of a spec stands at a place.
func (p *parser) goesOn(i int) bool {
	if p.is(i, "and", ",", "or", "on", "at", "every", "each", "daily", "except", "but", "in", "o'clock", "am", "pm", "from", "between") {
		return true
	}
	why := p.why
	defer func() { p.why = why }()
	for _, c := range []component{(*parser).weekdays, (*parser).zoneOf, (*parser).partOf, (*parser).frequency, (*parser).date} {
		if c(p, new(spec), i) > 0 {
			return true
		}
	}
	return false
}

func (p *parser) timesOf(s *spec, i int) int {
	at := i
	if p.is(at, "-", ":") {
		at++
	}
	if len(s.times) > 0 {
		return 0
	}
	times, n := p.times(at)
	if n == 0 || at > i && n == 0 {
		return 0
	}
	s.times = times
	return at + n - i
}

func (p *parser) within(s *spec, i int) int {
	w, n := p.window(i)
	if n == 0 || s.window != nil || len(s.times) > 0 {
		return 0
	}
	s.window = &w
	return n
}

// partOf reads in the morning, mornings, at night, evening.
func (p *parser) partOf(s *spec, i int) int {
	if s.part != "" || s.date == nil && s.days == 0 && s.unit == "" {
		return 0
	}
	at := p.skip(i, "in", "the", "at")
	name := p.text(at)
	if _, ok := words().Parts[name]; !ok {
		single := name
		if k := len(name) - 1; k > 0 && name[k] == 's' {
			single = name[:k]
		}
		if _, ok := words().Parts[single]; !ok {
			return 0
		}
		name, s.recurring = single, true
	}
	s.part = name
	return at + 1 - i
}

// vague reads what says that it repeats and not when.
func (p *parser) vague(s *spec, i int) int {
	n := 0
	for said, why := range words().Vague {
		if k := p.phrase(i, said); k > n {
			n = k
			s.fresh = []string{reasons[why]}
		}
	}
	if n > 0 {
		s.recurring = true
		return n
	}
	if i > s.start {
		if k := p.in(i, words().Roughly); k > 0 {
			s.fresh = append(s.fresh, reasons["vague"])
			return k
		}
		if k := p.in(i, words().About); k > 0 && !(p.is(i, "about") && p.in(i+1, words().Determiners) > 0) { // about the open tasks
			s.fresh = append(s.fresh, reasons["vague"])
			return p.over(i+k) - i
		}
		if p.is(i, "at") && p.in(i+1, words().About) > 0 {
			s.fresh = append(s.fresh, reasons["vague"])
			return 2
		}
		if n := p.anchored(s, i); n > 0 {
			return n
		}
		if k := p.in(i, words().Bounds); k > 0 {
			s.fresh = append(s.fresh, reasons["bound"])
			return p.over(i+k) - i
		}
	}
	return 0
}

// roughlyBefore is how many words before a time make it vague: around 6pm every day.
func (p *parser) roughlyBefore(s *spec) int {
	if _, n := p.times(s.start); n == 0 && (s.date == nil || len(s.times) == 0) {
		return 0
	}
	switch {
	case p.in(s.start-1, words().About) == 1:
		return 1
	case p.is(s.start-1, "by", "before", "after") && p.politeUpTo(s.start-1):
		return 1
	}
	return 0
}

// anchored reads starting at midnight, of an interval: which hours of the day it has, and not when it begins.
func (p *parser) anchored(s *spec, i int) int {
	if s.every <= 0 || s.anchor != nil || !p.is(i, "starting", "beginning") || !p.is(i+1, "at", "from") {
		return 0
	}
	c, n := p.clockAt(i+2, true)
	if n == 0 {
		return 0
	}
	s.anchor = &c
	return n + 2
}

// over is behind what a word of vagueness or of a bound is about: until the end of March, after lunch.
func (p *parser) over(i int) int {
	for i < len(p.toks) && !p.is(i, ",", ";", ".", ":") {
		i++
	}
	return i
}

var reasons = map[string]string{
	"vague":  "that is no time: say a time or an interval, such as at 8 or every 2 hours",
	"hour":   "it names no hour: say one, such as at 8",
	"day":    "it names no day of the week: say one, such as on Mondays",
	"date":   "it names no day: say one, such as every day at 8 or tomorrow at 8",
	"passed": "that moment has passed: say one to come",
	"part":   "a part of it is not read: say it in other words, or each time by itself",
	"told":   "it may be the time of what is told, and not when this runs: say when at the beginning",
	"count":  "it needs a week or a day to count from, which no trigger has: say which days, or an interval in hours",
	"bound":  "a trigger has no beginning and no end: approve it when it shall begin, and remove it when it shall end",
}

// exception reads except on Sundays, but not weekends.
func (p *parser) exception(s *spec, i int) int {
	at := i
	switch {
	case p.is(at, "except", "excluding", "excepting"):
		at = p.skip(at+1, "on", "for")
	case p.is(at, "but", "and") && p.is(at+1, "not"):
		at = p.skip(at+2, "on")
	case p.is(at, "not") && p.is(at+1, "on"):
		at += 2
	case p.is(at, "but"):
		at++
	default:
		if !p.is(i-1, "but") || !s.recurring { // the connective was skipped
			return 0
		}
		at = p.skip(i, "not", "on")
	}
	set, n, _ := p.dayList(at)
	if n == 0 || !s.recurring {
		return 0
	}
	s.except |= set
	return at + n - i
}
