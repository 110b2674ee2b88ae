package ir

import (
	"slices"
	"testing"
)

// TestLiterals says which values of a request stand in a text of a node, by their names.
func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		text   string
		values map[string]any
		want   []string
	}{
		{"20 issues", map[string]any{"n": 20, "year": 2024}, []string{"n"}},
		{"120 issues, 20.5 or 0.20 or 20th or 1,20", map[string]any{"n": 20}, nil},
		{"ends with 20.", map[string]any{"n": 20}, []string{"n"}},
		{"x_20 20", map[string]any{"n": 20}, []string{"n"}},                                                                // not the first, the second
		{"a/b.txt", map[string]any{"file": "a/b.txt", "folder": "a", "name": "b.txt"}, []string{"file", "folder", "name"}}, // within each other
		{"New York City Hall", map[string]any{"a": "York City Hall", "b": "New York"}, []string{"a", "b"}},                 // across each other
		{"closed", map[string]any{"z": "closed", "a": " closed ", "m": "close"}, []string{"a", "z"}},                       // alike
		{"yes and true", map[string]any{"a": true, "b": nil, "c": []any{"yes"}, "d": " "}, nil},
		{"größe", map[string]any{"a": "gr", "b": "größe"}, []string{"b"}},
	} {
		w := Workflow{Version: "0.1.0", Nodes: []Node{{ID: "n", Type: "llm", Params: map[string]any{"prompt": c.text}}}}
		_, list := Check(w.Encode(), testCatalogue(), Options{Discovered: c.values})
		var got []string
		for _, f := range list {
			if f.Kind == RequestLiteral {
				got = append(got, f.Suggestion[len("${"):len(f.Suggestion)-1])
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v in %q: %v, want %v", c.values, c.text, got, c.want)
		}
	}
}
