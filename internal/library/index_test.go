package library

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// indexedLibrary is a library of so many workflows with an index: copies, some with notes for people, one in YAML, one that is
// no workflow. Their files are old enough for the index to trust them.
func indexedLibrary(t *testing.T, n int) *Library {
	t.Helper()
	dir := t.TempDir()
	l := New(filepath.Join(dir, "workflows"), "run").Indexed(filepath.Join(dir, "cache", "workflows.index"), "this program")
	for i := range n {
		r := NewRecord(fmt.Sprintf("w-%03d", i), doc(fmt.Sprintf("say <%d> & go", i)), nil)
		r.Description, r.Keywords, r.Examples = fmt.Sprintf("Says %d.", i), []string{"say", "tell"}, []string{fmt.Sprintf("say %d to me", i)}
		if i%7 == 0 {
			r.SetOrigin([]byte(`{"run_id": "r"}`))
		}
		putFile(t, l, r.Name+".json", string(r.Encode()))
	}
	putFile(t, l, "by-hand.yaml", "ir_version: 0.1.0\nnodes: [{id: a, type: shell, params: {command: ls}}]\n")
	putFile(t, l, "note.json", strings.Replace(string(NewRecord("note", doc("x"), nil).Encode()), `"name"`, `"remark": "mine", "name"`, 1))
	putFile(t, l, "broken.json", "{")
	return l
}

// putFile writes a file that was changed long ago, each time at another moment.
func putFile(t *testing.T, l *Library, name, text string) {
	t.Helper()
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(l.dir, name)
	at := time.Now().Add(-time.Hour)
	if info, err := os.Stat(file); err == nil {
		at = info.ModTime().Add(time.Second)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

// told is all that a listing says, with the bodies of its records.
func told(l *Library) string {
	listing := l.List()
	var b strings.Builder
	for _, r := range listing.Records {
		t := r.Traits()
		fmt.Fprintf(&b, "%s %s %x %x %v %v\n", r.Encode(), t.Hash, t.Steps, t.Whole, t.Types, t.Secrets)
		outcome, _ := json.Marshal(r.Outcome)
		fmt.Fprintf(&b, "%s %s\n", r.Workflow().Hash(), outcome)
	}
	fmt.Fprintln(&b, listing.Found.Sort().Text(), listing.Skipped)
	return b.String()
}

// bare is the same folder without an index.
func (l *Library) bare() *Library {
	out := *l
	out.index = ""
	return &out
}

// known counts the files that a listing need not read.
func known(t *testing.T, l *Library) int {
	t.Helper()
	files, _, err := l.files()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	of := l.knownFiles(files).of
	for i, file := range files {
		if _, same, _ := l.listed(file, of[i], time.Now()); same {
			n++
		}
	}
	return n
}

func TestIndex(t *testing.T) {
	l := indexedLibrary(t, 200)
	want := told(l.bare())
	for range 2 { // makes the index, takes it
		if diff := cmp.Diff(want, told(l)); diff != "" {
			t.Fatal(diff)
		}
	}
	if n := known(t, l); n != 202 {
		t.Fatalf("%d files of 203 need not be read; want all but the broken one", n)
	}
	changes := []struct {
		name  string
		do    func()
		known int // before the next listing
	}{
		{"nothing", func() {}, 202},
		{"a new file", func() { putFile(t, l, "w-new.json", string(NewRecord("w-new", doc("n"), nil).Encode())) }, 202},
		{"an edit by hand", func() {
			putFile(t, l, "w-003.json", strings.Replace(read(t, l, "w-003.json"), "Says 3.", "Tells 3 and more.", 1))
		}, 202},
		{"an edit of the same length", func() {
			putFile(t, l, "w-004.json", strings.Replace(read(t, l, "w-004.json"), "Says 4.", "Sing 4.", 1))
		}, 202},
		{"a file is gone", func() { os.Remove(filepath.Join(l.dir, "w-005.json")) }, 202},
		{"a file takes the place of another", func() { putFile(t, l, "w-006.json", read(t, l, "w-007.json")) }, 201},
		{"it is broken", func() { putFile(t, l, "w-008.json", "{") }, 201},
		{"it is mended", func() { putFile(t, l, "broken.json", read(t, l, "w-009.json")) }, 201},
		{"a symbolic link", func() {
			os.Rename(filepath.Join(l.dir, "w-010.json"), filepath.Join(l.dir, "..", "elsewhere"))
			os.Symlink(filepath.Join(l.dir, "..", "elsewhere"), filepath.Join(l.dir, "w-010.json"))
		}, 201},
		{"a version of one in YAML", func() {
			dir := filepath.Join(l.dir, versionsDir, "by-hand")
			os.MkdirAll(dir, 0o700)
			os.WriteFile(filepath.Join(dir, "3.yaml"), []byte("nodes: []\n"), 0o600)
		}, 201},
		{"a save", func() {
			if _, err := l.Save(context.Background(), record("saved", "x"), SaveOptions{Now: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}, 201},
		{"a run", func() {
			r, _, _ := l.Get("w-011")
			if err := l.Note(context.Background(), "w-011", r.Workflow().Hash(), Ended{At: time.Unix(1, 0), Failed: true, Message: "no"}); err != nil {
				t.Fatal(err)
			}
		}, 201},
	}
	for _, c := range changes {
		c.do()
		if n := known(t, l); n != c.known {
			t.Errorf("%s: %d files need not be read, want %d", c.name, n, c.known)
		}
		for range 2 {
			if diff := cmp.Diff(told(l.bare()), told(l)); diff != "" {
				t.Errorf("%s: what the index gives is not what the files say (-files +index):\n%s", c.name, diff)
			}
		}
	}
}

// TestIndexFirst: what a listing that makes the index has read of the files is as small as what the next takes of the index: the
// documents of thousands are not kept decoded.
func TestIndexFirst(t *testing.T) {
	l := indexedLibrary(t, 150)
	for _, time := range []string{"the first", "the second"} {
		for _, r := range l.List().Records {
			if r.body.workflow != nil || r.body.ir != nil || r.body.traits == nil {
				t.Fatalf("%s listing keeps the document of %s decoded", time, r.Name)
			}
			if r.Workflow() == nil || len(r.IR()) == 0 {
				t.Errorf("%s listing has no document of %s", time, r.Name)
			}
		}
	}
}

func read(t *testing.T, l *Library, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestIndexYoung: a file that was changed a moment ago is read again each time, since a further change may have the same time.
func TestIndexYoung(t *testing.T) {
	l := indexedLibrary(t, 150)
	l.List()
	file := filepath.Join(l.dir, "w-001.json")
	now := time.Now().Add(time.Hour) // young for as long as the test takes
	for _, word := range []string{"Says", "Sing", "Hums"} {
		text := read(t, l, "w-001.json")
		at := strings.Index(text, ` 1."`)
		if err := os.WriteFile(file, []byte(text[:at-4]+word+text[at:]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now, now); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(told(l.bare()), told(l)); diff != "" {
			t.Errorf("%s:\n%s", word, diff)
		}
	}
}

// TestIndexDamaged: whatever is wrong with an index, a listing is what the files say, and the next index is whole again.
func TestIndexDamaged(t *testing.T) {
	l := indexedLibrary(t, leastIndexed)
	want := told(l.bare())
	l.List()
	good, err := os.ReadFile(l.index)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, damaged []byte) {
		t.Helper()
		if err := os.WriteFile(l.index, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if l.readIndex() != nil {
			t.Fatalf("%s: it is taken", name)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		at, bit := r.IntN(len(good)), r.IntN(8)
		damaged := append([]byte{}, good...)
		damaged[at] ^= 1 << bit
		check(fmt.Sprintf("bit %d of byte %d", bit, at), damaged)
	}
	for _, n := range []int{0, 1, len(indexMagic), len(indexMagic) + 4, len(good) / 2, len(good) - 1} {
		check(fmt.Sprintf("%d bytes of it", n), good[:n])
	}
	check("more behind it", append(append([]byte{}, good...), 0))
	if diff := cmp.Diff(want, told(l)); diff != "" {
		t.Error(diff)
	}
	if n := known(t, l); n != leastIndexed+2 {
		t.Errorf("after that %d files are known", n)
	}
	for name, other := range map[string]*Library{"of another program": l.Indexed(l.index, "another program"), "of another folder": New(t.TempDir()).Indexed(l.index, "this program")} {
		if other.readIndex() != nil {
			t.Errorf("an index %s is taken", name)
		}
	}
	os.Remove(l.index)
	if err := os.Mkdir(l.index, 0o700); err != nil { // where no index can be
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, told(l)); diff != "" {
		t.Error(diff)
	}
}

// TestIndexDecode: what has the right sum and is no index all the same is refused, and does not take the program down.
func TestIndexDecode(t *testing.T) {
	l := indexedLibrary(t, leastIndexed)
	l.List()
	data, err := os.ReadFile(l.index)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data[len(indexMagic)+4:])
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		damaged := []byte(text)
		damaged[r.IntN(min(len(damaged), 400))] ^= byte(1 + r.IntN(255))
		func() {
			defer func() { _ = recover() }() // as readIndex guards it
			l.decodeIndex(string(damaged[:r.IntN(len(damaged)+1)]))
		}()
	}
}

// TestIndexTogether: listings at the same time, while files change, each give what was there, and leave an index that is whole.
func TestIndexTogether(t *testing.T) {
	l := indexedLibrary(t, 120)
	var all sync.WaitGroup
	for k := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 8 {
				putFile(t, l, fmt.Sprintf("more-%d-%d.json", k, i), string(NewRecord("more", doc("x"), nil).Encode()))
				if got := len(l.List().Records); got < 122+i+1 {
					t.Errorf("%d records after %d changes", got, i+1)
				}
			}
		}()
	}
	all.Wait()
	if diff := cmp.Diff(told(l.bare()), told(l)); diff != "" {
		t.Error(diff)
	}
	if l.readIndex() == nil {
		t.Error("there is no index of use")
	}
}
