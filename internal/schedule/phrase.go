package schedule

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/value"
)

// Phrase is the value of an input that counts from the day of each run, as "last week" does.
type Phrase struct {
	Text string `json:"text"` // what was said
	// Form is the value with the names of what the text means in the place of it: {value} of a day or a moment; of a stretch {from}, the
	// {to} that is no part of it, and the {last} day of it.
	Form string `json:"form"`
}

// mark is one name in a form, and what it stands for.
type mark struct{ name, value string }

// marks are what a text means on a day; none where it names no single day, moment or stretch.
func marks(text string, at time.Time) []mark {
	found, err := extract.Entities(context.Background(), text, at)
	if err != nil || len(found) != 1 || found[0].Start > 0 || found[0].End < len(text) {
		return nil
	}
	return marksOf(found[0])
}

func marksOf(e extract.Entity) (out []mark) {
	add := func(name string, v any) {
		if text, ok := v.(string); ok && text != "" {
			out = append(out, mark{"{" + name + "}", text})
		}
	}
	switch e.Kind {
	case extract.Date, extract.DateRange, extract.DateTime:
	default:
		return nil
	}
	if !e.Range {
		add("value", e.Value)
		return out
	}
	add("from", e.From)
	add("to", e.To)
	if to, ok := e.To.(string); ok {
		if day, err := time.Parse(time.DateOnly, to); err == nil {
			add("last", day.AddDate(0, 0, -1).Format(time.DateOnly))
		}
	}
	return out
}

// Value is what the phrase means at a time, by the clock of its zone.
func (p Phrase) Value(at time.Time) (string, error) {
	out := p.Form
	for _, m := range marks(p.Text, at) {
		out = strings.ReplaceAll(out, m.name, m.value)
	}
	if markForm.MatchString(out) {
		return "", fmt.Errorf("%q says no day on %s", p.Text, at.Format(time.DateOnly))
	}
	return out, nil
}

var (
	markForm = regexp.MustCompile(`\{(?:value|from|to|last)\}`)
	dayForm  = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}`)
)

// countsFromNow reports whether a text means something else on other days.
func countsFromNow(text string, now time.Time) bool {
	today := fmt.Sprint(marks(text, now))
	for _, days := range []int{1, 7, 40, 400} {
		if fmt.Sprint(marks(text, now.AddDate(0, 0, days))) != today {
			return true
		}
	}
	return false
}

// Frozen is the error of values that would stay what they were on the day of planning.
type Frozen struct{ Input, Value string }

func (e *Frozen) Error() string {
	return fmt.Sprintf("%s would be %s each time, the day that was meant when this was planned", e.Input, e.Value)
}

// Phrases finds the values that were made of what a request says of days that count from now, the moment at which they were made:
// params has them, parts what of the request each input is of, as far as that is known, and document what the workflow itself holds.
// The error is *Frozen where such a value is that no phrase stands for.
func Phrases(ctx context.Context, request string, now time.Time, params map[string]any, parts map[string]string, document string) (map[string]Phrase, error) {
	found, err := extract.Entities(ctx, request, now)
	if err != nil {
		return nil, err
	}
	var relative []extract.Entity
	for _, e := range found {
		if len(marksOf(e)) > 0 && countsFromNow(e.Text, now) {
			relative = append(relative, e)
		}
	}
	out := map[string]Phrase{}
	if len(relative) == 0 {
		return out, nil
	}
	for _, e := range relative {
		for _, m := range marksOf(e) {
			if strings.Contains(document, m.value) && !strings.Contains(request, m.value) {
				return nil, &Frozen{"a step of the workflow", m.value}
			}
		}
	}
	for _, input := range value.SortedKeys(params) {
		given, ok := params[input].(string)
		if !ok {
			given = value.JSON(params[input])
		}
		if ok {
			if p := phraseOf(given, relative, now, parts[input]); p != nil {
				out[input] = *p
				continue
			}
		}
		for _, day := range dayForm.FindAllString(given, -1) {
			if !strings.Contains(request, day) && !strings.Contains(document, day) {
				return nil, &Frozen{input, day}
			}
		}
	}
	return out, nil
}

// phraseOf finds what was said that a value was made of; nil where nothing was, or more than one thing could have been.
func phraseOf(given string, relative []extract.Entity, now time.Time, part string) (found *Phrase) {
	if markForm.MatchString(given) {
		return nil
	}
	certain := false
	for _, e := range relative {
		form := given
		for _, m := range marks(e.Text, now) {
			form = strings.ReplaceAll(form, m.value, m.name)
		}
		p := &Phrase{Text: e.Text, Form: form}
		if again, err := p.Value(now); form == given || err != nil || again != given || dayForm.MatchString(form) {
			continue
		}
		said := part != "" && strings.Contains(part, e.Text)
		switch {
		case found == nil || said && !certain:
			found, certain = p, said
		case certain == said && found.Text != p.Text:
			return nil
		}
	}
	return found
}
