//go:build unix

package nodes

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// hostileNames are names that only a careless program takes for anything but names.
var hostileNames = []string{
	`it's "quoted".txt`, "; rm -rf x", "two\nlines", "-rf", "--help", "$(id)", "`id`", "${x}", "$HOME", "a b", "*", "tab\there", "ünïcode", `back\slash`, "{{.x}}", "-",
}

func TestHostileNames(t *testing.T) {
	for _, name := range hostileNames {
		c := newCall(t, nil, nil)
		steps := []struct {
			node   string
			params map[string]any
		}{
			{"write-file", map[string]any{"file_path": name, "content": "x"}},
			{"copy-file", map[string]any{"source_path": name, "dest_path": "d/" + name}},
			{"move-file", map[string]any{"source_path": name, "dest_path": "e/" + name}},
			{"read-file", map[string]any{"file_path": "e/" + name}},
			{"list-files", map[string]any{"path": "e"}},
			{"delete-file", map[string]any{"file_path": "d/" + name, "confirm_delete": true}},
		}
		for _, s := range steps {
			c.Params = s.params
			out, err := runNode(t, s.node, c)
			if err != nil {
				t.Errorf("%s %q: %v", s.node, name, err)
			}
			if files, ok := out.Outputs["files"]; ok && !cmp.Equal(files, []any{"e/" + name}) {
				t.Errorf("list-files gives %q", files)
			}
		}
		if got := readFiles(t, c.Dir); !cmp.Equal(got, map[string]string{"e/" + name: "x"}) {
			t.Errorf("%q: files %q", name, got)
		}
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a.txt": "a", "b.txt": "b", "bin": "\xff\x00", "folder/x": ""})
	os.Symlink("a.txt", filepath.Join(dir, "link"))
	os.Symlink("nowhere", filepath.Join(dir, "broken"))
	os.Link(filepath.Join(dir, "a.txt"), filepath.Join(dir, "hard"))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	cases := []struct {
		node    string
		params  map[string]any
		kind    fault.Kind
		message string
	}{
		{"read-file", p("file_path", ""), fault.InvalidRequest, `file_path is empty: give a path`},
		{"read-file", p("file_path", "a\x00b"), fault.InvalidRequest, `file_path "a\x00b" holds a NUL character, which no path can`},
		{"read-file", p("file_path", "none"), fault.NotFound, `cannot read "none": no such file or directory`},
		{"read-file", p("file_path", "folder"), fault.InvalidRequest, `cannot read "folder": it is a folder; list-files gives what is in it`},
		{"read-file", p("file_path", "pipe"), fault.InvalidRequest, `cannot read "pipe": it is no regular file but a device, pipe or socket`},
		{"read-file", p("file_path", "bin"), fault.InvalidRequest, `cannot read "bin": it is not UTF-8 text; set encoding to latin-1 for old text, or to base64 for a binary file`},
		{"read-file", p("file_path", "a.txt", "encoding", "ascii"), fault.InvalidRequest, `there is no encoding "ascii": use utf-8, latin-1 or base64`},
		{"read-file", p("file_path", "a.txt/b"), fault.NotFound, `cannot read "a.txt/b": not a directory`},
		{"write-file", p("file_path", "folder", "content", ""), fault.InvalidRequest, `cannot write "folder": it is a folder; give the path of a file in it`},
		{"write-file", p("file_path", "new/", "content", ""), fault.InvalidRequest, `cannot write "new/": the path names a folder; give the path of a file in it`},
		{"write-file", p("file_path", "/dev/null", "content", ""), fault.InvalidRequest, `cannot write "/dev/null": it is no regular file but a device, pipe or socket`},
		{"write-file", p("file_path", "broken", "content", ""), fault.NotFound, `cannot write "broken": it is a symbolic link that leads nowhere`},
		{"write-file", p("file_path", "x", "content", "€", "encoding", "latin-1"), fault.InvalidRequest, `cannot write "x": latin-1 has no '€'; leave encoding out to write UTF-8`},
		{"write-file", p("file_path", strings.Repeat("n", 300), "content", ""), fault.InvalidRequest,
			`cannot write "` + strings.Repeat("n", 200) + `…": file name too long`},
		{"copy-file", p("source_path", "none", "dest_path", "x"), fault.NotFound, `cannot copy "none" to "x": no such file or directory`},
		{"copy-file", p("source_path", "folder", "dest_path", "x"), fault.InvalidRequest, `cannot copy "folder" to "x": the source is a folder; copy-folder copies it`},
		{"copy-file", p("source_path", "folder/x", "dest_path", "folder"), fault.InvalidRequest, `cannot copy "folder/x" to "folder/x": both are the same file`},
		{"copy-file", p("source_path", "folder/x", "dest_path", "a.txt/"), fault.NotFound, `cannot copy "folder/x" to "a.txt/x": not a directory`},
		{"copy-file", p("source_path", "a.txt", "dest_path", "b.txt"), fault.InvalidRequest, `cannot copy "a.txt" to "b.txt": "b.txt" exists, and this workflow did not write it as it is now; choose another path, or set overwrite to true`},
		{"copy-file", p("source_path", "a.txt", "dest_path", "./a.txt", "overwrite", true), fault.InvalidRequest, `cannot copy "a.txt" to "./a.txt": both are the same file`},
		{"copy-file", p("source_path", "a.txt", "dest_path", "link", "overwrite", true), fault.InvalidRequest, `cannot copy "a.txt" to "link": both are the same file`},
		{"move-file", p("source_path", "a.txt", "dest_path", "hard", "overwrite", true), fault.InvalidRequest, `cannot move "a.txt" to "hard": both are the same file`},
		{"move-file", p("source_path", "a.txt", "dest_path", "b.txt"), fault.InvalidRequest, `cannot move "a.txt" to "b.txt": "b.txt" exists, and this workflow did not write it as it is now; choose another path, or set overwrite to true`},
		{"delete-file", p("file_path", "a.txt"), fault.InvalidRequest, `cannot delete "a.txt": confirm_delete must be true`},
		{"delete-file", p("file_path", "a.txt", "confirm_delete", "true"), fault.InvalidRequest, `cannot delete "a.txt": confirm_delete must be true`},
		{"delete-file", p("file_path", "folder", "confirm_delete", true), fault.InvalidRequest, `cannot delete "folder": it is a folder; delete-folder deletes it with all that is in it`},
		{"delete-file", p("file_path", "none", "confirm_delete", true), fault.NotFound, `cannot delete "none": no such file or directory`},
		{"list-files", p("path", "none"), fault.NotFound, `cannot list "none": no such file or directory`},
		{"list-files", p("path", "a.txt"), fault.InvalidRequest, `cannot list "a.txt": it is a file; give its folder, and the file's name as pattern`},
		{"list-files", p("path", ".", "pattern", "[a"), fault.InvalidRequest, `the pattern "[a" cannot be read: a [ lacks its ], or a backslash what it stands before`},
		{"list-files", p("path", ".", "pattern", "../*"), fault.InvalidRequest, `the pattern "../*" has a part that names no file; give the folder as path`},
		{"list-files", p("path", ".", "pattern", strings.Repeat("{a,b}", 9)), fault.InvalidRequest, `the pattern "` + strings.Repeat("{a,b}", 9) + `" comes to more than 256 alternatives`},
	}
	before := len(readDir(t, dir))
	for _, c := range cases {
		call := newCall(t, c.params, nil)
		call.Dir = dir
		fails(t, c.node, call, c.kind, c.message)
	}
	if after := len(readDir(t, dir)); after != before {
		t.Errorf("there were %d entries, now there are %d", before, after)
	}
}

func readDir(t *testing.T, dir string) []os.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestWriteKeepsModeAndLink(t *testing.T) {
	c := newCall(t, map[string]any{"file_path": "link", "overwrite": true, "content": map[string]any{"b": 1, "a": []any{true, nil}}}, nil)
	writeFiles(t, c.Dir, map[string]string{"run.sh": "old"})
	real := filepath.Join(c.Dir, "run.sh")
	os.Chmod(real, 0o751)
	os.Symlink("run.sh", filepath.Join(c.Dir, "link"))
	if _, err := runNode(t, "write-file", c); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(real)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(real)
	if info.Mode() != 0o751 || string(data) != `{"a":[true,null],"b":1}` {
		t.Errorf("%s: %v %s", real, info.Mode(), data)
	}
	if link, err := os.Readlink(filepath.Join(c.Dir, "link")); err != nil || link != "run.sh" {
		t.Errorf("the link is %q, %v", link, err)
	}
}

// TestWriteFailsWhole checks that a write that fails in the middle leaves the old file and nothing else.
func TestWriteFailsWhole(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a.txt": "old"})
	broken := errors.New("disk full")
	err := place(t.Context(), nodetype.Call{}, filepath.Join(dir, "a.txt"), 0, true, func(f *os.File) error {
		f.WriteString("half")
		return broken
	})
	if err != broken {
		t.Errorf("error %v", err)
	}
	if got := readFiles(t, dir); !cmp.Equal(got, map[string]string{"a.txt": "old"}) {
		t.Errorf("files %q", got)
	}
}

func TestEncodings(t *testing.T) {
	c := newCall(t, nil, nil)
	for _, e := range []struct{ encoding, content, bytes string }{
		{"utf-8", "Grüße\n", "Grüße\n"}, {"latin-1", "Grüße", "Gr\xfc\xdfe"}, {"base64", "/wAB", "\xff\x00\x01"},
	} {
		c.Params = map[string]any{"file_path": e.encoding, "content": e.content, "encoding": e.encoding}
		if _, err := runNode(t, "write-file", c); err != nil {
			t.Fatal(err)
		}
		if got := readFiles(t, c.Dir)[e.encoding]; got != e.bytes {
			t.Errorf("%s: wrote %q, want %q", e.encoding, got, e.bytes)
		}
		if out, err := runNode(t, "read-file", c); err != nil || out.Outputs["content"] != e.content {
			t.Errorf("%s: read %q, %v", e.encoding, out.Outputs["content"], err)
		}
	}
}

// TestLongText writes and reads a text of 10 MB, whose templates are text.
func TestLongText(t *testing.T) {
	text := strings.Repeat("${x} $(id) {{.x}}\n", 10<<20/18)
	c := newCall(t, map[string]any{"file_path": "f", "content": text}, nil)
	if _, err := runNode(t, "write-file", c); err != nil {
		t.Fatal(err)
	}
	if out, err := runNode(t, "read-file", c); err != nil || out.Outputs["content"] != text {
		t.Errorf("%d bytes, %v", len(out.Outputs["content"].(string)), err)
	}
}

func TestReadIsBounded(t *testing.T) {
	c := newCall(t, map[string]any{"file_path": "big"}, nil)
	sparse(t, filepath.Join(c.Dir, "big"), 65<<20)
	fails(t, "read-file", c, fault.InvalidRequest, `cannot read "big": it is 65 MiB, at most 64 can be read into a value; let a shell node work on the file itself`)
}

func sparse(t *testing.T, path string, size int64) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("the end"), size-7); err != nil {
		t.Fatal(err)
	}
}

// TestCopyOfAGigabyte copies 1 GB with the memory of a small program.
func TestCopyOfAGigabyte(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 1 GB")
	}
	const size = 1 << 30
	c := newCall(t, map[string]any{"source_path": "big", "dest_path": "copy"}, nil)
	sparse(t, filepath.Join(c.Dir, "big"), size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := runNode(t, "copy-file", c); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("copying took %d bytes of memory", used)
	}
	f, err := os.Open(filepath.Join(c.Dir, "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	end := make([]byte, 7)
	if info, _ := f.Stat(); info.Size() != size {
		t.Errorf("the copy has %d bytes", info.Size())
	}
	if _, err := f.ReadAt(end, size-7); err != nil || string(end) != "the end" {
		t.Errorf("the copy ends with %q, %v", end, err)
	}
}

func TestCopyHearsACancel(t *testing.T) {
	c := newCall(t, map[string]any{"source_path": "a", "dest_path": "b"}, nil)
	writeFiles(t, c.Dir, map[string]string{"a": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := nodeType(t, Deps{}, "copy-file").Run(ctx, c)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := readFiles(t, c.Dir); len(got) != 1 {
		t.Errorf("files %q", got)
	}
}

// TestMoveToAnotherDisk makes the rename fail as it does between file systems.
func TestMoveToAnotherDisk(t *testing.T) {
	c := newCall(t, map[string]any{"source_path": "a", "dest_path": "d/b"}, nil)
	writeFiles(t, c.Dir, map[string]string{"a": "x"})
	os.Chmod(filepath.Join(c.Dir, "a"), 0o750)
	move, err := newTransfer(c, "move")
	if err != nil {
		t.Fatal(err)
	}
	other := func(from, to string, _ bool) error {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
	}
	if err := move.move(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := readFiles(t, c.Dir); !cmp.Equal(got, map[string]string{"d/b": "x"}) {
		t.Errorf("files %q", got)
	}
	if info, _ := os.Stat(filepath.Join(c.Dir, "d/b")); info.Mode() != 0o750 || !info.ModTime().Equal(move.source.ModTime()) {
		t.Errorf("mode %v, time %v", info.Mode(), info.ModTime())
	}
}

// TestRenameNeverReplaces checks the race: the name is free when looked at, and taken when it is to be given.
func TestRenameNeverReplaces(t *testing.T) {
	c := newCall(t, map[string]any{"source_path": "a", "dest_path": "b"}, nil)
	writeFiles(t, c.Dir, map[string]string{"a": "a"})
	for _, verb := range []string{"copy", "move"} {
		os.Remove(filepath.Join(c.Dir, "b"))
		tr, err := newTransfer(c, verb)
		if err != nil {
			t.Fatal(err)
		}
		writeFiles(t, c.Dir, map[string]string{"b": "b"})
		if verb == "copy" {
			_, err = tr.outcome(tr.copy(t.Context()))
		} else {
			_, err = tr.outcome(tr.move(t.Context(), rename))
		}
		want := `cannot ` + verb + ` "a" to "b": "b" exists, and this workflow did not write it as it is now; choose another path, or set overwrite to true`
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if got := readFiles(t, c.Dir); !cmp.Equal(got, map[string]string{"a": "a", "b": "b"}) {
			t.Errorf("files %q", got)
		}
	}
}

func TestOverwrite(t *testing.T) {
	c := newCall(t, map[string]any{"source_path": "a", "dest_path": "b", "overwrite": true}, nil)
	writeFiles(t, c.Dir, map[string]string{"a": "a", "b": "b"})
	for _, node := range []string{"copy-file", "move-file"} {
		if _, err := runNode(t, node, c); err != nil {
			t.Fatal(err)
		}
	}
	if got := readFiles(t, c.Dir); !cmp.Equal(got, map[string]string{"b": "a"}) {
		t.Errorf("files %q", got)
	}
}

// TestForeseeFiles checks what is told of files before anything runs.
func TestForeseeFiles(t *testing.T) {
	c := newCall(t, nil, nil)
	writeFiles(t, c.Dir, map[string]string{"a": "a", "b": "b"})
	b := filepath.Join(c.Dir, "b")
	cases := []struct {
		node    string
		params  map[string]any
		pending []string
		want    nodetype.Foreseen
	}{
		{"write-file", map[string]any{"file_path": "new"}, nil, nodetype.Foreseen{}},
		{"write-file", map[string]any{"file_path": "new", "overwrite": true}, nil, nodetype.Foreseen{}},
		{"write-file", map[string]any{"file_path": "b"}, nil, nodetype.Foreseen{Destroys: "it replaces b", Replaces: []string{"b"}, Needs: []string{b}}},
		{"write-file", map[string]any{"file_path": "b", "append": true}, nil, nodetype.Foreseen{Appends: []string{"b"}}},
		{"copy-file", map[string]any{"source_path": "a", "dest_path": "b", "overwrite": true}, nil, nodetype.Foreseen{Destroys: "it replaces b", Replaces: []string{"b"}, Needs: []string{b}}},
		{"move-file", map[string]any{"source_path": "a", "dest_path": "${x}"}, []string{"dest_path"}, nodetype.Foreseen{}},
		{"move-file", map[string]any{"source_path": "a", "dest_path": "${x}", "overwrite": true}, []string{"dest_path"}, nodetype.Foreseen{Destroys: "it may replace a file that is there"}},
		{"move-file", map[string]any{"source_path": "a", "dest_path": "${x}", "overwrite": "${y}"}, []string{"dest_path", "overwrite"}, nodetype.Foreseen{Destroys: "it may replace a file that is there"}},
		{"delete-file", map[string]any{"file_path": "a"}, nil, nodetype.Foreseen{Destroys: "it deletes a"}},
	}
	for _, k := range cases {
		c.Params = k.params
		if diff := cmp.Diff(k.want, nodeType(t, Deps{}, k.node).Foresee(c, k.pending)); diff != "" {
			t.Errorf("%s %v: %s", k.node, k.params, diff)
		}
	}
}

func TestListFiles(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"b.go": "", "a.go": "", ".hidden.go": "", "src/x.go": "", "src/deep/y.ts": "", "src/.git/z.go": "", ".ci/w.yml": "",
	})
	os.Symlink(".", filepath.Join(dir, "src", "loop"))
	os.Symlink("../a.go", filepath.Join(dir, "src", "link.go"))
	cases := []struct {
		path, pattern string
		recursive     bool
		want          string
	}{
		{".", "", false, "a.go b.go"},
		{".", "*", true, "a.go b.go src/deep/y.ts src/link.go src/x.go"},
		{"./", "*.go", false, "a.go b.go"},
		{".", ".*", false, ".hidden.go"},
		{"src", "*.go", true, "src/link.go src/x.go"},
		{"src/../src", "*.go", false, "src/link.go src/x.go"},
		{".", "src/*.go", false, "src/link.go src/x.go"},
		{".", "**/*.{go,ts}", false, "a.go b.go src/deep/y.ts src/link.go src/x.go"},
		{".", "src/**", false, "src/deep/y.ts src/link.go src/x.go"},
		{".", ".ci/*", false, ".ci/w.yml"},
		{".", "{src,.ci}/[w-x].*", false, ".ci/w.yml src/x.go"},
		{".", "*.rs", true, ""},
	}
	for _, c := range cases {
		call := newCall(t, map[string]any{"path": c.path, "pattern": c.pattern, "recursive": c.recursive}, nil)
		call.Dir = dir
		out, err := runNode(t, "list-files", call)
		if err != nil {
			t.Errorf("%s %s: %v", c.path, c.pattern, err)
			continue
		}
		if got := joined(out.Outputs["files"]); got != c.want {
			t.Errorf("%s %s %v: %s\nwant %s", c.path, c.pattern, c.recursive, got, c.want)
		}
	}
}

// TestListWhatFits chooses files and folders by what they are, and puts them in an order.
func TestListWhatFits(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"b.txt": "22", "a.txt": "4444", "c.jpeg": "", ".env": "1", "sub/d.tar.gz": "333", "sub/old/e.txt": "1", "skip/f.txt": "1", "skip/.git/g": ""})
	for _, folder := range []string{"void", "sub/void"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("sub", filepath.Join(dir, "link"))
	os.Chmod(filepath.Join(dir, "b.txt"), 0o755)
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.FixedZone("", 3600))
	for i, name := range []string{"a.txt", "b.txt", "c.jpeg", ".env", "sub/d.tar.gz", "sub/old/e.txt", "skip/f.txt"} {
		at := now.AddDate(0, 0, -i)
		os.Chtimes(filepath.Join(dir, name), at, at)
	}
	list := func(params map[string]any) (nodetype.Outcome, error) {
		t.Helper()
		c := newCall(t, map[string]any{"path": ".", "kind": "files", "sort": "name"}, nil)
		maps.Copy(c.Params, params)
		c.Dir, c.Now = dir, now
		return runNode(t, "list-files", c)
	}
	type p = map[string]any
	for _, c := range []struct {
		params p
		want   string
	}{
		{p{"recursive": true, "sort": "size", "descending": true, "limit": 3}, "a.txt sub/d.tar.gz b.txt"},
		{p{"sort": "modified"}, "c.jpeg b.txt a.txt"},
		{p{"sort": "modified", "descending": true, "limit": 1}, "a.txt"},
		{p{"sort": "name", "descending": true}, "c.jpeg b.txt a.txt"},
		{p{"sort": "size", "recursive": true, "max_size": 1}, "c.jpeg skip/f.txt sub/old/e.txt"},
		{p{"min_size": 2, "max_size": 3, "recursive": true}, "b.txt sub/d.tar.gz"},
		{p{"empty": true}, "c.jpeg"},
		{p{"empty": true, "kind": "folders", "recursive": true}, "sub/void void"},
		{p{"kind": "folders"}, "link skip sub void"},
		{p{"kind": "folders", "recursive": true, "exclude": []any{"sk*", "sub/old"}}, "link sub sub/void void"},
		{p{"kind": "all", "exclude": []any{"*.txt"}}, "c.jpeg link skip sub void"},
		{p{"kind": "all", "max_size": 9}, "a.txt b.txt c.jpeg"},
		{p{"pattern": "{.*,*.txt}", "exclude": []any{"*e*"}}, "a.txt b.txt"},
		{p{"recursive": true, "exclude": []any{"skip", "sub/**/*.txt"}, "pattern": "*.{txt,gz}"}, "a.txt b.txt sub/d.tar.gz"},
		{p{"modified_after": "2024-01-30"}, "a.txt b.txt"},
		{p{"modified_after": "2024-01-30T24:00"}, "a.txt"},
		{p{"modified_after": "12h"}, "a.txt"},
		{p{"modified_before": "1y2mo"}, ""},
		{p{"modified_before": "1d12h"}, "c.jpeg"},
		{p{"modified_before": "2024-01-30T24:00", "kind": "files"}, "b.txt c.jpeg"},
		{p{"sort": "modified", "descending": true, "skip": 1}, "b.txt c.jpeg"},
		{p{"sort": "modified", "descending": true, "skip": 9}, ""},
		{p{"larger_than": 2, "recursive": true}, "a.txt sub/d.tar.gz"},
		{p{"smaller_than": 2}, "c.jpeg"},
		{p{"pattern": "*.txt", "also": []any{"[a-b]*", "b*"}}, "b.txt"},
		{p{"path": "sub", "recursive": true, "exclude": []any{"sub/old"}}, "sub/d.tar.gz"},
		{p{"modified_after": "2024-01-30T11:00:00Z", "modified_before": "2024-01-31"}, "b.txt"},
		{p{"modified_before": "2024-01-30T12:00", "recursive": true}, "c.jpeg skip/f.txt sub/d.tar.gz sub/old/e.txt"},
	} {
		out, err := list(c.params)
		if err != nil {
			t.Errorf("%v: %v", c.params, err)
		} else if got := joined(out.Outputs["files"]); got != c.want {
			t.Errorf("%v: %s\nwant %s", c.params, got, c.want)
		}
	}
	out, err := list(p{"path": "sub/", "kind": "all", "pattern": "{d,v}*"})
	want := []any{
		p{"path": "sub/d.tar.gz", "name": "d.tar.gz", "stem": "d.tar", "extension": "gz", "folder": "sub", "size": 3, "modified": "2024-01-27T12:00:00+01:00", "is_folder": false, "executable": false},
	}
	if entries, _ := out.Outputs["entries"].([]any); err != nil || len(entries) != 2 || cmp.Diff(want, entries[:1]) != "" || entries[1].(p)["is_folder"] != true {
		t.Errorf("%v, %v", out.Outputs["entries"], err)
	}
	out, _ = list(p{"pattern": "b.txt"})
	if e := out.Outputs["entries"].([]any)[0].(p); e["executable"] != true || e["folder"] != "." {
		t.Errorf("%v", e)
	}
	for _, c := range []struct {
		params  p
		message string
	}{
		{p{"limit": 0}, `limit is 0; it must be at least 1`},
		{p{"max_size": -1}, `max_size is -1; it must be at least 0`},
		{p{"modified_after": "tomorrow"}, `modified_after is "tomorrow"; want a day such as 2024-01-31, an instant such as 2024-01-31T09:30:00Z, or how long ago, such as 7d`},
		{p{"smaller_than": 0}, `smaller_than is 0; no file is smaller than that`},
		{p{"also": []any{"[a"}}, `the pattern "[a" cannot be read: a [ lacks its ], or a backslash what it stands before`},
		{p{"exclude": []any{1}}, `exclude[0]: want a text, got integer 1`},
		{p{"exclude": []any{"[a"}}, `the pattern "[a" cannot be read: a [ lacks its ], or a backslash what it stands before`},
	} {
		if _, err := list(c.params); err == nil || err.Error() != c.message {
			t.Errorf("%v: error %v", c.params, err)
		}
	}
}

func joined(list any) string {
	var b []string
	for _, v := range list.([]any) {
		b = append(b, ir.Text(v))
	}
	return strings.Join(b, " ")
}

// TestGlobIsQuick matches what makes a matcher that tries one way after the other take for ever.
func TestGlobIsQuick(t *testing.T) {
	g, err := newGlob(strings.Repeat("**/a/", 40) + "b")
	if err != nil {
		t.Fatal(err)
	}
	if g.matches(strings.Split(strings.Repeat("a/", 200)+"c", "/")) {
		t.Error("it matches")
	}
}

func TestHome(t *testing.T) {
	home := t.TempDir()
	writeFiles(t, home, map[string]string{"notes.txt": "x"})
	c := newCall(t, map[string]any{"file_path": "~/notes.txt"}, nil)
	c.Env = func(name string) string { return map[string]string{"HOME": home}[name] }
	if out, err := runNode(t, "read-file", c); err != nil || out.Outputs["content"] != "x" {
		t.Errorf("%v, %v", out.Outputs, err)
	}
}

// TestTransferIntoFolder puts what is copied or moved into a folder under its own name, and says so before.
func TestTransferIntoFolder(t *testing.T) {
	type p = map[string]any
	for _, k := range []struct {
		node   string
		params p
		want   string // the new path
	}{
		{"copy-file", p{"source_path": "a.txt", "dest_path": "there"}, "there/a.txt"},
		{"copy-file", p{"source_path": "a.txt", "dest_path": "new/"}, "new/a.txt"},
		{"copy-file", p{"source_path": "a.txt", "dest_path": "new"}, "new"},
		{"move-file", p{"source_path": "sub/b.txt", "dest_path": "there"}, "there/b.txt"},
		{"move-file", p{"source_path": "sub/b.txt", "dest_path": "c.txt"}, "c.txt"},
		{"move-file", p{"source_path": "sub/b.txt", "dest_path": "c.txt", "beside": true}, "sub/c.txt"},
		{"move-file", p{"source_path": "sub/b.txt", "dest_path": "x/c.txt", "beside": true}, "x/c.txt"},
		{"move-file", p{"source_path": "sub/", "dest_path": "there"}, "there/sub"},
		{"move-file", p{"source_path": "there", "dest_path": "other", "beside": true}, "other"},
		{"copy-folder", p{"source_path": "sub", "dest_path": "there"}, "there/sub"},
		{"copy-folder", p{"source_path": "sub", "dest_path": "new/"}, "new/sub"},
		{"copy-folder", p{"source_path": "sub", "dest_path": "there", "overwrite": true}, "there"},
	} {
		c := newCall(t, k.params, nil)
		writeFiles(t, c.Dir, map[string]string{"a.txt": "a", "sub/b.txt": "b", "there/x": "x"})
		out, err := runNode(t, k.node, c)
		if err != nil || out.Outputs["dest_path"] != k.want {
			t.Errorf("%s %v: %v, %v", k.node, k.params, out.Outputs, err)
		} else if _, err := os.Lstat(filepath.Join(c.Dir, k.want)); err != nil {
			t.Errorf("%s %v: %v", k.node, k.params, err)
		}
	}
	// What is replaced there is foreseen.
	c := newCall(t, p{"source_path": "a.txt", "dest_path": "there", "overwrite": true}, nil)
	writeFiles(t, c.Dir, map[string]string{"a.txt": "a", "there/a.txt": "old"})
	if seen := nodeType(t, Deps{}, "copy-file").Foresee(c, nil); seen.Destroys != "it replaces there/a.txt" {
		t.Errorf("foreseen is %+v", seen)
	}
	c.Params["overwrite"] = false
	fails(t, "copy-file", c, fault.InvalidRequest, `cannot copy "a.txt" to "there/a.txt": "there/a.txt" exists, and this workflow did not write it as it is now; choose another path, or set overwrite to true`)
	if got := readFiles(t, c.Dir)["there/a.txt"]; got != "old" {
		t.Errorf("there is %q", got)
	}
}
