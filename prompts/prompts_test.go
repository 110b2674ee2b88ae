package prompts_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

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
