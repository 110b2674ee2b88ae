package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pflow/internal/filelock"
)

// realFolder gives the folder of a run, which must be one: what a symbolic link leads to was begun as another run, or as
// none. A run that is not there is fs.ErrNotExist.
func realFolder(home, id string) (string, error) {
	dir, err := folder(home, id)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", errNotReal(dir, info, "folder")
	}
	return dir, nil
}

// openReal opens a regular file of a run, and nothing that a symbolic link leads to.
func openReal(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a named pipe would hold up who opens it
		return nil, errNotReal(path, info, "regular file")
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s changed while it was opened", path))
	}
	return f, nil
}

func readReal(path string) ([]byte, error) {
	f, err := openReal(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func errNotReal(path string, info fs.FileInfo, want string) error {
	is := "is no " + want
	if info.Mode()&fs.ModeSymlink != 0 {
		is = "is a symbolic link, not the " + want + " that the run made"
	}
	return fmt.Errorf("%s %s: put the real one back; nothing was run or changed", path, is)
}

// documentsSum is what the first record says of the documents: their SHA-256, in hex.
func documentsSum(documents []byte) string {
	sum := sha256.Sum256(documents)
	return hex.EncodeToString(sum[:])
}

// readDocuments reads the documents of a run, which must be those that it began with.
func (p *Past) readDocuments(dir string) ([]byte, error) {
	path := filepath.Join(dir, documentsFile)
	documents, err := readReal(path)
	if err != nil {
		return nil, err
	}
	if documentsSum(documents) != p.documents {
		return nil, fmt.Errorf("%s was changed since the run began: its SHA-256 is not the one that the journal holds; what it says "+
			"now was never approved, so the run stays as it is: put the file back as it was, or start the run again", path)
	}
	return documents, nil
}

// own keeps a second process from going on with the run; the lock ends with the process, however it ends. Who only looks
// whether a process works on the run holds it for a moment.
func own(f *os.File) error {
	free, err := filelock.Try(f)
	for n := 0; n < 5 && err == nil && !free; n++ {
		time.Sleep(10 * time.Millisecond)
		free, err = filelock.Try(f)
	}
	if err == nil && !free {
		return errors.New("another process is working on the run")
	}
	return err
}
