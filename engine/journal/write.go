package journal

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
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

// Writer keeps one run's events; it implements engine.Journal. It is used by one goroutine.
type Writer struct {
	dir string
	f   *os.File
	buf []byte
}

// Create makes the folder of a new run, 0700, and lays its documents there.
func Create(home, id string, documents []byte) (*Writer, error) {
	runs := filepath.Join(home, "runs")
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return nil, err
	}
	dir := filepath.Join(runs, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir}
	err := os.WriteFile(filepath.Join(dir, documentsFile), documents, 0o600)
	if err == nil {
		w.f, err = os.OpenFile(filepath.Join(dir, journalFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	}
	if err == nil {
		err = lock(w.f)
	}
	if err != nil {
		w.Close()
		os.RemoveAll(dir)
		return nil, err
	}
	return w, nil
}

// Close releases the journal.
func (w *Writer) Close() error {
	if w == nil || w.f == nil {
		return nil
	}
	err := w.f.Close()
	w.f = nil
	return err
}

// put writes one record with one write. A journal that missed a record would let a finished step run again, so it is
// put out of the way of resume.
func (w *Writer) put(record []byte) error {
	w.buf = record[:0]
	if w.f == nil {
		return fmt.Errorf("the journal is closed")
	}
	_, err := w.f.Write(record)
	if err != nil {
		w.Close()
		if e := os.Rename(filepath.Join(w.dir, journalFile), filepath.Join(w.dir, brokenFile)); e != nil {
			err = fmt.Errorf("%w (and %v)", err, e)
		}
	}
	return err
}

// Begin implements engine.Journal.
func (w *Writer) Begin(start engine.Event) error { return w.put(appendStart(w.buf, start)) }

// Started implements engine.Journal.
func (w *Writer) Started(a engine.Attempt) error { return w.put(appendStarted(w.buf, a)) }

// Happened implements engine.Journal.
func (w *Writer) Happened(ev engine.Event) error { return w.put(appendHappened(w.buf, ev)) }

// Ended implements engine.Journal.
func (w *Writer) Ended(status engine.Status) error {
	return w.put(append(append(append(w.buf, `{"e":"end","status":"`...), status...), "\"}\n"...))
}

// resumed says that another process took the run on.
func (w *Writer) resumed(at time.Duration) error {
	b := append(w.buf, `{"e":"resumed","at":`...)
	return w.put(append(strconv.AppendInt(b, int64(at), 10), "}\n"...))
}
