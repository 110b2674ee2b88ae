package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pflow/internal/fault"
)

// Member is a file, folder or link that goes into an archive.
type Member struct {
	Name   string // in the archive
	Path   string // on the disk
	Info   fs.FileInfo
	Target string // of a link
}

// Source is a file or folder to pack, and the name that it gets; "." for what is in a folder without the folder.
type Source struct{ Path, Name string }

// Selection says what is packed.
type Selection struct {
	Sources []Source
	Skip    func(name string) bool                   // what is left out, folders with all that is in them
	Own     func(path string, info fs.FileInfo) bool // the archive itself, which is never in it
	Most    int                                      // members
}

// Find gives the members, sorted. A folder has all that is in it. Links in it are kept as links if they stay inside what is
// packed, and left out with a warning otherwise: none is followed.
func Find(ctx context.Context, s Selection) (members []Member, warnings []string, err error) {
	f := finder{ctx: ctx, Selection: s, known: map[string]string{}}
	for _, src := range s.Sources {
		info, err := os.Stat(src.Path)
		if err != nil {
			return nil, nil, err
		}
		if !info.IsDir() && src.Name == "." {
			return nil, nil, fault.New(fault.InvalidRequest, "base is the file %q itself; give the folder it lies in", src.Path)
		}
		if err := f.add(src.Path, src.Name, info); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(f.found, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	if f.left > maxWarnings {
		f.warnings = append(f.warnings, fmt.Sprintf("%d more were left out", f.left-maxWarnings))
	}
	return f.found, f.warnings, nil
}

type finder struct {
	Selection
	ctx      context.Context
	found    []Member
	known    map[string]string // the path of each name
	warnings []string
	left     int
}

func (f *finder) leave(format string, args ...any) {
	if f.left++; f.left <= maxWarnings {
		f.warnings = append(f.warnings, fmt.Sprintf(format, args...))
	}
}

func (f *finder) add(at, name string, info fs.FileInfo) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if f.Own(at, info) || name != "." && f.Skip(name) {
		return nil
	}
	if !utf8.ValidString(name) || strings.Contains(name, `\`) {
		return fault.New(fault.InvalidRequest, "%q has a name that other systems cannot unpack: it is not UTF-8 or holds a backslash; rename it, or exclude it", at)
	}
	m := Member{Name: name, Path: at, Info: info}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(at)
		if err != nil {
			return err
		}
		if m.Target = filepath.ToSlash(target); !staysInside(name, m.Target) {
			f.leave("the link %q was left out: it leads out of what is packed, to %q", name, m.Target)
			return nil
		}
	case !info.IsDir() && !info.Mode().IsRegular():
		f.leave("%q was left out: it is no file, folder or link", name)
		return nil
	}
	if name != "." {
		if before, there := f.known[name]; there && before != filepath.Clean(at) {
			return fault.New(fault.InvalidRequest, "both %q and %q would be %q in the archive; set base to a folder that holds both", before, at, name)
		} else if !there {
			if len(f.found) == f.Most {
				return fault.New(fault.InvalidRequest, "there are more than %d files and folders; pack fewer at once", f.Most)
			}
			f.known[name] = filepath.Clean(at)
			f.found = append(f.found, m)
		}
	}
	if !info.IsDir() {
		return nil
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if os.IsNotExist(err) {
			continue // it has gone since
		}
		if err != nil {
			return err
		}
		if err := f.add(filepath.Join(at, e.Name()), path.Join(name, e.Name()), info); err != nil {
			return err
		}
	}
	return nil
}

// Pack writes the archive of the members.
func Pack(ctx context.Context, w io.Writer, format Format, members []Member) error {
	switch format {
	case Zip:
		return packZip(ctx, w, members)
	case TarGz:
		z := gzip.NewWriter(w)
		if err := packTar(ctx, z, members); err != nil {
			return err
		}
		return z.Close()
	}
	return packTar(ctx, w, members)
}

func packZip(ctx context.Context, w io.Writer, members []Member) error {
	z := zip.NewWriter(w)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.Name, Method: zip.Deflate, Modified: m.Info.ModTime().UTC()}
		h.SetMode(m.Info.Mode().Perm() | m.Info.Mode().Type())
		switch {
		case m.Target != "":
			h.Modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // the first that zip knows: a link keeps no time when it is unpacked
		case m.Info.IsDir():
			h.Name, h.Method = m.Name+"/", zip.Store
		}
		out, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		switch {
		case m.Target != "":
			_, err = io.WriteString(out, m.Target)
		case !m.Info.IsDir():
			_, err = m.copy(ctx, out, -1)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

func packTar(ctx context.Context, w io.Writer, members []Member) error {
	t := tar.NewWriter(w)
	for _, m := range members {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.Name, Mode: int64(m.Info.Mode().Perm()), ModTime: m.Info.ModTime().Truncate(1e9), Size: m.Info.Size()}
		switch {
		case m.Target != "":
			h.Typeflag, h.Linkname, h.Size, h.ModTime = tar.TypeSymlink, m.Target, 0, time.Unix(0, 0) // a link keeps no time when it is unpacked
		case m.Info.IsDir():
			h.Typeflag, h.Name, h.Size = tar.TypeDir, m.Name+"/", 0
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		n, err := m.copy(ctx, t, h.Size)
		if err != nil {
			return err
		}
		if n < h.Size {
			return fault.New(fault.Failure, "%q became shorter while it was packed; pack it when nobody writes to it", m.Path)
		}
	}
	return t.Close()
}

// copy copies a file, most bytes of it unless most is negative.
func (m *Member) copy(ctx context.Context, w io.Writer, most int64) (n int64, err error) {
	f, err := os.Open(m.Path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !os.SameFile(now, m.Info) {
		return 0, fault.New(fault.Failure, "%q was replaced while it was packed; pack it when nobody writes to it", m.Path)
	}
	var in io.Reader = f
	if most >= 0 {
		in = io.LimitReader(f, most)
	}
	return io.Copy(w, heeding{ctx, in})
}

// heeding reads until it is cancelled.
type heeding struct {
	ctx context.Context
	io.Reader
}

func (h heeding) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.Reader.Read(p)
}
