package compose

import (
	"slices"

	"pflow/internal/coverage"
	"pflow/internal/retrieve"
	"pflow/ir"
)

// mostOwn and mostBeside bound the words and the steps that count for and against a step.
const mostOwn, mostBeside = 4, 6

// needless are the chosen steps that give no other step anything and that little of the request speaks for, or, where they get
// nothing from one either, no word that the others do not explain: a remark by the way was taken for a wish.
// Steps that change something stay: what they do is not left out silently.
func (c *composer) needless(chosen []*step) (ids []string) {
	feeds, fed := map[*step]bool{}, map[*step]bool{}
	for _, s := range c.steps {
		for _, b := range s.given {
			if b.from != nil {
				feeds[b.from], fed[s] = true, true
			}
		}
	}
	kept := slices.Clone(chosen)
	for len(kept) > 1 {
		worst, least := -1, 0.0
		for k, s := range kept {
			if feeds[s] || len(s.of.Effects) > 0 || s.form != nil {
				continue
			}
			own, worth := c.worth(s, kept)
			if (worth < c.w.leastStep || own == 0 && !fed[s]) && (worst < 0 || worth <= least) {
				worst, least = k, worth
			}
		}
		if worst < 0 {
			break
		}
		ids = append(ids, kept[worst].id)
		kept = slices.Delete(kept, worst, worst+1)
	}
	return ids
}

// worth counts the words of the request, values and words about the request aside, that one of some steps explains and no
// other, and weighs what speaks for it.
func (c *composer) worth(s *step, all []*step) (words int, worth float64) {
	own, others, said := c.explains(s), map[string]bool{}, map[string]bool{}
	for _, o := range all {
		if o != s {
			for stem := range c.explains(o) {
				others[stem] = true
			}
		}
	}
	for _, w := range retrieve.Words(c.Text) {
		if w.Stop || coverage.About(w.Text) || c.covers(w.Start) {
			continue
		}
		said[w.Stem] = true
		if own[w.Stem] && !others[w.Stem] {
			words++
		}
	}
	return words, c.w.ownWord*float64(min(words, mostOwn)) + c.w.described*c.saidOf(s.text(), said) + c.w.named*c.saidOf(s.of.Name, said) +
		c.w.inputsHad*s.had() + c.w.besideSteps*float64(min(len(all), mostBeside))
}

// saidOf is the share of a text that some words are, by rarity.
func (c *composer) saidOf(text string, words map[string]bool) float64 {
	had, all, seen := 0.0, 0.0, map[string]bool{}
	for _, stem := range c.stemsOf(text) {
		if seen[stem] {
			continue
		}
		seen[stem] = true
		r := c.index.Rarity(stem)
		all += r
		if words[stem] {
			had += r
		}
	}
	if all == 0 {
		return 0
	}
	return had / all
}

// had is the share of a step's required inputs that something gives, half where it has none.
func (s *step) had() float64 {
	had, all := 0, 0
	for _, p := range s.inputs {
		if !p.Required {
			continue
		}
		all++
		if _, given := s.given[p.Key]; given {
			had++
		}
	}
	if all == 0 {
		return 0.5
	}
	return float64(had) / float64(all)
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
