package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"pflow/engine"
)

// Past is what a journal tells of a run.
type Past struct {
	History engine.History
	Status  engine.Status // "" while the run has not ended
	About   About
	End     *engine.Ending // nil while the run has not ended
	PID     int            // of the process that worked on it last

	whole int64         // how many bytes of the file are whole records
	last  time.Duration // when the last of them was made
	sum   uint32        // of all of them
	final bool          // it was given up
	torn  bool          // the file has a part of a record behind the whole ones

	documents string // the SHA-256 of the documents that the run began with, in hex
}

// GoesOn reports whether the run can be resumed.
func (p *Past) GoesOn() bool { return p.Status == "" || goesOn(p.Status) && !p.final }

// goesOn tells the ends that a run can be resumed from, unless it was given up.
func goesOn(s engine.Status) bool { return s == engine.Cancelled || s == engine.Waiting }

// ErrEnded is the error of resuming a run that has ended.
var ErrEnded = errors.New("the run has ended")

// Fold reads the records of a journal. A last line without its line break is torn and dropped; any other line that is
// not what was written there is an error that names it.
func Fold(data []byte) (*Past, error) {
	p := &Past{History: engine.History{Started: map[int]engine.Attempt{}}}
	for n := 1; ; n++ {
		end := bytes.IndexByte(data[p.whole:], '\n')
		if end < 0 {
			break
		}
		line := data[p.whole : p.whole+int64(end)]
		p.whole += int64(end) + 1
		var r record
		var err error
		if p.sum, err = check(line, p.sum); err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err == nil {
			err = p.add(&r)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the journal: %w", n, err)
		}
	}
	if len(p.History.Events) == 0 {
		return nil, fmt.Errorf("the journal holds no start of a run")
	}
	return p, nil
}

func (p *Past) add(r *record) error {
	h := &p.History
	switch r.E {
	case recordStarted:
		h.Started[r.ID] = engine.Attempt{ID: r.ID, Step: r.Step, Visit: r.Visit, Attempt: r.Attempt, At: r.At, Idempotent: r.Idempotent}
	case recordStart, recordFinished, recordApproved, recordTimer:
		ev, err := r.event()
		if err != nil {
			return err
		}
		if (ev.Kind == engine.EventStart) != (len(h.Events) == 0) {
			return fmt.Errorf("the start of a run must be its first record")
		}
		if ev.Kind == engine.EventStart {
			p.documents, p.About, p.PID = r.Documents, r.About, r.PID
			h.Began = r.About.Began
		}
		delete(h.Started, r.ID)
		h.Events = append(h.Events, ev)
	case recordResumed:
		h.Gaps = append(h.Gaps, engine.Gap{After: len(h.Events), For: r.At - p.last})
		p.Status, p.End, p.PID = "", nil, r.PID
	case recordEnd:
		p.Status, p.End, p.final = r.Status, r.end(), r.Final
		return nil
	default:
		return fmt.Errorf("there is no record %q", r.E)
	}
	p.last = max(p.last, r.At)
	return nil
}

var idPattern = regexp.MustCompile(`^[0-9a-z-]{1,64}$`)

// folder gives the folder of a run; an id that could leave the runs folder is refused.
func folder(home, id string) (string, error) {
	if !idPattern.MatchString(id) {
		return "", fmt.Errorf("%q is no run id", id)
	}
	return filepath.Join(home, "runs", id), nil
}

// openJournal opens the journal of a run, to write to it.
func openJournal(home, id string) (dir string, f *os.File, err error) {
	dir, err = realFolder(home, id)
	if err == nil {
		f, err = openReal(filepath.Join(dir, journalFile), os.O_RDWR|os.O_APPEND)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, e := os.Lstat(filepath.Join(dir, brokenFile)); e == nil {
			err = fmt.Errorf("run %s cannot be resumed: its journal could not be written to the end", id)
		} else {
			err = fmt.Errorf("there is no run %q in %s", id, filepath.Join(home, "runs"))
		}
	}
	return dir, f, err
}

// GiveUp ends a run that could go on: it never will. One that is under way elsewhere, or has ended, is refused.
func GiveUp(home, id string, now time.Time) error {
	dir, f, err := openJournal(home, id)
	if err != nil {
		return err
	}
	w := &Writer{dir: dir, f: f, begun: true}
	defer w.Close()
	past, err := w.takeOn()
	if err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	end := engine.Ending{Status: engine.Cancelled, At: past.last}
	if past.End != nil {
		end.At, end.Steps, end.Usage = past.End.At, past.End.Steps, past.End.Usage
	}
	if err := w.trim(past); err != nil {
		return err
	}
	return w.put(appendEnd(w.buf, end, true))
}

// Decide notes what a person decided on what came of a run that is done: its end is told again, with that. It is one write, and
// one that a kill tears leaves the end that was there. A later decision replaces it.
func Decide(home, id, decided string) error {
	dir, f, err := openJournal(home, id)
	if err != nil {
		return err
	}
	w := &Writer{dir: dir, f: f, begun: true}
	defer w.Close()
	past, err := w.past()
	if err == nil && (past.End == nil || past.Status != engine.Done) {
		err = fmt.Errorf("it is not done")
	}
	if err == nil {
		err = w.trim(past)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	end := *past.End
	end.Decided = decided
	return w.put(appendEnd(w.buf, end, past.final))
}

// Resume opens the journal of a run that was killed or cancelled, to go on with it: its past, the documents it was
// made of, and the journal to go on writing. A run that is under way elsewhere, or has ended, is refused.
func Resume(home, id string, now time.Time) (*Past, []byte, *Writer, error) {
	dir, f, err := openJournal(home, id)
	if err != nil {
		return nil, nil, nil, err
	}
	w := &Writer{dir: dir, f: f, begun: true}
	past, err := w.takeOn()
	var documents []byte
	if err == nil {
		past.History.Ended = past.Status
		documents, err = past.readDocuments(dir)
	}
	if err == nil {
		err = w.goOn(past, now)
	}
	if err != nil {
		w.Close()
		return nil, nil, nil, fmt.Errorf("run %s: %w", id, err)
	}
	return past, documents, w, nil
}

// Read reads the past of a run and the documents that it was made of, without going on with it. A run that is not there is
// fs.ErrNotExist.
func Read(home, id string) (*Past, []byte, error) {
	dir, err := realFolder(home, id)
	if err != nil {
		return nil, nil, err
	}
	data, err := readReal(filepath.Join(dir, journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = readReal(filepath.Join(dir, brokenFile))
	}
	if err != nil {
		return nil, nil, err
	}
	past, err := Fold(data)
	if err != nil {
		return nil, nil, err
	}
	documents, err := past.readDocuments(dir)
	if err != nil {
		return nil, nil, err
	}
	return past, documents, nil
}

// Undo makes a journal that was gone on with what it was before, so that it can be gone on with again.
func (w *Writer) Undo() error {
	if w.f == nil || w.took == 0 {
		return nil
	}
	w.sum = w.tsum
	return w.f.Truncate(w.took)
}

// takeOn locks the journal and reads it, to go on with the run.
func (w *Writer) takeOn() (*Past, error) {
	past, err := w.past()
	switch {
	case err != nil:
		return nil, err
	case past.final:
		return nil, fmt.Errorf("%w: it was cancelled for good", ErrEnded)
	case !past.GoesOn():
		return nil, fmt.Errorf("%w: %s", ErrEnded, past.Status)
	}
	return past, nil
}

// past locks the journal and reads it, to write on.
func (w *Writer) past() (*Past, error) {
	if err := own(w.f); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(w.f) // what is locked, whatever the name leads to by now
	if err != nil {
		return nil, err
	}
	past, err := Fold(data)
	if err != nil {
		return nil, err
	}
	past.torn = past.whole < int64(len(data))
	w.sum, w.took, w.tsum = past.sum, past.whole, past.sum
	return past, nil
}

// trim drops a torn last line, which would run into the next record.
func (w *Writer) trim(past *Past) error {
	if !past.torn {
		return nil
	}
	return w.f.Truncate(past.whole)
}

// goOn says in the journal that another process goes on with the run.
func (w *Writer) goOn(past *Past, now time.Time) error {
	if err := w.trim(past); err != nil {
		return err
	}
	at := max(now.Sub(past.History.Start()), past.last)
	if err := w.resumed(at); err != nil {
		return err
	}
	past.History.Gaps = append(past.History.Gaps, engine.Gap{After: len(past.History.Events), For: at - past.last})
	return nil
}
