package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnwritable: where nothing may be written, results are read, and nothing is put beside them; but not while there is a
// log that could not be seen.
func TestUnwritable(t *testing.T) {
	s := MadeStore(t, 2, 1, 1)
	dir := s.Dir
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadDir(dir)
	at, err := openUnwritable(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	if n, err := at.count(); n != 2 || err != nil {
		t.Errorf("%d cases, %v", n, err)
	}
	if err := at.SetMeta("key", "value"); err == nil {
		t.Error("it was written")
	}
	if after, _ := os.ReadDir(dir); len(after) != len(before) {
		t.Errorf("%v, before %v", after, before)
	}
	if err := os.WriteFile(filepath.Join(dir, file+"-wal"), []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openUnwritable(dir); err == nil || !strings.Contains(err.Error(), "holds results that are not in the database yet") {
		t.Error(err)
	}
}

// TestDamaged: of results that are no database, or none of an experiment, it is said what to do.
func TestDamaged(t *testing.T) {
	for _, content := range []string{"", "no database at all"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadStore(dir); err == nil || !strings.Contains(err.Error(), dir) || !strings.HasSuffix(err.Error(), "; "+anew) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// TestAgainIsTheSame: an id has but the beginning of the hash of what decides rows; the whole of it decides.
func TestAgainIsTheSame(t *testing.T) {
	s := MadeStore(t, 1, 2, 1)
	if err := s.SetMeta(metaIdentity, "aaaaaaaa1"); err != nil {
		t.Fatal(err)
	}
	spec, variants, err := s.Spec()
	if err != nil {
		t.Fatal(err)
	}
	spec.identity = "aaaaaaaa2"
	if _, err := Again(s, spec, Options{}); err == nil || !strings.Contains(err.Error(), "is another one, though its id is the same: begin a new one by --again") {
		t.Error(err)
	}
	if err := (&Experiment{}).unchanged(variants); err == nil || !strings.Contains(err.Error(), "began with 2 variants, and there are 0 now") {
		t.Error(err)
	}
}
