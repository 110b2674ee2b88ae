package experiment

import (
	"testing"

	"pflow/internal/value"
)

// TestAccepted: accepted values of objects and lists, also as JSON in a text, and arguments that may be left out.
func TestAccepted(t *testing.T) {
	parse := func(doc string) any {
		v, err := value.ParseJSON([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		got, want string
		ok        bool
	}{
		{`{"x": 1}`, `{"x": [1, 2], "y": [3, ""]}`, true},
		{`{"x": 3}`, `{"x": [1]}`, false},
		{`{"z": 1}`, `{"x": [1, ""]}`, false},
		{`{"X": "One"}`, `{"x": ["one"]}`, true},
		{`{}`, `{"x": []}`, true},
		{`"[1, \"A\"]"`, `[1, "a"]`, true},
		{`"{\"x\": 2}"`, `{"x": [1, 2]}`, true},
		{`[1]`, `[1, 2]`, false},
		{`"a"`, `[1]`, false},
		{`7`, `{"x": [1]}`, false},
		{`"7 PM"`, `"19:00"`, true},
	} {
		if got := accepted(parse(c.got), parse(c.want)); got != c.ok {
			t.Errorf("%s for %s: %v", c.got, c.want, got)
		}
	}
}

// TestMatchCalls: calls are paired so that all fit, if that can be done, whatever their order.
func TestMatchCalls(t *testing.T) {
	of := func(v any) call { return call{"f", map[string]any{"x": v}} }
	either := CallExpect{"f", map[string][]any{"x": {1, 2}}}
	one := CallExpect{"f", map[string][]any{"x": {1}}}
	for _, c := range []struct {
		name string
		got  []call
		want []CallExpect
		ok   bool
	}{
		{"in order", []call{of(1), of(2)}, []CallExpect{one, either}, true},
		{"the first takes what the second needs, unless it gives way", []call{of(1), of(2)}, []CallExpect{either, one}, true},
		{"none is left", []call{of(2), of(2)}, []CallExpect{either, one}, false},
		{"one too many", []call{of(1), of(1)}, []CallExpect{one}, false},
		{"another node", []call{{"g", map[string]any{"x": 1}}}, []CallExpect{one}, false},
		{"from a node", []call{of(missing{})}, []CallExpect{one}, false},
		{"nothing", nil, nil, true},
	} {
		if got := matchCalls(c.got, c.want); got != c.ok {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if got, want := callValues([]call{of(2), of(1)}, []CallExpect{one, either}), (Counts{Hits: 1, Planned: 2, Expected: 2}); got != want {
		t.Errorf("values: want %v, got %v", want, got)
	}
}

// TestBareTemplates: a name without braces ends before a hyphen, as in workflows that run.
func TestBareTemplates(t *testing.T) {
	p := readPlan(planOf(t, `{"status": "ready", "execution_params": {"day": "mon", "n": 3}, "workflow_ir": {"nodes": [
		{"id": "get", "type": "get", "params": {"a": "$day-plan", "b": "$n-1", "c": "$nope-x", "d": "$get-x"}},
		{"id": "use", "type": "use", "params": {"a": "$get-x.y"}}]}}`), nil)
	want := map[string]any{"a": "mon-plan", "b": "3-1"}
	for _, got := range p.params {
		if got.node == "get" && want[got.key] != got.value {
			t.Errorf("%s: want %v, got %v", got.key, want[got.key], got.value)
		}
	}
	if len(p.params) != 2 || !p.refs[edge{"get", "use"}] {
		t.Errorf("params %v, references %v", p.params, p.refs)
	}
}
