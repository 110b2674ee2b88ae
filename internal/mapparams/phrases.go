package mapparams

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
)

// names finds runs of words with capitals, with the small words that join them, and codes.
func (m *mapper) names(known map[string]bool) {
	for k := 0; k < len(m.Words); {
		if !m.isName(k, known) {
			k++
			continue
		}
		last := k
		for j := k + 1; j < len(m.Words); j++ {
			gap := m.Text[m.Words[j-1].End:m.Words[j].Start]
			if strings.Trim(gap, " ") != "" && gap != "-" && gap != "." && gap != ". " && gap != "'" && gap != "&" && strings.TrimSpace(gap) != "&" && gap != ", " {
				break
			}
			if gap == ". " && m.Words[j-1].End-m.Words[j-1].Start > 2 {
				break
			}
			if m.isName(j, nil) {
				if gap == ", " && !(j-last == 1 && m.continuesName(j)) {
					break
				}
				last = j
				continue
			}
			if gap != " " || !joiners[m.Words[j].Text] || j-last > 2 {
				break
			}
		}
		c := candidate{class: className, start: m.Words[k].Start, end: m.Words[last].End}
		c.text = m.Text[c.start:c.end]
		c.text = strings.TrimSuffix(strings.TrimSuffix(c.text, "'s"), "’s")
		if last == k && hasDigit(c.text) {
			c.class = classCode
			if n, ok := plainNumber(firstNumber.FindString(c.text)); ok {
				c.number = n
			}
		}
		m.add(c)
		k = last + 1
	}
}

// continuesName reports whether a word behind a comma can belong to the name before it: Paris, France; Springfield, IL.
func (m *mapper) continuesName(j int) bool {
	if j < 1 {
		return false
	}
	if numeral(m.Words[j].Text) {
		return false // another value
	}
	if m.Words[j].End-m.Words[j].Start == 2 {
		return true
	}
	// a list goes on behind another comma or "and"
	rest := m.Text[m.Words[j].End:]
	return !listGoesOn.MatchString(rest)
}

// listGoesOn tells a list of names, A, B and C, from pairs of them, A, B and C, D.
var listGoesOn = regexp.MustCompile(`^(?:, (?:and |or )?\p{Lu}|(?: and| or) (?:the )?\p{Lu}[\pL.]*(?: \p{Lu}[\pL.]*){0,3}(?:[^,\pL ]|, ?\P{Lu}| \P{Lu}|$))`)

// joiners stand inside names.
var joiners = map[string]bool{"of": true, "the": true, "de": true, "la": true, "le": true, "du": true, "van": true, "von": true}

// isName reports whether a word is written as a name: a capital that no sentence begins with, or letters and digits.
func (m *mapper) isName(k int, known map[string]bool) bool {
	w := m.Words[k]
	text := m.Text[w.Start:w.End]
	r, _ := utf8.DecodeRuneInString(text)
	if hasDigit(text) && strings.IndexFunc(text, unicode.IsLetter) >= 0 {
		return true
	}
	if !unicode.IsUpper(r) {
		return known == nil && numeral(text) && k > 0
	}
	if w.Text == "i" || w.Stop && w.Text == "a" && text == "A" && k == 0 {
		return false
	}
	first := k == 0 || strings.ContainsAny(m.Text[m.Words[k-1].End:w.Start], ".!?:\n") && m.Words[k-1].End-m.Words[k-1].Start > 1
	if first {
		// A sentence begins with a capital anyway: a name only if the next word is one too, or nothing else could stand here.
		return k+1 < len(m.Words) && !w.Stop && known != nil && !known[w.Stem] && m.isName(k+1, nil) && m.Text[w.End:m.Words[k+1].Start] == " " && !retrieve.IsVerb(w.Text)
	}
	return !(w.Stop && len(text) > 1 && strings.ToUpper(text) != text)
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// phrases finds runs of other words that neither the inputs nor what is asked for explain.
func (m *mapper) phrases(known map[string]bool) {
	start := -1
	flush := func(k int) {
		if start >= 0 {
			c := candidate{class: classPhrase, start: m.Words[start].Start, end: m.Words[k-1].End}
			c.text = m.Text[c.start:c.end]
			m.add(c)
			start = -1
		}
	}
	for k, w := range m.Words {
		text := m.Text[w.Start:w.End]
		gap := ""
		if k > 0 {
			gap = m.Text[m.Words[k-1].End:w.Start]
		}
		switch {
		case m.covered[w.Start], w.Stop, known[w.Stem], prepositions[w.Text], k == 0 || retrieve.IsVerb(w.Text), numeral(text):
			flush(k)
		case start >= 0 && gap != " " && gap != "-" && gap != "_" && gap != ".":
			flush(k)
			start = k
		case start < 0:
			start = k
		}
	}
	flush(len(m.Words))
}

// lists makes one candidate of candidates that are named one after the other.
func (m *mapper) lists() {
	apart := slices.DeleteFunc(slices.Clone(m.candidates), func(c candidate) bool { return c.part != wholePart || c.list != nil || c.object != nil })
	for i := 0; i < len(apart); i++ {
		j := i
		for j+1 < len(apart) && apart[j].end <= apart[j+1].start && goesOn(m.Text[apart[j].end:apart[j+1].start]) && alike(&apart[i], &apart[j+1]) {
			j++
		}
		c := candidate{class: classList, start: apart[i].start, end: apart[j].end, preposition: apart[i].preposition, label: apart[i].label, named: apart[i].class == className}
		for k := i; k <= j; k++ {
			item := any(apart[k].text)
			if n := apart[k].number; n != nil && apart[k].class == classEntity && apart[k].kind != extract.Quoted {
				item = n
			}
			c.list = append(c.list, item)
		}
		c.text = m.Text[c.start:c.end]
		c.first, c.last = apart[i].first, apart[j].last
		c.medium = Medium(c.text)
		m.candidates = append(m.candidates, c)
		i = j
	}
}

func alike(a, b *candidate) bool {
	return (a.number == nil) == (b.number == nil) && (a.kind == b.kind || a.kind == "" || b.kind == "")
}

// goesOn reports whether a list goes on behind what stands between two candidates. What listGap has is looked for first,
// since that is much quicker.
func goesOn(gap string) bool {
	return (strings.ContainsAny(gap, ",&") || strings.Contains(gap, " and") || strings.Contains(gap, " or") || strings.Contains(gap, " as well as")) &&
		listGap.MatchString(gap)
}

var listGap = regexp.MustCompile(`^["'”’)]?(?:,| and| or| &|, and|, or|,? as well as)\s*["'“‘(]?$|^\s*,\s*$`)
