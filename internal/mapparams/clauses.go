package mapparams

import (
	"math"

	"pflow/internal/retrieve"
)

// outOfPlace is what a clause loses for each place that it stands away from where the step stands, in shared words.
const outOfPlace = 0.4

// alignSteps finds the clause that speaks of each input's step: steps and clauses keep their order where the words do
// not say otherwise.
func (m *mapper) alignSteps() {
	steps := 0
	for i := range m.inputs {
		steps = max(steps, m.inputs[i].Order)
	}
	if steps < 2 {
		return
	}
	m.clauses = retrieve.Clauses(m.Text, nil)
	if len(m.clauses) < 2 {
		return
	}
	for i := range m.inputs {
		in := &m.inputs[i]
		if in.Step == "" {
			continue
		}
		stems := map[string]bool{}
		for _, s := range retrieve.Stems(in.Step) {
			stems[s] = true
		}
		shared := make([]float64, len(m.clauses)) // words of the step in each clause
		k := 0
		for _, w := range m.Words {
			for k < len(m.clauses)-1 && w.Start >= m.clauses[k][1] {
				k++
			}
			if stems[w.Stem] && !w.Stop {
				shared[k]++
			}
		}
		best, most := -1, 0.0
		for k, s := range shared {
			if s == 0 {
				continue
			}
			// the clause at the step's place in the order is nearest
			place := float64(in.Order-1) / float64(steps-1) * float64(len(m.clauses)-1)
			s -= outOfPlace * math.Abs(place-float64(k))
			if best < 0 || s > most {
				best, most = k, s
			}
		}
		if best < 0 && len(m.clauses) >= steps {
			// Its clause says it in other words: it stands where the step stands.
			best = int(float64(in.Order-1)/float64(steps-1)*float64(len(m.clauses)-1) + 0.5)
		}
		in.clause = best
	}
}
