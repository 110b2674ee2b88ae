package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entities reads a text in a context that does not end.
func entities(t *testing.T, text string, now time.Time) []Entity {
	t.Helper()
	found, err := Entities(t.Context(), text, now)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// text writes entities as a test wants to read them: KIND(TEXT)=VALUE.
func text(found []Entity) string {
	var out []string
	for _, e := range found {
		v := fmt.Sprint(e.Value)
		if e.Range {
			side := func(v any) string {
				if v == nil {
					return ".."
				}
				return fmt.Sprint(v)
			}
			v = side(e.From) + "/" + side(e.To)
		}
		if e.Unit != "" {
			v += " " + e.Unit
		}
		out = append(out, fmt.Sprintf("%s(%s)=%s", e.Kind, e.Text, v))
	}
	return strings.Join(out, "; ")
}

func TestEntities(t *testing.T) {
	now := time.Date(2024, 5, 15, 10, 30, 0, 0, time.UTC) // a Wednesday
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"say nothing of note", ""},
		{"meet tomorrow at 5pm", "datetime(tomorrow at 5pm)=2024-05-16T17:00:00"},
		{"from 3 March to 5 March 2023", "daterange(from 3 March to 5 March 2023)=2023-03-03/2023-03-06"},
		{"July 13-15", "daterange(July 13-15)=2024-07-13/2024-07-16"},
		{"since January", "daterange(since January)=2024-01-01/.."},
		{"before 2018", "daterange(before 2018)=../2018-01-01"},
		{"last month", "daterange(last month)=2024-04-01/2024-05-01"},
		{"the last 30 days", "daterange(the last 30 days)=2024-04-15/2024-05-15"},
		{"Q3 2019", "daterange(Q3 2019)=2019-07-01/2019-10-01"},
		{"next Monday", "date(next Monday)=2024-05-20"},
		{"the first Monday of this month", "date(the first Monday of this month)=2024-05-06"},
		{"3:30-6:00pm", "time(3:30-6:00pm)=15:30:00/18:00:00"},
		{"in 5 minutes", "datetime(in 5 minutes)=2024-05-15T10:35:00"},
		{"half an hour", "duration(half an hour)=PT30M"},
		{"two weeks", "duration(two weeks)=P2W"},
		{"it may be so", ""},
		{"the phone is 138-2010-2015", "number(138)=138; number(2010)=2010; number(2015)=2015"},
		{"two hundred and six of 1,234.5 and a half", "number(two hundred and six)=206; number(1,234.5 and a half)=1235"},
		{"10k, -3 and twenty-six", "number(10k)=10000; number(-3)=-3; number(twenty-six)=26"},
		{"5 percent of $1.5 million", "percent(5 percent)=5 %; currency($1.5 million)=1500000 USD"},
		{"10 km in 13 dollars", "dimension(10 km)=10 km; currency(13 dollars)=13 USD"},
		{"mail ann@example.org about https://example.org/a?b=1.", "email(ann@example.org)=ann@example.org; url(https://example.org/a?b=1)=https://example.org/a?b=1"},
		{"read src/main.go and .gitignore in ./docs, e.g. *.md", "path(src/main.go)=src/main.go; path(.gitignore)=.gitignore; path(./docs)=./docs; path(*.md)=*.md"},
		{"fix #12 of v1.2.3 \"as is\"", "issue(#12)=12; version(v1.2.3)=v1.2.3; quoted(\"as is\")=as is"},
		{"the repo acme/site and/or more", "repo(acme/site)=acme/site"},
	} {
		if diff := cmp.Diff(c.want, text(entities(t, c.in, now))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.in, diff)
		}
	}
}

// FuzzEntities: whatever the text, entities are in order, inside the text, and do not overlap.
func FuzzEntities(f *testing.F) {
	for _, s := range []string{"from 3 to 5 pm on 1/1/2015", "\"a 'b", "12:99 twenty-", "é½ dozen $", "2014-13-40", "#99999999999999999999"} {
		f.Add(s)
	}
	now := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, e := range entities(t, s, now) {
			if e.Start < end || e.End <= e.Start || e.End > len(s) || s[e.Start:e.End] != e.Text {
				t.Fatalf("%q: %+v behind %d", s, e, end)
			}
			end = e.End
		}
	})
}
