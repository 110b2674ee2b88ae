package when

import (
	"testing"
	"time"
)

// TestLeft reads what an hour, an end or files that arrive are said of apart from what repeats, and the forms that a crontab has. What is
// not read of it is said to be open.
func TestLeft(t *testing.T) {
	loc, err := time.LoadLocation(here)
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, loc)
	for _, c := range [][2]string{
		{"every day copy a.txt to b.txt at 8", "declined"},
		{"copy a.txt to b.txt around 8 every day", "declined"},
		{"I want to have a.txt copied to b.txt every day by 7", "declined"},
		{"Daily report at 8: fetch a.json and save it", "declined"},
		{"starting tomorrow, fetch a.json every day at 8", "declined"},
		{"by tomorrow 9am have the report in report.md", "declined"},
		{"set up a nightly backup of docs", "declined"},
		{"remind me at 5pm to go home", "declined"},
		{"when a new email arrives, print it", "declined"},
		{"as soon as a .csv file has finished uploading to data, convert it", "declined"},
		{"all new pdfs in scans should be copied to archive", "declined"},
		{"count the commits that were made every Monday at 9", "none"},
		{"count all csv files that land in data", "none"},
		{"list the tasks that run daily at 8", "none"},
		{"which jobs run every day at 8?", "none"},
		{"0 6 * * 1-5 fetch a.json", "cron 0 6 * * 1-5"},
		{`cron "*/5 * * * *": ping a.example`, "cron */5 * * * *"},
		{"with cron 30 4 * * mon run backup.sh", "cron 30 4 * * 1"},
		{"cron 99 4 * * * run backup.sh", "declined"},
		{"0 6 * * *", "none"},
		{"2 * 3 * 4 is how much", "none"},
		{`explain the cron expression "0 8 * * 1"`, "none"},
		{"every 1st and 3rd Friday at 9am mail a.pdf to bob", "cron 0 9 * * 5#1,5#3"},
		{"every Sat + Sun at 10 copy a.txt to b.txt", "cron 0 10 * * 0,6"},
		{"back up docs on a daily basis at 5 pm", "cron 0 17 * * *"},
		{"What I'd like is a backup of a.db, every evening, 9 o'clock", "cron 0 21 * * *"},
		{"have every csv that comes into data converted to json", "watch data *.csv"},
		{"on each new csv landing in data, convert it to json", "watch data *.csv"},
	} {
		r := Read(c[0], noon, here)
		if !meant(t, r, c[1], noon) {
			t.Errorf("%s: want %s, got %v %v", c[0], c[1], r.Trigger, r.Open)
		}
	}
}

// TestTextOfAFile has the text of a pdf, which is no file that arrives.
func TestTextOfAFile(t *testing.T) {
	for said, rest := range map[string]string{
		"when a pdf arrives in scans, extract the text":        "extract the text",
		"when a text file arrives in scans, print the text":    "print scans/arriving-file.txt",
		"when a csv arrives in data, could you sort it":        "could you sort data/arriving-file.csv",
		"watch data for csv files and compress each of them":   "compress data/arriving-file.csv",
		"for every csv that lands in data, compress that file": "compress data/arriving-file.csv",
	} {
		if r := Read(said, time.Now(), here); r.Rest != rest {
			t.Errorf("%s: rest %q, want %q", said, r.Rest, rest)
		}
	}
}
