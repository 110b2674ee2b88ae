package when

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// durations are the units that an interval may have.
var durations = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}

var shortInterval = regexp.MustCompile(`^(\d{1,4})(s|sec|secs|m|min|mins|h|hr|hrs)$`)

// amount reads 45 minutes, two hours, half an hour, an hour and a half, 1.5 hours, 5m, and a single unit.
func (p *parser) amount(i int) (d time.Duration, unit string, count, n int) {
	w := words()
	if m := shortInterval.FindStringSubmatch(p.text(i)); m != nil {
		v, _ := strconv.Atoi(m[1])
		unit = w.unit[m[2]]
		return time.Duration(v) * durations[unit], unit, v, 1
	}
	if p.is(i, "half") {
		if at := p.skip(i+1, "a", "an"); p.is(at, "hour") {
			return 30 * time.Minute, "minute", 30, at + 1 - i
		}
	}
	if n := max(p.phrase(i, "quarter hour"), p.phrase(i, "quarter-hour")); n > 0 {
		return 15 * time.Minute, "minute", 15, n
	}
	if p.is(i, "half-hour") {
		return 30 * time.Minute, "minute", 30, 1
	}
	if p.is(i, "quarter") && p.is(i+1, "of") && p.is(i+2, "an") && p.is(i+3, "hour") {
		return 15 * time.Minute, "minute", 15, 4
	}
	one := p.skip(i, "a", "an")
	if p.is(one, "hour") && p.is(one+1, "and") && p.is(one+2, "a") && p.is(one+3, "half") {
		return 90 * time.Minute, "minute", 90, one + 4 - i
	}
	if f, err := strconv.ParseFloat(p.text(i), 64); err == nil && strings.Contains(p.text(i), ".") && f > 0 && f < 1000 && p.is(i+1, "hours", "minutes", "h") {
		unit = w.unit[p.text(i+1)]
		return time.Duration(f * float64(durations[unit])).Round(time.Second), unit, 0, 2
	}
	if one > i {
		if unit = w.unit[p.text(one)]; unit != "" && len(p.text(one)) > 2 {
			return durations[unit], unit, 1, one + 1 - i
		}
		return 0, "", 0, 0
	}
	v, k := p.number(i)
	if k == 0 || v == 0 {
		return 0, "", 0, 0
	}
	if unit = w.unit[p.text(i+k)]; unit == "" || len(p.text(i+k)) < 2 {
		return 0, "", 0, 0
	}
	return time.Duration(v) * durations[unit], unit, v, k + 1
}

// frequency reads every 45 minutes, hourly, every other day, twice a day, every morning, at 5 minute intervals.
func (p *parser) frequency(s *spec, i int) int {
	w := words()
	if unit := w.Adverbs[p.text(i)]; unit != "" {
		if s.unit != "" && s.unit != unit || s.every > 0 {
			return 0
		}
		s.unit, s.recurring = unit, true
		return 1
	}
	if unit := w.Adverbs[p.text(i+2)]; unit != "" && s.unit == "" && s.every == 0 && p.phrase(i, "on a") > 0 && p.is(i+3, "basis") {
		s.unit, s.recurring = unit, true
		return 4
	}
	if part := w.Nightly[p.text(i)]; part != "" && s.unit == "" && s.every == 0 {
		s.unit, s.part, s.recurring = "day", part, true
		return 1
	}
	if p.is(i, "at") || p.is(i, "in") {
		if d, _, _, n := p.amount(i + 1); n > 0 && d > 0 && p.is(i+1+n, "intervals") {
			s.every, s.recurring = d, true
			return n + 2
		}
	}
	if n := p.often(s, i); n > 0 {
		return n
	}
	at := i
	if p.is(at, "once") {
		at++
	}
	if p.is(at, "on") {
		at++
	}
	if !p.is(at, "every", "each") {
		return 0
	}
	if at++; p.is(at-1, "each") && p.is(at, "and") && p.is(at+1, "every") {
		at += 2
	}
	if unit := w.unit[p.text(at)]; unit != "" && unit == s.unit { // on the hour, every hour
		return at + 1 - i
	}
	if s.unit != "" && s.unit != "day" || s.every > 0 {
		return 0
	}
	s.recurring = true
	if k := p.in(p.skip(at, "a"), w.Few); k > 0 {
		k += p.skip(at, "a") - at
		next := p.skip(at+k, "of")
		if w.unit[p.text(next)] != "" && len(p.text(next)) > 2 {
			s.fresh = append(s.fresh, reasons["vague"])
			return next + 1 - i
		}
		return 0
	}
	if p.is(at, "other") || p.ordinalAt(at) > 1 && p.is(at+1, "hour", "minute", "day", "week", "month") {
		unit := w.unit[p.text(at+1)]
		switch unit {
		case "":
			return 0
		case "week", "month", "quarter", "year":
			s.fresh = append(s.fresh, reasons["count"])
		}
		if !p.is(at, "other") {
			s.fresh = append(s.fresh, "it may be each "+p.text(at)+" one or the "+p.text(at)+" of something: say an interval, such as every 2 days, or of what")
		}
		s.every, s.recurring = 2*durations[unit], true
		return at + 2 - i
	}
	if v, k := p.number(at); k > 0 && v == 0 && w.unit[p.text(at+k)] != "" {
		s.fresh = append(s.fresh, reasons["vague"])
		return at + k + 1 - i
	}
	if d, unit, count, n := p.amount(at); n > 0 && !p.is(at, "a", "an") {
		if d == 0 || unit == "week" {
			if count == 1 {
				s.unit = unit
				return at + n - i
			}
			s.fresh = append(s.fresh, reasons["count"])
		}
		s.every = d
		return at + n - i
	}
	if n := p.phrase(at, "hour and a half"); n > 0 {
		s.every = 90 * time.Minute
		return at + n - i
	}
	at = p.skip(at, w.Emphasis...)
	if c, k := p.clockAt(at, false); k > 0 && p.is(at, "noon", "midday", "midnight") && len(s.times) == 0 {
		s.unit, s.times = "day", []clock{c}
		return at + k - i
	}
	if unit := w.unit[p.text(at)]; unit != "" && len(p.text(at)) > 2 && !strings.HasSuffix(p.text(at), "s") && unit != "second" {
		if unit == "day" && p.is(at+1, "of") && p.is(at+2, "the") && p.is(at+3, "week") {
			at += 3
		}
		s.unit = unit
		return at + 1 - i
	}
	if _, ok := w.Parts[p.text(at)]; ok {
		s.unit, s.part = "day", p.text(at)
		return at + 1 - i
	}
	return 0
}

// often reads once a day, twice daily, three times a week, once per month, and the same with every.
func (p *parser) often(s *spec, i int) int {
	count, n := 0, 1
	switch {
	case p.is(i, "once"):
		count = 1
	case p.is(i, "twice"):
		count = 2
	case p.in(p.skip(i, "a"), words().Few) > 0: // a couple of times a day
		at := p.skip(i, "a")
		at = p.skip(at+p.in(at, words().Few), "of")
		if !p.is(at, "times") {
			return 0
		}
		count, n = 1, at+1-i
	default:
		v, k := p.number(i)
		if k == 0 || !p.is(i+k, "times") {
			return 0
		}
		count, n = v, k+1
	}
	at := i + n
	few := p.in(p.skip(i, "a"), words().Few) > 0
	defer func() {
		if few && s.recurring {
			s.fresh = append(s.fresh, reasons["vague"])
		}
	}()
	if unit := words().Adverbs[p.text(at)]; unit != "" {
		s.unit, s.count, s.recurring = unit, count, true
		return at + 1 - i
	}
	if !p.is(at, "a", "an", "per", "every", "each") {
		return 0
	}
	unit := words().unit[p.text(at+1)]
	if unit == "" || len(p.text(at+1)) < 3 || strings.HasSuffix(p.text(at+1), "s") {
		return 0
	}
	s.unit, s.count, s.recurring = unit, count, true
	return at + 2 - i
}

// pastHour reads at 10 past every hour, 15 minutes past the hour, every hour at quarter past, on the hour, at minute 20, at :30.
func (p *parser) pastHour(s *spec, i int) int {
	at := p.skip(i, "at", "on")
	hourly := s.unit == "hour"
	minute, n := 0, 0
	switch {
	case s.unit == "" && s.every == 0 && i < at && (p.is(at, "the") && p.is(at+1, "hour") && !p.is(at+2, "of") || p.phrase(at, "the half hour") > 0):
		s.unit, s.recurring, s.minutes = "hour", true, []int{0}
		if p.is(at+1, "half") {
			s.minutes = []int{30}
		}
		return p.skip(at+1, "half", "hour") - i
	case hourly && p.is(at, "the") && p.is(at+1, "hour"):
		s.minutes = []int{0}
		return at + 2 - i
	case hourly && p.is(at, "the") && (p.is(at+1, "half-hour") || p.is(at+1, "half") && p.is(at+2, "hour")):
		s.minutes = []int{30}
		return p.skip(at+1, "half", "half-hour", "hour") - i
	case hourly && p.is(at, "minute"):
		if minute, n = p.number(at + 1); n > 0 && minute < 60 {
			s.minutes = []int{minute}
			return at + 1 + n - i
		}
		return 0
	case hourly && strings.HasPrefix(p.text(at), ":"):
		if m, err := strconv.Atoi(p.text(at)[1:]); err == nil && m < 60 {
			s.minutes = []int{m}
			return at + 1 - i
		}
		return 0
	case p.is(at, "quarter") || p.is(at, "a") && p.is(at+1, "quarter"):
		minute, n = 15, 1+p.skip(at, "a")-at
	case p.is(at, "half"):
		minute, n = 30, 1
	default:
		if i < at {
			at = p.skip(at, "minute")
		}
		if minute, n = p.number(at); n == 0 || minute > 59 {
			return 0
		}
	}
	if p.is(at-1, "minute") && p.is(at+n, "of", "past") && p.is(at+n+1, "every", "each") && p.is(at+n+2, "hour") {
		s.unit, s.recurring, s.minutes = "hour", true, []int{minute}
		return at + n + 3 - i
	}
	next := p.skip(at+n, "minutes", "minute")
	if !p.is(next, "past", "after", "to") {
		return 0
	}
	if p.is(next, "to") {
		minute = (60 - minute) % 60
	}
	next++
	switch {
	case p.is(next, "every", "each", "the") && p.is(next+1, "hour"):
		if !p.is(next, "the") {
			s.recurring = true
		}
		s.unit, next = "hour", next+2
	case !hourly || func() bool { _, k := p.number(next); return k > 0 }():
		return 0
	}
	s.minutes = []int{minute}
	return next - i
}
