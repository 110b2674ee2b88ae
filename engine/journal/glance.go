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

	"pflow/engine"
	"pflow/internal/filelock"
)

// Glance is what a run tells without reading it whole. No checksum is looked at.
type Glance struct {
	About   About
	End     *engine.Ending // nil: it has not ended
	Running bool           // a process works on it
	GoesOn  bool           // it can be resumed, once no process works on it
	PID     int            // of the process that works on it, where one does
	Bytes   int64          // of its files
}

// ErrNoStart is the error of a run without its first record.
var ErrNoStart = errors.New("the journal holds no start of a run")

// Look looks at a run. A run that is not there is fs.ErrNotExist; nothing is followed that the run did not make.
func Look(home, id string) (*Glance, error) {
	dir, err := realFolder(home, id)
	if err != nil {
		return nil, err
	}
	g := &Glance{GoesOn: true}
	f, err := openReal(filepath.Join(dir, journalFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		g.GoesOn = false
		f, err = openReal(filepath.Join(dir, brokenFile), os.O_RDONLY)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoStart)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g.Running = filelock.Held(f)
	if err := g.first(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if err := g.last(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	g.Bytes = size(dir)
	return g, nil
}

// first reads what stands before the input of the run.
func (g *Glance) first(f *os.File) error {
	var head []byte
	found := false
	for part := 1 << 10; part <= firstPart && !found; part *= 4 { // mostly it is short
		buf := make([]byte, part)
		n, err := f.ReadAt(buf, 0)
		if err != nil && err != io.EOF {
			return err
		}
		head, _, found = bytes.Cut(buf[:n], []byte(beforeInput)) // a text would have its quotes escaped
	}
	if !found {
		return ErrNoStart
	}
	var r record
	if err := json.Unmarshal(append(head[:len(head):len(head)], '}'), &r); err != nil || r.E != recordStart {
		return ErrNoStart
	}
	g.About, g.PID = r.About, r.PID
	return nil
}

// last reads the last whole record.
func (g *Glance) last(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var line []byte
	for part, found := int64(512), false; part <= lastPart && !found; part *= 8 { // mostly it is short
		from := max(0, info.Size()-part)
		buf := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(buf, from); err != nil && err != io.EOF {
			return err
		}
		whole := bytes.TrimSuffix(buf[:bytes.LastIndexByte(buf, '\n')+1], []byte("\n"))
		at := bytes.LastIndexByte(whole, '\n')
		line, found = whole[at+1:], at >= 0 || from == 0
	}
	var r record
	if json.Unmarshal(line, &r) != nil || r.E != recordEnd { // a longer record is no end
		return nil
	}
	g.End, g.GoesOn = r.end(), g.GoesOn && goesOn(r.Status) && !r.Final
	return nil
}

// size is what the files of a folder hold, in bytes.
func size(dir string) (n int64) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n
}
