package filewatch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWait: whatever way a file is edited, it is told of once, and no other is.
func TestWait(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		must(os.WriteFile(at(name), []byte(text), 0o600))
	}
	must(os.Mkdir(at("elsewhere"), 0o700))
	write("a", "one")
	write("elsewhere/target", "one")
	must(os.Symlink(at("elsewhere/target"), at("link")))
	files := &Files{}
	for _, name := range []string{"a", "link", "folder/late/b"} {
		files.Note(at(name))
	}
	if got := files.There(); !slices.Equal(got, []string{at("a"), at("link")}) {
		t.Errorf("%v are there", got)
	}
	w := New()
	defer w.Close()
	w.Watch(files)
	for _, c := range []struct {
		what string
		edit func()
		file string
	}{
		{"written in place", func() { write("a", "two") }, "a"},
		{"with its time alone", func() { write("a", "two") }, "a"},
		{"renamed into place, beside others", func() { write("other", "x"); write("new", "three"); must(os.Rename(at("new"), at("a"))) }, "a"},
		{"removed", func() { must(os.Remove(at("a"))) }, "a"},
		{"made anew", func() { write("a", "four") }, "a"},
		{"behind a link", func() { write("elsewhere/target", "two") }, "link"},
		{"in a folder that was not there", func() { must(os.MkdirAll(at("folder/late"), 0o700)); write("folder/late/b", "one") }, "folder/late/b"},
		{"in a folder that another replaced", func() {
			must(os.MkdirAll(at("next/late"), 0o700))
			write("next/late/b", "two")
			must(os.Rename(at("folder"), at("old")))
			must(os.Rename(at("next"), at("folder")))
		}, "folder/late/b"},
		{"and there again", func() { write("folder/late/b", "three") }, "folder/late/b"},
	} {
		c.edit()
		if got := w.Wait(t.Context()); !slices.Equal(got, []string{at(c.file)}) {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
