package llm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/llmtest"
)

// forms gives how each request asked for its reply.
func forms(s *llmtest.Server) []string {
	var out []string
	for _, r := range s.Requests() {
		out = append(out, r.Form)
	}
	return out
}

// TestLadder refuses step after step.
func TestLadder(t *testing.T) {
	want := map[string]any{"name": "Bern"}
	for _, c := range []struct {
		reject []string
		forms  []string
		step   string
	}{
		{nil, []string{"strict_json_schema"}, llm.StrictJSONSchema},
		{[]string{"strict_json_schema"}, []string{"strict_json_schema", "json_schema"}, llm.JSONSchema},
		{[]string{"json_schema"}, []string{"strict_json_schema", "json_schema", "tool_call"}, llm.ToolCallStep},
		{[]string{"json_schema", "tools"}, []string{"strict_json_schema", "json_schema", "tool_call", "json_object"}, llm.JSONObject},
		{[]string{"json_schema", "tool_choice", "json_object"}, []string{"strict_json_schema", "json_schema", "tool_call", "json_object", ""}, llm.Prompt},
	} {
		home := t.TempDir()
		in := func(o *llm.Options) { o.Home = home }
		script := llmtest.Script{Reject: c.reject, Replies: []llmtest.Reply{{JSON: want, Times: 3}}}
		client, server := endpoint(t, script, in)
		request := llm.Request{Messages: say("where?"), Schema: city()}
		r, err := client.Call(t.Context(), request)
		if err != nil || !cmp.Equal(r.Value, any(want)) || r.LadderStep != c.step || r.Asks != 1 || r.Repaired {
			t.Fatalf("rejected %v: %+v, %v", c.reject, r, err)
		}
		if diff := cmp.Diff(c.forms, forms(server)); diff != "" {
			t.Errorf("rejected %v, -want +got:\n%s", c.reject, diff)
		}
		// The same client, and a later one of the same home, begin where this one ended.
		if _, err := client.Call(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		later, err := llm.New(llm.Options{Home: home, Getenv: env("OPENAI_BASE_URL", server.BaseURL())})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := later.Call(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if n := len(server.Requests()); n != len(c.forms)+2 {
			t.Errorf("rejected %v: %d requests, want %d", c.reject, n, len(c.forms)+2)
		}
		if last := server.Requests()[len(server.Requests())-1]; c.step == llm.Prompt && !strings.Contains(last.Messages[0].Content, `"additionalProperties":false`) {
			t.Errorf("the schema is not in the prompt: %v", last.Messages)
		}
	}
}

func TestMemoryFile(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "model-steps.json")
	if err := os.WriteFile(file, []byte("{ broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	client, server := endpoint(t, llmtest.Script{Reject: []string{"strict_json_schema"}, Replies: []llmtest.Reply{{JSON: map[string]any{"name": "Bern"}, Times: 2}}}, func(o *llm.Options) { o.Home = home })
	if _, err := client.Call(t.Context(), llm.Request{Messages: say("x"), Schema: city()}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), server.BaseURL()+" gpt-4.1-mini") || !strings.Contains(string(data), `"step": "json_schema"`) {
		t.Errorf("%s, %v", data, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// A step that is remembered for too long is tried again.
	old := strings.NewReplacer(`"since": "20`, `"since": "19`).Replace(string(data))
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	later, err := llm.New(llm.Options{Home: home, Getenv: env("OPENAI_BASE_URL", server.BaseURL())})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := later.Call(t.Context(), llm.Request{Messages: say("x"), Schema: city()}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"strict_json_schema", "json_schema", "strict_json_schema", "json_schema"}, forms(server)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestStrictForm sends optional properties as nullable, and takes their nulls out of the reply.
func TestStrictForm(t *testing.T) {
	client, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{JSON: map[string]any{"name": "Bern", "people": nil}}}})
	r, err := client.Call(t.Context(), llm.Request{Messages: say("x"), Schema: city()})
	if err != nil || !cmp.Equal(r.Value, any(map[string]any{"name": "Bern"})) {
		t.Errorf("%+v, %v", r, err)
	}
	format := server.Requests()[0].Body["response_format"].(map[string]any)["json_schema"].(map[string]any)
	want := map[string]any{
		"type": "object", "additionalProperties": false, "required": []any{"name", "people"},
		"properties": map[string]any{"name": map[string]any{"type": "string"}, "people": map[string]any{"type": []any{"integer", "null"}}},
	}
	if diff := cmp.Diff(want, format["schema"]); diff != "" || format["strict"] != true {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestOpenSchema begins below the strict step with a schema that strict mode cannot say, and remembers nothing by that.
func TestOpenSchema(t *testing.T) {
	open := &llm.Schema{Name: "params", JSON: map[string]any{"type": "object"}}
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{JSON: map[string]any{"any": 1}}, {JSON: map[string]any{"name": "Bern"}}}})
	r, err := client.Call(t.Context(), llm.Request{Messages: say("x"), Schema: open})
	if err != nil || r.LadderStep != llm.JSONSchema {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = client.Call(t.Context(), llm.Request{Messages: say("x"), Schema: city()}); err != nil || r.LadderStep != llm.StrictJSONSchema {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestListSchema asks for a list, which response_format and tools take inside an object only.
func TestListSchema(t *testing.T) {
	list := &llm.Schema{Name: "words", JSON: map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}
	want := []any{"a", "b"}
	for _, reject := range [][]string{nil, {"strict_json_schema"}, {"json_schema"}} {
		client, _ := endpoint(t, llmtest.Script{Reject: reject, Replies: []llmtest.Reply{{JSON: map[string]any{"value": want}}, {JSON: want}}})
		for range 2 { // wrapped as it was asked for, and as it was meant
			r, err := client.Call(t.Context(), llm.Request{Messages: say("x"), Schema: list})
			if err != nil || !cmp.Equal(r.Value, any(want)) {
				t.Errorf("rejected %v: %+v, %v", reject, r, err)
			}
		}
	}
}

func TestAskedAgain(t *testing.T) {
	client, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{
		{JSON: map[string]any{"people": "many"}, Usage: &llmtest.Usage{Prompt: 10, Completion: 2}},
		{Last: "- name: want text\n- people: want an integer", JSON: map[string]any{"name": "Bern"}, Usage: &llmtest.Usage{Prompt: 20, Completion: 3}},
	}})
	r, err := client.Call(t.Context(), llm.Request{Messages: say("where?"), Schema: city()})
	if err != nil || r.Asks != 2 || r.Usage.Calls != 2 || r.Usage.PromptTokens != 30 || r.Usage.CompletionTokens != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	second := server.Requests()[1].Messages
	if len(second) != 3 || second[1].Role != "assistant" || second[1].Content != `{"people":"many"}` {
		t.Errorf("the second request: %+v", second)
	}
}

func TestAsksAreBounded(t *testing.T) {
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Text: "I would rather not say.", Times: 3}}})
	r, err := client.Call(t.Context(), llm.Request{Messages: say("where?"), Schema: city(), MaxAsks: 3})
	if f := fault.Of(err); f == nil || f.Kind != fault.Malformed || r.Asks != 3 ||
		f.Message != "openai/gpt-4.1-mini was asked for JSON of the schema city and each time replied with something else: I would rather not say." {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestToolsAndSchema offers tools beside a schema: the model either calls one or answers.
func TestToolsAndSchema(t *testing.T) {
	client, _ := endpoint(t, llmtest.Script{Reject: []string{"json_schema"}, Replies: []llmtest.Reply{
		{ToolCalls: []llmtest.ToolCall{{Name: "find", Arguments: map[string]any{"q": "x"}}}},
		{ToolCalls: []llmtest.ToolCall{{Name: "city", Arguments: map[string]any{"name": "Bern"}}}},
	}})
	request := llm.Request{Messages: say("x"), Schema: city(), Tools: []llm.Tool{{Name: "find"}}}
	r, err := client.Call(t.Context(), request)
	if err != nil || len(r.ToolCalls) != 1 || r.Value != nil {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = client.Call(t.Context(), request)
	if err != nil || len(r.ToolCalls) != 0 || !cmp.Equal(r.Value, any(map[string]any{"name": "Bern"})) {
		t.Errorf("%+v, %v", r, err)
	}
}
