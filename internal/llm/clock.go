package llm

import "time"

// milliseconds are as a recording keeps them: to a thousandth, so that what is read back is what was measured.
func milliseconds(d time.Duration) *float64 {
	ms := float64(max(0, d).Microseconds()) / 1000
	return &ms
}

// timed adds what an exchange took to what the call took: as measured, also where it was recorded, or else as assumed.
func (c *call) timed(a *answer) {
	r := c.reply
	switch assumed := c.o.Clock; {
	case a.LatencyMS != nil:
		r.Took += time.Duration(*a.LatencyMS * float64(time.Millisecond)).Round(time.Microsecond)
	case assumed != nil && *assumed != Clock{}:
		r.Assumed++
		ms := assumed.CallMS + assumed.PromptMS*float64(a.Usage.PromptTokens)/1000 + assumed.ReplyMS*float64(a.Usage.CompletionTokens)
		r.Took += time.Duration(ms * float64(time.Millisecond)).Round(time.Microsecond)
	default:
		r.Untimed = true
	}
}
