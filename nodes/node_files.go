package nodes

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// fileFault turns an error of the file system into a fault: doing is what was to be done, such as `read "a.txt"`.
func fileFault(doing string, err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	reason := err
	var path *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path) {
		reason = path.Err
	} else if errors.As(err, &link) {
		reason = link.Err
	}
	kind := fault.Failure
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		kind = fault.NotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		kind = fault.Permission
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.EINVAL),
		errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EFBIG):
		kind = fault.InvalidRequest
	}
	out := &fault.Error{Kind: kind, Message: "cannot " + doing + ": " + reason.Error(), Cause: err}
	if path != nil && errors.Is(err, fs.ErrNotExist) {
		out.Details = map[string]any{fault.DetailPath: path.Path}
	}
	return out
}

// openRegular opens a file for reading. Folders, and what could block or never end (pipes, devices), are refused.
func openRegular(path, doing, folderAdvice string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path) // before opening: to open a pipe waits for a writer
	if err != nil {
		return nil, nil, fileFault(doing, err)
	}
	if info.IsDir() {
		return nil, nil, fault.New(fault.InvalidRequest, "cannot %s: it is a folder; %s", doing, folderAdvice)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fault.New(fault.InvalidRequest, "cannot %s: it is no regular file but a device, pipe or socket", doing)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fileFault(doing, err)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, nil, fileFault(doing, err)
	}
	return f, info, nil
}

// target settles where a file is written: a symbolic link's own target, so that the link stays. old is what is there,
// nil if nothing is.
func target(path, doing, folderAdvice string) (real string, old fs.FileInfo, err error) {
	if strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		return "", nil, fault.New(fault.InvalidRequest, "cannot %s: the path names a folder; %s", doing, folderAdvice)
	}
	if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", nil, fault.New(fault.NotFound, "cannot %s: it is a symbolic link that leads nowhere", doing)
		}
	}
	old, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, nil
	case err != nil:
		return "", nil, fileFault(doing, err)
	case old.IsDir():
		return "", nil, fault.New(fault.InvalidRequest, "cannot %s: it is a folder; %s", doing, folderAdvice)
	case !old.Mode().IsRegular():
		return "", nil, fault.New(fault.InvalidRequest, "cannot %s: it is no regular file but a device, pipe or socket", doing)
	}
	return path, old, nil
}

// place makes a file of what fill writes, as a whole or not at all. Folders on the way are made. An existing file is only
// replaced if overwrite is set or the run may (fs.ErrExist otherwise). mode is that of the file, 0 stands for what new
// files get.
func place(ctx context.Context, c nodetype.Call, path string, mode fs.FileMode, overwrite bool, fill func(*os.File) error) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return atomicfile.Write(path, mode, fill, func(temp string) error {
		return putFile(ctx, c, path, temp, overwrite, func(replace bool) error { return rename(temp, path, replace) })
	})
}

// putFile gives a finished file its name by put, as the run may.
func putFile(ctx context.Context, c nodetype.Call, path, content string, overwrite bool, put func(replace bool) error) error {
	if c.Files == nil {
		return put(overwrite)
	}
	return c.Files.Put(ctx, realPath(path), content, overwrite, put)
}

// realPath is the path of a file without symbolic links in its folders, by which it is remembered.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	// Folders that are yet to be made are no links.
	for dir, rest := filepath.Dir(abs), filepath.Base(abs); ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
	}
}

// foreseeFile says what writing to a file would do to what is there.
func foreseeFile(c nodetype.Call, pending []string, key string) (seen nodetype.Foreseen) {
	overwrite := c.Flag("overwrite") || isPending(pending, "overwrite")
	adds := c.Flag("append") || isPending(pending, "append")
	if isPending(pending, key) {
		if overwrite && !adds {
			seen.Destroys = "it may replace a file that is there"
		}
		return seen
	}
	path, err := c.Path(key)
	if err != nil {
		return seen
	}
	path, old, err := target(path, "", "")
	if err != nil || old == nil {
		return seen // it fails, or nothing is there
	}
	given := c.Text(key)
	if c.Flag("append") {
		seen.Appends = []string{given}
		return seen
	}
	seen.Replaces = []string{given}
	if real := realPath(path); overwrite || c.Files == nil || !c.Files.May(real) {
		seen.Destroys, seen.Needs = "it replaces "+given, []string{real}
	}
	return seen
}

// existsFault is the error of a file that is there and may not be replaced.
func existsFault(doing, given string, overwrite bool) error {
	if overwrite {
		return fault.New(fault.Refused, "cannot %s: %s was not there when the run was approved; run it again with --yes=destructive to replace it", doing, quote(given))
	}
	return fault.New(fault.InvalidRequest, "cannot %s: %s exists, and this workflow did not write it as it is now; choose another path, or set overwrite to true", doing, quote(given))
}

// rename gives a file another name, in one step. Without replace it fails with fs.ErrExist where the name is taken, even
// if it was taken a moment ago: link, unlike rename, never replaces. File systems without hard links get a check before
// the rename.
func rename(from, to string, replace bool) error {
	if replace {
		return os.Rename(from, to)
	}
	switch err := os.Link(from, to); {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EXDEV):
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// stream copies a file in pieces, so that a cancel is heard. The kernel copies where it can: memory stays flat.
func stream(ctx context.Context, dst, src *os.File) error {
	const piece = 32 << 20
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.CopyN(dst, src, piece); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
