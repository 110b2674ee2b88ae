package gitcli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/fault"
)

// dayForms and timeForms are the dates that are read before words are tried; without a zone they are local.
var timeForms = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04"}

// instant is the time that a date stands for: as the end of a span, a day is taken whole. git itself takes what it cannot
// read for the present, so it is not asked.
func instant(ctx context.Context, key, given string, end bool, now time.Time) (time.Time, error) {
	s := strings.TrimSpace(given)
	for _, form := range timeForms {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, nil
		}
	}
	if t, ok := day(s, end, now); ok {
		return t, nil
	}
	found, err := extract.Entities(ctx, s, now)
	if err != nil {
		return time.Time{}, err
	}
	if len(found) == 1 && found[0].Start == 0 && found[0].End == len(s) {
		e := found[0]
		from, to := e.Value, e.Value
		exclusive := false
		if e.Range {
			from, to, exclusive = e.From, e.To, true
		}
		chosen, _ := from.(string)
		if end {
			chosen, _ = to.(string)
		}
		switch e.Kind {
		case extract.Date, extract.DateRange:
			if t, ok := day(chosen, end && !exclusive, now); ok {
				if end && exclusive {
					t = t.Add(-time.Second)
				}
				return t, nil
			}
		case extract.DateTime:
			if t, err := time.ParseInLocation("2006-01-02T15:04:05", chosen, now.Location()); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, told(fault.InvalidRequest, "bad_date", "%s is %s, which is no date that is understood, and no branch, tag or commit; give one such as 2026-01-31, 2026-01-31T18:00 or \"2 weeks ago\"", key, strconv.Quote(given))
}

// day is the first second of a day, or its last.
func day(s string, last bool, now time.Time) (time.Time, bool) {
	t, err := time.ParseInLocation(time.DateOnly, s, now.Location())
	if err == nil && last {
		t = t.AddDate(0, 0, 1).Add(-time.Second)
	}
	return t, err == nil
}
