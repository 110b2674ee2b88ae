package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/filelock"
	"pflow/internal/value"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// written is a journal of events, as its lines.
func written(t testing.TB, events []engine.Event) [][]byte {
	t.Helper()
	home := t.TempDir()
	w, err := Create(home, "run", About{}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Begin(events[0]); err != nil {
		t.Fatal(err)
	}
	for i, ev := range events[1:] {
		if err := errors.Join(w.Started(engine.Attempt{ID: ev.ID, Step: "s", Visit: 1, Attempt: i, At: ev.At}), w.Happened(ev)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Ended(engine.Ending{Status: engine.Done}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(home, "runs", "run", journalFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return lines[:len(lines)-1]
}

func someEvents() []engine.Event {
	events := []engine.Event{{Kind: engine.EventStart, Time: began, Seed: math.MaxUint64, Input: map[string]any{"n": 1e20}}}
	for i := 1; i < 8; i++ {
		events = append(events, engine.Event{Kind: engine.EventOutcome, ID: i, At: time.Duration(i), Result: fmt.Sprint("result ", i%3)})
	}
	return append(events, engine.Event{Kind: engine.EventTimer, ID: 8}, engine.Event{Kind: engine.EventOutcome, ID: 9, Waits: "it"},
		engine.Event{Kind: engine.EventApprove, ID: 9, Result: 9223372036854775808.0, Action: "go"})
}

// TestChangedLinesAreNamed changes, removes, repeats, inserts and swaps every line: each time the first line that is not
// what was written is named, and nothing can be resumed.
func TestChangedLinesAreNamed(t *testing.T) {
	lines := written(t, someEvents())
	other := written(t, append([]engine.Event{{Kind: engine.EventStart, Time: began, Input: map[string]any{}}}, engine.Event{Kind: engine.EventOutcome, ID: 1, Result: "another"}))
	names := func(what string, line int, lines ...[]byte) {
		t.Helper()
		_, err := Fold(bytes.Join(lines, nil))
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d of the journal: its checksum is wrong", line)) {
			t.Errorf("%s: %v, want line %d", what, err, line)
		}
	}
	join := func(parts ...[][]byte) (out [][]byte) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	if _, err := Fold(bytes.Join(lines, nil)); err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		for at := range len(lines[i]) - 1 {
			for _, bit := range []byte{1, 0x20, 0x80} {
				changed := bytes.Clone(lines[i])
				if changed[at] ^= bit; changed[at] == '\n' {
					continue // it is two lines then
				}
				names(fmt.Sprintf("line %d, byte %d changed to %q", i+1, at, changed), i+1, join(lines[:i], [][]byte{changed}, lines[i+1:])...)
			}
		}
		names("repeated", i+2, join(lines[:i+1], lines[i:])...)
		names("another run's line", i+1, join(lines[:i], other[1:2], lines[i:])...)
		names("a line without checksum", i+1, join(lines[:i], [][]byte{[]byte("{\"e\":\"timer\",\"id\":1,\"at\":1}\n")}, lines[i:])...)
		names("an empty line", i+1, join(lines[:i], [][]byte{[]byte("\n")}, lines[i:])...)
		if i+1 < len(lines) {
			names("removed", i+1, join(lines[:i], lines[i+1:])...)
			names("swapped", i+1, join(lines[:i], lines[i+1:i+2], lines[i:i+1], lines[i+2:])...)
		}
	}
	for cut := range lines[3] {
		text := append(bytes.Join(lines[:3], nil), lines[3][:cut]...)
		if p, err := Fold(text); err != nil || p.whole != int64(len(bytes.Join(lines[:3], nil))) {
			t.Errorf("torn after %d bytes: %v", cut, err)
		}
	}
}

// TestEventsReadBack: what is read is what was written.
func TestEventsReadBack(t *testing.T) {
	events := someEvents()
	checkEvents(t, events)
}

func checkEvents(t *testing.T, events []engine.Event) {
	t.Helper()
	text, sum := seal(appendStart(nil, events[0], "", About{}), 0)
	for _, ev := range events[1:] {
		var line []byte
		line, sum = seal(appendHappened(nil, ev), sum)
		text = append(text, line...)
	}
	p, err := Fold(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(events, p.History.Events, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// FuzzEvents writes events of any values and reads them back.
func FuzzEvents(f *testing.F) {
	f.Add(uint64(0x4415af1d78b58c40), int64(math.MinInt64), "a\x00\"\n", uint8(0))
	f.Add(uint64(1), int64(-1), "\u2028", uint8(1))
	f.Fuzz(func(t *testing.T, bits uint64, n int64, text string, kind uint8) {
		v, err := value.Normalize([]any{math.Float64frombits(bits), int(n), text, map[string]any{text: float64(n)}})
		if err != nil || len(text) > 1000 {
			return
		}
		ev := engine.Event{Kind: engine.EventOutcome, ID: int(n), At: time.Duration(n), Action: text}
		switch kind % 4 {
		case 0:
			ev.Result, ev.Meters = v, map[string]float64{text: math.Float64frombits(bits)}
		case 1:
			ev.Err = &fault.Error{Kind: fault.Kind(text), Message: text, Details: map[string]any{text: v}}
		case 2:
			ev.Waits = "w" + text
		default:
			ev.Kind, ev.Result = engine.EventApprove, v
		}
		checkEvents(t, []engine.Event{{Kind: engine.EventStart, Time: began, Seed: bits, Input: map[string]any{text: v}}, ev})
	})
}

// TestARunBeginsAtOnce: before its first record there is no run, whatever is left of it goes, and after it all of it is there.
func TestARunBeginsAtOnce(t *testing.T) {
	home := t.TempDir()
	w, err := Create(home, "20260102-030405-aa", About{}, []byte("documents"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Resume(home, "20260102-030405-aa", began); err == nil || !strings.Contains(err.Error(), "there is no run") {
		t.Errorf("a run that has not begun: %v", err)
	}
	if err := w.Begin(someEvents()[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(home, "20260102-030405-aa", About{}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same run twice: %v", err)
	}
	w.Close()
	if p, docs, w, err := Resume(home, "20260102-030405-aa", began); err != nil || string(docs) != "documents" || len(p.History.Events) != 1 {
		t.Errorf("%v, %q", err, docs)
	} else {
		w.Close()
	}
	if w, err = Create(home, "20260102-030405-bb", About{}, nil); err != nil {
		t.Fatal(err)
	}
	w.Close() // it never began
	if _, err := Create(home, "20260102-030405-cc", About{}, nil); err != nil {
		t.Fatal(err) // and this one's process is killed: its lock goes when the test ends
	}
	left := func() (names []string) {
		entries, _ := os.ReadDir(filepath.Join(home, "runs"))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if diff := cmp.Diff([]string{".new-20260102-030405-cc", "20260102-030405-aa"}, left()); diff != "" {
		t.Error(diff)
	}
}

// TestGlance: what a run is and how it ended is read without the rest, whatever its texts and however long its records.
func TestGlance(t *testing.T) {
	home := t.TempDir()
	about := About{Kind: OfWorkflow, Name: strings.Repeat("n", 300), Request: strings.Repeat(`",\"input\":é`, 200), By: ByPerson, Began: began}
	w, err := Create(home, "run", about, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Begin(engine.Event{Kind: engine.EventStart, Time: began, Input: map[string]any{"long": strings.Repeat("x", 3*firstPart)}}); err != nil {
		t.Fatal(err)
	}
	look := func() *Glance {
		t.Helper()
		g, err := Look(home, "run")
		if err != nil {
			t.Fatal(err)
		}
		if g.Bytes < 3*firstPart || g.PID != os.Getpid() {
			t.Errorf("%d bytes, process %d", g.Bytes, g.PID)
		}
		g.Bytes, g.PID = 0, 0
		return g
	}
	if diff := cmp.Diff(&Glance{About: about.Bounded(), Running: filelock.Supported, GoesOn: true}, look()); diff != "" {
		t.Error(diff)
	}
	if len(look().About.Request) > maxRequest+3 {
		t.Error("the request is not cut")
	}
	end := engine.Ending{Status: engine.Failed, At: time.Minute, Steps: 2, Usage: map[string]float64{"calls": 3, "cost_usd": 0.25},
		Error: &engine.RunError{Kind: "timeout", Message: strings.Repeat(`"é`, 3000), Node: "n"}}
	if err := errors.Join(w.Happened(engine.Event{Kind: engine.EventOutcome, ID: 1, Result: strings.Repeat("y", 2*lastPart)}), w.Ended(end)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	end.Error.Message = cut(end.Error.Message, maxMessage)
	if diff := cmp.Diff(&Glance{About: about.Bounded(), End: &end}, look()); diff != "" {
		t.Error(diff)
	}
}

// TestGiveUp: a run that is cancelled for good does not go on, and says so.
func TestGiveUp(t *testing.T) {
	home := t.TempDir()
	w, err := Create(home, "run", About{}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Begin(someEvents()[0]), w.Ended(engine.Ending{Status: engine.Waiting, Steps: 3})); err != nil {
		t.Fatal(err)
	}
	if err := GiveUp(home, "run", began); filelock.Supported && (err == nil || !strings.Contains(err.Error(), "another process")) {
		t.Errorf("while a process works on it: %v", err)
	}
	w.Close()
	file := filepath.Join(home, "runs", "run", journalFile)
	text, _ := os.ReadFile(file)
	if err := os.WriteFile(file, append(text, `{"e":"torn`...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := GiveUp(home, "run", began); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Resume(home, "run", began); !errors.Is(err, ErrEnded) || !strings.Contains(err.Error(), "for good") {
		t.Errorf("resumed: %v", err)
	}
	if g, err := Look(home, "run"); err != nil || g.GoesOn || g.End.Status != engine.Cancelled || g.End.Steps != 3 {
		t.Errorf("%+v, %v", g, err)
	}
	if err := GiveUp(home, "run", began); !errors.Is(err, ErrEnded) {
		t.Errorf("twice: %v", err)
	}
}

// TestDecide: what a person decided on a run stands beside its end, which stays what it was. A write that was torn loses nothing else.
func TestDecide(t *testing.T) {
	home := t.TempDir()
	w, err := Create(home, "run", About{Kind: OfPlan}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(someEvents()[0]); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := Decide(home, "run", "declined"); err == nil || !strings.Contains(err.Error(), "it is not done") {
		t.Errorf("before its end: %v", err)
	}
	_, _, w, err = Resume(home, "run", began)
	if err != nil {
		t.Fatal(err)
	}
	end := engine.Ending{Status: engine.Done, At: time.Minute, Steps: 2, Usage: map[string]float64{"calls": 3}, Came: "ready"}
	if err := w.Ended(end); err != nil {
		t.Fatal(err)
	}
	if err := Decide(home, "run", "declined"); filelock.Supported && (err == nil || !strings.Contains(err.Error(), "another process")) {
		t.Errorf("while a process works on it: %v", err)
	}
	w.Close()
	file := filepath.Join(home, "runs", "run", journalFile)
	for _, decided := range []string{"declined", "edited"} {
		if err := Decide(home, "run", decided); err != nil {
			t.Fatal(err)
		}
		end.Decided = decided
		past, _, err := Read(home, "run")
		if err != nil || cmp.Diff(&end, past.End) != "" || past.GoesOn() {
			t.Errorf("%+v, %v", past, err)
		}
		if g, err := Look(home, "run"); err != nil || cmp.Diff(&end, g.End) != "" || g.GoesOn {
			t.Errorf("%+v, %v", g, err)
		}
		text, _ := os.ReadFile(file)
		if err := os.WriteFile(file, append(text, `{"e":"end","sta`...), 0o600); err != nil { // killed while it wrote
			t.Fatal(err)
		}
	}
	if past, _, err := Read(home, "run"); err != nil || cmp.Diff(&end, past.End) != "" {
		t.Errorf("torn: %+v, %v", past, err)
	}
}
