package trigger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Words say in English when it fires: every weekday at 08:00 (Europe/Berlin). What Check finds something wrong with is given as it
// was written.
func (t *Trigger) Words() string {
	switch {
	case t.Cron != "":
		said, ok := cronWords(t.Cron)
		if !ok {
			said = "by the cron expression " + t.Cron
		}
		if t.Timezone != "" {
			said += " (" + t.Timezone + ")"
		}
		return said
	case t.Every != "":
		if d, err := interval(t.Every); err == nil {
			return "every " + length(d)
		}
		return "every " + t.Every
	case t.At != "":
		at, err := time.Parse(time.RFC3339, t.At)
		zone, zoneErr := t.Zone()
		if err != nil || zoneErr != nil {
			return "once, at " + t.At
		}
		said := "once, on " + Moment(at.In(zone))
		if t.Timezone != "" {
			said += " (" + t.Timezone + ")"
		}
		return said
	case t.Watch != nil:
		said := "when a file arrives in " + t.Watch.Path
		if t.Watch.Pattern != "" {
			said += " with a name like " + t.Watch.Pattern
		}
		return said
	}
	return "never"
}

// Moment writes a time as a person reads it: Mon 2026-11-23 08:00, with seconds where it has some.
func Moment(t time.Time) string {
	if t.Second() != 0 {
		return t.Format("Mon 2006-01-02 15:04:05")
	}
	return t.Format("Mon 2006-01-02 15:04")
}

// length writes an interval in its largest whole unit: 45 minutes, 2 hours, hour. Days are left to hours, since they differ.
func length(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := d / u.unit; d%u.unit == 0 {
			if n == 1 {
				return u.name
			}
			return fmt.Sprintf("%d %ss", n, u.name)
		}
	}
	return d.String()
}

// cronWords says what expressions come to. Those of the same days are said as one.
func cronWords(text string) (string, bool) {
	schedules, err := parse(text)
	if err != nil {
		return "", false
	}
	type days struct {
		said  string
		every bool // every day
		times []int
	}
	var groups []*days
	for _, s := range schedules {
		said, every := daysOf(s)
		k := slices.IndexFunc(groups, func(g *days) bool { return g.said == said })
		if k < 0 {
			k, groups = len(groups), append(groups, &days{said: said, every: every})
		}
		groups[k].times = append(groups[k].times, timesOf(s)...)
	}
	var out []string
	for _, g := range groups {
		slices.Sort(g.times)
		times, repeats := timesWords(slices.Compact(g.times))
		switch {
		case repeats && g.every:
			out = append(out, times)
		case repeats:
			out = append(out, times+", "+g.said)
		default:
			out = append(out, g.said+" "+times)
		}
	}
	return strings.Join(out, "; "), true
}

// timesOf are the minutes of a day at which a schedule fires.
func timesOf(s *cron.SpecSchedule) (out []int) {
	for h := range 24 {
		for m := range 60 {
			if s.Hour&(1<<h) != 0 && s.Minute&(1<<m) != 0 {
				out = append(out, 60*h+m)
			}
		}
	}
	return out
}

const dayMinutes = 24 * 60

// timesWords say the minutes of a day, at 08:00 and 12:00, or what they repeat by, every 5 minutes from 09:00 to 17:00.
func timesWords(times []int) (said string, repeats bool) {
	n := len(times)
	if n > 3 {
		// What goes on over midnight begins behind the longest pause.
		first, pause := 0, times[0]+dayMinutes-times[n-1]
		for k := 1; k < n; k++ {
			if p := times[k] - times[k-1]; p > pause {
				first, pause = k, p
			}
		}
		step, even := 0, true
		for k := range n - 1 {
			p := (times[(first+k+1)%n] - times[(first+k)%n] + dayMinutes) % dayMinutes
			even, step = even && (step == 0 || step == p), p
		}
		if even {
			return repeat(times[first], times[(first+n-1)%n], step, pause == step), true
		}
	}
	if n > 12 {
		return fmt.Sprintf("%d times between %s and %s", n, clock(times[0]), clock(times[n-1])), false
	}
	all := make([]string, n)
	for k, m := range times {
		all[k] = clock(m)
	}
	return "at " + and(all), false
}

// repeat says what comes every so many minutes, all day or from one time to another.
func repeat(first, last, step int, allDay bool) string {
	said := "every " + length(time.Duration(step)*time.Minute)
	switch {
	case !allDay:
		return said + " from " + clock(first) + " to " + clock(last)
	case first != 0 && step == 60:
		return said + fmt.Sprintf(" at %02d minutes past", first)
	case first != 0 || step > 60:
		return said + " from " + clock(first) + " on"
	}
	return said
}

func clock(minute int) string {
	return fmt.Sprintf("%02d:%02d", minute/60, minute%60)
}

// daysOf says the days of a schedule, and whether they are all.
func daysOf(s *cron.SpecSchedule) (said string, every bool) {
	const star = 1 << 63
	var months []string
	for m := time.January; m <= time.December; m++ {
		if s.Month&(1<<m) != 0 {
			months = append(months, m.String())
		}
	}
	month, within := "each month", ""
	if len(months) < 12 {
		month, within = and(months), " in "+and(months)
	}
	var parts []string
	// Where one of the two is every day, written as * or one by one, the other says nothing or all.
	anyDay, anyWeekday := s.Dom != 0 && values(s.Dom, 1, 31) == nil, s.Dow != 0 && values(s.Dow, 0, 6) == nil
	if anyDay && anyWeekday || s.Dom&star == 0 && s.Dow&star == 0 && (anyDay || anyWeekday) {
		return "every day" + within, within == ""
	}
	if !anyDay {
		parts = append(parts, "on "+and(monthDays(s))+" of "+month)
	}
	if !anyWeekday {
		week, nth := weekDays(s)
		if week != "" {
			parts = append(parts, "every "+week+within)
		}
		if len(nth) > 0 {
			parts = append(parts, "on "+and(nth)+" of "+month)
		}
	}
	return strings.Join(parts, " and "), false
}

// monthDays say the days of a month.
func monthDays(s *cron.SpecSchedule) (out []string) {
	for d := 1; d <= 31; d++ {
		if s.Dom&(1<<d) != 0 {
			out = append(out, "the "+ordinal(d))
		}
	}
	for _, c := range s.DomConstraints {
		switch c.Type {
		case cron.DomLast:
			out = append(out, "the last day")
		case cron.DomLastOffset:
			out = append(out, fmt.Sprintf("the day %d before the last", c.N))
		case cron.DomLastWeekday:
			out = append(out, "the last working day")
		case cron.DomNearestWeekday:
			if c.N == 1 {
				out = append(out, "the first working day")
			} else {
				out = append(out, "the working day nearest to the "+ordinal(c.N))
			}
		}
	}
	return out
}

// weekDays say the days of a week, and the nth ones of a month.
func weekDays(s *cron.SpecSchedule) (week string, nth []string) {
	var names []string
	set := 0
	for k := range 7 {
		d := time.Weekday((k + 1) % 7) // Monday first
		if s.Dow&(1<<d) != 0 {
			set |= 1 << d
			names = append(names, d.String())
		}
	}
	const workdays = 1<<time.Monday | 1<<time.Tuesday | 1<<time.Wednesday | 1<<time.Thursday | 1<<time.Friday
	switch set {
	case 0:
	case workdays:
		week = "weekday"
	default:
		week = and(names)
	}
	for _, c := range s.DowConstraints {
		which := "last"
		if c.N > 0 {
			which = []string{"first", "second", "third", "fourth", "fifth"}[c.N-1]
		}
		nth = append(nth, "the "+which+" "+time.Weekday(c.Weekday).String())
	}
	return week, nth
}

func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// and joins with commas and a last and.
func and(all []string) string {
	if n := len(all) - 1; n > 0 {
		return strings.Join(all[:n], ", ") + " and " + all[n]
	}
	return strings.Join(all, "")
}
