package split

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pflow/internal/filelock"
	"pflow/internal/home"
)

// The names in the home.
const (
	File    = "split.jsonl"
	keyFile = "split.key"
)

// Key is what salts the assignment in a home: 32 bytes, made at first need.
func Key(dir string) ([]byte, error) { return home.Secret(dir, keyFile) }

// Ledger is the file of a home that says which request went to which arm, and what came of it. It has no text of a request and
// none of its values. A line is written at once or, where the process dies, torn, and then dropped; nothing is ever changed or
// taken out.
type Ledger struct{ file string }

// LedgerOf gives the ledger of a home.
func LedgerOf(dir string) *Ledger { return &Ledger{filepath.Join(dir, File)} }

// Exists reports whether a request of the home was ever split.
func (l *Ledger) Exists() bool {
	_, err := os.Stat(l.file)
	return err == nil
}

// The kinds of entries.
const (
	entryPlan    = "plan"    // a request was assigned, and its planning began
	entryEnded   = "ended"   // that planning ended
	entryScored  = "scored"  // the outcome of a unit is settled
	entryLater   = "later"   // what came of its workflow after that
	entryStopped = "stopped" // an arm gets no more requests
	entryStarted = "started" // it gets them again; what was counted is not counted any more
)

// entry is a line of the ledger. Which fields are set depends on E.
type entry struct {
	E    string    `json:"e"`
	At   time.Time `json:"at"`
	Run  string    `json:"run,omitempty"`  // of the planning
	Arms Split     `json:"arms,omitempty"` // of plan, stopped and started: all, stopped ones with weight 0

	Unit  string `json:"unit,omitempty"`
	Arm   string `json:"arm,omitempty"`
	Hash  string `json:"hash,omitempty"` // of the flow of the arm, with its prompts
	Asked Asked  `json:"asked,omitempty"`

	Ended  *Ended  `json:"ended,omitempty"`
	Scored *Scored `json:"scored,omitempty"`
	Later  *Later  `json:"later,omitempty"`

	Why string `json:"why,omitempty"` // of stopped
}

// Asked says who was to be asked about a plan. It is known before anything is planned, so that what is counted does not depend on
// what an arm does.
type Asked string

// Who is asked.
const (
	Person Asked = "person" // at the terminal
	Client Asked = "client" // of MCP, or its user
	Flag   Asked = "flag"   // nobody: --yes or --save approved whatever would be planned
	Nobody Asked = "nobody" // the plan is only shown
)

// judged reports whether somebody looks at a plan before it is carried out.
func (a Asked) judged() bool { return a == Person || a == Client }

// append adds lines, as one write under a lock. A part of a line that a process left that died is ended first.
func (l *Ledger) append(entries ...entry) error {
	if len(entries) == 0 {
		return nil
	}
	var b bytes.Buffer
	for i := range entries {
		line, err := json.Marshal(&entries[i])
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := filelock.Lock(context.Background(), f); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			if err := f.Truncate(wholeLines(f, size)); err != nil {
				return err
			}
		}
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		return err
	}
	return f.Sync()
}

// wholeLines is how many bytes of a file are whole lines.
func wholeLines(f *os.File, size int64) int64 {
	const part = 64 << 10 // more than a line has
	from := max(0, size-part)
	buf := make([]byte, size-from)
	if _, err := f.ReadAt(buf, from); err != nil && err != io.EOF {
		return size
	}
	return from + int64(bytes.LastIndexByte(buf, '\n')+1)
}

// read gives the entries. A torn last line is dropped; any other line that is none is an error that names it.
func (l *Ledger) read() ([]entry, error) {
	data, err := os.ReadFile(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []entry
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if !whole {
			break
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil || e.E == "" {
			return nil, fmt.Errorf("%s:%d: this is no line of the ledger of the live split; take the line out, or move the file away to begin anew", l.file, n)
		}
		out = append(out, e)
	}
	return out, nil
}
