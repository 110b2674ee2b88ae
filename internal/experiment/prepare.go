package experiment

import "slices"

// Prepared is an experiment that was checked as one is that begins, and not begun.
type Prepared struct {
	Name     string            `json:"name"`
	Cases    int               `json:"cases"`
	Repeats  int               `json:"repeats"`
	Total    int               `json:"total"`             // rows that it is to have
	Variants []PreparedVariant `json:"variants"`          // the baseline is the first
	Models   string            `json:"models"`            // one of AsksNone, AsksKept, AsksNow
	Replies  string            `json:"replies,omitempty"` // where those of models come from, unless they are called
	Carried  bool              `json:"carried"`           // what is not recorded is answered by the reply to the same question in other words
	Budget   Budget            `json:"budget"`            // 0: no bound
}

// Whether an experiment calls models.
const (
	AsksNone = "none"     // no flow asks one
	AsksKept = "replayed" // all that is asked is answered from recordings
	AsksNow  = "called"
)

// PreparedVariant is a variant as it compiles.
type PreparedVariant struct {
	ShownVariant
	Diff []string `json:"diff"` // how its flow differs from the first, as pflow flow diff tells it
	Asks bool     `json:"asks"` // its flow may ask a model
}

// Prepare does all that an experiment does before its first plan, in the folder dir, which is made: flows are compiled, cases
// read, and what can be known to go wrong is the error.
func Prepare(dir string, spec *Spec, o Options) (*Prepared, error) {
	s, err := CreateStore(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	x, err := Create(s, spec, o)
	if err != nil {
		return nil, err
	}
	variants, err := s.variants()
	if err != nil {
		return nil, err
	}
	diffs, err := s.flowDiffs()
	if err != nil {
		return nil, err
	}
	out := &Prepared{Name: spec.Name, Cases: x.cases, Repeats: spec.Repeats, Total: x.total(), Models: AsksNone, Replies: spec.Replies.inWords(), Carried: spec.Replies.Carry, Budget: spec.Budget}
	for i, v := range variants {
		p := PreparedVariant{ShownVariant{v.Variant, v.FlowName, v.FlowHash}, diffs[i], slices.Contains(x.flows[i].Meters(), "calls")}
		if p.Diff == nil {
			p.Diff = []string{}
		}
		out.Variants = append(out.Variants, p)
	}
	asks := slices.ContainsFunc(out.Variants, func(v PreparedVariant) bool { return v.Asks })
	switch _, replay, orCall := spec.Replies.Folders(); {
	case asks && replay != "" && !orCall:
		out.Models = AsksKept
	case asks:
		out.Models = AsksNow
	}
	return out, nil
}
