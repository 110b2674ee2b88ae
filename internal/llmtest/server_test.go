package llmtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// post sends a body and gives status and answer; broken says that the connection was.
func post(t *testing.T, s *Server, body string) (status int, answer string, broken bool) {
	t.Helper()
	resp, err := http.Post(s.BaseURL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", true
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err != nil
}

func start(t *testing.T, s Script) *Server {
	t.Helper()
	server, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

const plain = `{"model": "m", "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]}`

// TestMatching gives replies by what they match and in their order.
func TestMatching(t *testing.T) {
	s := start(t, Script{Replies: []Reply{
		{Match: "bye", Text: "by match"},
		{Last: "^hello$", Text: "by last"},
		{Model: "big", Text: "by model"},
		{Schema: "city", JSON: map[string]any{"a": 1}},
		{Text: "first"},
		{Text: "second", Times: 2},
		{Match: "never", Times: Any},
	}})
	for _, c := range []struct{ body, want string }{
		{plain, "by last"},
		{plain, "first"},
		{`{"model": "big", "messages": [{"role": "user", "content": "x"}]}`, "by model"},
		{`{"model": "m", "messages": [{"role": "user", "content": "bye"}, {"role": "user", "content": "x"}]}`, "by match"},
		{`{"model": "m", "messages": [], "response_format": {"type": "json_schema", "json_schema": {"name": "city"}}}`, `{\"a\":1}`},
		{plain, "second"},
		{plain, "second"},
	} {
		if status, got, _ := post(t, s, c.body); status != 200 || !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot %d %s, want %s", c.body, status, got, c.want)
		}
	}
	if err := s.Unused(); err != nil {
		t.Error(err)
	}
}

func TestUnused(t *testing.T) {
	s := start(t, Script{Replies: []Reply{{Match: "hello", Text: "x", Times: 3}, {Schema: "city", Text: "y"}}})
	post(t, s, plain)
	post(t, s, strings.Replace(plain, "hello", "what?", 1))
	status, _, _ := post(t, s, `{broken`)
	want := `llm server: the reply 0 (match "hello") was given 1 times, 2 are left
llm server: the reply 1 (schema "city") was given 0 times, 1 are left
llm server: the request 1 has no reply in the script: /v1/chat/completions, model "m", schema "", 2 messages, the last: "what?"
llm server: the request 2 has no reply in the script: /v1/chat/completions, model "", schema "", 0 messages, the last: ""`
	if err := s.Unused(); err == nil || err.Error() != want || status != 500 {
		t.Errorf("status %d, got:\n%v", status, err)
	}
}

func TestRequests(t *testing.T) {
	s := start(t, Script{Replies: []Reply{{Text: "x", Times: Any}}})
	for _, c := range []struct{ body, form, schema string }{
		{`{"response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": true}}}`, "strict_json_schema", "a"},
		{`{"response_format": {"type": "json_schema", "json_schema": {"name": "a"}}}`, "json_schema", "a"},
		{`{"response_format": {"type": "json_object"}}`, "json_object", ""},
		{`{"tools": [{"function": {"name": "f"}}], "tool_choice": {"type": "function", "function": {"name": "f"}}}`, "tool_call", "f"},
		{`{"tools": [{"function": {"name": "f"}}, {"function": {"name": "g"}}], "tool_choice": "required"}`, "tool_call", "g"},
		{`{"tools": [{"function": {"name": "f"}}], "temperature": 0}`, "", ""},
	} {
		post(t, s, c.body)
		all := s.Requests()
		if r := all[len(all)-1]; r.Form != c.form || r.Schema != c.schema || !r.Answered {
			t.Errorf("%s: %+v", c.body, r)
		}
	}
	last := s.Requests()[5]
	if !last.Has("temperature") || last.Has("max_tokens") || last.Body["temperature"] != json.Number("0") {
		t.Errorf("%v", last.Body)
	}
}

// TestUsage: what is not given is counted, the calls of tools too.
func TestUsage(t *testing.T) {
	s := start(t, Script{Replies: []Reply{
		{Text: strings.Repeat("a", 40)},
		{ToolCalls: []ToolCall{{Name: "submit", Arguments: map[string]any{"a": strings.Repeat("a", 26)}}}},
		{Text: "x", Usage: &Usage{Prompt: 3, Completion: 4}},
	}})
	for i, want := range []string{`"completion_tokens":11,`, `"completion_tokens":11,`, `"completion_tokens":4,`} {
		if _, got, _ := post(t, s, plain); !strings.Contains(got, want) {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
}

func TestReject(t *testing.T) {
	s := start(t, Script{Reject: []string{"strict_json_schema", "temperature"}, Replies: []Reply{{Text: "x"}}})
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": true}}}`, 400},
		{`{"temperature": 0}`, 400},
		{`{"response_format": {"type": "json_schema", "json_schema": {"name": "a"}}}`, 200},
	} {
		if status, got, _ := post(t, s, c.body); status != c.status {
			t.Errorf("%s: %d %s", c.body, status, got)
		}
	}
	if err := s.Unused(); err != nil {
		t.Error(err)
	}
}

// TestFaultsOnTheWire looks at the faults as a client without pflow's care meets them.
func TestFaultsOnTheWire(t *testing.T) {
	value := map[string]any{"name": "O'Hara", "ok": true, "none": nil, "list": []any{1, 2.5}}
	for _, c := range []struct {
		fault  string
		status int
		broken bool
		want   string
	}{
		{"rate_limit", 429, false, "Rate limit"}, {"unavailable", 503, false, "overloaded"}, {"server_error", 500, false, "error"},
		{"unauthorized", 401, false, "Incorrect"}, {"context_length", 400, false, "maximum context"}, {"bad_schema", 400, false, "response_format"},
		{"reset", 200, true, ""}, {"cut_body", 200, false, `"choices":[`}, {"not_json", 200, false, "<html>"}, {"error_inside", 200, false, `"error"`},
		{"empty_choices", 200, false, `"choices":[]`}, {"refusal", 200, false, `"content":null,"refusal":"I cannot`},
		{"truncated", 200, false, `"finish_reason":"length"`}, {"fenced", 200, false, "```json\\n{"},
		{"python", 200, false, `{'list': [1, 2.5], 'name': 'O\\'Hara', 'none': None, 'ok': True}`},
		{"prose", 200, false, "Here is what"}, {"reasoning", 200, false, `think`}, {"wrong_schema", 200, false, `unexpected`},
	} {
		s := start(t, Script{Replies: []Reply{{JSON: value, Fault: c.fault}}})
		status, got, broken := post(t, s, plain)
		if status != c.status || broken != c.broken || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d, broken %v, %s", c.fault, status, broken, got)
		}
	}
	s := start(t, Script{Replies: []Reply{{Fault: "huge"}}})
	if _, got, _ := post(t, s, plain); len(got) < 10<<20 {
		t.Errorf("huge: %d bytes", len(got))
	}
}

func TestStreamOnTheWire(t *testing.T) {
	s := start(t, Script{Replies: []Reply{{Text: "Grüße an alle", Usage: &Usage{Prompt: 3, Cached: 1, Completion: 4, Reasoning: 2}}, {Text: strings.Repeat("a", 100), Fault: "reset"}}})
	body := `{"model": "m", "messages": [], "stream": true, "stream_options": {"include_usage": true}}`
	_, got, broken := post(t, s, body)
	if broken || !strings.HasSuffix(got, "data: [DONE]\n\n") {
		t.Errorf("%s", got)
	}
	var text, finish string
	var usage map[string]any
	lines := bufio.NewScanner(strings.NewReader(got))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta  struct{ Content string }
				Finish string `json:"finish_reason"`
			}
			Usage map[string]any
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Choices {
			text, finish = text+c.Delta.Content, finish+c.Finish
		}
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
	}
	if text != "Grüße an alle" || finish != "stop" || usage["prompt_tokens"] != 3.0 {
		t.Errorf("%q %q %v", text, finish, usage)
	}
	if _, got, broken := post(t, s, body); !broken || strings.Contains(got, "DONE") {
		t.Errorf("reset: broken %v, %s", broken, got)
	}
}

// TestCloseEndsSlow: a server that is closed does not wait for a reply that never comes.
func TestCloseEndsSlow(t *testing.T) {
	s := start(t, Script{Replies: []Reply{{Fault: "slow"}}})
	done := make(chan bool)
	go func() { _, _, broken := post(t, s, plain); done <- broken }()
	for len(s.Requests()) == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if !<-done {
		t.Error("it was answered")
	}
}

// TestNewFailsItsTest gives New a test of its own.
func TestNewFailsItsTest(t *testing.T) {
	inner := &recorder{TB: t}
	s := New(inner, Script{Replies: []Reply{{Text: "x"}}})
	for _, f := range inner.cleanups {
		f()
	}
	if len(inner.errors) != 1 || !strings.Contains(inner.errors[0], "1 are left") {
		t.Errorf("%q", inner.errors)
	}
	if _, _, broken := post(t, s, plain); !broken {
		t.Error("the server still answers")
	}
}

type recorder struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool     { return false }
func (r *recorder) Error(args ...any) {
	for _, a := range args {
		r.errors = append(r.errors, a.(error).Error())
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.yaml")
	text := `
reject: [strict_json_schema]
replies:
  - schema: workflow
    match: 'copy .* to'
    json: {nodes: []}
  - {last: again, text: fine, times: any, model: big, finish: stop}
  - {tool_calls: [{name: submit, arguments: {ok: true}}, {name: stop}], times: 2}
  - {fault: rate_limit, headers: {Retry-After-Ms: "5"}}
  - {text: 12, delay: 20ms, status: 418, usage: {prompt: 100, cached: 80, completion: 20, reasoning: 5}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	want := Script{Reject: []string{"strict_json_schema"}, Replies: []Reply{
		{Schema: "workflow", Match: "copy .* to", JSON: map[string]any{"nodes": []any{}}},
		{Last: "again", Text: "fine", Times: Any, Model: "big", Finish: "stop"},
		{ToolCalls: []ToolCall{{"submit", map[string]any{"ok": true}}, {Name: "stop"}}, Times: 2},
		{Fault: "rate_limit", Headers: map[string]string{"Retry-After-Ms": "5"}},
		{Text: "12", Delay: 20 * time.Millisecond, Status: 418, Usage: &Usage{100, 80, 20, 5}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestBadScripts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"replies: [{txt: x}]", `s.yaml:1:12: error: there is no key "txt" here`},
		{"replies: [{fault: fence}]", `got "fence"`},
		{"replies: [{match: '('}]", "reply 0: match: error parsing regexp"},
		{"replies: [{text: x, json: 1}]", "text and json exclude each other"},
		{"replies: [{times: 0}]", "from 1 on, or the word any"},
		{"replies: [{delay: soon}]", "want a duration such as 20ms"},
		{"replies: [{status: 99}]", "s.yaml:1:20: error: want at least 200"},
		{"replies: [{headers: [x]}]", "want a mapping from headers to texts, got a list"},
		{"replies: [{usage: {prompt: -1}}]", "s.yaml:1:28: error: want at least 0"},
		{"replies: {}", "want a list of replies, got a mapping"},
		{"reject: [strict]", `did you mean "strict_json_schema"?`},
	} {
		if _, found := Parse("s.yaml", []byte(c.text)); !strings.Contains(found.Text(), c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, found.Text(), c.want)
		}
	}
	if _, err := Start(Script{Reject: []string{"x"}, Replies: []Reply{{Fault: "y"}}}); err == nil {
		t.Error("a bad script was started")
	}
}
