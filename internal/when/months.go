package when

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var digitOrdinal = regexp.MustCompile(`^(\d{1,2})(st|nd|rd|th)$`)

// ordinalAt reads 1st, first, fifth, 15th.
func (p *parser) ordinalAt(i int) int {
	if m := digitOrdinal.FindStringSubmatch(p.text(i)); m != nil {
		v, _ := strconv.Atoi(m[1])
		return v
	}
	return words().ordinal[p.text(i)]
}

// dayOfMonth reads on the 1st and 15th of each month, the last day of the month, the first Monday of every month.
func (p *parser) dayOfMonth(s *spec, i int) int {
	at := p.skip(i, "on", "at", "the")
	every := p.is(at, "every", "each")
	if every {
		at++
	}
	var days, nth []string
	again := false // the 1st and the third Friday: is the 1st a day?
	for {
		at = p.skip(at, "the")
		v, last := p.ordinalAt(at), p.is(at, "last")
		next := at + 1
		if p.is(at, "day") { // day 5
			if k, n := p.number(at + 1); n > 0 && k > 0 && k < 32 {
				v, next = k, at+1+n
			}
		}
		if v == 0 && !last {
			break
		}
		set, n, _ := p.dayList(next)
		switch {
		case n > 0 && single(set):
			which := "L"
			if v > 0 {
				which = strconv.Itoa(v)
			}
			if v > 5 {
				return 0
			}
			nth = append(nth, strconv.Itoa(int(first(set)))+"#"+which)
			next += n
		case n > 0 && set == workdays && last:
			days = append(days, "LW")
			next += n
		case n > 0 && set == workdays && v == 1:
			days = append(days, "1W")
			next += n
		case n > 0:
			return 0
		case last && p.is(next, "day"):
			days = append(days, "L")
			next++
		case last:
			return 0
		default:
			days = append(days, strconv.Itoa(v))
			next = p.skip(next, "day")
		}
		at = next
		more := p.skip(at, ",", "and", "&")
		again = again || p.is(more, "the", "on")
		if more = p.skip(more, "the", "on"); p.ordinalAt(more) == 0 && !p.is(more, "last") || more == at {
			break
		}
		at = more
	}
	if len(days)+len(nth) == 0 {
		return 0
	}
	if len(nth) == 1 && len(days) > 0 && !again && !slices.ContainsFunc(days, func(d string) bool { return len(d) > 1 || d > "5" }) { // 1st and 3rd Friday
		day, _, _ := strings.Cut(nth[0], "#")
		for k, d := range days {
			nth = slices.Insert(nth, k, day+"#"+d)
		}
		days = nil
	}
	period, n := p.ofEach(at)
	switch {
	case n == 0 && every && len(nth) > 1 && len(days) == 0:
		period = "month"
	case n == 0 && s.unit == "month" && len(s.monthDays)+len(s.nth) == 0:
		period = "month"
	case n == 0 && s.unit == "quarter" && p.is(at-1, "day"):
		period = "quarter"
	case n == 0 && every && len(days) == 1 && len(nth) == 0 && digitOrdinal.MatchString(p.text(at-1)):
		period = "month" // every 15th
	case n == 0:
		return 0
	}
	switch period {
	case "month":
	case "quarter":
		switch {
		case len(nth) > 0 || len(days) > 1:
			return 0
		case days[0] == "1" || days[0] == "1W":
			s.months = quarters(0)
		case days[0] == "L" || days[0] == "LW":
			s.months = quarters(2)
		default:
			return 0
		}
	default:
		return 0
	}
	s.monthDays, s.nth, s.recurring, s.unit = days, nth, true, "month"
	return at + n - i
}

// ofEach reads of each month, in the month, of every quarter.
func (p *parser) ofEach(i int) (unit string, n int) {
	at := i
	if p.is(at, "of", "in") {
		at++
		if !p.is(at, "each", "every", "the", "a") {
			return "", 0
		}
	} else if !p.is(at, "each", "every") {
		return "", 0
	}
	at++
	if unit = p.text(at); unit != "month" && unit != "quarter" && unit != "year" && unit != "week" && unit != "day" && unit != "hour" {
		return "", 0
	}
	return unit, at + 1 - i
}

// edgeOf reads at the start of every quarter, at the beginning of each month; an end is no time.
func (p *parser) edgeOf(s *spec, i int) int {
	at := p.skip(i, "at", "the")
	if !p.is(at, "start", "beginning", "end", "top") {
		return 0
	}
	unit, n := p.ofEach(at + 1)
	if n == 0 || p.is(at+2, "the") || p.is(at, "top") && unit != "hour" {
		return 0
	}
	s.recurring, s.unit = true, unit
	if p.is(at, "end") {
		s.fresh = append(s.fresh, "the end of it is no time: say its last day and an hour, such as the last day of each month at 18:00")
	}
	return at + 1 + n - i
}

func quarters(offset int) (set monthset) {
	for m := 1; m <= 12; m += 3 {
		set |= 1 << (m + offset)
	}
	return set
}

// monthsOf reads in December, in June and July.
func (p *parser) monthsOf(s *spec, i int) int {
	if p.is(i, "from", "between") && s.months == 0 {
		a, first := words().month[p.text(i+1)]
		b, last := words().month[p.text(i+3)]
		if !first || !last || !p.is(i+2, "to", "till", "until", "through", "thru", "and", "-", "–") || yearForm.MatchString(p.text(i+4)) {
			return 0
		}
		for m := a; ; m = m%12 + 1 {
			if s.months |= 1 << m; m == b {
				return 4
			}
		}
	}
	if !p.is(i, "in") || s.months != 0 {
		return 0
	}
	at, n := i+1, 0
	for {
		m, ok := words().month[p.text(at)]
		if !ok {
			break
		}
		s.months |= 1 << m
		n = at + 1 - i
		if at = p.skip(at+1, ",", "and"); at == i+n {
			break
		}
	}
	if n > 0 && !s.recurring && !p.repeats(p.skip(i+n, ",")) {
		return 0 // in May: which is of the work
	}
	return n
}

// repeats reports whether something that says that it repeats stands at a place.
func (p *parser) repeats(i int) bool {
	s := &spec{start: i, end: i}
	return (p.frequency(s, i) > 0 || p.weekdays(s, i) > 0) && s.recurring
}
