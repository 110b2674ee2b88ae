package ir

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

var update = flag.Bool("update", false, "rewrite the .out files")

// testCatalogue has a component for each thing an interface can say.
func testCatalogue() *Catalogue {
	str := func(k string, required bool) Port { return Port{Key: k, Type: value.String, Required: required} }
	issue := MustStructure(map[string]any{"number": "integer", "title": "string", "body": "string",
		"user": map[string]any{"login": "string"}, "labels": []any{map[string]any{"name": "string"}}})
	return NewCatalogue(
		&Interface{Name: "github-get-issue", Effects: []Effect{Reads, Network, Idempotent},
			Inputs:  []Port{{Key: "issue_number", Type: value.Integer, Required: true, Description: "Which issue."}, str("repo", false)},
			Outputs: []Port{{Key: "issue_data", Type: value.Object, Structure: issue}}},
		&Interface{Name: "github-list-issues", Effects: []Effect{Reads, Network, Idempotent},
			Inputs:  []Port{str("repo", false), {Key: "state", Type: value.String, Enum: []any{"open", "closed", "all"}}, {Key: "limit", Type: value.Integer, Default: 30}},
			Outputs: []Port{{Key: "issues", Type: value.Array, Structure: &Structure{Type: value.Array, Items: issue}}}},
		&Interface{Name: "llm", Effects: []Effect{Network},
			Inputs:  []Port{str("prompt", true), str("system", false)},
			Params:  []Port{str("prompt", true), str("model", false), {Key: "temperature", Type: value.Number}, {Key: "schema", Type: value.Object}},
			Outputs: []Port{{Key: "response", Type: value.Any}, {Key: "usage", Type: value.Object}}},
		&Interface{Name: "shell", Effects: []Effect{Reads, Writes},
			Inputs:  []Port{str("command", true), {Key: "args", Type: value.Array}, {Key: "env", Type: value.Object}, {Key: "stdin", Type: value.Any}},
			Outputs: []Port{str("stdout", false), str("stderr", false), {Key: "exit_code", Type: value.Integer}}},
		&Interface{Name: "read-file", Effects: []Effect{Reads, Idempotent}, Inputs: []Port{str("file_path", true)}, Outputs: []Port{str("content", false)}},
		&Interface{Name: "write-file", Effects: []Effect{Writes}, Inputs: []Port{str("file_path", true), str("content", true), {Key: "append", Type: value.Boolean}},
			Outputs: []Port{str("file_path", false), {Key: "bytes", Type: value.Integer}}},
		&Interface{Name: "delete-file", Effects: []Effect{Writes, Destructive}, Inputs: []Port{str("file_path", true)},
			Params: []Port{{Key: "confirm_delete", Type: value.Boolean, Required: true}}, Outputs: []Port{{Key: "deleted", Type: value.Boolean}}},
		&Interface{Name: "transform", Effects: []Effect{Idempotent}, Params: []Port{{Key: "expression", Type: value.String, Required: true, Raw: true}, {Key: "inputs", Type: value.Object}},
			Outputs: []Port{{Key: "result", Type: value.Any}}},
		&Interface{Name: "switch", Effects: []Effect{Idempotent}, Inputs: []Port{{Key: "inputs", Type: value.Object}}, Cases: "cases",
			Params: []Port{{Key: "cases", Type: value.Array, Required: true, Raw: true}}, Outputs: []Port{str("case", false)}},
		&Interface{Name: "classify", Effects: []Effect{Network}, Inputs: []Port{str("text", true)}, Actions: []string{"bug", "feature"}, Outputs: []Port{str("label", false)}},
		&Interface{Name: "open", OpenParams: true, OpenOutputs: true},
		&Interface{Name: "workflow", Params: []Port{{Key: "workflow", Type: value.String, Required: true}, {Key: "inputs", Type: value.Object}},
			Call: &Call{Name: "workflow", Inputs: "inputs"}, OpenOutputs: true},
		&Interface{Name: "summarize-repo", Workflow: true, Effects: []Effect{Reads, Network},
			Inputs: []Port{str("repo", true), {Key: "depth", Type: value.Integer, Default: 1}}, Outputs: []Port{str("summary", false)}},
	).Skipping(map[string]string{"half-written": "could not be read; mend nodes/broken.yaml"})
}

// testOptions stands in NAME.options beside a document.
type testOptions struct {
	Planning   bool           `json:"planning"`
	Discovered map[string]any `json:"discovered"`
	Values     map[string]any `json:"values"`
}

// TestGolden checks every document of testdata: ok/NAME.json is without errors and displayed as in NAME.out (warnings
// first), err/NAME.json has the findings in NAME.out.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.json")
	if len(files) < 30 {
		t.Fatalf("only %d documents", len(files))
	}
	codes := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimPrefix(strings.TrimSuffix(file, ".json"), "testdata/"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			base := strings.TrimSuffix(file, ".json")
			var o testOptions
			if text, err := os.ReadFile(base + ".options"); err == nil {
				if err := json.Unmarshal(text, &o); err != nil {
					t.Fatal(err)
				}
			}
			w, list := Check(data, testCatalogue(), Options{Planning: o.Planning, Discovered: o.Discovered})
			got := list.Text()
			for _, f := range list {
				codes[f.Kind] = true
				if Tier(f.Kind) == 0 {
					t.Errorf("the code %q is not declared", f.Kind)
				}
			}
			if ok := strings.Contains(file, "/ok/"); ok == list.HasErrors() {
				t.Errorf("errors: %v\n%s", list.HasErrors(), got)
			} else if ok {
				got += Display(w, DisplayOptions{Catalogue: testCatalogue(), Values: o.Values})
				stable(t, data)
			}
			if *update {
				if err := os.WriteFile(base+".out", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(base + ".out")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("run with -update if this is right:\n%s", diff)
			}
		})
	}
	for _, c := range Codes() {
		if !codes[c] && c != UncoveredRequest && c != FakeRun && c != MalformedNotation {
			t.Errorf("no document has the code %s", c)
		}
	}
}

// stable checks decode∘encode∘decode for a document without errors of form.
func stable(t *testing.T, data []byte) {
	t.Helper()
	w, list := Decode(data)
	if list.HasErrors() {
		return
	}
	text := w.Encode()
	again, list := Decode(text)
	if list.HasErrors() {
		t.Fatalf("what was encoded does not decode:\n%s\n%s", text, list.Text())
	}
	if diff := cmp.Diff(w, again); diff != "" {
		t.Fatalf("decode, encode, decode changes the workflow:\n%s", diff)
	}
	if string(again.Encode()) != string(text) || again.Hash() != w.Hash() {
		t.Fatalf("encoding twice differs:\n%s", text)
	}
}
