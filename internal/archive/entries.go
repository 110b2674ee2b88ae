package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"pflow/internal/fault"
)

// Kind is what an entry is.
type Kind int

// The kinds. A special entry is a device, a pipe or the like.
const (
	File Kind = iota
	Folder
	Link
	hardLink
	special
)

// Entry is one thing in an archive. Its name is a path below the folder that it is unpacked to, with slashes.
type Entry struct {
	Name   string
	Kind   Kind
	Mode   fs.FileMode // permissions alone
	Time   time.Time
	Target string // of a link, and of a hard link the name of the entry

	raw string // the name as the archive has it
}

// List gives the files and links of an archive, by reading it within the limits and unpacking nothing.
func List(ctx context.Context, file *os.File, l Limits) ([]Entry, error) {
	var out []Entry
	t := newTree()
	err := each(ctx, file, l, func(e Entry, _ io.Reader, b *budget) error {
		if err := t.add(e, b); err != nil {
			return err
		}
		if e.Kind == File || e.Kind == Link || e.Kind == hardLink {
			out = append(out, e)
		}
		return nil
	})
	return out, err
}

// each visits the entries in the order of the archive. content is that of a file.
func each(ctx context.Context, file *os.File, l Limits, visit func(e Entry, content io.Reader, b *budget) error) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	format, err := formatOf(file)
	if err != nil {
		return err
	}
	b := &budget{Limits: l, ctx: ctx, packed: info.Size()}
	if format == Zip {
		return eachZip(file, info.Size(), b, visit)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var in io.Reader = file
	switch format {
	case TarGz:
		if in, err = gzip.NewReader(file); err != nil {
			return broken(err)
		}
	case tarBz2:
		in = bzip2.NewReader(file)
	}
	if format != Tar {
		// What is between the files takes time to unpack, too: headers, and what is skipped.
		in = &bounded{in, l.Bytes + int64(l.Files)*4096 + 1<<20, l.Bytes}
	}
	return eachTar(tar.NewReader(in), format, b, visit)
}

// bounded reads no more than so many bytes.
type bounded struct {
	io.Reader
	left, most int64
}

func (r *bounded) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, fault.New(fault.InvalidRequest, "it unpacks to more than %d bytes; raise max_bytes to have it", r.most)
	}
	return n, err
}

// broken is the error of an archive that cannot be read on.
func broken(err error) error {
	var known *fault.Error
	var path *fs.PathError
	if err == nil || errors.As(err, &known) || errors.As(err, &path) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.New(fault.InvalidRequest, "it is damaged or cut off (%v); fetch or make it again", err)
}

func eachTar(r *tar.Reader, format Format, b *budget, visit func(Entry, io.Reader, *budget) error) error {
	for n := 0; ; n++ {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if n == 0 && format != Tar && errors.Is(err, tar.ErrHeader) {
				return fault.New(fault.InvalidRequest, "it is one packed file and no archive of files; unpack it with a shell node, such as gunzip -c")
			}
			return broken(err)
		}
		e := Entry{raw: h.Name, Mode: fs.FileMode(h.Mode).Perm(), Time: h.ModTime, Target: h.Linkname}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
			e.Kind = File
			if strings.HasSuffix(h.Name, "/") { // so old archives write folders
				e.Kind = Folder
			}
		case tar.TypeDir:
			e.Kind = Folder
		case tar.TypeSymlink:
			e.Kind = Link
		case tar.TypeLink:
			e.Kind = hardLink
			if e.Target, err = safeName(h.Linkname, Tar); err != nil {
				return err
			}
		case tar.TypeXGlobalHeader:
			continue
		default:
			e.Kind = special
		}
		if e.Name, err = safeName(h.Name, Tar); err != nil {
			return err
		}
		if err := visit(e, counted{r, b}, b); err != nil {
			return broken(err)
		}
	}
}

// directoryOf bounds what is read of a zip file's directory: it is kept in memory.
func directoryOf(files int) int64 { return 1<<20 + int64(files)*512 }

func eachZip(file io.ReaderAt, size int64, b *budget, visit func(Entry, io.Reader, *budget) error) error {
	in := &boundedAt{ReaderAt: file, left: directoryOf(b.Files), files: b.Files}
	z, err := zip.NewReader(in, size)
	if err != nil {
		return broken(err)
	}
	in.left = -1
	for _, f := range z.File {
		e := Entry{raw: f.Name, Mode: f.Mode().Perm(), Time: f.Modified}
		if e.Name, err = safeName(f.Name, Zip); err != nil {
			return err
		}
		mode := f.Mode()
		switch {
		case f.Flags&1 != 0:
			return fault.New(fault.InvalidRequest, "its entry %q is encrypted; unpack it with a shell node, such as unzip -P", e.Name)
		case mode.IsDir() || strings.HasSuffix(f.Name, "/") || strings.HasSuffix(f.Name, `\`):
			e.Kind = Folder
		case mode&fs.ModeSymlink != 0:
			e.Kind = Link
		case !mode.IsRegular():
			e.Kind = special
		}
		if err := visitZip(f, e, b, visit); err != nil {
			return broken(err)
		}
	}
	return nil
}

func visitZip(f *zip.File, e Entry, b *budget, visit func(Entry, io.Reader, *budget) error) error {
	if e.Kind != File && e.Kind != Link {
		return visit(e, strings.NewReader(""), b)
	}
	if e.Kind == File {
		return visit(e, &opening{f: f, b: b}, b)
	}
	content := &opening{f: f, b: b}
	target, err := io.ReadAll(io.LimitReader(content, maxName+1))
	content.Close()
	if err != nil {
		return err
	}
	e.Target = string(target)
	return visit(e, nil, b)
}

// opening opens an entry of a zip file when it is first read: to list an archive nothing is unpacked.
type opening struct {
	f *zip.File
	b *budget
	r io.ReadCloser
}

func (o *opening) Read(p []byte) (int, error) {
	if o.r == nil {
		r, err := o.f.Open()
		if err != nil {
			return 0, err
		}
		o.r = r
	}
	n, err := counted{o.r, o.b}.Read(p)
	if err != nil {
		o.Close()
	}
	return n, err
}

func (o *opening) Close() {
	if o.r != nil {
		o.r.Close()
	}
}

// boundedAt bounds how much is read while left is not negative.
type boundedAt struct {
	io.ReaderAt
	left  int64
	files int
}

func (r *boundedAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	if r.left >= 0 {
		if r.left -= int64(n); r.left < 0 {
			r.left = 0
			return 0, fault.New(fault.InvalidRequest, "its directory is too long for %d files; raise max_files to have it", r.files)
		}
	}
	return n, err
}

// tree is what an archive makes: each path once, and none through what is no folder.
type tree struct {
	kinds map[string]Kind
	raw   map[string]string
}

func newTree() *tree { return &tree{kinds: map[string]Kind{".": Folder}, raw: map[string]string{}} }

// file reports whether there is a file at a path.
func (t *tree) file(name string) bool {
	kind, there := t.kinds[name]
	return there && (kind == File || kind == hardLink)
}

// add takes an entry, and the folders that it lies in.
func (t *tree) add(e Entry, b *budget) error {
	clash := func(other string) error {
		return fault.New(fault.Permission, "its entries %q and %q cannot both be there; nothing of it was unpacked", e.Name, other)
	}
	for i, c := range e.Name {
		if c != '/' {
			continue
		}
		folder := e.Name[:i]
		kind, there := t.kinds[folder]
		if there && kind != Folder {
			return clash(folder) // such as a file behind a link, which would be written to where the link leads
		}
		if !there {
			t.kinds[folder] = Folder
			if err := b.entry(); err != nil {
				return err
			}
		}
	}
	kind, there := t.kinds[e.Name]
	switch {
	case !there:
		t.kinds[e.Name], t.raw[e.Name] = e.Kind, e.raw
		return b.entry()
	case kind == Folder && e.Kind == Folder:
		return b.ctx.Err()
	case t.file(e.Name) && (e.Kind == File || e.Kind == hardLink) && t.raw[e.Name] == e.raw:
		return b.entry() // an archive that was added to: the later one counts
	}
	return clash(path.Clean(e.Name))
}
