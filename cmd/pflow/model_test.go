package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pflow/internal/llmtest"
)

// TestModelSchemas holds what model list and model check print with --json to their schemas in docs/schemas.
func TestModelSchemas(t *testing.T) {
	server := llmtest.New(t, llmtest.Script{Reject: []string{"temperature"}, Replies: []llmtest.Reply{
		{Match: "the word ready", Text: "ready", Times: 2}, {Match: "the word ready", Fault: "refusal"}, {Match: "animal|greets|weather|thirty", Text: "no", Times: 7},
	}})
	env := map[string]string{"OPENAI_BASE_URL": server.BaseURL(), "OPENAI_API_KEY": serverKey}
	for _, c := range []struct {
		schema, command string
		status          int
	}{
		{"models", "model list", exitDone},
		{"model-check", "model check", exitDone},
		{"model-check", "model check --probe", exitFailed},
		{"model-check", "model check openai/gpt-5", exitFailed},
		{"model-check", "model check gemini/x", exitFailed},
	} {
		var out, messages bytes.Buffer
		a := newApp(strings.NewReader(""), &out, &messages, func(name string) string { return env[name] })
		if got := a.main(t.Context(), append(strings.Fields(c.command), "--json", "--home", t.TempDir())); got != c.status {
			t.Errorf("%s: exit status %d, want %d: %s", c.command, got, c.status, messages.String())
		}
		v, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatalf("%s: %v", c.command, err)
		}
		if err := compileSchema(t, c.schema).Validate(v); err != nil {
			t.Errorf("%s: %v", c.command, err)
		}
	}
}
