package nodes

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"pflow/internal/fault"
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
	return &fault.Error{Kind: kind, Message: "cannot " + doing + ": " + reason.Error(), Cause: err}
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

// place makes a file of what fill writes, as a whole or not at all: fill writes a temporary file in the same folder, which
// takes the name once it is on the disk. Folders on the way are made. An existing file is only replaced if replace is set
// (fs.ErrExist otherwise). mode is that of the file, 0 stands for what new files get.
func place(path string, mode fs.FileMode, replace bool, fill func(*os.File) error) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(dir, ".pflow-"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		os.Remove(temp) // it is gone already if all went well
	}()
	if mode != 0 {
		if err := f.Chmod(mode.Perm()); err != nil {
			return err
		}
	}
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := rename(temp, path, replace); err != nil {
		return err
	}
	syncFolder(dir)
	return nil
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

// syncFolder puts a folder's entries on the disk. Some systems cannot; the file itself is safe either way.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
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
