// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pflow/internal/diag"
)

// TestHostile: documents that are made to be slow are not. The bound is far above what is measured (some 100 ms), and
// far below what anything quadratic takes.
func TestHostile(t *testing.T) {
	const n = 100_000
	lines := func(before, line, after string) string {
		var b strings.Builder
		b.WriteString(before)
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String() + after
	}
	head := "flow: a\nversion: 1\n"
	for name, text := range map[string]string{
		"unknown keys":  lines(head, "key-%d: x\n", "nodes: {a: {op: log}}\n"),
		"nodes":         lines(head+"nodes:\n", "  n%d: {}\n", ""),
		"bad names":     lines(head+"nodes:\n", "  N%d: {}\n", ""),
		"bindings":      lines(head+"nodes:\n a:\n  op: log\n  prep:\n", "   p%d: x\n", ""),
		"bad bindings":  lines(head+"nodes:\n a:\n  op: log\n  prep:\n", "   p-%d: []\n", ""),
		"actions":       lines(head+"nodes:\n a:\n  op: log\n  actions:\n", "   - a%d\n", ""),
		"state":         lines(head+"state:\n", "   s%d: {}\n", "nodes: {a: {op: log}}\n"),
		"long name":     head + "nodes:\n  " + strings.Repeat("x", 1000) + ": {op: log}\n",
		"long key":      strings.Repeat("x", 1000) + ": " + strings.Repeat("y", 1<<20) + "\n",
		"long duration": head + "nodes: {a: {op: log, timeout: " + strings.Repeat("1h", 1<<20) + "}}\n",
	} {
		begin := time.Now()
		tree, found := Parse("f", []byte(text))
		if tree == nil {
			t.Fatal(name, found.Text())
		}
		_, more := Decode(tree)
		if d := time.Since(begin); d > 90*time.Second {
			t.Errorf("%s: %s", name, d)
		}
		checkLength(t, name, append(found, more...))
	}
	base, child := parse(t, "b", lines("", "b%d: x\n", "")), parse(t, "c", lines("", "c%d: null\n", ""))
	begin := time.Now()
	_, found := Extend(base, child)
	if d := time.Since(begin); d > 90*time.Second {
		t.Errorf("extends: %s", d)
	}
	checkLength(t, "extends", found)
	begin = time.Now()
	for i := range 20 {
		base, _ = Set(base, fmt.Sprintf("b%d", i), "1")
	}
	if d := time.Since(begin); d > 90*time.Second {
		t.Errorf("set: %s", d)
	}
}

// checkLength: a report stays short, whatever the document.
func checkLength(t *testing.T, name string, found diag.List) {
	t.Helper()
	if len(found) > 2*maxFindings {
		t.Errorf("%s: %d findings", name, len(found))
	}
	for _, f := range found {
		if len(f.Message) > 500 {
			t.Errorf("%s: a message of %d bytes", name, len(f.Message))
		}
	}
}
