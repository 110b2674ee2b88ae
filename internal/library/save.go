package library

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/consent"
	"pflow/internal/fault"
	"pflow/internal/filelock"
	"pflow/internal/workflowfile"
	"pflow/ir"
)

// SaveOptions says when, and what if the name is taken.
type SaveOptions struct {
	Now  time.Time
	Next bool // make the next version of a workflow that exists; without it that is ErrExists
	Once bool // a workflow that is the current version already is left as it stands, and its record given
	// If is asked for the workflow that has the name, while nobody else can change it; where it says no, that is ErrExists.
	// The record is nil for one that cannot be read. A nil If says yes.
	If func(now *Record) bool
	// YAML, if not nil, is the text of the record, which replaces that of a workflow whose file is YAML.
	YAML   []byte
	AsYAML bool // YAML is the file of a name that is not taken, too
}

// Save writes a workflow under its name and gives the record as it was saved, with its version and times. What stood
// there before is kept as a version.
func (l *Library) Save(ctx context.Context, r *Record, o SaveOptions) (*Record, error) {
	if err := l.ValidName(r.Name); err != nil {
		return nil, err
	}
	if _, list := ir.Decode(r.IR()); list.HasErrors() {
		return nil, list.Err()
	}
	var saved *Record
	err := l.locked(ctx, func(d *os.Root) error {
		if o.Once {
			if now, _, err := l.current(r.Name); err == nil && now.Hash() == r.Hash() {
				saved = now
				return nil
			}
		}
		if o.Next && o.If != nil {
			if now, exists, err := l.keep(d, r.Name, false); err == nil && exists && !o.If(now) {
				o.Next = false
			}
		}
		before, exists, err := l.keep(d, r.Name, o.Next)
		if err != nil {
			return err
		}
		if exists && !o.Next {
			return fault.New(fault.InvalidRequest, "there is a saved workflow %q; choose another name or save it as the next version: %v", r.Name, ErrExists)
		}
		next := *r
		next.Version = l.lastVersion(r.Name) + 1
		next.UpdatedAt = o.Now
		next.CreatedAt = o.Now
		if before != nil && !before.CreatedAt.IsZero() {
			next.CreatedAt = before.CreatedAt
		}
		saved = &next
		was := l.file(r.Name)
		switch {
		case o.YAML == nil:
		case workflowfile.IsYAML(was):
			return write(d, was, o.YAML)
		case o.AsYAML && !exists:
			return write(d, r.Name+".yaml", o.YAML)
		}
		if err := write(d, r.Name+".json", next.Encode()); err != nil || was == r.Name+".json" {
			return err
		}
		return failed(d.Remove(was)) // it is kept as a version
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// Writable says why nothing can be saved; nil if something can be.
func (l *Library) Writable(ctx context.Context) error {
	return l.locked(ctx, func(*os.Root) error { return nil })
}

// AddExample notes a request that was approved for a workflow. It makes no version. Of many the last fifty are kept. A file
// in YAML is left as its author wrote it.
func (l *Library) AddExample(ctx context.Context, name, request string) error {
	const most = 50
	if err := l.ValidName(name); err != nil {
		return err
	}
	return l.locked(ctx, func(d *os.Root) error {
		r, _, err := l.current(name)
		if errors.Is(err, fs.ErrNotExist) {
			return l.unknown(name)
		}
		if err != nil {
			return err
		}
		if slices.Contains(r.Examples, request) || workflowfile.IsYAML(l.file(name)) {
			return nil
		}
		r.Examples = append(r.Examples, request)
		r.Examples = r.Examples[max(0, len(r.Examples)-most):]
		return write(d, name+".json", r.Encode())
	})
}

// Rename moves a workflow with its versions and its tests to a name that is not taken. If a workflow of the new name was deleted
// before, its versions stay and the moved ones are numbered behind them.
func (l *Library) Rename(ctx context.Context, from, to string, now time.Time) error {
	for _, name := range []string{from, to} {
		if err := l.ValidName(name); err != nil {
			return err
		}
	}
	return l.locked(ctx, func(d *os.Root) error {
		r, _, err := l.current(from)
		if errors.Is(err, fs.ErrNotExist) {
			return l.unknown(from)
		}
		if err != nil {
			return err
		}
		if _, err := d.Lstat(l.file(to)); err == nil || from == to {
			return fault.New(fault.InvalidRequest, "there is a saved workflow %q already: %v", to, ErrExists)
		}
		_, err = d.Lstat(from + TestsEnding)
		tested := err == nil
		if _, err := d.Lstat(to + TestsEnding); err == nil && tested {
			return fault.New(fault.InvalidRequest, "the tests of %q would become %s, which is there already; move it away first", from, l.TestsPath(to))
		}
		was := l.file(from)
		if _, hidden, _ := l.files(); slices.ContainsFunc(hidden, func(f string) bool { return nameOf(f) == from }) {
			return fault.New(fault.InvalidRequest, "there are several files of the name %q beside %s; move the others away first", from, l.Path(from))
		}
		shift := l.lastVersion(to)
		moved := *r
		moved.Name, moved.Version, moved.UpdatedAt = to, r.Version+shift, now
		old := l.versions(from)
		if len(old) > 0 {
			moved.Version = max(moved.Version, old[len(old)-1]+shift+1)
			if err := d.MkdirAll(filepath.Join(versionsDir, to), 0o700); err != nil {
				return failed(err)
			}
		}
		text := moved.Encode()
		if workflowfile.IsYAML(was) {
			if text, err = l.bytes(was); err != nil {
				return failed(err)
			}
		}
		if err := write(d, to+filepath.Ext(was), text); err != nil {
			return err
		}
		for _, n := range old {
			file := l.versionFile(from, n)
			if err := d.Rename(file, filepath.Join(versionsDir, to, strconv.Itoa(n+shift)+filepath.Ext(file))); err != nil {
				return failed(err)
			}
			err := d.Rename(keptTests(from, n), keptTests(to, n+shift))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return failed(err)
			}
		}
		if tested {
			if err := d.Rename(from+TestsEnding, to+TestsEnding); err != nil {
				return failed(err)
			}
		}
		if err := failed(d.Remove(was)); err != nil {
			return err
		}
		if err := l.rewriteNotices(d, func(all map[string]consent.Notices) {
			all[to] = all[from]
			delete(all, from)
		}); err != nil {
			return err
		}
		if all, _ := l.readOutcomes(); len(all[from]) == 0 {
			return nil
		}
		return l.rewriteOutcomes(d, func(all outcomes) {
			all[to] = all[from]
			delete(all, from)
		})
	})
}

// Delete takes a workflow out of the library. Its file is kept as a version: `NAME@N` still reads it, and saving under
// the name again goes on counting from there. Its tests are kept beside that version; tests is their file now, "" if there are none.
func (l *Library) Delete(ctx context.Context, name string) (tests string, err error) {
	if err := l.ValidName(name); err != nil {
		return "", err
	}
	err = l.locked(ctx, func(d *os.Root) error {
		for deleted := false; ; deleted = true {
			_, exists, err := l.keep(d, name, true)
			switch {
			case err != nil:
				return err
			case !exists && !deleted:
				return l.unknown(name)
			case !exists: // what is saved under the name later is another
				return l.rewriteNotices(d, func(all map[string]consent.Notices) { delete(all, name) })
			}
			if !deleted {
				if tests, err = l.keepTests(d, name); err != nil {
					return err
				}
			}
			if err := failed(d.Remove(l.file(name))); err != nil {
				return err
			}
		}
	})
	return tests, err
}

// keepTests moves the tests of a name, if there are some, to its last version, and gives their path there.
func (l *Library) keepTests(d *os.Root, name string) (string, error) {
	if _, err := d.Lstat(name + TestsEnding); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	n := l.lastVersion(name)
	for { // a number that a killed delete has used is left as it is
		if _, err := d.Lstat(keptTests(name, n)); err != nil {
			break
		}
		n++
	}
	if err := d.Rename(name+TestsEnding, keptTests(name, n)); err != nil {
		return "", failed(err)
	}
	return filepath.Join(l.dir, keptTests(name, n)), nil
}

// keep copies the current file of a name, whatever is in it, into the versions, and gives the record if it is one. With
// store false it only looks.
func (l *Library) keep(d *os.Root, name string, store bool) (r *Record, exists bool, err error) {
	file := l.file(name)
	data, err := l.bytes(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, fault.New(fault.Permission, "%s: %v", l.Path(name), err)
	}
	number := 0
	if r, _, err = l.read(file, name, 0); err == nil && r.Version < 1e6 {
		number = r.Version
	}
	if !store {
		return r, true, nil
	}
	if number > 0 {
		if there, err := d.ReadFile(l.versionFile(name, number)); err == nil && bytes.Equal(there, data) {
			return r, true, nil // kept by a save that was killed before it wrote the new file
		} else if err == nil {
			number = 0 // edited by hand since
		}
	}
	if number == 0 {
		number = l.lastVersion(name) + 1
	}
	if err := d.MkdirAll(filepath.Join(versionsDir, name), 0o700); err != nil {
		return nil, true, failed(err)
	}
	return r, true, write(d, filepath.Join(versionsDir, name, strconv.Itoa(number)+filepath.Ext(file)), data)
}

// lastVersion is the highest number that was given out under a name.
func (l *Library) lastVersion(name string) int {
	last := 0
	if versions := l.versions(name); len(versions) > 0 {
		last = versions[len(versions)-1]
	}
	return last
}

// locked runs f alone among all writers of the folder, processes and goroutines. Temporary files of writers that were
// killed are removed.
func (l *Library) locked(ctx context.Context, f func(d *os.Root) error) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return failed(err)
	}
	d, err := os.OpenRoot(l.dir)
	if err != nil {
		return failed(err)
	}
	defer d.Close()
	lock, err := d.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return failed(err)
	}
	defer lock.Close() // which frees the lock
	switch err := filelock.Lock(ctx, lock); {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Of(err).Kind, "the library: %v", err)
	case err != nil:
		return failed(err)
	}
	if entries, err := fs.ReadDir(d.FS(), "."); err == nil {
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), tempPrefix) {
				_ = d.Remove(e.Name())
			}
		}
	}
	return f(d)
}

// write replaces a file in one step.
func write(d *os.Root, file string, data []byte) error {
	temp := tempPrefix + strconv.Itoa(os.Getpid()) + "-" + rand.Text()[:8]
	f, err := d.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return failed(err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = d.Rename(temp, file)
	}
	if err != nil {
		_ = d.Remove(temp)
		return failed(err)
	}
	if dir, err := d.Open(filepath.Dir(file)); err == nil {
		_ = dir.Sync() // the rename is atomic without it; this makes it last through a power cut
		_ = dir.Close()
	}
	return nil
}

// failed words an error of the file system.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Permission, "%v", fmt.Errorf("%w: %w", ErrUnwritable, err))
}
