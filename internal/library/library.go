// Package library keeps the saved workflows: one JSON file each, NAME.json in one folder, with its earlier versions
// beside it in .versions/NAME/N.json, and what came of their runs in .outcomes. A file that somebody put there in YAML,
// NAME.yaml, is read as well, and stays YAML until a next version that is none is saved.
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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Absent reports that it is not there.
func (u *Unknown) Absent() bool { return true }

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
	NotRead     = "not-read"
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
	index    string // the file of its index; "" for none
	program  string // that the index is of
}

// New gives the library of a folder. Names in reserved are refused, since they mean something else on a command line.
func New(dir string, reserved ...string) *Library { return &Library{dir: dir, reserved: reserved} }

// isKebab reports whether a name is [a-z0-9]+(-[a-z0-9]+)*.
func isKebab(name string) bool {
	before := byte('-')
	for i := range len(name) {
		c := name[i]
		if c == '-' && before == '-' || c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
		before = c
	}
	return before != '-'
}

// ValidName says why a name is none for a saved workflow; nil if it is one.
func (l *Library) ValidName(name string) error {
	switch {
	case !isKebab(name):
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
	entries, hidden, err := l.files()
	if err != nil {
		out.Found = append(out.Found, warning(Unreadable, l.dir, "the library cannot be read, so it counts as empty: "+reason(err)))
		return out
	}
	names := make([]string, len(entries))
	for n, e := range entries {
		names[n] = nameOf(e)
	}
	for _, e := range hidden {
		out.Found = append(out.Found, warning(NotRead, filepath.Join(l.dir, e), fmt.Sprintf("the file is skipped: there is %s, too; rename one of them", l.file(nameOf(e)))))
	}
	type file struct {
		of      *indexed
		known   bool // as it is, by the index
		badName error
	}
	files := make([]file, len(names))
	known := l.knownFiles(entries)
	now := time.Now()
	fails := fault.Each(len(names), func(n int) (err error) {
		f := &files[n]
		if f.badName = l.ValidName(names[n]); f.badName == nil {
			f.of, f.known, err = l.listed(entries[n], known.of[n], now)
		}
		return err
	})
	outcomes, found := l.readOutcomes()
	out.Found = append(out.Found, found...)
	var keep []*indexed
	changed := known.gone
	for n, f := range files {
		path := filepath.Join(l.dir, entries[n])
		switch {
		case f.badName != nil:
			out.Found = append(out.Found, warning(BadName, path, "the file is skipped: "+f.badName.Error()))
		case fails[n] != nil:
			out.Found = append(out.Found, skipped("the file", path, fails[n]))
			out.Skipped[names[n]] = path
		default:
			out.Found = append(out.Found, f.of.found...)
			f.of.record.Outcome = outcomes.of(f.of.record)
			out.Records = append(out.Records, f.of.record)
			if f.of.changed != 0 {
				keep = append(keep, f.of)
				changed = changed || !f.known
			}
		}
	}
	if changed && l.index != "" && len(entries) >= leastIndexed {
		l.writeIndex(keep)
	}
	return out
}

func warning(kind, file, message string) diag.Finding {
	return diag.Finding{Severity: diag.Warning, Kind: kind, Place: diag.Place{File: file}, Message: message}
}

// skipped is the warning of a file that cannot be read: of several findings about it, the first with its place.
func skipped(what, file string, err error) diag.Finding {
	var findings *diag.Err
	if errors.As(err, &findings) {
		w := findings.List[max(slices.IndexFunc(findings.List, func(f diag.Finding) bool { return f.Severity == diag.Error }), 0)]
		w.Severity, w.Kind, w.Message = diag.Warning, BadWorkflow, what+" is skipped: "+w.Message
		return w
	}
	return warning(BadWorkflow, file, what+" is skipped: "+err.Error())
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
	old, oldFound, err := l.read(l.versionFile(name, version), name, version)
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
	files, _, _ := l.files()
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = nameOf(f)
	}
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
		found = append(found, skipped("the file", l.Path(name), err))
	}
	versions := l.versions(name)
	for i := len(versions) - 1; i >= 0; i-- {
		file := l.versionFile(name, versions[i])
		old, more, err := l.read(file, name, versions[i])
		found = append(found, more...)
		if err != nil {
			found = append(found, skipped("the version", filepath.Join(l.dir, file), err))
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

// Names lists the names of the records.
func (l Listing) Names() []string {
	byName := make(map[string]bool, len(l.Records))
	for _, r := range l.Records {
		byName[r.Name] = true
	}
	return value.SortedKeys(byName)
}
