package experiments

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestArchive: what is embedded is what lies in the folder.
func TestArchive(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !packed(name) {
			return err
		}
		seen++
		data, err := os.ReadFile(name)
		if string(files[name]) != string(data) || files[name] == nil {
			t.Errorf("%s is not embedded as it is; make the archive anew: go generate ./experiments", name)
		}
		return err
	})
	if err != nil || seen != len(files) || seen < 100 {
		t.Errorf("%d files, %d embedded: %v; make the archive anew: go generate ./experiments", seen, len(files), err)
	}
}

// TestUnpack: the folder is there as a whole, and what is there is left alone.
func TestUnpack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache", Version())
	if err := Unpack(dir); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(dir, Document))
	want, _ := os.ReadFile(Document)
	if err != nil || string(doc) != string(want) {
		t.Errorf("%v\n%s", err, doc)
	}
	if err := os.Remove(filepath.Join(dir, Document)); err != nil {
		t.Fatal(err)
	}
	if err := Unpack(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, Document)); err == nil {
		t.Error("it was written again")
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(left) != 1 {
		t.Errorf("%v: %v", left, err)
	}
}

// TestRepliesHaveNoTime: the shipped replies are those of no endpoint, so a time in one would be that of whatever wrote it.
func TestRepliesHaveNoTime(t *testing.T) {
	files, err := filepath.Glob("replies/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d replies: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"latency_ms", "first_token_ms"} {
			if bytes.Contains(data, []byte(`"`+key+`":`)) {
				t.Errorf("%s has %s: write it again without", file, key)
			}
		}
	}
}
