package compose

import (
	"slices"

	"pflow/internal/coverage"
	"pflow/internal/retrieve"
	"pflow/ir"
)

// needless are the chosen steps that explain no word of the request that the others do not explain, and neither give
// another step anything nor get anything from one: a remark by the way was taken for a wish.
// Steps that change something stay: what they do is not left out silently.
func (c *composer) needless(chosen []*step) (ids []string) {
	linked := map[*step]bool{}
	for _, s := range c.steps {
		for _, b := range s.given {
			if b.from != nil {
				linked[s], linked[b.from] = true, true
			}
		}
	}
	kept := slices.Clone(chosen)
	for k := len(kept) - 1; k >= 0 && len(kept) > 1; k-- {
		s := kept[k]
		if linked[s] || len(s.of.Effects) > 0 || s.form != nil || c.gain(s, kept) > 0 {
			continue
		}
		kept, ids = slices.Delete(kept, k, k+1), append(ids, s.id)
	}
	return ids
}

// gain counts the words of the request, values and words about the request aside, that one of some steps explains and no other.
func (c *composer) gain(s *step, all []*step) int {
	own, others := c.explains(s), map[string]bool{}
	for _, o := range all {
		if o != s {
			for stem := range c.explains(o) {
				others[stem] = true
			}
		}
	}
	n := 0
	for _, w := range retrieve.Words(c.Text) {
		if !w.Stop && own[w.Stem] && !others[w.Stem] && !coverage.About(w.Text) && !c.covers(w.Start) {
			n++
		}
	}
	return n
}

// explains are the stems of all that a step's interface says.
func (c *composer) explains(s *step) map[string]bool {
	if s.stems == nil {
		s.stems = map[string]bool{}
		texts := s.texts()
		for _, ports := range [][]ir.Port{s.inputs, s.of.Outputs} {
			for _, p := range ports {
				for _, v := range p.Enum {
					if text, ok := v.(string); ok {
						texts = append(texts, text)
					}
				}
			}
		}
		for _, text := range texts {
			for _, stem := range c.stemsOf(text) {
				s.stems[stem] = true
			}
		}
	}
	return s.stems
}
