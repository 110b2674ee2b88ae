package flowdiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/flowdiff"
	"pflow/internal/value"
	"pflow/ir"
)

// TestWorkflows: what differs is told by the ids of nodes, wherever they stand; words for people are no difference.
func TestWorkflows(t *testing.T) {
	of := func(text string) *ir.Workflow {
		w, found := ir.Decode([]byte(text))
		if found.HasErrors() {
			t.Fatal(found.Text())
		}
		return w
	}
	old := of(`{"ir_version":"0.1.0","inputs":{"f":{"type":"string","required":true,"description":"a"},"g":{"type":"string"}},"nodes":[
		{"id":"a","type":"read-file","params":{"file_path":"${f}"}},{"id":"b","type":"template","purpose":"x","params":{"template":"one\ntwo"}},{"id":"c","type":"wait","params":{"seconds":1}}],
		"edges":[{"from":"a","to":"b"},{"from":"b","to":"c"}]}`)
	new := of(`{"ir_version":"0.1.0","inputs":{"g":{"type":"string","default":"x"},"f":{"type":"string","required":true,"description":"b"}},"nodes":[
		{"id":"b","type":"template","purpose":"y","params":{"template":"one\nthree"}},{"id":"a","type":"read-file","params":{"file_path":"x/${f}"}},{"id":"d","type":"wait","params":{"seconds":1}}],
		"edges":[{"from":"a","to":"b"},{"from":"b","to":"d"}],"outputs":{"o":{"source":"${b.text}"}}}`)
	changes, err := flowdiff.Workflows(old, new)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %s %s: %s > %s", c.Change, c.Kind, c.Path, value.JSON(c.Old), value.JSON(c.New)))
	}
	want := []string{
		`added input inputs.g.default: null > "x"`,
		`changed input inputs.g.required: true > false`,
		`changed node nodes.a.params.file_path: "${f}" > "x/${f}"`,
		`changed node nodes.b.params.template: "one\ntwo" > "one\nthree"`,
		`removed node nodes.c: {"params":{"seconds":1},"type":"wait"} > null`,
		`added node nodes.d: null > {"params":{"seconds":1},"type":"wait"}`,
		`removed edge edges.b -> c: null > null`,
		`added edge edges.b -> d: null > null`,
		`added output outputs.o: null > {"source":"${b.text}","type":"any"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(changes[3].Diff, "+three") {
		t.Errorf("no lines: %q", changes[3].Diff)
	}
	if same, _ := flowdiff.Workflows(old, old); len(same) > 0 {
		t.Errorf("the same differs: %v", same)
	}
}
