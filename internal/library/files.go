package library

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/workflowfile"
)

// Has reports whether there is a file of a name, whatever is in it.
func (l *Library) Has(name string) bool {
	_, err := os.Lstat(l.Path(name))
	return err == nil
}

// Path is the file of a name.
func (l *Library) Path(name string) string { return filepath.Join(l.dir, l.file(name)) }

// file is the file of a name in the folder: the first of its endings that is there, NAME.json if none is.
func (l *Library) file(name string) string {
	if isKebab(name) {
		for _, ending := range workflowfile.Endings {
			if _, err := os.Lstat(filepath.Join(l.dir, name+ending)); err == nil {
				return name + ending
			}
		}
	}
	return name + ".json"
}

// TestsEnding ends the name of the file that holds the tests of a workflow and lies beside it.
const TestsEnding = "_test.yaml"

// TestsPath is the file of the tests of a name.
func (l *Library) TestsPath(name string) string { return filepath.Join(l.dir, name+TestsEnding) }

// keptTests is the file that has the tests of a workflow that was deleted as this version.
func keptTests(name string, version int) string {
	return filepath.Join(versionsDir, name, strconv.Itoa(version)+TestsEnding)
}

// files lists the folder's files of workflows, sorted by name, whether the name is valid or not. hidden are those that
// another file of the same name comes before.
func (l *Library) files() (files, hidden []string, err error) {
	dir, err := os.Open(l.dir)
	var entries []fs.DirEntry
	if err == nil {
		entries, err = dir.ReadDir(-1) // they get an order of their own
		dir.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if slices.Contains(workflowfile.Endings, filepath.Ext(e.Name())) && !strings.HasPrefix(e.Name(), ".") && !strings.HasSuffix(e.Name(), TestsEnding) {
			files = append(files, e.Name())
		}
	}
	slices.SortFunc(files, cmpFiles)
	first := files[:0] // the endings stand in the order of the alphabet
	for _, file := range files {
		if len(first) > 0 && nameOf(first[len(first)-1]) == nameOf(file) {
			hidden = append(hidden, file)
			continue
		}
		first = append(first, file)
	}
	return first, hidden, nil
}

// cmpFiles orders files by the names of their workflows.
func cmpFiles(a, b string) int {
	if c := strings.Compare(nameOf(a), nameOf(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// nameOf is the name of the workflow in a file.
func nameOf(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) }

// versionFile is the file of an earlier version, or what would be one in JSON.
func (l *Library) versionFile(name string, n int) string {
	base := filepath.Join(versionsDir, name, strconv.Itoa(n))
	for _, ending := range workflowfile.Endings {
		if _, err := os.Lstat(filepath.Join(l.dir, base+ending)); err == nil {
			return base + ending
		}
	}
	return base + ".json"
}

// versions lists the earlier versions that are kept, rising.
func (l *Library) versions(name string) []int {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), versionsDir+"/"+name)
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		text, known := nameOf(e.Name()), slices.Contains(workflowfile.Endings, filepath.Ext(e.Name()))
		if n, err := strconv.Atoi(text); err == nil && n > 0 && known && strconv.Itoa(n) == text {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (l *Library) current(name string) (*Record, diag.List, error) {
	return l.read(l.file(name), name, 0)
}

// read reads a file of the folder. version, if not 0, is what the file's own is taken for.
func (l *Library) read(file, name string, version int) (*Record, diag.List, error) {
	data, err := l.bytes(file)
	if err != nil {
		return nil, nil, err
	}
	r, found, err := Parse(filepath.Join(l.dir, file), data)
	if err != nil {
		return nil, nil, err
	}
	r.Name = name
	switch {
	case version > 0:
		r.Version = version
	case workflowfile.IsYAML(file):
		r.Version = max(r.Version, l.lastVersion(name)+1) // nobody counts in a file that is written by hand
	}
	return r, found, nil
}

// bytes reads a regular file of the folder; a symlink is refused.
func (l *Library) bytes(file string) ([]byte, error) {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(file)
	if err != nil {
		return nil, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fault.New(fault.Permission, "it is a symbolic link; put the workflow itself there")
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Permission, "it is no regular file")
	case info.Size() > maxSize:
		return nil, fault.New(fault.InvalidRequest, "it is larger than %d MB", maxSize>>20)
	}
	return root.ReadFile(file)
}
