package ir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotationReadBack: what Display prints is read as the same document, with and without values of a run.
func TestNotationReadBack(t *testing.T) {
	files, _ := filepath.Glob("testdata/ok/*.json")
	if len(files) < 20 {
		t.Fatalf("only %d documents", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		w, found := Check(data, testCatalogue(), Options{})
		if found.HasErrors() {
			t.Fatalf("%s: %s", file, found.Text())
		}
		values := map[string]any{}
		for _, in := range w.EffectiveInputs(testCatalogue()) {
			values[in.Name] = "it's\t a \"$value\" of " + in.Name
		}
		for _, given := range []map[string]any{nil, values} {
			readBack(t, filepath.Base(file), w, DisplayOptions{Catalogue: testCatalogue(), Values: given,
				Notes: map[string][]string{w.Nodes[0].ID: {"destroys: a file", "changes:", "  one >> two", "step: replaces: x=y"}}})
		}
	}
}

// readBack compares a workflow with what is read of its display.
func readBack(t *testing.T, name string, w *Workflow, o DisplayOptions) {
	t.Helper()
	text := Display(w, o)
	n := ReadNotation(text, o.Catalogue)
	if n == nil {
		t.Errorf("%s: not taken for notation:\n%s", name, text)
		return
	}
	if len(n.Problems) > 0 {
		t.Errorf("%s: %s\n%s", name, n.Problems.Text(), text)
	}
	again, found := Decode(n.JSON())
	if found.HasErrors() {
		t.Errorf("%s: %s", name, found.Text())
	}
	if again.Hash() != w.Hash() {
		t.Errorf("%s: (-was +read)\n%s\n%s", name, cmp.Diff(string(w.Indented()), string(again.Indented())), text)
	}
	accounted(t, text, n)
}

// accounted holds that the parts of a notation are in order and leave out white space alone.
func accounted(t *testing.T, text string, n *Notation) {
	t.Helper()
	at := 0
	for _, p := range n.Parts() {
		if p.Start < at || p.End > len(text) || p.End <= p.Start {
			t.Errorf("the part %v is out of place in\n%s", p, text)
			return
		}
		if left := strings.TrimSpace(text[at:p.Start]); left != "" {
			t.Errorf("%q is not accounted for in\n%s", left, text)
		}
		at = p.End
	}
	if left := strings.TrimSpace(text[at:]); left != "" {
		t.Errorf("%q is not accounted for in\n%s", left, text)
	}
}
