package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"pflow/internal/prompt"
	"pflow/internal/value"
)

// TestAuthorsOrder: at every step a model sees the properties of a schema in the order in which they were written.
func TestAuthorsOrder(t *testing.T) {
	parsed, err := value.ParseJSON([]byte(`{"type": "object", "additionalProperties": false, "required": ["zeta", "properties", "alpha"],
		"propertyOrdering": ["zeta", "properties", "alpha"], "properties": {"zeta": {"type": "string"}, "properties": {"type": "array", "items": {"type": "object", "additionalProperties": false,
			"propertyOrdering": ["type", "params", "by"], "properties": {"type": {"type": "string"}, "params": {"type": "string"}, "by": {"type": "string"}}, "required": ["type", "params", "by"]}},
			"alpha": {"type": "string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	s := &Schema{Name: "s", JSON: parsed.(map[string]any)}
	client, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := &target{model: "m", provider: &Provider{}, entry: ModelEntry{MaxTokensField: "max_tokens"}}
	for _, step := range ladder {
		asking := &call{Client: client, target: target, messages: []Message{{Role: "user", Content: "x"}}, request: &Request{Schema: s}}
		q, err := asking.question(t.Context(), step)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := schemaSent(q.schema, step); !ok {
			t.Fatalf("%s cannot say it", step)
		}
		r, _ := target.build(q)
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(body), `\`, "")
		at := 0
		if step == JSONObject || step == Prompt {
			at = strings.Index(text, "JSON Schema")
		}
		for _, key := range []string{`"zeta":{`, `"properties":{"items"`, `"type":{`, `"params":{`, `"by":{`, `"alpha":{`} {
			next := strings.Index(text[at:], key)
			if next < 0 {
				t.Fatalf("%s: no %s from %d on in %s", step, key, at, text)
			}
			at += next
		}
		if strings.Contains(text, prompt.PropertyOrdering) {
			t.Errorf("%s: the order itself is sent: %s", step, text)
		}
	}
	// The order makes it no other question.
	var keys []string
	for _, schema := range []map[string]any{s.JSON, unordered(s.JSON, false).(map[string]any)} {
		key, _, err := asked("m", nil, &Request{Schema: &Schema{Name: "s", JSON: schema}})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	if keys[0] != keys[1] {
		t.Errorf("the order is part of a recording's key: %q", keys)
	}
}
