package mapparams

import (
	"fmt"
	"regexp"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
	"pflow/internal/value"
)

// enums gives inputs with a closed set of values the one that the request names. A piece of a path or an address names none.
func (m *mapper) enums(r *Result) {
	stems := map[string]int{} // -> the word, from 1
	at := 0                   // the first entity that ends behind the word
	for k, w := range m.Words {
		for at < len(m.Entities) && m.Entities[at].End <= w.Start {
			at++
		}
		if at < len(m.Entities) && m.Entities[at].Start <= w.Start && isAddress(m.Entities[at].Kind) {
			continue
		}
		if stems[w.Stem] == 0 {
			stems[w.Stem] = k + 1
		}
	}
	for i := range m.inputs {
		in := &m.inputs[i]
		if in.Type == value.Array {
			m.severalOf(in, stems, r)
			continue
		}
		best, length, from, to := any(nil), 0, 0, 0
		for _, v := range in.Enum {
			low, high, n := m.namesValue(in, v, stems)
			if n > length {
				best, length = v, n
				from, to = m.Words[low].Start, m.Words[high].End
			}
		}
		if best == nil {
			continue
		}
		r.Extracted[in.Name] = best
		if !in.name[retrieve.Stem(strings.ToLower(fmt.Sprint(best)))] {
			r.Taken[in.Name] = [2]int{from, to}
		}
	}
}

// namesValue finds the words that name a value of a closed set, and how many they are; 0 if none do.
func (m *mapper) namesValue(in *spec, v any, stems map[string]int) (low, high, n int) {
	text := strings.TrimSpace(fmt.Sprint(v))
	words := retrieve.Words(text)
	low, high = len(m.Words), -1
	for _, w := range words {
		k := stems[w.Stem]
		if k == 0 || !m.inClause(in, k-1) {
			return 0, 0, 0
		}
		low, high = min(low, k-1), max(high, k-1)
	}
	if len(words) == 0 || text == "" || high-low >= 2*len(words)+1 || (numeral(text) || m.Words[low].Stop) && !m.near(in, low) && in.part != yearPart {
		return 0, 0, 0
	}
	return low, high, len(words)
}

// severalOf gives a list all values of its closed set that the request names.
func (m *mapper) severalOf(in *spec, stems map[string]int, r *Result) {
	var list []any
	from, to := len(m.Text), 0
	for _, v := range in.Enum {
		if low, high, n := m.namesValue(in, v, stems); n > 0 {
			list = append(list, v)
			from, to = min(from, m.Words[low].Start), max(to, m.Words[high].End)
		}
	}
	if len(list) > 0 {
		r.Extracted[in.Name], r.Taken[in.Name] = list, [2]int{from, to}
	}
}

func isAddress(kind string) bool {
	return kind == extract.Path || kind == extract.URL || kind == extract.Email
}

// inClause reports whether a word stands in the clause that speaks of an input's step, as far as that is known.
func (m *mapper) inClause(in *spec, k int) bool {
	if in.clause < 0 {
		return true
	}
	c := m.clauses[in.clause]
	return m.Words[k].Start >= c[0] && m.Words[k].Start < c[1]
}

// near reports whether a word of an input's name stands beside a word.
func (m *mapper) near(in *spec, k int) bool {
	for j := max(0, k-3); j <= min(len(m.Words)-1, k+3); j++ {
		if in.name[m.Words[j].Stem] || in.text[m.Words[j].Stem] {
			return true
		}
	}
	return false
}

// booleans sets an input that the request speaks of by every word of its name. The first word of the request says what is
// to be done: it sets an input only if the step says in other words what it does.
func (m *mapper) booleans(r *Result) {
	for i := range m.inputs {
		in := &m.inputs[i]
		if in.Type != value.Boolean || len(in.Enum) > 0 {
			continue
		}
		at, all, n := -1, true, 0
		for stem := range in.name {
			if flagWords[stem] {
				continue
			}
			n++
			found := false
			for k, w := range m.Words {
				if w.Stem == stem && (k > 0 || in.begins(stem)) {
					found, at = true, max(at, k)
				}
			}
			all = all && found
		}
		if n == 0 || !all {
			continue
		}
		before := m.Text[:m.Words[at].Start]
		r.Extracted[in.Name] = !negation.MatchString(before[max(0, len(before)-30):])
	}
}

// begins reports whether a request that begins with a word speaks of the input by it: the step says in another what it does.
func (s *spec) begins(stem string) bool {
	does := retrieve.Stems(s.Step)
	return len(does) > 0 && does[0] != stem
}

// flagWords are parts of a flag's name that say nothing of what it is about.
var flagWords = map[string]bool{"is": true, "has": true, "includ": true, "with": true, "us": true, "enabl": true, "allow": true, "show": true, "return": true, "get": true, "flag": true, "only": true, "appli": true}

var negation = regexp.MustCompile(`(?i)\b(?:no|not|without|don't|do not|never|exclude|excluding|skip|omit)\b[^.,;]*$`)

// lineLead stands between the verb and a line.
var lineLead = map[string]bool{"the": true, "a": true, "command": true, "program": true, "shell": true, "following": true}

// lines gives inputs that take a line word by word what stands behind the verb of their clause.
func (m *mapper) lines(r *Result) {
	for i := range m.inputs {
		in := &m.inputs[i]
		if !in.words {
			continue
		}
		span := [2]int{0, len(m.Text)}
		if in.clause >= 0 {
			span = m.clauses[in.clause]
		}
		start := -1
		for _, w := range m.Words {
			if w.Start < span[0] || w.End > span[1] {
				continue
			}
			if start < 0 && retrieve.IsVerb(w.Text) || start >= 0 && (lineLead[w.Text] || in.name[w.Stem]) && strings.TrimSpace(m.Text[start:w.Start]) == "" {
				start = w.End
			}
		}
		if start < 0 {
			continue
		}
		text := m.Text[start:span[1]]
		if quoted := quotedLine.FindStringSubmatchIndex(text); quoted != nil {
			start, text = start+quoted[2], text[quoted[2]:quoted[3]]
		} else if end := lineEnd.FindStringIndex(text); end != nil {
			text = text[:end[0]]
		}
		line := strings.TrimRight(text, " .,;:!?")
		if strings.HasSuffix(line, "/") { // dots behind a slash are a path: ./...
			rest := text[len(line):]
			line += rest[:len(rest)-len(strings.TrimLeft(rest, "."))]
		}
		text = strings.TrimSpace(line)
		if words := retrieve.Words(text); text == "" || shellOperator.MatchString(text) || len(words) > 0 && words[0].Stop {
			continue // no line of one program and its arguments
		}
		at := start + strings.Index(line, text)
		r.Extracted[in.Name] = splitWords(text)
		r.Taken[in.Name] = [2]int{at, at + len(text)}
	}
}

var (
	quotedLine = regexp.MustCompile("^[^\\w\"`'‘“]*[\"`'‘“]([^\"`'’”]+)[\"`'’”]")
	// lineEnd is where a line that is not quoted ends, and the request goes on.
	lineEnd       = regexp.MustCompile(`(?i)[\s,]+(?:and then|and|then)(?:\s+(?:print|show|save|write|store|put|display|tell|send|give)\b|\s*$)`)
	shellOperator = regexp.MustCompile(`[;|&<>]`)
)
