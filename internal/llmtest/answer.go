package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pflow/internal/value"
)

func sendError(w http.ResponseWriter, status int, message, kind string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": kind, "code": nil, "param": nil}})
}

// statuses are the faults that are an error status.
var statuses = map[string]struct {
	status        int
	kind, message string
}{
	"rate_limit":     {429, "rate_limit_error", "Rate limit reached."},
	"quota":          {429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."},
	"server_error":   {500, "server_error", "The server had an error while processing your request."},
	"unavailable":    {503, "server_error", "The engine is currently overloaded."},
	"unauthorized":   {401, "invalid_request_error", "Incorrect API key provided: KEY."},
	"forbidden":      {403, "invalid_request_error", "The key KEY has no access to this model."},
	"not_found":      {404, "invalid_request_error", "The model does not exist."},
	"context_length": {400, "invalid_request_error", "This model's maximum context length is 8192 tokens."},
	"bad_request":    {400, "invalid_request_error", "Something is wrong with KEY."},
	"bad_schema":     {400, "invalid_request_error", "Invalid schema for response_format 'reply'."},
}

func statusFaults() []string { return value.SortedKeys(statuses) }

// answer sends a reply.
func (s *Server) answer(w http.ResponseWriter, h *http.Request, r *Request, c *compiled) {
	for k, v := range c.Headers {
		w.Header().Set(k, v)
	}
	if f, ok := statuses[c.Fault]; ok {
		if c.Fault == "rate_limit" && w.Header().Get("Retry-After") == "" && w.Header().Get("Retry-After-Ms") == "" {
			w.Header().Set("Retry-After", "1")
		}
		sendError(w, f.status, strings.ReplaceAll(f.message, "KEY", r.Key), f.kind)
		return
	}
	if c.Status != 0 && c.Status != http.StatusOK {
		sendError(w, c.Status, c.Text, "error")
		return
	}
	switch c.Fault {
	case "slow":
		s.wait(h, time.Hour)
		panic(http.ErrAbortHandler) // whoever is still there gets no answer
	case "not_json":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body>It works!</body></html>")
		return
	case "error_inside":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"error": {"message": "Provider returned error", "code": 502}}`)
		return
	}
	m := c.message(r)
	if r.Stream {
		m.stream(w, r, c.Fault)
		return
	}
	m.whole(w, c.Fault)
}

// message is the content of an answer.
type message struct {
	model, text, refusal, finish string
	calls                        []ToolCall // Arguments is text, as it is sent
	empty                        bool
	usage                        Usage
}

func (c *compiled) message(r *Request) *message {
	m := &message{model: r.Model, text: c.Text, finish: c.Finish}
	if c.JSON != nil {
		m.text = jsonOf(c.JSON)
	}
	for _, call := range c.ToolCalls {
		m.calls = append(m.calls, ToolCall{call.Name, jsonOf(call.Arguments)})
	}
	switch c.Fault {
	case "refusal":
		m.text, m.refusal = "", "I cannot help with that."
	case "empty_choices":
		m.empty = true
	case "huge":
		m.text = strings.Repeat("0123456789abcdef", 10<<20/16)
	default:
		m.text = spoil(m.text, c.JSON, c.Fault)
	}
	if r.demanded != "" && (c.JSON != nil || c.Fault == "wrong_schema") && len(m.calls) == 0 && m.refusal == "" {
		m.calls, m.text = []ToolCall{{r.demanded, m.text}}, ""
	}
	switch {
	case m.finish != "":
	case c.Fault == "truncated":
		m.finish = "length"
	case len(m.calls) > 0:
		m.finish = "tool_calls"
	default:
		m.finish = "stop"
	}
	if c.Usage != nil {
		m.usage = *c.Usage
	} else {
		said := len(m.text)
		for _, call := range m.calls {
			said += len(call.Name) + len(call.Arguments.(string))
		}
		m.usage = Usage{Prompt: len(r.text())/4 + 1, Completion: said/4 + 1}
	}
	return m
}

// jsonOf writes a value of a script as JSON; what a script holds can be written.
func jsonOf(v any) string {
	n, err := value.Normalize(v)
	if err != nil {
		panic(fmt.Sprintf("llmtest: a reply holds what JSON cannot: %v", err))
	}
	return value.JSON(n)
}

// spoil changes the text of a reply as a fault does.
func spoil(text string, v any, fault string) string {
	switch fault {
	case "truncated":
		return text[:len(text)/2]
	case "fenced":
		return "```json\n" + text + "\n```"
	case "python":
		return python(v)
	case "prose":
		return "Here is what you asked for:\n\n" + text + "\n\nTell me if {you} need anything else!"
	case "reasoning":
		return "<think>They want {\"a\": something}. Let me see.</think>\n" + text
	case "wrong_schema":
		return `{"unexpected":true}`
	}
	return text
}

// python writes a value as Python does.
func python(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(v) + "'"
	case []any:
		parts := []string{}
		for _, item := range v {
			parts = append(parts, python(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := []string{}
		for _, k := range value.SortedKeys(v) {
			parts = append(parts, python(k)+": "+python(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return jsonOf(v)
}

func (m *message) wireCalls() []any {
	var out []any
	for i, c := range m.calls {
		out = append(out, map[string]any{
			"index": i, "id": "call_" + strconv.Itoa(i+1), "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": c.Arguments},
		})
	}
	return out
}

func (m *message) wireUsage() map[string]any {
	u := m.usage
	if u == (Usage{}) {
		return nil
	}
	return map[string]any{
		"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.Cached},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}
}

// whole sends the answer in one piece.
func (m *message) whole(w http.ResponseWriter, fault string) {
	inner := map[string]any{"role": "assistant", "content": m.text}
	if m.refusal != "" {
		inner["content"], inner["refusal"] = nil, m.refusal
	}
	if len(m.calls) > 0 {
		inner["tool_calls"] = m.wireCalls()
	}
	choices := []any{map[string]any{"index": 0, "message": inner, "finish_reason": m.finish}}
	if m.empty {
		choices = []any{}
	}
	doc := map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "model": m.model, "choices": choices}
	if u := m.wireUsage(); u != nil {
		doc["usage"] = u
	}
	body, err := json.Marshal(doc)
	if err != nil {
		panic(err) // what it is made of was JSON
	}
	w.Header().Set("Content-Type", "application/json")
	switch fault {
	case "reset":
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body[:len(body)/2])
		breakOff(w)
	case "cut_body":
		body = body[:len(body)/2]
	}
	w.Write(body)
}

// breakOff sends what was written and breaks the connection.
func breakOff(w http.ResponseWriter) {
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// stream sends the answer as server-sent events.
func (m *message) stream(w http.ResponseWriter, r *Request, fault string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(choices []any, usage map[string]any) {
		doc := map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": m.model, "choices": choices}
		if usage != nil {
			doc["usage"] = usage
		}
		data, err := json.Marshal(doc)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
	delta := func(d map[string]any) {
		send([]any{map[string]any{"index": 0, "delta": d, "finish_reason": nil}}, nil)
	}
	fmt.Fprint(w, ": a comment keeps the connection alive\n\n")
	var deltas []map[string]any
	for _, piece := range pieces(m.text) {
		deltas = append(deltas, map[string]any{"content": piece})
	}
	for i, c := range m.calls {
		deltas = append(deltas, map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": "call_" + strconv.Itoa(i+1), "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""},
		}}})
		for _, piece := range pieces(c.Arguments.(string)) {
			deltas = append(deltas, map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}})
		}
	}
	if m.refusal != "" {
		deltas = append(deltas, map[string]any{"refusal": m.refusal})
	}
	for i, d := range deltas {
		if fault == "reset" && i >= len(deltas)/2 {
			breakOff(w)
		}
		if fault == "cut_body" && i >= len(deltas)/2 {
			return
		}
		delta(d)
	}
	if m.empty {
		send([]any{}, nil)
	} else {
		send([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": m.finish}}, nil)
	}
	if options, _ := r.Body["stream_options"].(map[string]any); options["include_usage"] == true {
		send([]any{}, m.wireUsage())
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// pieces cuts a text as a stream does; a long one in few pieces.
func pieces(text string) []string {
	size := max(7, len(text)/1000)
	var out []string
	r := []rune(text)
	for at := 0; at < len(r); at += size {
		out = append(out, string(r[at:min(at+size, len(r))]))
	}
	return out
}
