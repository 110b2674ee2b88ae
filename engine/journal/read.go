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

	whole int64         // how many bytes of the file are whole records
	last  time.Duration // when the last of them was made
	sum   uint32        // of all of them

	documents string // the SHA-256 of the documents that the run began with, in hex
}

// goesOn tells the ends that a run can be resumed from.
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
			p.documents = r.Documents
		}
		delete(h.Started, r.ID)
		h.Events = append(h.Events, ev)
	case recordResumed:
		h.Gaps = append(h.Gaps, engine.Gap{After: len(h.Events), For: r.At - p.last})
		p.Status = ""
	case recordEnd:
		p.Status = r.Status
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

// Resume opens the journal of a run that was killed or cancelled, to go on with it: its past, the documents it was
// made of, and the journal to go on writing. A run that is under way elsewhere, or has ended, is refused.
func Resume(home, id string, now time.Time) (*Past, []byte, *Writer, error) {
	dir, err := realFolder(home, id)
	var f *os.File
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
	if err != nil {
		return nil, nil, nil, err
	}
	w := &Writer{dir: dir, f: f, begun: true}
	past, documents, err := w.takeOn(now)
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

func (w *Writer) takeOn(now time.Time) (*Past, []byte, error) {
	if err := own(w.f); err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(w.f) // what is locked, whatever the name leads to by now
	if err != nil {
		return nil, nil, err
	}
	past, err := Fold(data)
	if err != nil {
		return nil, nil, err
	}
	if past.Status != "" && !goesOn(past.Status) {
		return nil, nil, fmt.Errorf("%w: %s", ErrEnded, past.Status)
	}
	documents, err := past.readDocuments(w.dir)
	if err != nil {
		return nil, nil, err
	}
	if past.whole < int64(len(data)) { // the torn last line would run into the next record
		if err := w.f.Truncate(past.whole); err != nil {
			return nil, nil, err
		}
	}
	w.sum, w.took, w.tsum = past.sum, past.whole, past.sum
	at := max(now.Sub(past.History.Events[0].Time), past.last)
	if err := w.resumed(at); err != nil {
		return nil, nil, err
	}
	past.History.Gaps = append(past.History.Gaps, engine.Gap{After: len(past.History.Events), For: at - past.last})
	return past, documents, nil
}
