// Package llm calls language models at any OpenAI-compatible endpoint.
//
// A model is named provider/model. Providers are data (models.yaml): base URL, key variable, the ladder of ways to get a
// structured reply, prices with their date, limits. One call goes: request → the step of the ladder that this endpoint
// is known to honour → HTTP, through a chain of round trippers that add what the client library leaves out, keep to
// the limits and record or replay → the reply is read (read.go) and checked → Reply.
//
// Errors are faults: timeout, network, unavailable, rate_limit, truncated, malformed, authentication, permission, quota,
// context_length, refused, schema, unpriced, not_found, invalid_request. No key is in any of them.
package llm

import "time"

// Message is one message of a conversation.
type Message struct {
	Role       string // system, user, assistant or tool
	Content    string
	ToolCalls  []ToolCall // of an assistant's message
	ToolCallID string     // of a tool's message
}

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	Parameters        map[string]any // a JSON Schema of type object
}

// ToolCall is a function that the model wants called. Arguments is an object, or, where the model wrote none, null.
type ToolCall struct {
	ID, Name  string
	Arguments any
}

// Schema is the form of a structured reply. JSON is the schema as it is sent; Check, if there is one, gives what is
// wrong with a value in words written for the model, and nothing if it fits.
type Schema struct {
	Name  string
	JSON  map[string]any
	Check func(value any) []string
}

// Request is one call of a model.
type Request struct {
	Model       string // provider/model; "" is the default model
	Messages    []Message
	Schema      *Schema // nil: plain text
	Tools       []Tool
	Temperature *float64 // nil: the provider's default; 0 is really sent
	MaxTokens   int      // 0: the provider's default
	Repeat      int      // which of several equal calls this is: part of a recording's key
	MaxAsks     int      // how often at most the model is asked for a reply that fits Schema; 0 is 2
	OnText      func(text string)
}

// Reply is what a model said, and what it took.
type Reply struct {
	Text         string // as it came
	Value        any    // the structured reply, normalised; nil without a schema
	ToolCalls    []ToolCall
	FinishReason string
	Model        string // as the endpoint named it, else as it was asked for

	Repaired   bool   // Value had to be mended or searched for
	LadderStep string // strict_json_schema, json_schema, tool_call, json_object, prompt; "" for plain text
	Asks       int    // how many times the model was asked: more than one where a reply did not fit
	Replayed   bool   // from a recording

	Usage   Usage
	Latency time.Duration // all of it
	Waited  time.Duration // the part of Latency spent waiting for limits
}

// Usage is what a call used, over all of its asks. CachedTokens are among PromptTokens, ReasoningTokens among
// CompletionTokens. CostUSD is only meant where Priced.
type Usage struct {
	Calls            int // HTTP calls that the endpoint answered
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int
	ReasoningTokens  int
	CostUSD          float64
	Priced           bool
}

// Exchange is one HTTP exchange with a model, as it is kept in the journal of a run: what was sent and what came back,
// without keys.
type Exchange struct {
	Model      string    `json:"model"`
	LadderStep string    `json:"ladder_step,omitempty"`
	Messages   []Message `json:"messages"`
	Reply      string    `json:"reply"`
	Error      string    `json:"error,omitempty"`
}
