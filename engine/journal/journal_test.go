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
	"pflow/internal/value"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// written is a journal of events, as its lines.
func written(t testing.TB, events []engine.Event) [][]byte {
	t.Helper()
	home := t.TempDir()
	w, err := Create(home, "run", []byte("{}"))
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
	if err := w.Ended(engine.Done); err != nil {
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
	text, sum := seal(appendStart(nil, events[0], ""), 0)
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
	w, err := Create(home, "20260102-030405-aa", []byte("documents"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Resume(home, "20260102-030405-aa", began); err == nil || !strings.Contains(err.Error(), "there is no run") {
		t.Errorf("a run that has not begun: %v", err)
	}
	if err := w.Begin(someEvents()[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(home, "20260102-030405-aa", nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same run twice: %v", err)
	}
	w.Close()
	if p, docs, w, err := Resume(home, "20260102-030405-aa", began); err != nil || string(docs) != "documents" || len(p.History.Events) != 1 {
		t.Errorf("%v, %q", err, docs)
	} else {
		w.Close()
	}
	if w, err = Create(home, "20260102-030405-bb", nil); err != nil {
		t.Fatal(err)
	}
	w.Close() // it never began
	if _, err := Create(home, "20260102-030405-cc", nil); err != nil {
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

// TestPrune keeps what can go on, whatever the bounds, and of the rest what is young, new and small enough.
func TestPrune(t *testing.T) {
	now := began.Add(24 * time.Hour)
	make := func(home, id string, end engine.Status, documents int) {
		w, err := Create(home, id, bytes.Repeat([]byte(" "), documents))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := w.Begin(someEvents()[0]); err != nil {
			t.Fatal(err)
		}
		if end != "" {
			if err := w.Ended(end); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		keep Retention
		want []string
	}{
		"by number": {Retention{1, 1000 * time.Hour, 1 << 30}, []string{"a-cancelled", "b-open", "d-waiting", "g-limit"}},
		"none":      {Retention{0, 1000 * time.Hour, 1 << 30}, []string{"a-cancelled", "b-open", "d-waiting"}},
		"by age":    {Retention{100, 0, 1 << 30}, []string{"a-cancelled", "b-open", "d-waiting"}},
		"by size":   {Retention{100, 1000 * time.Hour, 2800}, []string{"a-cancelled", "b-open", "d-waiting", "f-failed", "g-limit"}},
		"all":       {Retention{100, 1000 * time.Hour, 1 << 30}, []string{"a-cancelled", "b-open", "c-done", "d-waiting", "e-done", "f-failed", "g-limit"}},
	} {
		home := t.TempDir()
		for id, end := range map[string]engine.Status{"a-cancelled": engine.Cancelled, "b-open": "", "c-done": engine.Done, "d-waiting": engine.Waiting,
			"e-done": engine.Done, "f-failed": engine.Failed, "g-limit": engine.Limited} {
			make(home, "20260102-030405-"+id, end, 1000)
		}
		runs := filepath.Join(home, "runs")
		for _, dir := range []string{newPrefix + "20260102-030405-left", gonePrefix + "20260102-030405-half", newPrefix + "20260103-020405-young", "20260102-030405-empty"} {
			if err := os.MkdirAll(filepath.Join(runs, dir), 0o700); err != nil {
				t.Fatal(err)
			}
			at := now.Add(-2 * leftAlone)
			if strings.HasSuffix(dir, "young") {
				at = now
			}
			if err := os.Chtimes(filepath.Join(runs, dir), at, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := Prune(home, c.keep, now); err != nil {
			t.Fatal(err)
		}
		want := append([]string{newPrefix + "20260103-020405-young"}, c.want...)
		entries, _ := os.ReadDir(runs)
		var got []string
		for _, e := range entries {
			if got = append(got, strings.TrimPrefix(e.Name(), "20260102-030405-")); got[len(got)-1] == "empty" {
				got = got[:len(got)-1] // kept by number or age, where they allow
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
