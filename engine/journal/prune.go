package journal

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Retention says which finished runs are kept: the newest Runs of them, none older than Age.
type Retention struct {
	Runs int
	Age  time.Duration
}

// DefaultRetention is used unless settings say otherwise.
var DefaultRetention = Retention{Runs: 200, Age: 30 * 24 * time.Hour}

// Prune removes finished runs that are not kept. Runs that have not ended stay: they can be resumed.
func Prune(home string, keep Retention, now time.Time) error {
	runs := filepath.Join(home, "runs")
	entries, err := os.ReadDir(runs)
	if err != nil {
		return err
	}
	oldest := now.Add(-keep.Age).UTC().Format("20060102-150405-")
	var names []string
	for _, e := range entries {
		if e.IsDir() && idPattern.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // by time
	for i, name := range names {
		if i >= len(names)-keep.Runs && name >= oldest {
			continue
		}
		dir := filepath.Join(runs, name)
		if !ended(dir) {
			continue
		}
		if e := os.RemoveAll(dir); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// ended reports whether the last record of a run is its end.
func ended(dir string) bool {
	f, err := os.Open(filepath.Join(dir, journalFile))
	if err != nil {
		_, err = os.Stat(filepath.Join(dir, brokenFile))
		return err == nil
	}
	defer f.Close()
	const tail = 128
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		f.Seek(max(0, size-tail), io.SeekStart)
	}
	data, _ := io.ReadAll(f)
	text := strings.TrimSuffix(string(data), "\n")
	return strings.HasPrefix(text[strings.LastIndexByte(text, '\n')+1:], `{"e":"end"`)
}
