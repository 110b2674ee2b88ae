package library

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
)

// TestOutcomes: what came of the runs of a document is counted under its name, follows it to another, and is not that of
// the next version.
func TestOutcomes(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	l := New(dir)
	save(t, l, record("greet", "one"))
	hash := func(name string) string {
		r, _, err := l.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		return r.Workflow().Hash()
	}
	note := func(name, hash string, e Ended) {
		t.Helper()
		if err := l.Note(ctx, name, hash, e); err != nil {
			t.Fatal(err)
		}
	}
	outcome := func(name string) *Outcome {
		t.Helper()
		for _, r := range l.List().Records {
			if r.Name == name {
				return r.Outcome
			}
		}
		t.Fatalf("there is no %s", name)
		return nil
	}
	if outcome("greet") != nil {
		t.Error("what never ran has an outcome")
	}
	note("greet", hash("greet"), Ended{At: now, Run: "r1"})
	note("greet", hash("greet"), Ended{At: now.Add(time.Hour), Run: "r2", Failed: true, Kind: fault.NotFound, Message: "no file " + strings.Repeat("x", 1000), Node: "read"})
	note("greet", "another document", Ended{At: now, Run: "r3"})
	note("nobody", hash("greet"), Ended{At: now, Run: "r4"})
	got := outcome("greet")
	if got == nil || got.Done != 1 || got.Failed != 1 || got.Last.Run != "r2" || !got.Last.ForGood() || !strings.HasPrefix(got.Last.Why(), "read: no file xx") || len(got.Last.Message) > 600 {
		t.Fatalf("%+v", got)
	}
	if err := l.Rename(ctx, "greet", "hello", now); err != nil {
		t.Fatal(err)
	}
	if got := outcome("hello"); got == nil || got.Failed != 1 {
		t.Errorf("renamed: %+v", got)
	}
	save(t, l, record("hello", "two"))
	if got := outcome("hello"); got != nil {
		t.Errorf("what was mended has the outcome of what it was: %+v", got)
	}
	history, _, err := l.History("hello")
	if err != nil || len(history) != 2 || history[0].Outcome != nil || history[1].Outcome == nil {
		t.Errorf("%v %+v", err, history)
	}
	// A file that cannot be read is said, and counted anew.
	if err := os.WriteFile(filepath.Join(dir, outcomesFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := l.List().Found.Text(); !strings.Contains(found, "what came of earlier runs is not known") {
		t.Error(found)
	}
	note("hello", hash("hello"), Ended{At: now, Run: "r5"})
	if got := outcome("hello"); got == nil || got.Done != 1 {
		t.Errorf("%+v", got)
	}
	never := Outcome{Failed: 2, Last: &Ended{Failed: true, Kind: fault.NotFound}}
	once, passing := never, never
	once.Done = 1
	passing.Last = &Ended{Failed: true, Kind: fault.Network}
	if never.NeverWell() != never.Last || once.NeverWell() != nil || passing.NeverWell() != nil || (&Outcome{Done: 1, Last: &Ended{}}).NeverWell() != nil || (*Outcome)(nil).NeverWell() != nil {
		t.Error("it is not what never ran well and failed for good that never ran well")
	}
	for kind, want := range map[fault.Kind]bool{fault.Network: false, fault.Permission: true, fault.Limit: false, fault.Failure: false} {
		if e := (Ended{Failed: true, Kind: kind}); e.ForGood() != want {
			t.Errorf("%s: for good %v", kind, !want)
		}
	}
}
