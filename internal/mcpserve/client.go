package mcpserve

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// maxAnswer bounds the wait for what a person answers.
const maxAnswer = 10 * time.Minute

// Client is who called, as far as a call may tell and ask it.
type Client struct {
	session *mcp.ServerSession
	steps   chan string // what is told of the progress; nil: nobody listens
	told    chan struct{}
}

// queued is how many steps may wait for a client that reads slowly. More are not told.
const queued = 256

// newClient begins a call. What it gives is ended by end, before the answer.
func newClient(ctx context.Context, req *mcp.CallToolRequest) *Client {
	c := &Client{session: req.Session, told: make(chan struct{})}
	token := req.Params.GetProgressToken()
	if token == nil {
		close(c.told)
		return c
	}
	c.steps = make(chan string, queued)
	fault.Go(func() {
		defer close(c.told)
		n := 0.0
		for message := range c.steps {
			n++
			_ = c.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Message: message, Progress: n})
		}
	}, func(error) {})
	return c
}

// Step tells that a step has ended. It never waits.
func (c *Client) Step(message string) {
	if c.steps == nil {
		return
	}
	select {
	case c.steps <- message:
	default:
	}
}

func (c *Client) end() {
	if c.steps != nil {
		close(c.steps)
	}
	<-c.told
}

// Asks reports whether the client can ask its user.
func (c *Client) Asks() bool {
	p := c.session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil
}

// Approves asks the user to approve what message lists. Only a yes is one: an error is of a client that did not answer.
func (c *Client) Approves(ctx context.Context, message string) (bool, error) {
	content, err := c.ask(ctx, message, object{
		"type": "object", "required": []any{"approve"},
		"properties": object{"approve": object{"type": "boolean", "title": "Approve", "description": "true runs it, false does not"}},
	})
	return content["approve"] == true, err
}

// Inputs asks the user for values of inputs, by name. They are nil where the user gave none; what was given is read by parse.
func (c *Client) Inputs(ctx context.Context, message string, missing []ir.Input, parse func(ir.Input, string) (any, error)) (map[string]any, error) {
	properties, required := object{}, []any{}
	for _, in := range missing {
		properties[in.Name] = formField(in)
		required = append(required, in.Name)
	}
	const tries = 3
	for try := 1; ; try++ {
		content, err := c.ask(ctx, message, object{"type": "object", "properties": properties, "required": required})
		if err != nil || content == nil {
			return nil, err
		}
		values, wrong := object{}, error(nil)
		for _, in := range missing {
			v := content[in.Name]
			if text, ok := v.(string); ok {
				if v, err = parse(in, text); err != nil && wrong == nil {
					wrong = err
				}
			}
			values[in.Name] = v
		}
		if wrong == nil {
			return values, nil
		}
		if try == tries {
			return nil, wrong
		}
		message = wrong.Error()
	}
}

// formField is an input in a form, which knows simple types only: what else there is is written as JSON.
func formField(in ir.Input) object {
	f := object{"type": "string"}
	description := in.Description
	switch in.Type {
	case value.Boolean, value.Integer, value.Number:
		f["type"] = string(in.Type)
	case value.Array, value.Object:
		description = fmt.Sprintf("%s (%s, as JSON)", description, in.Type)
	}
	if description != "" {
		f["description"] = description
	}
	return f
}

// ask shows a form. The content is nil unless the user sent it.
func (c *Client) ask(ctx context.Context, message string, schema object) (map[string]any, error) {
	asking, cancel := context.WithTimeout(ctx, maxAnswer)
	defer cancel()
	res, err := c.session.Elicit(asking, &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case asking.Err() != nil:
		return nil, fault.New(fault.Timeout, "nobody answered within %s", maxAnswer)
	case err != nil:
		return nil, fault.New(fault.InvalidRequest, "the client could not ask its user: %v", err)
	case res.Action != "accept":
		return nil, nil
	case res.Content == nil:
		return map[string]any{}, nil
	}
	content, err := value.Normalize(res.Content)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the client's answer cannot be used: %v", err)
	}
	return content.(map[string]any), nil
}
