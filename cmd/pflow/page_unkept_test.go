//go:build !race && unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPageUnkept: where the history cannot be written, what was done is not shown as refused, so that nobody sends it again unawares; and
// once it can be, all goes on.
func TestPageUnkept(t *testing.T) {
	t.Parallel()
	p := atPage(t, map[string]string{"a.txt": "hello\n"})
	p.workflow("note", `{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "shell", "params": {"command": "echo done >> notes"}}]}`)
	first := runEnded(t, p, p.post("/library/note/run"))
	history := filepath.Join(p.home, "runs")
	if err := os.Rename(history, history+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(history, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.post("/library/note/run").wants(t, "a run that is not kept", 500, "this was done (done), but nothing of it could be kept", "not a directory", "it would be done again")
	p.holds("notes", "done\ndone\n")
	p.post("/", "request", "copy a.txt to b.txt").wants(t, "a plan that is not kept", 500, "There is no plan to show.", "this was done (ready), but nothing of it could be kept")
	if err := os.Remove(history); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(history+".kept", history); err != nil {
		t.Fatal(err)
	}
	if again := runEnded(t, p, p.post("/library/note/run")); again.Path == first.Path {
		t.Errorf("it is shown on %s", again.Path)
	}
	p.holds("notes", "done\ndone\ndone\n")
}
