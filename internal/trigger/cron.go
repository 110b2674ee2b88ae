package trigger

import (
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// fields are minute, hour, day of month, month and day of week. Of a day of month and a day of week either is enough, as in
// every crontab.
var fields = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Extended | cron.DowOrDom).WithMaxSearchYears(20)

// parse reads the expressions of Cron.
func parse(text string) ([]*cron.SpecSchedule, error) {
	var out []*cron.SpecSchedule
	for one := range strings.SplitSeq(text, ";") {
		one = strings.TrimSpace(one)
		if one == "" {
			return nil, fmt.Errorf("%q has an empty expression beside a semicolon", text)
		}
		if n := len(strings.Fields(one)); n != 5 {
			return nil, fmt.Errorf("%q has %d fields: a cron expression has 5, minute, hour, day of month, month, day of week, such as 0 8 * * 1-5", one, n)
		}
		s, err := fields.Parse(one)
		if err != nil {
			return nil, fmt.Errorf("%q is no cron expression: %s", one, wrongField(one, err))
		}
		spec, ok := s.(*cron.SpecSchedule)
		if !ok {
			return nil, fmt.Errorf("%q is no cron expression of 5 fields", one)
		}
		spec.Location = time.UTC
		out = append(out, spec)
	}
	return out, nil
}

// fieldWords are the fields of an expression, and what they take.
var fieldWords = [5]struct{ name, takes string }{
	{"minute", "0 to 59"}, {"hour", "0 to 23"}, {"day of month", "1 to 31, or L for the last"}, {"month", "1 to 12, or JAN to DEC"}, {"day of week", "0 to 7, or SUN to SAT"},
}

// wrongField says which field of an expression is wrong, or where none is by itself, what the reader of expressions says.
func wrongField(expression string, err error) string {
	for k, field := range strings.Fields(expression) {
		alone := []string{"*", "*", "*", "*", "*"}
		alone[k] = field
		if _, err := fields.Parse(strings.Join(alone, " ")); err != nil {
			return fmt.Sprintf("%s is no %s, which is *, or %s", field, fieldWords[k].name, fieldWords[k].takes)
		}
	}
	return err.Error()
}

// nextOnWall is the first moment after another at which the clock on the wall of a zone shows a time of a schedule. The
// schedule is asked for times of a day without change of clocks, and each is looked up in the zone.
func nextOnWall(s *cron.SpecSchedule, after time.Time, zone *time.Location) (time.Time, bool) {
	wall := shows(after.In(zone))
	for {
		if wall = s.Next(wall); wall.IsZero() {
			return time.Time{}, false
		}
		if at := OnWall(wall, zone); at.After(after) {
			return at, true
		}
	}
}

// OnWall is the moment at which the clock of a zone shows what wall shows: the first one, or, where the clock leaves it out, the
// first moment after the gap.
func OnWall(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	start, end := t.ZoneBounds()
	shown := shows(t)
	switch {
	case shown.After(wall): // t lies behind the gap
		return start
	case shown.Before(wall):
		return end
	}
	if start.IsZero() {
		return t
	}
	_, before := start.Add(-time.Second).Zone()
	if first := wall.Add(-time.Duration(before) * time.Second).In(zone); first.Before(start) && shows(first).Equal(wall) {
		return first
	}
	return t
}

// shows is what a clock shows at a moment, as a time of UTC.
func shows(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}
