package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/filelock"
	"pflow/internal/value"
	"pflow/internal/workflow"
)

// A run over many lines lies in PFLOW_HOME/each/ID: begun.json says what runs, results.jsonl holds a record of each line that
// began, with its run, and of each that has its result. A record is one write, before what follows.
const (
	eachFolder  = "each"
	eachBegun   = "begun.json"
	eachResults = "results.jsonl"
	eachOver    = "over" // every line has its result
)

// eachAgain says what is run again.
type eachAgain struct {
	retry  bool // steps that were under way
	failed bool // lines that failed
}

// keptEach is what a run over many lines was begun with.
type keptEach struct {
	File        string          `json:"file"`
	Shared      json.RawMessage `json:"shared"`
	Concurrency int             `json:"concurrency"`
	Documents   json.RawMessage `json:"documents"`
}

// keptLine is what is known of a line: its run, and where its result stands.
type keptLine struct {
	line   int
	sum    uint64
	run    string
	at     int64
	length int // 0: it has no result
	ok     bool
}

type eachRecord struct {
	Line   int             `json:"line"`
	Sum    uint64          `json:"sum"`
	Run    string          `json:"run"`
	OK     bool            `json:"ok,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// eachLedger are the results of a run over many lines.
type eachLedger struct {
	dir   string
	mu    sync.Mutex
	f     *os.File
	lines map[int]keptLine // those of before
}

var eachID = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$`)

// isEach tells a run over many lines from another.
func (a *app) isEach(id string) bool {
	info, err := os.Lstat(a.home().Path(eachFolder, id))
	return err == nil && info.IsDir() && eachID.MatchString(id)
}

// newEachLedger begins the ledger of a run over many lines; those that are over and old go.
func (a *app) newEachLedger(e *each) (*eachLedger, error) {
	if err := a.home().Err(); err != nil {
		return nil, err
	}
	a.pruneEach()
	dir := a.home().Path(eachFolder, e.id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	shared := json.RawMessage(value.JSON(e.shared))
	data, err := json.Marshal(keptEach{File: e.file, Shared: shared, Concurrency: e.flags.concurrency, Documents: e.documents})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, eachBegun)
	err = atomicfile.Write(path, 0o600, func(f *os.File) error { _, err := f.Write(data); return err }, func(temp string) error { return os.Rename(temp, path) })
	if err != nil {
		return nil, err
	}
	return openEachLedger(dir)
}

// pruneEach removes runs over many lines that are over, and as old as runs may be.
func (a *app) pruneEach() {
	s, err := a.settings()
	if err != nil {
		return
	}
	over, _ := filepath.Glob(filepath.Join(a.home().Path(eachFolder), "*", eachOver))
	for _, mark := range over {
		if info, err := os.Stat(mark); err == nil && s.Retention.Age > 0 && time.Since(info.ModTime()) > s.Retention.Age {
			_ = os.RemoveAll(filepath.Dir(mark))
		}
	}
}

// openEachLedger reads the records there are. A torn last one is dropped.
func openEachLedger(dir string) (*eachLedger, error) {
	f, err := os.OpenFile(filepath.Join(dir, eachResults), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &eachLedger{dir: dir, f: f, lines: map[int]keptLine{}}
	if free, err := filelock.Try(f); err != nil || !free {
		f.Close()
		if err == nil {
			err = errors.New("another process is working on these lines")
		}
		return nil, err
	}
	r := bufio.NewReader(f)
	at := int64(0)
	for n := 1; ; n++ {
		data, err := r.ReadBytes('\n')
		if err == io.EOF {
			break // what follows the last line break is torn
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		var rec eachRecord
		if err := json.Unmarshal(data, &rec); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s, line %d is not what was written there: %w", f.Name(), n, err)
		}
		l.lines[rec.Line] = keptLine{line: rec.Line, sum: rec.Sum, run: rec.Run, at: at, length: len(data) * min(len(rec.Result), 1), ok: rec.OK}
		at += int64(len(data))
	}
	if err = f.Truncate(at); err == nil {
		_, err = f.Seek(at, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func (l *eachLedger) put(r eachRecord) error {
	data, err := encodeLine(r)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.f.Write(data)
	return err
}

// begin keeps that a line began, before it does.
func (l *eachLedger) begin(line int, sum uint64, run string) error {
	return l.put(eachRecord{Line: line, Sum: sum, Run: run})
}

// end keeps the result of a line.
func (l *eachLedger) end(res *eachResult, sum uint64, line []byte) error {
	return l.put(eachRecord{Line: res.Line, Sum: sum, Run: res.RunID, OK: res.Status == workflow.Done, Result: bytes.TrimSpace(line)})
}

// read gives a result line of before.
func (l *eachLedger) read(was keptLine) ([]byte, error) {
	data := make([]byte, was.length)
	if _, err := l.f.ReadAt(data, was.at); err != nil {
		return nil, err
	}
	var rec eachRecord
	err := json.Unmarshal(data, &rec)
	return append(rec.Result, '\n'), err
}

// over marks that every line has its result.
func (l *eachLedger) over() { _ = os.WriteFile(filepath.Join(l.dir, eachOver), nil, 0o600) }

func (l *eachLedger) close() { l.f.Close() }

// resumeEach goes on with a run over many lines.
func (a *app) resumeEach(ctx context.Context, id string, again eachAgain, f *runFlags) error {
	dir := a.home().Path(eachFolder, id)
	data, err := os.ReadFile(filepath.Join(dir, eachBegun))
	if err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	var k keptEach
	if err := json.Unmarshal(data, &k); err != nil {
		return fail(exitFailed, "%s is not what was written there: %v", filepath.Join(dir, eachBegun), err)
	}
	kept, err := readInvocationOf(k.Documents)
	if err != nil {
		return err
	}
	a.goOnWith(kept)
	shared, err := value.ParseWritten(k.Shared)
	if err != nil {
		return fail(exitFailed, "%s: %v", filepath.Join(dir, eachBegun), err)
	}
	e := &each{app: a, id: id, file: k.File, documents: k.Documents, flags: f, destroys: f.says(yesDestructive), again: again}
	e.shared, _ = shared.(map[string]any)
	f.concurrency = max(1, k.Concurrency)
	if e.kept, err = openEachLedger(dir); err != nil {
		return usage("%s", fileError(fault.Of(err)))
	}
	return e.run(ctx)
}
