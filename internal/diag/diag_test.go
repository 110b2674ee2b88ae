package diag

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	l := List{
		{Severity: Error, Kind: "unknown-op", Message: `no op "evla"`, Place: Place{"f.yaml", 3, 9}, Snippet: "    op: evla", Suggestion: "eval"},
		{Severity: Warning, Kind: "unused-input", Message: "nothing uses it", Path: "inputs.a"},
		{Severity: Error, Kind: "unknown-node", Message: "no such node", Place: Place{"f.yaml", 1, 2}, Snippet: "\tx", Alternatives: []string{"a", "b"}},
		{Severity: Error, Kind: "unknown-node", Message: "no such node", Place: Place{"f.yaml", 1, 2}, Snippet: "\tx", Alternatives: []string{"a", "b"}},
	}
	want := `inputs.a: warning: nothing uses it [unused-input]
f.yaml:1:2: error: no such node [unknown-node]
  	x
  	^
  there is: a, b
f.yaml:3:9: error: no op "evla" [unknown-op]
      op: evla
          ^
  did you mean "eval"?
`
	if diff := cmp.Diff(want, l.Sort().Text()); diff != "" {
		t.Error(diff)
	}
	if l.Err() == nil || (List{l[0]}).Errors() > 1 {
		t.Error("errors are not counted")
	}
}

func TestTextIsCapped(t *testing.T) {
	var l List
	for i := range 2000 {
		l = append(l, Finding{Severity: Error, Kind: "k", Message: "m", Place: Place{"f", i + 1, 1}})
	}
	text := l.Text()
	if !strings.HasSuffix(text, "and 1950 more\n") || strings.Count(text, "\n") != MaxShown+1 {
		t.Errorf("2,000 findings were not capped: %d lines", strings.Count(text, "\n"))
	}
}

func TestCaretStaysUnderALongLine(t *testing.T) {
	f := Finding{Severity: Error, Kind: "k", Message: "m", Place: Place{"f", 1, 500}, Snippet: strings.Repeat("x", 499) + "Y" + strings.Repeat("z", 5000)}
	lines := strings.Split(f.Text(), "\n")
	if at := strings.IndexByte(lines[2], '^'); lines[1][at] != 'Y' || len(lines[1]) > 110 {
		t.Errorf("caret under %q in a line of %d", lines[1][at], len(lines[1]))
	}
}

func TestNearest(t *testing.T) {
	names := []string{"eval", "template", "sleep", "max_wait", "workflow-discovery"}
	for name, want := range map[string]string{
		"evla": "eval", "tmplate": "template", "maxwait": "max_wait", "workflow_discovery": "workflow-discovery",
		"workflow": "workflow-discovery", "zzz": "", "": "", "SLEEP": "sleep",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPathsSortByNumber(t *testing.T) {
	l := List{{Path: "nodes[10].id"}, {Path: "nodes[2].params.b"}, {Path: "nodes[2].params.a"}, {Path: "nodes[2]"}, {Path: "edges[1]"}}
	var got []string
	for _, f := range l.Sort() {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"edges[1]", "nodes[2]", "nodes[2].params.a", "nodes[2].params.b", "nodes[10].id"}, got); diff != "" {
		t.Error(diff)
	}
}
