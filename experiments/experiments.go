// Package experiments holds the shipped experiment, embedded: its document, cases, library and recorded replies. It is one
// compressed archive, a ninth of the size of its files, which nothing reads until somebody asks for it.
package experiments

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:generate go run ./pack

// Archive is the file that Pack made of this folder.
const Archive = "shipped.tar.gz"

//go:embed shipped.tar.gz
var archive []byte

// Document is the experiment in the folder that Unpack makes.
const Document = "planners.yaml"

// Version tells archives apart.
func Version() string {
	sum := sha256.Sum256(archive)
	return hex.EncodeToString(sum[:6])
}

// Unpack writes the shipped experiment into a folder, which is there as a whole or not at all. One that is there already is
// taken to be it.
func Unpack(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	made, err := os.MkdirTemp(parent, ".new-"+filepath.Base(dir)+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := extract(made); err != nil {
		return fmt.Errorf("the shipped experiment cannot be unpacked: %w", err)
	}
	if err := os.Rename(made, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // nobody else unpacked it meanwhile
			return err
		}
	}
	return nil
}

func extract(dir string) error {
	files, err := Files()
	if err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Files are those of the archive, by their paths.
func Files() (map[string][]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for list := tar.NewReader(unzipped); ; {
		h, err := list.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if !fs.ValidPath(h.Name) {
			return nil, fmt.Errorf("%q is no path of a file", h.Name)
		}
		if out[h.Name], err = io.ReadAll(list); err != nil {
			return nil, err
		}
	}
}

// Pack makes the archive of a folder: its document and cases, and all that lies in library/ and replies/. Equal files make
// an equal archive.
func Pack(from fs.FS) ([]byte, error) {
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	list := tar.NewWriter(zipped)
	err = fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !packed(name) {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err == nil {
			err = list.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), Format: tar.FormatPAX})
		}
		if err == nil {
			_, err = list.Write(data)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(list.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func packed(name string) bool {
	if strings.HasPrefix(name, "library/") || strings.HasPrefix(name, "replies/") {
		return true
	}
	return !strings.Contains(name, "/") && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".jsonl"))
}
