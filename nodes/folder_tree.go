package nodes

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// copyTree fills an empty folder with what is in another: files with their modes and times, links as links. What could
// block or never end (pipes, devices) is refused.
func copyTree(ctx context.Context, from, to, doing string) error {
	// The modes and times of folders come last: one that may not be written could not be filled.
	type made struct {
		path string
		info fs.FileInfo
	}
	var folders []made
	entries := 0
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if entries++; entries > maxWalked {
			return fault.New(fault.InvalidRequest, "cannot %s: there are more than %d files in it; copy folders further down", doing, maxWalked)
		}
		way, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		dest := filepath.Join(to, way)
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case e.IsDir():
			folders = append(folders, made{dest, info})
			if path == from {
				return nil
			}
			return os.Mkdir(dest, 0o777)
		case e.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, dest)
		case !e.Type().IsRegular():
			return fault.New(fault.InvalidRequest, "cannot %s: %s in it is no regular file but a device, pipe or socket", doing, quote(filepath.ToSlash(way)))
		}
		return copyInto(ctx, path, dest, info)
	})
	for i := len(folders) - 1; err == nil && i >= 0; i-- {
		f := folders[i]
		os.Chtimes(f.path, f.info.ModTime(), f.info.ModTime()) // that a time cannot be kept harms nobody
		err = os.Chmod(f.path, f.info.Mode().Perm())
	}
	return err
}

func copyInto(ctx context.Context, from, to string, info fs.FileInfo) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer dst.Close()
	if err := stream(ctx, dst, src); err != nil {
		return err
	}
	if err := dst.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	os.Chtimes(to, info.ModTime(), info.ModTime())
	return dst.Close()
}

// placeFolder makes a folder of what fill puts into it, as a whole or not at all. With replace a folder that is there
// gives way, and is deleted once the new one has its name.
func placeFolder(path string, replace bool, fill func(temp string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.Folder(path, fill, func(temp string) error {
		if _, err := os.Lstat(path); err != nil {
			return os.Rename(temp, path)
		}
		if !replace {
			return fs.ErrExist
		}
		// A process that is killed between the two leaves the old one under that name: nothing is lost.
		kept := path + ".replaced-" + rand.Text()
		if err := os.Rename(path, kept); err != nil {
			return err
		}
		if err := os.Rename(temp, path); err != nil {
			return errors.Join(err, os.Rename(kept, path))
		}
		return os.RemoveAll(kept)
	})
}

// guarded says why a folder may be neither deleted, replaced nor moved: the root, the home folder and the working
// directory are not, nor is what they are in. "" if it may.
func guarded(c nodetype.Call, folder fs.FileInfo) string {
	type kept struct{ path, what string }
	list := []kept{{c.Dir, "the working directory"}}
	if c.Dir == "" {
		list[0].path, _ = os.Getwd()
	}
	if c.Env != nil {
		list = append(list, kept{c.Env("HOME"), "the home folder"})
	}
	for _, k := range list {
		real, err := filepath.EvalSymlinks(k.path)
		if k.path == "" || err != nil {
			continue
		}
		for at := real; ; at = filepath.Dir(at) {
			info, err := os.Stat(at)
			if err == nil && os.SameFile(info, folder) {
				switch at {
				case filepath.Dir(at):
					return "it is the root of the file system"
				case real:
					return "it is " + k.what
				}
				return k.what + " is in it"
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return ""
}

// within reports whether a path, which may not be there yet, is a folder or lies in it. Links on the way are followed.
func within(path, folder string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return false
	}
	way, err := filepath.Rel(folder, realPath(path))
	return err == nil && way != ".." && !strings.HasPrefix(way, ".."+string(filepath.Separator))
}
