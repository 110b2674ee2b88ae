package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func packed(t *testing.T, content map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func integrity(b []byte) string {
	sum := sha512.Sum512(b)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// TestTarball fetches a package once, and takes nothing whose hash is another.
func TestTarball(t *testing.T) {
	good := packed(t, map[string]string{"package/index.js": "export const a = 1\n"})
	served, asked := good, 0
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/@us/part/-/part-1.2.0.tgz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(served)
	}))
	defer registry.Close()
	s := store{registry: registry.URL, dir: t.TempDir(), client: registry.Client()}
	p := pkg{Name: "@us/part", Version: "1.2.0", Integrity: integrity(good)}
	ctx := context.Background()
	for range 2 {
		if b, err := s.tarball(ctx, p); err != nil || !bytes.Equal(b, good) {
			t.Fatal(len(b), err)
		}
	}
	if asked != 1 {
		t.Errorf("the registry was asked %d times", asked)
	}
	// What is broken in the cache is fetched again.
	kept := filepath.Join(s.dir, "us-part-1.2.0.tgz")
	if err := os.WriteFile(kept, good[:9], 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := s.tarball(ctx, p); err != nil || !bytes.Equal(b, good) || asked != 2 {
		t.Fatal(len(b), err, asked)
	}
	// Another package under the same name and version is refused, and not kept.
	served = packed(t, map[string]string{"package/index.js": "steal()\n"})
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if _, err := s.tarball(ctx, p); err == nil || !strings.Contains(err.Error(), "packages.json says "+p.Integrity) {
		t.Error(err)
	}
	if _, err := os.Stat(kept); !os.IsNotExist(err) {
		t.Error("it was kept")
	}
	if _, err := s.tarball(ctx, pkg{Name: "none", Version: "1.0.0", Integrity: "sha512-"}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	got, err := files(packed(t, map[string]string{"any-name/a.js": "a", "any-name/d/b.js": "b"}))
	if err != nil || string(got["a.js"]) != "a" || string(got["d/b.js"]) != "b" || len(got) != 2 {
		t.Error(got, err)
	}
	for _, name := range []string{"package/../../x", "package//etc/x", "x"} {
		if got, err := files(packed(t, map[string]string{name: "x"})); err == nil {
			t.Errorf("%q unpacks to %v", name, got)
		}
	}
	if _, err := appendNotice(nil, pkg{Name: "bare"}, map[string][]byte{"index.js": nil}); err == nil {
		t.Error("a package without a licence is taken")
	}
}

// TestAgain makes the assets twice: the same bytes, which are those that are committed. It needs the packages in the cache.
func TestAgain(t *testing.T) {
	packages, err := readPackages("packages.json")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	s := store{registry: "http://127.0.0.1:1", dir: filepath.Join(cache, "pflow", "npm"), client: http.DefaultClient}
	for _, p := range packages {
		if _, err := s.tarball(context.Background(), p); err != nil {
			t.Skipf("make assets was not run on this machine: %v", err)
		}
	}
	read := func(dir string) map[string]string {
		got := map[string]string{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got[e.Name()] = string(b)
		}
		return got
	}
	want := read(filepath.Join("..", "dist"))
	for range 2 {
		dir := filepath.Join(t.TempDir(), "dist")
		if err := build(context.Background(), s, packages, "..", dir); err != nil {
			t.Fatal(err)
		}
		got := read(dir)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if got[name] != want[name] {
				t.Errorf("%s is not what is committed: run make assets", name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d files, %d are committed", len(got), len(want))
		}
	}
}
