package prompt

import (
	"testing"

	"pflow/internal/value"
)

// TestOrderIsKept: the order of properties is kept beside them, at any depth, also of properties that have keywords' names.
func TestOrderIsKept(t *testing.T) {
	s, found := ParseSchema("s", "s.schema.json", []byte(`{"type": "object", "properties": {"b": {"enum": [{"properties": {"y": 1, "x": 2}}]},
		"properties": {"type": "object", "properties": {"d": {}, "c": {}}}, "a": {"anyOf": [{"type": "object", "properties": {"z": {}, "y": {}}}]}}}`))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	if got := value.JSON(s.JSON["properties"].(map[string]any)["b"]); got != `{"enum":[{"properties":{"x":2,"y":1}}]}` {
		t.Errorf("a value became %s", got)
	}
	properties := s.JSON["properties"].(map[string]any)
	for want, v := range map[string]any{
		`["b","properties","a"]`: s.JSON[PropertyOrdering],
		`["d","c"]`:              properties["properties"].(map[string]any)[PropertyOrdering],
		`["z","y"]`:              properties["a"].(map[string]any)["anyOf"].([]any)[0].(map[string]any)[PropertyOrdering],
	} {
		if got := value.JSON(v); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
