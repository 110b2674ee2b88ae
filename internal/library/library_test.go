package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2024, 1, 15, 9, 0, 0, 0, time.UTC)

func doc(prompt string) []byte {
	return []byte(fmt.Sprintf(`{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "llm", "params": {"prompt": %q, "n": 1234567890123456789}}]}`, prompt))
}

func record(name, prompt string) *Record {
	r := NewRecord(name, doc(prompt), nil)
	r.Description, r.Keywords = "Does it.", []string{"k"}
	return r
}

func save(t *testing.T, l *Library, r *Record) *Record {
	t.Helper()
	saved, err := l.Save(context.Background(), r, SaveOptions{Now: now, Next: true})
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func TestSaveAndVersions(t *testing.T) {
	l := New(filepath.Join(t.TempDir(), "new", "workflows"))
	if got := l.List(); len(got.Records) != 0 || len(got.Found) != 0 {
		t.Errorf("a folder that is not there: %+v", got)
	}
	save(t, l, record("fix-issue", "one"))
	if _, err := l.Save(context.Background(), record("fix-issue", "two"), SaveOptions{Now: now}); !errors.Is(err, ErrExists) {
		t.Errorf("saved over: %v", err)
	}
	if got := save(t, l, record("fix-issue", "two")); got.Version != 2 || !got.CreatedAt.Equal(now) {
		t.Errorf("version %d", got.Version)
	}
	for _, o := range []SaveOptions{{Now: now, Once: true}, {Now: now, Next: true, Once: true}} {
		if got, err := l.Save(context.Background(), record("fix-issue", "two"), o); err != nil || got.Version != 2 {
			t.Errorf("saved again what is the current version, %+v: %+v, %v", o, got, err)
		}
	}
	for ref, want := range map[string]string{"fix-issue": "two", "fix-issue@1": "one", "fix-issue@2": "two"} {
		r, found, err := l.Get(ref)
		if err != nil || len(found) > 0 || r.Workflow().Nodes[0].Params["prompt"] != want {
			t.Errorf("%s: %v %v", ref, err, found)
		}
		if fmt.Sprint(r.Workflow().Nodes[0].Params["n"]) != "1234567890123456789" {
			t.Error("a number lost digits")
		}
	}
	history, found, err := l.History("fix-issue")
	if err != nil || len(found) > 0 || len(history) != 2 || history[0].Version != 2 {
		t.Errorf("%v %v %v", history, found, err)
	}
	want := `{
  "name": "fix-issue",
  "description": "Does it.",
  "keywords": [
    "k"
  ],
  "examples": [],
  "ir": {
    "ir_version": "0.1.0",
    "nodes": [
      {
        "id": "a",
        "type": "llm",
        "params": {
          "prompt": "two",
          "n": 1234567890123456789
        }
      }
    ]
  },
  "ir_hash": "` + history[0].Hash() + `",
  "created_at": "2024-01-15T09:00:00Z",
  "updated_at": "2024-01-15T09:00:00Z",
  "version": 2,
  "origin": null
}
`
	data, _ := os.ReadFile(l.Path("fix-issue"))
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
	if info, _ := os.Stat(l.Path("fix-issue")); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestErrorsNameWhatThereIs(t *testing.T) {
	l := New(t.TempDir(), "validate")
	save(t, l, record("fix-issue", "one"))
	for ref, want := range map[string]string{
		"fix-isue":               `there is no saved workflow "fix-isue"; did you mean "fix-issue"?`,
		"fix-issue@3":            `fix-issue has no version 3; it has 1`,
		"fix-issue@x":            `"x" is no version: write fix-issue@2`,
		"../fix-issue":           `"../fix-issue" is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue`,
		"..":                     `".." is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue`,
		"a/b":                    `"a/b" is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue`,
		"Fix":                    `"Fix" is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue`,
		"-rf":                    `"-rf" is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue`,
		"a\nb":                   `"a\nb" is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue`,
		"":                       `"" is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue`,
		strings.Repeat("a", 200): `the name "` + strings.Repeat("a", 80) + `…" is longer than 80 characters`,
		"validate":               `"validate" is a command, so it cannot be the name of a workflow`,
	} {
		if _, _, err := l.Get(ref); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", ref, err, want)
		}
		if name, _, _ := strings.Cut(ref, "@"); name != "fix-issue" && name != "fix-isue" {
			if _, err := l.Save(context.Background(), record(ref, "x"), SaveOptions{Now: now, Next: true}); err == nil {
				t.Errorf("%q was saved", ref)
			}
		}
	}
}

// TestHostileFiles: what is malformed is skipped and named, the rest is there.
func TestHostileFiles(t *testing.T) {
	dir := t.TempDir()
	l := New(dir)
	save(t, l, record("good", "one"))
	whole, _ := os.ReadFile(l.Path("good"))
	outside := filepath.Join(t.TempDir(), "secret.json")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("cut.json", string(whole[:len(whole)/2]))
	put("empty.json", "")
	put("list.json", "[]")
	put("no-ir.json", `{"name": "x"}`)
	put("bad-ir.json", "{\"ir\":\n {\"ir_version\": \"0.1.0\", \"nodes\": [{\"id\": \"a\"}]}}")
	put("Bad Name.json", string(whole))
	put("bare.json", string(doc("bare")))
	put("edited.json", `{"ir": `+string(doc("edited"))+`, "ir_hash": "00", "inputs": {}, "created": "x", "keyword": ["a"], "name": "other"}`)
	put("old.json", `{"name": "old", "ir": `+string(doc("old"))+`, "version": "1.0.0", "inputs": {"a": {}}, "outputs": [], "created": "2025"}`)
	put("notes.txt", "x")
	put(".hidden.json", "x")
	put(tempPrefix+"1-x", "left by a killed process")
	if err := os.WriteFile(outside, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := l.List()
	if diff := cmp.Diff([]string{"bare", "edited", "good", "old"}, got.Names()); diff != "" {
		t.Error(diff)
	}
	hash, _, _ := l.Get("edited")
	want := `Bad Name.json: warning: the file is skipped: "Bad Name" is no name for a workflow: write lower-case letters, digits and single hyphens, as in fix-issue [bad-name]
bad-ir.json:2:36: ir.nodes[0].type: warning: the file is skipped: the key "type" is missing; each node needs it [bad-workflow]
   {"ir_version": "0.1.0", "nodes": [{"id": "a"}]}}
                                     ^
cut.json: warning: the file is skipped: not a JSON document: line 16, column 8: the text ends too early [bad-workflow]
edited.json: warning: a saved workflow has no key "keyword"; it is kept [unknown-key]
  did you mean "keywords"?
edited.json: warning: ir_hash is not that of the ir (` + hash.Hash() + `), which was changed without it; saving again mends it [wrong-hash]
empty.json: warning: the file is skipped: not a JSON document: line 1, column 1: the text ends too early [bad-workflow]
folder.json: warning: the file is skipped: it is no regular file [bad-workflow]
link.json: warning: the file is skipped: it is a symbolic link; put the workflow itself there [bad-workflow]
list.json: warning: the file is skipped: not a JSON object [bad-workflow]
no-ir.json: warning: the file is skipped: the key "ir" is missing: it is neither a saved workflow nor an IR document [bad-workflow]
`
	if diff := cmp.Diff(want, strings.ReplaceAll(got.Found.Text(), dir+"/", "")); diff != "" {
		t.Error(diff)
	}
	if _, err := l.Save(context.Background(), record("link", "x"), SaveOptions{Now: now, Next: true}); err == nil {
		t.Error("saved through a symbolic link")
	}
	// What is damaged is kept when its name is saved again.
	if got := save(t, l, record("cut", "mended")); got.Version != 2 {
		t.Errorf("version %d", got.Version)
	}
	if kept, _ := os.ReadFile(filepath.Join(dir, l.versionFile("cut", 1))); string(kept) != string(whole[:len(whole)/2]) {
		t.Error("the damaged file was lost")
	}
	if r := save(t, l, hash); string(r.read().extra["keyword"]) != `["a"]` || r.Version != 2 {
		t.Errorf("%+v", r)
	}
	// A version that is a text counts nothing.
	if old, found, err := l.Get("old"); err != nil || len(found) > 0 || old.Version != 1 {
		t.Errorf("the old form: %+v, %v, %v", old, found, err)
	}
	if got := save(t, l, record("old", "next")); got.Version != 2 {
		t.Errorf("the next version of the old form: %d", got.Version)
	}
	if _, err := os.Stat(filepath.Join(dir, tempPrefix+"1-x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the temporary file of a killed process is still there")
	}
}

func TestUnreadableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := New(file).List()
	want := file + ": warning: the library cannot be read, so it counts as empty: not a directory [unreadable]\n"
	if len(got.Records) != 0 || got.Found.Text() != want {
		t.Errorf("got %s", got.Found.Text())
	}
}

// TestVersionsLinkedAway: a folder of versions that leads elsewhere is not followed.
func TestVersionsLinkedAway(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	l := New(dir)
	save(t, l, record("a", "one"))
	if err := os.Symlink(elsewhere, filepath.Join(dir, versionsDir)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Save(context.Background(), record("a", "two"), SaveOptions{Now: now, Next: true}); err == nil {
		t.Error("a version was written outside")
	}
	if entries, _ := os.ReadDir(elsewhere); len(entries) > 0 {
		t.Errorf("outside: %v", entries)
	}
}

func TestRenameDeleteExamples(t *testing.T) {
	ctx := context.Background()
	l := New(t.TempDir())
	save(t, l, record("a", "one"))
	save(t, l, record("a", "two"))
	if _, err := l.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Get("a"); err == nil || err.Error() != `there is no saved workflow "a"; it was deleted, its versions are kept: a@1, 2` {
		t.Errorf("%v", err)
	}
	if r, _, err := l.Get("a@2"); err != nil || r.Workflow().Nodes[0].Params["prompt"] != "two" {
		t.Errorf("a deleted version is lost: %v", err)
	}
	if history, _, err := l.History("a"); err != nil || len(history) != 2 {
		t.Errorf("%v %v", history, err)
	}
	save(t, l, record("b", "three"))
	save(t, l, record("b", "four"))
	if err := l.Rename(ctx, "b", "a", now); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{"a@1": "one", "a@2": "two", "a@3": "three", "a@4": "four", "a": "four"} {
		if r, _, err := l.Get(ref); err != nil || r.Workflow().Nodes[0].Params["prompt"] != want || r.Name != "a" {
			t.Errorf("%s: %v", ref, err)
		}
	}
	if err := l.Rename(ctx, "b", "c", now); err == nil {
		t.Error("renamed what is gone")
	}
	save(t, l, record("c", "five"))
	if err := l.Rename(ctx, "c", "a", now); !errors.Is(err, ErrExists) {
		t.Errorf("renamed over: %v", err)
	}
	for range 2 {
		if err := l.AddExample(ctx, "a", "do it for 5"); err != nil {
			t.Fatal(err)
		}
	}
	if r, _, _ := l.Get("a"); len(r.Examples) != 1 || r.Version != 4 {
		t.Errorf("%v, version %d", r.Examples, r.Version)
	}
}

// TestTwoProcesses runs this test binary as several processes that all save one name.
func TestTwoProcesses(t *testing.T) {
	if dir := os.Getenv("LIBRARY_TEST_DIR"); dir != "" {
		for i := range 5 {
			save(t, New(dir), record("both", os.Getenv("LIBRARY_TEST_WHO")+fmt.Sprint(i)))
		}
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for who := range 4 {
		wg.Go(func() {
			cmd := exec.Command(exe, "-test.run=^TestTwoProcesses$")
			cmd.Env = append(os.Environ(), "LIBRARY_TEST_DIR="+dir, fmt.Sprintf("LIBRARY_TEST_WHO=p%d-", who))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	history, found, err := New(dir).History("both")
	if err != nil || len(found) > 0 || len(history) != 20 {
		t.Fatalf("%d versions, %v %v", len(history), found, err)
	}
	seen := map[any]bool{}
	for i, r := range history {
		seen[r.Workflow().Nodes[0].Params["prompt"]] = true
		if r.Version != 20-i {
			t.Errorf("version %d at %d", r.Version, i)
		}
	}
	if len(seen) != 20 {
		t.Errorf("only %d of 20 saves are kept", len(seen))
	}
}

func TestLockEndsWithTheContext(t *testing.T) {
	l := New(t.TempDir())
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	err := l.locked(context.Background(), func(*os.Root) error {
		_, err := l.Save(ctx, record("a", "x"), SaveOptions{Now: now})
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// A file in YAML that somebody put into the folder is read like any other, counts its versions by those that are kept, and
// is left as it is written by all but a save.
func TestYAML(t *testing.T) {
	ctx, l := context.Background(), New(t.TempDir())
	const text = "# mine\ndescription: Greets.\nir:\n  ir_version: 0.1.0\n  nodes: [{id: a, type: template, params: {template: x, n: 1234567890123456789}}]\n"
	if err := os.WriteFile(l.dir+"/greet.yml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, found, err := l.Get("greet")
	if err != nil || len(found) > 0 || r.Description != "Greets." || r.Version != 1 || l.Path("greet") != filepath.Join(l.dir, "greet.yml") {
		t.Fatalf("%+v %v %v", r, found, err)
	}
	if n := r.Workflow().Nodes[0].Params["n"]; fmt.Sprint(n) != "1234567890123456789" {
		t.Errorf("a number lost digits: %v", n)
	}
	if err := l.AddExample(ctx, "greet", "greet me"); err != nil {
		t.Fatal(err)
	}
	next := strings.Replace(text, "x,", "y,", 1)
	changed, _, err := Parse("greet.yml", []byte(next))
	if err != nil {
		t.Fatal(err)
	}
	changed.Name = "greet"
	if got, err := l.Save(ctx, changed, SaveOptions{Now: now, Next: true, YAML: []byte(next)}); err != nil || got.Version != 2 {
		t.Fatalf("%+v %v", got, err)
	}
	for file, want := range map[string]string{"greet.yml": next, ".versions/greet/1.yml": text} {
		if data, _ := os.ReadFile(filepath.Join(l.dir, file)); string(data) != want {
			t.Errorf("%s: %s", file, data)
		}
	}
	if err := l.Rename(ctx, "greet", "hello", now); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Delete(ctx, "hello"); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{"hello@1": "x", "hello@2": "y"} {
		if r, _, err := l.Get(ref); err != nil || r.Workflow().Nodes[0].Params["template"] != want {
			t.Errorf("%s: %v", ref, err)
		}
	}
	if got := save(t, l, record("hello", "z")); got.Version != 3 || l.Path("hello") != filepath.Join(l.dir, "hello.json") {
		t.Errorf("version %d in %s", got.Version, l.Path("hello"))
	}
}
