package runs

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"pflow/engine/journal"
)

// The names in the home.
const (
	indexFile = "runs.db"
	staleFile = "runs.stale"
)

// version is of the index; one of another version is made again.
const version = 4

// A row has no status while it has no end, and no process was found to have left it. began is in nanoseconds since 1970.
const schema = `
CREATE TABLE IF NOT EXISTS runs (
	id TEXT PRIMARY KEY, short TEXT NOT NULL, status TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, request TEXT NOT NULL,
	started_by TEXT NOT NULL, parent TEXT NOT NULL, arm TEXT NOT NULL, began INTEGER NOT NULL, ms REAL NOT NULL, steps INTEGER NOT NULL,
	cost REAL NOT NULL, tokens INTEGER NOT NULL, error_kind TEXT NOT NULL, error TEXT NOT NULL, error_node TEXT NOT NULL,
	decided TEXT NOT NULL, resumable INTEGER NOT NULL, bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_began ON runs (began, id);
CREATE INDEX IF NOT EXISTS by_status ON runs (status, began);
CREATE INDEX IF NOT EXISTS by_name ON runs (name, began);
CREATE INDEX IF NOT EXISTS by_short ON runs (short);
CREATE INDEX IF NOT EXISTS by_parent ON runs (parent, began);
CREATE INDEX IF NOT EXISTS by_size ON runs (bytes);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`

// What stands in facts.
const (
	factWhole  = "whole"  // 1: every run that was there when the index was made has its row
	factPruned = "pruned" // when runs were last pruned, in nanoseconds since 1970
)

const columns = "id, status, kind, name, request, started_by, parent, arm, began, ms, steps, cost, tokens, error_kind, error, error_node, decided, resumable, bytes"

// History is the runs of a home. It opens the index at the first need and is safe for concurrent use.
type History struct {
	home string

	// Leaving, if not nil, is told of runs that are about to be removed, so that what is known of them alone can be kept. Where that
	// fails they stay.
	Leaving func([]Row) error

	// Opened, if not nil, is told of each run whose journal was opened for writing: one that begins, or goes on.
	Opened func(id string)

	mu sync.Mutex
	db *sql.DB
}

// Of gives the history of a home.
func Of(home string) *History { return &History{home: home} }

// Close closes the index.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.db == nil {
		return nil
	}
	err := h.db.Close()
	h.db = nil
	return err
}

func (h *History) path(name string) string { return filepath.Join(h.home, name) }

// open gives the index, whole or not.
func (h *History) open() (*sql.DB, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.db != nil {
		return h.db, nil
	}
	db, err := openIndex(h.path(indexFile))
	if err != nil && isDamaged(err) {
		h.remove()
		db, err = openIndex(h.path(indexFile))
	}
	if err != nil {
		return nil, err
	}
	h.db = db
	return db, nil
}

// remove takes a damaged index out of the way.
func (h *History) remove() {
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(h.path(indexFile) + end)
	}
}

// openIndex opens an index, made readable by its owner alone. A machine that loses power may damage it, since nothing is
// synced: it can be made again.
func openIndex(file string) (*sql.DB, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f.Close()
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file: %w", file, errDamaged)
	}
	db, err := openDB((&url.URL{Scheme: "file", Path: file}).String() + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	return db, nil
}

func openDB(name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	var v int
	err = db.QueryRow("PRAGMA user_version").Scan(&v)
	switch {
	case err != nil || v == version:
	case v == 0:
		_, err = db.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d", version))
	default:
		err = errDamaged
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

var errDamaged = errors.New("the index is of another version")

// isDamaged tells an index that is to be made again from one that cannot be used now. The driver's own type says no more
// than its text does.
func isDamaged(err error) bool {
	if errors.Is(err, errDamaged) {
		return true
	}
	for _, sign := range []string{"malformed", "not a database", "no such table", "no such column", "disk I/O error", "datatype mismatch", "short read"} {
		if strings.Contains(err.Error(), sign) {
			return true
		}
	}
	return false
}

// with runs f on an index that has every run. A damaged one is made again; where none can be kept, as in a home that can
// only be read, it is made for this once.
func (h *History) with(f func(*sql.DB) error) error {
	var err error
	if _, none := os.Stat(h.path("runs")); !errors.Is(none, fs.ErrNotExist) { // to look makes no home
		err = h.try(f)
	} else if _, there := os.Stat(h.path(indexFile)); there == nil {
		err = h.try(f)
	} else {
		err = none
	}
	if err != nil && isDamaged(err) {
		h.Close()
		h.remove()
		err = h.try(f)
	}
	if err == nil || errors.Is(err, errCallers) {
		return unwrapCallers(err)
	}
	db, e := openDB(":memory:")
	if e != nil {
		return err
	}
	defer db.Close()
	if err := h.fill(db); err != nil {
		return err
	}
	return unwrapCallers(f(db))
}

// errCallers marks an error that is no fault of the index.
var errCallers = errors.New("not found")

type callersError struct{ error }

func (e callersError) Is(target error) bool { return target == errCallers }
func (e callersError) Unwrap() error        { return e.error }

func unwrapCallers(err error) error {
	var c callersError
	if errors.As(err, &c) {
		return c.error
	}
	return err
}

func (h *History) try(f func(*sql.DB) error) error {
	db, err := h.open()
	if err != nil {
		return err
	}
	if err := h.complete(db); err != nil {
		return err
	}
	return f(db)
}

func fact(db *sql.DB, name string) (v int64, err error) {
	err = db.QueryRow("SELECT value FROM facts WHERE name = ?", name).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return v, err
}

func setFact(db *sql.DB, name string, v int64) error {
	_, err := db.Exec("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, v)
	return err
}

// complete makes sure that every run has its row.
func (h *History) complete(db *sql.DB) error {
	if err := os.Remove(h.path(staleFile)); err == nil {
		// What could go on may have gone on since.
		if _, err := db.Exec("UPDATE runs SET status = '' WHERE resumable = 1"); err != nil {
			return err
		}
		if err := setFact(db, factWhole, 0); err != nil {
			return err
		}
	}
	whole, err := fact(db, factWhole)
	if err != nil || whole == 1 {
		return err
	}
	if err := h.fill(db); err != nil {
		h.stale()
		return err
	}
	return setFact(db, factWhole, 1)
}

// stale says that a row could not be written: whoever lists runs next looks at the folders.
func (h *History) stale() {
	if f, err := os.OpenFile(h.path(staleFile), os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}

// fillAtOnce is how many rows one transaction makes, so that a run that begins meanwhile does not wait for all.
const fillAtOnce = 2000

// fill makes the rows that are not there. Rows that are there were written by the runs themselves.
func (h *History) fill(db *sql.DB) error {
	now := time.Now()
	var ids []string
	if err := journal.List(h.home, now, func(id string) { ids = append(ids, id) }); err != nil {
		return err
	}
	var rows []Row
	put := func() error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		insert, err := tx.Prepare("INSERT OR IGNORE INTO runs (short, " + columns + ") VALUES (?" + strings.Repeat(", ?", strings.Count(columns, ",")+1) + ")")
		if err != nil {
			return err
		}
		for i := range rows {
			if _, err := insert.Exec(append([]any{Short(rows[i].ID)}, rows[i].values()...)...); err != nil {
				return err
			}
		}
		rows = rows[:0]
		return tx.Commit()
	}
	for _, id := range ids {
		row, ok := look(h.home, id, now)
		if !ok {
			continue
		}
		if rows = append(rows, row); len(rows) == fillAtOnce {
			if err := put(); err != nil {
				return err
			}
		}
	}
	return put()
}

// values are those of columns. A run that is under way has no status: that is looked up.
func (r *Row) values() []any {
	status, ms, bytes := r.Status, r.DurationMS, r.Bytes
	if status == Running {
		status, ms, bytes = "", 0, 0
	}
	e := Error{}
	if r.Error != nil {
		e = *r.Error
	}
	return []any{r.ID, string(status), string(r.Kind), r.Name, r.Request, r.By, r.Parent, r.Arm, nanos(r.Started), ms, r.Steps, r.CostUSD,
		r.Tokens, e.Kind, e.Message, e.Node, string(r.Decided), r.Resumable, bytes}
}

// put writes a row.
func put(db *sql.DB, r *Row) error {
	_, err := db.Exec("INSERT OR REPLACE INTO runs (short, "+columns+") VALUES (?"+strings.Repeat(", ?", strings.Count(columns, ",")+1)+")",
		append([]any{Short(r.ID)}, r.values()...)...)
	return err
}

func drop(db *sql.DB, id string) error {
	_, err := db.Exec("DELETE FROM runs WHERE id = ?", id)
	return err
}

// scan reads a row of columns.
func scan(rows *sql.Rows) (Row, error) {
	var r Row
	var e Error
	var began int64
	err := rows.Scan(&r.ID, &r.Status, &r.Kind, &r.Name, &r.Request, &r.By, &r.Parent, &r.Arm, &began, &r.DurationMS, &r.Steps, &r.CostUSD,
		&r.Tokens, &e.Kind, &e.Message, &e.Node, &r.Decided, &r.Resumable, &r.Bytes)
	r.Started = time.Unix(0, began).UTC()
	if e != (Error{}) {
		r.Error = &e
	}
	return r, err
}
