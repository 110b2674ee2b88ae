package compose

import (
	"strings"
	"testing"
	"time"

	"pflow/internal/mapparams"
	"pflow/internal/value"
	"pflow/ir"
)

// An output that few ask for is no output of the workflow, and what a request names that is done anyway no input of it.
func TestDetails(t *testing.T) {
	list := &ir.Interface{Name: "list-things", Description: "Lists the things of a place.", Effects: []ir.Effect{ir.Reads},
		Inputs: []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The place."}},
		Params: []ir.Port{{Key: "kind", Type: value.String, Default: "things", Enum: []any{"things", "boxes"}, Description: "What is listed."}},
		Outputs: []ir.Port{{Key: "things", Type: value.Array, Description: "The things."},
			{Key: "facts", Type: value.Array, Description: "What is known of each.", Detail: true}}}
	of, err := Interfaces([]any{Plain(list)})
	if err != nil {
		t.Fatal(err)
	}
	for request, inputs := range map[string]int{"list the things in ./shed/a": 1, "list the boxes in ./shed/a": 2} {
		read, err := mapparams.Read(t.Context(), request, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Compose(t.Context(), read, of, Options{})
		if err != nil || r.Workflow == nil {
			t.Fatalf("%v, %v", r, err)
		}
		if w := r.Workflow; len(w.Inputs) != inputs || len(w.Outputs) != 1 || w.Outputs[0].Name != "things" || strings.Contains(r.Templated, "{kind}") != (inputs == 2) {
			t.Errorf("%s: inputs %v, outputs %v", r.Templated, w.Inputs, w.Outputs)
		}
	}
}
