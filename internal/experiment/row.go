package experiment

import (
	"encoding/json"
	"fmt"
	"slices"

	"pflow/internal/fault"
	"pflow/internal/planner"
)

// Key says which plan of an experiment a row is.
type Key struct {
	Case    int // its place in the file, from 0
	Variant int // from 0, the baseline
	Repeat  int // from 0
}

// Row is one plan, scored.
type Row struct {
	Key
	Status    string
	ErrorKind string // of a flow that broke; "" for an answer
	Temporary bool   // whether planning again may give an answer
	Score
	unheard
	timing
	Plan  []byte // pflow.plan/v1
	Steps []Step
	times nodeTimes // nil where replies are recorded
}

// What a row keeps of a plan for people, and of what was not as expected.
const (
	keepInWords  = 400     // bytes
	keepFailed   = 20      // findings
	keepOfFailed = 1 << 10 // bytes of each
)

// bound cuts what people read of a row: there are tens of thousands of them in a report.
func (r *Row) bound() {
	r.InWords = clip(r.InWords, keepInWords)
	r.Failed = slices.Clone(r.Failed)
	if more := len(r.Failed) - keepFailed; more > 0 {
		r.Failed = append(r.Failed[:keepFailed], fmt.Sprintf("and %d more", more))
	}
	for i, f := range r.Failed {
		r.Failed[i] = clip(f, keepOfFailed)
	}
}

// newRow makes the row of a plan.
func newRow(k Key, res *planner.Result, s Score, steps []Step, times nodeTimes, u unheard) (Row, error) {
	r := Row{Key: k, Status: res.Status, Score: s, Steps: steps, times: times, unheard: u}
	if s.Outcome == OutcomeFail {
		r.ErrorKind = string(fault.Failure)
		if e, ok := res.Error.(map[string]any); ok && text(e["kind"]) != "" {
			r.ErrorKind = text(e["kind"])
		}
		r.Temporary = fault.Kind(r.ErrorKind).Temporary()
	}
	r.bound()
	var err error
	r.Plan, err = json.Marshal(res)
	return r, err
}
