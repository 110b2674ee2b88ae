package mapparams

import (
	"regexp"
	"slices"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
	"pflow/internal/value"
)

var periodLead = regexp.MustCompile(`(?i)^(?:(?:the|over|for|in|within|past|last|next|coming|previous|following)\s+)+`)

// mayTake reports whether an input may take a candidate that is meant for some only.
func (m *mapper) mayTake(in *spec, c *candidate) bool {
	if c.only > 0 && in != &m.inputs[c.only-1] {
		return false
	}
	switch c.part {
	case fromPart:
		return in.role == sourceRole || in.role == noRole && in.wants == wantsDate
	case toPart:
		return in.role == targetRole
	case yearPart, monthPart, dayPart:
		return in.part == c.part
	case datePart:
		return in.wants == wantsDate && !momentWords.MatchString(in.Description)
	case clockPart:
		return in.wants == wantsTime && !momentWords.MatchString(in.Description) && !in.named("date")
	case unitPart:
		return in.currency
	case firstPart:
		return in.named("city", "town") && m.wantsBoth || c.inside && m.inside(in, c) > 0
	case lastPart:
		return in.named("country", "state", "province", "region", "county") && m.wantsBoth || c.inside && in.wants == wantsPlace
	}
	return true
}

// momentWords is how a description asks for a day together with a time.
var momentWords = regexp.MustCompile(`(?i)date ?time|timestamp|iso.?8601|(?:dd|d)[T ]+hh|date and time`)

// named reports whether one of some words is in the name of an input.
func (s *spec) named(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return s.name[retrieve.Stem(w)] })
}

// partOf is the part of a day that an input is called: year, and not years, which are counted.
func partOf(key string) part {
	for _, w := range retrieve.Words(key) {
		switch w.Text {
		case "year":
			return yearPart
		case "month":
			return monthPart
		case "day":
			return dayPart
		}
	}
	return wholePart
}

// unitsOf are the units that the name and the description of an input speak of.
func unitsOf(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		for _, w := range retrieve.Words(text) {
			if u := unitOf(w.Text); u != "" && w.Text != "second" { // the second of two
				out[u] = true
			}
		}
	}
	return out
}

// unitOf is the unit that a word names: of time by its name, of anything else by its sign; "" if it is none.
func unitOf(word string) string {
	for _, unit := range [...]string{"second", "minute", "hour", "day", "night", "week", "month", "year"} {
		if word == unit || word == unit+"s" || word == unit+"ly" {
			return unit
		}
	}
	switch word {
	case "kelvin", "k":
		return "K"
	case "degree", "degrees":
		return "°"
	case "daily":
		return "day"
	case "annual", "annually":
		return "year"
	}
	return extract.UnitOf(word)
}

// unitScore weighs the unit that stands with a number against those that an input is measured in.
func (m *mapper) unitScore(in *spec, c *candidate) float64 {
	if c.unit == "" || len(in.units) == 0 || in.Type != value.Integer && in.Type != value.Number {
		return 0
	}
	if in.units[c.unit] || strings.HasPrefix(c.unit, "°") && in.units["°"] {
		return good
	}
	return -fair
}

// numberOf is the number that a candidate is for an input, nil if it is none.
func (s *spec) numberOf(c *candidate) any {
	if c.days > 0 { // a period that is counted from now: the next week
		for _, u := range []struct {
			stem string
			days int
		}{{"day", 1}, {"week", 7}, {"month", 30}, {"year", 365}} {
			if s.unitIs(u.stem) && c.days >= u.days {
				return c.days / u.days
			}
		}
		return nil
	}
	if m := scaledLetter.FindStringSubmatch(c.text); m != nil && c.is(extract.Number) && s.measuredIn(m[2]) {
		if n, ok := signedNumber(m[1]); ok {
			return n
		}
	}
	return c.number
}

// unitIs reports whether an input counts something, by its name or else by its description.
func (s *spec) unitIs(stem string) bool {
	return s.name[retrieve.Stem(stem)] || s.text[retrieve.Stem(stem)]
}

var scaledLetter = regexp.MustCompile(`(?i)^([-−]?[\d.,]+)(k|mm|m|b|t)$`)

// units are the words for the units whose signs are also those of thousands, millions and so on (BIPM, The International
// System of Units, tables 2, 4 and 8).
var units = map[string][]string{
	"k": {"kelvin", "k"}, "m": {"meter", "metre", "minute", "m", "height", "length", "distance"}, "mm": {"millimeter", "millimetre", "mm"},
	"t": {"tonne", "ton", "t"}, "b": {"byte", "b"},
}

// measuredIn reports whether an input is measured in the unit with a sign.
func (s *spec) measuredIn(sign string) bool {
	for _, word := range units[strings.ToLower(sign)] {
		if s.unitIs(word) {
			return true
		}
	}
	return sign == "K" && s.name["temperatur"] || sign == "mm"
}
