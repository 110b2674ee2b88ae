package when

import (
	"slices"
	"strings"
	"time"
)

// dayList reads Monday, Mondays and Fridays, Mon-Fri, weekdays, business days. repeats says that the words alone say it repeats.
func (p *parser) dayList(i int) (set dayset, n int, repeats bool) {
	set, n, plural, several := p.daysAt(i)
	return set, n, plural || several
}

// daysAt is dayList with what says that it repeats: names in the plural, or that there are several.
func (p *parser) daysAt(i int) (set dayset, n int, plural, several bool) {
	w := words()
	one := func(at int) (dayset, int, bool) {
		text := p.text(at)
		if d, ok := w.day[text]; ok {
			return 1 << d, 1, false
		}
		if d, ok := w.dayPlural[text]; ok {
			return 1 << d, 1, true
		}
		if d, ok := w.day[strings.TrimRight(strings.TrimSuffix(text, "s"), "'’")]; ok && p.timeAt(p.skip(at+1, "at", "@")) { // Tuesday's at 11
			return 1 << d, 1, true
		}
		single := strings.TrimSuffix(text, "s")
		switch {
		case slices.Contains(w.Weekdays, single):
			return workdays, 1, single != text
		case slices.Contains(w.Weekends, single):
			return allDays &^ workdays, 1, single != text
		case slices.Contains(w.Working, text) && p.is(at+1, "day", "days"):
			return workdays, 2, p.is(at+1, "days")
		}
		return 0, 0, false
	}
	at := p.skip(i, "the")
	if p.is(at, "from") {
		at++
	}
	for {
		got, k, many := one(at)
		if k == 0 {
			break
		}
		set, plural = set|got, plural || many
		at += k
		n = at - i
		if p.is(at, "-", "–", "to", "through", "thru", "till", "until") {
			last, k, _ := one(at + 1)
			if k > 0 && single(got) && single(last) {
				for d := first(got); ; d = (d + 1) % 7 {
					if set |= 1 << d; d == first(last) {
						break
					}
				}
				at, several = at+1+k, true
				n = at - i
			}
		} else if p.is(i, "from") {
			return 0, 0, false, false
		}
		next := at
		for p.is(next, ",", "and", "&", "/", "+", "plus", "on") {
			next++
		}
		if next == at {
			break
		}
		if _, k, _ := one(next); k == 0 {
			break
		}
		if p.is(at, "and") && p.is(at+1, "on") {
			break
		}
		at, several = next, true
	}
	return set, n, plural, several
}

func single(set dayset) bool { return set != 0 && set&(set-1) == 0 }

func first(set dayset) time.Weekday {
	for d := range time.Weekday(7) {
		if set&(1<<d) != 0 {
			return d
		}
	}
	return 0
}

// weekdays reads every Monday, on weekdays, Mondays and Fridays, weekly on Mondays; one day alone is a date.
func (p *parser) weekdays(s *spec, i int) int {
	at := p.skip(i, "on")
	every := p.is(at, "every", "each")
	if every {
		at = p.skip(at+1, words().Emphasis...)
	}
	// Every second Tuesday: of the month, or each other one?
	if every && (p.is(at, "other") || words().ordinal[p.text(at)] > 1 || digitOrdinal.MatchString(p.text(at))) {
		if set, n, _ := p.dayList(at + 1); n > 0 && set != 0 {
			s.recurring = true
			why := "it may be each " + p.text(at) + " one or that of the month: say every other week, or the " + p.text(at) + " one of the month"
			if p.is(at, "other") {
				why = reasons["count"]
			}
			s.fresh = append(s.fresh, why)
			return at + 1 + n - i
		}
		return 0
	}
	set, n, plural, several := p.daysAt(at)
	if n == 0 || s.days != 0 || s.date != nil {
		return 0
	}
	if part, many := strings.CutSuffix(p.text(at+n), "s"); many { // Monday mornings
		if _, ok := words().Parts[part]; ok {
			plural = true
		}
	}
	if !every && !plural && !several && !s.recurring {
		return 0
	}
	s.soft = !every && !plural && !s.recurring
	if p.is(at+n, "the") && p.is(at+n+1, "13th") {
		s.fresh = append(s.fresh, "a day of the week that is a day of the month, too, is more than a trigger says")
		n += 2
	}
	if s.part == "" && strings.HasPrefix(p.text(at+n-1), "weeknight") {
		s.part = "night"
	}
	s.days, s.recurring = set, true
	return at + n - i
}
