package when

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

var (
	isoDate   = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:t(\d{2}:\d{2})(?::00)?)?$`)
	slashDate = regexp.MustCompile(`^(\d{1,2})([/.])(\d{1,2})[/.](\d{4})$`)
	yearForm  = regexp.MustCompile(`^(?:19|20)\d\d$`)
)

// alsoOn reads more days of each year behind one: on 1 January and on 1 July. between may stand before each. It gives where they end.
func (p *parser) alsoOn(s *spec, at int, between ...string) int {
	for len(s.also) < 11 {
		next := p.skip(at, between...)
		more, yearless, n := p.calendar(next)
		if next == at || n == 0 || !yearless {
			break
		}
		s.also = append(s.also, more)
		at = next + n
	}
	return at
}

// date reads tomorrow, on Friday, next Monday, 2026-04-01, 25/12/2026, the 1st of April, April 1, 2026, every 25 December.
func (p *parser) date(s *spec, i int) int {
	if s.date != nil || s.days != 0 || s.hasIn && s.in != 0 {
		return 0
	}
	at := p.skip(i, "on")
	set := func(t time.Time, end int) int {
		s.date = &t
		return end - i
	}
	switch {
	case p.is(at, "every", "each") && !s.recurring:
		t, yearless, n := p.calendar(at + 1)
		if n == 0 || !yearless {
			return 0
		}
		s.recurring, s.yearly = true, true
		at += 1 + n
		return set(t, p.alsoOn(s, at, ",", "and", "on", "every", "each"))
	case p.is(at, "today"):
		return set(p.today, at+1)
	case p.is(at, "tonight"):
		s.part = "night"
		return set(p.today, at+1)
	case p.is(at, "tomorrow"):
		return set(p.today.AddDate(0, 0, 1), at+1)
	case p.phrase(at, "the day after tomorrow") > 0:
		return set(p.today.AddDate(0, 0, 2), at+4)
	case p.is(at, "this") && p.is(at+1, "morning", "afternoon", "evening"):
		s.part = p.text(at + 1)
		return set(p.today, at+2)
	}
	if m := isoDate.FindStringSubmatch(p.text(at)); m != nil {
		t, err := time.Parse("2006-01-02", m[1]+"-"+m[2]+"-"+m[3])
		if err != nil {
			return 0
		}
		if m[4] != "" {
			c, n := p.clockText(m[4])
			if !n {
				return 0
			}
			s.times = []clock{c}
		} else if c, n := p.clockAt(at+1, false); n > 0 && len(s.times) == 0 {
			s.times = []clock{c}
			return set(t, at+1+n)
		}
		return set(t, at+1)
	}
	if t, yearless, n := p.calendar(at); n > 0 {
		if yearless && s.unit == "year" {
			s.yearly = true
		} else if s.recurring {
			return 0
		}
		at += n
		s.yearless = yearless
		if yearless {
			at = p.alsoOn(s, at, ",", "and", "on")
		}
		return set(t, at)
	}
	if n := p.dayAhead(s, at); n > 0 {
		return at + n - i
	}
	which := ""
	if p.is(at, "this", "next", "coming") {
		which = p.text(at)
		at++
	}
	d, ok := words().day[p.text(at)]
	if !ok || s.recurring {
		return 0
	}
	ahead := (int(d) - int(p.today.Weekday()) + 7) % 7
	switch which {
	case "next": // the one of next week, as everywhere in pflow
		monday := p.today.AddDate(0, 0, -(int(p.today.Weekday())+6)%7)
		return set(monday.AddDate(0, 0, 7+(int(d)+6)%7), at+1)
	case "coming":
		if ahead == 0 {
			ahead = 7
		}
	}
	if p.is(at+1, "the") && p.is(at+2, "13th") {
		p.wrong("a day of the week that is a day of the month, too, is more than a trigger says")
		s.recurring = true
		return set(p.today.AddDate(0, 0, ahead), at+3)
	}
	return set(p.today.AddDate(0, 0, ahead), at+1)
}

// dayAhead reads the 4th of next month, next month on the 4th, Tuesday next week, next week on Tuesday.
func (p *parser) dayAhead(s *spec, i int) int {
	if s.recurring {
		return 0
	}
	ahead := func(at int, unit string) (n int) {
		if p.is(at, "next") && p.is(at+1, unit) {
			return 2
		}
		return 0
	}
	day := p.skip(i, "the")
	end, month := 0, ahead(i, "month")
	if month > 0 {
		day = p.skip(i+month, ",", "on", "the")
		end = day + 1
	} else if of := p.skip(day+1, "of"); of > day+1 {
		month = ahead(of, "month")
		end = of + month
	}
	if v := p.ordinalAt(day); month > 0 && v > 0 {
		t := time.Date(p.today.Year(), p.today.Month()+1, v, 0, 0, 0, 0, time.UTC)
		if t.Day() != v {
			p.wrong("next month has no day " + strconv.Itoa(v))
		}
		s.date = &t
		return end - i
	}
	week := ahead(i, "week")
	if day, end = i, i+1+ahead(i+1, "week"); week > 0 {
		day = p.skip(i+week, ",", "on")
		end = day + 1
	}
	d, ok := words().day[p.text(day)]
	if !ok || week == 0 && end == i+1 {
		return 0
	}
	monday := p.today.AddDate(0, 0, -(int(p.today.Weekday())+6)%7)
	t := monday.AddDate(0, 0, 7+(int(d)+6)%7)
	s.date = &t
	return end - i
}

func (p *parser) clockText(text string) (clock, bool) {
	t, err := time.Parse("15:04", text)
	return clock{minute: 60*t.Hour() + t.Minute()}, err == nil
}

// calendar reads the 1st of April, 25 December 2026, April 1st, 2026, 25/12/2026, 31.12.2026. Without a year it is the next one.
func (p *parser) calendar(i int) (t time.Time, yearless bool, n int) {
	if m := slashDate.FindStringSubmatch(p.text(i)); m != nil {
		a, _ := strconv.Atoi(m[1])
		b, _ := strconv.Atoi(m[3])
		year, _ := strconv.Atoi(m[4])
		day, month := a, b
		if m[2] == "/" {
			switch {
			case a == b:
			case a <= 12 && b <= 12:
				p.wrong(p.toks[i].raw + " may be day or month first: write it like 2026-04-03")
			case b > 12:
				day, month = b, a
			}
		}
		t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		if t.Day() != day || int(t.Month()) != month {
			return t, false, 0
		}
		return t, false, 1
	}
	day, month, at := 0, time.Month(0), p.skip(i, "the")
	numberAt := func(at int) int {
		if v := p.ordinalAt(at); v > 0 {
			return v
		}
		v, err := strconv.Atoi(p.text(at))
		if err != nil || v > 31 {
			return 0
		}
		return v
	}
	if day = numberAt(at); day > 0 {
		next := p.skip(at+1, "of")
		month = words().month[p.text(next)]
		at = next + 1
	} else if month = words().month[p.text(at)]; month > 0 {
		next := p.skip(at+1, "the")
		if day = numberAt(next); day == 0 {
			return t, false, 0
		}
		at = next + 1
	}
	if day == 0 || month == 0 {
		return t, false, 0
	}
	year := p.today.Year()
	next := p.skip(at, ",")
	if yearForm.MatchString(p.text(next)) {
		year, _ = strconv.Atoi(p.text(next))
		at = next + 1
	} else {
		yearless = true
	}
	t = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if yearless && t.Before(p.today) {
		t = t.AddDate(1, 0, 0)
	}
	if yearless && day == 29 && month == time.February {
		for t = time.Date(year, month, day, 0, 0, 0, 0, time.UTC); t.Day() != day || t.Before(p.today); year++ {
			t = time.Date(year+1, month, day, 0, 0, 0, 0, time.UTC)
		}
	}
	if t.Day() != day {
		p.wrong(fmt.Sprintf("%s has no day %d", month, day))
	}
	return t, yearless, at - i
}

// offset reads in 10 minutes, an hour from now, in 3 days, a week from today.
func (p *parser) offset(s *spec, i int) int {
	if s.hasIn || s.date != nil || s.recurring {
		return 0
	}
	at := p.skip(i, "in")
	d, unit, count, n := p.amount(at)
	if n == 0 && p.is(at, "half") {
		return 0
	}
	if n == 0 {
		return 0
	}
	end := at + n
	from := p.is(end, "from") && p.is(end+1, "now", "today", "tomorrow")
	if at == i && !from || at > i && from {
		return 0
	}
	if from {
		end += 2
	}
	switch unit {
	case "day", "week":
		days := count
		if unit == "week" {
			days *= 7
		}
		if from && p.is(end-1, "tomorrow") {
			days++
		}
		day := p.today.AddDate(0, 0, days)
		s.date, s.hasIn = &day, !from || p.is(end-1, "now")
	case "second", "minute", "hour":
		s.in, s.hasIn = d, true
	default:
		return 0
	}
	return end - i
}
