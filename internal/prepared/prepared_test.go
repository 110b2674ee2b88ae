package prepared_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/prepared"
	"pflow/internal/value"
)

func TestRun(t *testing.T) {
	given, err := value.ParseJSON([]byte(`{"big": 1234567890123456789, "f": 1.5, "i": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	want, err := prepared.New(prepared.Workflow, "greet", []byte("{\n \"kind\": \"workflow\"\n}"), given.(map[string]any), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !want.Bound {
		t.Error("a run of which nothing is missing is not bound")
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := prepared.Read(strings.NewReader(string(text) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	open, err := prepared.New(prepared.Flow, "f", []byte("{}"), nil, []prepared.Missing{{Name: "n", Type: "string"}})
	if err != nil || open.Bound {
		t.Errorf("a run of which something is missing is bound: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                            `no JSON document`,
		`[]`:                          `no JSON document`,
		`{"ir_version": "0.1.0"}`:     `its schema is "", not "pflow.prepared/v1"`,
		`{"schema": "pflow.plan/v1"}`: `its schema is "pflow.plan/v1"`,
		`{"schema": "pflow.prepared/v1", "kind": "plan"}`:                                                            `its kind is "plan"`,
		`{"schema": "pflow.prepared/v1", "kind": "flow"}`:                                                            `it has no name`,
		`{"schema": "pflow.prepared/v1", "kind": "flow", "name": "f", "given": {}}`:                                  `its documents are no JSON object`,
		`{"schema": "pflow.prepared/v1", "kind": "flow", "name": "f", "documents": {}, "given": [1]}`:                `its given are no JSON object`,
		`{"schema": "pflow.prepared/v1", "kind": "flow", "name": "f", "documents": {}, "given": {}} {"schema": "x"}`: `something stands after the document, at byte 91`,
	} {
		if _, err := prepared.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
