package experiment

import "pflow/internal/value"

// Failure is a plan that was not as expected, and what models replied on the way to it.
type Failure struct {
	ID      string
	Request string
	Failed  []string          // what was not as expected
	Replies map[string]string // the last reply to each prompt, by its name, cut where it is long
}

// Failures are the plans of an experiment that were not as expected, by case, variant and repeat. A plan that failed for what may pass,
// such as an endpoint that is out of order, is none.
func Failures(s *Store) ([]Failure, error) {
	var keys []Key
	err := s.eachRow(func(r *Row) error {
		if pass, known := r.Values[Pass]; known && pass < 1 && !r.Temporary {
			keys = append(keys, r.Key)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	cases, err := s.caseLines()
	if err != nil {
		return nil, err
	}
	var out []Failure
	for _, k := range keys {
		d, err := s.detail(k)
		if err != nil {
			return nil, err
		}
		f := Failure{cases[k.Case].id, cases[k.Case].request, d.failed, map[string]string{}}
		for _, step := range d.steps {
			for _, e := range step.Exchange {
				if e.Of != "" {
					f.Replies[e.Of] = e.Reply
				}
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// Prompts are the names of the prompts that were asked, sorted.
func (f *Failure) Prompts() []string { return value.SortedKeys(f.Replies) }
