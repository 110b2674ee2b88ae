package nodes

import (
	"pflow/engine"
	"pflow/internal/llm"
	"pflow/internal/prompt"
	"pflow/internal/value"
)

// The names in prep that are the op's own and no variables of the prompt.
const (
	prepReplySchema = "reply_schema"
	prepMessages    = "messages"
)

// llmOp calls a language model.
func llmOp(d Deps) engine.Op {
	return engine.Op{
		Name:     "llm",
		Place:    "network",
		Summary:  "Fills a prompt in with the values of prep and asks a language model.",
		OpenPrep: true,
		Prep: []engine.Field{
			{Name: prepReplySchema, Type: value.Any, Doc: "the JSON Schema that the model is given in place of schema, such as one made for this request; the reply is held to schema all the same"},
			{Name: prepMessages, Type: value.Array, Doc: "what was said after the prompt: [{role, content, tool_calls?, tool_call_id?}]"},
		},
		With: []engine.Field{
			{Name: "prompt", Type: value.String, Required: true, Doc: "the name of a prompt file; its variables are the names of prep"},
			{Name: "schema", Type: value.String, Doc: "the name of the schema that the reply must fit; the prompt's own if not given, and without any the reply is text"},
			{Name: "model", Type: value.String, Doc: "provider/model; the default model if not given"},
			{Name: "temperature", Type: value.Number, Doc: "from 0 to 2; the provider's default if not given"},
			{Name: "max_tokens", Type: value.Integer, Doc: "how long the reply may be; the provider's default if not given"},
			{Name: "asks", Type: value.Integer, Default: 2, Doc: "how often at most the model is asked for a reply that fits the schema"},
			{Name: "tools", Type: value.Array, Doc: "functions that the model may call: [{name, description, parameters}], parameters being a JSON Schema"},
		},
		Result: value.Object,
		ResultDoc: "{value: the reply as data, null without a schema, text: as it came, tool_calls: [{id, name, arguments}], call: {model, temperature, " +
			"ladder_step, repaired, asks, finish_reason, prompt_chars, reply: its first 500 characters, usage}, timing: {latency_ms, waited_ms, " +
			"replayed}: what two equal runs differ in}; error.details has the keys of call that are known, and text",
		Meters:     []string{"calls", "tokens", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens", "cost_usd"},
		Idempotent: true,
		Example: `flow: llm-example
version: 1
description: Name the values of a request.
state:
  request: {type: string, default: list the last 20 commits}
  values:  {type: array, default: []}
limits: {calls: 4, tokens: 20000}
nodes:
  name:
    op: llm
    prep: {request: store.request}
    with: {prompt: parameters, temperature: 0}
    retry: {attempts: 2, wait: 1s}
    timeout: 60s
    fallback: '{"value": {"params": []}}'
    post: {values: result.value.params}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			c := newLLMCall(d, s)
			if c == nil {
				return nil
			}
			return c.exec
		},
	}
}

// llmCall is one llm node, settled.
type llmCall struct {
	d       Deps
	prompt  *prompt.Prompt
	schema  *prompt.Schema // nil: text
	request llm.Request    // what is the same for every call
}

func newLLMCall(d Deps, s *engine.Setup) *llmCall {
	c := &llmCall{d: d}
	if c.prompt = loadPrompt(s); c.prompt == nil {
		return nil
	}
	checkVariables(s, c.prompt, prepReplySchema, prepMessages)
	if !c.loadSchema(s) {
		return nil
	}
	c.request = llm.Request{Prompt: s.Text("prompt"), Model: s.Text("model"), MaxTokens: option(s, "max_tokens", 0), MaxAsks: option(s, "asks", 2)}
	if c.request.MaxTokens < 0 || s.Value("max_tokens") == 0 {
		s.Report("max_tokens", 0, "bad-param", "max_tokens is at least 1")
	}
	if c.request.MaxAsks < 1 || c.request.MaxAsks > 10 {
		s.Report("asks", 0, "bad-param", "asks is from 1 to 10")
	}
	if t := s.Value("temperature"); t != nil {
		f, ok := t.(float64)
		if n, isInt := t.(int); isInt {
			f, ok = float64(n), true
		}
		if !ok || f < 0 || f > 2 {
			s.Report("temperature", 0, "bad-param", "temperature is from 0 to 2")
		}
		c.request.Temperature = &f
	}
	return c.loadTools(s)
}

// loadSchema finds the schema that the options or the prompt name.
func (c *llmCall) loadSchema(s *engine.Setup) bool {
	name := s.Text("schema")
	if name == "" {
		name = c.prompt.Schema
	}
	if name == "" {
		return true
	}
	doc, err := s.Find(engine.SchemaDocument, name)
	if err != nil {
		s.Suggest("schema", "unknown-schema", name, s.Names(engine.SchemaDocument), "%v", err)
		return false
	}
	schema, found := prompt.ParseSchema(name, doc.Path, doc.Data)
	for _, f := range found {
		s.Add(f)
	}
	c.schema = schema
	return schema != nil
}

// loadTools reads the functions that the model may call.
func (c *llmCall) loadTools(s *engine.Setup) *llmCall {
	list, _ := s.Value("tools").([]any)
	for i, v := range list {
		m, _ := v.(map[string]any)
		name, _ := m["name"].(string)
		about, _ := m["description"].(string)
		parameters, ok := m["parameters"].(map[string]any)
		if name == "" || about == "" || !ok || len(m) != 3 {
			s.Report("tools", 0, "bad-param", "tools[%d]: want {name, description, parameters}", i)
			return nil
		}
		if _, err := prompt.NewSchema(name, parameters); err != nil {
			s.Report("tools", 0, "bad-param", "tools[%d].parameters: %v", i, err)
			return nil
		}
		c.request.Tools = append(c.request.Tools, llm.Tool{Name: name, Description: about, Parameters: parameters})
	}
	return c
}
