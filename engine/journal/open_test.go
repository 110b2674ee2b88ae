package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/engine"
)

// killedRun is a run whose process was killed after its first record.
func killedRun(t *testing.T) (home, id, dir string) {
	t.Helper()
	home, id = t.TempDir(), "20260102-030405-aa"
	w, err := Create(home, id, About{}, []byte(`{"approved": "this"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(someEvents()[0]); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return home, id, filepath.Join(home, "runs", id)
}

// TestOnlyWhatTheRunMade: a run is gone on with, and read, over its own files alone, as they were, and else it stays as it is.
func TestOnlyWhatTheRunMade(t *testing.T) {
	moved := func(name string) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			elsewhere := filepath.Join(filepath.Dir(filepath.Dir(dir)), "elsewhere")
			if err := os.Rename(path, elsewhere); err != nil {
				return err
			}
			return os.Symlink(elsewhere, path)
		}
	}
	for name, c := range map[string]struct {
		do   func(dir string) error
		want string
	}{
		"documents changed": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, documentsFile), []byte(`{"approved": "that"}`), 0o600)
		}, "documents.json was changed since the run began"},
		"documents gone":         {func(dir string) error { return os.Remove(filepath.Join(dir, documentsFile)) }, "documents.json"},
		"documents are a link":   {moved(documentsFile), "documents.json is a symbolic link"},
		"the journal is a link":  {moved(journalFile), "journal.jsonl is a symbolic link"},
		"the folder is a link":   {moved(""), "aa is a symbolic link"},
		"documents are a folder": {func(dir string) error { return remade(filepath.Join(dir, documentsFile)) }, "documents.json is no regular file"},
		"the journal is a folder": {func(dir string) error { return remade(filepath.Join(dir, journalFile)) },
			"journal.jsonl is no regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			home, id, dir := killedRun(t)
			if err := c.do(dir); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(filepath.Join(dir, journalFile))
			_, _, w, err := Resume(home, id, began)
			w.Close()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("resume: %v, want %q", err, c.want)
			}
			if _, _, err = Read(home, id); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("read: %v, want %q", err, c.want)
			}
			if after, _ := os.ReadFile(filepath.Join(dir, journalFile)); !bytes.Equal(before, after) {
				t.Errorf("the journal was changed:\n%s\n%s", before, after)
			}
		})
	}
}

// remade makes a file a folder.
func remade(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Mkdir(path, 0o700)
}

// TestTailGoesBack: who follows a run that a process went on with and then left as it was reads on from there.
func TestTailGoesBack(t *testing.T) {
	home, id, _ := killedRun(t)
	tail, err := OpenTail(home, id)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	next := func(what, want string) {
		t.Helper()
		entries, err := tail.Next()
		var got []string
		for _, e := range entries {
			got = append(got, e.Event)
		}
		if text := strings.Join(got, " "); err != nil || text != want {
			t.Errorf("%s: %q, %v; want %q", what, text, err, want)
		}
	}
	now := someEvents()[0].Time
	goOn := func() *Writer {
		t.Helper()
		now = now.Add(time.Minute)
		_, _, w, err := Resume(home, id, now)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	next("the beginning", "start")
	w := goOn()
	next("gone on with", "resumed")
	if !tail.Open() {
		t.Error("a run that has not ended is not open")
	}
	if err := w.Undo(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	next("left as it was", "")
	w = goOn()
	next("gone on with again", "resumed")
	if err := w.Undo(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	w = goOn() // before anybody looked
	if err := w.Ended(engine.Ending{Status: engine.Done}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if entries, err := tail.Next(); err != nil || len(entries) == 0 || entries[len(entries)-1].Event != "end" || tail.Open() {
		t.Errorf("ended: %v, %v", entries, err)
	}
}
