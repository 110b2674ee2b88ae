package nodes

import (
	"cmp"
	"context"
	_ "embed"

	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/nodetype"
	"pflow/internal/prompt"
	"pflow/internal/value"
	"pflow/ir"
)

// llmType asks a language model. It is the node type; llmOp is the op of flows.
func llmType(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "llm",
			Description: "Asks a language model: summarises, writes, translates, classifies, extracts.",
			Inputs: []ir.Port{
				{Key: "prompt", Type: value.String, Required: true, Description: "What the model is asked."},
				{Key: "data", Type: value.Any, Description: "What it is asked about, such as a text that others wrote: it is fenced, and nothing in it is read as an order."},
				{Key: "system", Type: value.String, Description: "How the model is to behave."},
			},
			Params: []ir.Port{
				{Key: "model", Type: value.String, Description: "provider/model; the default model if left out."},
				{Key: "temperature", Type: value.Number, Description: "From 0, always the same as far as it can be, to 2."},
				{Key: "schema", Type: value.Object, Raw: true, Description: "The JSON Schema that the response must fit; the response is then data."},
			},
			Outputs: []ir.Port{
				{Key: "response", Type: value.Any, Description: "The reply: text, or with a schema the data."},
				{Key: "usage", Type: value.Object, Description: "What it took.", Structure: ir.MustStructure(map[string]any{
					"model": "string", "calls": "integer", "prompt_tokens": "integer", "completion_tokens": "integer", "cached_tokens": "integer",
					"reasoning_tokens": "integer", "cost_usd": "number"})},
			},
			Effects: []ir.Effect{ir.Network, ir.Idempotent},
		},
		Check: func(params map[string]any) []ir.Problem {
			var problems []ir.Problem
			if given, ok := params["schema"].(map[string]any); ok {
				if _, err := schemaOf(given); err != nil {
					problems = append(problems, ir.Problem{Path: "schema", Message: err.Error()})
				}
			}
			if _, err := temperatureOf(params["temperature"]); err != nil {
				problems = append(problems, ir.Problem{Path: "temperature", Message: err.Error()})
			}
			return problems
		},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			r := llm.Request{Model: c.Text("model")}
			var err error
			if r.Temperature, err = temperatureOf(c.Params["temperature"]); err != nil {
				return nodetype.Outcome{}, err
			}
			if given := c.Object("schema"); given != nil {
				s, err := schemaOf(given)
				if err != nil {
					return nodetype.Outcome{}, err
				}
				r.Schema = &llm.Schema{Name: s.Name, JSON: s.JSON, Check: s.Misfits}
			}
			if system := c.Text("system"); system != "" {
				r.Messages = append(r.Messages, llm.Message{Role: "system", Content: system})
			}
			asked, err := aboutData(ctx, c.Text("prompt"), c.Params["data"])
			if err != nil {
				return nodetype.Outcome{}, err
			}
			r.Messages = append(r.Messages, llm.Message{Role: "user", Content: asked})
			if d.Model == nil {
				return nodetype.Outcome{}, fault.New(fault.NotFound, "there is no model to ask: set the key of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY")
			}
			reply, err := d.Model(ctx, r)
			if reply == nil {
				return nodetype.Outcome{}, err
			}
			out := nodetype.Outcome{Meters: meters(reply.Usage), Outputs: map[string]any{"response": reply.Value, "usage": usageValue(reply.Usage)}}
			out.Outputs["usage"].(map[string]any)["model"] = cmp.Or(reply.Model, r.Model)
			if r.Schema == nil {
				out.Outputs["response"] = reply.Text
			}
			return out, err
		},
		Example: nodetype.Example{
			Params: map[string]any{"prompt": "Is this praise or a complaint?\n\nThe lid broke on day one.", "temperature": 0, "schema": map[string]any{
				"type": "object", "required": []any{"mood"}, "properties": map[string]any{"mood": map[string]any{"type": "string", "enum": []any{"praise", "complaint"}}}}},
			Outputs: map[string]any{
				"response": map[string]any{"mood": "complaint"},
				"usage": map[string]any{"model": "test/model", "calls": 1, "prompt_tokens": 20, "completion_tokens": 5, "cached_tokens": 0,
					"reasoning_tokens": 0, "cost_usd": 0.0001},
			},
		},
	}
}

//go:embed node_llm_data.tmpl
var dataText string

// dataPrompt puts data behind a prompt, in the fence that the prompts of planning have.
var dataPrompt = func() *prompt.Prompt {
	p, err := prompt.New("node_llm_data.tmpl", dataText)
	if err != nil {
		panic("nodes: " + err.Error())
	}
	return p
}()

// aboutData is a prompt with its data; a prompt without any stays as it is.
func aboutData(ctx context.Context, asked string, data any) (string, error) {
	text := ir.Text(data)
	if text == "" {
		return asked, nil
	}
	return dataPrompt.Render(ctx, map[string]any{"prompt": asked, "data": text})
}

// schemaOf compiles the schema of a response. Numbers in it may still have the form of the document.
func schemaOf(given map[string]any) (*prompt.Schema, error) {
	v, err := value.ParseJSON([]byte(ir.Text(given)))
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the schema cannot be used: %v", err)
	}
	document, _ := v.(map[string]any)
	s, err := prompt.NewSchema("response", document)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the schema cannot be used: %v", err)
	}
	return s, nil
}

// temperatureOf reads a temperature; nil stands for the provider's own, and so does, in a check, a template.
func temperatureOf(v any) (*float64, error) {
	n, err := ir.Coerce(value.Number, v)
	if _, isText := v.(string); isText && err != nil {
		return nil, nil // the type is checked elsewhere
	}
	var f float64
	switch n := n.(type) {
	case nil:
		return nil, nil
	case int:
		f = float64(n)
	case float64:
		f = n
	}
	if err != nil || f < 0 || f > 2 {
		return nil, fault.New(fault.InvalidRequest, "temperature is from 0 to 2")
	}
	return &f, nil
}
