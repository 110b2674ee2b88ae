package mcp

import (
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
	"pflow/internal/prompt"
	"pflow/internal/value"
)

// takes checks the arguments of a call against the whole schema of the tool. A schema that cannot be used here, such as one
// whose patterns are of another language, is left to the server.
func (t *Tool) takes(arguments map[string]any) error {
	s, err := prompt.NewSchema("arguments", t.Input)
	if err != nil {
		return nil
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	if wrong := s.Misfits(arguments); len(wrong) > 0 {
		return fault.New(fault.InvalidRequest, "its arguments do not fit its inputSchema: %s", cut(strings.ReplaceAll(strings.Join(wrong, "; "), "the reply", "the arguments"), maxTold))
	}
	return nil
}

// outcome makes outputs of an answer. An answer that calls itself an error is one.
func (t *Tool) outcome(got *sdk.CallToolResult) (map[string]any, error) {
	var texts []string
	parts := []any{}
	for _, c := range got.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			texts = append(texts, strings.ToValidUTF8(text.Text, "\uFFFD"))
		}
		part, err := normal(c)
		if err != nil {
			return nil, fault.New(fault.Malformed, "a part of its answer cannot be read: %v", err)
		}
		parts = append(parts, part)
	}
	text := strings.Join(texts, "\n")
	if got.IsError {
		if text == "" {
			text = "it says no more"
		}
		return nil, fault.New(fault.Failure, "it failed: %s", cut(text, maxTold))
	}
	if t.Output == nil {
		return map[string]any{TextOutput: text, ContentOutput: parts}, nil
	}
	structured, err := normal(got.StructuredContent)
	if err != nil {
		return nil, fault.New(fault.Malformed, "its structured answer cannot be read: %v", err)
	}
	if structured == nil { // servers of before gave it as text alone
		if structured, err = value.ParseJSON([]byte(text)); err != nil {
			return nil, fault.New(fault.Schema, "it promises a structured answer and gave none: %s", cut(text, shownNoise))
		}
	}
	if s, err := prompt.NewSchema("answer", t.Output); err == nil {
		if wrong := s.Misfits(structured); len(wrong) > 0 {
			return nil, fault.New(fault.Schema, "its answer does not fit its own outputSchema: %s", cut(strings.ReplaceAll(strings.Join(wrong, "; "), "the reply", "the answer"), maxTold))
		}
	}
	ports := t.outputs()
	if len(ports) == 1 && ports[0].Key == ResultOutput {
		if _, named := (schema{t.Output}).named(ResultOutput); !named {
			return map[string]any{ResultOutput: structured}, nil
		}
	}
	object, ok := structured.(map[string]any)
	if !ok {
		return nil, fault.New(fault.Schema, "its answer is %s where its outputSchema has named parts", value.Describe(structured))
	}
	out := make(map[string]any, len(ports))
	for _, p := range ports {
		v := object[p.Key]
		if v != nil {
			if v, err = value.Fits(p.Type, v); err != nil {
				return nil, fault.New(fault.Schema, "its answer does not fit its own outputSchema: %s: %v", p.Key, err)
			}
		}
		out[p.Key] = v
	}
	return out, nil
}

// named gives the property of a name.
func (s schema) named(name string) (property, bool) {
	props, _ := s.properties(s.root)
	for _, p := range props {
		if p.name == name {
			return p, true
		}
	}
	return property{}, false
}

// normal brings a value of the SDK to the forms of package value.
func normal(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return value.ParseJSON([]byte(strings.ToValidUTF8(string(data), "\uFFFD")))
}
