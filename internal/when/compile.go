package when

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/trigger"
)

// compile makes a trigger of what was said. why is what keeps it from being one; where both are empty it says nothing of when.
func (s *spec) compile(now time.Time, zone string) (t *trigger.Trigger, why string) {
	if len(s.fresh) > 0 {
		return nil, s.fresh[0]
	}
	t = &trigger.Trigger{Timezone: zone}
	if s.zone != "" && s.zone != "local" {
		t.Timezone = s.zone
	}
	loc, err := t.Zone()
	if err != nil {
		return nil, "there is no time zone " + t.Timezone
	}
	if s.part != "" {
		day := words().Parts[s.part]
		p := &parser{}
		for k, c := range s.times {
			s.times[k] = p.inPart(c, day, s.part)
		}
		if p.why != "" {
			return nil, p.why
		}
	}
	if s.part == "night" && (s.days != 0 && s.days != allDays || s.date != nil && !s.date.Equal(dayOf(now))) && slices.ContainsFunc(s.times, clock.small) {
		return nil, "it may be the night before that day or the one behind: say the day and an hour in the morning, such as on Saturdays at 2 am"
	}
	if !s.recurring {
		return s.once(t, now, loc)
	}
	if s.part != "" && len(s.times) == 0 {
		if s.window == nil {
			return nil, reasons["hour"]
		}
		p, day := &parser{}, words().Parts[s.part]
		for k, c := range s.window {
			s.window[k] = p.inPart(c, day, s.part)
		}
		if p.why != "" {
			return nil, p.why
		}
	}
	if s.except != 0 {
		if s.days == 0 {
			s.days = allDays
		}
		if s.days &^= s.except; s.days == 0 {
			return nil, "it leaves out every day that it names"
		}
	}
	switch {
	case s.every > 0:
		t.Cron, t.Every, why = s.interval()
	case s.unit == "minute" || s.unit == "hour":
		t.Cron, why = s.byTheHour()
	default:
		t.Cron, why = s.byTheDay()
	}
	if why != "" {
		return nil, why
	}
	if t.Every != "" && s.zone == "" {
		t.Timezone = zone
	}
	return t, ""
}

// small reports whether a time is one of the hours between midnight and morning.
func (c clock) small() bool { return c.minute <= 60*(words().Parts["night"].To-24) }

func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// once is a moment.
func (s *spec) once(t *trigger.Trigger, now time.Time, loc *time.Location) (*trigger.Trigger, string) {
	var at time.Time
	switch {
	case len(s.also) > 0:
		return nil, "these are several moments: ask for each by itself, or say every year"
	case s.window != nil || s.every > 0 || s.count > 0 || s.except != 0 || len(s.monthDays)+len(s.nth) > 0 || len(s.times) > 1:
		return nil, "it does not say whether it repeats: say every day, or one day"
	case s.hasIn && s.in > 0:
		if len(s.times) > 0 {
			return nil, "it names a moment twice"
		}
		at = now.Add(s.in)
	case s.date != nil:
		there := now.In(loc)
		minute := 60*there.Hour() + there.Minute()
		switch {
		case len(s.times) == 1:
			minute = s.times[0].minute
		case !s.hasIn:
			return nil, ""
		}
		at = trigger.OnWall(s.date.Add(time.Duration(minute)*time.Minute), loc)
	default:
		return nil, ""
	}
	if s.part == "night" && s.date != nil && !at.After(now) && len(s.times) == 1 && s.times[0].small() {
		at = trigger.OnWall(s.date.AddDate(0, 0, 1).Add(time.Duration(s.times[0].minute)*time.Minute), loc) // tonight at 2
	}
	if !at.After(now) {
		return nil, ""
	}
	t.At = at.In(loc).Truncate(time.Second).Format(time.RFC3339)
	return t, ""
}

// interval is every so often: an interval, or the times of a clock where it has a window or days.
func (s *spec) interval() (cron, every, why string) {
	if len(s.times) > 0 || s.date != nil || len(s.monthDays)+len(s.nth) > 0 || len(s.minutes) > 0 {
		return "", "", reasons["count"]
	}
	if s.window == nil && s.days == 0 && s.months == 0 && s.anchor == nil {
		return "", short(s.every), ""
	}
	step := int(s.every / time.Minute)
	if s.every%time.Minute != 0 {
		return "", "", "an interval in seconds has no window and no days"
	}
	if step >= 24*60 {
		return "", "", reasons["count"]
	}
	cron, why = s.repeat(step)
	return cron, "", why
}

// repeat are the times of every so many minutes, in the window or all day.
func (s *spec) repeat(step int) (cron, why string) {
	first, last := 0, 24*60-1
	switch {
	case s.anchor != nil && (s.window != nil || 24*60%step != 0):
		return "", reasons["bound"]
	case s.anchor != nil:
		first = s.anchor.minute % step
	}
	if s.window != nil {
		first, last = s.hours()
		if last <= first {
			if s.days != 0 {
				return "", "a window over midnight lies on two days: say which days without one"
			}
			last += 24 * 60
		}
	} else if 24*60%step != 0 {
		return "", "it does not go into a day: say from when to when, or leave out the days"
	}
	var times []int
	for m := first; m <= last; m += step {
		times = append(times, m%(24*60))
	}
	return s.cron(times)
}

// hours are the ends of the window: 9 to 5 is 09:00 to 17:00.
func (s *spec) hours() (first, last int) {
	a, b := s.window[0], s.window[1]
	if b.pm && a.twelve && a.minute < 12*60 && a.minute+12*60 < b.minute {
		a.minute += 12 * 60 // 1 to 5 pm
	}
	if b.minute < a.minute && b.twelve && a.twelve && a.minute < 12*60 {
		b.minute += 12 * 60
	}
	return a.minute, b.minute
}

// byTheHour is hourly and every minute, with minutes past the hour, a window, days.
func (s *spec) byTheHour() (cron, why string) {
	if s.count > 1 && (s.unit != "hour" || 60%s.count != 0 || len(s.minutes) > 0) {
		return "", "it does not go into an hour: say an interval, such as every 10 minutes"
	}
	if len(s.times) > 0 || s.date != nil || len(s.monthDays)+len(s.nth) > 0 {
		return "", "it names an hour and every hour"
	}
	if s.count > 1 {
		return s.repeat(60 / s.count)
	}
	if s.unit == "minute" {
		return s.repeat(1)
	}
	if len(s.minutes) == 0 || len(s.minutes) == 1 && s.minutes[0] == 0 && (s.window == nil || s.window[0].minute%60 == 0) {
		return s.repeat(60)
	}
	var times []int
	first, last := 0, 24*60-1
	if s.window != nil {
		if first, last = s.hours(); last <= first {
			return "", "a window over midnight lies on two days"
		}
	}
	for h := range 24 {
		for _, m := range s.minutes {
			if at := 60*h + m; at >= first && at <= last {
				times = append(times, at)
			}
		}
	}
	return s.cron(times)
}

// byTheDay is at times of days.
func (s *spec) byTheDay() (cron, why string) {
	if s.window != nil || len(s.minutes) > 0 {
		return "", "it says from when to when, and not how often"
	}
	switch {
	case s.unit == "week" && s.days == 0 && s.count <= 1:
		return "", reasons["day"]
	case s.count > 1 && s.unit == "day" && s.count != len(s.times):
		return "", fmt.Sprintf("it does not name %d hours: say them, such as at 9 and 17", s.count)
	case s.count > 1 && s.unit == "week" && s.count != s.days.len():
		return "", fmt.Sprintf("it does not name %d days: say them", s.count)
	case s.count > 1 && s.unit == "month" && s.count != len(s.monthDays)+len(s.nth), s.count > 1 && (s.unit == "year" || s.unit == "quarter"):
		return "", fmt.Sprintf("it does not name %d days: say them", s.count)
	case s.days != 0 && len(s.monthDays)+len(s.nth) > 0:
		return "", "a day of the week that is a day of the month, too, is more than a trigger says"
	case len(s.monthDays) > 0 && len(s.nth) > 0:
		return "", "days of the month and days of the week in it are two schedules"
	}
	if s.date != nil {
		if !s.yearly && !(s.yearless && s.unit == "year") || s.months != 0 || len(s.monthDays)+len(s.nth) > 0 || s.days != 0 {
			return "", "it names one day and several"
		}
		if s.date.Month() == time.February && s.date.Day() == 29 {
			return "", "not every year has a 29 February"
		}
		s.monthDays, s.months = []string{strconv.Itoa(s.date.Day())}, 1<<s.date.Month()
	} else if len(s.monthDays)+len(s.nth) == 0 && s.days == 0 {
		switch s.unit {
		case "month":
			s.monthDays = []string{"1"}
		case "quarter":
			if s.months != 0 {
				return "", "it names months and quarters"
			}
			s.monthDays, s.months = []string{"1"}, quarters(0)
		case "year":
			if s.monthDays = []string{"1"}; s.months == 0 {
				s.months = 1 << time.January
			}
		}
	} else if s.unit == "quarter" || s.unit == "year" && s.months == 0 {
		return "", "it names a day of the week or the month and not which one of the " + s.unit
	}
	if len(s.also) > 0 {
		return s.dates()
	}
	for _, d := range s.monthDays {
		if v, err := strconv.Atoi(d); err == nil && v > 28 && s.date == nil {
			return "", "not every month has a day " + d + ": say the last day of the month, or a day up to the 28th"
		}
	}
	times := []int{}
	for _, c := range s.times {
		times = append(times, c.minute)
	}
	if len(times) == 0 {
		times = []int{0}
	}
	return s.cron(times)
}

// dates are several days of each year.
func (s *spec) dates() (cron, why string) {
	var out []string
	for _, d := range append([]time.Time{*s.date}, s.also...) {
		one := *s
		one.date, one.also = &d, nil
		one.monthDays, one.months, one.yearly = nil, 0, true
		cron, why := one.byTheDay()
		if why != "" {
			return "", why
		}
		out = append(out, cron)
	}
	return strings.Join(out, "; "), ""
}

func (d dayset) len() (n int) {
	for k := range 7 {
		n += int(d >> k & 1)
	}
	return n
}

// cron writes the expressions of times of the day, on the days and months of the spec. Hours with the same minutes are one.
func (s *spec) cron(times []int) (cron, why string) {
	minutes := map[int][]int{}
	for _, m := range times {
		if h := m / 60; !slices.Contains(minutes[h], m%60) {
			minutes[h] = append(minutes[h], m%60)
		}
	}
	if len(minutes) == 0 {
		return "", "the window is too short for it"
	}
	byMinutes, order := map[string][]int{}, []string{}
	for h := range 24 {
		if ms := minutes[h]; len(ms) > 0 {
			slices.Sort(ms)
			field := list(ms, 60)
			if byMinutes[field] == nil {
				order = append(order, field)
			}
			byMinutes[field] = append(byMinutes[field], h)
		}
	}
	if len(order) > 12 {
		return "", "its times are too many to name"
	}
	day, month, week := "*", "*", "*"
	if len(s.monthDays) > 0 {
		day = strings.Join(s.monthDays, ",")
	}
	if s.months != 0 {
		var ms []int
		for m := 1; m <= 12; m++ {
			if s.months&(1<<m) != 0 {
				ms = append(ms, m)
			}
		}
		month = list(ms, 0)
	}
	switch {
	case len(s.nth) > 0:
		week = strings.Join(s.nth, ",")
	case s.days != 0 && s.days != allDays:
		var ds []int
		for d := range 7 {
			if s.days&(1<<d) != 0 {
				ds = append(ds, d)
			}
		}
		week = list(ds, 0)
	}
	var out []string
	for _, field := range order {
		out = append(out, strings.Join([]string{field, list(byMinutes[field], 24), day, month, week}, " "))
	}
	return strings.Join(out, "; "), ""
}

// list writes numbers in order as a field of cron: 1-5, */5, 8,12. all is how many there are, 0 where * is not meant.
func list(numbers []int, all int) string {
	if len(numbers) == all {
		return "*"
	}
	if n := len(numbers); n > 2 && all > 0 && numbers[0] == 0 {
		step := numbers[1]
		even := step > 1 && numbers[n-1]+step >= all
		for k := range numbers {
			even = even && numbers[k] == k*step
		}
		if even {
			return "*/" + strconv.Itoa(step)
		}
	}
	var out []string
	for k := 0; k < len(numbers); {
		end := k
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if end-k > 1 {
			out = append(out, fmt.Sprintf("%d-%d", numbers[k], numbers[end]))
		} else {
			for j := k; j <= end; j++ {
				out = append(out, strconv.Itoa(numbers[j]))
			}
		}
		k = end + 1
	}
	return strings.Join(out, ",")
}

// short writes an interval as Every has it: 45m, 2h, 1h30m.
func short(d time.Duration) string {
	out := d.String()
	out = strings.TrimSuffix(out, "0s")
	if strings.HasSuffix(out, "h0m") {
		out = strings.TrimSuffix(out, "0m")
	}
	if out == "" || strings.HasSuffix(d.String(), "0s") && !strings.HasSuffix(out, "m") && !strings.HasSuffix(out, "h") {
		return d.String() // 30s, 0s
	}
	return out
}
