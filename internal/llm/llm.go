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
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant's message
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool's message
}

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	Parameters        map[string]any // a JSON Schema of type object
}

// ToolCall is a function that the model wants called. Arguments is an object, or, where the model wrote none, null.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments any    `json:"arguments"`
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
	Temperature *float64          // nil: the provider's default; 0 is really sent
	MaxTokens   int               // 0: the provider's default
	Repeat      int               // which of several equal calls this is: part of a recording's key
	Prompt      string            // the name of the prompt that Messages begin with, for whoever reads an Exchange; "" if there is none
	Variables   map[string]any    // what Prompt was filled in with: by it, a recording is found in other words
	MaxAsks     int               // how often at most the model is asked for a reply that fits Schema; 0 is 2
	OnText      func(text string) // if set the reply is streamed: each piece as it comes, without keys and secrets, also of a reply that is asked for again
	OnExchange  func(Exchange)    // told of each exchange of this call
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

	Carried       int  // of Asks, those answered by what was replied to the same question in other words
	CarriedTokens int  // that these took
	Missed        bool // a recording was to serve the call, and none does

	Usage   Usage
	Latency time.Duration // all of it
	Waited  time.Duration // the part of Latency spent waiting for limits

	Took    time.Duration // what the exchanges took, by their recordings where they were replayed, else by Options.Clock; without waits
	Assumed int           // of Asks, those whose time is by Options.Clock
	Untimed bool          // the time of one is not known
}

// Usage is what a call used, over all of its asks. CachedTokens are among PromptTokens, ReasoningTokens among
// CompletionTokens. CostUSD is only meant where Priced. What an answer cost that failed or broke off is not told by
// endpoints and not in it.
type Usage struct {
	Calls            int     `json:"calls"` // HTTP calls that the endpoint answered; a replayed one counts as it did when it was recorded
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	CachedTokens     int     `json:"cached_tokens"`
	ReasoningTokens  int     `json:"reasoning_tokens"`
	CostUSD          float64 `json:"cost_usd"`
	Priced           bool    `json:"priced"` // every exchange has a price: that of the model is known, and the endpoint told its tokens
}

// Add adds what another exchange used.
func (u *Usage) Add(more Usage) {
	u.Calls += more.Calls
	u.PromptTokens += more.PromptTokens
	u.CompletionTokens += more.CompletionTokens
	u.CachedTokens += more.CachedTokens
	u.ReasoningTokens += more.ReasoningTokens
	u.CostUSD += more.CostUSD
	u.Priced = u.Priced && more.Priced
}

// Exchange is one HTTP exchange with a model, as it is kept in the journal of a run: what was sent and what came back,
// without keys.
type Exchange struct {
	Prompt     string    `json:"prompt,omitempty"`
	Model      string    `json:"model"`
	LadderStep string    `json:"ladder_step,omitempty"`
	Messages   []Message `json:"messages"`
	Reply      string    `json:"reply"`
	Error      string    `json:"error,omitempty"`

	FinishReason string        `json:"finish_reason,omitempty"`
	Usage        Usage         `json:"usage"`
	Latency      time.Duration `json:"latency_ns"`
	Replayed     bool          `json:"replayed,omitempty"`
	Carried      bool          `json:"carried,omitempty"` // the reply is that to the same question in other words

	Key      string         `json:"key,omitempty"`      // what its recording is named by; "" if it can have none
	Question string         `json:"question,omitempty"` // of its recording
	Whole    *recordedReply `json:"whole,omitempty"`    // of a reply that is more than the text of Reply

	AnsweredBy string `json:"answered_by,omitempty"` // the model, as the endpoint named it
	Err        error  `json:"-"`                     // what Error says
}
