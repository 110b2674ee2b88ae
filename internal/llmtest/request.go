package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Request is a request as the server got it.
type Request struct {
	Path     string
	Key      string // of the header Authorization
	Header   http.Header
	Body     map[string]any // numbers are json.Number
	Model    string
	Messages []Message
	Schema   string // the name of the schema that the reply is to fit, where the request tells it
	Form     string // strict_json_schema, json_schema, json_object, tool_call, or ""
	Stream   bool
	Answered bool // the script had a reply

	demanded string // the function that the reply has to call
}

// Message is a message of a request; the arguments of tool calls are part of Content.
type Message struct{ Role, Content string }

// Has reports whether the body has a field.
func (r *Request) Has(field string) bool { _, ok := r.Body[field]; return ok }

func (r *Request) text() string {
	var parts []string
	for _, m := range r.Messages {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n")
}

// readRequest reads the body of a request.
func readRequest(path string, h http.Header, data []byte) (*Request, error) {
	r := &Request{Path: path, Header: h.Clone(), Key: strings.TrimPrefix(h.Get("Authorization"), "Bearer ")}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&r.Body); err != nil {
		return r, err
	}
	var body struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			ToolCalls json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
		Format struct {
			Type   string `json:"type"`
			Schema struct {
				Name   string `json:"name"`
				Strict bool   `json:"strict"`
			} `json:"json_schema"`
		} `json:"response_format"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Choice json.RawMessage `json:"tool_choice"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return r, err
	}
	r.Model, r.Stream = body.Model, body.Stream
	for _, m := range body.Messages {
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			text = string(m.Content)
		}
		r.Messages = append(r.Messages, Message{m.Role, text + string(m.ToolCalls)})
	}
	var choice struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	var word string
	switch {
	case body.Format.Type == "json_schema":
		r.Form, r.Schema = "json_schema", body.Format.Schema.Name
		if body.Format.Schema.Strict {
			r.Form = "strict_json_schema"
		}
	case body.Format.Type == "json_object":
		r.Form = "json_object"
	case json.Unmarshal(body.Choice, &choice) == nil && choice.Function.Name != "":
		r.demanded = choice.Function.Name
	case json.Unmarshal(body.Choice, &word) == nil && word == "required" && len(body.Tools) > 0:
		r.demanded = body.Tools[len(body.Tools)-1].Function.Name
	}
	if r.demanded != "" {
		r.Form, r.Schema = "tool_call", r.demanded
	}
	return r, nil
}

// rejected gives the feature of a request that is refused, or "".
func (r *Request) rejected(features []string) string {
	for _, f := range features {
		switch {
		case f == r.Form, f == "json_schema" && r.Form == "strict_json_schema",
			f == "stream" && r.Stream,
			(f == "tools" || f == "tool_choice" || f == "temperature") && r.Has(f),
			f == "max_tokens" && (r.Has(f) || r.Has("max_completion_tokens")):
			return f
		}
	}
	return ""
}
