package experiment

import (
	"fmt"

	"pflow/internal/llm"
)

// timing is what of the time of a row no recording says.
type timing struct {
	Assumed int  // exchanges whose time is by Replies.Clock
	Untimed bool // there was one of which nobody knows how long it took: the row has no latency
}

// timings is the same of the rows of a case.
type timings struct{ assumed, untimed int }

func (t *timings) row(r *Row) {
	t.assumed += r.Assumed
	if r.Untimed {
		t.untimed++
	}
}

// timedBy sums a variant up.
func (x *results) timedBy(variant int) (out timings) {
	for _, t := range x.timed[variant] {
		out.assumed += t.assumed
		out.untimed += t.untimed
	}
	return out
}

// clockNote says what times are that nobody measured.
func (x *results) clockNote(c *llm.Clock) string {
	assumed := 0
	for v := range x.variants {
		assumed += x.timedBy(v).assumed
	}
	out := "times are simulated: a call takes what its recording says"
	if *c != (llm.Clock{}) {
		out = fmt.Sprintf("times are simulated, and assumed where a recording has none, which are %s: a call takes %g ms, %g more for each 1,000 tokens of its prompt and %g for each token of its reply",
			counted(assumed, "call"), c.CallMS, c.PromptMS, c.ReplyMS)
	}
	return out + "; calls side by side overlap, waits between retries count, waits for rate limits and pflow's own computing do not"
}

// untimedWarnings says which rows are missing from every latency.
func (x *results) untimedWarnings() []string {
	var out []string
	for i, v := range x.variants {
		if n := x.timedBy(i).untimed; n > 0 {
			out = append(out, fmt.Sprintf("%s: %s without a time, and not in any latency: the recording of a call does not say how long it took; replies.clock can assume it", v.Name, counted(n, "row")))
		}
	}
	return out
}
