package host

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/internal/flowtest"
	"pflow/internal/workflow"
)

// TestRunsAreApart has two runs of one compiled program on one worker: neither replaces what the other wrote and somebody changed.
func TestRunsAreApart(t *testing.T) {
	b := newBench(t)
	b.refuse = true
	const doc = `{"ir_version": "0.1.0", "nodes": [{"id": "w", "type": "write-file", "params": {"file_path": "out.txt", "content": "of a run", "overwrite": true}}]}`
	p := b.prepare(b.anew(), "test.json", []byte(doc), workflow.Given{})
	h := b.host()
	program, err := h.Compile(p.documents)
	if err != nil {
		t.Fatal(err)
	}
	run := func(id string) string {
		res, err := flowtest.Drive(h.Within(t.Context(), id), program.Flow(), p.store, func(r *engine.Run, c *engine.Command, ev *engine.Event) error {
			got, _, err := program.Perform(h.Within(context.Background(), id), c.Call(r))
			got.ID = c.ID
			*ev = got
			return err
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Error != nil {
			return res.Error.Message
		}
		return ""
	}
	if got := run("one"); got != "" {
		t.Fatal(got)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "out.txt"), []byte("of somebody"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run("two"); !strings.Contains(got, "it replaces out.txt") {
		t.Errorf("the other run: %q", got)
	}
	if got := b.tree()["out.txt"]; got != "of somebody" {
		t.Errorf("the file: %q", got)
	}
	if got := run("one"); got != "" {
		t.Errorf("the run that wrote it: %q", got)
	}
}

// TestRefused has a worker whose settings turn off what a workflow uses, and one without a home.
func TestRefused(t *testing.T) {
	b := newBench(t)
	p := b.prepare(b.anew(), "test.json", []byte(`{"ir_version": "0.1.0", "nodes": [{"id": "w", "type": "shell", "params": {"command": "true"}}]}`), workflow.Given{})
	file := filepath.Join(b.env["HOME"], ".pflow", "settings.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("deny: [shell]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.host().Compile(p.documents); err == nil || !strings.Contains(err.Error(), `the workflow test uses "shell", which is turned off by `+file) {
		t.Errorf("the worker: %v", err)
	}
	if _, err := Open(Options{Getenv: func(string) string { return "" }}); err == nil || !strings.Contains(err.Error(), "there is no home folder") {
		t.Errorf("without a home: %v", err)
	}
}
