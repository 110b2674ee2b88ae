package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// aged sets when a file was changed.
func (b *bench) aged(name string, at time.Time) {
	b.t.Helper()
	if err := os.Chtimes(filepath.Join(b.dir, filepath.FromSlash(name)), at, at); err != nil {
		b.t.Fatal(err)
	}
}

func logErrors(_ *testing.T, b *bench) {
	b.keep("logs/a.log", "2026-03-04 10:00 INFO up\n2026-03-04 10:01 ERROR disk\n  at main.go:7\n2026-03-05 09:00 FATAL <out>\n")
	b.keep("logs/b.log", "2026-03-04 11:00 ERROR net\n2026-03-04 11:01 INFO no TERROR here\n")
	b.keep("logs/c.txt", "2026-03-04 ERROR of another kind\n")
	before := b.tree()
	b.same("errors", b.does("around=1")["errors"], 3)
	before["errors.md"] = `# Errors

## 2026-03-04: 2

logs/a.log:2

      2026-03-04 10:00 INFO up
    > 2026-03-04 10:01 ERROR disk
        at main.go:7

logs/b.log:1

    > 2026-03-04 11:00 ERROR net
      2026-03-04 11:01 INFO no TERROR here

## 2026-03-05: 1

logs/a.log:4

        at main.go:7
    > 2026-03-05 09:00 FATAL <out>
`
	b.is(before)
}

func rotateLogs(_ *testing.T, b *bench) {
	for _, name := range []string{"old.log", "new.log", "old.txt"} {
		b.keep("logs/"+name, name)
		b.aged("logs/"+name, time.Now().AddDate(0, 0, -40))
	}
	b.aged("logs/new.log", time.Now().AddDate(0, 0, -3))
	all := b.tree()
	b.refuses("", exitDeclined, "--yes=destructive")
	kept := b.tree()
	for name := range kept {
		if strings.HasSuffix(name, ".tar.gz") {
			delete(kept, name)
		}
	}
	b.same("files before it is allowed", kept, all)
	b.must("rm -rf old-logs")

	b.same("deleted", b.does("--yes=destructive")["deleted"], []any{"logs/old.log"})
	archives, err := filepath.Glob(filepath.Join(b.dir, "old-logs", "logs-*.tar.gz"))
	if err != nil || len(archives) != 1 {
		b.t.Fatalf("archives: %v, %v", archives, err)
	}
	b.must("pflow node run unarchive source_path=" + archives[0] + " dest_path=out && rm -r old-logs")
	b.is(map[string]string{"logs/new.log": "new.log", "logs/old.txt": "old.txt", "out/old.log": "old.log"})
	b.same("nothing left to do", b.does("--yes=destructive")["deleted"], []any{})
}

func backupFolder(_ *testing.T, b *bench) {
	b.keep("My Notes/a.txt", "a")
	b.keep("My Notes/deep/b.txt", "b")
	b.keep("My Notes/c.tmp", "c")
	b.keep("My Notes/node_modules/d.js", "d")
	out := b.does(`"folder=My Notes"`)
	archive, _ := out["archive"].(string)
	if !strings.HasPrefix(archive, "backups/my-notes-20") || !strings.HasSuffix(archive, ".tar.gz") {
		b.t.Errorf("archive: %q", archive)
	}
	b.same("files", out["files"], []any{"My Notes/a.txt", "My Notes/deep/b.txt"})
	files := b.tree()
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(files[archive])))
	b.same("checksum", []any{out["sha256"], files[archive+".sha256"]}, []any{sum, sum + "  " + filepath.Base(archive) + "\n"})
}

func findDuplicates(_ *testing.T, b *bench) {
	for name, text := range map[string]string{"a.txt": "same", "b/c.txt": "same", "b/d.txt": "other", "b/e.txt": "emas", "z, z.txt": "same", "empty": "", "b/empty": ""} {
		b.keep("files/"+name, text)
	}
	before := b.tree()
	b.same("outputs", b.does("folder=files"), map[string]any{"duplicates": 2, "bytes": 8})
	before["duplicates.csv"] = "file,same_as,bytes\nfiles/b/c.txt,files/a.txt,4\n\"files/z, z.txt\",files/a.txt,4\n"
	b.is(before)
	b.same("outputs of none", b.does("folder=files/b"), map[string]any{"duplicates": 0, "bytes": 0})
}

func photosByDate(_ *testing.T, b *bench) {
	taken := time.Date(2026, 3, 4, 15, 4, 5, 0, time.UTC)
	for _, name := range []string{"IMG_7.JPG", "IMG_8.jpg", "film.mov"} {
		b.keep("inbox/"+name, name)
		b.aged("inbox/"+name, taken)
	}
	b.aged("inbox/IMG_8.jpg", taken.AddDate(0, -3, 0))
	b.does("")
	in := func(folder, text, ending string) string {
		return fmt.Sprintf("photos/%s04-150405-%.4x.%s", folder, sha256.Sum256([]byte(text)), ending)
	}
	want := map[string]string{in("2026/03/2026-03-", "IMG_7.JPG", "jpg"): "IMG_7.JPG", in("2025/12/2025-12-", "IMG_8.jpg", "jpg"): "IMG_8.jpg", "inbox/film.mov": "film.mov"}
	b.is(want)

	b.keep("inbox/IMG_7.JPG", "another") // of the same name and second
	b.aged("inbox/IMG_7.JPG", taken)
	b.does("")
	want[in("2026/03/2026-03-", "another", "jpg")] = "another"
	b.is(want)
	b.same("no photos", b.does("")["moved"], []any{})
}

func batchRename(t *testing.T, b *bench) {
	b.keep("photos/Holiday 1.JPG", "one")
	b.keep("photos/Café & Bar.tar.GZ", "two")
	b.keep("photos/plain.txt", "three")
	b.does("folder=photos")
	b.is(map[string]string{"photos/holiday-1.jpg": "one", "photos/cafe-bar-tar.gz": "two", "photos/plain.txt": "three"})

	b.keep("photos/Plain!.txt", "four") // two files of one name: nothing is renamed
	out, err := b.run("pflow run " + b.file + " folder=photos")
	if exitStatus(err) != 1 || !strings.Contains(string(out), "several files would be called photos/plain.txt") {
		t.Errorf("%v\n%s", err, out)
	}
	b.is(map[string]string{"photos/holiday-1.jpg": "one", "photos/cafe-bar-tar.gz": "two", "photos/plain.txt": "three", "photos/Plain!.txt": "four"})
}

func replaceInDocs(_ *testing.T, b *bench) {
	b.keep("docs/a.md", "Old.Name, and OldxName: Old.Name\n")
	b.keep("docs/deep/b.html", "<p>Old.Name")
	b.keep("docs/c.md", "nothing\n")
	b.keep("docs/d.go", "Old.Name\n")
	b.refuses("old=Old.Name new='New$1'", exitDeclined, "--yes=destructive")
	out := b.does("old=Old.Name new='New$1' --yes=destructive")
	b.same("outputs", out, map[string]any{"changed": []any{map[string]any{"path": "docs/a.md", "replacements": 2}, map[string]any{"path": "docs/deep/b.html", "replacements": 1}}, "count": 3})
	b.is(map[string]string{"docs/a.md": "New$1, and OldxName: New$1\n", "docs/deep/b.html": "<p>New$1", "docs/c.md": "nothing\n", "docs/d.go": "Old.Name\n"})
}
