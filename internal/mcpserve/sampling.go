//lint:file-ignore SA1019 Newer protocols drop sampling; clients that speak those of today offer it for a year at least.

package mcpserve

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
	"pflow/internal/llm"
)

type clientKey struct{}

// Of is the client whose call a context is of; nil if it is of none.
func Of(ctx context.Context) *Client {
	c, _ := ctx.Value(clientKey{}).(*Client)
	return c
}

// Samples reports whether the client offers its model.
func (c *Client) Samples() bool {
	if c == nil {
		return false
	}
	p := c.session.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Sampling != nil
}

// Sampler completes conversations by the model of the client whose call the context is of. What it used the protocol does not tell.
type Sampler struct{}

// sampledTokens bounds a reply where nothing else does: the protocol wants a bound.
const sampledTokens = 8192

// Complete implements llm.Completer.
func (Sampler) Complete(ctx context.Context, q llm.Conversation) (*llm.Completion, error) {
	c := Of(ctx)
	if !c.Samples() {
		return nil, fault.New(fault.Unavailable, "the client of pflow mcp serve does not offer its model (sampling): name another model")
	}
	params := &mcp.CreateMessageParams{MaxTokens: sampledTokens, IncludeContext: "none"}
	if q.MaxTokens > 0 {
		params.MaxTokens = int64(q.MaxTokens)
	}
	var system []string
	for _, m := range q.Messages {
		if m.Role == "system" {
			system = append(system, m.Content)
			continue
		}
		params.Messages = append(params.Messages, &mcp.SamplingMessage{Role: mcp.Role(m.Role), Content: &mcp.TextContent{Text: m.Content}})
	}
	params.SystemPrompt = strings.Join(system, "\n\n")
	if len(params.Messages) == 0 { // a conversation begins with its user
		params.Messages = []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: params.SystemPrompt}}}
		params.SystemPrompt = ""
	}
	res, err := c.session.CreateMessage(ctx, params)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fault.New(fault.Refused, "the client did not let its model answer: %v", err)
	}
	text, ok := res.Content.(*mcp.TextContent)
	if !ok {
		return nil, fault.New(fault.Malformed, "the client's model answered with what is no text")
	}
	out := &llm.Completion{Text: text.Text, Model: res.Model}
	if res.StopReason == "maxTokens" {
		out.FinishReason = "length"
	}
	return out, nil
}
