package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Retention says which finished runs are kept: the newest Runs of them, none older than Age, and, counting from the newest
// and with those that can go on, no more than Bytes.
type Retention struct {
	Runs  int
	Age   time.Duration
	Bytes int64
}

// DefaultRetention is used unless settings say otherwise.
var DefaultRetention = Retention{Runs: 200, Age: 30 * 24 * time.Hour, Bytes: 1 << 30}

// leftAlone is how old a folder is that a killed process left behind before it is removed: one that is younger may be on
// its way to become a run.
const leftAlone = time.Minute

// Remove removes a run. It goes at once, whatever kills this process meanwhile; another process may remove it, too.
func Remove(home, id string) error {
	dir, err := folder(home, id)
	if err != nil {
		return err
	}
	gone := filepath.Join(filepath.Dir(dir), gonePrefix+id)
	err = os.Rename(dir, gone)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.RemoveAll(gone)
	}
	return err
}

// List calls run for each run of the home, in no order, and removes what killed processes left of runs that never began or
// were being removed.
func List(home string, now time.Time, run func(id string)) error {
	runs := filepath.Join(home, "runs")
	f, err := os.Open(runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, newPrefix) || strings.HasPrefix(name, gonePrefix):
			err = errors.Join(err, removeLeft(filepath.Join(runs, name), now))
		case idPattern.MatchString(name):
			run(name)
		}
	}
	return err
}

// NeverBegan reports whether there is no run of an id: no folder, or one without a record that is too old to become a run,
// which it removes.
func NeverBegan(home, id string, now time.Time) bool {
	dir, err := folder(home, id)
	if err != nil {
		return true
	}
	for _, d := range []string{dir, filepath.Join(filepath.Dir(dir), newPrefix+id)} {
		if d == dir && hasRecords(dir) {
			return false
		}
		if removeLeft(d, now) != nil {
			return false
		}
		if _, err := os.Lstat(d); err == nil {
			return false
		}
	}
	return true
}

// hasRecords reports whether a folder has a journal that is not empty.
func hasRecords(dir string) bool {
	for _, name := range []string{journalFile, brokenFile} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
			return true
		}
	}
	return false
}

// removeLeft removes a folder that is old and on which no process works.
func removeLeft(dir string, now time.Time) error {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < leftAlone {
		return nil
	}
	if f, err := os.Open(filepath.Join(dir, journalFile)); err == nil {
		free := own(f) == nil
		f.Close()
		if !free {
			return nil
		}
	}
	return os.RemoveAll(dir)
}
