// Package otlp tells OpenTelemetry collectors of runs: spans as OTLP/JSON over HTTP, named as the conventions for generative AI
// name them (conventions.go).
//
// What happens goes one way: engine.Execute tells an Exporter, which its context carries, of each part of a run that ended
// (follow.go) → a span is made and put into a queue of bounded length (export.go), or, where that is full, counted as dropped
// → another goroutine masks and encodes it (encode.go) and sends it with others. A run waits for none of that: only Close,
// at the end of the process, waits, as long as it is told.
//
// A span's id is made of the run's id and of the part of the run that it is, and so is the trace's of the run's id: a part that
// is under way when a process is killed, and ends in the one that goes on, is the parent of what was told of before. What a
// step begins itself, another run or a call of a model, finds the step's span in its context.
//
// No contents are told, neither of prompts and replies nor of params and outputs: names, times, counts, and the messages of
// errors but for those that quote what a model said.
package otlp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/mask"
)

type (
	traceID [16]byte
	spanID  [8]byte
)

func (id spanID) isZero() bool { return id == spanID{} }

// The kinds of spans, as the protocol numbers them.
const (
	kindInternal = 1
	kindClient   = 3
)

// span is one span on its way out.
type span struct {
	trace      traceID
	id, parent spanID
	remote     bool // the parent is in another process
	name       string
	kind       int
	began      time.Time
	took       time.Duration
	attributes []attribute
	events     []event
	links      []link
	failed     bool
	message    string // of the status

	secrets func() *mask.Masker // nil: there are none but those that the exporter knows
}

// attribute is a name and a value: text, a whole number, a fraction, a truth or texts.
type attribute struct {
	key   string
	value any // string, int, float64, bool, []string
}

// event is something that happened within a span.
type event struct {
	name       string
	at         time.Time
	attributes []attribute
}

// link is another span that has to do with one.
type link struct {
	trace traceID
	id    spanID
}

// lineage is what the ids of a run's spans are made of.
type lineage [16]byte

// lineageOf is that of a run; one without an id has one of its own.
func lineageOf(run string) (l lineage) {
	if run == "" {
		_, _ = rand.Read(l[:])
		return l
	}
	sum := sha256.Sum256([]byte("pflow run " + run))
	copy(l[:], sum[:])
	return l
}

// trace is the trace of a run that is part of no other.
func (l lineage) trace() traceID { return traceID(l) }

// span is the id of a part of the run.
func (l lineage) span(p engine.Part) spanID {
	var of [32]byte
	copy(of[:], l[:])
	for i, n := range [...]int32{p.Frame, p.Node, p.Visit, p.Unit} {
		binary.BigEndian.PutUint32(of[16+4*i:], uint32(n))
	}
	sum := sha256.Sum256(of[:])
	return spanID(sum[:8])
}

// run is the id of the run itself, as far as one process carries it out: that of the events that happened before.
func (l lineage) run(events int) spanID {
	return l.span(engine.Part{Frame: -1, Visit: int32(events)})
}

// parent is a span of another process, as TRACEPARENT names it (W3C Trace Context).
type parent struct {
	trace   traceID
	id      spanID
	sampled bool
}

// readParent reads VERSION-TRACE-SPAN-FLAGS; what is none is passed over, as the recommendation has it.
func readParent(text string) *parent {
	parts := strings.Split(strings.TrimSpace(text), "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 || strings.ToLower(text) != text {
		return nil
	}
	var p parent
	var version, flags [1]byte
	for _, field := range []struct {
		text string
		into []byte
	}{{parts[0], version[:]}, {parts[1], p.trace[:]}, {parts[2], p.id[:]}, {parts[3], flags[:]}} {
		if len(field.text) != 2*len(field.into) {
			return nil
		}
		if _, err := hex.Decode(field.into, []byte(field.text)); err != nil {
			return nil
		}
	}
	if p.trace == (traceID{}) || p.id.isZero() {
		return nil
	}
	p.sampled = flags[0]&1 == 1
	return &p
}
