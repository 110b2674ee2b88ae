// Package atomicfile makes files as a whole or not at all: what is written goes to a temporary file in the same folder,
// which takes the name once it is on the disk. What a process that was killed left behind is removed by the next one that
// writes into the folder: a temporary file whose lock is free has no writer any more.
package atomicfile

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"pflow/internal/filelock"
)

// Prefix begins the names of temporary files.
const Prefix = ".pflow-tmp-"

// Write makes the file at path. fill writes its content; finish, given the temporary file's path, gives it its name.
// mode is that of the file, 0 stands for what new files get. The folder must be there.
func Write(path string, mode fs.FileMode, fill func(*os.File) error, finish func(temp string) error) (err error) {
	dir := filepath.Dir(path)
	f, err := Create(dir)
	if err != nil {
		return err
	}
	temp := f.Name()
	defer func() {
		f.Close() // its lock is held until the file has its name, or is gone
		os.Remove(temp)
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
	if !filelock.Supported { // where an open file may not be renamed
		if err := f.Close(); err != nil {
			return err
		}
	}
	if err := finish(temp); err != nil {
		return err
	}
	SyncFolder(dir)
	return nil
}

// Create makes a temporary file in a folder and locks it: as long as it is open nobody takes it for a dead writer's.
func Create(dir string) (*os.File, error) {
	sweep(dir)
	return create(dir)
}

// Rename closes a file of Create under another name. Its lock is held until it has it.
func Rename(f *os.File, path string) error {
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	if !filelock.Supported { // where an open file may not be renamed
		if err := f.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	SyncFolder(filepath.Dir(path))
	return nil
}

// Replace makes a file of parts in place of another. It does not wait for the disk: it is for files that have a check sum and
// are made again where that is wrong.
func Replace(path string, mode fs.FileMode, parts ...[]byte) error {
	f, err := Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which fails once it has its name
	defer f.Close()
	if err := f.Chmod(mode.Perm()); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	if !filelock.Supported { // where an open file may not be renamed
		if err := f.Close(); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), path)
}

// create makes a temporary file and locks it. Between the two somebody may have taken it for a dead one's and removed it.
func create(dir string) (*os.File, error) {
	for {
		f, err := os.OpenFile(filepath.Join(dir, Prefix+rand.Text()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, err
		}
		locked, _ := filelock.Try(f) // a file system without locks leaves what a killed writer left
		opened, err := f.Stat()
		if err == nil {
			if named, gone := os.Lstat(f.Name()); gone == nil && os.SameFile(opened, named) || !locked && gone == nil {
				return f, nil
			}
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

var swept sync.Map // folders that this process has looked through

// sweep removes the temporary files of dead writers from a folder, once in the life of a process.
func sweep(dir string) {
	if _, done := swept.LoadOrStore(dir, true); done || !filelock.Supported {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), Prefix) && e.Type().IsRegular() {
			removeDead(filepath.Join(dir, e.Name()))
		}
	}
}

func removeDead(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if free, err := filelock.Try(f); free && err == nil {
		os.RemoveAll(path + folderSuffix)
		os.Remove(path)
	}
}

// folderSuffix makes the name of a folder that is being built of that of the file whose lock says so.
const folderSuffix = ".d"

// Folder makes the folder at path. fill is given an empty folder beside it, and fills it; finish gives that its name.
func Folder(path string, fill, finish func(temp string) error) error {
	dir := filepath.Dir(path)
	f, err := Create(dir)
	if err != nil {
		return err
	}
	temp := f.Name() + folderSuffix
	defer func() {
		os.RemoveAll(temp)
		f.Close() // its lock is held until the folder has its name, or is gone
		os.Remove(f.Name())
	}()
	if err := os.Mkdir(temp, 0o777); err != nil {
		return err
	}
	if err := fill(temp); err != nil {
		return err
	}
	if err := finish(temp); err != nil {
		return err
	}
	SyncFolder(dir)
	return nil
}

// SyncFolder puts a folder's entries on the disk. Some systems cannot; the file itself is safe either way.
func SyncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
