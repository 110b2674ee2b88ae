package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Recordings are one JSON file for each exchange, named by a hash over what was asked: model, messages, schema,
// parameters, tools and the repeat index. How it was asked (the step of the ladder, streamed or not, endpoint, key) is no
// part of it, so that a recording serves wherever the same is asked. Its question is a hash over what was asked beside the
// words (carry.go). What is kept is the answer as it came, or the error
// where the request itself was at fault; errors that pass are not kept, so that what follows them is.

// recording is one file.
type recording struct {
	Schema   string         `json:"schema"`
	Key      string         `json:"key"`
	Question string         `json:"question,omitempty"` // before all that is long: an index reads no further
	Request  any            `json:"request"`            // of one that was read json.RawMessage: a replay does without
	Reply    *recordedReply `json:"reply,omitempty"`
	Error    *recordedError `json:"error,omitempty"`
}

type recordedReply struct {
	Text         string         `json:"text"`
	Refusal      string         `json:"refusal,omitempty"`
	ToolCalls    []recordedCall `json:"tool_calls,omitempty"`
	FinishReason string         `json:"finish_reason"`
	Model        string         `json:"model"`
	LadderStep   string         `json:"ladder_step,omitempty"`
	Usage        Usage          `json:"usage"`
	LatencyMS    *float64       `json:"latency_ms,omitempty"`
	FirstTokenMS *float64       `json:"first_token_ms,omitempty"`
	Counted      bool           `json:"counted"`
	Cost         *float64       `json:"cost_usd,omitempty"` // where the endpoint told it
}

type recordedCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type recordedError struct {
	Kind    fault.Kind `json:"kind"`
	Message string     `json:"message"`
}

const recordingSchema = "pflow.exchange/v1"

// asked is what a recording is named by.
func asked(model string, messages []Message, r *Request) (key string, request map[string]any, err error) {
	doc := map[string]any{"model": model, "messages": listed(messages), "repeat": r.Repeat}
	if r.Schema != nil {
		doc["schema"] = map[string]any{"name": r.Schema.Name, "json": unordered(r.Schema.JSON, false)}
	}
	if r.Temperature != nil {
		doc["temperature"] = *r.Temperature
	}
	if r.MaxTokens > 0 {
		doc["max_tokens"] = r.MaxTokens
	}
	if len(r.Tools) > 0 {
		tools := []any{}
		for _, t := range r.Tools {
			tools = append(tools, map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters})
		}
		doc["tools"] = tools
	}
	v, err := value.Normalize(doc)
	if err != nil {
		return "", nil, fault.New(fault.InvalidRequest, "the request cannot be written as JSON: %v", err)
	}
	request = v.(map[string]any)
	return keyOf(request), request, nil
}

// listed are messages as a recording has them.
func listed(messages []Message) []any {
	list := []any{}
	for _, m := range messages {
		entry := map[string]any{"role": m.Role, "content": m.Content}
		if len(m.ToolCalls) > 0 {
			calls := []any{}
			for _, c := range m.ToolCalls {
				calls = append(calls, map[string]any{"id": c.ID, "name": c.Name, "arguments": c.Arguments})
			}
			entry["tool_calls"] = calls
		}
		if m.ToolCallID != "" {
			entry["tool_call_id"] = m.ToolCallID
		}
		list = append(list, entry)
	}
	return list
}

// keyOf is the hash of a request.
func keyOf(request map[string]any) string {
	sum := sha256.Sum256([]byte(value.JSON(request)))
	return hex.EncodeToString(sum[:16])
}

// readRecording reads one file; found is false if there is none.
func readRecording(dir, key string) (r *recording, found bool, err error) {
	file := filepath.Join(dir, key+".json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	var asked json.RawMessage
	r = &recording{Request: &asked}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	r.Request = asked
	if err == nil && r.Schema != recordingSchema {
		err = errors.New("want the schema " + recordingSchema)
	}
	if err == nil && r.Reply == nil && r.Error == nil {
		err = errors.New("it has neither reply nor error")
	}
	if err != nil {
		return nil, false, fault.New(fault.InvalidRequest, "the recording %s cannot be read: %v; record it again", file, err)
	}
	return r, true, nil
}

// replay gives the recorded answer, and the step of the ladder it answers; found is false if there is none.
func replay(dir, key string) (a *answer, step string, found bool, err error) {
	r, found, err := readRecording(dir, key)
	if !found {
		return nil, "", false, err
	}
	if r.Error != nil {
		return nil, "", true, &fault.Error{Kind: r.Error.Kind, Message: r.Error.Message}
	}
	return r.Reply.answer(), r.Reply.LadderStep, true, nil
}

func (r *recordedReply) answer() *answer {
	a := &answer{Text: r.Text, Refusal: r.Refusal, FinishReason: r.FinishReason, Model: r.Model, Usage: r.Usage, Counted: r.Counted, Cost: r.Cost, LatencyMS: r.LatencyMS, FirstTokenMS: r.FirstTokenMS}
	for _, c := range r.ToolCalls {
		a.ToolCalls = append(a.ToolCalls, rawCall(c))
	}
	return a
}

// record writes an exchange, out of which keys and secrets are taken already. An error that may pass is not written.
func record(dir, key, question string, request any, a *answer, step string, failed error) error {
	r := recording{Schema: recordingSchema, Key: key, Question: question, Request: request}
	if failed != nil {
		f := fault.Of(failed)
		if f.Kind != fault.ContextLength && f.Kind != fault.InvalidRequest && f.Kind != fault.Refused {
			return nil
		}
		r.Error = &recordedError{f.Kind, f.Message}
	} else {
		r.Reply = a.recorded(step)
	}
	if err := r.write(dir); err != nil {
		return fault.New(fault.Permission, "the exchange cannot be recorded in %s: %v", dir, err)
	}
	return nil
}

func (a *answer) recorded(step string) *recordedReply {
	r := &recordedReply{Text: a.Text, Refusal: a.Refusal, FinishReason: a.FinishReason, Model: a.Model, LadderStep: step, Usage: a.Usage, Counted: a.Counted, Cost: a.Cost, LatencyMS: a.LatencyMS, FirstTokenMS: a.FirstTokenMS}
	for _, c := range a.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, recordedCall(c))
	}
	return r
}

func (r *recording) write(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, r.Key+".json"), append(data, '\n'))
}

// missed is the fault of a call that no recording serves.
func missed(dir, key, model string, messages []Message, r *Request) error {
	what := "plain text"
	if r.Schema != nil {
		what = "schema " + orText(r.Schema.Name, "without a name")
	}
	last := messages[len(messages)-1]
	return fault.New(fault.NotFound, "there is no recording %s.json in %s for this call of %s (%s, repeat %d, last message: %q): record it with --record %s, or call what is missing with --replay-or-call",
		key, dir, model, what, r.Repeat, clip(last.Content, 80), dir)
}
