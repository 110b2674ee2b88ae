package when

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pflow/internal/trigger"
)

const here = "Europe/Berlin"

// now is the moment at which the phrases are said: Wednesday 2026-03-11, 10:30 in Berlin.
func now(t testing.TB) time.Time {
	loc, err := time.LoadLocation(here)
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, 3, 11, 10, 30, 0, 0, loc)
}

// outcome is what became of phrases.
type outcome struct{ all, right, wrong, declined int }

// TestSchedules reads testdata/schedules.txt, which was written before the rule: phrase, and the trigger it stands for. Even lines
// were looked at while it was made, odd ones were not. 95 % have to be right and no more than 1 % wrong, on either half, and each half
// lies in the interval of the other.
func TestSchedules(t *testing.T) {
	f, err := os.Open("testdata/schedules.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var halves [2]outcome // odd, even
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		half := 1 - n%2
		said, want, ok := strings.Cut(lines.Text(), " => ")
		if !ok {
			t.Fatalf("line %d has no =>", n)
		}
		o := &halves[half]
		o.all++
		want, rest, _ := strings.Cut(want, " | ")
		r := Read(said, now(t), here)
		got := ""
		switch {
		case strings.HasPrefix(want, "declined"):
			if r.Trigger == nil {
				o.right++
				continue
			}
			o.wrong++
		case r.Trigger == nil:
			o.declined++
		case !same(t, r.Trigger, want):
			o.wrong++
		case strings.Replace(strings.Trim(r.Rest, " ."), r.StandIn, "it", min(1, len(r.StandIn))) != rest:
			o.wrong++
			got = "rest " + r.Rest
		default:
			o.right++
			continue
		}
		if r.Trigger != nil && got == "" {
			got = fmt.Sprint(r.Trigger.Value())
		}
		t.Logf("line %d: %s\n want %s\n got  %s %v", n, said, want, got, r.Open)
	}
	for k, name := range []string{"odd", "even"} {
		o := halves[k]
		low, high := wilson(o.right, o.all)
		t.Logf("%s lines: %d, right %d (%.3f, %.3f to %.3f), wrong %d, declined %d", name, o.all, o.right, share(o.right, o.all), low, high, o.wrong, o.declined)
		if share(o.right, o.all) < 0.95 || share(o.wrong, o.all) > 0.01 {
			t.Errorf("%s lines: fewer than 95 %% are right, or more than 1 %% wrong", name)
		}
		if other := halves[1-k]; share(other.right, other.all) < low || share(other.right, other.all) > high {
			t.Errorf("%s lines: the other half, %.3f, is out of %.3f to %.3f", name, share(other.right, other.all), low, high)
		}
	}
}

// same compares what a trigger comes to with what is expected: kind, zone and the next 40 times.
func same(t *testing.T, got *trigger.Trigger, want string) bool {
	if found := got.Check(); len(found) > 0 {
		t.Errorf("%v: %v", got.Value(), found)
	}
	want, zone, _ := strings.Cut(want, " @ ")
	if zone == "" {
		zone = here
	}
	kind, what, _ := strings.Cut(want, " ")
	exp := &trigger.Trigger{Timezone: zone}
	switch kind {
	case "cron":
		exp.Cron = what
		if got.Cron == "" {
			return false
		}
	case "every":
		d, err := time.ParseDuration(what)
		have, gotErr := time.ParseDuration(got.Every)
		return err == nil && gotErr == nil && d == have
	case "at":
		loc, err := time.LoadLocation(here)
		if err != nil {
			t.Fatal(err)
		}
		for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
			if at, err := time.ParseInLocation(layout, what, loc); err == nil {
				have, err := time.Parse(time.RFC3339, got.At)
				return err == nil && have.Equal(at) && got.Timezone == zone
			}
		}
		t.Fatalf("%q is no moment", what)
	case "watch":
		folder, pattern, _ := strings.Cut(what, " ")
		return got.Watch != nil && got.Watch.Path == folder && got.Watch.Pattern == strings.TrimPrefix(pattern, "-")
	default:
		t.Fatalf("%q is no trigger", want)
	}
	if got.Timezone != zone {
		return false
	}
	a, b := got.Upcoming(now(t), 40), exp.Upcoming(now(t), 40)
	if len(b) == 0 {
		t.Fatalf("%q never fires", want)
	}
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if !a[k].Equal(b[k]) {
			return false
		}
	}
	return true
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// wilson is the 95 % interval of a share (Wilson 1927).
func wilson(n, of int) (low, high float64) {
	const z = 1.959964
	p, m := share(n, of), float64(of)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	return mid - half, mid + half
}

// FuzzRead: no request panics, places are whole characters in order, and what is found is a trigger that can be.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"every weekday at 8 copy a.txt", "when a csv arrives in inbox, convert it", "Mon-Fri 9-17 every 5 min", "at 25:00 every day", "in 3 days at 8am", "every 2nd \xff of"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, request string) {
		r := Read(request, now(t), here)
		at := 0
		for _, s := range r.Spans {
			if s.Start < at || s.End <= s.Start || s.End > len(request) {
				t.Fatalf("%q: %v", request, r.Spans)
			}
			at = s.End
			if utf8.ValidString(request) && !utf8.ValidString(request[s.Start:s.End]) {
				t.Fatalf("%q is cut inside a character", request)
			}
		}
		for i := range r.Rest {
			if k := r.Place(i, false); k < 0 || k > len(request) {
				t.Fatalf("%q: %d of the rest is %d", request, i, k)
			}
		}
		if r.Trigger != nil {
			if found := r.Trigger.Check(); len(found) > 0 {
				t.Fatalf("%q: %v %v", request, r.Trigger.Value(), found)
			}
		}
	})
}

// TestNoSchedule are requests in which every, when, at and days say nothing of when the request runs: nothing is taken out of them, and
// nothing is said to be open.
func TestNoSchedule(t *testing.T) {
	for _, request := range []string{
		"print the first 2 lines of every log file",
		"count the lines of each csv in data",
		"delete every second line of a.txt",
		"delete every other file in tmp",
		"how many commits were made each day",
		"count the commits of each weekday",
		"the total for every month in sales.csv",
		"average price per day in data.csv",
		"list every workday of next week",
		"what day is tomorrow",
		"what is the date two weeks from tomorrow",
		"list the commits since Monday at 9",
		"list the files changed on Friday",
		"when was notes.txt last modified",
		"when the tests pass, tag v1.0",
		"if today is Monday, create weekly.txt",
		"if app.log was changed today, copy it to archive",
		"once a.txt is copied to backup, delete it",
		"copy daily report.txt to archive",
		"copy the weekly summary to archive/",
		"write 'every day at 8' to notes.txt",
		`append "tomorrow at noon" to todo.txt`,
		"replace foo with bar in notes.txt only on Mondays",
		"calculate the speed if it traveled 450 meters in 20 seconds",
		"find a table for a party of four at 7 pm tomorrow",
		"add a note about the meeting on Friday at 9",
		"rename hourly.log to daily.log",
		"sum the hours between 9 and 17",
		"from Sunday to Wednesday, list the visitors",
		"archive the logs from Monday to Friday",
		"show me the second Tuesday of march.txt",
		"ever since Monday at 9 it fails, list the log",
		"list the dairy products of data.csv",
		"fetch a.json and retry 3 times every 5 seconds if it fails",
		"retry the download every 5 minutes",
		"list every file that appears in archive",
		"count all csv files that land in data",
		"list the commits in May",
		"list the visitors from June to August",
		"list the top of every page",
		"at 3 copies each, print a.txt",
		"print every third line of a.txt",
		"on Friday the sales were 5, list them",
		"On 22 July 1995, list the rates",
		"convert $ 63.45",
		"print the jobs that run daily at midnight",
		"count the commits that were made every Monday at 9",
		"check if there is a new file in drop/ and print its name",
		"list every file that is stored in archive/",
		"list every file that was copied to archive",
		"print the lines as they come in",
		"list everyday expenses in a.csv",
		"limit the list at 10",
		"when a new customer appears in the CRM, mail bob",
		"when a comment is added to docs/notes.md, mail bob",
		"download x.csv. Once a csv file is saved to data, sum it",
		"list the meetings of the 4th of next month at 9",
		"list the sales of every hour and save them",
	} {
		if r := Read(request, now(t), here); r.Trigger != nil || len(r.Open) > 0 || r.Rest != request {
			t.Errorf("%s:\n %+v %+v rest %q", request, r.Trigger, r.Open, r.Rest)
		}
	}
}

// TestOpen says what is not clear, with its place.
func TestOpen(t *testing.T) {
	for _, c := range []struct{ request, text, why string }{
		{"every morning copy a.txt to b.txt", "every morning", "names no hour"},
		{"copy a.txt to b.txt every other Monday at 9", "every other Monday at 9", "count from"},
		{"copy a.txt to b.txt every day at 25:00", "every day at 25:00", "no such time as 25:00"},
		{"copy a.txt to b.txt daily at 9am CET", "daily at 9am CET", "offset"},
		{"copy a.txt to b.txt on the 31st of each month", "on the 31st of each month", "day 31"},
		{"whenever report.csv changes, copy it to b", "whenever report.csv changes", "files that arrive"},
		{"Copy a.txt to b.txt every 5 minutes. Then list b.", "every 5 minutes", "one part"},
		{"every day at 8 copy a.txt to b.txt, and zip docs every Friday at 9", "every day at 8", "one trigger"},
		{"copy a.txt to b.txt every day at 1 and 5 pm", "every day at 1 and 5 pm", "say am or pm"},
		{"every weekday at 9 and on Saturdays copy a.txt to b.txt", "every weekday at 9 and on Saturdays", "not read"},
		{"every morning at 7 and evening at 8 copy a.txt to b.txt", "every morning at 7", "not read"},
		{"every day at 8 on the third day copy a.txt to b.txt", "every day at 8", "not read"},
		{"daily at 8 except holidays copy a.txt to b.txt", "daily at 8", "not read"},
		{"every year on 30 February at 9 copy a.txt to b.txt", "every year on 30 February at 9", "no day 30"},
		{"every 0 minutes copy a.txt to b.txt", "every 0 minutes", "no time"},
		{"copy a.txt to b.txt many times a day", "many times a day", "no time"},
		{"every third day copy a.txt to b.txt", "every third day", "each third one"},
		{"every 10 minutes during the morning, copy a.txt to b.txt", "every 10 minutes during the morning", "no time"},
		{"copy a.txt to b.txt, and repeat it weekly", "repeat it weekly", "no day of the week"},
		{"at 8 copy a.txt to b.txt", "at 8", "names no day"},
		{"on 1 April copy a.txt to b.txt", "on 1 April", "names no hour"},
		{"on 11 March 2026 at 9 copy a.txt to b.txt", "on 11 March 2026 at 9", "passed"},
		{"write a mail saying we open every day at 9", "every day at 9", "told"},
		{"around 6pm every day copy a.txt", "around 6pm every day", "no time"},
		{"by 9am every day copy a.txt", "by 9am every day", "no time"},
		{"the server restarts every night at 3, find out why", "every night at 3", "told"},
		{"edit cron.yml so that backups run every night at 3", "every night at 3", "told"},
		{"copy a.txt every day at 9 and in the evening", "every day at 9 and in the evening", "not read"},
		{"copy a.txt every day at 9 and the first of each month", "every day at 9 and the first of each month", "not read"},
		{"on the 1st of each month and the 15th at 9 copy a.txt", "on the 1st of each month", "not read"},
		{"on Mondays at 9 and in the afternoon at 5 copy a.txt", "on Mondays at 9", "not read"},
		{"every 10 minutes at night copy a.txt", "every 10 minutes", "not read"},
		{"every Friday night at 2 copy a.txt", "every Friday night at 2", "the night before"},
		{"check disk space every Friday at 5pm or so and mail me", "every Friday at 5pm or so", "no time"},
		{"run the tests at 7", "at 7", "names no day"},
		{"when a file in docs/ is deleted, list docs", "when a file in docs/ is deleted", "files that arrive"},
		{"when a csv or json file lands in data/ copy it to b", "when a csv or json file lands in data/", "one pattern"},
		{"when a new photo shows up in ~/pictures, shrink it", "when a new photo shows up in ~/pictures", "say their names"},
		{"when a large csv lands in data, sum it", "when a large csv lands in data", "say their names"},
		{"new pdfs in scans/ should be sorted", "new pdfs in scans/", "when they arrive"},
		{"on 1 May and 1 June at 9 copy a.txt to b.txt", "on 1 May and 1 June at 9", "several moments"},
	} {
		r := Read(c.request, now(t), here)
		if r.Trigger != nil || len(r.Open) == 0 || r.Open[0].Text != c.text || !strings.Contains(r.Open[0].Why, c.why) || r.Rest != c.request {
			t.Errorf("%s:\n %+v %+v", c.request, r.Trigger, r.Open)
			continue
		}
		if o := r.Open[0]; c.request[o.Start:o.End] != o.Text {
			t.Errorf("%s: %q is not at %d", c.request, o.Text, o.Start)
		}
	}
}

// TestClocksChange: what is said for an hour that the clock leaves out or shows twice is a moment that there is, once.
func TestClocksChange(t *testing.T) {
	for _, c := range []struct{ zone, said, want string }{
		{"Europe/Berlin", "on 29 March 2026 at 2:30", "2026-03-29T03:00:00+02:00"},
		{"Europe/Berlin", "on 25 October 2026 at 2:30", "2026-10-25T02:30:00+02:00"},
		{"America/New_York", "on 2027-03-14 at 2:10", "2027-03-14T03:00:00-04:00"},
		{"Australia/Lord_Howe", "on 4 October 2026 at 2:15", "2026-10-04T02:30:00+11:00"},
		{"UTC", "on 29 March 2026 at 2:30", "2026-03-29T02:30:00Z"},
	} {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		r := Read(c.said, now(t).In(loc), c.zone)
		if r.Trigger == nil || r.Trigger.At != c.want {
			t.Errorf("%s in %s: %+v %v, want %s", c.said, c.zone, r.Trigger, r.Open, c.want)
		}
	}
}

// TestCombined puts days, hours and work together in each order: whatever is read is what was said, and nearly all is. A day of what is
// worked on before a comma is none of when it runs.
func TestCombined(t *testing.T) {
	days := []struct{ said, cron string }{{"every day", "* * *"}, {"each and every day", "* * *"}, {"on mondays", "* * 1"}, {"every monday and friday", "* * 1,5"}, {"on tue/thu", "* * 2,4"},
		{"weekends", "* * 0,6"}, {"every day except mondays", "* * 0,2-6"}, {"on the 1st of each month", "1 * *"}, {"on the last day of the month", "L * *"},
		{"the first monday of each month", "* * 1#1"}, {"every 24 december", "24 12 *"}, {"every monday in june", "* 6 1"}, {"weekly on sundays", "* * 0"}}
	hours := []struct{ said, cron string }{{"at 8", "0 8"}, {"at 8 pm", "0 20"}, {"at 17:45", "45 17"}, {"at half past nine", "30 9"}, {"at quarter to six in the evening", "45 17"},
		{"at 9 and 17", "0 9,17"}, {"at 6am, noon and 10pm", "0 6,12,22"}, {"at twelve thirty", "30 12"}, {"at eight thirty pm", "30 20"}, {"at 12 midnight", "0 0"}, {"at 12:00 noon", "0 12"},
		{"at 3 at night", "0 3"}}
	all, right := 0, 0
	for _, d := range days {
		for _, h := range hours {
			want := (&trigger.Trigger{Cron: h.cron + " " + d.cron, Timezone: here}).Upcoming(now(t), 4)
			for _, request := range []string{d.said + " " + h.said + " WORK", h.said + " " + d.said + ", WORK", "WORK, " + h.said + " " + d.said} {
				for _, work := range []string{"copy a.txt to b.txt", "list the commits of monday"} {
					said := strings.Replace(request, "WORK", work, 1)
					r := Read(said, now(t), here)
					all++
					switch {
					case r.Trigger == nil:
					case fmt.Sprint(r.Trigger.Upcoming(now(t), 4)) != fmt.Sprint(want) || r.Rest != work:
						t.Errorf("%s: %v, rest %q", said, r.Trigger.Value(), r.Rest)
					default:
						right++
					}
				}
			}
		}
	}
	if share(right, all) < 0.97 {
		t.Errorf("%d of %d are read", right, all)
	}
	t.Logf("%d of %d are read", right, all)
}

// TestSlips: a word with a slip of the keys is read where it can only be one of those of time.
func TestSlips(t *testing.T) {
	for said, want := range map[string]string{
		"evrey": "every", "evry": "every", "ever": "ever", "very": "very", "wensday": "wednesday", "wendesday": "wednesday", "thrusday": "thursday", "tusday": "tuesday",
		"tommorow": "tomorrow", "tomorow": "tomorrow", "febuary": "february", "minuts": "minute", "weakly": "weakly", "mourning": "mourning", "dairy": "dairy", "sundry": "sundry",
		"evry.txt": "evry.txt", "'evry'": "'evry'", "fridays": "fridays", "marsh": "marsh", "months": "months", "holiday": "holiday",
	} {
		if got := spelled(cut(said)); len(got) != 1 || got[0].text != want {
			t.Errorf("%s is read as %v, not %s", said, got, want)
		}
	}
}

// TestMoments are moments by the day they lie on, said on a Wednesday.
func TestMoments(t *testing.T) {
	for said, want := range map[string]string{
		"tonight at 2": "2026-03-12T02:00:00+01:00", "at midnight tonight": "2026-03-12T00:00:00+01:00", "tonight at 8": "2026-03-11T20:00:00+01:00",
		"on the 4th of next month at 9": "2026-04-04T09:00:00+02:00", "next month on the 4th at 9": "2026-04-04T09:00:00+02:00",
		"on Tuesday next week at 9": "2026-03-17T09:00:00+01:00", "next week on Tuesday at half nine": "2026-03-17T09:30:00+01:00",
	} {
		if r := Read(said+" copy a.txt to b.txt", now(t), here); r.Trigger == nil || r.Trigger.At != want {
			t.Errorf("%s: %+v %v, want %s", said, r.Trigger, r.Open, want)
		}
	}
}

// TestPlaces: places of the rest are those of the request, also beside the path that stands for the file that arrives.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ request, rest, standIn string }{
		{"copy report.txt to archive/ every day at 6", "copy report.txt to archive/", ""},
		{"every day at 6, copy report.txt to archive/", "copy report.txt to archive/", ""},
		{"every day at 6 - copy report.txt to archive/", "copy report.txt to archive/", ""},
		{"copy report.txt to archive/ and repeat that every 20 minutes", "copy report.txt to archive/", ""},
		{"Please, every day at 6, copy report.txt to archive/.", "Please copy report.txt to archive/.", ""},
		{"when a csv arrives in inbox, convert it to json", "convert inbox/arriving-file.csv to json", "inbox/arriving-file.csv"},
		{"whenever a new file shows up in downloads move the file to archive", "move downloads/arriving-file.file to archive", "downloads/arriving-file.file"},
		{"move it to archive as soon as a pdf lands in ~/in/", "move ~/in/arriving-file.pdf to archive", "~/in/arriving-file.pdf"},
		{"send every pdf to bob@example.com as soon as it arrives in inbox", "send inbox/arriving-file.pdf to bob@example.com", "inbox/arriving-file.pdf"},
		{"read new csv files in data the moment they arrive", "read data/arriving-file.csv", "data/arriving-file.csv"},
		{"count the lines of any log file that turns up in logs/new", "count the lines of logs/new/arriving-file.log", "logs/new/arriving-file.log"},
		{"watch inbox/ for new pdfs and move them to archive", "move inbox/arriving-file.pdf to archive", "inbox/arriving-file.pdf"},
		{"watch inbox/ and move every new pdf to archive", "move inbox/arriving-file.pdf to archive", "inbox/arriving-file.pdf"},
		{"keep an eye on data and unzip every zip that turns up there", "unzip data/arriving-file.zip", "data/arriving-file.zip"},
		{"print any mp3 that is dropped into voice/", "print voice/arriving-file.mp3", "voice/arriving-file.mp3"},
		{"copy new csv files in data/ to archive as they arrive", "copy data/arriving-file.csv to archive", "data/arriving-file.csv"},
		{"on every new csv in data/, sort it", "sort data/arriving-file.csv", "data/arriving-file.csv"},
		{"fetch a.json every day at 6 and save it", "fetch a.json and save it", ""},
		{"fetch a.json every hour and save it", "fetch a.json and save it", ""},
		{"remind me in 20 minutes to leave", "remind me to leave", ""},
		{"when a file arrives in inbox, zip docs and delete it", "zip docs and delete it", ""},
		{"when a file arrives in inbox, run scripts/check.sh", "run scripts/check.sh", ""},
	} {
		r := Read(c.request, now(t), here)
		if r.Rest != c.rest || r.StandIn != c.standIn || r.Trigger == nil {
			t.Errorf("%s:\n %q %q", c.request, r.Rest, r.StandIn)
			continue
		}
		for _, word := range strings.Fields(c.rest) {
			at := strings.Index(c.rest, word)
			start, end := r.Place(at, false), r.Place(at+len(word), true)
			got := c.request[start:end]
			if word == c.standIn {
				if !slices.Contains([]string{"it", "them", "the file", "every pdf", "new csv files in data", "any log file", "any mp3", "every new pdf", "every zip that turns up there",
					"new csv files in data/"}, got) {
					t.Errorf("%s: the path stands for %q", c.request, got)
				}
			} else if !strings.HasPrefix(got, word) {
				t.Errorf("%s: %q is %q", c.request, word, got)
			}
		}
	}
}
