package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"weak"
)

// TestCommandsAreFreed: nothing holds on to a command that was carried out, so that pflow serve, which carries out many, does not grow by them.
func TestCommandsAreFreed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for _, line := range []string{"runs list --json", "workflow list --json", "flow list --json", "doctor --json", "plan --json -- read the file " + file, "runs show last --json", "experiment list --json", "schedule list --json"} {
		gone := func() weak.Pointer[app] {
			a := newApp(strings.NewReader(""), io.Discard, io.Discard, os.Getenv)
			if status := a.main(t.Context(), append([]string{"--batch", "--home", home}, strings.Fields(line)...)); status != exitDone {
				t.Errorf("pflow %s: status %d", line, status)
			}
			return weak.Make(a)
		}()
		for range 5 { // what has a cleanup is freed by the next
			runtime.GC()
		}
		if gone.Value() != nil {
			t.Errorf("pflow %s is held on to", line)
		}
	}
}
