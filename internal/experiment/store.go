package experiment

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"pflow/internal/fault"
)

// Store is the database of one experiment: FOLDER/results.db. A row that was written stays, whatever happens to the
// process: each commit is in the write-ahead log before the next begins.
type Store struct {
	Dir string
	db  *sql.DB
	own *sql.DB // holds the lock of the one that writes; nil for readers

	named string // the folder that Dir becomes once the experiment has begun; "" from then on
}

const storeVersion = "4"

// The rows are what the statistics and the matrix need, and small; plans and steps are read one by one.
const tables = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE variants (idx INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, flow TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE cases (ord INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, request TEXT NOT NULL, expected TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE rows (
	ord INTEGER NOT NULL, variant INTEGER NOT NULL, repeat INTEGER NOT NULL,
	status TEXT NOT NULL, outcome TEXT NOT NULL, error_kind TEXT NOT NULL, temporary INTEGER NOT NULL,
	pass REAL, first_try REAL, node_f1 REAL, edge_f1 REAL, param_f1 REAL,
	calls REAL, tokens REAL, cost_usd REAL, latency_ms REAL, latency_net_ms REAL,
	node_hits INTEGER, node_planned INTEGER, node_expected INTEGER,
	edge_hits INTEGER, edge_planned INTEGER, edge_expected INTEGER,
	param_hits INTEGER, param_planned INTEGER, param_expected INTEGER,
	times TEXT NOT NULL, in_words TEXT NOT NULL, failed TEXT NOT NULL,
	carried INTEGER NOT NULL, carried_tokens INTEGER NOT NULL, missed INTEGER NOT NULL,
	assumed INTEGER NOT NULL, untimed INTEGER NOT NULL,
	PRIMARY KEY (ord, variant, repeat)
) WITHOUT ROWID;
CREATE TABLE details (
	ord INTEGER NOT NULL, variant INTEGER NOT NULL, repeat INTEGER NOT NULL,
	plan TEXT NOT NULL, steps TEXT NOT NULL,
	UNIQUE (ord, variant, repeat)
);`

// The files of an experiment. LockFile is made once and never written again; its time is when the experiment was last begun.
const (
	file     = "results.db"
	LockFile = "lock.db"
)

// NewPrefix is what the name of a folder begins with in which an experiment is being made.
const NewPrefix = ".new-"

// CreateStore makes the database of a new experiment, in a folder beside dir that becomes dir once Create has put all of
// the experiment there: a process that is killed before leaves nothing under its name.
func CreateStore(dir string) (*Store, error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	removeLeft(parent)
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
		return nil, taken(dir)
	}
	made, err := os.MkdirTemp(parent, NewPrefix+filepath.Base(dir)+"-*")
	if err != nil {
		return nil, err
	}
	s, err := open(made, false)
	if err != nil {
		os.RemoveAll(made)
		return nil, err
	}
	s.named = dir
	if err = s.lock(); err == nil {
		_, err = s.db.Exec("BEGIN;" + tables + "INSERT INTO meta VALUES ('version', '" + storeVersion + "'); COMMIT;")
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func taken(dir string) error {
	return fault.New(fault.InvalidRequest, "there is an experiment in %s already; go on with it by --resume %s, or give another --id", dir, filepath.Base(dir))
}

// begin gives the folder its name. The database is closed meanwhile: it knows its files by their paths.
func (s *Store) begin() error {
	dir, made := s.named, s.Dir
	s.named = ""
	err := s.Close()
	if err == nil {
		if err = os.Rename(made, dir); errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
			err = taken(dir)
		}
	}
	if err != nil {
		os.RemoveAll(made)
		return err
	}
	opened, err := OpenStore(dir)
	if err == nil {
		*s = *opened
	}
	return err
}

// leftAlone is how old a folder is that a killed process left behind before it is removed.
const leftAlone = time.Minute

// removeLeft removes what killed processes left of experiments that never began.
func removeLeft(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, NewPrefix+"*"))
	for _, dir := range left {
		info, err := os.Stat(dir)
		if err != nil || time.Since(info.ModTime()) < leftAlone {
			continue
		}
		s := &Store{Dir: dir}
		if s.lock() == nil { // nobody is making it
			s.own.Close()
			os.RemoveAll(dir)
		}
	}
}

// OpenStore opens an experiment to go on with; ReadStore only to read it.
func OpenStore(dir string) (*Store, error) {
	s, err := ReadStore(dir)
	if err != nil {
		return nil, err
	}
	if err := s.lock(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// ReadStore opens an experiment that may be running elsewhere.
func ReadStore(dir string) (*Store, error) {
	if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "there is no experiment in %s", dir)
		}
		return nil, err
	}
	s, err := open(dir, true)
	if code := sqliteCode(err); code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_CANTOPEN {
		if at, unwritten := openUnwritable(dir); unwritten == nil {
			s, err = at, nil
		}
	}
	if err != nil {
		return nil, err
	}
	version, err := s.Meta("version")
	if err != nil || version != storeVersion {
		s.Close()
		if err != nil {
			err = fmt.Errorf("%w; %s", err, anew)
		} else {
			err = fmt.Errorf("it is kept in the form of version %q, and this pflow reads %s; run it again under another --id, or remove the folder", version, storeVersion)
		}
		return nil, fault.New(fault.InvalidRequest, "the experiment in %s cannot be read: %v", dir, err)
	}
	return s, nil
}

// anew is what to do where the results of an experiment are of no use.
const anew = "bring back a copy of the folder, or remove it and run the experiment again"

// sqliteCode is the kind of an error of the database, 0 for any other error.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// openUnwritable opens the results where nothing may be written, such as on a medium that is only read: nobody else can be
// writing there. What is still in a write-ahead log could not be seen, so there must be none.
func openUnwritable(dir string) (*Store, error) {
	path := filepath.Join(dir, file)
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return nil, fault.New(fault.InvalidRequest, "%s-wal holds results that are not in the database yet", path)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path}).String()+"?mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	if err := db.Ping(); err != nil {
		db.Close()
		return nil, err
	}
	return &Store{Dir: dir, db: db}, nil
}

func open(dir string, exists bool) (*Store, error) {
	if !exists {
		if err := private(filepath.Join(dir, file)); err != nil {
			return nil, err
		}
	}
	dsn := (&url.URL{Scheme: "file", Path: filepath.Join(dir, file)}).String() + "?mode=rw" +
		"&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(4000)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	if err := db.Ping(); err != nil {
		db.Close()
		why := err.Error()
		if code := sqliteCode(err); code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB {
			why += "; " + anew
		}
		return nil, &fault.Error{Kind: fault.InvalidRequest, Message: fmt.Sprintf("the results of the experiment in %s cannot be opened: %s", dir, why), Cause: err}
	}
	return &Store{Dir: dir, db: db}, nil
}

// private makes a database its owner's alone, whatever the umask is, and makes it if it is not there: plans hold what
// people asked for. SQLite gives the files beside a database the mode of the database.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// lock makes this process the one that writes. The lock is a transaction on a database of its own: the system ends it
// with the process, however that ends.
func (s *Store) lock() error {
	for _, name := range []string{file, LockFile} {
		if err := private(filepath.Join(s.Dir, name)); err != nil {
			return err
		}
	}
	dsn := (&url.URL{Scheme: "file", Path: filepath.Join(s.Dir, LockFile)}).String() + "?_pragma=busy_timeout(0)&_txlock=exclusive"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		db.Close()
		return fault.New(fault.Unavailable, "another process works on the experiment in %s; wait for it, or stop it", s.Dir)
	}
	s.own = db
	return nil
}

// Close ends what is open.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.own != nil {
		err = errors.Join(err, s.own.Close())
	}
	if s.named != "" { // it never began
		err = errors.Join(err, os.RemoveAll(s.Dir))
		s.named = ""
	}
	return err
}

// Meta gives a value of the experiment as a whole, "" if it has none.
func (s *Store) Meta(key string) (string, error) {
	var v string
	err := s.db.QueryRow("SELECT value FROM meta WHERE key = ?", key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return v, err
}

// SetMeta keeps a value of the experiment as a whole.
func (s *Store) SetMeta(key, v string) error {
	_, err := s.db.Exec("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, v)
	return err
}

func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("experiment: what is kept is no JSON: " + err.Error())
	}
	return string(data)
}
