// Package library keeps the saved workflows: one JSON file each, NAME.json in one folder, with its earlier versions
// beside it in .versions/NAME/N.json, and what came of their runs in .outcomes.
//
// A save writes a temporary file, syncs and renames it, so that a reader sees the old file or the new one and a killed
// process leaves either. Writers hold one lock on the folder: of two processes that save a name at once, both land, one
// as the next version of the other. Nothing is ever overwritten without being kept: a save, and a delete too, moves
// what was there into the versions, and a file that is damaged or was edited by hand is kept like any other.
//
// Names are kebab-case and every access goes through os.Root, so that no name and no symlink leads out of the folder.
package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// ErrExists is the cause of a save or rename to a name that is taken.
var ErrExists = errors.New("the name is taken")

// ErrUnwritable is the cause of a change that the folder did not take: no fault of what was to be saved.
var ErrUnwritable = errors.New("the library cannot be written")

// Unknown is the cause of asking for a workflow that is not there.
type Unknown struct {
	Name string
	Near string // the name that was meant, "" where none is near
	Kept []int  // the versions of a workflow of the name that was deleted
}

func (u *Unknown) Error() string {
	text := fmt.Sprintf("there is no saved workflow %q", u.Name)
	if u.Near != "" {
		text += fmt.Sprintf("; did you mean %q?", u.Near)
	}
	if len(u.Kept) > 0 {
		text += fmt.Sprintf("; it was deleted, its versions are kept: %s@%s", u.Name, numbers(u.Kept))
	}
	return text
}

// The kinds of findings of this package, all warnings.
const (
	Unreadable  = "unreadable"
	BadWorkflow = "bad-workflow"
	BadName     = "bad-name"
	UnknownKey  = "unknown-key"
	WrongHash   = "wrong-hash"
)

// MaxName is how long a name may be.
const MaxName = 80

const (
	versionsDir = ".versions"
	lockFile    = ".lock"
	tempPrefix  = ".tmp-"
	maxSize     = 64 << 20 // bytes of one file
)

// Library is a folder of saved workflows. The folder need not exist; the first save makes it.
type Library struct {
	dir      string
	reserved []string
}

// New gives the library of a folder. Names in reserved are refused, since they mean something else on a command line.
func New(dir string, reserved ...string) *Library { return &Library{dir: dir, reserved: reserved} }

// Path is the file of a name, for messages.
func (l *Library) Path(name string) string { return filepath.Join(l.dir, name+".json") }

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidName says why a name is none for a saved workflow; nil if it is one.
func (l *Library) ValidName(name string) error {
	switch {
	case !kebab.MatchString(name):
		return fault.New(fault.InvalidRequest, "%q is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue", clip(name))
	case len(name) > MaxName:
		return fault.New(fault.InvalidRequest, "the name %q is longer than %d characters", clip(name), MaxName)
	case slices.Contains(l.reserved, name):
		return fault.New(fault.InvalidRequest, "%q is a command, so it cannot be the name of a workflow", name)
	}
	return nil
}

func clip(s string) string {
	if len(s) > MaxName {
		return strings.ToValidUTF8(s[:MaxName], "") + "…"
	}
	return s
}

// Listing is what the folder holds.
type Listing struct {
	Records []*Record         // by name
	Skipped map[string]string // name -> the file that could not be read
	Found   diag.List         // warnings that name the files
}

// List reads all current workflows. What cannot be read is skipped with a warning; a folder that is not there is empty,
// one that cannot be read is empty with a warning.
func (l *Library) List() Listing {
	out := Listing{Skipped: map[string]string{}}
	names, err := l.names()
	if err != nil {
		out.Found = append(out.Found, warning(Unreadable, l.dir, "the library cannot be read, so it counts as empty: "+reason(err)))
		return out
	}
	type file struct {
		record        *Record
		found         diag.List
		badName, fail error
	}
	files := make([]file, len(names))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Add(1)
		fault.Go(func() {
			defer readers.Done()
			for n := int(next.Add(1)) - 1; n < len(names); n = int(next.Add(1)) - 1 {
				f := &files[n]
				if f.badName = l.ValidName(names[n]); f.badName == nil {
					f.fail = fault.Guard(func() (err error) {
						f.record, f.found, err = l.current(names[n])
						return err
					})
				}
			}
		}, func(error) {}) // what may panic is guarded file by file
	}
	readers.Wait()
	known, found := l.readOutcomes()
	out.Found = append(out.Found, found...)
	for n, f := range files {
		path := l.Path(names[n])
		out.Found = append(out.Found, f.found...)
		switch {
		case f.badName != nil:
			out.Found = append(out.Found, warning(BadName, path, "the file is skipped: "+f.badName.Error()))
		case f.fail != nil:
			out.Found = append(out.Found, warning(BadWorkflow, path, "the file is skipped: "+f.fail.Error()))
			out.Skipped[names[n]] = path
		default:
			f.record.Outcome = known.of(f.record)
			out.Records = append(out.Records, f.record)
		}
	}
	return out
}

// names lists the names of the folder's JSON files, sorted, valid or not.
func (l *Library) names() ([]string, error) {
	entries, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.HasPrefix(name, ".") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

func warning(kind, file, message string) diag.Finding {
	return diag.Finding{Severity: diag.Warning, Kind: kind, Place: diag.Place{File: file}, Message: message}
}

func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Get reads a workflow: NAME, or NAME@N for a version of it. A name that is not there is a fault of kind not_found with
// the nearest names. Findings are warnings.
func (l *Library) Get(ref string) (*Record, diag.List, error) {
	name, version, err := l.parse(ref)
	if err != nil {
		return nil, nil, err
	}
	r, found, err := l.current(name)
	if version == 0 || err == nil && r.Version == version {
		if errors.Is(err, fs.ErrNotExist) {
			err = l.unknown(name)
		}
		return r, found, err
	}
	old, oldFound, err := l.read(versionFile(name, version), name, version)
	if errors.Is(err, fs.ErrNotExist) {
		have := l.versions(name)
		if r != nil {
			have = append(have, r.Version)
		}
		if len(have) == 0 {
			return nil, nil, l.unknown(name)
		}
		return nil, nil, fault.New(fault.NotFound, "%s has no version %d; it has %s", name, version, numbers(have))
	}
	return old, oldFound, err
}

func numbers(have []int) string {
	slices.Sort(have)
	var words []string
	for _, n := range slices.Compact(have) {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}

// parse reads NAME or NAME@N; version 0 means the current one.
func (l *Library) parse(ref string) (name string, version int, err error) {
	name, number, versioned := strings.Cut(ref, "@")
	if err := l.ValidName(name); err != nil {
		return "", 0, err
	}
	if versioned {
		if version, err = strconv.Atoi(number); err != nil || version < 1 {
			return "", 0, fault.New(fault.InvalidRequest, "%q is no version: write %s@2", clip(number), name)
		}
	}
	return name, version, nil
}

func (l *Library) unknown(name string) error {
	names, _ := l.names()
	return fault.New(fault.NotFound, "%v", &Unknown{name, diag.Nearest(name, names), l.versions(name)})
}

// History reads all versions of a workflow, newest first, the current one among them. A deleted workflow has a history
// too.
func (l *Library) History(name string) ([]*Record, diag.List, error) {
	if err := l.ValidName(name); err != nil {
		return nil, nil, err
	}
	var out []*Record
	known, foundOutcomes := l.readOutcomes()
	r, found, err := l.current(name)
	found = append(found, foundOutcomes...)
	switch {
	case err == nil:
		out = append(out, r)
	case !errors.Is(err, fs.ErrNotExist):
		found = append(found, warning(BadWorkflow, l.Path(name), "the file is skipped: "+err.Error()))
	}
	versions := l.versions(name)
	for i := len(versions) - 1; i >= 0; i-- {
		old, more, err := l.read(versionFile(name, versions[i]), name, versions[i])
		found = append(found, more...)
		if err != nil {
			found = append(found, warning(BadWorkflow, filepath.Join(l.dir, versionFile(name, versions[i])), "the version is skipped: "+err.Error()))
			continue
		}
		out = append(out, old)
	}
	if len(out) == 0 && len(found) == len(foundOutcomes) {
		return nil, nil, l.unknown(name)
	}
	for _, r := range out {
		r.Outcome = known.of(r)
	}
	return out, found, nil
}

func versionFile(name string, n int) string {
	return filepath.Join(versionsDir, name, strconv.Itoa(n)+".json")
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
		text, _ := strings.CutSuffix(e.Name(), ".json")
		if n, err := strconv.Atoi(text); err == nil && n > 0 && strconv.Itoa(n)+".json" == e.Name() {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

func (l *Library) current(name string) (*Record, diag.List, error) {
	return l.read(name+".json", name, 0)
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
	if version > 0 {
		r.Version = version
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

// Names lists the names of the records.
func (l Listing) Names() []string {
	byName := make(map[string]bool, len(l.Records))
	for _, r := range l.Records {
		byName[r.Name] = true
	}
	return value.SortedKeys(byName)
}
