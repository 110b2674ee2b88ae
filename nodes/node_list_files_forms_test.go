package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/ir"
)

// TestFormsOfFolders holds each form of list-files against a folder in which size, age and name order files differently.
func TestFormsOfFolders(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"d/a.txt": "22", "d/b.txt": "", "d/c.md": "333", "d/d.md": "1", "d/sub/e.txt": ""})
	if err := os.Mkdir(filepath.Join(dir, "d", "bare"), 0o777); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	for hours, name := range []string{"c.md", "a.txt", "d.md", "b.txt"} { // from the oldest on
		at := day.Add(time.Duration(hours) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, "d", name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"Lists or finds the files of a folder.":                                                "a.txt b.txt c.md d.md",
		"Lists the subfolders of a folder: the folders or directories in it.":                  "bare sub",
		"Lists the files of a folder by date, newest or latest first.":                         "b.txt d.md a.txt c.md",
		"Lists the files of a folder by date, oldest first.":                                   "c.md a.txt d.md b.txt",
		"Lists the files of a folder by size, biggest or largest first.":                       "c.md a.txt d.md b.txt",
		"Lists the files of a folder by size, smallest first.":                                 "b.txt d.md a.txt c.md",
		"Tells which file of a folder is the biggest or largest.":                              "c.md",
		"Tells which file of a folder is the smallest.":                                        "b.txt",
		"Tells which file of a folder is the newest or latest.":                                "b.txt",
		"Tells which file of a folder is the oldest.":                                          "c.md",
		"Lists the empty files of a folder.":                                                   "b.txt",
		"Lists the empty folders or directories in a folder: subfolders with nothing in them.": "bare",
	}
	n := nodeType(t, exampleDeps(), "list-files")
	for i := range n.Interface.Forms {
		f := &n.Interface.Forms[i]
		wanted, known := want[f.Shown()]
		if !known {
			t.Errorf("nothing is said of the form %q", f.Shown())
			continue
		}
		c := newCall(t, f.Fill(map[string]any{"folder": "d"}), ir.Values{})
		c.Dir = dir
		out, err := n.Run(t.Context(), c)
		if err != nil {
			t.Fatalf("%s: %v", f.Shown(), err)
		}
		var got []string
		for _, file := range out.Outputs["files"].([]any) {
			got = append(got, strings.TrimPrefix(file.(string), "d/"))
		}
		if strings.Join(got, " ") != wanted {
			t.Errorf("%s: %v, want %s", f.Shown(), got, wanted)
		}
	}
	if len(n.Interface.Forms) != len(want) {
		t.Errorf("%d forms, %d are known", len(n.Interface.Forms), len(want))
	}
}
