package main

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// pkg is an npm package of packages.json.
type pkg struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Licence   string `json:"licence"`
	Integrity string `json:"integrity"`       // sha512-BASE64 of the tarball, as npm's registry gives it
	Tests     bool   `json:"tests,omitempty"` // for tests of pages: never a part of what is shipped
}

func readPackages(file string) ([]pkg, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	var packages []pkg
	if err := d.Decode(&packages); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i, p := range packages {
		if p.Name == "" || p.Version == "" || p.Licence == "" || !strings.HasPrefix(p.Integrity, "sha512-") {
			return nil, fmt.Errorf("%s: package %d (%s) wants name, version, licence and an integrity that begins with sha512-", file, i+1, p.Name)
		}
	}
	return packages, nil
}

// maxTarball bounds a download; the largest package has 3 MB.
const maxTarball = 32 << 20

// store keeps tarballs: one in it has the hash that its package says.
type store struct {
	registry string
	dir      string
	client   *http.Client
}

// tarball gives a package's tarball, from the cache where it has it.
func (s store) tarball(ctx context.Context, p pkg) ([]byte, error) {
	file := filepath.Join(s.dir, strings.ReplaceAll(strings.TrimPrefix(p.Name, "@"), "/", "-")+"-"+p.Version+".tgz")
	kept, err := os.ReadFile(file)
	if err == nil && p.verify(kept) == nil {
		return kept, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	b, err := s.download(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", p.Name, p.Version, err)
	}
	if err := p.verify(b); err != nil {
		return nil, err
	}
	return b, writeFile(file, b)
}

func (s store) download(ctx context.Context, p pkg) ([]byte, error) {
	url := strings.TrimSuffix(s.registry, "/") + "/" + p.Name + "/-/" + path.Base(p.Name) + "-" + p.Version + ".tgz"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	reply, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, reply.Status)
	}
	b, err := io.ReadAll(io.LimitReader(reply.Body, maxTarball+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxTarball {
		return nil, fmt.Errorf("%s: more than %d bytes", url, maxTarball)
	}
	return b, nil
}

func (p pkg) verify(tarball []byte) error {
	sum := sha512.Sum512(tarball)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != p.Integrity {
		return fmt.Errorf("%s %s: the tarball has the hash %s, packages.json says %s", p.Name, p.Version, got, p.Integrity)
	}
	return nil
}

// writeFile puts a file there as a whole or not at all.
func writeFile(file string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
