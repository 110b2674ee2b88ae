package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entries are the files that a page or another bundle names; what several of them share becomes chunk-HASH.js.
var entries = []string{"app.js", "editor.js", "graph.js", "app.css"}

// build makes dist from root/src and the packages. The same sources give the same bytes.
func build(ctx context.Context, s store, packages []pkg, root, dist string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	modules, err := os.MkdirTemp("", "pflow-assets-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(modules)
	notice := []byte(noticeHead)
	for _, p := range packages {
		if p.Tests {
			continue
		}
		b, err := s.tarball(ctx, p)
		if err != nil {
			return err
		}
		content, err := files(b)
		if err != nil {
			return fmt.Errorf("%s %s: %w", p.Name, p.Version, err)
		}
		if notice, err = appendNotice(notice, p, content); err != nil {
			return err
		}
		if err := unpack(content, modules, p); err != nil {
			return err
		}
	}
	made, err := bundle(filepath.Join(root, "src"), modules)
	if err != nil {
		return err
	}
	made["NOTICE.txt"] = notice
	sources, err := sourcesHash(root)
	if err != nil {
		return err
	}
	if made["manifest.json"], err = manifestOf(made, sources); err != nil {
		return err
	}
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	for name, b := range made {
		if err := writeFile(filepath.Join(dist, name), b); err != nil {
			return err
		}
	}
	return nil
}

// bundle gives the bundles by their names.
func bundle(src, modules string) (map[string][]byte, error) {
	var points []string
	for _, e := range entries {
		points = append(points, filepath.Join(src, e))
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: points, AbsWorkingDir: src, NodePaths: []string{modules}, Outdir: filepath.Join(src, "out"),
		Bundle: true, Splitting: true, Format: api.FormatESModule, Target: api.ES2022,
		ChunkNames:       "chunk-[hash]",
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments: api.LegalCommentsNone, // NOTICE.txt has them
		Charset:       api.CharsetUTF8, LogLevel: api.LogLevelSilent,
	})
	var faults []error
	for _, m := range append(result.Errors, result.Warnings...) {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d:%d: ", m.Location.File, m.Location.Line, m.Location.Column+1)
		}
		faults = append(faults, errors.New(at+m.Text))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	made := map[string][]byte{}
	for _, f := range result.OutputFiles {
		made[filepath.Base(f.Path)] = f.Contents
	}
	return made, nil
}

// sourcesHash is of all that dist is made of; the tests of package assets work it out again.
func sourcesHash(root string) (string, error) {
	names, err := filepath.Glob(filepath.Join(root, "src", "*"))
	if err != nil {
		return "", err
	}
	names = append(names, filepath.Join(root, "bundle", "packages.json"), filepath.Join(root, "bundle", "go.mod"))
	h := sha256.New()
	for _, file := range names {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", filepath.Base(file), len(b))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// manifestOf lists the files, each with its hash and size, by name.
func manifestOf(made map[string][]byte, sources string) ([]byte, error) {
	type entry struct {
		SHA256 string `json:"sha256"`
		Size   int    `json:"size"`
	}
	m := struct {
		Sources string           `json:"sources"`
		Files   map[string]entry `json:"files"`
	}{sources, map[string]entry{}}
	for name, b := range made {
		sum := sha256.Sum256(b)
		m.Files[name] = entry{hex.EncodeToString(sum[:]), len(b)}
	}
	b, err := json.MarshalIndent(m, "", "  ")
	return append(b, '\n'), err
}

const noticeHead = "The page of pflow is made with these packages. Each stands here with its licence.\n"

// appendNotice adds a package's licence, which must be in its tarball.
func appendNotice(notice []byte, p pkg, content map[string][]byte) ([]byte, error) {
	var found []string
	for name := range content {
		if base := strings.ToUpper(name); path.Dir(name) == "." && (strings.HasPrefix(base, "LICENSE") || strings.HasPrefix(base, "LICENCE") || strings.HasPrefix(base, "COPYING")) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s %s: its tarball has no licence", p.Name, p.Version)
	}
	slices.Sort(found)
	notice = fmt.Appendf(notice, "\n%s\n%s %s (%s)\n\n", strings.Repeat("=", 60), p.Name, p.Version, p.Licence)
	for _, name := range found {
		notice = append(append(notice, strings.TrimSpace(strings.ReplaceAll(string(content[name]), "\r\n", "\n"))...), '\n')
	}
	return notice, nil
}
