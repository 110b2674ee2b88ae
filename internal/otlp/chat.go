package otlp

import (
	"cmp"
	"context"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/llm"
)

// Chat tells of one exchange with a model, as a part of what is under way in the context. What was said is not told.
func Chat(ctx context.Context, r *llm.Request, x llm.Exchange) {
	in, ok := ctx.Value(hereKey{}).(here)
	if !ok {
		return
	}
	s := in.run.span()
	s.id, s.parent, s.kind = lineageOf("").run(0), in.id, kindClient
	s.began, s.took = time.Now().Add(-x.Latency), x.Latency
	provider, model, _ := strings.Cut(x.Model, "/")
	s.name = chat + " " + model
	add := func(key string, v any) { s.attributes = append(s.attributes, attribute{key, v}) }
	add(operationName, chat)
	add(providerName, cmp.Or(providers[provider], provider))
	add(requestModel, model)
	if x.AnsweredBy != "" {
		add("gen_ai.response.model", x.AnsweredBy)
	}
	if r.Temperature != nil {
		add("gen_ai.request.temperature", *r.Temperature)
	}
	if r.MaxTokens > 0 {
		add("gen_ai.request.max_tokens", r.MaxTokens)
	}
	if r.Schema != nil {
		add("gen_ai.output.type", "json")
	} else {
		add("gen_ai.output.type", "text")
	}
	if x.FinishReason != "" {
		add("gen_ai.response.finish_reasons", []string{x.FinishReason})
	}
	if u := x.Usage; u.Calls > 0 {
		add("gen_ai.usage.input_tokens", u.PromptTokens)
		add("gen_ai.usage.output_tokens", u.CompletionTokens)
		if u.CachedTokens > 0 {
			add("gen_ai.usage.cache_read.input_tokens", u.CachedTokens)
		}
		if u.Priced {
			add("pflow.usage.cost_usd", u.CostUSD)
		}
	}
	for _, own := range [][2]string{{"pflow.prompt", x.Prompt}, {"pflow.ladder_step", x.LadderStep}} {
		if own[1] != "" {
			add(own[0], own[1])
		}
	}
	if x.Replayed {
		add("pflow.replayed", true)
	}
	if x.Err != nil {
		kind := fault.Of(x.Err).Kind
		s.events = []event{{"exception", s.began.Add(s.took), exception(kind, x.Error)}}
		s.fail(kind, x.Error)
	}
	in.run.e.put(s)
}
