package llm

import (
	"context"
	"unicode/utf8"

	"pflow/internal/fault"
)

// Completer completes a conversation by another way than HTTP: a program, or whoever asked pflow itself and has a model
// of its own. Its errors are faults.
type Completer interface {
	Complete(ctx context.Context, c Conversation) (*Completion, error)
}

// Conversation is what a Completer is asked to go on with. Whatever its reply must be stands in the messages, in words.
type Conversation struct {
	Model     string // as the provider calls it
	Messages  []Message
	MaxTokens int // 0: no bound
}

// Completion is what came of it.
type Completion struct {
	Text         string
	Model        string   // "": as it was asked for
	FinishReason string   // "" is "stop"
	Usage        *Usage   // tokens; nil: not told
	CostUSD      *float64 // nil: not told
}

// BySampling is a provider whose replies come from the client that pflow itself serves; see Options.Sampling.
const BySampling = "sampling"

// completer is what a target is asked through; nil is HTTP.
func (c *Client) completer(t *target) (Completer, error) {
	switch {
	case t.provider.Program != nil:
		return &asProgram{c.o, t.provider, t.provider.Program, t.redact}, nil
	case t.provider.By == BySampling && c.o.Sampling == nil:
		return nil, fault.New(fault.Unavailable, "%s is the model of a client of pflow mcp serve that offers sampling, and there is none: name another model", t.name)
	case t.provider.By == BySampling:
		return c.o.Sampling, nil
	}
	return nil, nil
}

// complete is exchange by a Completer.
func (c *Client) complete(ctx context.Context, t *target, by Completer, q question, trip *trip) (*answer, error) {
	if len(q.tools) > 0 {
		return nil, fault.New(fault.InvalidRequest, "%s cannot call functions, as this prompt wants it to: take a flow that gives no tools, or a model behind an API", t.name)
	}
	waited, release, err := t.limiter.acquire(ctx)
	trip.waited += waited
	if err != nil {
		return nil, err
	}
	defer release()
	got, err := by.Complete(ctx, Conversation{Model: t.model, Messages: q.sent(), MaxTokens: q.request.MaxTokens})
	if err != nil {
		return nil, err
	}
	trip.calls++
	a := &answer{Text: got.Text, Model: got.Model, FinishReason: orText(got.FinishReason, "stop"), Cost: got.CostUSD}
	if u := got.Usage; u != nil && u.PromptTokens+u.CompletionTokens > 0 {
		a.Counted, a.Usage = true, *u
	}
	if q.request.OnText != nil {
		q.request.OnText(a.Text)
	}
	if !utf8.ValidString(a.Text) {
		return nil, fault.New(fault.Malformed, "%s replied with what is no text", t.name)
	}
	return a, nil
}
