package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/llmtest"
	"pflow/internal/mask"
)

const testKey = "sk-test-0123456789abcdef"

// endpoint makes a client whose provider openai is a scripted server.
func endpoint(t *testing.T, s llmtest.Script, change ...func(*llm.Options)) (*llm.Client, *llmtest.Server) {
	t.Helper()
	server := llmtest.New(t, s)
	o := llm.Options{Getenv: env("OPENAI_BASE_URL", server.BaseURL(), "OPENAI_API_KEY", testKey), Timeout: time.Minute}
	for _, f := range change {
		f(&o)
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, server
}

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func say(text string) []llm.Message { return []llm.Message{{Role: "user", Content: text}} }

// city is a schema with a check.
func city() *llm.Schema {
	return &llm.Schema{
		Name: "city",
		JSON: map[string]any{
			"type": "object", "required": []any{"name"}, "additionalProperties": false,
			"properties": map[string]any{"name": map[string]any{"type": "string"}, "people": map[string]any{"type": "integer"}},
		},
		Check: func(v any) []string {
			var wrong []string
			m, ok := v.(map[string]any)
			if !ok {
				return []string{"want an object"}
			}
			if _, ok := m["name"].(string); !ok {
				wrong = append(wrong, "name: want text")
			}
			for k := range m {
				if k != "name" && k != "people" {
					wrong = append(wrong, "there is no property "+k)
				}
			}
			if p, ok := m["people"]; ok {
				if _, ok := p.(int); !ok {
					wrong = append(wrong, "people: want an integer")
				}
			}
			return wrong
		},
	}
}

func TestPlainText(t *testing.T) {
	c, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{
		Text: "hello", Usage: &llmtest.Usage{Prompt: 1000, Cached: 400, Completion: 200, Reasoning: 50},
	}}})
	zero := 0.0
	var seen []llm.Exchange
	r, err := c.Call(t.Context(), llm.Request{Messages: say("say hello"), Temperature: &zero, MaxTokens: 77, OnExchange: func(e llm.Exchange) { seen = append(seen, e) }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Latency <= 0 {
		t.Error("no latency")
	}
	r.Latency, r.Waited, r.Took = 0, 0, 0
	usage := llm.Usage{Calls: 1, PromptTokens: 1000, CompletionTokens: 200, CachedTokens: 400, ReasoningTokens: 50, CostUSD: 600*0.40e-6 + 400*0.10e-6 + 200*1.60e-6, Priced: true}
	if math.Abs(r.Usage.CostUSD-usage.CostUSD) > 1e-12 {
		t.Errorf("cost %v, want %v", r.Usage.CostUSD, usage.CostUSD)
	}
	usage.CostUSD = r.Usage.CostUSD
	want := &llm.Reply{Text: "hello", FinishReason: "stop", Model: "gpt-4.1-mini", Asks: 1, Usage: usage}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got := server.Requests()[0]
	if got.Key != testKey || got.Body["temperature"] != json.Number("0") || got.Body["max_tokens"] != json.Number("77") || got.Has("stream_options") {
		t.Errorf("sent %v", got.Body)
	}
	if len(seen) != 1 || seen[0].Reply != "hello" || seen[0].Usage != usage || seen[0].FinishReason != "stop" {
		t.Errorf("told %+v", seen)
	}
}

func TestLeftOutIsNotSent(t *testing.T) {
	c, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "x"}}})
	if _, err := c.Call(t.Context(), llm.Request{Messages: say("x")}); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"temperature", "max_tokens", "response_format", "tools", "tool_choice"} {
		if server.Requests()[0].Has(field) {
			t.Errorf("%s was sent", field)
		}
	}
}

// TestModelNames calls names that go-openai refuses or that have slashes, and providers with fields of their own.
func TestModelNames(t *testing.T) {
	for _, c := range []struct{ model, sent, field, text string }{
		{"openai/gpt-5-mini", "gpt-5-mini", "max_completion_tokens", "50"},
		{"openai/o3-mini", "o3-mini", "max_completion_tokens", "50"},
		{"openai/gpt-6-sol", "gpt-6-sol", "max_tokens", "50"},
		{"openrouter/anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4", "provider", "map[require_parameters:true]"},
		{"ollama/llama3.2:3b", "llama3.2:3b", "max_tokens", "50"},
	} {
		t.Run(c.model, func(t *testing.T) {
			server := llmtest.New(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "ok"}}})
			client, err := llm.New(llm.Options{Getenv: env("OPENAI_BASE_URL", server.BaseURL(), "OPENROUTER_BASE_URL", server.BaseURL(), "OLLAMA_BASE_URL", server.BaseURL())})
			if err != nil {
				t.Fatal(err)
			}
			half := 0.5
			r, err := client.Call(t.Context(), llm.Request{Model: c.model, Messages: say("x"), MaxTokens: 50, Temperature: &half, Tools: []llm.Tool{{Name: "f"}}})
			if err != nil {
				t.Fatal(err)
			}
			got := server.Requests()[0]
			if got.Model != c.sent || fmt.Sprint(got.Body[c.field]) != c.text {
				t.Errorf("sent %v", got.Body)
			}
			if r.Usage.Priced || r.Usage.CostUSD != 0 || r.Usage.PromptTokens == 0 {
				t.Errorf("an unpriced model cost %+v", r.Usage)
			}
		})
	}
}

func TestUsageNotTold(t *testing.T) {
	c, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "x", Usage: &llmtest.Usage{}}}})
	r, err := c.Call(t.Context(), llm.Request{Messages: say("x")})
	if err != nil || r.Usage.Priced || r.Usage.Calls != 1 {
		t.Errorf("tokens that are not told have no price: %+v, %v", r.Usage, err)
	}
}

func TestDefaultModel(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, ""},
		{[]string{"ANTHROPIC_API_KEY", "k", "OPENAI_API_KEY", "k"}, "anthropic/claude-sonnet-4-0"},
		{[]string{"ANTHROPIC_API_KEY", "k", "ANTHROPIC_MODEL", "claude-x"}, "anthropic/claude-x"},
		{[]string{"OPENAI_API_KEY", "k"}, "openai/gpt-4.1-mini"},
		{[]string{"OPENAI_BASE_URL", "http://localhost:1/v1", "OPENAI_MODEL", "org/local"}, "openai/org/local"},
		{[]string{"GEMINI_API_KEY", "k"}, ""},
	} {
		client, err := llm.New(llm.Options{Getenv: env(c.env...)})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := client.Default(); got != c.want || ok != (c.want != "") {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}

// TestRefusedBeforeCalling holds what is found without a call, each with its whole message.
func TestRefusedBeforeCalling(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		env     []string
		request llm.Request
		kind    fault.Kind
		want    string
	}{
		{"no model", nil, llm.Request{Messages: say("x")}, fault.Authentication,
			"there is no model to call: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a model (--model PROVIDER/MODEL); pflow model list shows what there is"},
		{"no key", nil, llm.Request{Model: "anthropic/claude-sonnet-4-0", Messages: say("x")}, fault.Authentication,
			"anthropic/claude-sonnet-4-0 needs a key: set ANTHROPIC_API_KEY"},
		{"unknown provider", nil, llm.Request{Model: "opnai/gpt-4o", Messages: say("x")}, fault.InvalidRequest,
			`the model "opnai/gpt-4o": there is no provider "opnai"; did you mean openai/gpt-4o?`},
		{"no provider", nil, llm.Request{Model: "gpt-4o", Messages: say("x")}, fault.InvalidRequest,
			`the model "gpt-4o": want PROVIDER/MODEL, as in openai/gpt-4.1-mini; providers are: anthropic, claude-code, client, codex, gemini, gemini-cli, llm, ollama, ollama-run, openai, openrouter, vllm`},
		{"bad base URL", []string{"OPENAI_BASE_URL", "localhost:1234"}, llm.Request{Messages: say("x")}, fault.InvalidRequest,
			"the base URL of openai (OPENAI_BASE_URL, or models.yaml): want a URL such as https://api.openai.com/v1"},
		{"bad key", []string{"OPENAI_API_KEY", "sk-two words-here"}, llm.Request{Messages: say("x")}, fault.Authentication,
			"OPENAI_API_KEY holds characters that no key has, such as a blank or a line break: set it again"},
		{"no message", []string{"OPENAI_API_KEY", testKey}, llm.Request{}, fault.InvalidRequest, "a model needs at least one message"},
		{"temperature", []string{"OPENAI_API_KEY", testKey}, llm.Request{Messages: say("x"), Temperature: &nan}, fault.InvalidRequest, "the temperature NaN is no number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, err := llm.New(llm.Options{Getenv: env(c.env...)})
			if err != nil {
				t.Fatal(err)
			}
			r, err := client.Call(t.Context(), c.request)
			if f := fault.Of(err); err == nil || f.Kind != c.kind || f.Message != c.want {
				t.Errorf("got %v, want %s %s", err, c.kind, c.want)
			}
			if r == nil || r.Usage != (llm.Usage{}) {
				t.Errorf("used %+v", r)
			}
		})
	}
}

func TestTools(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		c, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{
			{ToolCalls: []llmtest.ToolCall{{Name: "find", Arguments: map[string]any{"word": "x"}}, {Name: "list"}}},
			{Text: "done"},
		}})
		request := llm.Request{Messages: say("find x"), Tools: []llm.Tool{{Name: "find", Description: "Finds."}, {Name: "list"}}}
		if streamed {
			request.OnText = func(string) {}
		}
		r, err := c.Call(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		want := []llm.ToolCall{{ID: "call_1", Name: "find", Arguments: map[string]any{"word": "x"}}, {ID: "call_2", Name: "list"}}
		if diff := cmp.Diff(want, r.ToolCalls); diff != "" {
			t.Errorf("streamed %v, -want +got:\n%s", streamed, diff)
		}
		request.Messages = append(request.Messages, llm.Message{Role: "assistant", ToolCalls: r.ToolCalls}, llm.Message{Role: "tool", ToolCallID: "call_1"})
		if _, err := c.Call(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		sent := server.Requests()[1].Body["messages"].([]any)
		if tool := sent[2].(map[string]any); tool["content"] != "" || tool["tool_call_id"] != "call_1" {
			t.Errorf("a result without text was sent as %v", tool)
		}
	}
}

func TestStreaming(t *testing.T) {
	c, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{
		{Text: "one two three four five", Usage: &llmtest.Usage{Prompt: 9, Completion: 5}},
		{Schema: "city", JSON: map[string]any{"name": "Bern"}},
	}})
	var pieces []string
	onText := func(s string) { pieces = append(pieces, s) }
	r, err := c.Call(t.Context(), llm.Request{Messages: say("count"), OnText: onText})
	if err != nil {
		t.Fatal(err)
	}
	if r.Text != "one two three four five" || strings.Join(pieces, "") != r.Text || len(pieces) < 2 {
		t.Errorf("%q in pieces %q", r.Text, pieces)
	}
	if r.Usage.PromptTokens != 9 || r.Usage.CompletionTokens != 5 || r.FinishReason != "stop" {
		t.Errorf("%+v", r)
	}
	pieces = nil
	r, err = c.Call(t.Context(), llm.Request{Messages: say("city"), Schema: city(), OnText: onText})
	if err != nil || !cmp.Equal(r.Value, map[string]any{"name": "Bern"}) || strings.Join(pieces, "") != r.Text {
		t.Errorf("%+v, %v, %q", r, err, pieces)
	}
	if !server.Requests()[0].Stream {
		t.Error("it was not streamed")
	}
}

// TestStreamingHidesSecrets: a key or a secret that the model says back is not in what is told of a stream, though it comes in pieces.
func TestStreamingHidesSecrets(t *testing.T) {
	said := "your key is " + testKey + ", your word is hunter2secret, and that is hunter2"
	c, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: said}}})
	var pieces []string
	ctx := mask.With(t.Context(), func() *mask.Masker { return mask.New(mask.Secret{Value: "hunter2secret", Mark: "[word]"}) })
	r, err := c.Call(ctx, llm.Request{Messages: say("tell"), OnText: func(s string) { pieces = append(pieces, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pieces, ""); len(pieces) < 2 || got != r.Text || strings.Contains(got, testKey) || !strings.HasSuffix(got, "your word is [word], and that is hunter2") {
		t.Errorf("told %q of %q", pieces, r.Text)
	}
}

func TestDeadlines(t *testing.T) {
	c, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Fault: "slow"}}}, func(o *llm.Options) { o.Timeout = 50 * time.Millisecond })
	_, err := c.Call(t.Context(), llm.Request{Messages: say("x")})
	if f := fault.Of(err); err == nil || f.Kind != fault.Timeout || !strings.Contains(f.Message, "did not answer in time") {
		t.Errorf("a call without a deadline: %v", err)
	}
	c, _ = endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Fault: "slow"}}})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = c.Call(ctx, llm.Request{Messages: say("x")})
	if f := fault.Of(err); err == nil || f.Kind != fault.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
