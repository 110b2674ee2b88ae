package journal

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"pflow/engine"
)

const (
	journalFile   = "journal.jsonl"
	documentsFile = "documents.json"
	brokenFile    = "journal.broken.jsonl" // a journal that missed a record: never resumed
)

// NewID names a run: the second it began, UTC, and random digits, so that names sort by time.
func NewID(now time.Time) string {
	var b [4]byte
	rand.Read(b[:])
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// What the name of a folder begins with that is no run: one that has not begun, and one that is being removed.
const (
	newPrefix  = ".new-"
	gonePrefix = ".gone-"
)

// Writer keeps one run's events; it implements engine.Journal. It is used by one goroutine.
type Writer struct {
	dir   string
	f     *os.File
	buf   []byte
	sum   uint32 // of all records so far
	took  int64  // how long the journal was when it was taken on, to be gone on with
	tsum  uint32 // sum, then
	begun bool   // the folder is that of a run: it has its documents and its first record
	named string // the folder that it becomes
	docs  string // the SHA-256 of its documents, in hex, for the first record
	about About  // for the first record
}

// Create makes the folder of a new run, 0700, and lays its documents there. The run is there for others once its first
// record is: a process that is killed before leaves nothing but a folder that Prune removes.
func Create(home, id string, about About, documents []byte) (*Writer, error) {
	named, err := folder(home, id)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(named), 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(named); !errors.Is(err, fs.ErrNotExist) {
		return nil, &fs.PathError{Op: "mkdir", Path: named, Err: cmp.Or(err, fs.ErrExist)}
	}
	dir := filepath.Join(filepath.Dir(named), newPrefix+id)
	if err := os.RemoveAll(dir); err != nil { // of a process that was killed, if anything
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, named: named, docs: documentsSum(documents), about: about.Bounded()}
	w.f, err = os.OpenFile(filepath.Join(dir, journalFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		err = own(w.f)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, documentsFile), documents, 0o600)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Close releases the journal. A run that never began leaves nothing.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	var err error
	if w.f != nil {
		err = w.f.Close()
		w.f = nil
	}
	if !w.begun && w.dir != "" {
		err = errors.Join(err, os.RemoveAll(w.dir))
		w.dir = ""
	}
	return err
}

// put writes one record with one write. A journal that missed a record would let a finished step run again, so it is
// put out of the way of resume.
func (w *Writer) put(record []byte) error {
	if w.f == nil {
		return fmt.Errorf("the journal is closed")
	}
	record, w.sum = seal(record, w.sum)
	w.buf = record[:0]
	_, err := w.f.Write(record)
	if err != nil {
		w.Close()
		if !w.begun {
			return err
		}
		if e := os.Rename(filepath.Join(w.dir, journalFile), filepath.Join(w.dir, brokenFile)); e != nil {
			err = fmt.Errorf("%w (and %v)", err, e)
		}
	}
	return err
}

// Begin implements engine.Journal.
func (w *Writer) Begin(start engine.Event) error {
	err := w.put(appendStart(w.buf, start, w.docs, w.about))
	if err == nil {
		err = os.Rename(w.dir, w.named)
	}
	if err != nil {
		w.Close()
		return err
	}
	w.dir, w.begun = w.named, true
	return nil
}

// Started implements engine.Journal.
func (w *Writer) Started(a engine.Attempt) error { return w.put(appendStarted(w.buf, a)) }

// Happened implements engine.Journal.
func (w *Writer) Happened(ev engine.Event) error { return w.put(appendHappened(w.buf, ev)) }

// Ended implements engine.Journal.
func (w *Writer) Ended(end engine.Ending) error { return w.put(appendEnd(w.buf, end, false)) }

// resumed says that another process took the run on.
func (w *Writer) resumed(at time.Duration) error {
	b := strconv.AppendInt(append(w.buf, `{"e":"resumed","at":`...), int64(at), 10)
	return w.put(strconv.AppendInt(append(b, `,"pid":`...), int64(os.Getpid()), 10))
}
