package trigger

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// TestNextByMinutes compares with testdata/clocks.txt, which another program made in another way: Python's zoneinfo, walking minute by
// minute over what each clock shows. A line is zone, expression, a time after which, and the next ones.
func TestNextByMinutes(t *testing.T) {
	f, err := os.Open("testdata/clocks.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := bufio.NewScanner(f), 0
	for ; lines.Scan(); n++ {
		part := strings.Split(lines.Text(), " | ")
		at, err := time.Parse(time.RFC3339, part[2])
		if err != nil {
			t.Fatal(err)
		}
		tr := &Trigger{Cron: part[1], Timezone: part[0]}
		for want := range strings.FieldsSeq(part[3]) {
			next, ok := tr.Next(at)
			if got := next.UTC().Format(time.RFC3339); !ok || got != want {
				t.Errorf("%s %q after %s: %s, want %s", part[0], part[1], at.Format(time.RFC3339), got, want)
				break
			}
			at = next
		}
	}
	if n < 30 {
		t.Errorf("testdata/clocks.txt has %d lines", n)
	}
}

// TestNextClocksChange fires over the changes of clocks: what is left out fires at the first time there is again, what is shown
// twice fires once. Each line is a cron expression, a time after which, and the next ones.
func TestNextClocksChange(t *testing.T) {
	for _, c := range []struct{ zone, cron, after, want string }{
		// Berlin leaves out 02:00 to 03:00 on 2026-03-29 and shows 02:00 to 03:00 twice on 2026-10-25.
		{"Europe/Berlin", "30 2 * * *", "2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00"},
		{"Europe/Berlin", "0 3 * * *", "2026-03-28T12:00:00+01:00", "2026-03-29T03:00:00+02:00 2026-03-30T03:00:00+02:00"},
		{"Europe/Berlin", "30 2 * * *; 0 3 * * *", "2026-03-28T12:00:00+01:00", "2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00"},
		{"Europe/Berlin", "0 * * * *", "2026-03-29T00:30:00+01:00", "2026-03-29T01:00:00+01:00 2026-03-29T03:00:00+02:00 2026-03-29T04:00:00+02:00"},
		{"Europe/Berlin", "*/20 2 * * *", "2026-03-28T12:00:00+01:00", "2026-03-29T03:00:00+02:00 2026-03-30T02:00:00+02:00"},
		{"Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00+02:00", "2026-10-25T02:30:00+02:00 2026-10-26T02:30:00+01:00"},
		{"Europe/Berlin", "30 2 * * *", "2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		{"Europe/Berlin", "30 2 * * *", "2026-10-25T02:10:00+01:00", "2026-10-26T02:30:00+01:00"},
		{"Europe/Berlin", "0 * * * *", "2026-10-25T01:30:00+02:00", "2026-10-25T02:00:00+02:00 2026-10-25T03:00:00+01:00"},
		{"Europe/Berlin", "0 8 * * 1-5", "2026-03-27T08:00:00+01:00", "2026-03-30T08:00:00+02:00"},
		// New York: 2026-03-08 and 2026-11-01.
		{"America/New_York", "15 2 8 3 *", "2026-03-01T00:00:00-05:00", "2026-03-08T03:00:00-04:00 2027-03-08T02:15:00-05:00"},
		{"America/New_York", "30 1 * * *", "2026-10-31T12:00:00-04:00", "2026-11-01T01:30:00-04:00 2026-11-02T01:30:00-05:00"},
		{"America/New_York", "0 9 * * *", "2026-10-31T09:00:00-04:00", "2026-11-01T09:00:00-05:00"},
		// Lord Howe changes by half an hour: 2026-10-04 leaves out 02:00 to 02:30, 2026-04-05 shows 01:30 to 02:00 twice.
		{"Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00:00+10:30", "2026-10-04T02:30:00+11:00 2026-10-05T02:15:00+11:00"},
		{"Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00:00+11:00", "2026-04-05T01:45:00+11:00 2026-04-06T01:45:00+10:30"},
		{"Australia/Lord_Howe", "0 2 * * *", "2026-04-04T12:00:00+11:00", "2026-04-05T02:00:00+10:30"},
		// A whole day was left out in Samoa; a midnight in Beirut is.
		{"Pacific/Apia", "0 9 30 12 *", "2011-12-01T00:00:00-10:00", "2011-12-31T00:00:00+14:00 2012-12-30T09:00:00+14:00"},
		{"Asia/Beirut", "0 0 * * *", "2026-03-28T12:00:00+02:00", "2026-03-29T01:00:00+03:00 2026-03-30T00:00:00+03:00"},
		{"UTC", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T02:30:00Z 2026-03-30T02:30:00Z"},
		// Days of a month.
		{"UTC", "0 0 L * *", "2028-01-31T00:00:00Z", "2028-02-29T00:00:00Z 2028-03-31T00:00:00Z"},
		{"UTC", "0 9 1W * *", "2026-07-31T12:00:00Z", "2026-08-03T09:00:00Z 2026-09-01T09:00:00Z"},
		{"UTC", "0 17 LW * *", "2026-01-01T00:00:00Z", "2026-01-30T17:00:00Z"},
		{"UTC", "0 9 * * 2#2", "2026-03-01T00:00:00Z", "2026-03-10T09:00:00Z 2026-04-14T09:00:00Z"},
		{"UTC", "0 16 * * 5#L", "2026-03-01T00:00:00Z", "2026-03-27T16:00:00Z"},
		{"UTC", "0 0 13 * 5", "2026-03-01T00:00:00Z", "2026-03-06T00:00:00Z 2026-03-13T00:00:00Z 2026-03-20T00:00:00Z"},
		{"UTC", "0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z 2032-02-29T00:00:00Z"},
	} {
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		tr := &Trigger{Cron: c.cron, Timezone: c.zone}
		want := strings.Fields(c.want)
		var got []string
		for _, at := range tr.Upcoming(after, len(want)) {
			got = append(got, at.Format(time.RFC3339))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %q after %s:\n got %s\nwant %s", c.zone, c.cron, c.after, strings.Join(got, " "), c.want)
		}
	}
}

// TestNextEveryWallTimeOnce walks a year of quarter hours in zones whose clocks change: each time that a clock shows fires once, in
// order, and each day has as many as any other but for those that the gap took.
func TestNextEveryWallTimeOnce(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "America/Santiago", "Africa/Casablanca"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		schedules, err := parse("*/15 * * * *")
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2025, 12, 31, 23, 59, 0, 0, loc)
		shown := map[string]bool{}
		for {
			next, ok := nextOnWall(schedules[0], at, loc)
			if !ok || !next.After(at) {
				t.Fatalf("%s: %v after %v", zone, next, at)
			}
			wall := next.Format("2006-01-02 15:04")
			if shown[wall] {
				t.Fatalf("%s: %s fires twice", zone, wall)
			}
			shown[wall] = true
			if at = next; at.Year() == 2027 {
				break
			}
		}
		// Every quarter hour that the clock of 2026 shows.
		for m := time.Date(2026, 1, 1, 0, 0, 0, 0, loc); m.Year() == 2026; m = m.Add(15 * time.Minute) {
			if !shown[m.Format("2006-01-02 15:04")] {
				t.Fatalf("%s: %s never fires", zone, m)
			}
		}
	}
}

func TestNextOthers(t *testing.T) {
	after := time.Date(2026, 3, 11, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		t    Trigger
		want string
	}{
		{Trigger{Every: "45m", Timezone: "UTC"}, "2026-03-11T10:15:00Z 2026-03-11T11:00:00Z"},
		{Trigger{At: "2026-03-12T09:00:00+01:00", Timezone: "Europe/Berlin"}, "2026-03-12T09:00:00+01:00"},
		{Trigger{At: "2026-03-11T10:30:00+01:00"}, ""}, // now is not after now
		{Trigger{Watch: &Watch{Path: "inbox"}}, ""},
		{Trigger{Cron: "0 8 * *"}, ""},
		{Trigger{Cron: "0 8 * * *", Timezone: "Mars/Base"}, ""},
		{Trigger{}, ""},
	} {
		var got []string
		for _, at := range c.t.Upcoming(after, 2) {
			got = append(got, at.Format(time.RFC3339))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v, want %s", c.t, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{"cron": "0 8 * * 1-5", "timezone": "Europe/Berlin"}`, ""},
		{`{"cron": "0 9 1W * *; 0 16 * * 5#L"}`, ""},
		{`{"every": "45m"}`, ""},
		{`{"at": "2026-03-12T09:00:00+01:00"}`, ""},
		{`{"watch": {"path": "inbox", "pattern": "*.csv"}}`, ""},
		{`{}`, ": a trigger says when: give it cron, every, at or watch"},
		{`{"cron": "0 8 * * *", "every": "1h"}`, "every: a trigger says when once: it has cron and every; keep one"},
		{`{"cron": "0 8 * *"}`, `cron: "0 8 * *" has 4 fields: a cron expression has 5, minute, hour, day of month, month, day of week, such as 0 8 * * 1-5`},
		{`{"cron": "61 8 * * *"}`, `cron: "61 8 * * *" is no cron expression: 61 is no minute, which is *, or 0 to 59`},
		{`{"cron": "TZ=UTC 8 * * *"}`, `cron: "TZ=UTC 8 * * *" is no cron expression: TZ=UTC is no minute, which is *, or 0 to 59`},
		{`{"cron": "0 8 * * *;"}`, `cron: "0 8 * * *;" has an empty expression beside a semicolon`},
		{`{"cron": "0 0 31 2 *"}`, `cron: "0 0 31 2 *" is a day that never comes; pflow reads minute, hour, day of month, month, day of week`},
		{`{"every": "soon"}`, `every: "soon" is no interval: write one like 30s, 45m or 2h`},
		{`{"every": "-1h"}`, `every: "-1h" is too short an interval: the shortest is 1s`},
		{`{"at": "tomorrow"}`, `at: "tomorrow" is no moment: write it like 2026-03-12T09:00:00+01:00`},
		{`{"watch": {"path": " ", "pattern": "[a"}}`, "watch.path: which folder is watched? give its path; watch.pattern: \"[a\" is no pattern of names: write one like *.csv"},
		{`{"every": "1h", "timezone": "Mars/Base"}`, `timezone: there is no time zone "Mars/Base": write one like Europe/Berlin or UTC`},
	} {
		tr, err := Decode([]byte(c.json))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range tr.Check() {
			got = append(got, f.Path+": "+f.Message)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.json, strings.Join(got, "; "), c.want)
		}
	}
	if _, err := Decode([]byte(`{"corn": "0 8 * * *"}`)); err == nil || !strings.Contains(err.Error(), "corn") {
		t.Error(err)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		t    Trigger
		want string
	}{
		{Trigger{Cron: "0 8 * * 1-5", Timezone: "Europe/Berlin"}, "every weekday at 08:00 (Europe/Berlin)"},
		{Trigger{Cron: "0 6 * * *"}, "every day at 06:00"},
		{Trigger{Cron: "0 9 * * *; 30 17 * * *"}, "every day at 09:00 and 17:30"},
		{Trigger{Cron: "15 7 * * 1,4"}, "every Monday and Thursday at 07:15"},
		{Trigger{Cron: "0 9 * * 1; 0 17 * * 5"}, "every Monday at 09:00; every Friday at 17:00"},
		{Trigger{Cron: "*/5 9-16 * * 1-5; 0 17 * * 1-5"}, "every 5 minutes from 09:00 to 17:00, every weekday"},
		{Trigger{Cron: "0 22,23,0-6 * * *"}, "every hour from 22:00 to 06:00"},
		{Trigger{Cron: "0 * * * *"}, "every hour"},
		{Trigger{Cron: "15 * * * *"}, "every hour at 15 minutes past"},
		{Trigger{Cron: "* * * * *"}, "every minute"},
		{Trigger{Cron: "0 */2 * * *"}, "every 2 hours from 00:00 on"},
		{Trigger{Cron: "0 8,12,16 * * *"}, "every day at 08:00, 12:00 and 16:00"},
		{Trigger{Cron: "0,7 1-20 * * *"}, "every day 40 times between 01:00 and 20:07"},
		{Trigger{Cron: "0 0 1,15 * *"}, "on the 1st and the 15th of each month at 00:00"},
		{Trigger{Cron: "0 0 1 1,4,7,10 *"}, "on the 1st of January, April, July and October at 00:00"},
		{Trigger{Cron: "0 23 L * *"}, "on the last day of each month at 23:00"},
		{Trigger{Cron: "0 9 1W * *"}, "on the first working day of each month at 09:00"},
		{Trigger{Cron: "0 17 LW * *"}, "on the last working day of each month at 17:00"},
		{Trigger{Cron: "0 10 * * 2#2"}, "on the second Tuesday of each month at 10:00"},
		{Trigger{Cron: "0 16 * * 5#L"}, "on the last Friday of each month at 16:00"},
		{Trigger{Cron: "0 0 13 * 5"}, "on the 13th of each month and every Friday at 00:00"},
		{Trigger{Cron: "0 8 * 12 *"}, "every day in December at 08:00"},
		{Trigger{Cron: "0 8 * *"}, "by the cron expression 0 8 * *"},
		{Trigger{Every: "90m"}, "every 90 minutes"},
		{Trigger{Every: "1h"}, "every hour"},
		{Trigger{At: "2026-03-12T09:00:00+01:00", Timezone: "Europe/Berlin"}, "once, on Thu 2026-03-12 09:00 (Europe/Berlin)"},
		{Trigger{Watch: &Watch{Path: "inbox", Pattern: "*.csv"}}, "when a file arrives in inbox with a name like *.csv"},
		{Trigger{}, "never"},
	} {
		if got := c.t.Words(); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.t, got, c.want)
		}
	}
}

func TestValue(t *testing.T) {
	in := &Trigger{Watch: &Watch{Path: "inbox", Input: "file"}, Timezone: "UTC", Text: "when a file arrives in inbox"}
	v := in.Value()
	out, err := Of(v)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(in)
	b, _ := json.Marshal(out)
	if string(a) != string(b) {
		t.Errorf("%s is not %s", b, a)
	}
	if none, err := Of(nil); none != nil || err != nil {
		t.Error(none, err)
	}
	if _, err := Of("daily"); err == nil {
		t.Error("a text is no trigger")
	}
}

// FuzzCron: no expression panics, and what it gives is later and ever later.
func FuzzCron(f *testing.F) {
	for _, s := range []string{"0 8 * * 1-5", "*/5 9-16 * * 1-5; 0 17 * * 1-5", "0 0 L-3 * *", "0 0 * * 5#L", "H H * * *", "0-59/0 * * * *", "0 0 ? FEB-JAN 7#1", "TZ=X 0 0 0 0"} {
		f.Add(s)
	}
	zone, err := time.LoadLocation("Australia/Lord_Howe")
	if err != nil {
		f.Fatal(err)
	}
	start := time.Date(2026, 4, 4, 23, 0, 0, 0, zone)
	f.Fuzz(func(t *testing.T, text string) {
		tr := &Trigger{Cron: text, Timezone: zone.String()}
		tr.Check()
		tr.Words()
		at := start
		for _, next := range tr.Upcoming(start, 5) {
			if !next.After(at) {
				t.Fatalf("%q: %v is not after %v", text, next, at)
			}
			at = next
		}
	})
}

func TestWatchInputs(t *testing.T) {
	w := &Watch{Path: "inbox", Input: "source", Named: map[string]string{"dest": "inbox/{stem}.json"}}
	for file, want := range map[string]string{
		"inbox/a.b.csv":   `{"dest":"inbox/a.b.json","source":"inbox/a.b.csv"}`,
		"inbox/.profile":  `{"dest":"inbox/.profile.json","source":"inbox/.profile"}`,
		"inbox/{stem}.md": `{"dest":"inbox/{stem}.json","source":"inbox/{stem}.md"}`,
	} {
		got, _ := json.Marshal(w.Inputs(file))
		if string(got) != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if got := (&Watch{Path: "inbox"}).Inputs("inbox/a"); len(got) != 0 {
		t.Error(got)
	}
}

// TestWordsOfEveryDay: days that are written out are all of them.
func TestWordsOfEveryDay(t *testing.T) {
	for cron, want := range map[string]string{
		"0 9 * * 0-6": "every day at 09:00 (UTC)", "0 9 1-31 * *": "every day at 09:00 (UTC)", "0 9 1-31 * 1": "every day at 09:00 (UTC)", "0 9 5 * 0-6": "every day at 09:00 (UTC)",
		"0 9 5 3 0-6": "every day in March at 09:00 (UTC)",
	} {
		one := Trigger{Cron: cron, Timezone: "UTC"}
		if got := one.Words(); got != want {
			t.Errorf("%s: %s, want %s", cron, got, want)
		}
	}
}
