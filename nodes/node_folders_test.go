//go:build unix

package nodes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// tree makes a folder with what folders can hold.
func tree(t *testing.T, dir string) {
	writeFiles(t, dir, map[string]string{"src/a.sh": "A", "src/sub/b.txt": "B", "src/.hidden": "", "other/c.txt": "C"})
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "src/void"), 0o755), os.Symlink("../../other", filepath.Join(dir, "src/sub/out")), os.Symlink("nowhere", filepath.Join(dir, "src/broken")),
		os.Chmod(filepath.Join(dir, "src/a.sh"), 0o750), os.Chmod(filepath.Join(dir, "src/sub"), 0o500), os.Chtimes(filepath.Join(dir, "src/a.sh"), old, old),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // what may not be written could not be removed
		filepath.WalkDir(dir, func(path string, e fs.DirEntry, _ error) error {
			if e != nil && e.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
	})
}

// treeOf lists what is in a folder: modes, links, contents.
func treeOf(t *testing.T, dir string) (out []string) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		way, _ := filepath.Rel(dir, path)
		line := way + " " + info.Mode().String()
		if info.Mode().IsRegular() {
			data, _ := os.ReadFile(path)
			line += " " + string(data)
		} else if !e.IsDir() {
			link, _ := os.Readlink(path)
			line += " " + link
		}
		out = append(out, line)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCopyFolder(t *testing.T) {
	c := newCall(t, map[string]any{"source_path": "src/", "dest_path": "new/copy"}, nil)
	tree(t, c.Dir)
	want := treeOf(t, filepath.Join(c.Dir, "src"))
	if _, err := runNode(t, "copy-folder", c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, treeOf(t, filepath.Join(c.Dir, "new/copy"))); diff != "" || len(want) != 7 {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
	if info, _ := os.Stat(filepath.Join(c.Dir, "new/copy/a.sh")); info.ModTime().Year() != 2020 {
		t.Errorf("the time is %v", info.ModTime())
	}
	// A folder that is there stays, unless it is to be replaced: then nothing of it is left.
	writeFiles(t, c.Dir, map[string]string{"new/copy/mine": "x"})
	c.Params["overwrite"] = true
	if _, err := runNode(t, "copy-folder", c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, treeOf(t, filepath.Join(c.Dir, "new/copy"))); diff != "" {
		t.Errorf("what replaced it (-want +got):\n%s", diff)
	}
	if left := readDir(t, filepath.Join(c.Dir, "new")); len(left) != 1 {
		t.Errorf("in its place there are %v", left)
	}
}

// TestCopyFolderFailsWhole leaves nothing of a copy that could not be made.
func TestCopyFolderFailsWhole(t *testing.T) {
	c := newCall(t, map[string]any{"source_path": "src", "dest_path": "copy"}, nil)
	tree(t, c.Dir)
	if err := syscall.Mkfifo(filepath.Join(c.Dir, "src/z"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, "copy-folder", c, fault.InvalidRequest, `cannot copy the folder "src" to "copy": "z" in it is no regular file but a device, pipe or socket`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := nodeType(t, Deps{}, "copy-folder").Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left := readDir(t, c.Dir); len(left) != 2 {
		t.Errorf("there are %v", left)
	}
}

func TestFolderErrors(t *testing.T) {
	base := newCall(t, nil, nil)
	tree(t, base.Dir)
	os.Symlink("src", filepath.Join(base.Dir, "link"))
	writeFiles(t, base.Dir, map[string]string{"home/me/x": "", "full/src/x": "", "work/here/y": ""})
	base.Env = func(name string) string { return map[string]string{"HOME": base.Dir + "/home/me"}[name] }
	type p = map[string]any
	before := treeOf(t, base.Dir)
	for _, k := range []struct {
		node, message string
		params        p
	}{
		{"copy-folder", `cannot copy the folder "src" to "src/sub/copy": that lies in the folder itself; choose a path outside of it`, p{"source_path": "src", "dest_path": "src/sub/copy"}},
		{"copy-folder", `cannot copy the folder "src" to "link/copy": that lies in the folder itself; choose a path outside of it`, p{"source_path": "src", "dest_path": "link/copy"}},
		{"copy-folder", `cannot copy the folder "src/sub" to "src": the source lies in the folder that would be replaced`, p{"source_path": "src/sub", "dest_path": "src", "overwrite": true}},
		{"copy-folder", `cannot copy the folder "src" to "home": it would be replaced, and the home folder is in it`, p{"source_path": "src", "dest_path": "home", "overwrite": true}},
		{"copy-folder", `cannot copy the folder "src" to "link": "link" is no folder but a file or a link; delete-file deletes it`, p{"source_path": "other", "dest_path": "link", "overwrite": true}},
		{"copy-folder", `cannot copy the folder "src/a.sh" to "x": the source is a file; copy-file copies it`, p{"source_path": "src/a.sh", "dest_path": "x"}},
		{"move-file", `cannot move "src" to "src/sub/x": that lies in the folder itself; choose a path outside of it`, p{"source_path": "src", "dest_path": "src/sub/x"}},
		{"move-file", `cannot move "src" to "full/src": "full/src" exists; choose another path, such as "full/src/src"`, p{"source_path": "src", "dest_path": "full", "overwrite": true}},
		{"move-file", `cannot move "home" to "h": the home folder is in it`, p{"source_path": "home", "dest_path": "h"}},
		{"delete-folder", `cannot delete the folder "src": confirm_delete must be true`, p{"path": "src"}},
		{"delete-folder", `cannot delete the folder "link": it is a symbolic link; delete-file deletes the link, and leaves what it leads to`, p{"path": "link", "confirm_delete": true}},
		{"delete-folder", `cannot delete the folder "link/": it is a symbolic link; delete-file deletes the link, and leaves what it leads to`, p{"path": "link/", "confirm_delete": true}},
		{"delete-folder", `cannot delete the folder "src/a.sh": it is a file; delete-file deletes it`, p{"path": "src/a.sh", "confirm_delete": true}},
		{"delete-folder", `cannot delete the folder "home": the home folder is in it`, p{"path": "home", "confirm_delete": true}},
		{"delete-folder", `cannot delete the folder "~": it is the home folder`, p{"path": "~", "confirm_delete": true}},
		{"delete-folder", `cannot delete the folder ".": it is the working directory`, p{"path": ".", "confirm_delete": true, "keep_folder": true}},
		{"delete-folder", `cannot delete the folder "src/..": it is the working directory`, p{"path": "src/..", "confirm_delete": true}},
		{"delete-folder", `cannot delete the folder "/": it is the root of the file system`, p{"path": "/", "confirm_delete": true}},
		{"make-folder", `cannot make the folder "src/a.sh": a file has that name; choose another`, p{"path": "src/a.sh"}},
		{"set-mode", `cannot set the mode of "src": it is a folder, which nobody runs; give mode`, p{"path": "src", "executable": true}},
		{"set-mode", `cannot set the mode of "src/a.sh": give executable or mode, one of them`, p{"path": "src/a.sh"}},
		{"set-mode", `mode is "4755"; want three octal digits, such as 644 for a file that its owner may write and all may read`, p{"path": "src/a.sh", "mode": "4755"}},
		{"hash-file", `there is no algorithm "crc": use sha256, sha512, sha1 or md5`, p{"path": "src/a.sh", "algorithm": "crc"}},
		{"hash-file", `cannot compute the checksum of "src": it is a folder; list-files gives what is in it`, p{"path": "src"}},
	} {
		c := base
		c.Params = k.params
		message := k.message
		if k.params["source_path"] == "other" {
			message = strings.Replace(message, `"src"`, `"other"`, 1)
		}
		fails(t, k.node, c, fault.InvalidRequest, message)
	}
	if diff := cmp.Diff(before, treeOf(t, base.Dir)); diff != "" {
		t.Errorf("what is there (-before +after):\n%s", diff)
	}
	// The working directory counts where it really is.
	c := base
	c.Dir = filepath.Join(base.Dir, "work", "here")
	c.Params = p{"path": "..", "confirm_delete": true}
	fails(t, "delete-folder", c, fault.InvalidRequest, `cannot delete the folder "..": the working directory is in it`)
}

func TestDeleteFolder(t *testing.T) {
	c := newCall(t, map[string]any{"path": "src", "confirm_delete": true, "keep_folder": true}, nil)
	tree(t, c.Dir)
	os.Chmod(filepath.Join(c.Dir, "src/sub"), 0o700)
	if _, err := runNode(t, "delete-folder", c); err != nil {
		t.Fatal(err)
	}
	if left := readDir(t, filepath.Join(c.Dir, "src")); len(left) != 0 {
		t.Errorf("in it there are %v", left)
	}
	c.Params["keep_folder"] = false
	if _, err := runNode(t, "delete-folder", c); err != nil {
		t.Fatal(err)
	}
	// What a link in it leads to is not its own.
	if got := readFiles(t, c.Dir); !cmp.Equal(got, map[string]string{"other/c.txt": "C"}) {
		t.Errorf("files %q", got)
	}
}

func TestMoveFolder(t *testing.T) {
	c := newCall(t, map[string]any{"source_path": "src", "dest_path": "to/new"}, nil)
	tree(t, c.Dir)
	want := treeOf(t, filepath.Join(c.Dir, "src"))
	if _, err := runNode(t, "move-file", c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, treeOf(t, filepath.Join(c.Dir, "to/new"))); diff != "" {
		t.Errorf("it (-want +got):\n%s", diff)
	}
	// To another disk it is copied, and deleted when the copy is there.
	os.Chmod(filepath.Join(c.Dir, "to/new/sub"), 0o700)
	want = treeOf(t, filepath.Join(c.Dir, "to/new"))
	c.Params = map[string]any{"source_path": "to/new", "dest_path": "far"}
	move, err := newTransfer(c, "move")
	if err != nil {
		t.Fatal(err)
	}
	if err := move.move(t.Context(), func(string, string, bool) error { return &os.LinkError{Err: syscall.EXDEV} }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, treeOf(t, filepath.Join(c.Dir, "far"))); diff != "" {
		t.Errorf("it (-want +got):\n%s", diff)
	}
	if left := readDir(t, filepath.Join(c.Dir, "to")); len(left) != 0 {
		t.Errorf("there are left %v", left)
	}
}

func TestSetModeAndHash(t *testing.T) {
	c := newCall(t, nil, nil)
	writeFiles(t, c.Dir, map[string]string{"f": "abc", "empty": ""})
	file := filepath.Join(c.Dir, "f")
	os.Chmod(file, 0o640)
	for _, k := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"executable": true}, "0750"}, {map[string]any{"executable": true}, "0750"}, {map[string]any{"executable": false}, "0640"},
		{map[string]any{"mode": "0604"}, "0604"}, {map[string]any{"executable": true}, "0705"}, {map[string]any{"mode": "644"}, "0644"},
	} {
		c.Params = k.params
		c.Params["path"] = "f"
		out, err := runNode(t, "set-mode", c)
		info, _ := os.Stat(file)
		if err != nil || out.Outputs["mode"] != k.want || nodeMode(info) != k.want {
			t.Errorf("%v: %v, %v, %v", k.params, out.Outputs, info.Mode(), err)
		}
	}
	for algorithm, want := range map[string]string{
		"":       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"md5":    "900150983cd24fb0d6963f7d28e17f72",
		"sha1":   "a9993e364706816aba3e25717850c26c9cd0d89d",
	} {
		c.Params = map[string]any{"path": "f", "algorithm": algorithm}
		if out, err := runNode(t, "hash-file", c); err != nil || out.Outputs["hash"] != want {
			t.Errorf("%s: %v, %v", algorithm, out.Outputs, err)
		}
	}
	c.Params = map[string]any{"path": "empty", "algorithm": "md5"}
	if out, err := runNode(t, "hash-file", c); err != nil || out.Outputs["hash"] != "d41d8cd98f00b204e9800998ecf8427e" {
		t.Errorf("%v, %v", out.Outputs, err)
	}
}

func nodeMode(info fs.FileInfo) string {
	const digits = "01234567"
	m := info.Mode().Perm()
	return "0" + string([]byte{digits[m>>6], digits[m>>3&7], digits[m&7]})
}

// TestForeseeFolders checks what is told of folders before anything runs.
func TestForeseeFolders(t *testing.T) {
	c := newCall(t, nil, nil)
	writeFiles(t, c.Dir, map[string]string{"d/a": ""})
	for _, k := range []struct {
		node    string
		params  map[string]any
		pending []string
		want    string
	}{
		{"copy-folder", map[string]any{"source_path": "s", "dest_path": "d"}, nil, ""},
		{"copy-folder", map[string]any{"source_path": "s", "dest_path": "new", "overwrite": true}, nil, ""},
		{"copy-folder", map[string]any{"source_path": "s", "dest_path": "d", "overwrite": true}, nil, "it replaces the folder d and all that is in it"},
		{"copy-folder", map[string]any{"source_path": "s", "dest_path": "${x}", "overwrite": true}, []string{"dest_path"}, "it may replace a folder that is there"},
		{"delete-folder", map[string]any{"path": "d"}, nil, "it deletes the folder d and all that is in it"},
	} {
		c.Params = k.params
		if diff := cmp.Diff(nodetype.Foreseen{Destroys: k.want}, nodeType(t, Deps{}, k.node).Foresee(c, k.pending)); diff != "" {
			t.Errorf("%s %v: %s", k.node, k.params, diff)
		}
	}
}

// TestKilledFolderIsSwept: what a writer that died left of a folder goes with the next one that writes beside it.
func TestKilledFolderIsSwept(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{atomicfile.Prefix + "X": "", atomicfile.Prefix + "X.d/half": "1"})
	if err := atomicfile.Folder(filepath.Join(dir, "f"), func(string) error { return nil }, func(temp string) error { return os.Rename(temp, filepath.Join(dir, "f")) }); err != nil {
		t.Fatal(err)
	}
	if left := readDir(t, dir); len(left) != 1 {
		t.Errorf("there are %v", left)
	}
}

// What fits a pattern stays, with the folders on the way to it.
func TestDeleteFolderBut(t *testing.T) {
	c := newCall(t, map[string]any{"path": "d", "confirm_delete": true, "keep_folder": true, "exclude": []any{"*.md", "deep/keep", ".env"}}, nil)
	writeFiles(t, c.Dir, map[string]string{"d/a.txt": "", "d/b.md": "b", "d/.env": "e", "d/sub/c.md": "c", "d/sub/c.txt": "", "d/gone/x.txt": "", "d/deep/keep/y.txt": "y", "d/deep/z.txt": ""})
	if _, err := runNode(t, "delete-folder", c); err != nil {
		t.Fatal(err)
	}
	if got := readFiles(t, c.Dir); !cmp.Equal(got, map[string]string{"d/b.md": "b", "d/.env": "e", "d/sub/c.md": "c", "d/deep/keep/y.txt": "y"}) {
		t.Errorf("files %q", got)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "d/gone")); !os.IsNotExist(err) {
		t.Errorf("a folder in which nothing stays is there: %v", err)
	}
	c.Params["keep_folder"] = false
	fails(t, "delete-folder", c, fault.InvalidRequest, `cannot delete the folder "d": exclude says what stays in it, so that keep_folder has to be true`)
}
