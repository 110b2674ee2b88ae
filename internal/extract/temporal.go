package extract

import (
	"fmt"
	"time"
)

// temporal reads the longest date, time, range or duration.
func (p *reader) temporal(i int) (Entity, int) {
	best, length := Entity{}, 0
	for _, read := range []func(int) (Entity, int){p.dateTime, p.timeDate, p.dateRange, p.openRange, p.singleDate, p.timeOfDay, p.instant, p.duration} {
		if e, n := read(i); n > length {
			best, length = e, n
		}
	}
	return best, length
}

func isoDay(t time.Time) string { return t.Format(time.DateOnly) }

func (s span) entity() Entity {
	if s.day {
		return Entity{Kind: Date, Value: isoDay(s.from)}
	}
	return Entity{Kind: DateRange, Range: true, From: isoDay(s.from), To: isoDay(s.to)}
}

func (p *reader) singleDate(i int) (Entity, int) {
	s, n := p.date(i)
	if n == 0 || s.weak {
		return Entity{}, 0
	}
	return s.entity(), n
}

// rangeWord reads a word that leads from one end of a range to the other, and gives where it ends.
func (p *reader) rangeWord(i int, between bool) int {
	if p.is(i, "to", "-", "–", "—", "~", "through", "thru", "until", "till", "til") || between && p.is(i, "and") {
		return i + 1
	}
	return i
}

// dateRange reads from May to September, July 13-15, between 2014 and 2018, 9 to 12 of June.
func (p *reader) dateRange(i int) (Entity, int) {
	between := p.is(i, "between")
	lead := p.skip(i, "from", "between")
	if e, end := p.daysOfMonth(lead, between); end > 0 {
		return e, end - i
	}
	a, n := p.date(lead)
	if n == 0 {
		return Entity{}, 0
	}
	j := p.rangeWord(lead+n, between)
	if j == lead+n {
		return Entity{}, 0
	}
	if b, k := p.date(j); k > 0 {
		if a.weak && b.weak && lead == i && !between && !(a.year && b.year) {
			return Entity{}, 0
		}
		if a, b := p.inOrder(a, b); a.from.Before(b.to) {
			return rangeOf(a, b), j + k - i
		}
	}
	if e, end := p.toDay(a, j); end > 0 {
		return e, end - i
	}
	return Entity{}, 0
}

// daysOfMonth reads 12 to 16 september: the month stands behind. end is behind it, 0 if it is none.
func (p *reader) daysOfMonth(i int, between bool) (e Entity, end int) {
	d, n, _ := p.dayNumber(i)
	if n == 0 {
		return Entity{}, 0
	}
	j := p.rangeWord(i+n, between)
	if j == i+n {
		return Entity{}, 0
	}
	if b, k := p.monthDate(j); k > 0 && b.day {
		if a, ok := p.ymd(b.from.Year(), b.from.Month(), d); ok && a.from.Before(b.from) {
			return rangeOf(a, b), j + k
		}
	}
	return Entity{}, 0
}

// inOrder gives the end of a range the year of the other, or one in which the range goes forward: Dec 5 to Jan 3, 2018.
func (p *reader) inOrder(a, b span) (span, span) {
	if !a.year && b.year && b.month && a.month {
		for _, year := range []int{b.from.Year(), b.from.Year() - 1} {
			if t, ok := p.ymd(year, a.from.Month(), a.from.Day()); ok && a.day && t.from.Before(b.from) {
				a = t
				break
			}
		}
	}
	for a.year && !b.year && b.from.Before(a.from) {
		b.from, b.to = b.from.AddDate(1, 0, 0), b.to.AddDate(1, 0, 0)
	}
	if b.from.Before(a.from) && !a.year && !b.year && a.month {
		b.from, b.to = b.from.AddDate(1, 0, 0), b.to.AddDate(1, 0, 0)
	}
	return a, b
}

// toDay reads the end of July 13-15, at j. end is behind it, 0 if it is none.
func (p *reader) toDay(a span, j int) (e Entity, end int) {
	d, k, _ := p.dayNumber(j)
	if k == 0 || !a.day || !a.month || p.is(j+k, ":", "am", "pm") {
		return Entity{}, 0
	}
	b, ok := p.ymd(a.from.Year(), a.from.Month(), d)
	if !ok || !a.from.Before(b.from) {
		return Entity{}, 0
	}
	if y, k2 := p.behindYear(j + k); k2 > 0 && !a.year {
		inA, okA := p.ymd(y, a.from.Month(), a.from.Day())
		inB, okB := p.ymd(y, b.from.Month(), d)
		if !okA || !okB {
			return Entity{}, 0 // 29 February of another year
		}
		return rangeOf(inA, inB), j + k + k2
	}
	return rangeOf(a, b), j + k
}

func rangeOf(a, b span) Entity {
	return Entity{Kind: DateRange, Range: true, From: isoDay(a.from), To: isoDay(b.to)}
}

// openRange reads since August, before 2018, after January 1, 2007, 2012 or later, no later than May.
func (p *reader) openRange(i int) (Entity, int) {
	at, form := i, p.word(i)
	since := func(s span) Entity {
		_, weekday := weekdays[p.word(at)]
		for s.from.After(p.today) && !s.year {
			if weekday { // since Monday: the latest one
				s.from = s.from.AddDate(0, 0, -7)
				continue
			}
			s.from = s.from.AddDate(-1, 0, 0)
		}
		return Entity{Kind: DateRange, Range: true, From: isoDay(s.from)}
	}
	switch {
	case p.is(i, "no", "not") && p.is(i+1, "later") && p.is(i+2, "than"):
		at, form = i+3, "by"
	case p.is(i, "no", "not") && p.is(i+1, "earlier") && p.is(i+2, "than"):
		at, form = i+3, "from"
	case p.is(i, "later") && p.is(i+1, "than"):
		at, form = i+2, "after"
	case p.is(i, "earlier") && p.is(i+1, "than"), p.is(i, "prior") && p.is(i+1, "to"):
		at, form = i+2, "before"
	case p.is(i, "since", "after", "before", "until", "till"), p.is(i, "starting", "beginning"):
		at = p.skip(i+1, "from", "on", "in")
		if p.is(i, "starting", "beginning") {
			form = "since"
		}
	}
	if s, n := p.date(at); n > 0 && at > i {
		s.weak = false
		switch form {
		case "since", "from":
			return since(s), at + n - i
		case "after":
			return Entity{Kind: DateRange, Range: true, From: isoDay(s.to)}, at + n - i
		case "before", "until", "till":
			return Entity{Kind: DateRange, Range: true, To: isoDay(s.from)}, at + n - i
		case "by":
			return Entity{Kind: DateRange, Range: true, To: isoDay(s.to)}, at + n - i
		}
	}
	// 2012 or later, 1/1/2016 and after
	if s, n := p.date(i); n > 0 && p.is(i+n, "or", "and") {
		if _, k := p.times(i + n + 1); k == 0 {
			switch {
			case p.is(i+n+1, "later", "after", "onwards", "onward"):
				return since(s), n + 2
			case p.is(i+n+1, "earlier", "before"):
				return Entity{Kind: DateRange, Range: true, To: isoDay(s.to)}, n + 2
			}
		}
	}
	return Entity{}, 0
}

func clockText(c clock) string {
	s := c.seconds()
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// timeOfDay reads 3pm, 3:30-6:00pm, after 6pm.
func (p *reader) timeOfDay(i int) (Entity, int) {
	c, n := p.times(i)
	if n == 0 {
		return Entity{}, 0
	}
	if !c.ranged {
		return Entity{Kind: Time, Value: clockText(c.from)}, n
	}
	e := Entity{Kind: Time, Range: true}
	if !c.before {
		e.From = clockText(c.from)
	}
	if !c.after {
		e.To = clockText(c.to)
	}
	return e, n
}

// on puts times on a day.
func (c clocks) on(day time.Time) Entity {
	at := func(c clock, after bool) string {
		t := day.Add(time.Duration(c.seconds()) * time.Second)
		if after {
			t = t.AddDate(0, 0, 1)
		}
		return t.Format("2006-01-02T15:04:05")
	}
	if !c.ranged {
		return Entity{Kind: DateTime, Value: at(c.from, false)}
	}
	e := Entity{Kind: DateTime, Range: true}
	if !c.before {
		e.From = at(c.from, false)
	}
	if !c.after {
		e.To = at(c.to, !c.before && c.to.seconds() <= c.from.seconds())
	}
	return e
}

// dateTime reads tomorrow at 5pm, Tuesday from 2:00 to 2:30 pm.
func (p *reader) dateTime(i int) (Entity, int) {
	s, n := p.date(i)
	if n == 0 || !s.day {
		return Entity{}, 0
	}
	at := p.skip(i+n, ",")
	c, k := p.times(at)
	if k == 0 || c.after || c.before {
		return Entity{}, 0
	}
	return c.on(s.from), at + k - i
}

// timeDate reads 3pm tomorrow, 7:30 PM on Fri, Sep 20, between 3 and 8am next Monday.
func (p *reader) timeDate(i int) (Entity, int) {
	c, n := p.times(i)
	if n == 0 || c.after || c.before {
		return Entity{}, 0
	}
	at := p.skip(i+n, ",")
	at = p.skip(at, "on")
	s, k := p.date(at)
	if k == 0 || !s.day {
		return Entity{}, 0
	}
	return c.on(s.from), at + k - i
}
