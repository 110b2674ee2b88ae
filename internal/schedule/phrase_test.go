package schedule

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func day(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestPhrases: values that were made of what counts from the day of planning, a Sunday, are found with what was said, and mean
// another day at another time.
func TestPhrases(t *testing.T) {
	planned := day(t, "2026-11-22")
	for _, c := range []struct {
		request string
		params  map[string]any
		parts   map[string]string
		later   map[string]string // the values on Monday the 30th; those of inputs that are no phrases are left out
		frozen  string
	}{
		{request: "list the commits since yesterday", params: map[string]any{"since": "2026-11-21"}, later: map[string]string{"since": "2026-11-29"}},
		{request: "summarize last week's issues", params: map[string]any{"from": "2026-11-09", "until": "2026-11-15", "before": "2026-11-16"},
			later: map[string]string{"from": "2026-11-23", "until": "2026-11-29", "before": "2026-11-30"}},
		{request: "summarize last week's issues", params: map[string]any{"query": "is:issue created:2026-11-09..2026-11-15"},
			later: map[string]string{"query": "is:issue created:2026-11-23..2026-11-29"}},
		{request: "show files changed in the last 7 days", params: map[string]any{"after": "2026-11-15", "before": "2026-11-22T24:00"},
			later: map[string]string{"after": "2026-11-23", "before": "2026-11-30T24:00"}},
		{request: "list the commits since 2026-11-21", params: map[string]any{"since": "2026-11-21"}},
		{request: "what changed between 2026-11-21 and today", params: map[string]any{"since": "2026-11-21", "until": "2026-11-22"}, later: map[string]string{"since": "2026-11-21", "until": "2026-11-30"}},
		{request: "commits before yesterday and issues since yesterday", params: map[string]any{"since": "2026-11-21"}, parts: map[string]string{"since": "since yesterday"},
			later: map[string]string{"since": "2026-11-29"}},
		{request: "summarize last week's issues", params: map[string]any{"period": "last week"}},
		{request: "summarize last week's issues", params: map[string]any{"days": []any{"2026-11-09"}}, frozen: "days"},
		{request: "summarize last week's issues", params: map[string]any{"since": "2026-11-08"}, frozen: "since"},
	} {
		got, err := Phrases(context.Background(), c.request, planned, c.params, c.parts, "")
		var frozen *Frozen
		if errors.As(err, &frozen) && frozen.Input == c.frozen && c.frozen != "" {
			continue
		}
		if err != nil || c.frozen != "" {
			t.Errorf("%s %v: %v, want frozen %q", c.request, c.params, err, c.frozen)
			continue
		}
		later := map[string]string{}
		for input, p := range got {
			if then, err := p.Value(planned); err != nil || then != c.params[input] {
				t.Errorf("%s: %s is %q on the day of planning, %v", c.request, input, then, err)
			}
			if later[input], err = p.Value(day(t, "2026-11-30")); err != nil {
				t.Errorf("%s: %s: %v", c.request, input, err)
			}
		}
		if diff := cmp.Diff(c.later, later); diff != "" && len(c.later)+len(later) > 0 {
			t.Errorf("%s %v (-want +got):\n%s", c.request, c.params, diff)
		}
	}
	if _, err := Phrases(context.Background(), "summarize last week's issues", planned, nil, nil, `{"since":"2026-11-09"}`); err == nil {
		t.Error("a day that the workflow holds itself is no phrase")
	}
}

// TestPhraseZone: which day it is says the clock of the schedule's zone.
func TestPhraseZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	p := Phrase{Text: "last week", Form: "{from}/{last}"}
	monday := time.Date(2026, 11, 30, 0, 30, 0, 0, berlin)
	for want, at := range map[string]time.Time{"2026-11-23/2026-11-29": monday, "2026-11-16/2026-11-22": monday.UTC()} {
		if got, err := p.Value(at); err != nil || got != want {
			t.Errorf("at %s: %q, %v, want %q", at, got, err, want)
		}
	}
}
