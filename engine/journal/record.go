// Package journal keeps the events of runs in files, so that a killed run can be resumed:
//
//	PFLOW_HOME/runs/ID/journal.jsonl    one event a line, in the order in which they happened
//	PFLOW_HOME/runs/ID/documents.json   the exact documents of the run, whose SHA-256 is in the first event
//
// Every record is one write, made before what follows from it, and is not synced: a killed process loses nothing, a
// machine that loses power may. A last line that is torn was never acted on and is dropped.
package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// version is of the records; a journal of another version cannot be resumed.
const version = 1

// The records, by their "e":
//
//	start     v, time (RFC 3339), seed, documents: the SHA-256 of documents.json, in hex; pid; about, see About; input
//	started   id, at, step, visit, attempt, idempotent
//	finished  id, at, action, result, unkept (texts in the result for what is not written down), meters; kept: the run whose outcome it is; or error {kind, message, details, place, path}; or waits: what is to be approved
//	approved  id, at, action, result: what the attempt that waited gives
//	timer     id, at
//	resumed   at, pid: another process took the run on; none worked on it since the record before
//	end       status, at, steps: how many ended, usage: the meters; error {kind, message, node}; final: true where the run
//	          could go on and never will
//
// pid is the process that writes what follows. All before the input of a run is in the first firstPart bytes of its
// journal, and the end in the last lastPart, so that a list of runs need not read the rest.
//
// at is in nanoseconds since the run began; id is of the attempt or the wait. Each has crc, too; see sum.go. The functions
// that append records leave the last brace to it.
const (
	recordStart    = "start"
	recordStarted  = "started"
	recordFinished = "finished"
	recordApproved = "approved"
	recordTimer    = "timer"
	recordResumed  = "resumed"
	recordEnd      = "end"

	recordCancelled = "cancelled" // of AppendEvent alone: a journal's run goes on where it was cancelled
)

func appendStart(b []byte, ev engine.Event, documents string, about About) []byte {
	b = append(b, `{"e":"start","v":1,"time":`...)
	b = value.AppendString(b, ev.Time.Format(time.RFC3339Nano))
	b = append(b, `,"seed":`...)
	b = strconv.AppendUint(b, ev.Seed, 10)
	b = append(b, `,"documents":`...)
	b = value.AppendString(b, documents)
	b = append(b, `,"pid":`...)
	b = strconv.AppendInt(b, int64(os.Getpid()), 10)
	b = append(b, `,"about":`...)
	b = about.append(b)
	b = append(b, beforeInput...)
	b = value.AppendJSON(b, ev.Input)
	return b
}

func appendHead(b []byte, kind string, id int, at time.Duration) []byte {
	b = append(append(append(b, `{"e":"`...), kind...), `","id":`...)
	b = strconv.AppendInt(b, int64(id), 10)
	b = append(b, `,"at":`...)
	return strconv.AppendInt(b, int64(at), 10)
}

func appendStarted(b []byte, a engine.Attempt) []byte {
	b = appendHead(b, recordStarted, a.ID, a.At)
	b = append(b, `,"step":`...)
	b = value.AppendString(b, a.Step)
	b = append(b, `,"visit":`...)
	b = strconv.AppendInt(b, int64(a.Visit), 10)
	b = append(b, `,"attempt":`...)
	b = strconv.AppendInt(b, int64(a.Attempt), 10)
	if a.Idempotent {
		b = append(b, `,"idempotent":true`...)
	}
	return b
}

func appendHappened(b []byte, ev engine.Event) []byte {
	if ev.Kind == engine.EventTimer {
		return appendHead(b, recordTimer, ev.ID, ev.At)
	}
	kind := recordFinished
	if ev.Kind == engine.EventApprove {
		kind = recordApproved
	}
	b = appendHead(b, kind, ev.ID, ev.At)
	if ev.Action != "" {
		b = append(b, `,"action":`...)
		b = value.AppendString(b, ev.Action)
	}
	switch {
	case ev.Waits != "":
		b = append(b, `,"waits":`...)
		b = value.AppendString(b, ev.Waits)
	case ev.Err != nil:
		b = append(b, `,"error":{"kind":`...)
		b = value.AppendString(b, string(ev.Err.Kind))
		b = append(b, `,"message":`...)
		b = value.AppendString(b, ev.Err.Message)
		if len(ev.Err.Details) > 0 {
			b = append(b, `,"details":`...)
			b = value.AppendJSON(b, ev.Err.Details)
		}
		if at := ev.Err.Place; at != (diag.Place{}) {
			b = append(b, `,"place":`...)
			b = value.AppendJSON(b, map[string]any{"file": at.File, "line": at.Line, "column": at.Col})
		}
		if ev.Err.Path != "" {
			b = append(b, `,"path":`...)
			b = value.AppendString(b, ev.Err.Path)
		}
		b = append(b, '}')
	default:
		b = append(b, `,"result":`...)
		if ev.Kept == nil {
			b = value.AppendJSON(b, ev.Result)
			break
		}
		b = value.AppendJSON(b, ev.Kept)
		b = append(b, `,"unkept":`...)
		list := make([]any, len(ev.Unkept))
		for i, text := range ev.Unkept {
			list[i] = text
		}
		b = value.AppendJSON(b, list)
	}
	if ev.From != "" {
		b = append(b, `,"kept":`...)
		b = value.AppendString(b, ev.From)
	}
	if len(ev.Meters) > 0 {
		b = appendMeters(append(b, `,"meters":`...), ev.Meters)
	}
	return b
}

func appendMeters(b []byte, meters map[string]float64) []byte {
	b = append(b, '{')
	for i, name := range value.SortedKeys(meters) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(value.AppendString(b, name), ':')
		b = value.AppendJSON(b, meters[name])
	}
	return append(b, '}')
}

// record is any record, read back.
type record struct {
	E          string             `json:"e"`
	V          int                `json:"v"`
	Time       time.Time          `json:"time"`
	Seed       uint64             `json:"seed"`
	Documents  string             `json:"documents"`
	PID        int                `json:"pid"`
	About      About              `json:"about"`
	Input      json.RawMessage    `json:"input"`
	ID         int                `json:"id"`
	At         time.Duration      `json:"at"`
	Step       string             `json:"step"`
	Visit      int                `json:"visit"`
	Attempt    int                `json:"attempt"`
	Idempotent bool               `json:"idempotent"`
	Action     string             `json:"action"`
	Result     json.RawMessage    `json:"result"`
	Unkept     []string           `json:"unkept"`
	Kept       string             `json:"kept"`
	Waits      string             `json:"waits"`
	Error      *recordError       `json:"error"`
	Meters     map[string]float64 `json:"meters"`
	Status     engine.Status      `json:"status"`
	Steps      int                `json:"steps"`
	Usage      map[string]float64 `json:"usage"`
	Final      bool               `json:"final"`
	Came       string             `json:"came"`
	Decided    string             `json:"decided"`
}

type recordError struct {
	Kind    fault.Kind      `json:"kind"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
	Place   diag.Place      `json:"place"`
	Path    string          `json:"path"`
	Node    string          `json:"node"`
}

// event reads a record that is an event.
func (r *record) event() (engine.Event, error) {
	ev := engine.Event{ID: r.ID, At: r.At, Action: r.Action, Meters: r.Meters}
	switch r.E {
	case recordStart:
		if r.V != version {
			return ev, fmt.Errorf("the journal has version %d; this pflow reads version %d", r.V, version)
		}
		input, err := value.ParseWritten(r.Input)
		if err != nil {
			return ev, err
		}
		in, ok := input.(map[string]any)
		if !ok {
			return ev, fmt.Errorf("the input of the run is no object")
		}
		return engine.Event{Kind: engine.EventStart, Time: r.Time, Seed: r.Seed, Input: in}, nil
	case recordTimer:
		ev.Kind = engine.EventTimer
	default:
		ev.Kind = engine.EventOutcome
		if r.E == recordApproved {
			ev.Kind = engine.EventApprove
		}
		if r.Waits != "" {
			ev.Waits = r.Waits
			break
		}
		if r.Error != nil {
			ev.Err = &fault.Error{Kind: r.Error.Kind, Message: r.Error.Message, Place: r.Error.Place, Path: r.Error.Path}
			if len(r.Error.Details) > 0 {
				details, err := value.ParseWritten(r.Error.Details)
				if err != nil {
					return ev, err
				}
				ev.Err.Details, _ = details.(map[string]any)
			}
			break
		}
		var err error
		ev.Unkept, ev.From = r.Unkept, r.Kept
		if ev.Result, err = value.ParseWritten(r.Result); err != nil {
			return ev, err
		}
	}
	return ev, nil
}
