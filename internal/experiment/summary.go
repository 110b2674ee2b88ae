package experiment

import (
	"encoding/json"

	"pflow/internal/stats"
)

// Summary is an experiment in brief, for a list of them.
type Summary struct {
	Name        string            `json:"name"`
	Primary     Metric            `json:"primary"`
	Cases       int               `json:"cases"`
	Repeats     int               `json:"repeats"`
	Rows        int               `json:"rows"`
	Missing     int               `json:"missing"` // rows that are still to be made
	Errors      int               `json:"errors"`  // rows without an answer
	Variants    []string          `json:"variants"`
	Score       *stats.Estimate   `json:"score,omitempty"` // of a single variant
	Comparisons []BriefComparison `json:"comparisons"`     // with the first variant; empty where there is no row yet
}

// BriefComparison is what a variant comes to.
type BriefComparison struct {
	Variant    string        `json:"variant"`
	Verdict    stats.Verdict `json:"verdict"`
	Difference float64       `json:"difference"` // of the primary metric
	PHolm      float64       `json:"p_holm"`
}

// Summarize reads what a list tells of an experiment. Verdicts are those of its report; what takes time and decides nothing
// (permutations, what single cases did) is left out.
func Summarize(s *Store) (*Summary, error) {
	x, err := collect(s)
	if err != nil {
		return nil, err
	}
	out := &Summary{
		Name: x.spec.Name, Primary: x.spec.Primary, Cases: x.all, Repeats: x.spec.Repeats, Rows: x.rows, Missing: x.missing, Errors: x.errors,
		Comparisons: []BriefComparison{},
	}
	for _, v := range x.variants {
		out.Variants = append(out.Variants, v.Name)
	}
	if x.rows == 0 {
		return out, nil
	}
	x.brief, x.spec.Metrics = true, []Metric{}
	r, err := x.report()
	if err != nil {
		return nil, err
	}
	if len(r.Variants) == 1 {
		out.Score = r.Variants[0].Score
	}
	for _, c := range r.Comparisons {
		b := BriefComparison{Variant: c.Variant, Verdict: c.Verdict, PHolm: c.PHolm}
		if d := c.difference(r.Primary); d != nil {
			b.Difference = d.TTest.Mean
		}
		out.Comparisons = append(out.Comparisons, b)
	}
	return out, nil
}

// Result is what the experiment came to, in a few words.
func (s *Summary) Result() []string {
	var out []string
	if s.Score != nil {
		out = append(out, string(s.Primary)+" "+s.Primary.show(s.Score.Mean))
	}
	for _, c := range s.Comparisons {
		out = append(out, c.Variant+": "+string(c.Verdict)+", "+s.Primary.change(c.Difference))
	}
	return out
}

// Shown is an experiment as it was run.
type Shown struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Command     string          `json:"command,omitempty"` // that makes it again
	Asked       *Asked          `json:"asked,omitempty"`   // what it was begun with; nil where more than this decides it
	Cases       int             `json:"cases"`
	Rows        int             `json:"rows"`
	Total       int             `json:"total"`             // rows that it is to have
	Replies     string          `json:"replies,omitempty"` // where those of models come from, unless they were called anew
	Variants    []ShownVariant  `json:"variants"`          // the baseline is the first
	Document    json.RawMessage `json:"document"`          // all settings, as they were; paths from the root
}

// ShownVariant is a variant and the flow that it was loaded as.
type ShownVariant struct {
	Variant
	Loaded string `json:"loaded"` // the name of the flow
	Hash   string `json:"hash"`
}

// Show reads what an experiment is.
func Show(s *Store) (*Shown, error) {
	spec, variants, err := s.Spec()
	if err != nil {
		return nil, err
	}
	out := &Shown{Name: spec.Name, Description: spec.Description, Command: spec.Command, Asked: spec.Asked, Replies: spec.Replies.inWords()}
	if out.Cases, err = s.count(); err != nil {
		return nil, err
	}
	if err := s.db.QueryRow("SELECT count(*) FROM rows").Scan(&out.Rows); err != nil {
		return nil, err
	}
	out.Total = out.Cases * len(variants) * spec.Repeats
	for _, v := range variants {
		out.Variants = append(out.Variants, ShownVariant{v.Variant, v.FlowName, v.FlowHash})
	}
	document, err := s.Meta("spec")
	out.Document = json.RawMessage(document)
	return out, err
}
