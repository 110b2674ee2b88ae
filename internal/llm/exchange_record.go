package llm

import (
	"regexp"

	"pflow/internal/fault"
)

var recordingKey = regexp.MustCompile(`^[0-9a-f]{32}$`)

// KeepExchange makes a recording in a folder of an exchange of a run, so that what it was told is told again. One that failed has none,
// nor has one of an earlier version of pflow.
func KeepExchange(dir string, x *Exchange) error {
	if !recordingKey.MatchString(x.Key) || x.Error != "" || x.Carried {
		return nil
	}
	r := recording{Schema: recordingSchema, Key: x.Key, Question: x.Question, Request: map[string]any{"model": x.Model, "messages": listed(x.Messages)}, Reply: x.recorded()}
	if err := r.write(dir); err != nil {
		return fault.New(fault.Permission, "the exchange cannot be recorded in %s: %v", dir, err)
	}
	return nil
}

// recorded is the reply of an exchange as a recording has it. What it cost is what it cost then.
func (x *Exchange) recorded() *recordedReply {
	took := milliseconds(x.Latency)
	r := &recordedReply{Text: x.Reply, FinishReason: x.FinishReason, Model: x.AnsweredBy, LadderStep: x.LadderStep, Usage: x.Usage, LatencyMS: took, Counted: x.Usage.Priced}
	if w := x.Whole; w != nil {
		r.Text, r.Refusal, r.ToolCalls = w.Text, w.Refusal, w.ToolCalls
	}
	if cost := x.Usage.CostUSD; x.Usage.Priced {
		r.Cost = &cost
	}
	return r
}

// whole is what of an answer the text of an exchange does not tell apart, without keys and secrets.
func (c *call) whole(a *answer) *recordedReply {
	r := &recordedReply{Text: c.redact(a.Text), Refusal: c.redact(a.Refusal)}
	for _, one := range a.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, recordedCall{one.ID, c.redact(one.Name), c.redact(one.Arguments)})
	}
	return r
}
