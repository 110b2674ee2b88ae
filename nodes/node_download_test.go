package nodes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// fileServer serves one file, with faults.
type fileServer struct {
	mu      sync.Mutex
	data    []byte
	etag    string
	cut     []int // how many bytes each of the first answers sends before the connection breaks
	hold    bool  // instead of breaking it sends nothing more
	noRange bool
	asked   []string // the Range of each request
	header  http.Header
}

func (f *fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.Header.Get("Range"))
	for k, v := range f.header {
		w.Header()[k] = v
	}
	if f.etag != "" {
		w.Header().Set("ETag", f.etag)
	}
	if len(f.cut) > 0 {
		n := f.cut[0]
		f.cut = f.cut[1:]
		w = &cutting{w, n, r.Context(), f.hold}
	}
	if f.noRange {
		r.Header.Del("Range")
	}
	data := f.data
	f.mu.Unlock()
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// cutting breaks the connection after some bytes.
type cutting struct {
	http.ResponseWriter
	left int
	ctx  context.Context
	hold bool
}

func (c *cutting) Write(p []byte) (int, error) {
	if len(p) < c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}
	c.ResponseWriter.Write(p[:c.left])
	http.NewResponseController(c.ResponseWriter).Flush()
	if c.hold {
		<-c.ctx.Done()
	}
	panic(http.ErrAbortHandler)
}

func pattern(n int, seed byte) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i*7>>3) ^ seed
	}
	return out
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// fetch runs download in a folder.
func fetch(t *testing.T, ctx context.Context, dir string, params map[string]any) (nodetype.Outcome, error) {
	t.Helper()
	c := newCall(t, params, nil)
	c.Dir = dir
	return nodeType(t, Deps{}, "download").Run(ctx, c)
}

// same checks that a folder holds these files and nothing else, hidden ones included.
func same(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := readFiles(t, dir)
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("there is %s", name)
		}
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s has %d bytes, want %d", name, len(got[name]), len(content))
		}
	}
}

func TestDownload(t *testing.T) {
	data := pattern(300_000, 1)
	for _, c := range []struct {
		name   string
		server *fileServer
		params map[string]any
		asked  []string
		err    string // none: the file is there
	}{
		{name: "whole", server: &fileServer{etag: `"a"`}, asked: []string{""}},
		{name: "cut", server: &fileServer{etag: `"a"`, cut: []int{100_000, 50_000}}, asked: []string{"", "bytes=100000-", "bytes=150000-"}},
		{name: "cut with a weak tag and a time", server: &fileServer{etag: `W/"a"`, cut: []int{100_000}, header: http.Header{"Last-Modified": {"Mon, 02 Nov 2026 10:00:00 GMT"}}},
			asked: []string{"", "bytes=100000-"}},
		{name: "no ranges", server: &fileServer{etag: `"a"`, noRange: true, cut: []int{100_000, 50}}, asked: []string{"", "bytes=100000-", "bytes=50-"}},
		{name: "no version", server: &fileServer{cut: []int{100_000}}, asked: []string{"", ""}},
		{name: "always cut", server: &fileServer{etag: `"a"`, noRange: true, cut: []int{9, 8, 7, 6}}, asked: []string{"", "bytes=9-", "bytes=8-", "bytes=7-"}, err: "unexpected EOF"},
		{name: "right sum", server: &fileServer{}, params: map[string]any{"sha256": strings.ToUpper(sumOf(data))}, asked: []string{""}},
		{name: "wrong sum", server: &fileServer{etag: `"a"`}, params: map[string]any{"sha256": sumOf(nil)}, asked: []string{""},
			err: "the file has the SHA-256 " + sumOf(data) + ", not the one wanted; it was not kept. If the file was changed on purpose, give its new sum"},
		{name: "no sum", server: &fileServer{}, params: map[string]any{"sha256": "abc"}, err: `sha256 is "abc": a SHA-256 has 64 hexadecimal digits`},
		{name: "too large", server: &fileServer{etag: `"a"`}, params: map[string]any{"max_bytes": 299_999}, asked: []string{""}, err: "the file has 300000 bytes, and max_bytes is 299999; raise max_bytes to have it"},
		{name: "just so large", server: &fileServer{}, params: map[string]any{"max_bytes": 300_000}, asked: []string{""}},
		{name: "packed", server: &fileServer{header: http.Header{"Content-Encoding": {"gzip"}}}, asked: []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.server.data = data
			server := httptest.NewServer(c.server)
			defer server.Close()
			dir := t.TempDir()
			params := map[string]any{"url": server.URL + "/f?key=secret", "dest_path": "sub/f.bin"}
			for k, v := range c.params {
				params[k] = v
			}
			out, err := fetch(t, t.Context(), dir, params)
			if diff := cmp.Diff(c.asked, c.server.asked); diff != "" {
				t.Errorf("ranges (-want +got):\n%s", diff)
			}
			if c.err != "" {
				if got := fault.Of(err); got == nil || !strings.HasSuffix(got.Message, c.err) || strings.Contains(got.Message, "secret") {
					t.Fatalf("error %v\nwant %s", err, c.err)
				}
				if c.name != "always cut" { // what came of it is kept
					same(t, dir, map[string]string{})
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"dest_path": "sub/f.bin", "bytes": len(data), "sha256": sumOf(data)}, out.Outputs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (len(out.Warnings) == 1) != (c.name == "packed") {
				t.Errorf("warnings %q", out.Warnings)
			}
			same(t, dir, map[string]string{"sub/f.bin": string(data)})
		})
	}
}

// TestDownloadChunked bounds what has no Content-Length by the bytes that come.
func TestDownloadChunked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 10_000)); err != nil {
				return
			}
			http.NewResponseController(w).Flush()
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	_, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL, "dest_path": "f", "max_bytes": 50_000})
	if err == nil || !strings.HasSuffix(err.Error(), "the file has more bytes than that, and max_bytes is 50000; raise max_bytes to have it") {
		t.Error(err)
	}
	same(t, dir, map[string]string{})
}

// TestDownloadLyingLength has a server promise more than it sends, and go on with another file than it said.
func TestDownloadLyingLength(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		if r.Header.Get("Range") == "" {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, strings.Repeat("x", 400))
			return
		}
		w.Header().Set("Content-Range", "bytes 400-449/450") // another size than before
		w.WriteHeader(http.StatusPartialContent)
		io.WriteString(w, strings.Repeat("y", 50))
	}))
	defer server.Close()
	dir := t.TempDir()
	_, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL, "dest_path": "f"})
	if got := fault.Of(err); got == nil || got.Kind != fault.Network || !strings.HasSuffix(got.Message, "unexpected EOF") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "f")); err == nil {
		t.Error("half a file has the name of a whole one")
	}
}

// TestDownloadResumes breaks a transfer off, and lets the next call go on; a file that was changed meanwhile begins anew.
func TestDownloadResumes(t *testing.T) {
	data, changed := pattern(300_000, 1), pattern(200_000, 9)
	for _, c := range []struct {
		name  string
		next  func(*fileServer)
		asked []string
		want  []byte
	}{
		{"goes on", func(*fileServer) {}, []string{"bytes=100000-"}, data},
		{"changed", func(f *fileServer) { f.data, f.etag = changed, `"b"` }, []string{"bytes=100000-"}, changed},
		{"changed without a tag", func(f *fileServer) { f.data, f.etag = changed, "" }, []string{"bytes=100000-"}, changed},
		{"liar", func(f *fileServer) { // it goes on whatever If-Range says
			f.data, f.header = changed, http.Header{"Etag": {`"b"`}}
			f.etag = ""
		}, []string{"bytes=100000-"}, changed},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fileServer{data: data, etag: `"a"`, cut: []int{100_000}, hold: true}
			server := httptest.NewServer(f)
			defer server.Close()
			dir := t.TempDir()
			params := map[string]any{"url": server.URL, "dest_path": "f"}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { _, err := fetch(t, ctx, dir, params); done <- err }()
			for size := int64(0); size < 100_000; time.Sleep(time.Millisecond) {
				parts, _ := filepath.Glob(filepath.Join(dir, ".pflow-part-*"))
				for _, p := range parts {
					if info, err := os.Stat(p); err == nil {
						size = max(size, info.Size())
					}
				}
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			f.mu.Lock()
			f.asked = nil
			c.next(f)
			f.mu.Unlock()
			out, err := fetch(t, t.Context(), dir, params)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.asked, f.asked); diff != "" {
				t.Errorf("ranges (-want +got):\n%s", diff)
			}
			if out.Outputs["sha256"] != sumOf(c.want) {
				t.Error("another sum")
			}
			same(t, dir, map[string]string{"f": string(c.want)})
		})
	}
}

// TestDownloadSlow cancels a transfer that does not end, and one that takes longer than it may.
func TestDownloadSlow(t *testing.T) {
	begun := make(chan bool, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "some")
		http.NewResponseController(w).Flush()
		begun <- true
		<-r.Context().Done()
	}))
	defer server.Close()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if _, err := fetch(t, ctx, dir, map[string]any{"url": server.URL, "dest_path": "f"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL, "dest_path": "f", "timeout": "300ms"})
	if got := fault.Of(err); got == nil || got.Kind != fault.Timeout || !strings.Contains(got.Message, ": not done within 300ms; ") {
		t.Error(err)
	}
	same(t, dir, map[string]string{})
}

func TestDownloadStatus(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such report", 404) }))
	defer server.Close()
	dir := t.TempDir()
	_, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL + "/r.pdf", "dest_path": "r.pdf"})
	got := fault.Of(err)
	if got == nil || got.Kind != fault.NotFound || got.Message != "GET "+server.URL+"/r.pdf: 404 Not Found: no such report" || got.Details["status"] != 404 {
		t.Errorf("%v", err)
	}
	same(t, dir, map[string]string{})
}

// TestDownloadExisting leaves what is there, and does not even ask for what it could not keep.
func TestDownloadExisting(t *testing.T) {
	f := &fileServer{data: []byte("new")}
	server := httptest.NewServer(f)
	defer server.Close()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"f": "old", "d/g": "old"})
	for _, dest := range []string{"f", "d/", "d"} {
		_, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL + "/g", "dest_path": dest})
		if got := fault.Of(err); got == nil || got.Kind != fault.InvalidRequest || !strings.Contains(got.Message, "exists, and this workflow did not write it") {
			t.Errorf("%s: %v", dest, err)
		}
	}
	if len(f.asked) != 2 {
		t.Errorf("%d requests", len(f.asked))
	}
	same(t, dir, map[string]string{"f": "old", "d/g": "old"})
	if _, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL + "/g", "dest_path": "d", "overwrite": true}); err != nil {
		t.Error(err)
	}
	same(t, dir, map[string]string{"f": "old", "d/g": "new"})
	foresees := nodeType(t, Deps{}, "download").Foresee
	for _, c := range []struct {
		params  map[string]any
		pending []string
		want    nodetype.Foreseen
	}{
		{map[string]any{"url": server.URL, "dest_path": "f"}, nil, nodetype.Foreseen{Replaces: []string{"f"}, Destroys: "it replaces f", Needs: []string{realPath(filepath.Join(dir, "f"))}}},
		{map[string]any{"url": server.URL + "/g", "dest_path": "d/"}, nil, nodetype.Foreseen{Replaces: []string{"d/g"}, Destroys: "it replaces d/g", Needs: []string{realPath(filepath.Join(dir, "d/g"))}}},
		{map[string]any{"url": server.URL + "/new", "dest_path": "d"}, nil, nodetype.Foreseen{}},
		{map[string]any{"dest_path": "d", "overwrite": true}, []string{"url"}, nodetype.Foreseen{Destroys: "it may replace a file in d, under the name that the server gives"}},
		{map[string]any{"url": server.URL + "/g", "overwrite": true}, []string{"dest_path"}, nodetype.Foreseen{Destroys: "it may replace a file that is there"}},
	} {
		call := newCall(t, c.params, nil)
		call.Dir = dir
		if diff := cmp.Diff(c.want, foresees(call, c.pending)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.params, diff)
		}
	}
}

// TestDownloadNames names files in a folder: nothing that a server says leads out of it.
func TestDownloadNames(t *testing.T) {
	disposition := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", disposition)
		io.WriteString(w, "x")
	}))
	defer server.Close()
	long := strings.Repeat("a", 300) + ".pdf"
	for _, c := range []struct{ path, disposition, want string }{
		{"/a/report.pdf?v=1", "", "report.pdf"},
		{"/", "", "index.html"},
		{"", "", "index.html"},
		{"/..%2f..%2fetc%2fpasswd", "", "passwd"},
		{"/%2e%2e", "", "index.html"},
		{"/.bashrc", "", "bashrc"},
		{"/a%00b%0ac", "", "a_b_c"},
		{"/x", `attachment; filename="paper.pdf"`, "paper.pdf"},
		{"/x", `attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf`, "résumé.pdf"},
		{"/x", `attachment; filename="../../.ssh/authorized_keys"`, "authorized_keys"},
		{"/x", `attachment; filename="..\\..\\evil.exe"`, "evil.exe"},
		{"/x", `attachment; filename="/etc/passwd"`, "passwd"},
		{"/x", `attachment; filename=".."`, "x"},
		{"/x", `attachment; filename="C:evil"`, "C_evil"},
		{"/x", `attachment; filename="` + long + `"`, strings.Repeat("a", 196) + ".pdf"},
		{"/x", "nonsense;;;", "x"},
	} {
		disposition = c.disposition
		dir := t.TempDir()
		out, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL + c.path, "dest_path": "in/"})
		if err != nil {
			t.Errorf("%s %s: %v", c.path, c.disposition, err)
			continue
		}
		if out.Outputs["dest_path"] != "in/"+c.want {
			t.Errorf("%s %s: %v", c.path, c.disposition, out.Outputs["dest_path"])
		}
		same(t, dir, map[string]string{"in/" + c.want: "x"})
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"out/f": "old", "in/a": ""})
	if err := os.Symlink("../out/f", filepath.Join(dir, "in/x")); err != nil {
		t.Fatal(err)
	}
	disposition = ""
	_, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL + "/x", "dest_path": "in", "overwrite": true})
	if err == nil || !strings.Contains(err.Error(), "it is a symbolic link, and the name is the server's choice") {
		t.Error(err)
	}
}

// TestDownloadRedirected keeps a key from another host, and goes on there all the same.
func TestDownloadRedirected(t *testing.T) {
	data := pattern(300_000, 3)
	f := &fileServer{data: data, etag: `"a"`, cut: []int{1000}}
	var keys []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("X-Api-Key")+r.Header.Get("Authorization"))
		f.ServeHTTP(w, r)
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/cdn", http.StatusFound))
	defer server.Close()
	dir := t.TempDir()
	if _, err := fetch(t, t.Context(), dir, map[string]any{"url": server.URL + "/f.bin", "dest_path": "./", "headers": map[string]any{"X-Api-Key": "k", "Authorization": "Bearer k"}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"", "bytes=1000-"}, f.asked); diff != "" {
		t.Error(diff)
	}
	if fmt.Sprint(keys) != "[ ]" {
		t.Errorf("another host was told %q", keys)
	}
	same(t, dir, map[string]string{"f.bin": string(data)})
}

// TestDownloadTwice lets only one of two fetch the same file to the same place.
func TestDownloadTwice(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-end
		io.WriteString(w, "x")
	}))
	defer server.Close()
	dir := t.TempDir()
	params := func() map[string]any { return map[string]any{"url": server.URL, "dest_path": "f"} }
	first := make(chan error)
	go func() { _, err := fetch(t, t.Context(), dir, params()); first <- err }()
	<-begun
	_, err := fetch(t, t.Context(), dir, params())
	if got := fault.Of(err); got == nil || got.Kind != fault.Unavailable || !strings.Contains(got.Message, "another run is fetching it") {
		t.Error(err)
	}
	close(end)
	if err := <-first; err != nil {
		t.Error(err)
	}
	same(t, dir, map[string]string{"f": "x"})
}
