package ir

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

// calc is a component with one form.
func calc(change func(*Form)) *Interface {
	f := Form{
		Says: []string{"Repeat a text."},
		Inputs: []Port{{Key: "text", Type: value.String, Required: true}, {Key: "times", Type: value.Integer, Required: true},
			{Key: "between", Type: value.String}},
		With:    map[string]any{"expression": "repeat(text, times)", "inputs": map[string]any{"text": "${text}", "times": "${times}", "between": "${between}"}},
		Example: map[string]any{"text": "ab", "times": 2},
	}
	change(&f)
	return &Interface{
		Name: "calc", Inputs: []Port{{Key: "inputs", Type: value.Object}},
		Params:  []Port{{Key: "expression", Type: value.String, Required: true, Raw: true}},
		Outputs: []Port{{Key: "result", Type: value.Any}},
		Forms:   []Form{f},
	}
}

// TestFormFill: params are made of what the inputs are given, and read back.
func TestFormFill(t *testing.T) {
	i := calc(func(*Form) {})
	for _, given := range []map[string]any{
		{"text": "${read.content}", "times": 3},
		{"text": "a", "times": "${n}", "between": ", "},
	} {
		params := i.Forms[0].Fill(given)
		f, back := i.FormOf(params)
		if f == nil || cmp.Diff(given, back) != "" {
			t.Errorf("%v becomes %v, read back as %v", given, params, back)
		}
	}
	want := map[string]any{"expression": "repeat(text, times)", "inputs": map[string]any{"text": "a", "times": 1}}
	if diff := cmp.Diff(want, i.Forms[0].Fill(map[string]any{"text": "a", "times": 1})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, other := range []map[string]any{
		{"expression": "repeat(text, 2)", "inputs": map[string]any{"text": "a", "times": 1}},
		{"expression": "repeat(text, times)", "inputs": map[string]any{"text": "a"}},
		{"expression": "repeat(text, times)", "inputs": map[string]any{"text": "a", "times": 1, "more": 2}},
		{"expression": "repeat(text, times)"},
		{"expression": "repeat(text, times)", "inputs": "${all}"},
	} {
		if f, given := i.FormOf(other); f != nil {
			t.Errorf("%v is taken for the form with %v", other, given)
		}
	}
}

func TestCheckForms(t *testing.T) {
	for _, c := range []struct {
		change func(*Form)
		want   string
	}{
		{func(*Form) {}, ""},
		{func(f *Form) { f.Says = []string{"x", " "} }, "forms[0]: a form needs says: a text, or several, of what it does"},
		{func(f *Form) { f.Says = nil }, "forms[0]: a form needs says: a text, or several, of what it does"},
		{func(f *Form) { f.Inputs = append(f.Inputs, Port{Key: "text", Type: value.Any}) }, `forms[0].inputs: the key "text" is there twice`},
		{func(f *Form) { f.Inputs = append(f.Inputs, Port{Key: "lost", Type: value.Any}) },
			`forms[0].inputs: "lost" stands nowhere in with; it is written ${lost} there, as a whole value`},
		{func(f *Form) { f.Example = map[string]any{"text": 7, "times": 2} }, `forms[0].example: "text": want string, got integer 7`},
		{func(f *Form) { f.Example = map[string]any{"text": "a"} }, `forms[0].example: it has no value for the input "times"`},
		{func(f *Form) { f.Example["other"] = 1 }, `forms[0].example: there is no input "other"`},
		{func(f *Form) { delete(f.With, "expression") }, `forms[0]: calc needs the param "expression" (string)`},
		{func(f *Form) { f.With["expresion"] = "x" }, `forms[0]: "expresion" is no param of calc`},
		{func(f *Form) { f.With["inputs"].(map[string]any)["text"] = "${txt}" },
			`forms[0].inputs: "text" stands nowhere in with; it is written ${text} there, as a whole value`},
	} {
		got := ""
		for _, p := range calc(c.change).CheckForms() {
			got += p.Path + ": " + p.Message
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
