package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pflow/engine"
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

// Prune removes finished runs that are not kept, and what killed processes left of runs that never began. Whatever can go
// on stays, however old and large: runs that have not ended, that were cancelled, that wait for approval.
func Prune(home string, keep Retention, now time.Time) error {
	runs := filepath.Join(home, "runs")
	entries, err := os.ReadDir(runs)
	if err != nil {
		return err
	}
	oldest := now.Add(-keep.Age).UTC().Format("20060102-150405-")
	var names []string
	for _, e := range entries {
		switch name := e.Name(); {
		case !e.IsDir():
		case idPattern.MatchString(name):
			names = append(names, name)
		case strings.HasPrefix(name, newPrefix) || strings.HasPrefix(name, gonePrefix):
			if isLeft(filepath.Join(runs, name), now) {
				err = errors.Join(err, os.RemoveAll(filepath.Join(runs, name)))
			}
		}
	}
	slices.Sort(names) // by time
	var total int64
	for i := len(names) - 1; i >= 0; i-- {
		name := names[i]
		dir := filepath.Join(runs, name)
		total += size(dir)
		if i >= len(names)-keep.Runs && name >= oldest && total <= keep.Bytes || !over(dir, now) {
			continue
		}
		// It goes at once, whatever kills this process meanwhile.
		gone := filepath.Join(runs, gonePrefix+name)
		e := os.Rename(dir, gone)
		if e == nil {
			e = os.RemoveAll(gone)
		}
		if e != nil && !errors.Is(e, fs.ErrNotExist) { // another process may prune, too
			err = errors.Join(err, e)
		}
	}
	return err
}

// size is what the files of a folder hold, in bytes.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it went meanwhile
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// isLeft reports whether a folder is old, and no process works on it.
func isLeft(dir string, now time.Time) bool {
	info, err := os.Stat(dir)
	if err != nil || now.Sub(info.ModTime()) < leftAlone {
		return false
	}
	f, err := os.Open(filepath.Join(dir, journalFile))
	if err != nil {
		return true
	}
	defer f.Close()
	return own(f) == nil
}

// over reports whether a run can never go on: its last record is an end that is final, its journal missed a record, or
// there is no first one.
func over(dir string, now time.Time) bool {
	f, err := os.Open(filepath.Join(dir, journalFile))
	if err != nil {
		if _, err = os.Stat(filepath.Join(dir, brokenFile)); err == nil {
			return true
		}
		return isLeft(dir, now)
	}
	defer f.Close()
	const tail = 256
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		f.Seek(max(0, size-tail), io.SeekStart)
	}
	data, _ := io.ReadAll(f)
	if len(data) == 0 {
		return isLeft(dir, now)
	}
	text, whole := bytes.CutSuffix(data, []byte("\n"))
	var r struct {
		E      string
		Status engine.Status
	}
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return whole && json.Unmarshal(line, &r) == nil && r.E == recordEnd && !goesOn(r.Status)
}
