package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/filelock"
)

// Interrupted is the event of an entry that no record is of: no process works on the run, and it has not ended.
const Interrupted = "interrupted"

// Entry is one record of a journal, for whoever reads it as a log. What is set depends on Event.
type Entry struct {
	Event   string             `json:"event"` // start, started, finished, approved, timer, resumed, interrupted, end
	At      time.Time          `json:"at"`
	Step    string             `json:"step,omitempty"` // of started, finished, approved
	Visit   int                `json:"visit,omitempty"`
	Attempt int                `json:"attempt,omitempty"`
	Action  string             `json:"action,omitempty"` // that the op gave
	Waits   string             `json:"waits,omitempty"`
	Kind    fault.Kind         `json:"kind,omitempty"` // of an error
	Message string             `json:"message,omitempty"`
	Kept    string             `json:"kept,omitempty"` // the run whose outcome it is: nothing was done for it
	Usage   map[string]float64 `json:"usage,omitempty"`
	Status  engine.Status      `json:"status,omitempty"`  // of the end
	About   *About             `json:"about,omitempty"`   // of the start
	Decided string             `json:"decided,omitempty"` // of an end that tells again how the run ended, and what was decided since
}

// Tail reads the records of a run one after the other, also while the run writes them.
type Tail struct {
	f       *os.File
	read    reached
	resumed reached // before the last record of a process that went on with the run: what it undoes leads back there
	began   time.Time
	started map[int]Entry
	pid     int
	broken  bool // a record could not be written: what follows is not known
}

// reached is how far a journal was read.
type reached struct {
	at    int64 // where the next line begins
	lines int
	sum   uint32
	ended bool // the last record was an end
}

// OpenTail opens the journal of a run. A run that is not there is fs.ErrNotExist.
func OpenTail(home, id string) (*Tail, error) {
	dir, err := realFolder(home, id)
	if err != nil {
		return nil, err
	}
	f, err := openReal(filepath.Join(dir, journalFile), os.O_RDONLY)
	broken := errors.Is(err, fs.ErrNotExist)
	if broken {
		f, err = openReal(filepath.Join(dir, brokenFile), os.O_RDONLY)
	}
	if err != nil {
		return nil, err
	}
	return &Tail{f: f, started: map[int]Entry{}, broken: broken}, nil
}

// Close closes the journal.
func (t *Tail) Close() error { return t.f.Close() }

// Running reports whether a process works on the run.
func (t *Tail) Running() bool { return filelock.Held(t.f) }

// Open reports whether the run has begun and its last entry is no end. If no process works on it, it was interrupted.
func (t *Tail) Open() bool { return !t.broken && t.read.at > 0 && !t.read.ended }

// Next gives the entries that were written since the last call. A torn last line is not given: it is read anew, since whoever goes
// on with the run cuts it off. The error names a line that is not what was written there.
func (t *Tail) Next() ([]Entry, error) {
	size, err := t.f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if size < t.read.at && t.resumed.at > 0 { // a process that went on with the run left it as it was
		t.read, t.resumed = t.resumed, reached{}
	}
	out, err := t.next()
	if err != nil && t.resumed.at > 0 && len(out) == 0 { // the same, and another went on with it since
		t.read, t.resumed = t.resumed, reached{}
		out, err = t.next()
	}
	return out, err
}

func (t *Tail) next() ([]Entry, error) {
	more, err := io.ReadAll(io.NewSectionReader(t.f, t.read.at, math.MaxInt64-t.read.at))
	if err != nil {
		return nil, err
	}
	var out []Entry
	for {
		line, rest, whole := bytes.Cut(more, []byte("\n"))
		if !whole {
			return out, nil
		}
		more = rest
		now := reached{at: t.read.at + int64(len(line)) + 1, lines: t.read.lines + 1}
		var r record
		if now.sum, err = check(line, t.read.sum); err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err != nil {
			return out, fmt.Errorf("line %d of the journal: %w", now.lines, err)
		}
		if r.E == recordResumed {
			t.resumed = t.read
		}
		now.ended = r.E == recordEnd
		t.read = now
		out = append(out, t.entry(&r))
	}
}

func (t *Tail) entry(r *record) Entry {
	e := Entry{Event: r.E, At: t.began.Add(r.At)}
	if r.PID != 0 {
		t.pid = r.PID
	}
	switch r.E {
	case recordStart:
		t.began = r.Time
		e.At, e.About = r.Time, &r.About
	case recordStarted:
		e.Step, e.Visit, e.Attempt = r.Step, r.Visit, r.Attempt
		t.started[r.ID] = e
	case recordFinished, recordApproved:
		was := t.started[r.ID]
		e.Step, e.Visit, e.Attempt, e.Action, e.Waits, e.Usage, e.Kept = was.Step, was.Visit, was.Attempt, r.Action, r.Waits, r.Meters, r.Kept
		if r.Error != nil {
			e.Kind, e.Message = r.Error.Kind, r.Error.Message
		}
		if r.Waits == "" {
			delete(t.started, r.ID)
		}
	case recordEnd:
		e.Status, e.Usage, e.Decided = r.Status, r.Usage, r.Decided
		if r.Error != nil {
			e.Kind, e.Message, e.Step = r.Error.Kind, r.Error.Message, r.Error.Node
		}
	}
	return e
}

// Holder gives the process that works on a run; 0 if none does. Where the system tells which files a process has open, a process
// that has not the journal open is none: its number was given to another since.
func Holder(home, id string) (int, error) {
	t, err := OpenTail(home, id)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	if _, err := t.Next(); err != nil {
		return 0, err
	}
	if !t.Running() {
		return 0, nil
	}
	open := fmt.Sprintf("/proc/%d/fd", t.pid)
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return t.pid, nil
	}
	entries, err := os.ReadDir(open)
	if err != nil {
		return 0, fmt.Errorf("process %d, which works on run %s, cannot be looked at here: it may be another user's, or on another machine", t.pid, id)
	}
	own, err := t.f.Stat()
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		path := filepath.Join(open, e.Name())
		if to, err := os.Readlink(path); err != nil || !strings.HasSuffix(to, ".jsonl") {
			continue
		}
		if info, err := os.Stat(path); err == nil && os.SameFile(info, own) {
			return t.pid, nil
		}
	}
	return 0, fmt.Errorf("a process works on run %s, and it is not process %d, which says so: it may be on another machine", id, t.pid)
}
