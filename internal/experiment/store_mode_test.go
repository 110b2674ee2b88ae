//go:build unix

package experiment

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestStoreIsPrivate: the databases, and the files SQLite puts beside them, are their owner's alone under any umask.
func TestStoreIsPrivate(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o077} {
		dir := filepath.Join(t.TempDir(), "x")
		before := syscall.Umask(mask)
		s, err := CreateStore(dir)
		if err == nil {
			err = s.SetMeta("key", "value")
		}
		if err == nil {
			err = s.begin()
		}
		if err == nil {
			err = s.SetMeta("key", "other")
		}
		syscall.Umask(before)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) < 4 { // two databases, the log of one and its index
			t.Errorf("umask %o: %v %v", mask, entries, err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("umask %o: %s is %v %v", mask, e.Name(), info.Mode(), err)
			}
		}
		s.Close()
	}
}
