package nodes

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/value"
)

const llmFlow = `flow: t
version: 1
state:
  request: {type: string, default: two}
  said:    {type: any, default: [{role: assistant, content: "", tool_calls: [{id: c1, name: look, arguments: {at: 1}}]}, {role: tool, tool_call_id: c1, content: gone}]}
  out:     {type: any, default: null}
WITH_LIMITS
nodes:
  ask:
    op: llm
    prep: {request: store.request, reply_schema: '{"type": "object", "title": "sent"}', messages: store.said}
    with: {prompt: p, schema: s, model: test/m, temperature: 0.5, max_tokens: 99, asks: 3,
      tools: [{name: look, description: Looks., parameters: {type: object}}]}
    fallback: '{"kind": error.kind, "details": error.details}'
    post: {out: result}
    next: end
`

var llmFiles = fstest.MapFS{
	"p.tmpl":        {Data: []byte("---\nname: p\nvariables: [request]\n---\nCount: {{.request}}")},
	"s.schema.json": {Data: []byte(`{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}`)},
}

func loadLLM(t *testing.T, d Deps, text string) (*engine.Flow, string) {
	t.Helper()
	l := &engine.Loader{Ops: engine.NewRegistry(All(d)...), Resources: engine.Folders{Prompts: llmFiles}}
	f, found := l.Load(engine.Document{Kind: engine.FlowDocument, Name: "t", Path: "t.yaml", Data: []byte(text)})
	return f, found.Text()
}

func runLLM(t *testing.T, d Deps, limits string) *engine.Result {
	t.Helper()
	f, found := loadLLM(t, d, strings.Replace(llmFlow, "WITH_LIMITS\n", limits, 1))
	if f == nil {
		t.Fatal(found)
	}
	res, err := engine.Execute(t.Context(), f, nil, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestLLMCall looks at what is sent, what the flow sees of the reply, and what is metered.
func TestLLMCall(t *testing.T) {
	var got llm.Request
	d := Deps{Model: func(_ context.Context, r llm.Request) (*llm.Reply, error) {
		got = r
		return &llm.Reply{Text: `{"n": 2}`, Value: map[string]any{"n": 2}, FinishReason: "stop", Model: "m-1", LadderStep: "json_schema", Asks: 2, Repaired: true,
			Usage:   llm.Usage{Calls: 2, PromptTokens: 30, CompletionTokens: 4, CachedTokens: 10, ReasoningTokens: 3, CostUSD: 0.25, Priced: true},
			Latency: 1500 * time.Microsecond, Waited: time.Millisecond}, nil
	}}
	res := runLLM(t, d, "limits: {calls: 3, tokens: 100, cached_tokens: 20}\n")
	half := 0.5
	want := llm.Request{
		Model: "test/m", Prompt: "p", Variables: map[string]any{"request": "two"}, Temperature: &half, MaxTokens: 99, MaxAsks: 3,
		Messages: []llm.Message{{Role: "user", Content: "Count: two"},
			{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: map[string]any{"at": 1}}}},
			{Role: "tool", ToolCallID: "c1", Content: "gone"}},
		Tools: []llm.Tool{{Name: "look", Description: "Looks.", Parameters: map[string]any{"type": "object"}}},
	}
	schema := got.Schema
	got.Schema = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if schema.Name != "s" || schema.JSON["title"] != "sent" || len(schema.Check(map[string]any{})) != 1 {
		t.Errorf("the schema that is sent is %v; a reply without n misses %v", schema.JSON, schema.Check(map[string]any{}))
	}
	out := value.JSON(res.Store["out"])
	wantOut := `{"call":{"asks":2,"finish_reason":"stop","ladder_step":"json_schema","model":"m-1","prompt_chars":10,"repaired":true,` +
		`"reply":"{\"n\": 2}","temperature":0.5,"usage":{"cached_tokens":10,"calls":2,"completion_tokens":4,"cost_usd":0.25,` +
		`"prompt_tokens":30,"reasoning_tokens":3}},"text":"{\"n\": 2}","timing":{"latency_ms":1.5,"replayed":false,"waited_ms":1},"tool_calls":[],"value":{"n":2}}`
	if diff := cmp.Diff(wantOut, out); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	meters := map[string]float64{"calls": 2, "tokens": 34, "prompt_tokens": 30, "completion_tokens": 4, "cached_tokens": 10, "reasoning_tokens": 3, "cost_usd": 0.25}
	if diff := cmp.Diff(meters, res.Usage); diff != "" {
		t.Errorf("meters (-want +got):\n%s", diff)
	}
}

// TestLLMFailures are calls that are refused before they are made, and ones that fail.
func TestLLMFailures(t *testing.T) {
	fails := func(context.Context, llm.Request) (*llm.Reply, error) {
		return &llm.Reply{Text: strings.Repeat("é", 600), Model: "m-1", LadderStep: "prompt", Usage: llm.Usage{Calls: 1, PromptTokens: 7}}, fault.New(fault.Schema, "it does not fit")
	}
	never := func(context.Context, llm.Request) (*llm.Reply, error) {
		t.Error("the model was called")
		return nil, fault.New(fault.Refused, "no")
	}
	known := func(string) (bool, error) { return true, nil }
	unknown := func(string) (bool, error) { return false, nil }
	noSuch := func(string) (bool, error) { return false, fault.New(fault.InvalidRequest, "no provider") }
	details := func(step, model, reply, text, usage string) string {
		return `{"asks":0,"finish_reason":"","ladder_step":"` + step + `","model":"` + model + `","prompt_chars":10,"repaired":false,"reply":"` + reply +
			`","temperature":0.5,"text":"` + text + `","usage":{"cached_tokens":0,` + usage + `,"reasoning_tokens":0}}`
	}
	asked := details("", "test/m", "", "", `"calls":0,"completion_tokens":0,"cost_usd":null,"prompt_tokens":0`)
	failed := details("prompt", "m-1", strings.Repeat("é", 500), strings.Repeat("é", 600), `"calls":1,"completion_tokens":0,"cost_usd":null,"prompt_tokens":7`)
	for _, c := range []struct {
		name   string
		d      Deps
		limits string
		want   string
		calls  float64
	}{
		{"no model", Deps{}, "", `{"details":` + asked + `,"kind":"not_found"}`, 0},
		{"unpriced", Deps{Model: never, Priced: unknown}, "limits: {cost_usd: 1}\n", `{"details":` + asked + `,"kind":"unpriced"}`, 0},
		{"nothing is known of prices", Deps{Model: never}, "limits: {cost_usd: 1}\n", `{"details":` + asked + `,"kind":"unpriced"}`, 0},
		{"no such provider", Deps{Model: never, Priced: noSuch}, "limits: {cost_usd: 1}\n", `{"details":` + asked + `,"kind":"invalid_request"}`, 0},
		{"unpriced without a limit", Deps{Model: fails, Priced: unknown}, "limits: {calls: 5}\n",
			`{"details":` + failed + `,"kind":"schema"}`, 1},
		{"priced", Deps{Model: fails, Priced: known}, "limits: {cost_usd: 1}\n",
			`{"details":` + failed + `,"kind":"schema"}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := runLLM(t, c.d, c.limits)
			if diff := cmp.Diff(c.want, value.JSON(res.Store["out"])); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if res.Usage["calls"] != c.calls {
				t.Errorf("calls %v, want %v", res.Usage["calls"], c.calls)
			}
		})
	}
}

// TestLLMLimitOfAnOuterFlow: what a flow around it limits binds the call as well.
func TestLLMLimitOfAnOuterFlow(t *testing.T) {
	d := Deps{Model: func(context.Context, llm.Request) (*llm.Reply, error) {
		t.Error("the model was called")
		return nil, fault.New(fault.Refused, "no")
	}}
	outer := "flow: outer\nversion: 1\nlimits: {cost_usd: 1}\nstate: {out: {type: any, default: null}}\n" +
		"nodes: {in: {op: flow, with: {flow: t}, post: {out: result.out.kind}, next: end}}\n"
	files := fstest.MapFS{"t.yaml": {Data: []byte(strings.Replace(llmFlow, "WITH_LIMITS\n", "", 1))}}
	l := &engine.Loader{Ops: engine.NewRegistry(All(d)...), Resources: engine.Folders{Flows: files, Prompts: llmFiles}}
	f, found := l.Load(engine.Document{Kind: engine.FlowDocument, Name: "outer", Path: "outer.yaml", Data: []byte(outer)})
	if f == nil {
		t.Fatal(found.Text())
	}
	res, err := engine.Execute(t.Context(), f, nil, engine.Options{})
	if err != nil || res.Store["out"] != "unpriced" {
		t.Errorf("%v %v %v", err, res.Store["out"], res.Error)
	}
}

// TestLLMOptions are options that cannot be used.
func TestLLMOptions(t *testing.T) {
	good := strings.Replace(llmFlow, "WITH_LIMITS\n", "", 1)
	for _, c := range []struct{ old, new, want string }{
		{"prompt: p", "prompt: q", `there is no prompt "q"`},
		{"schema: s", "schema: z", `there is no schema "z"`},
		{"request: store.request,", "", "the template uses {{.request}}, which prep does not give"},
		{"request: store.request,", "request: store.request, more: '1',", "the template does not use {{.more}}; remove it from prep"},
		{"temperature: 0.5", "temperature: 3", "temperature is from 0 to 2"},
		{"max_tokens: 99", "max_tokens: 0", "max_tokens is at least 1"},
		{"asks: 3", "asks: 11", "asks is from 1 to 10"},
		{"parameters: {type: object}", "parameters: {type: objekt}", "tools[0].parameters:"},
		{"description: Looks., ", "", "tools[0]: want {name, description, parameters}"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatal(c.old)
		}
		f, found := loadLLM(t, Deps{}, strings.Replace(good, c.old, c.new, 1))
		if f != nil || !strings.Contains(found, c.want) {
			t.Errorf("%s: want %q, got\n%s", c.new, c.want, found)
		}
	}
}
