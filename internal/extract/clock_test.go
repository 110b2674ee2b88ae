package extract

import "testing"

func TestClock(t *testing.T) {
	check(t, [][2]string{
		{"at 3pm", "time(at 3pm)=15:00:00"},
		{"at 12 am", "time(at 12 am)=00:00:00"},
		{"at noon", "time(at noon)=12:00:00"},
		{"at midnight", "time(at midnight)=00:00:00"},
		{"at 8:30 a.m.", "time(at 8:30 a.m.)=08:30:00"},
		{"at 23:59:59", "time(at 23:59:59)=23:59:59"},
		{"five o'clock", "time(five o'clock)=05:00:00"},
		{"from 9 to 5pm", "time(from 9 to 5pm)=09:00:00/17:00:00"},
		{"between 2 and 4 pm", "time(between 2 and 4 pm)=14:00:00/16:00:00"},
		{"after 6pm", "time(after 6pm)=18:00:00/.."},
		{"later than 18:00", "time(later than 18:00)=18:00:00/.."},
		{"before 8am", "time(before 8am)=../08:00:00"},
		{"3pm tomorrow", "datetime(3pm tomorrow)=2024-05-16T15:00:00"},
		{"7:30 PM on Friday", "datetime(7:30 PM on Friday)=2024-05-17T19:30:00"},
		{"tomorrow from 10pm to 2am", "datetime(tomorrow from 10pm to 2am)=2024-05-16T22:00:00/2024-05-17T02:00:00"},
		// no times
		{"a ratio of 1:1", "number(1)=1; number(1)=1"},
		{"at 25:00", "number(25)=25; number(00)=0"},
		{"at 13 pm", "number(13)=13"},
	})
}

func TestDurations(t *testing.T) {
	check(t, [][2]string{
		{"for two hours", "duration(two hours)=PT2H"},
		{"for 90 seconds", "duration(90 seconds)=PT1M30S"},
		{"for 1 hour 30 minutes", "duration(1 hour 30 minutes)=PT1H30M"},
		{"for 1 hour, 2 minutes and 3 seconds", "duration(1 hour, 2 minutes and 3 seconds)=PT1H2M3S"},
		{"for an hour and a half", "duration(an hour and a half)=PT1H30M"},
		{"for 3h", "duration(3h)=PT3H"},
		{"for 3.5 years", "duration(3.5 years)=P3.5Y"},
		{"for a year and a quarter", "duration(a year and a quarter)=P1.25Y"},
		{"for 0 minutes", "duration(0 minutes)=PT0S"},
		{"3 hours ago", "datetime(3 hours ago)=2024-05-15T07:30:00"},
		{"2 hours from now", "datetime(2 hours from now)=2024-05-15T12:30:00"},
		{"an hour later", "datetime(an hour later)=2024-05-15T11:30:00"},
		{"the last 24 hours", "datetime(the last 24 hours)=2024-05-14T10:30:00/2024-05-15T10:30:00"},
		{"the next 30 minutes", "datetime(the next 30 minutes)=2024-05-15T10:30:00/2024-05-15T11:00:00"},
		{"right now", "datetime(right now)=2024-05-15T10:30:00"},
		// no clock runs that long
		{"for 99999999999999 hours", "number(99999999999999)=99999999999999"},
	})
}
