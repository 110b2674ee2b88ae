//go:build !race

package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme runs every command of README.md, in order, in a copy of the tree with an empty home; make test itself only
// as far as make would go without running anything. What its consoles show is what the program prints.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t)
	if err := os.CopyFS(s.dir, readmeTree{os.DirFS("../..")}); err != nil {
		t.Fatal(err)
	}
	// The readers' tree is a clone.
	if printed, err := s.run("git init -q . && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm 'The tree'"); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	commands := 0
	got := eachBlock(string(data), func(info []string, text string) string {
		if len(info) == 1 && info[0] == "console" {
			return s.console(text)
		}
		if len(info) != 1 || info[0] != "sh" {
			t.Errorf("a block %q: want sh or console", strings.Join(info, " "))
		}
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			commands++
			command, _, _ := strings.Cut(line, "  #")
			if rest, ok := strings.CutPrefix(command, "make "); ok {
				command = "make -n " + rest
			}
			if printed, err := s.run(shared(t) + command); err != nil {
				t.Errorf("%s: %v\n%s", command, err, printed)
			}
		}
		return text
	})
	if commands == 0 {
		t.Error("README.md has no commands")
	}
	if *update {
		if err := os.WriteFile("../../README.md", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(data), got); diff != "" {
		t.Errorf("README.md does not say what the program does (-README +program); go test ./cmd/pflow -update writes it:\n%s", diff)
	}
}

// shared lets go run in an empty home use the caches that there are.
func shared(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOFLAGS").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	return fmt.Sprintf("export GOCACHE='%s' GOMODCACHE='%s' GOFLAGS='%s'; ", lines[0], lines[1], lines[2])
}

// readmeTree is the tree of the module without its hidden files and what other modules it holds.
type readmeTree struct{ fs.FS }

func (r readmeTree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.FS, name)
	kept := entries[:0]
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && e.Name() != "bench" {
			kept = append(kept, e)
		}
	}
	return kept, err
}
