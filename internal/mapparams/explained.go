package mapparams

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// explainedForm is how a description says what a value stands for: '2' represents ironing services, 1 for Bangkok.
var explainedForm = regexp.MustCompile(`['"“]?([\pL\d_-]+)['"”]?\s*(?:\b(?:represents?|stands for|corresponds? to|refers? to|means|for|is|to)\b|=|:|->)\s+['"]?(\pL[^,.;:'"()]*)`)

// explained gives inputs the values that their descriptions explain by what the request says: of the values of a closed set,
// or of numbers.
func (m *mapper) explained(r *Result) {
	at := map[string]int{}
	for k, w := range m.Words {
		if _, ok := at[w.Stem]; !ok {
			at[w.Stem] = k
		}
	}
	for i := range m.inputs {
		in := &m.inputs[i]
		isNumber := in.Type == value.Integer || in.Type == value.Number
		if _, done := r.Extracted[in.Name]; done || len(in.Enum) == 0 && !isNumber {
			continue
		}
		type meaning struct {
			value any
			stems []string
		}
		var all []meaning
		shared := map[string]int{}
		for _, found := range explainedForm.FindAllStringSubmatch(in.Description, -1) {
			v := in.explainedValue(found[1])
			if v == nil {
				continue
			}
			stems := slices.Compact(slices.Sorted(slices.Values(retrieve.Stems(found[2]))))
			for _, s := range stems {
				shared[s]++
			}
			all = append(all, meaning{v, stems})
		}
		var said []meaning
		for _, e := range all {
			e.stems = slices.DeleteFunc(e.stems, func(s string) bool { return shared[s] > 1 })
			if len(e.stems) > 0 && !slices.ContainsFunc(e.stems, func(s string) bool { _, ok := at[s]; return !ok || !m.inClause(in, at[s]) }) {
				said = append(said, e)
			}
		}
		if len(all) < 2 || len(said) != 1 {
			continue // of none, or of several, nothing is known
		}
		from, to := len(m.Text), 0
		for _, s := range said[0].stems {
			from, to = min(from, m.Words[at[s]].Start), max(to, m.Words[at[s]].End)
		}
		r.Extracted[in.Name], r.Taken[in.Name] = said[0].value, [2]int{from, to}
	}
}

// explainedValue is the value that a description explains, of the closed set or a number; nil if it is none.
func (s *spec) explainedValue(text string) any {
	for _, v := range s.Enum {
		if strings.EqualFold(fmt.Sprint(v), text) {
			return v
		}
	}
	if n, ok := plainNumber(text); ok && len(s.Enum) == 0 {
		if v, err := ir.Coerce(s.Type, n); err == nil {
			return v
		}
	}
	return nil
}
