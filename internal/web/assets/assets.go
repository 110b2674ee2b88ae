// Package assets has the scripts and the style of the page, as make assets bundles them, within the program.
package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed dist
var embedded embed.FS

// dist has the bundles, NOTICE.txt and manifest.json.
var dist = func() fs.FS {
	sub, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}()

// Version changes with any file: a part of the addresses, so that browsers may keep what they have for good.
var Version = sync.OnceValue(func() string {
	manifest, err := fs.ReadFile(dist, "manifest.json") // it has the hash of every other file
	if err != nil {
		panic(err) // it is embedded
	}
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:6])
})

// URL is the address of a file: "app.css", "app.js". The scripts that a script loads lie beside it.
func URL(name string) string { return "/assets/" + Version() + "/" + name }

var types = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".txt": "text/plain; charset=utf-8",
}

// file is what is served of one.
type file struct{ plain, packed []byte }

var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	entries, err := fs.ReadDir(dist, ".")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		b, err := fs.ReadFile(dist, e.Name())
		if err != nil {
			panic(err) // it is embedded
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(b) // to memory
		_ = z.Close()
		all[e.Name()] = file{b, packed.Bytes()}
	}
	return all
})

// Handler serves the addresses of URL, below /assets/, to be kept for good; and /assets/NAME, which is asked for anew each time.
// What another version of the program named is not found.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/assets/")
		keep := "no-cache"
		if version, rest, ok := strings.Cut(name, "/"); ok && version == Version() {
			name, keep = rest, "public, max-age=31536000, immutable"
		}
		f, ok := files()[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", types[path.Ext(name)])
		h.Set("Cache-Control", keep)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Vary", "Accept-Encoding")
		body := f.plain
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = f.packed
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if r.Method != http.MethodHead {
			_, _ = w.Write(body) // whoever asked may have gone
		}
	})
}
