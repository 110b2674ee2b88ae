package when

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var utcOffset = regexp.MustCompile(`^(?:utc|gmt)([+-])0?(\d{1,2})(?::?00)?$`)

// zoneOf reads Berlin time, UTC, (America/New_York), in the time zone Europe/Paris, UTC+2.
func (p *parser) zoneOf(s *spec, i int) int {
	if s.zone != "" || len(s.times) == 0 && s.window == nil && s.date == nil && s.every == 0 && !s.recurring {
		return 0
	}
	w := words()
	at, named := i, false
	if p.is(at, "in") {
		at++
	}
	at = p.skip(at, "the")
	if k := p.phrase(at, "time zone") + p.phrase(at, "timezone"); k > 0 {
		at, named = at+k, true
	}
	text := p.text(at)
	if m := utcOffset.FindStringSubmatch(text); m != nil {
		v, _ := strconv.Atoi(m[2])
		sign := "-" // the names of these zones count the other way
		if m[1] == "-" {
			sign = "+"
		}
		if v > 12 {
			return 0
		}
		s.zone = "Etc/GMT" + sign + m[2]
		return p.timeWord(at+1) - i
	}
	if strings.Contains(text, "/") {
		for _, name := range w.city {
			if strings.EqualFold(name, text) {
				s.zone = name
				return p.timeWord(at+1) - i
			}
		}
		if named {
			p.wrong("there is no time zone " + p.toks[at].raw + ": write one like Europe/Berlin")
			return at + 1 - i
		}
		return 0
	}
	for n := 3; n > 0; n-- {
		name := p.span(at, n)
		if name == "" {
			continue
		}
		zone, spoken := w.Zones[name]
		if !spoken {
			zone = w.city[name]
		}
		seasonal := n == 1 && slices.Contains(w.Offsets, name)
		said := p.is(at+n, "time") || named
		switch {
		case seasonal:
			p.wrong(strings.ToUpper(name) + " is an offset that holds for a part of the year or for several places: name a place, such as New York time")
			return p.timeWord(at+n) - i
		case zone != "" && (said || spoken && n == 1):
			s.zone = zone
			return p.timeWord(at+n) - i
		case zone != "" && p.is(i, "in") && len(s.times) > 0 && !s.recurring && p.repeats(at+n): // at 9 in Sydney every day
			s.zone = zone
			return at + n - i
		case n == 1 && slices.Contains(w.Local, name) && p.is(at+n, "time"):
			s.zone = "local"
			return at + 2 - i
		}
	}
	if text != "" && p.is(at+1, "time") && text[0] >= 'a' && text[0] <= 'z' && !p.is(at, "the", "this", "that", "each", "every", "any", "of", "one") {
		p.wrong("there is no time zone for " + p.toks[at].raw + ": write one like Europe/Berlin")
		return at + 2 - i
	}
	return 0
}

// timeWord is behind the word time, if it stands there.
func (p *parser) timeWord(i int) int { return p.skip(i, "time") }

// span is n words as one text.
func (p *parser) span(i, n int) string {
	var out []string
	for k := range n {
		if p.text(i+k) == "" {
			return ""
		}
		out = append(out, p.text(i+k))
	}
	return strings.Join(out, " ")
}
