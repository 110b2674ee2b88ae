// Package written remembers which file which run of a workflow wrote, so that a workflow may replace what it wrote itself
// and nobody changed since, and nothing else. It keeps PFLOW_HOME/written.db (0600), which is never pruned with runs.
package written

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"pflow/internal/fault"
	"pflow/internal/filelock"
)

// File and LockFile are the names in the home.
const (
	File     = "written.db"
	LockFile = "written.lock"
)

// One row a file. sha256 is what was written; before is what the file held until then ("" if it was not there), for a
// writer that was killed between this row and the file's rename, which done tells.
const table = `CREATE TABLE IF NOT EXISTS files (
	path TEXT PRIMARY KEY, workflow TEXT NOT NULL, run TEXT NOT NULL,
	sha256 TEXT NOT NULL, before TEXT NOT NULL, done INTEGER NOT NULL
) WITHOUT ROWID;`

// Run is what one run may replace. It is safe for concurrent use.
type Run struct {
	Home     string // "": nothing is kept beyond the run
	Workflow string // its saved name, or Draft where it is not saved
	Draft    string // the hash of its IR: what it wrote before it was saved is its own
	ID       string // of the run

	mu      sync.Mutex
	granted map[string]bool
	wrote   map[string]bool
}

// Of is the same for one of many runs.
func (r *Run) Of(id string) *Run {
	out := &Run{Home: r.Home, Workflow: r.Workflow, Draft: r.Draft, ID: id}
	out.Grant(r.Granted()...)
	return out
}

// Grant lets the run replace the files at real paths, as it was approved.
func (r *Run) Grant(paths ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.granted == nil {
		r.granted = map[string]bool{}
	}
	for _, p := range paths {
		r.granted[p] = true
	}
}

// Granted lists what Grant was given, sorted.
func (r *Run) Granted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.granted))
}

// May reports whether the file at a real path may be replaced: its approval names it, the run wrote it, or a run of the
// same workflow did and nobody changed it since.
func (r *Run) May(path string) bool {
	r.mu.Lock()
	granted := r.granted[path]
	r.mu.Unlock()
	return granted || r.own(path)
}

// own reports whether the run wrote the file at a real path, or a run of the same workflow did and nobody changed it since.
func (r *Run) own(path string) bool {
	r.mu.Lock()
	wrote := r.wrote[path]
	r.mu.Unlock()
	if wrote || r.Home == "" {
		return wrote
	}
	if _, err := os.Stat(filepath.Join(r.Home, File)); err != nil {
		return false
	}
	db, err := r.open()
	if err != nil {
		return false
	}
	defer db.Close()
	return r.owns(db, path)
}

type row struct {
	workflow, run, sum, before string
	done                       bool
}

func find(db *sql.DB, path string) (row, bool) {
	var f row
	err := db.QueryRow("SELECT workflow, run, sha256, before, done FROM files WHERE path = ?", path).Scan(&f.workflow, &f.run, &f.sum, &f.before, &f.done)
	return f, err == nil
}

func (r *Run) owns(db *sql.DB, path string) bool {
	f, there := find(db, path)
	switch {
	case !there:
		return false
	case r.ID != "" && f.run == r.ID && f.done:
		return true
	case f.workflow != r.Workflow && (r.Draft == "" || f.workflow != r.Draft) && (r.ID == "" || f.run != r.ID):
		return false
	}
	now, err := sum(path)
	return err == nil && (now == f.sum || !f.done && f.before != "" && now == f.before)
}

// Put gives a finished file its name. put is called under a lock, with whether a file that is there may be replaced;
// content is a file with the new content.
func (r *Run) Put(ctx context.Context, path, content string, overwrite bool, put func(replace bool) error) error {
	return r.place(ctx, path, content, true, overwrite, put)
}

// Move is Put for a file that was at another real path. It is the workflow's own at the new one only if it was so before.
func (r *Run) Move(ctx context.Context, from, path, content string, overwrite bool, put func(replace bool) error) error {
	return r.place(ctx, path, content, r.own(from), overwrite, put)
}

// place runs put. own: the file becomes the workflow's own.
func (r *Run) place(ctx context.Context, path, content string, own, overwrite bool, put func(replace bool) error) error {
	if r.Home == "" {
		return r.put(path, own, overwrite || r.May(path), put)
	}
	db, err := r.open()
	if err != nil {
		return err
	}
	defer db.Close()
	lock, err := os.OpenFile(filepath.Join(r.Home, LockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fault.New(fault.Permission, "%s: %v", filepath.Join(r.Home, LockFile), errors.Unwrap(err))
	}
	defer lock.Close()
	if err := filelock.Lock(ctx, lock); err != nil {
		return err
	}
	replace := overwrite || r.May(path)
	before, known := find(db, path)
	next := row{workflow: r.Workflow, run: r.ID}
	if next.sum, err = sum(content); err != nil {
		return err
	}
	if replace {
		next.before, _ = sum(path)
	}
	if own {
		err = keep(db, path, next)
	} else {
		err = forget(db, path)
	}
	if err != nil {
		return err
	}
	if err := r.put(path, own, replace, put); err != nil {
		// What cannot be undone harms nobody: the row says what the file would hold, and it does not.
		if known {
			_ = keep(db, path, before)
		} else {
			_ = forget(db, path)
		}
		return err
	}
	if !own {
		return nil
	}
	next.done = true
	return keep(db, path, next)
}

// Add runs add, which adds to a file. A file that was the workflow's own stays so.
func (r *Run) Add(ctx context.Context, path string, add func() error) error {
	_, err := os.Stat(path)
	if own := errors.Is(err, os.ErrNotExist) || r.May(path); !own {
		return add()
	}
	if err := add(); err != nil {
		return err
	}
	return r.Put(ctx, path, path, true, func(bool) error { return nil })
}

func (r *Run) put(path string, own, replace bool, put func(bool) error) error {
	if err := put(replace); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wrote == nil {
		r.wrote = map[string]bool{}
	}
	r.wrote[path] = own
	return nil
}

func keep(db *sql.DB, path string, f row) error {
	_, err := db.Exec("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)", path, f.workflow, f.run, f.sum, f.before, f.done)
	return err
}

func forget(db *sql.DB, path string) error {
	_, err := db.Exec("DELETE FROM files WHERE path = ?", path)
	return err
}

// open opens the database. It is made readable by its owner alone.
func (r *Run) open() (*sql.DB, error) {
	file := filepath.Join(r.Home, File)
	if err := os.MkdirAll(r.Home, 0o700); err != nil {
		return nil, err
	}
	if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err == nil {
		f.Close()
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: file}).String()+"?_pragma=busy_timeout(30000)&_pragma=synchronous(FULL)")
	if err == nil {
		db.SetMaxOpenConns(1)
		_, err = db.Exec(table)
	}
	if err != nil {
		if db != nil {
			db.Close()
		}
		return nil, fault.New(fault.Failure, "%s, where pflow keeps which files its runs wrote, cannot be used: %v; delete it to begin anew", file, err)
	}
	return db, nil
}

// sum gives the SHA-256 of a file's content.
func sum(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fault.New(fault.InvalidRequest, "%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
