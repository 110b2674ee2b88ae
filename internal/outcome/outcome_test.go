package outcome_test

import (
	"strings"
	"testing"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/outcome"
)

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		outputs map[string]any
		want    string
	}{
		{map[string]any{}, ""},
		{map[string]any{"text": "one"}, "one\n"},
		{map[string]any{"text": "one\n"}, "one\n"},
		{map[string]any{"text": ""}, ""},
		{map[string]any{"list": []any{"a", "b"}}, "a\nb\n"},
		{map[string]any{"list": []any{"a", "b\nc"}}, "[\n  \"a\",\n  \"b\\nc\"\n]\n"},
		{map[string]any{"list": []any{}}, "[]\n"},
		{map[string]any{"n": 3}, "3\n"},
		{map[string]any{"a": "<b>", "n": 3}, "{\n  \"a\": \"<b>\",\n  \"n\": 3\n}\n"},
	} {
		var b strings.Builder
		if err := outcome.Outputs(&b, c.outputs); err != nil || b.String() != c.want {
			t.Errorf("%v: got %q and %v, want %q", c.outputs, b.String(), err, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	e := &engine.RunError{Kind: "network", Message: "no answer", Node: "get", Attempts: 3, Place: diag.Place{File: "a.yaml", Line: 4, Col: 2}}
	if got, want := outcome.Failure(e), "a.yaml:4:2: node get: no answer [network], after 3 attempts"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
