//go:build unix

package atomicfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestKilledWriterLeavesNothing kills a process in the middle of a write. The next process that writes into the folder
// removes what is left, and nothing of a writer that lives.
func TestKilledWriterLeavesNothing(t *testing.T) {
	if dir := os.Getenv("TEST_WRITE_IN"); dir != "" {
		Write(filepath.Join(dir, "f"), 0, func(f *os.File) error {
			f.WriteString("half")
			if os.Getenv("TEST_DIE") != "" {
				p, _ := os.FindProcess(os.Getpid())
				p.Kill()
				select {}
			}
			return nil
		}, func(temp string) error { return os.Rename(temp, filepath.Join(dir, "f")) })
		return
	}
	dir := t.TempDir()
	write := func(more ...string) {
		cmd := exec.Command(os.Args[0], "-test.run=TestKilledWriterLeavesNothing")
		cmd.Env = append(append(os.Environ(), "TEST_WRITE_IN="+dir), more...)
		cmd.Run()
	}
	list := func() []string {
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		return names
	}
	write("TEST_DIE=1")
	if got := list(); len(got) != 1 || filepath.Base(got[0]) == "f" {
		t.Fatalf("after the kill there is %q", got)
	}
	living, err := create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	write()
	if got := list(); len(got) != 2 || got[0] != living.Name() || filepath.Base(got[1]) != "f" {
		t.Errorf("after the next write there is %q, want the living one %q and f", got, living.Name())
	}
}

// TestKilledFolder kills a process that has a temporary folder: the next one that writes there removes it, with what is in it.
func TestKilledFolder(t *testing.T) {
	if dir := os.Getenv("TEST_FOLDER_IN"); dir != "" {
		Folder(filepath.Join(dir, "f"), func(temp string) error {
			if os.Getenv("TEST_DIE") != "" {
				os.WriteFile(filepath.Join(temp, "f"), nil, 0o600)
				p, _ := os.FindProcess(os.Getpid())
				p.Kill()
				select {}
			}
			return nil
		}, func(string) error { return os.ErrExist })
		return
	}
	dir := t.TempDir()
	for _, c := range []struct {
		die  string
		want int
	}{{"1", 2}, {"", 0}} {
		cmd := exec.Command(os.Args[0], "-test.run=TestKilledFolder")
		cmd.Env = append(os.Environ(), "TEST_FOLDER_IN="+dir, "TEST_DIE="+c.die)
		cmd.Run()
		if got, _ := filepath.Glob(filepath.Join(dir, "*")); len(got) != c.want {
			t.Errorf("die %q: there is %q", c.die, got)
		}
	}
}
