package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/flowdiff"
)

// TestLinesOfDiff: lines lose their sign and nothing else, also where they begin with one themselves.
func TestLinesOfDiff(t *testing.T) {
	got := linesOfDiff(flowdiff.Lines("same\n-- old\n + gone\n", "same\n++ new\n"))
	want := []diffLine{{"", "@@ -1,3 +1,2 @@"}, {"", "same"}, {"del", "-- old"}, {"del", " + gone"}, {"ins", "++ new"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	values := change{Old: "one\n", New: []any{"two"}}
	if diff := cmp.Diff([]diffLine{{"del", "one"}, {"ins", `["two"]`}}, values.Lines()); diff != "" {
		t.Error(diff)
	}
	told := changeLines([]string{"in the flow ask:", "+ node nodes.a: flow", "- param p", "~ edge a.next: b -> c", "~ expression e", "    @@ -1,2 +1,2 @@", "     same", "    -- one", "    +two"})
	if diff := cmp.Diff([]diffLine{{"", "in the flow ask:"}, {"ins", "node nodes.a: flow"}, {"del", "param p"}, {"mod", "edge a.next: b -> c"}, {"mod", "expression e"},
		{"", "    @@ -1,2 +1,2 @@"}, {"", "  same"}, {"del", "  - one"}, {"ins", "  two"}}, told); diff != "" {
		t.Error(diff)
	}
	if got := linesOfDiff(flowdiff.Lines("same", "same")); got != nil {
		t.Errorf("texts that are one differ: %v", got)
	}
}
