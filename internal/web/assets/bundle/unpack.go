package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// maxUnpacked bounds what a tarball unpacks to.
const maxUnpacked = 256 << 20

// files gives the regular files of an npm tarball by their names without the first folder, which each package calls as it likes.
func files(tarball []byte) (map[string][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	got := map[string][]byte{}
	left := int64(maxUnpacked)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		_, name, ok := strings.Cut(h.Name, "/")
		if !ok || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%q is no place in the package", h.Name)
		}
		if left -= h.Size; left < 0 {
			return nil, fmt.Errorf("unpacks to more than %d bytes", maxUnpacked)
		}
		if got[name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

// unpack writes a package to DIR/NAME, where esbuild looks for it.
func unpack(content map[string][]byte, dir string, p pkg) error {
	for name, b := range content {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(p.Name), filepath.FromSlash(name)), b); err != nil {
			return err
		}
	}
	return nil
}
