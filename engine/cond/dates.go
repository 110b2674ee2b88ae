package cond

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on a machine that has none

	"github.com/ncruces/go-strftime"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// A date is a day, "2006-01-02", as today() gives it, or an instant in RFC 3339, as now() gives it. A function gives what
// it got: days of days, instants of instants. Nothing here reads a clock or the zone of the machine: an instant has its
// own offset, or the zone that the call names.
var dateFunctions = []function{
	{
		Function: Function{"parse_date", "parse_date(s string, layout string[, zone string]) string",
			`Reads a date written in a layout of strftime, such as "%d.%m.%Y" or "%Y-%m-%d %H:%M"; "%s" is seconds since 1970. A layout without a time gives a day ("2006-01-02"), one with a time an instant (RFC 3339). zone, such as "Europe/Berlin", "UTC" or "+02:00", is needed where a time is written without its offset (%z).`,
			`parse_date("24.12.2026 18:00", "%d.%m.%Y %H:%M", "Europe/Berlin")`, `"2026-12-24T18:00:00+01:00"`},
		params: []value.Type{value.String, value.String, value.String}, optional: 1, result: value.String,
		literals: map[int]func(string) string{1: badParseLayout, 2: badZone}, call: parseDate,
	},
	{
		Function: Function{"format_date", "format_date(date string, layout string[, zone string]) string",
			`Writes a day or an instant in a layout of strftime; an instant in its own offset, or in the zone.`,
			`format_date("2026-03-04T23:30:00Z", "%A, %-d %B %Y, %H:%M", "Asia/Tokyo")`, `"Thursday, 5 March 2026, 08:30"`},
		params: []value.Type{value.String, value.String, value.String}, optional: 1, result: value.String,
		literals: map[int]func(string) string{1: badFormatLayout, 2: badZone}, call: formatDate,
	},
	{
		Function: Function{"add_date", "add_date(date string, n integer, unit string[, zone string]) string",
			`n units later, or earlier if n is negative. unit is "year", "month", "week", "day", "hour", "minute" or "second". A day of the month that does not exist becomes the last one. Days and longer units keep the time of day in the zone.`,
			`add_date("2026-01-31", 1, "month")`, `"2026-02-28"`},
		params: []value.Type{value.String, value.Integer, value.String, value.String}, optional: 1, result: value.String,
		literals: map[int]func(string) string{2: badUnit, 3: badZone}, call: addDate,
	},
	{
		Function: Function{"diff_dates", "diff_dates(from string, to string, unit string[, zone string]) integer",
			`How many whole units lie between two days or two instants; negative if to is the earlier.`,
			`diff_dates("2026-02-27", "2026-03-04", "day")`, `5`},
		params: []value.Type{value.String, value.String, value.String, value.String}, optional: 1, result: value.Integer,
		literals: map[int]func(string) string{2: badUnit, 3: badZone}, call: diffDates,
	},
	{
		Function: Function{"truncate_date", "truncate_date(date string, unit string[, zone string]) string",
			`The begin of the unit that the date lies in; weeks begin on Monday.`,
			`truncate_date("2026-03-04", "week")`, `"2026-03-02"`},
		params: []value.Type{value.String, value.String, value.String}, optional: 1, result: value.String,
		literals: map[int]func(string) string{1: badUnit, 2: badZone}, call: truncateDate,
	},
	{
		Function: Function{"weekday", "weekday(date string[, zone string]) integer",
			`The day of the week: 1 is Monday, 7 is Sunday.`,
			`weekday("2026-03-04")`, `3`},
		params: []value.Type{value.String, value.String}, optional: 1, result: value.Integer,
		literals: map[int]func(string) string{1: badZone},
		call: func(_ *Scope, args []any) (any, error) {
			d, err := readDate("weekday", args[0].(string), textOr(args, 1, ""))
			if err != nil {
				return nil, err
			}
			return (int(d.Weekday())+6)%7 + 1, nil
		},
	},
	{
		Function: Function{"parse_duration", "parse_duration(s string) number",
			`The seconds of a duration such as "1h30m", "2d", "1w" or "250ms".`,
			`parse_duration("1h30m")`, `5400`},
		params: []value.Type{value.String}, result: value.Number,
		call: func(_ *Scope, args []any) (any, error) { return parseDuration(args[0].(string)) },
	},
	{
		Function: Function{"format_duration", "format_duration(seconds number) string",
			`Seconds as a duration in hours, minutes and seconds, as timeout and wait take it.`,
			`format_duration(5400)`, `"1h30m"`},
		params: []value.Type{value.Number}, result: value.String,
		call: func(_ *Scope, args []any) (any, error) { return formatDuration(args[0]) },
	},
}

// date is a day, held as its midnight in UTC, or an instant.
type date struct {
	time.Time
	day bool
}

// readDate reads a day or an instant, and puts an instant into a zone if there is one.
func readDate(name, text, zone string) (date, error) {
	if len(text) <= len(time.RFC3339Nano)+10 {
		if t, err := time.Parse(time.DateOnly, text); err == nil {
			if zone != "" {
				return date{}, fault.New(fault.Type, "%s got the day %q with a zone: a day is the same day in every zone; leave the zone out, or give an instant", name, text)
			}
			return date{t, true}, nil
		}
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			if zone == "" {
				return date{t, false}, nil
			}
			in, err := loadZone(zone)
			return date{t.In(in), false}, err
		}
	}
	return date{}, fault.New(fault.Type, "%s takes a day such as \"2026-03-04\" or an instant in RFC 3339 such as \"2026-03-04T05:06:07Z\", got %s; parse_date reads other forms", name, describe(text))
}

// text writes a date as it was read. What lies outside the years 1 to 9999 has no such form.
func (d date) text() (any, error) {
	switch y := d.Year(); {
	case y < 1 || y > 9999:
		return nil, fault.New(fault.Type, "the date lies outside the years 1 to 9999")
	case d.day:
		return d.Format(time.DateOnly), nil
	}
	return d.Format(time.RFC3339Nano), nil
}

func loadZone(name string) (*time.Location, error) {
	if len(name) == 6 && (name[0] == '+' || name[0] == '-') {
		if t, err := time.Parse("-07:00", name); err == nil {
			_, offset := t.Zone()
			return time.FixedZone("", offset), nil
		}
	}
	if name != "" && name != "Local" && len(name) < 64 { // Local is the machine's
		if in, err := time.LoadLocation(name); err == nil {
			return in, nil
		}
	}
	return nil, fault.New(fault.Type, "there is no time zone %s; give one of the IANA names such as \"Europe/Berlin\", \"UTC\", or an offset such as \"+02:00\"", describe(name))
}

func badZone(name string) string {
	_, err := loadZone(name)
	return messageOf(err)
}

func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.Of(err).Message
}

// units are those of dates, the longest first.
var units = []string{"year", "month", "week", "day", "hour", "minute", "second"}

func badUnit(unit string) string {
	if slices.Contains(units, unit) {
		return ""
	}
	return fmt.Sprintf("there is no unit %s; there is %s", describe(unit), strings.Join(units, ", "))
}

var clockUnits = map[string]int{"hour": 3600, "minute": 60, "second": 1}

// dated reads the arguments that the functions of a date and a unit share.
func dated(name, text, unit, zone string) (date, error) {
	if bad := badUnit(unit); bad != "" {
		return date{}, fault.New(fault.Type, "%s", bad)
	}
	d, err := readDate(name, text, zone)
	if err == nil && d.day && clockUnits[unit] > 0 {
		return date{}, fault.New(fault.Type, "%s got the day %q and the unit %q: a day has no time; give an instant", name, text, unit)
	}
	return d, err
}

func addDate(_ *Scope, args []any) (any, error) {
	unit := args[2].(string)
	d, err := dated("add_date", args[0].(string), unit, textOr(args, 3, ""))
	if err != nil {
		return nil, err
	}
	n := args[1].(int)
	if limit := int(1e12); n < -limit || n > limit {
		return nil, fault.New(fault.Type, "the date lies outside the years 1 to 9999")
	}
	return d.add(n, unit).text()
}

// add goes n units on. A time of day that a change of clocks leaves out moves on by what is left out.
func (d date) add(n int, unit string) date {
	if s := clockUnits[unit]; s > 0 {
		return date{time.Unix(d.Unix()+int64(n*s), int64(d.Nanosecond())).In(d.Location()), false}
	}
	y, m, day := d.Date()
	switch unit {
	case "year", "month":
		months := n
		if unit == "year" {
			months *= 12
		}
		months += y*12 + int(m) - 1
		y = int(math.Floor(float64(months) / 12))
		m = time.Month(months - y*12 + 1)
		day = min(day, time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day())
	case "week":
		day += 7 * n
	default:
		day += n
	}
	out, _ := wall(time.Date(y, m, day, d.Hour(), d.Minute(), d.Second(), d.Nanosecond(), time.UTC), d.Location())
	return date{out, d.day}
}

// wall is the instant at which clocks of a zone show what t shows in UTC: the earlier of two where they are put back,
// and as much later as is left out, and false, where they are put on.
func wall(t time.Time, in *time.Location) (time.Time, bool) {
	var found []time.Time
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := t.Add(near).In(in).Zone()
		at := t.Add(-time.Duration(offset) * time.Second).In(in)
		if _, is := at.Zone(); is == offset {
			return at, true // the offset of before comes first, and with it the earlier instant
		}
		found = append(found, at)
	}
	return found[0], false
}

func diffDates(_ *Scope, args []any) (any, error) {
	unit, zone := args[2].(string), textOr(args, 3, "")
	from, err := dated("diff_dates", args[0].(string), unit, zone)
	if err != nil {
		return nil, err
	}
	to, err := dated("diff_dates", args[1].(string), unit, zone)
	if err != nil {
		return nil, err
	}
	if from.day != to.day {
		return nil, fault.New(fault.Type, "diff_dates got a day and an instant; give two of one kind (format_date makes a day of an instant)")
	}
	if s := clockUnits[unit]; s > 0 {
		seconds, nanos := to.Unix()-from.Unix(), to.Nanosecond()-from.Nanosecond()
		if seconds > 0 && nanos < 0 {
			seconds-- // what is left of a second is cut towards zero
		} else if seconds < 0 && nanos > 0 {
			seconds++
		}
		return int(seconds) / s, nil
	}
	to.Time = to.In(from.Location())
	step := map[string]float64{"year": 365.2425, "month": 30.436875, "week": 7, "day": 1}[unit] * 86400
	n := int(float64(to.Unix()-from.Unix()) / step)
	sign := 1
	if to.Before(from.Time) {
		sign = -1
	}
	for sign*from.add(n, unit).Compare(to.Time) > 0 {
		n -= sign
	}
	for sign*from.add(n+sign, unit).Compare(to.Time) <= 0 {
		n += sign
	}
	return n, nil
}

func truncateDate(_ *Scope, args []any) (any, error) {
	unit := args[1].(string)
	d, err := dated("truncate_date", args[0].(string), unit, textOr(args, 2, ""))
	if err != nil {
		return nil, err
	}
	y, m, day := d.Date()
	hour, minute, second := 0, 0, 0
	switch unit {
	case "year":
		m, day = 1, 1
	case "month":
		day = 1
	case "week":
		day -= (int(d.Weekday()) + 6) % 7
	case "hour":
		hour = d.Hour()
	case "minute":
		hour, minute = d.Hour(), d.Minute()
	case "second":
		hour, minute, second = d.Hour(), d.Minute(), d.Second()
	}
	if clockUnits[unit] > 0 { // within the hour that the instant lies in, of two that show the same
		into := time.Duration(d.Minute()-minute)*time.Minute + time.Duration(d.Second()-second)*time.Second + time.Duration(d.Nanosecond())
		return date{d.Add(-into), false}.text()
	}
	out, _ := wall(time.Date(y, m, day, hour, minute, second, 0, time.UTC), d.Location())
	return date{out, d.day}.text()
}

// The directives of strftime that stand for a time of day, for an offset, and those that can only be written.
const (
	timeDirectives   = "HIklMSLfNpPTRrXcsQ+"
	offsetDirectives = "zsQ"
	allDirectives    = "AaBbhmdejIlHkMSLfNyYCUWVgGsQwupPZzcvFDxTXRrtn%+"
)

// directives are the letters of a layout's directives; bad is what is none.
func directives(layout string) (letters, bad string) {
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			continue
		}
		from := i
		i++
		if i < len(layout) && (layout[i] == '-' || layout[i] == ':') {
			i++
		}
		if i >= len(layout) || strings.IndexByte(allDirectives, layout[i]) < 0 {
			return letters, layout[from:min(i+1, len(layout))]
		}
		letters += layout[i : i+1]
	}
	return letters, ""
}

func badFormatLayout(layout string) string {
	if _, bad := directives(layout); bad != "" {
		return fmt.Sprintf("the layout %s has the directive %q, which is none; the directives are those of strftime, such as %%Y-%%m-%%d %%H:%%M:%%S", describe(layout), bad)
	}
	return ""
}

func badParseLayout(layout string) string {
	if bad := badFormatLayout(layout); bad != "" || layout == "%s" {
		return bad
	}
	letters, _ := directives(layout)
	if strings.ContainsAny(letters, "Z+") {
		return fmt.Sprintf("the layout %s has a zone by its abbreviation, which several zones share; read an offset (%%z), or name the zone", describe(layout))
	}
	if !strings.ContainsAny(letters, "YycFDxv") {
		return fmt.Sprintf("the layout %s has no year", describe(layout))
	}
	if _, err := strftime.Parse(layout, ""); err != nil && strings.HasPrefix(err.Error(), "strftime: ") {
		return fmt.Sprintf("the layout %s cannot be read: %s", describe(layout), strings.TrimSpace(strings.TrimPrefix(err.Error(), "strftime: ")))
	}
	return ""
}

func parseDate(s *Scope, args []any) (any, error) {
	text, layout, zone := args[0].(string), args[1].(string), textOr(args, 2, "")
	if err := s.scan((len(text) + len(layout)) * converts); err != nil {
		return nil, err
	}
	if bad := badParseLayout(layout); bad != "" {
		return nil, fault.New(fault.Type, "%s", bad)
	}
	letters, _ := directives(layout)
	in := time.UTC
	if zone != "" {
		var err error
		if in, err = loadZone(zone); err != nil {
			return nil, err
		}
	}
	unread := fault.New(fault.Malformed, "%s is no date of the form %s", describe(text), value.JSON(layout))
	if layout == "%s" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < -1e12 || n > 1e12 {
			return nil, unread
		}
		return date{time.Unix(n, 0).In(in), false}.text()
	}
	t, err := strftime.Parse(layout, text)
	if err != nil {
		return nil, unread
	}
	switch {
	case strings.ContainsAny(letters, offsetDirectives):
		if zone != "" {
			return date{t.In(in), false}.text()
		}
		_, offset := t.Zone() // Go may take the machine's zone where the offset is the same
		return date{t.In(time.FixedZone("", offset)), false}.text()
	case !strings.ContainsAny(letters, timeDirectives):
		if zone != "" {
			return nil, fault.New(fault.Type, "the layout %s gives a day, which is the same day in every zone; leave the zone out", value.JSON(layout))
		}
		return date{t, true}.text()
	case zone == "":
		return nil, fault.New(fault.Type, "the layout %s has a time without its offset; name the zone, as in parse_date(s, layout, \"UTC\")", value.JSON(layout))
	}
	at, is := wall(t, in)
	if !is {
		return nil, fault.New(fault.Malformed, "%s does not exist in %s: clocks are put on there", describe(text), zone)
	}
	return date{at, false}.text()
}

func formatDate(s *Scope, args []any) (any, error) {
	layout := args[1].(string)
	if err := s.pay(layout, 4*converts); err != nil {
		return nil, err
	}
	if bad := badFormatLayout(layout); bad != "" {
		return nil, fault.New(fault.Type, "%s", bad)
	}
	d, err := readDate("format_date", args[0].(string), textOr(args, 2, ""))
	if err != nil {
		return nil, err
	}
	if letters, _ := directives(layout); d.day && strings.ContainsAny(letters, timeDirectives+"zZ") {
		return nil, fault.New(fault.Type, "the layout %s has a time, and %q is a day; give an instant", value.JSON(layout), args[0])
	}
	out := strftime.Format(layout, d.Time)
	return out, s.text(len(out))
}

var durationUnits = map[string]time.Duration{"w": 7 * 24 * time.Hour, "d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond}

// parseDuration reads whole or decimal numbers with units. Go's own reader knows no days, which requests and reports do.
func parseDuration(text string) (any, error) {
	bad := fault.New(fault.Malformed, "%s is no duration; write numbers with the units w, d, h, m, s or ms, as in \"1h30m\"", describe(text))
	rest, negative := strings.CutPrefix(text, "-")
	if rest == "" || len(rest) > 100 {
		return nil, bad
	}
	total := 0.0
	for rest != "" {
		after := strings.TrimLeft(rest, "0123456789.")
		n, err := strconv.ParseFloat(rest[:len(rest)-len(after)], 64)
		rest = strings.TrimLeft(after, "abcdefghijklmnopqrstuvwxyz")
		unit, ok := durationUnits[after[:len(after)-len(rest)]]
		if err != nil || !ok {
			return nil, bad
		}
		total += n * float64(unit)
	}
	if total >= math.MaxInt64 {
		return nil, fault.New(fault.Malformed, "the duration %s is too long", describe(text))
	}
	if negative {
		total = -total
	}
	if whole := math.Round(total); math.Mod(whole, 1e9) == 0 {
		return int(whole / 1e9), nil
	}
	return math.Round(total) / 1e9, nil
}

func formatDuration(v any) (any, error) {
	seconds, _ := asFloat(v)
	if math.Abs(seconds) >= math.MaxInt64/1e9 {
		return nil, fault.New(fault.Type, "%s seconds are too long for a duration", value.JSON(v))
	}
	d := time.Duration(math.Round(seconds * 1e9))
	if i, ok := v.(int); ok {
		d = time.Duration(i) * time.Second
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text, nil
}
