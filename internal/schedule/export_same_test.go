package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pflow/internal/consent"
	"pflow/internal/trigger"
)

// asCron reads a field as cron does: ranges go up, a step follows a star or a range, and a field that begins with a star restricts
// no day.
func asCron(t *testing.T, field string, least, last int) (has map[int]bool, star bool) {
	t.Helper()
	has = map[int]bool{}
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > last {
			t.Fatalf("cron does not read %q", field)
		}
		return n
	}
	for part := range strings.SplitSeq(field, ",") {
		span, step, stepped := strings.Cut(part, "/")
		from, to, by := least, last, 1
		if a, b, ranged := strings.Cut(span, "-"); ranged {
			from, to = number(a), number(b)
		} else if span != "*" {
			if stepped {
				t.Fatalf("cron does not read %q", field)
			}
			from = number(span)
			to = from
		}
		if stepped {
			by = number(step)
		}
		if from > to || by < 1 {
			t.Fatalf("cron does not read %q", field)
		}
		for n := from; n <= to; n += by {
			has[n] = true
		}
	}
	return has, strings.HasPrefix(field, "*")
}

// cronFires reports whether cron runs a line at a minute.
func cronFires(t *testing.T, line string) func(time.Time) bool {
	f := strings.Fields(line)
	minute, _ := asCron(t, f[0], 0, 59)
	hour, _ := asCron(t, f[1], 0, 23)
	day, everyDay := asCron(t, f[2], 1, 31)
	month, _ := asCron(t, f[3], 1, 12)
	week, everyWeek := asCron(t, f[4], 0, 7)
	return func(at time.Time) bool {
		d, w := day[at.Day()], week[int(at.Weekday())] || at.Weekday() == time.Sunday && week[7]
		if everyDay || everyWeek {
			d = d && w
		} else {
			d = d || w
		}
		return minute[at.Minute()] && hour[at.Hour()] && month[int(at.Month())] && d
	}
}

// systemdFires reports whether systemd runs a line such as OnCalendar=Mon,Fri *-01,02-* 09:00:00 UTC at a minute.
func systemdFires(line string) func(time.Time) bool {
	words := strings.Fields(strings.TrimPrefix(line, "OnCalendar="))
	names := weekdays
	if strings.ContainsAny(words[0], "SMTWF") {
		names, words = strings.Split(words[0], ","), words[1:]
	}
	date, clock := strings.Split(words[0], "-"), strings.Split(words[1], ":")
	fits := func(list string, n int) bool {
		return list == "*" || slices.Contains(strings.Split(list, ","), fmt.Sprintf("%02d", n))
	}
	return func(at time.Time) bool {
		return slices.Contains(names, weekdays[at.Weekday()]) && fits(date[1], int(at.Month())) && fits(date[2], at.Day()) &&
			fits(clock[0], at.Hour()) && fits(clock[1], at.Minute())
	}
}

// TestExportMeansTheSame: what is written for cron and for systemd fires at the times at which pflow serve would, by their own rules
// of reading it.
func TestExportMeansTheSame(t *testing.T) {
	for _, text := range []string{
		"0 9 * * SAT-SUN", "0 9 * * fri-mon", "0 22-2 * * *", "50-10 6 * * *", "0 0 */2 * 1", "0 0 */10 * */3", "5/15 * * * *", "0 9/4 * * *",
		"*/7 * * * *", "*/20 */6 * * *", "0 0 * * 5-7", "0 0 * * 7", "0 9 ? * 1", "0 0 1-31 * 1", "0 0 5 * 0-6", "0 0 1 NOV-FEB *", "0 9 * * 1,*",
		"15 3 1,15,28-30 1-6/2 mon,wed", "0 12 13 * 5; 30 7 * * 1-5", "1,2 0 * * *",
	} {
		s := &Schedule{Name: "s", Consent: consent.Consent{Workflow: "w"}, Trigger: trigger.Trigger{Cron: text, Timezone: "UTC"}}
		s.Default()
		if list := s.Check(); list.HasErrors() {
			t.Fatal(text, list)
		}
		crontab, err := exported.Crontab([]*Schedule{s})
		if err != nil {
			t.Fatal(text, err)
		}
		units, err := exported.Systemd(s)
		if err != nil {
			t.Fatal(text, err)
		}
		var cron, systemd []func(time.Time) bool
		for line := range strings.Lines(crontab) {
			if strings.Contains(line, exported.Program) {
				cron = append(cron, cronFires(t, line))
			}
		}
		for line := range strings.Lines(units) {
			if strings.HasPrefix(line, "OnCalendar=") {
				systemd = append(systemd, systemdFires(line))
			}
		}
		at := time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC)
		next, ok := s.Trigger.Next(at.Add(-time.Minute))
		for end := at.AddDate(0, 0, 72); at.Before(end); at = at.Add(time.Minute) {
			want := ok && next.Equal(at)
			if want {
				next, ok = s.Trigger.Next(at)
			}
			for name, all := range map[string][]func(time.Time) bool{"cron": cron, "systemd": systemd} {
				if fires := slices.ContainsFunc(all, func(f func(time.Time) bool) bool { return f(at) }); fires != want {
					t.Errorf("%s: at %s %s fires: %v, want %v\n%s\n%s", text, at.Format("Mon 2006-01-02 15:04"), name, fires, want, crontab, units)
					at = end
				}
			}
		}
	}
}
