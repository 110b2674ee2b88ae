package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
)

// piece is an entry of an archive that a test makes.
type piece struct {
	name, content string
	kind          byte // of tar; 0 is a file
	link          string
	mode          fs.FileMode
}

func tarOf(t testing.TB, pieces ...piece) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, p := range pieces {
		kind := p.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		h := &tar.Header{Name: p.name, Typeflag: kind, Linkname: p.link, Size: int64(len(p.content)), Mode: int64(p.mode) | 0o644}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, p.content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t testing.TB, pieces ...piece) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range pieces {
		h := &zip.FileHeader{Name: p.name, Method: zip.Deflate}
		content := p.content
		mode := p.mode | 0o644
		switch p.kind {
		case tar.TypeSymlink:
			mode, content = mode|fs.ModeSymlink, p.link
		case tar.TypeFifo:
			mode |= fs.ModeNamedPipe
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gz(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

var wide = Limits{Bytes: 1 << 20, Files: 100, Ratio: true}

// unpack unpacks data into outer/in, and gives all that is in outer afterwards.
func unpack(t testing.TB, data []byte, l Limits) (*Unpacked, map[string]string, error) {
	t.Helper()
	outer := t.TempDir()
	in := filepath.Join(outer, "in")
	if err := os.Mkdir(in, 0o755); err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(packed, data, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	u, err := Unpack(t.Context(), f, in, l)
	got := map[string]string{}
	walk := filepath.WalkDir(outer, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == outer || path == in {
			return err
		}
		name, _ := filepath.Rel(outer, path)
		switch {
		case e.IsDir():
			got[name] = "/"
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			got[name] = "-> " + target
			return err
		default:
			data, err := os.ReadFile(path)
			got[name] = string(data)
			return err
		}
		return nil
	})
	if walk != nil {
		t.Fatal(walk)
	}
	return u, got, err
}

// TestNames unpacks entries that would leave the folder, as zip, tar and tar.gz: none does, and none is unpacked.
func TestNames(t *testing.T) {
	deep := strings.Repeat("d/", 250) + "f"
	for _, c := range []struct{ name, zip, tar string }{
		{"../evil", "leads out of the folder", "leads out of the folder"},
		{"a/../../evil", "leads out of the folder", "leads out of the folder"},
		{"a/..", "leads out of the folder", "leads out of the folder"},
		{"..", "leads out of the folder", "leads out of the folder"},
		{"/etc/passwd", "is an absolute path", "is an absolute path"},
		{"//evil", "is an absolute path", "is an absolute path"},
		{`..\evil`, "leads out of the folder", "holds a backslash"},
		{`a\..\..\evil`, "leads out of the folder", "holds a backslash"},
		{`\\host\share`, "is an absolute path", "holds a backslash"},
		{`C:\evil`, "names a drive", "holds a backslash"},
		{"c:evil", "names a drive", "names a drive"},
		{strings.Repeat("n", 256), "longer than any file may have", "longer than any file may have"},
		{deep, "lies too deep", "lies too deep"},
		{strings.Repeat(strings.Repeat("n", 200)+"/", 20) + "f", "longer than any path may be", "longer than any path may be"},
	} {
		archives := map[string][]byte{"zip": zipOf(t, piece{name: "ok"}, piece{name: c.name, content: "evil"}), "tar": tarOf(t, piece{name: "ok"}, piece{name: c.name, content: "evil"})}
		archives["tar.gz"] = gz(archives["tar"])
		for kind, data := range archives {
			want := c.tar
			if kind == "zip" {
				want = c.zip
			}
			_, got, err := unpack(t, data, wide)
			if f := fault.Of(err); f == nil || f.Kind != fault.Permission || !strings.Contains(f.Message, want) || !strings.HasSuffix(f.Message, "; nothing of it was unpacked") {
				t.Errorf("%s %.40q: %v\nwant %s", kind, c.name, err, want)
			}
			for name := range got {
				if !strings.HasPrefix(name, "in") {
					t.Errorf("%s %.40q: there is %s", kind, c.name, name)
				}
			}
		}
	}
}

// TestLinks unpacks links: those that stay inside, and every way to write through one or to lead out by one.
func TestLinks(t *testing.T) {
	const sym, hard, fifo, dir = tar.TypeSymlink, tar.TypeLink, tar.TypeFifo, tar.TypeDir
	for _, c := range []struct {
		name   string
		pieces []piece
		want   map[string]string // nil: refused
		left   int
		err    string
	}{
		{"inside", []piece{{name: "d/f", content: "x"}, {name: "d/l", kind: sym, link: "f"}, {name: "m", kind: sym, link: "d/f"}, {name: "e/n", kind: sym, link: "../d"}},
			map[string]string{"in/d": "/", "in/d/f": "x", "in/d/l": "-> f", "in/m": "-> d/f", "in/e": "/", "in/e/n": "-> ../d"}, 0, ""},
		{"up", []piece{{name: "l", kind: sym, link: ".."}, {name: "d/l", kind: sym, link: "../../x"}}, map[string]string{}, 2, ""},
		{"absolute", []piece{{name: "l", kind: sym, link: "/etc/passwd"}}, map[string]string{}, 1, ""},
		{"up behind a link", []piece{{name: "s", kind: sym, link: "."}, {name: "l", kind: sym, link: "s/../x"}}, map[string]string{"in/s": "-> ."}, 1, ""},
		{"through", []piece{{name: "l", kind: sym, link: "d"}, {name: "d/", kind: dir}, {name: "l/evil", content: "x"}}, nil, 0, `"l/evil" and "l" cannot both be there`},
		{"through, the other way round", []piece{{name: "l/evil", content: "x"}, {name: "l", kind: sym, link: "d"}}, nil, 0, `cannot both be there`},
		{"folder through", []piece{{name: "l", kind: sym, link: "d"}, {name: "l/", kind: dir}}, nil, 0, `cannot both be there`},
		{"same name", []piece{{name: "l", kind: sym, link: "d"}, {name: "l", content: "x"}}, nil, 0, `cannot both be there`},
		{"same name, other spelling", []piece{{name: "a", content: "1"}, {name: "./a", content: "2"}}, nil, 0, `cannot both be there`},
		{"file in a file", []piece{{name: "a", content: "1"}, {name: "a/b", content: "2"}}, nil, 0, `cannot both be there`},
		{"through one that was left out", []piece{{name: "l", kind: sym, link: "/tmp"}, {name: "l/f", content: "x"}}, map[string]string{"in/l": "/", "in/l/f": "x"}, 1, ""},
	} {
		archives := map[string][]byte{"tar": tarOf(t, c.pieces...)}
		archives["zip"] = zipOf(t, c.pieces...)
		for kind, data := range archives {
			u, got, err := unpack(t, data, wide)
			if c.err != "" {
				if f := fault.Of(err); f == nil || f.Kind != fault.Permission || !strings.Contains(f.Message, c.err) {
					t.Errorf("%s %s: %v", kind, c.name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s %s: %v", kind, c.name, err)
				continue
			}
			if diff := cmp.Diff(c.want, got); diff != "" || len(u.Warnings) != c.left {
				t.Errorf("%s %s: warnings %q, (-want +got):\n%s", kind, c.name, u.Warnings, diff)
			}
		}
	}
	for _, c := range []struct {
		name   string
		pieces []piece
		want   map[string]string
		left   int
	}{
		{"hard link", []piece{{name: "a", content: "x"}, {name: "b", kind: hard, link: "a"}}, map[string]string{"in/a": "x", "in/b": "x"}, 0},
		{"to what is not there", []piece{{name: "b", kind: hard, link: "a"}, {name: "a", content: "x"}}, map[string]string{"in/a": "x"}, 1},
		{"to a link", []piece{{name: "l", kind: sym, link: "a"}, {name: "b", kind: hard, link: "l"}}, map[string]string{"in/l": "-> a"}, 1},
		{"special", []piece{{name: "p", kind: fifo}, {name: "d", kind: tar.TypeBlock}, {name: "c", kind: tar.TypeChar}, {name: "a"}}, map[string]string{"in/a": ""}, 3},
		{"added to", []piece{{name: "a", content: "old"}, {name: "a", content: "new"}}, map[string]string{"in/a": "new"}, 0},
	} {
		u, got, err := unpack(t, tarOf(t, c.pieces...), wide)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(u.Warnings) != c.left {
			t.Errorf("%s: warnings %q, (-want +got):\n%s", c.name, u.Warnings, diff)
		}
	}
	if _, _, err := unpack(t, tarOf(t, piece{name: "b", kind: hard, link: "../../etc/passwd"}), wide); err == nil || !strings.Contains(err.Error(), "leads out of the folder") {
		t.Error(err)
	}
}

// TestBombs unpacks archives that hold more than they look like.
func TestBombs(t *testing.T) {
	blank := strings.Repeat("\x00", 1<<20)
	var many []piece
	for i := range 101 {
		many = append(many, piece{name: strings.Repeat("x", i+1)})
	}
	var blanks []piece
	for i := range 66 {
		blanks = append(blanks, piece{name: strings.Repeat("x", i+1), content: blank})
	}
	lying := zipOf(t, piece{name: "a", content: blank})
	if at := bytes.LastIndex(lying, []byte("PK\x01\x02")); at < 0 {
		t.Fatal("no directory")
	} else {
		copy(lying[at+24:], []byte{1, 0, 0, 0}) // the directory says it has one byte
	}
	for _, c := range []struct {
		name string
		data []byte
		l    Limits
		err  string
	}{
		{"one too many", zipOf(t, piece{name: "a", content: blank}, piece{name: "b", content: "x"}), wide, "it unpacks to more than 1048576 bytes; raise max_bytes to have it"},
		{"just enough", zipOf(t, piece{name: "a", content: blank}), wide, ""},
		{"one too many, tar", tarOf(t, piece{name: "a", content: blank}, piece{name: "b", content: "x"}), wide, "it unpacks to more than 1048576 bytes; raise max_bytes to have it"},
		{"just enough, tar.gz", gz(tarOf(t, piece{name: "a", content: blank})), wide, ""},
		{"ratio", zipOf(t, blanks...), Limits{Bytes: 1 << 30, Files: 1000, Ratio: true}, "it unpacks to more than 250 times its size, as archives do that are made to fill a disk; give max_bytes to have it"},
		{"files", zipOf(t, many...), wide, "it holds more than 100 files and folders; raise max_files to have it"},
		{"files, tar", tarOf(t, many...), wide, "it holds more than 100 files and folders; raise max_files to have it"},
		{"folders in a name", zipOf(t, piece{name: strings.Repeat("d/", 150) + "f"}), wide, "it holds more than 100 files and folders"},
		{"hard links", tarOf(t, piece{name: "a", content: blank[:600_000]}, piece{name: "b", kind: tar.TypeLink, link: "a"}), wide, "it unpacks to more than 1048576 bytes"},
		{"special ones count", tarOf(t, slices.Repeat([]piece{{name: "p", kind: tar.TypeFifo}}, 101)...), wide, "it holds more than 100 files"},
		{"after the end", gz(append(tarOf(t, piece{name: "a"}), make([]byte, 4<<20)...)), wide, ""},
		{"lies about its size", lying, wide, "it is damaged or cut off"},
		{"long directory", zipOf(t, slices.Repeat([]piece{{name: strings.Repeat("n", 60000)}}, 40)...), Limits{Bytes: 1, Files: 1}, "its directory is too long for 1 files"},
	} {
		_, _, err := unpack(t, c.data, c.l)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v\nwant %q", c.name, err, c.err)
		}
	}
}

// TestOther gives what is no archive, a half one, and one of another kind.
func TestOther(t *testing.T) {
	whole := zipOf(t, piece{name: "a", content: "x"})
	encrypted := bytes.Clone(whole)
	encrypted[bytes.LastIndex(encrypted, []byte("PK\x01\x02"))+8] |= 1
	tarred := gz(tarOf(t, piece{name: "a", content: strings.Repeat("text", 10000)}))
	for _, c := range []struct {
		name string
		data []byte
		err  string
	}{
		{"nothing", nil, "it is no zip, tar, tar.gz or tar.bz2 file"},
		{"text", []byte("hello\n"), "it is no zip, tar, tar.gz or tar.bz2 file"},
		{"half a zip", whole[:len(whole)/2], "it is damaged or cut off (zip: not a valid zip file); fetch or make it again"},
		{"half a tar.gz", tarred[:len(tarred)/2], "it is damaged or cut off (unexpected EOF); fetch or make it again"},
		{"gz of a text", gz([]byte(strings.Repeat("hello\n", 200))), "it is one packed file and no archive of files; unpack it with a shell node, such as gunzip -c"},
		{"encrypted", encrypted, `its entry "a" is encrypted; unpack it with a shell node, such as unzip -P`},
		{"xz", []byte("\xfd7zXZ\x00rest"), "it is an xz file: unpack it with a shell node, such as tar -xJf"},
		{"7z", []byte("7z\xbc\xaf\x27\x1c"), "it is a 7z archive: unpack it with a shell node, such as 7z x"},
	} {
		_, got, err := unpack(t, c.data, wide)
		if f := fault.Of(err); f == nil || f.Kind != fault.InvalidRequest || f.Message != c.err {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.err)
		}
		if c.name != "half a tar.gz" && len(got) > 0 {
			t.Errorf("%s: there is %v", c.name, got)
		}
	}
}

func TestUnpackNames(t *testing.T) {
	when := time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "caf\x82.txt", NonUTF8: true, Modified: when} // code page 437
	h.SetMode(0o755 | fs.ModeSetuid)
	f, _ := w.CreateHeader(h)
	io.WriteString(f, "x")
	w.Create(`win\dows\a.txt`)
	w.Create("empty/")
	w.Create("./")
	w.Close()
	u, got, err := unpack(t, b.Bytes(), wide)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"in/café.txt": "x", "in/win": "/", "in/win/dows": "/", "in/win/dows/a.txt": "", "in/empty": "/"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"café.txt", "win/dows/a.txt"}, u.Files); diff != "" {
		t.Error(diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	packed := filepath.Join(t.TempDir(), "a")
	os.WriteFile(packed, b.Bytes(), 0o644)
	file, _ := os.Open(packed)
	defer file.Close()
	if _, err := Unpack(ctx, file, t.TempDir(), wide); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// FuzzUnpack unpacks whatever it is given: nothing may be outside of the folder, no link may lead out, and the bounds hold.
func FuzzUnpack(f *testing.F) {
	pieces := []piece{{name: "a/b", content: "x"}, {name: "l", kind: tar.TypeSymlink, link: "a"}, {name: "../c"}}
	f.Add(zipOf(f, pieces[:2]...))
	f.Add(tarOf(f, pieces...))
	f.Add(gz(tarOf(f, pieces[:2]...)))
	f.Add(tarOf(f, piece{name: "h", kind: tar.TypeLink, link: "a"}, piece{name: "a", kind: tar.TypeSymlink, link: "./.."}))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := Limits{Bytes: 10_000, Files: 20, Ratio: true}
		_, got, err := unpack(t, data, l)
		size := 0
		for name, content := range got {
			if !strings.HasPrefix(name, "in"+string(filepath.Separator)) {
				t.Fatalf("%s lies outside", name)
			}
			if target, link := strings.CutPrefix(content, "-> "); link && err == nil && !filepath.IsLocal(filepath.Join(filepath.Dir(strings.TrimPrefix(name, "in/")), target)) {
				t.Fatalf("%s leads to %s", name, target)
			}
			size += len(content)
		}
		if size > 10_000+20*3000 || len(got) > 20 {
			t.Fatalf("%d bytes in %d files", size, len(got))
		}
	})
}
