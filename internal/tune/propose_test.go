package tune

import (
	"strings"
	"testing"

	"pflow/internal/experiment"
)

// TestProposed: a proposal must be a template of the same variables, differ, and be filled in by what the prompt was filled in with.
func TestProposed(t *testing.T) {
	const head = "---\nname: ask\ndescription: Asks.\nvariables: [list]\n---\n"
	filled := map[string]any{"list": []any{map[string]any{"id": "a"}}}
	for body, want := range map[string]string{
		"See {{json .list}}":              "",
		"{{range .list}}{{.id}}{{end}}":   "",
		"Look {{json .list}}\n":           "as it is",
		"  ":                              "proposed nothing",
		"See it":                          `"list", which the template does not use`,
		"{{json .list}} {{.other}}":       "{{.other}}, which variables does not declare",
		"{{json .list":                    "unclosed action",
		"{{range .list}}{{.name}}{{end}}": "cannot be filled in: ",
		"---\nname: x\n---\n{{template \"x\" .list}}": `"x"`,
	} {
		data, problem := Proposed(t.Context(), "ask.tmpl", []byte(head+"Look {{json .list}}\n"), body, nil, filled)
		if want == "" && (problem != "" || string(data) != head+body+"\n") || want != "" && (data != nil || !strings.Contains(problem, want)) {
			t.Errorf("%s: %q, %s, want %q", body, data, problem, want)
		}
	}
}

// TestWant: prompts have turns, that of the most failed cases first, and later proposals are told of other cases.
func TestWant(t *testing.T) {
	var failures []experiment.Failure
	for i := range 12 {
		f := experiment.Failure{ID: string(rune('a' + i)), Replies: map[string]string{"gate": "x", "gone": "y"}}
		if i < 2 {
			f.Replies["draft"] = "z"
		}
		failures = append(failures, f)
	}
	var got []string
	for _, w := range Want(failures, []string{"draft", "gate", "other"}, 4) {
		ids := w.Prompt + string(rune('0'+w.Number)) + ":"
		for _, f := range w.Cases {
			ids += f.ID
		}
		got = append(got, ids)
	}
	if want := "gate1:abcdefgh draft1:ab gate2:ijklabcd draft2:ab"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
