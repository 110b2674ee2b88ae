package prompts_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pflow/internal/prompt"
	"pflow/prompts"
)

// words is a text as its words, in lower case, each between blanks.
func words(text string) string {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(all) == 0 {
		return ""
	}
	return " " + strings.Join(all, " ") + " "
}

// TestNoEvaluationRequests makes sure that no prompt holds a request that planners are measured by. PFLOW_EVAL names the
// folder of the evaluation sets, whose cases.jsonl have a request a line.
func TestNoEvaluationRequests(t *testing.T) {
	dir := os.Getenv("PFLOW_EVAL")
	if dir == "" {
		t.Skip("PFLOW_EVAL names no folder of evaluation sets")
	}
	var said strings.Builder
	entries, err := prompts.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := prompts.FS.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		said.WriteString(words(string(data)) + "\n")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "cases.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	requests := 0
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(f)
		for {
			line, end := lines.ReadBytes('\n')
			var c struct{ Request string }
			if len(line) > 0 {
				if err := json.Unmarshal(line, &c); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
			if request := words(c.Request); request != "" {
				requests++
				if strings.Contains(said.String(), request) {
					t.Errorf("%s: the prompts hold the request %q", file, request)
				}
			}
			if end != nil {
				break
			}
		}
		f.Close()
	}
	t.Logf("%d requests", requests)
}

// rendered is a shipped prompt with values for its variables.
func rendered(t *testing.T, name string, vars map[string]any) string {
	t.Helper()
	read := func(name string) (string, []byte, error) {
		data, err := prompts.FS.ReadFile(name + ".tmpl")
		return name + ".tmpl", data, err
	}
	file, data, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	p, found := prompt.Parse(file, data, read)
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	text, err := p.Render(t.Context(), vars)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(text), " ")
}

// TestGenerateTellsOfWhatWasRejected: the first attempt is told nothing of a draft; a later one of the draft, of what is wrong
// with it, and what to do about each class of findings that there is, and about no other.
func TestGenerateTellsOfWhatWasRejected(t *testing.T) {
	advice := map[string]string{
		"structure":           "The form is wrong.",
		"unknown-node-type":   "Use only the components listed above",
		"cycle":               "Make it sequential.",
		"data-flow":           "Read only what an earlier step really outputs",
		"unresolved-template": "Begin each template with the name of an input",
		"other":               "Do what each finding says.",
	}
	rejected := map[string]any{"draft": map[string]any{"nodes": []any{}}, "findings": []any{
		map[string]any{"code": "cycle", "path": "edges[0]", "message": "a leads to a", "severity": "error", "key": "1"},
		map[string]any{"code": "unknown-node-type", "message": "there is no zzz", "alternatives": []any{"copy-file"}},
	}, "classes": []any{}, "outputs": []any{map[string]any{"id": "read-it", "keys": []any{"content", "size"}}}, "nearest": "", "wrong_types": []any{},
		"repeated": false, "history": []any{}}
	vars := func(attempt int, change map[string]any) map[string]any {
		r := maps.Clone(rejected)
		maps.Copy(r, change)
		return map[string]any{"request": "copy it", "components": "### copy-file", "params": map[string]any{}, "stdin": nil, "style": "", "attempt": attempt, "rejected": r}
	}
	has := func(name, text string, told, untold []string) {
		t.Helper()
		for _, want := range told {
			if !strings.Contains(text, want) {
				t.Errorf("%s: it does not say %q:\n%s", name, want, text)
			}
		}
		for _, not := range untold {
			if strings.Contains(text, not) {
				t.Errorf("%s: it says %q:\n%s", name, not, text)
			}
		}
	}
	const again, simpler, history = "Change only what the findings name", "Make it simpler", "The attempts before it had"
	all := []string{again, simpler, history, "## Attempt", "This draft was rejected"}
	for _, text := range advice {
		all = append(all, text)
	}
	first := vars(1, nil)
	first["rejected"] = map[string]any{}
	has("first", rendered(t, "generate", first), nil, all)
	for class := range advice {
		var others []string
		for of, text := range advice {
			if of != class {
				others = append(others, text)
			}
		}
		has(class, rendered(t, "generate", vars(2, map[string]any{"classes": []any{class}})),
			[]string{"## Attempt 2", `<draft-1> {"nodes":[]} </draft-1>`, "cycle at edges[0]: a leads to a.", "unknown-node-type at the whole: there is no zzz. There is: copy-file",
				advice[class], again}, append(others, simpler, history))
	}
	has("two classes", rendered(t, "generate", vars(3, map[string]any{"classes": []any{"cycle", "data-flow"}, "history": []any{"cycle at edges: b leads to b"}})),
		[]string{"## Attempt 3", advice["cycle"], advice["data-flow"], "<outputs-1> read-it outputs content, size </outputs-1>", history, "<attempts-1> cycle at edges: b leads to b </attempts-1>"},
		[]string{advice["structure"], advice["unknown-node-type"], advice["unresolved-template"], advice["other"], simpler})
	has("made up", rendered(t, "generate", vars(2, map[string]any{"classes": []any{"unknown-node-type"}, "wrong_types": []any{"yyy", "zzz"}, "nearest": "### move-file"})),
		[]string{"There are none of these names: <names-1> yyy zzz </names-1>", "These are near: <nearest-1> ### move-file </nearest-1>"}, nil)
	has("repeated", rendered(t, "generate", vars(2, map[string]any{"repeated": true})), []string{"The same was found before.", simpler}, []string{again})
}

// TestAnswerTellsWhatCameOfEachTool: what each tool of the agent gives is told, and what is missing for it.
func TestAnswerTellsWhatCameOfEachTool(t *testing.T) {
	invalid := map[string]any{"findings": []any{map[string]any{"code": "cycle", "message": "a leads to a"}}, "nearest": map[string]any{"names": []any{}, "context": "### move-file"}}
	valid := map[string]any{"findings": []any{}, "nearest": map[string]any{"names": []any{}, "context": ""}}
	for _, c := range []struct {
		tool   string
		answer map[string]any
		want   string
	}{
		{"find_workflow", map[string]any{"ranked": []any{}, "context": ""}, "There are no saved workflows."},
		{"find_workflow", map[string]any{"ranked": []any{map[string]any{"name": "greet", "confidence": 0.5, "reason": "shares a word"}}, "context": "- greet"},
			"<workflows-1> - greet </workflows-1> How well each fits, from 0 to 1: <fit-1> greet (0.5): shares a word </fit-1>"},
		{"describe_nodes", map[string]any{"context": "### copy-file", "unknown": []any{"fly"}},
			"<components-1> ### copy-file </components-1> There are no components of these names: <names-1> fly </names-1>"},
		{"validate_workflow", map[string]any{}, "Nothing was handed in: give workflow."},
		{"validate_workflow", valid, "It is valid."},
		{"validate_workflow", invalid, "It is not valid. Mend what is found, and leave the rest as it is: <findings-1> cycle at the whole: a leads to a. </findings-1> " +
			"These components are near: <nearest-1> ### move-file </nearest-1>"},
		{"submit", invalid, "It is not valid. Mend what is found, and leave the rest as it is: <findings-1> cycle at the whole: a leads to a. </findings-1> " +
			"These components are near: <nearest-1> ### move-file </nearest-1>"},
		{"submit", map[string]any{"record": nil, "problem": "there is none"}, "<problem-1> there is none </problem-1>"},
		{"submit", map[string]any{}, "Nothing was handed in: give saved_workflow, workflow or infeasible."},
		{"dance", map[string]any{}, "There is no tool of this name."},
		{"", map[string]any{}, "Call one of the tools; submit ends the work."},
	} {
		if got := rendered(t, "answer", map[string]any{"tool": c.tool, "answer": c.answer, "chars": 12000}); got != c.want {
			t.Errorf("%s %v:\n%s\nwant:\n%s", c.tool, c.answer, got, c.want)
		}
	}
}
