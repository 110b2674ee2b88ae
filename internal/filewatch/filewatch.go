// Package filewatch tells of edits of files, as editors make them: written in place, renamed into place, removed, made anew,
// in bursts. What is told is that a file is another one than when it was noted; events of the system only say when to look.
package filewatch

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// Folders tells of what happens in folders, and Event is what it tells.
type (
	Folders = fsnotify.Watcher
	Event   = fsnotify.Event
)

// NewFolders watches none yet.
func NewFolders() (*Folders, error) { return fsnotify.NewWatcher() }

// Files are files as they were when they were noted, whether they were there or not.
type Files struct{ noted map[string]print }

// print tells one state of a file from another; the zero value is that of none.
type print struct {
	mode fs.FileMode
	time int64
	sum  [sha256.Size]byte
}

// Note keeps how a file is now; what was noted before stands. To be told of every edit, note a file before it is read.
func (f *Files) Note(path string) {
	path = absolute(path)
	if _, noted := f.noted[path]; !noted {
		f.keep(path, printOf(path))
	}
}

func (f *Files) keep(path string, p print) {
	if f.noted == nil {
		f.noted = map[string]print{}
	}
	f.noted[path] = p
}

// Also keeps what other files have that these have not, as it was noted there.
func (f *Files) Also(other *Files) {
	for path, p := range other.noted {
		if _, noted := f.noted[path]; !noted {
			f.keep(path, p)
		}
	}
}

// Has reports whether a file was noted.
func (f *Files) Has(path string) bool {
	_, noted := f.noted[absolute(path)]
	return noted
}

// There are the files that were there when they were noted, in order.
func (f *Files) There() []string {
	return slices.DeleteFunc(f.paths(), func(path string) bool { return f.noted[path] == print{} })
}

// Changed are the files that are not as they were noted, in order.
func (f *Files) Changed() []string {
	return slices.DeleteFunc(f.paths(), func(path string) bool { return printOf(path) == f.noted[path] })
}

// told notes files as they are now.
func (f *Files) told(paths []string) {
	for _, path := range paths {
		f.noted[path] = printOf(path)
	}
}

func (f *Files) paths() []string { return slices.Sorted(maps.Keys(f.noted)) }

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// printOf looks at a file. What cannot be read differs from what can by its sum.
func printOf(path string) print {
	info, err := os.Stat(path)
	if err != nil {
		return print{}
	}
	p := print{mode: info.Mode(), time: info.ModTime().UnixNano()}
	if !info.Mode().IsRegular() { // whose content nobody waits for
		return p
	}
	file, err := os.Open(path)
	if err != nil {
		return p
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err == nil {
		p.sum = [sha256.Size]byte(sum.Sum(nil))
	}
	return p
}
