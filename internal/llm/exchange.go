package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"pflow/internal/fault"
	"pflow/internal/outbound"
	"pflow/internal/value"
)

// target is where one call goes.
type target struct {
	name     string // provider/model
	model    string // as the provider calls it
	provider *Provider
	entry    ModelEntry
	baseURL  string
	key      string
	limiter  *limiter
	redact   func(string) string
}

// at names model and endpoint in messages.
func (t *target) at() string { return t.name + " at " + shownURL(t.baseURL) }

// memo names endpoint and model in the memory of steps.
func (t *target) memo() string { return shownURL(t.baseURL) + " " + t.model }

// question is one exchange that is to be made: a request at one step of the ladder.
type question struct {
	messages []Message
	schema   *Schema
	step     string // "" without a schema
	form     string // what is said of the form of the reply: in words, or of the function
	tools    []Tool
	request  *Request
}

// sent gives the messages as the step sends them.
func (q question) sent() []Message {
	if inWords(q.step) {
		return withForm(q.messages, q.form)
	}
	return q.messages
}

// inWords reports whether at a step the model itself has to read what its reply must be.
func inWords(step string) bool { return step == JSONObject || step == Prompt }

// schemaSent gives the schema as it is sent at a step; false if the step cannot say it.
func schemaSent(s *Schema, step string) (map[string]any, bool) {
	switch step {
	case StrictJSONSchema:
		return strict(asObject(s.JSON))
	case JSONSchema, ToolCallStep:
		return asObject(s.JSON), true
	}
	return s.JSON, true
}

// isWrapped reports whether a reply at a step holds the value under wrapKey.
func isWrapped(s *Schema, step string) bool {
	return wrapped(s.JSON) && (step == StrictJSONSchema || step == JSONSchema || step == ToolCallStep)
}

// build gives the request for go-openai, and the fields that it would leave out or refuse.
func (t *target) build(q question) (openai.ChatCompletionRequest, map[string]any) {
	r := openai.ChatCompletionRequest{}
	set := map[string]any{"model": t.model}
	for k, v := range t.provider.Extra {
		set[k] = v
	}
	if q.request.Temperature != nil && !t.entry.NoTemperature {
		set["temperature"] = *q.request.Temperature
	}
	if q.request.MaxTokens > 0 {
		set[t.entry.MaxTokensField] = q.request.MaxTokens
	}
	for _, tool := range q.tools {
		r.Tools = append(r.Tools, function(tool.Name, tool.Description, tool.Parameters))
	}
	if q.schema != nil {
		sent, _ := schemaSent(q.schema, q.step)
		name := schemaName(q.schema.Name)
		switch q.step {
		case StrictJSONSchema, JSONSchema:
			r.ResponseFormat = &openai.ChatCompletionResponseFormat{
				Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
				JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
					Name: name, Schema: json.RawMessage(schemaText(sent)), Strict: q.step == StrictJSONSchema,
				},
			}
		case ToolCallStep:
			r.Tools = append(r.Tools, function(name, q.form, sent))
			if len(q.tools) == 0 {
				r.ToolChoice = openai.ToolChoice{Type: openai.ToolTypeFunction, Function: openai.ToolFunction{Name: name}}
			} else {
				r.ToolChoice = "required"
			}
		case JSONObject:
			r.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
		}
	}
	for _, m := range q.sent() {
		r.Messages = append(r.Messages, wireMessage(m))
	}
	return r, set
}

func function(name, description string, parameters map[string]any) openai.Tool {
	if parameters == nil {
		parameters = map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: name, Description: description, Parameters: json.RawMessage(schemaText(parameters)),
	}}
}

func wireMessage(m Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
	for _, c := range m.ToolCalls {
		arguments := "{}"
		if c.Arguments != nil {
			arguments = jsonText(c.Arguments)
		}
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID: c.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: c.Name, Arguments: arguments},
		})
	}
	return out
}

// jsonText is the canonical JSON of a value; New and Call normalised all that comes here.
func jsonText(v any) string {
	n, err := value.Normalize(v)
	if err != nil {
		return "null"
	}
	return value.JSON(n)
}

// schemaName is a name that endpoints take: at most 64 letters, digits, _ and -.
func schemaName(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, name)
	return orText(out[:min(len(out), 64)], "reply")
}

// withForm writes what the reply must be into the first system message, where it stands before all that changes.
func withForm(messages []Message, text string) []Message {
	if len(messages) > 0 && messages[0].Role == "system" {
		out := append([]Message{}, messages...)
		out[0].Content += "\n\n" + text
		return out
	}
	return append([]Message{{Role: "system", Content: text}}, messages...)
}

// exchange asks once. The answer is as it came; calls says how many HTTP calls were answered, also with an error.
func (c *Client) exchange(ctx context.Context, t *target, q question, trip *trip) (*answer, error) {
	r, set := t.build(q)
	config := openai.DefaultConfig(t.key)
	config.BaseURL = t.baseURL
	config.EmptyMessagesLimit = 1 << 30 // comments that keep a stream alive; the body is bounded, and so is the time
	onText := q.request.OnText
	if onText != nil {
		r.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	config.HTTPClient = &http.Client{
		Transport:     t.chain(c.transport, set, trip),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if u, err := url.Parse(t.baseURL); err == nil {
		ctx = outbound.Asks(ctx, u)
	}
	client := openai.NewClientWithConfig(config)
	if onText != nil {
		a, err := stream(ctx, client, r, onText)
		var whole *notStreamed
		if !errors.As(err, &whole) {
			return a, t.explainRead(ctx, err)
		}
		var resp openai.ChatCompletionResponse
		if err := json.Unmarshal(whole.body, &resp); err != nil {
			return nil, t.explainRead(ctx, err)
		}
		if a, err = t.answerOf(resp); err == nil {
			onText(a.Text)
		}
		return a, err
	}
	resp, err := client.CreateChatCompletion(ctx, r)
	if err != nil {
		return nil, t.explainRead(ctx, err)
	}
	return t.answerOf(resp)
}

// explainRead is explain for errors that may also be of reading an answer's JSON.
func (t *target) explainRead(ctx context.Context, err error) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	var api *openai.APIError
	switch {
	case errors.As(err, &api): // inside a stream
		data, _ := json.Marshal(map[string]any{"error": map[string]any{"message": api.Message, "type": api.Type, "code": api.Code}})
		return t.errorInside(data)
	case errors.As(err, &syntax), errors.As(err, &mistyped):
		return noCompletion("%s answered with a chat completion that cannot be read: %s", t.at(), clip(t.redact(err.Error()), 200))
	}
	return t.explain(ctx, err)
}

func (t *target) answerOf(resp openai.ChatCompletionResponse) (*answer, error) {
	if len(resp.Choices) == 0 {
		return nil, noCompletion("%s answered without a choice: try again", t.at())
	}
	choice := resp.Choices[0]
	a := &answer{Text: choice.Message.Content, Refusal: choice.Message.Refusal, FinishReason: string(choice.FinishReason), Model: resp.Model}
	for _, part := range choice.Message.MultiContent {
		a.Text += part.Text
	}
	for _, call := range choice.Message.ToolCalls {
		a.ToolCalls = append(a.ToolCalls, rawCall{call.ID, call.Function.Name, call.Function.Arguments})
	}
	a.count(&resp.Usage)
	return a, nil
}

// count reads the usage that an endpoint told.
func (a *answer) count(u *openai.Usage) {
	if u == nil || u.PromptTokens == 0 && u.CompletionTokens == 0 {
		return
	}
	a.Counted = true
	a.Usage.PromptTokens, a.Usage.CompletionTokens = max(u.PromptTokens, 0), max(u.CompletionTokens, 0)
	if d := u.PromptTokensDetails; d != nil {
		a.Usage.CachedTokens = min(max(d.CachedTokens, 0), a.Usage.PromptTokens)
	}
	if d := u.CompletionTokensDetails; d != nil {
		a.Usage.ReasoningTokens = max(d.ReasoningTokens, 0)
	}
}

// stream reads an answer piece by piece.
func stream(ctx context.Context, client *openai.Client, r openai.ChatCompletionRequest, onText func(string)) (*answer, error) {
	s, err := client.CreateChatCompletionStream(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	a := &answer{}
	var text, refusal strings.Builder
	var arguments []*strings.Builder
	for {
		chunk, err := s.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if chunk.Model != "" {
			a.Model = chunk.Model
		}
		a.count(chunk.Usage)
		if len(chunk.Choices) == 0 {
			continue
		}
		choice := chunk.Choices[0]
		if choice.FinishReason != "" {
			a.FinishReason = string(choice.FinishReason)
		}
		text.WriteString(choice.Delta.Content)
		refusal.WriteString(choice.Delta.Refusal)
		if choice.Delta.Content != "" {
			onText(choice.Delta.Content)
		}
		for _, call := range choice.Delta.ToolCalls {
			at := len(a.ToolCalls) - 1
			switch {
			case call.Index != nil:
				at = *call.Index
			case call.ID != "" || at < 0:
				at++
			}
			if at < 0 || at > maxToolCalls {
				return nil, fault.New(fault.Malformed, "the endpoint streamed a tool call with the index %d", at)
			}
			for len(a.ToolCalls) <= at {
				a.ToolCalls, arguments = append(a.ToolCalls, rawCall{}), append(arguments, &strings.Builder{})
			}
			a.ToolCalls[at].ID += call.ID
			a.ToolCalls[at].Name += call.Function.Name
			arguments[at].WriteString(call.Function.Arguments)
			if call.Function.Arguments != "" {
				onText(call.Function.Arguments)
			}
		}
	}
	a.Text, a.Refusal = text.String(), refusal.String()
	for i, b := range arguments {
		a.ToolCalls[i].Arguments = b.String()
	}
	if a.FinishReason == "" { // it ended without its last piece
		return nil, io.ErrUnexpectedEOF
	}
	return a, nil
}

// maxToolCalls bounds the calls in one answer.
const maxToolCalls = 128
