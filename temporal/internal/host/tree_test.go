package host

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is every file of the folder with its text, but for git's own. An archive is what it holds: the times of files that the run made are in its bytes.
func (b *bench) tree() map[string]string {
	b.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, string(filepath.Separator)+".git"+string(filepath.Separator)) {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(b.dir, path)
		name := filepath.ToSlash(rel)
		if strings.HasSuffix(name, ".zip") {
			unzip(b.t, name, data, files)
			return err
		}
		files[name] = string(data)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return files
}

func unzip(t *testing.T, name string, data []byte, into map[string]string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, f := range r.File {
		file, err := f.Open()
		if err != nil {
			t.Fatalf("%s: %s: %v", name, f.Name, err)
		}
		text, err := io.ReadAll(file)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, f.Name, err)
		}
		file.Close()
		into[name+"/"+f.Name] = string(text)
	}
}
