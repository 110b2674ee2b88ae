package nodes

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

func runIn(t *testing.T, name, dir string, params map[string]any) (nodetype.Outcome, error) {
	t.Helper()
	c := newCall(t, params, nil)
	c.Dir = dir
	return nodeType(t, Deps{}, name).Run(t.Context(), c)
}

func strs(list any) (out []string) {
	for _, item := range list.([]any) {
		out = append(out, item.(string))
	}
	return out
}

// TestArchiveRoundTrip packs a folder in each format, unpacks it elsewhere, and packs that again: the same bytes.
func TestArchiveRoundTrip(t *testing.T) {
	for _, name := range []string{"a.zip", "a.tar.gz", "a.tgz", "a.tar"} {
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{"docs/b.txt": "B", "docs/a/x.sh": "#!/bin/sh\n", "docs/ü ${x}.txt": strings.Repeat("u", 100_000), "docs/.hidden": "h"})
		when := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
		for path := range readFiles(t, dir) {
			os.Chtimes(filepath.Join(dir, path), when, when)
		}
		err := errors.Join(os.Chmod(filepath.Join(dir, "docs/a/x.sh"), 0o755), os.Mkdir(filepath.Join(dir, "docs/empty"), 0o755),
			os.Symlink("b.txt", filepath.Join(dir, "docs/link")), os.Symlink("/etc/passwd", filepath.Join(dir, "docs/out")))
		if err != nil {
			t.Fatal(err)
		}
		folders := []string{"docs", "docs/a", "docs/empty"} // an archive keeps their times, what unpacks it does not
		for _, folder := range folders {
			os.Chtimes(filepath.Join(dir, folder), when, when)
		}
		out, err := runIn(t, "archive", dir, map[string]any{"paths": "docs", "dest_path": "docs/" + name})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"docs/.hidden", "docs/a/x.sh", "docs/b.txt", "docs/link", "docs/ü ${x}.txt"}, strs(out.Outputs["files"])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], `the link "docs/out" was left out: it leads out of what is packed, to "/etc/passwd"`) {
			t.Errorf("%s: warnings %q", name, out.Warnings)
		}
		out, err = runIn(t, "unarchive", dir, map[string]any{"source_path": "docs/" + name, "dest_path": "un/packed/"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"un/packed/docs/.hidden", "un/packed/docs/a/x.sh", "un/packed/docs/b.txt", "un/packed/docs/link", "un/packed/docs/ü ${x}.txt"}, strs(out.Outputs["files"])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if info, err := os.Stat(filepath.Join(dir, "un/packed/docs/a/x.sh")); err != nil || info.Mode().Perm() != 0o755 || !info.ModTime().Equal(when) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "un/packed/docs/empty")); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", name, err)
		}
		for _, folder := range folders {
			os.Chtimes(filepath.Join(dir, "un/packed", folder), when, when)
		}
		if _, err := runIn(t, "archive", dir, map[string]any{"paths": []any{"un/packed/docs"}, "base": "un/packed", "dest_path": "again" + name[1:]}); err != nil {
			t.Fatal(err)
		}
		files := readFiles(t, dir)
		if files["docs/"+name] != files["again"+name[1:]] {
			t.Errorf("%s: packed again it has other bytes", name)
		}
		for path := range files {
			if strings.Contains(path, ".pflow") {
				t.Errorf("%s: there is %s", name, path)
			}
		}
	}
}

func TestArchiveNames(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "work")
	writeFiles(t, outer, map[string]string{"work/docs/a.md": "", "work/docs/b.txt": "", "work/docs/sub/c.md": "", "work/d.txt": "", "else/e.txt": "", "else/docs/a.md": ""})
	for _, c := range []struct {
		paths   any
		base    string
		exclude []any
		want    []string
		err     string
	}{
		{[]any{"docs", "d.txt"}, "", nil, []string{"d.txt", "docs/a.md", "docs/b.txt", "docs/sub/c.md"}, ""},
		{[]any{"docs", "docs/a.md", "./docs/sub"}, "", nil, []string{"docs/a.md", "docs/b.txt", "docs/sub/c.md"}, ""},
		{"docs", "docs", nil, []string{"a.md", "b.txt", "sub/c.md"}, ""},
		{"docs/sub/c.md", "docs", nil, []string{"sub/c.md"}, ""},
		{"docs", "", []any{"*.md"}, []string{"docs/b.txt"}, ""},
		{"docs", "", []any{"sub", "docs/b.*"}, []string{"docs/a.md"}, ""},
		{filepath.Join(outer, "else"), "", nil, []string{"else/docs/a.md", "else/e.txt"}, ""},
		{"../else/e.txt", "", nil, []string{"e.txt"}, ""},
		{".", "", nil, []string{"d.txt", "docs/a.md", "docs/b.txt", "docs/sub/c.md"}, ""},
		{[]any{"docs", "../else/docs"}, "", nil, nil, `would be "docs" in the archive; set base to a folder that holds both`},
		{[]any{"docs", "../else/docs"}, "..", nil, []string{"else/docs/a.md", "work/docs/a.md", "work/docs/b.txt", "work/docs/sub/c.md"}, ""},
		{"../else", ".", nil, nil, `"../else" does not lie in base "."; give a folder that holds all of paths`},
		{[]any{"docs", "nope"}, "", nil, nil, `cannot pack "nope": no such file or directory`},
		{[]any{}, "", nil, nil, "paths is empty: there is nothing to pack"},
		{[]any{"d.txt", 5}, "", nil, nil, `paths[1] is "5", which is no path`},
	} {
		params := map[string]any{"paths": c.paths, "dest_path": "x.zip", "base": c.base}
		if c.exclude != nil {
			params["exclude"] = c.exclude
		}
		out, err := runIn(t, "archive", dir, params)
		if c.err != "" {
			if err == nil || !strings.HasSuffix(err.Error(), c.err) {
				t.Errorf("%v: %v\nwant %s", c.paths, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.paths, err)
			continue
		}
		if diff := cmp.Diff(c.want, strs(out.Outputs["files"])); diff != "" {
			t.Errorf("%v base %q (-want +got):\n%s", c.paths, c.base, diff)
		}
		os.Remove(filepath.Join(dir, "x.zip"))
	}
	// An archive that is there is left, and is never in the one that replaces it.
	writeFiles(t, dir, map[string]string{"docs/x.zip": "old"})
	params := map[string]any{"paths": "docs", "dest_path": "docs/x.zip"}
	if _, err := runIn(t, "archive", dir, params); err == nil || !strings.Contains(err.Error(), "exists, and this workflow did not write it") {
		t.Error(err)
	}
	params["overwrite"] = true
	out, err := runIn(t, "archive", dir, params)
	if err != nil || len(strs(out.Outputs["files"])) != 3 {
		t.Errorf("%v, %v", out.Outputs, err)
	}
	problems := nodeType(t, Deps{}, "archive").Check(map[string]any{"dest_path": "x.rar", "exclude": []any{"["}})
	if len(problems) != 2 || problems[0].Path != "dest_path" || problems[1].Path != "exclude[0]" {
		t.Errorf("%v", problems)
	}
}

// zipped makes a zip file of names and contents; a content "-> x" is a link.
func zipped(t *testing.T, dir, name string, files ...string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := &zip.FileHeader{Name: files[i]}
		h.SetMode(0o644)
		content, link := strings.CutPrefix(files[i+1], "-> ")
		if link {
			h.SetMode(0o777 | fs.ModeSymlink)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(content))
	}
	w.Close()
	writeFiles(t, dir, map[string]string{name: b.String()})
}

// TestUnarchiveInto unpacks into a folder that is there: all of it or nothing, and never through a link.
func TestUnarchiveInto(t *testing.T) {
	for _, c := range []struct {
		name      string
		prepare   func(dir string) error
		files     []string
		overwrite bool
		want      map[string]string // of the folder, if it is not as before
		err       string
	}{
		{"beside what is there", nil, []string{"new.txt", "n", "sub/new.txt", "n"}, false, map[string]string{"old.txt": "old", "sub/s.txt": "old", "new.txt": "n", "sub/new.txt": "n"}, ""},
		{"onto what is there", nil, []string{"a.txt", "n", "old.txt", "n"}, false, nil, `"to/old.txt" exists, and this workflow did not write it as it is now; choose another path, or set overwrite to true`},
		{"overwrite", nil, []string{"a.txt", "n", "old.txt", "n"}, true, map[string]string{"a.txt": "n", "old.txt": "n", "sub/s.txt": "old"}, ""},
		{"a file onto a folder", nil, []string{"a.txt", "n", "sub", "n"}, true, nil, `"to/sub" is there and is not replaced`},
		{"a folder onto a file", nil, []string{"a.txt", "n", "old.txt/x", "n"}, true, nil, `"to/old.txt" is there and is no folder; unpack into another one`},
		{"through a link that is there", func(dir string) error { return os.Symlink("../out", filepath.Join(dir, "to/l")) }, []string{"l/evil", "n"}, true, nil, `"to/l" is there and is no folder`},
		{"onto a link that is there", func(dir string) error { return os.Symlink("../out/f", filepath.Join(dir, "to/l")) }, []string{"l", "n"}, true, nil, `"to/l" is there and is not replaced`},
		{"a link onto a file", nil, []string{"old.txt", "-> sub"}, true, nil, `"to/old.txt" is there and is not replaced`},
		{"out of it", nil, []string{"a.txt", "n", "../out/f", "evil"}, true, nil, `its entry "../out/f" leads out of the folder; nothing of it was unpacked`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{"to/old.txt": "old", "to/sub/s.txt": "old", "out/f": "out"})
			if c.prepare != nil {
				if err := c.prepare(dir); err != nil {
					t.Fatal(err)
				}
			}
			zipped(t, dir, "a.zip", c.files...)
			want := readFiles(t, dir)
			_, err := runIn(t, "unarchive", dir, map[string]any{"source_path": "a.zip", "dest_path": "to", "overwrite": c.overwrite})
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v\nwant %s", err, c.err)
			}
			for name, content := range c.want {
				want["to/"+name] = content
			}
			if diff := cmp.Diff(want, readFiles(t, dir)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// refuses lets nothing be put from a number of files on.
type refuses struct{ left int }

func (r *refuses) May(string) bool { return true }
func (r *refuses) Put(_ context.Context, _, _ string, _ bool, put func(bool) error) error {
	if r.left--; r.left < 0 {
		return fault.New(fault.Failure, "the disk is full")
	}
	return put(true)
}
func (r *refuses) Move(ctx context.Context, _, path, content string, overwrite bool, put func(bool) error) error {
	return r.Put(ctx, path, content, overwrite, put)
}
func (r *refuses) Add(_ context.Context, _ string, add func() error) error { return add() }

// TestUnarchiveBack breaks off in the middle: what was there is there again.
func TestUnarchiveBack(t *testing.T) {
	for n := range 4 {
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{"to/b.txt": "old", "to/sub/s.txt": "old"})
		zipped(t, dir, "a.zip", "a.txt", "n", "b.txt", "n", "new/c.txt", "n", "sub/s.txt", "n")
		want := readFiles(t, dir)
		c := newCall(t, map[string]any{"source_path": "a.zip", "dest_path": "to"}, nil)
		c.Dir, c.Files = dir, &refuses{n}
		if _, err := nodeType(t, Deps{}, "unarchive").Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, readFiles(t, dir)); diff != "" {
			t.Errorf("after %d files (-want +got):\n%s", n, diff)
		}
		if _, err := os.Stat(filepath.Join(dir, "to/new")); err == nil {
			t.Errorf("after %d files there is a new folder", n)
		}
	}
}

func TestUnarchiveForesees(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"to/a.txt": "old", "to/b.txt": "old", "junk": "junk"})
	zipped(t, dir, "a.zip", "a.txt", "n", "b.txt", "n", "c.txt", "n")
	zipped(t, dir, "one.zip", "a.txt", "n")
	at := func(name string) string { return realPath(filepath.Join(dir, name)) }
	foresees := nodeType(t, Deps{}, "unarchive").Foresee
	for _, c := range []struct {
		params  map[string]any
		pending []string
		want    nodetype.Foreseen
	}{
		{map[string]any{"source_path": "a.zip", "dest_path": "new"}, nil, nodetype.Foreseen{}},
		{map[string]any{"source_path": "a.zip", "dest_path": "to"}, nil, nodetype.Foreseen{Destroys: "it replaces to/a.txt and 1 more in to", Replaces: []string{"to/a.txt", "to/b.txt"}, Needs: []string{at("to/a.txt"), at("to/b.txt")}}},
		{map[string]any{"source_path": "one.zip", "dest_path": "to/"}, nil, nodetype.Foreseen{Destroys: "it replaces to/a.txt", Replaces: []string{"to/a.txt"}, Needs: []string{at("to/a.txt")}}},
		{map[string]any{"source_path": "junk", "dest_path": "to", "overwrite": true}, nil, nodetype.Foreseen{Destroys: "it may replace files in to"}},
		{map[string]any{"dest_path": "to", "overwrite": true}, []string{"source_path"}, nodetype.Foreseen{Destroys: "it may replace files in to"}},
		{map[string]any{"dest_path": "to"}, []string{"source_path"}, nodetype.Foreseen{}},
		{map[string]any{"source_path": "a.zip", "overwrite": true}, []string{"dest_path"}, nodetype.Foreseen{Destroys: "it may replace files in a folder that is not known before it runs"}},
	} {
		call := newCall(t, c.params, nil)
		call.Dir = dir
		if diff := cmp.Diff(c.want, foresees(call, c.pending)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.params, diff)
		}
	}
}

func TestUnarchiveErrors(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"junk": "junk", "file": ""})
	zipped(t, dir, "a.zip", "a.txt", strings.Repeat("a", 1000), "b.txt", "b")
	os.Symlink("nowhere", filepath.Join(dir, "dangling"))
	for _, c := range []struct {
		params map[string]any
		err    string
	}{
		{map[string]any{"source_path": "junk"}, `cannot unpack "junk" into "to": it is no zip, tar, tar.gz or tar.bz2 file`},
		{map[string]any{"source_path": "."}, `cannot unpack "." into "to": it is a folder; give the archive itself`},
		{map[string]any{"source_path": "none.zip"}, `cannot unpack "none.zip" into "to": no such file or directory`},
		{map[string]any{"source_path": "a.zip", "max_bytes": 1000}, `cannot unpack "a.zip" into "to": it unpacks to more than 1000 bytes; raise max_bytes to have it`},
		{map[string]any{"source_path": "a.zip", "max_files": 1}, `cannot unpack "a.zip" into "to": it holds more than 1 files and folders; raise max_files to have it`},
		{map[string]any{"source_path": "a.zip", "max_files": 0}, "max_bytes must be at least 0, and max_files at least 1"},
		{map[string]any{"source_path": "a.zip", "dest_path": "file"}, `cannot unpack "a.zip" into "file": dest_path is a file; give a folder`},
		{map[string]any{"source_path": "a.zip", "dest_path": "dangling"}, `cannot unpack "a.zip" into "dangling": dest_path is a symbolic link that leads nowhere`},
	} {
		if c.params["dest_path"] == nil {
			c.params["dest_path"] = "to"
		}
		if _, err := runIn(t, "unarchive", dir, c.params); err == nil || err.Error() != c.err {
			t.Errorf("%v\nwant %s", err, c.err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "to")); err == nil {
			t.Errorf("%v: the folder is there", c.params)
		}
	}
	os.Remove(filepath.Join(dir, "dangling"))
	for name := range readFiles(t, dir) {
		if strings.HasPrefix(name, ".pflow") {
			t.Errorf("there is %s", name)
		}
	}
}

// Only what fits is unpacked, with the folders on the way to it.
func TestUnarchiveOnly(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"d/a.md": "a", "d/b.txt": "b", "d/e/c.md": "c", "f/g.txt": "g"})
	if _, err := runIn(t, "archive", dir, map[string]any{"paths": []any{"d", "f"}, "dest_path": "all.zip"}); err != nil {
		t.Fatal(err)
	}
	got, err := runIn(t, "list-archive", dir, map[string]any{"path": "all.zip"})
	if err != nil || !cmp.Equal(strs(got.Outputs["files"]), []string{"d/a.md", "d/b.txt", "d/e/c.md", "f/g.txt"}) {
		t.Errorf("%v %v", got.Outputs, err)
	}
	for _, into := range []string{"out", "."} { // a new folder, and one that is there
		got, err := runIn(t, "unarchive", dir, map[string]any{"source_path": "all.zip", "dest_path": into, "only": []any{"*.md"}, "overwrite": true})
		if err != nil || len(strs(got.Outputs["files"])) != 2 {
			t.Errorf("into %s: %v %v", into, got.Outputs, err)
		}
	}
	if got := readFiles(t, filepath.Join(dir, "out")); !cmp.Equal(got, map[string]string{"d/a.md": "a", "d/e/c.md": "c"}) {
		t.Errorf("out has %v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/f")); !os.IsNotExist(err) {
		t.Errorf("a folder in which nothing is wanted: %v", err)
	}
	_, err = runIn(t, "unarchive", dir, map[string]any{"source_path": "all.zip", "dest_path": "none", "only": []any{"x.md"}})
	if fault.Of(err).Kind != fault.NotFound || !strings.Contains(err.Error(), `nothing in it fits ["x.md"]`) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("a folder was left: %v", err)
	}
}
