package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTerminalCases: what was edited before it was approved is expected as it was edited; what was declined is no case.
func TestTerminalCases(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.editor("edit", `'s/copy-file/move-file/g'`)
	tt := d.start(copyRequest)
	tt.answer(saveAndRun, "e")
	tt.expect("move-file --source_path=README.md --dest_path=out.md")
	tt.answer(saveAndRun, "y")
	tt.exits(0)
	tt = d.start("read out.md")
	tt.answer(saveAndRun, "n")
	tt.exits(4)
	tt = d.start("count the lines of out.md")
	tt.answer(saveAndRun, "s")
	tt.exits(0)
	if printed, err := d.command("experiment", "cases", "--from-runs", "--earlier", "1").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	data, err := os.ReadFile(filepath.Join(d.dir, "my-cases", "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"nodes":["move-file"]`) || !strings.Contains(lines[0], copyRequest) || !strings.Contains(lines[1], "count the lines") {
		t.Errorf("%s", data)
	}
}

// TestTerminalCasesMended: a plan that a person approved and that failed is no case where a retry with other values, which it did not choose, mended
// it; one that failed and was mended by nothing but another attempt is.
func TestTerminalCasesMended(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, request := range []string{"copy missing.md to one.md", "read late.md"} {
		tt := d.start(request)
		tt.answer(saveAndRun, "y")
		tt.exits(1)
		if strings.Contains(request, "late") {
			d.file("late.md", "late\n")
			if printed, err := d.command("runs", "retry", "last").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
		} else if printed, err := d.command("runs", "retry", "last", "source_path=README.md").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
	}
	printed, err := d.command("experiment", "cases", "--from-runs", "--earlier", "1").CombinedOutput()
	if err != nil || !strings.Contains(string(printed), "(copy missing.md to one.md): its workflow was mended afterwards, so the plan was not right") {
		t.Fatalf("%v\n%s", err, printed)
	}
	data, err := os.ReadFile(filepath.Join(d.dir, "my-cases", "cases.jsonl"))
	if err != nil || strings.Contains(string(data), "missing.md") || !strings.Contains(string(data), "late.md") {
		t.Errorf("%s, %v", data, err)
	}
}
