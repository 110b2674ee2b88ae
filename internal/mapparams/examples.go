package mapparams

import (
	"regexp"
	"slices"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
	"pflow/internal/value"
)

// example is a value that a description gives: one of all there are, or one of some.
type example struct {
	text  string
	stems []string
	all   bool // the description lists every value that there is
}

// longestExample is how many words an example has at most: more is a sentence about the input.
const longestExample = 6

// mostPlaces is how many places of the request are looked at for one example.
const mostPlaces = 16

// examplesOf lists the values that a description gives.
func examplesOf(description string) []example {
	var out []example
	seen := map[string]bool{}
	add := func(text string, all bool) {
		text = strings.Trim(strings.TrimSpace(text), "\"'.()“”‘’` ")
		if seen[strings.ToLower(text)] || numeral(text) {
			return
		}
		e := example{text: text, all: all}
		says := false
		for _, w := range retrieve.Words(text) {
			e.stems = append(e.stems, w.Stem)
			says = says || !w.Stop || text == strings.ToUpper(text)
		}
		if says && len(e.stems) <= longestExample {
			seen[strings.ToLower(text)] = true
			out = append(out, e)
		}
	}
	for _, q := range quotedForm.FindAllString(description, -1) { // what is quoted may have commas
		add(q, listForm.MatchString(description))
	}
	description = quotedForm.ReplaceAllString(description, " ")
	for _, list := range listForm.FindAllStringSubmatch(description, -1) {
		for _, part := range exampleSplit.Split(list[1], -1) {
			add(part, true)
		}
	}
	for _, list := range exampleForm.FindAllString(description, -1) {
		for _, part := range exampleSplit.Split(list, -1) {
			add(part, false)
		}
	}
	return out
}

// listForm is how a description lists the values that there are.
var listForm = regexp.MustCompile(`(?i)\b(?:one of|options(?: are| include)?:?|either|choices(?: are)?:?|(?:possible|valid|allowed|supported|available|accepted) values(?: are| include)?:?|supports?)[: ]\s*([^.;()]*)`)

// exemplified finds what the request says of the values that descriptions give, as candidates of the inputs they describe.
func (m *mapper) exemplified() {
	if len(m.Words) == 0 {
		return
	}
	at := map[string][]int{}
	for k, w := range m.Words {
		at[w.Stem] = append(at[w.Stem], k)
	}
	for i := range m.inputs {
		in := &m.inputs[i]
		if len(in.Enum) > 0 || in.Type != value.String && in.Type != value.Array && in.Type != value.Any {
			continue
		}
		var found []candidate
		for _, e := range examplesOf(in.Description) {
			places := at[e.stems[0]]
			for _, k := range places[:min(len(places), mostPlaces)] {
				if k+len(e.stems) > len(m.Words) || !m.says(k, e.stems) {
					continue
				}
				c := candidate{class: classExample, only: i + 1, text: e.text, start: m.Words[k].Start, end: m.Words[k+len(e.stems)-1].End}
				if !e.all && strings.EqualFold(e.text, m.Text[c.start:c.end]) {
					c.text = m.Text[c.start:c.end]
				}
				c.listed = e.all
				if !m.insideName(&c) {
					found = append(found, c)
					break
				}
			}
		}
		if in.Type == value.Array {
			found = asList(found)
		}
		for _, c := range found {
			m.place(&c)
			c.looks()
			m.candidates = append(m.candidates, c)
		}
	}
}

// insideName reports whether a name has a candidate and more: New York, NY for the example NY.
func (m *mapper) insideName(c *candidate) bool {
	return slices.ContainsFunc(m.candidates, func(n candidate) bool {
		return (n.class == className || n.class == classCode || n.is(extract.Quoted)) && n.start <= c.start && n.end >= c.end && n.end-n.start > c.end-c.start+len(`""`)
	})
}

// says reports whether the words from k on have some stems, and nothing but blanks and signs inside names between them.
func (m *mapper) says(k int, stems []string) bool {
	for j, stem := range stems {
		if m.Words[k+j].Stem != stem {
			return false
		}
		if j > 0 && strings.Trim(m.Text[m.Words[k+j-1].End:m.Words[k+j].Start], " -_.'’&/") != "" {
			return false
		}
	}
	return true
}

// asList makes one candidate of all values that an array may have.
func asList(found []candidate) []candidate {
	if len(found) == 0 {
		return nil
	}
	all := found[0]
	all.list = nil
	for _, c := range found {
		all.start, all.end = min(all.start, c.start), max(all.end, c.end)
		all.list = append(all.list, c.text)
	}
	return []candidate{all}
}
