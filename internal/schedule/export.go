package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pflow/internal/trigger"
)

// plainCron reads the expressions of a cron trigger, for what knows lists of numbers only.
func plainCron(text, format string) ([]trigger.Fields, error) {
	all, err := trigger.FieldsOf(text)
	for _, f := range all {
		if f.Beyond != "" {
			return nil, fmt.Errorf("%s has no way to say %q; pflow serve does", format, f.Beyond)
		}
	}
	return all, err
}

var weekdays = []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

// Command is how a program of the system calls a schedule.
type Command struct {
	Program string // absolute
	Home    string
}

// words are those of the command. A line's end, or another sign of control, has no form that all readers of units and crontabs take.
func (c Command) words(s *Schedule) ([]string, error) {
	for _, w := range []string{c.Program, c.Home} {
		if strings.ContainsFunc(w, unicode.IsControl) || !utf8.ValidString(w) {
			return nil, fmt.Errorf("the path %q has a character that cannot be written there; pflow serve takes it", w)
		}
	}
	return []string{c.Program, "schedule", "run", s.Name, "--timer", "--home", c.Home}, nil
}

// Systemd writes the units of a schedule for systemd, as they lie in ~/.config/systemd/user.
func (c Command) Systemd(s *Schedule) (string, error) {
	var when []string
	t := &s.Trigger
	zone := ""
	if t.Timezone != "" && t.Timezone != "Local" {
		zone = " " + t.Timezone
	}
	switch {
	case t.Watch != nil:
		return "", fmt.Errorf("systemd does not say which file arrived, nor waits until it is whole; pflow serve does")
	case s.Overlap == Allow:
		return "", fmt.Errorf("systemd runs a unit once at a time; pflow serve carries out --overlap allow")
	case s.Overlap == Queue:
		return "", fmt.Errorf("systemd leaves out a time that comes while its unit runs; pflow serve carries out --overlap queue")
	case s.Missed == All:
		return "", fmt.Errorf("systemd makes up for all missed times by one run; pflow serve carries out --missed all")
	case t.Every != "":
		if s.Missed == Once {
			return "", fmt.Errorf("systemd makes up for no missed interval; take --missed skip, or pflow serve")
		}
		d, _ := time.ParseDuration(t.Every)
		when = []string{"OnActiveSec=" + seconds(d), "OnUnitActiveSec=" + seconds(d), "AccuracySec=1s"}
	case t.At != "":
		at, err := time.Parse(time.RFC3339, t.At)
		if err != nil {
			return "", err
		}
		when = []string{"OnCalendar=" + at.UTC().Format("2006-01-02 15:04:05") + " UTC"}
	default:
		all, err := plainCron(t.Cron, "systemd")
		if err != nil {
			return "", err
		}
		for _, f := range all {
			clock := " " + listed(f.Hour, "%02d") + ":" + listed(f.Minute, "%02d") + ":00" + zone
			if f.Weekday == nil || f.Day != nil { // either is enough
				when = append(when, "OnCalendar=*-"+listed(f.Month, "%02d")+"-"+listed(f.Day, "%02d")+clock)
			}
			if f.Weekday != nil {
				var names []string
				for _, n := range f.Weekday {
					names = append(names, weekdays[n])
				}
				when = append(when, "OnCalendar="+strings.Join(names, ",")+" *-"+listed(f.Month, "%02d")+"-*"+clock)
			}
		}
	}
	if s.Missed == Once && t.Every == "" {
		when = append(when, "Persistent=true")
	}
	if s.Jitter != "" {
		d, _ := time.ParseDuration(s.Jitter)
		when = append(when, "RandomizedDelaySec="+seconds(d), "FixedRandomDelay=true")
	}
	call, err := c.words(s)
	if err != nil {
		return "", err
	}
	var words []string
	for _, w := range call {
		words = append(words, systemdQuote(w))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# pflow-%s.service\n[Unit]\nDescription=pflow schedule %[1]s\n\n[Service]\nType=oneshot\nExecStart=%s\n\n", s.Name, strings.Join(words, " "))
	fmt.Fprintf(&b, "# pflow-%s.timer\n[Unit]\nDescription=pflow schedule %[1]s\n\n[Timer]\n%s\n\n[Install]\nWantedBy=timers.target\n", s.Name, strings.Join(when, "\n"))
	return b.String(), nil
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s" }

// listed writes numbers with commas; none are all.
func listed(numbers []int, form string) string {
	if numbers == nil {
		return "*"
	}
	var out []string
	for _, n := range numbers {
		out = append(out, fmt.Sprintf(form, n))
	}
	return strings.Join(out, ",")
}

// systemdQuote writes a word of ExecStart, in which % and $ mean something.
func systemdQuote(w string) string {
	w = strings.NewReplacer("%", "%%", "$", "$$").Replace(w)
	if strings.ContainsAny(w, " \t\"'\\;") {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w) + `"`
	}
	return w
}

// Crontab writes the lines of schedules for a crontab. It has one time zone.
func (c Command) Crontab(all []*Schedule) (string, error) {
	var lines []string
	zone, first := "", ""
	for _, s := range all {
		t := &s.Trigger
		var when []string
		wrong := func(what string) error {
			return fmt.Errorf("%s: a crontab has no way to say %s; pflow serve does", s.Name, what)
		}
		switch {
		case t.Watch != nil:
			return "", wrong("when a file arrives")
		case t.At != "":
			return "", wrong("one moment")
		case s.Missed == All:
			return "", wrong("that missed times are made up for (this schedule has --missed all)")
		case s.Jitter != "":
			return "", wrong("a jitter")
		case t.Every != "":
			d, _ := time.ParseDuration(t.Every)
			switch minutes := int(d / time.Minute); {
			case d%time.Minute != 0:
				return "", wrong("an interval of seconds")
			case minutes < 60 && 60%minutes == 0:
				when = []string{fmt.Sprintf("*/%d * * * *", minutes)}
			case minutes%60 == 0 && minutes/60 <= 24 && 24%(minutes/60) == 0:
				when = []string{fmt.Sprintf("0 */%d * * *", minutes/60)}
			default:
				return "", wrong("every " + t.Every)
			}
		default:
			fields, err := plainCron(t.Cron, "a crontab")
			if err != nil {
				return "", fmt.Errorf("%s: %w", s.Name, err)
			}
			for _, f := range fields {
				when = append(when, strings.Join([]string{stepped(f.Minute, 60), stepped(f.Hour, 24), ranges(f.Day), ranges(f.Month), ranges(f.Weekday)}, " "))
			}
			own := strings.TrimPrefix(t.Timezone, "Local") // that of the machine
			if first != "" && own != zone {
				return "", fmt.Errorf("a crontab has one time zone, and %s and %s have two: export them one by one, into crontabs of different users, or use pflow serve", first, s.Name)
			}
			zone, first = own, s.Name
		}
		call, err := c.words(s)
		if err != nil {
			return "", err
		}
		var words []string
		for _, w := range call {
			words = append(words, cronQuote(w))
		}
		if s.Missed == Once {
			lines = append(lines, "# "+s.Name+": cron makes up for no missed time; pflow serve would, by one run")
		}
		for _, at := range when {
			lines = append(lines, at+" "+strings.Join(words, " "))
		}
	}
	if zone != "" {
		lines = append([]string{"CRON_TZ=" + zone}, lines...)
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// stepped writes the values of a field of a crontab that has so many, as */N where they are every Nth from 0 on. A field of days
// is never written so: to cron one that begins with * restricts nothing, and then a day of month and one of a week must both hold.
func stepped(values []int, of int) string {
	if len(values) > 2 && values[0] == 0 && of%len(values) == 0 {
		step, even := of/len(values), true
		for k, n := range values {
			even = even && n == k*step
		}
		if even {
			return fmt.Sprintf("*/%d", step)
		}
	}
	return ranges(values)
}

// ranges writes the values of a field of a crontab, those that follow each other as A-B; none are all.
func ranges(values []int) string {
	if values == nil {
		return "*"
	}
	var out []string
	for k := 0; k < len(values); k++ {
		from := k
		for k+1 < len(values) && values[k+1] == values[k]+1 {
			k++
		}
		switch k - from {
		case 0:
			out = append(out, strconv.Itoa(values[k]))
		case 1:
			out = append(out, strconv.Itoa(values[from]), strconv.Itoa(values[k]))
		default:
			out = append(out, fmt.Sprintf("%d-%d", values[from], values[k]))
		}
	}
	return strings.Join(out, ",")
}

// cronQuote writes a word of a command; cron makes a line's end of each bare %.
func cronQuote(w string) string {
	if strings.IndexFunc(w, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:", r))
	}) >= 0 {
		w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.ReplaceAll(w, "%", `\%`)
}

// maxIntervals bounds the entries of a property list.
const maxIntervals = 500

// Launchd writes the property list of a schedule for launchd, as it lies in ~/Library/LaunchAgents.
func (c Command) Launchd(s *Schedule) (string, error) {
	t := &s.Trigger
	var when string
	switch {
	case t.Watch != nil:
		return "", fmt.Errorf("launchd does not say which file arrived; pflow serve does")
	case t.At != "":
		return "", fmt.Errorf("launchd has no way to say one moment of one year; pflow serve does")
	case t.Timezone != "" && t.Timezone != "Local":
		return "", fmt.Errorf("launchd knows the time zone of the machine only, and this schedule has %s; pflow serve does", t.Timezone)
	case s.Overlap != Skip:
		return "", fmt.Errorf("launchd runs a job once at a time; pflow serve carries out --overlap %s", s.Overlap)
	case s.Missed != Once && t.Every == "":
		return "", fmt.Errorf("launchd makes up for missed times by one run; pflow serve carries out --missed %s", s.Missed)
	case s.Missed != Skip && t.Every != "":
		return "", fmt.Errorf("launchd makes up for no missed interval; take --missed skip, or pflow serve")
	case s.Jitter != "":
		return "", fmt.Errorf("launchd has no way to say a jitter; pflow serve does")
	case t.Every != "":
		d, _ := time.ParseDuration(t.Every)
		if d%time.Second != 0 {
			return "", fmt.Errorf("launchd has no way to say parts of a second; pflow serve does")
		}
		when = fmt.Sprintf("\t<key>StartInterval</key>\n\t<integer>%d</integer>\n", int(d/time.Second))
	default:
		all, err := plainCron(t.Cron, "launchd")
		if err != nil {
			return "", err
		}
		var entries []string
		for _, f := range all {
			kinds := [][2][]int{{f.Day, f.Weekday}}
			if f.Day != nil && f.Weekday != nil { // either is enough
				kinds = [][2][]int{{f.Day, nil}, {nil, f.Weekday}}
			}
			for _, k := range kinds {
				entries = append(entries, intervals([]interval{{"Minute", f.Minute}, {"Hour", f.Hour}, {"Day", k[0]}, {"Month", f.Month}, {"Weekday", k[1]}}, "")...)
			}
		}
		if len(entries) > maxIntervals {
			return "", fmt.Errorf("launchd wants each of %d times one by one; pflow serve does not", len(entries))
		}
		when = "\t<key>StartCalendarInterval</key>\n\t<array>\n" + strings.Join(entries, "") + "\t</array>\n"
	}
	call, err := c.words(s)
	if err != nil {
		return "", err
	}
	var words strings.Builder
	for _, w := range call {
		fmt.Fprintf(&words, "\t\t<string>%s</string>\n", xmlText.Replace(w))
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>pflow.` + s.Name + `</string>
	<key>ProgramArguments</key>
	<array>
` + words.String() + "\t</array>\n" + when + "</dict>\n</plist>\n", nil
}

var xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// interval is one key of a time of launchd, and its values; none are all.
type interval struct {
	key    string
	values []int
}

// intervals are the times of launchd for all values of keys.
func intervals(keys []interval, before string) []string {
	if len(keys) == 0 {
		return []string{"\t\t<dict>\n" + before + "\t\t</dict>\n"}
	}
	if keys[0].values == nil {
		return intervals(keys[1:], before)
	}
	var out []string
	for _, n := range keys[0].values {
		if len(out) > maxIntervals {
			break
		}
		out = append(out, intervals(keys[1:], before+fmt.Sprintf("\t\t\t<key>%s</key>\n\t\t\t<integer>%d</integer>\n", keys[0].key, n))...)
	}
	return out
}
