package nodes

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/value"
)

// exec is one attempt: one call, in which the model may be asked more than once.
func (c *llmCall) exec(ctx context.Context, in engine.Input) (engine.Output, error) {
	text, err := c.prompt.Render(ctx, in.Prep)
	if err != nil {
		return engine.Output{}, err
	}
	r := c.request
	r.Variables = variables(in.Prep)
	r.Messages = []llm.Message{{Role: "user", Content: text}}
	said, err := messagesOf(in.Prep[prepMessages])
	if err != nil {
		return engine.Output{}, err
	}
	r.Messages = append(r.Messages, said...)
	if c.schema != nil {
		r.Schema = &llm.Schema{Name: c.schema.Name, JSON: c.schema.JSON, Check: c.schema.Misfits}
		if made, ok := in.Prep[prepReplySchema].(map[string]any); ok {
			r.Schema.JSON = made
		}
	}
	chars := utf8.RuneCountInString(text)
	if err := c.mayCall(in); err != nil {
		return engine.Output{}, failedCall(err, &r, &llm.Reply{}, chars)
	}
	reply, err := c.d.Model(ctx, r)
	if err != nil {
		if reply == nil {
			reply = &llm.Reply{}
		}
		return engine.Output{Meters: meters(reply.Usage)}, failedCall(err, &r, reply, chars)
	}
	return engine.Output{Result: callResult(&r, reply, chars), Meters: meters(reply.Usage)}, nil
}

// variables are what of prep fills the prompt in.
func variables(prep map[string]any) map[string]any {
	out := maps.Clone(prep)
	delete(out, prepReplySchema)
	delete(out, prepMessages)
	return out
}

// mayCall refuses a call before it is made: without a model, and where its cost could not be held against a limit.
func (c *llmCall) mayCall(in engine.Input) error {
	if c.d.Model == nil {
		return fault.New(fault.NotFound, "there is no model to ask: set the key of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY")
	}
	if in.Limited == nil || !in.Limited("cost_usd") {
		return nil
	}
	priced := false
	if c.d.Priced != nil {
		var err error
		if priced, err = c.d.Priced(c.request.Model); err != nil {
			return err
		}
	}
	if !priced {
		return fault.New(fault.Unpriced, "the price of %s is not known, so the limit cost_usd cannot be kept; give its prices in models.yaml, or limit tokens",
			cmp.Or(c.request.Model, "the default model"))
	}
	return nil
}

// messagesOf reads what was said so far.
func messagesOf(v any) ([]llm.Message, error) {
	list, ok := v.([]any)
	if !ok && v != nil {
		return nil, fault.New(fault.Type, "messages: want [{role, content}], got %s", value.Describe(v))
	}
	var out []llm.Message
	for i, item := range list {
		m, _ := item.(map[string]any)
		var said llm.Message
		said.Role, _ = m["role"].(string)
		said.Content, _ = m["content"].(string)
		said.ToolCallID, _ = m["tool_call_id"].(string)
		switch said.Role {
		case "system", "user", "assistant", "tool":
		default:
			return nil, fault.New(fault.Type, "messages[%d]: want {role, content}, the role being system, user, assistant or tool", i)
		}
		calls, _ := m["tool_calls"].([]any)
		for _, call := range calls {
			m, _ := call.(map[string]any)
			t := llm.ToolCall{Arguments: m["arguments"]}
			t.ID, _ = m["id"].(string)
			t.Name, _ = m["name"].(string)
			said.ToolCalls = append(said.ToolCalls, t)
		}
		out = append(out, said)
	}
	return out, nil
}

// longestText is how much of a reply that could not be used an error keeps, in characters: a flow may judge it as it is.
const longestText = 100_000

// failedCall gives an error with what is known of the call, and text: the reply.
func failedCall(err error, r *llm.Request, reply *llm.Reply, chars int) error {
	e := *fault.Of(err)
	e.Details = callDetails(r, reply, chars)
	e.Details["text"] = firstRunes(reply.Text, longestText)
	return &e
}

// callDetails are what is told of any call, also of one that failed. chars is the length of the prompt.
func callDetails(r *llm.Request, reply *llm.Reply, chars int) map[string]any {
	var temperature any
	if r.Temperature != nil {
		temperature, _ = value.Normalize(*r.Temperature)
	}
	return map[string]any{
		"model": cmp.Or(reply.Model, r.Model), "temperature": temperature, "ladder_step": reply.LadderStep, "prompt_chars": chars,
		"reply": firstRunes(reply.Text, 500), "repaired": reply.Repaired, "asks": reply.Asks, "finish_reason": reply.FinishReason,
		"usage": usageValue(reply.Usage),
	}
}

// callResult is what a flow sees of a reply. It keeps apart what differs between two equal runs.
func callResult(r *llm.Request, reply *llm.Reply, chars int) map[string]any {
	tools := []any{}
	for _, t := range reply.ToolCalls {
		tools = append(tools, map[string]any{"id": t.ID, "name": t.Name, "arguments": t.Arguments})
	}
	return map[string]any{
		"value": reply.Value, "text": reply.Text, "tool_calls": tools, "call": callDetails(r, reply, chars),
		"timing": map[string]any{"latency_ms": milliseconds(reply.Latency), "waited_ms": milliseconds(reply.Waited), "replayed": reply.Replayed},
	}
}

// usageValue is what a call used; cost_usd is null where the price is not known.
func usageValue(u llm.Usage) map[string]any {
	var cost any
	if u.Priced {
		cost = u.CostUSD
	}
	return map[string]any{
		"calls": u.Calls, "prompt_tokens": u.PromptTokens, "completion_tokens": u.CompletionTokens,
		"cached_tokens": u.CachedTokens, "reasoning_tokens": u.ReasoningTokens, "cost_usd": cost,
	}
}

func meters(u llm.Usage) map[string]float64 {
	out := map[string]float64{}
	for name, n := range map[string]int{
		"calls": u.Calls, "tokens": u.PromptTokens + u.CompletionTokens, "prompt_tokens": u.PromptTokens,
		"completion_tokens": u.CompletionTokens, "cached_tokens": u.CachedTokens, "reasoning_tokens": u.ReasoningTokens,
	} {
		if n != 0 {
			out[name] = float64(n)
		}
	}
	if u.CostUSD != 0 {
		out["cost_usd"] = u.CostUSD
	}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// firstRunes cuts a text.
func firstRunes(s string, most int) string {
	s = strings.ToValidUTF8(s, "�")
	for i := range s {
		if most--; most < 0 {
			return s[:i]
		}
	}
	return s
}
