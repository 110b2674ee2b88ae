package experiment

import (
	"fmt"

	"pflow/internal/llm"
)

// clockNote says what times are that nobody measured.
func clockNote(c *llm.Clock) string {
	out := "times are simulated: a call takes what its recording says"
	if *c != (llm.Clock{}) {
		out = fmt.Sprintf("times are simulated, and assumed where a recording has none: a call takes %g ms, %g more for each 1,000 tokens of its prompt and %g for each token of its reply", c.CallMS, c.PromptMS, c.ReplyMS)
	}
	return out + "; calls side by side overlap, waits between retries count, waits for rate limits and pflow's own computing do not"
}
