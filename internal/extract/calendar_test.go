package extract

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// check compares what texts name with what they mean on Wednesday, 15 May 2024, at half past ten.
func check(t *testing.T, cases [][2]string) {
	t.Helper()
	now := time.Date(2024, 5, 15, 10, 30, 0, 0, time.UTC)
	for _, c := range cases {
		if diff := cmp.Diff(c[1], text(entities(t, c[0], now))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c[0], diff)
		}
	}
}

func TestDays(t *testing.T) {
	check(t, [][2]string{
		{"due today", "date(today)=2024-05-15"},
		{"due tomorrow", "date(tomorrow)=2024-05-16"},
		{"done yesterday", "date(yesterday)=2024-05-14"},
		{"the day after tomorrow", "date(the day after tomorrow)=2024-05-17"},
		{"day before yesterday", "date(day before yesterday)=2024-05-13"},
		{"on 2023-02-28", "date(2023-02-28)=2023-02-28"},
		{"on 2019/aug/01", "date(2019/aug/01)=2019-08-01"},
		{"on 5/17/2018", "date(5/17/2018)=2018-05-17"},
		{"on 17/5/2018", "date(17/5/2018)=2018-05-17"},
		{"on 05-Aug-2016", "date(05-Aug-2016)=2016-08-05"},
		{"on 5/17", "date(5/17)=2024-05-17"},
		{"May 5, 2021", "date(May 5, 2021)=2021-05-05"},
		{"the 4th of July", "date(the 4th of July)=2024-07-04"},
		{"the twenty-second of March 1999", "date(the twenty-second of March 1999)=1999-03-22"},
		{"Friday, June 7", "date(Friday, June 7)=2024-06-07"},
		{"this Friday", "date(this Friday)=2024-05-17"},
		{"last Friday", "date(last Friday)=2024-05-10"},
		{"past Friday", "date(past Friday)=2024-05-10"},
		{"past Wednesday", "date(past Wednesday)=2024-05-08"},
		{"coming Wednesday", "date(coming Wednesday)=2024-05-22"},
		{"Tuesday of next week", "date(Tuesday of next week)=2024-05-21"},
		{"last week on Thursday", "date(last week on Thursday)=2024-05-09"},
		{"the last Friday in October", "date(the last Friday in October)=2024-10-25"},
		{"the third Monday of the month", "date(the third Monday of the month)=2024-05-20"},
		{"2 days ago", "date(2 days ago)=2024-05-13"},
		{"in two weeks", "date(in two weeks)=2024-05-29"},
		{"a week from tomorrow", "date(a week from tomorrow)=2024-05-23"},
		{"3 months later", "date(3 months later)=2024-08-15"},
		{"in a couple of days", "date(in a couple of days)=2024-05-17"},
		// what no calendar has is no date
		{"2023-02-30", "number(2023)=2023; number(02)=2; number(30)=30"},
		{"in 999999999 years", "duration(999999999 years)=P999999999Y"},
	})
}

func TestPeriods(t *testing.T) {
	check(t, [][2]string{
		{"this week", "daterange(this week)=2024-05-13/2024-05-20"},
		{"next weekend", "daterange(next weekend)=2024-05-25/2024-05-27"},
		{"the previous quarter", "daterange(the previous quarter)=2024-01-01/2024-04-01"},
		{"the current year", "daterange(the current year)=2024-01-01/2025-01-01"},
		{"last calendar year", "daterange(last calendar year)=2023-01-01/2024-01-01"},
		{"next May", "daterange(next May)=2025-05-01/2025-06-01"},
		{"last June", "daterange(last June)=2023-06-01/2023-07-01"},
		{"year to date", "daterange(year to date)=2024-01-01/2024-05-16"},
		{"quarter to date", "daterange(quarter to date)=2024-04-01/2024-05-16"},
		{"month to date", "daterange(month to date)=2024-05-01/2024-05-16"},
		{"Q1", "daterange(Q1)=2024-01-01/2024-04-01"},
		{"2018-Q4", "daterange(2018-Q4)=2018-10-01/2019-01-01"},
		{"the third quarter of 2018", "daterange(the third quarter of 2018)=2018-07-01/2018-10-01"},
		{"in 2014", "daterange(2014)=2014-01-01/2015-01-01"},
		{"the year 2008", "daterange(the year 2008)=2008-01-01/2009-01-01"},
		{"October 2014", "daterange(October 2014)=2014-10-01/2014-11-01"},
		{"2017 april", "daterange(2017 april)=2017-04-01/2017-05-01"},
		{"2015-12", "daterange(2015-12)=2015-12-01/2016-01-01"},
		{"the next two weeks", "daterange(the next two weeks)=2024-05-15/2024-05-29"},
		{"the past 3 months", "daterange(the past 3 months)=2024-02-15/2024-05-15"},
	})
}

func TestRanges(t *testing.T) {
	check(t, [][2]string{
		{"from May to September", "daterange(from May to September)=2024-05-01/2024-10-01"},
		{"between 2014 and 2018", "daterange(between 2014 and 2018)=2014-01-01/2019-01-01"},
		{"12 to 16 september", "daterange(12 to 16 september)=2024-09-12/2024-09-17"},
		{"9 to 12 of June", "daterange(9 to 12 of June)=2024-06-09/2024-06-13"},
		{"July 13-15, 2019", "daterange(July 13-15, 2019)=2019-07-13/2019-07-16"},
		{"Dec 5 to Jan 3, 2018", "daterange(Dec 5 to Jan 3, 2018)=2017-12-05/2018-01-04"},
		{"from 30 December 2023 to 2 January", "daterange(from 30 December 2023 to 2 January)=2023-12-30/2024-01-03"},
		{"after January 1, 2007", "daterange(after January 1, 2007)=2007-01-02/.."},
		{"until 2020", "daterange(until 2020)=../2020-01-01"},
		{"prior to March 2020", "daterange(prior to March 2020)=../2020-03-01"},
		{"no later than May 20", "daterange(no later than May 20)=../2024-05-21"},
		{"not earlier than 2023-04-01", "daterange(not earlier than 2023-04-01)=2023-04-01/.."},
		{"later than 2012", "daterange(later than 2012)=2013-01-01/.."},
		{"starting from 2024-06-01", "daterange(starting from 2024-06-01)=2024-06-01/.."},
		{"2012 or later", "daterange(2012 or later)=2012-01-01/.."},
		{"2012 or earlier", "daterange(2012 or earlier)=../2013-01-01"},
		{"since November", "daterange(since November)=2023-11-01/.."},
	})
}
