package coverage

import "pflow/internal/retrieve"

// said is the share of the words of a request, those of values and about the request aside, that steps say of themselves. It tells
// whether a component fits at all, where one is to be chosen and every other word of the request is beside the point.
func (d *leftWords) said(words []placed, steps []string) float64 {
	asked := map[string]bool{}
	for _, w := range words {
		if !w.Stop && !d.about[w.Text] && w.by != aValue {
			asked[w.Stem] = true
		}
	}
	had := map[string]bool{}
	for _, s := range steps {
		for _, stem := range retrieve.Stems(s) {
			if asked[stem] {
				had[stem] = true
			}
		}
	}
	return float64(len(had)) / float64(max(1, len(asked)))
}
