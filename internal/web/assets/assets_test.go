package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// most is what all that the page may load weighs, gzipped.
const most = 250_000

type manifest struct {
	Sources string `json:"sources"`
	Files   map[string]struct {
		SHA256 string `json:"sha256"`
		Size   int    `json:"size"`
	} `json:"files"`
}

func readManifest(t *testing.T) manifest {
	t.Helper()
	b, err := fs.ReadFile(dist, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestManifest holds dist to its manifest: every file with its hash, none beside, all within their weight, and nothing in
// them that the policy of the page refuses.
func TestManifest(t *testing.T) {
	m := readManifest(t)
	weight := 0
	runs := regexp.MustCompile(`\beval\(|new Function\b|\.innerHTML\s*=[^=]|insertAdjacentHTML\(|document\.write\(`)
	for name, f := range files() {
		weight += len(f.packed)
		if strings.HasSuffix(name, ".js") {
			for _, found := range runs.FindAll(f.plain, -1) {
				t.Errorf("%s has %q", name, found)
			}
		}
		if name == "manifest.json" {
			continue
		}
		sum := sha256.Sum256(f.plain)
		if said := m.Files[name]; said.SHA256 != hex.EncodeToString(sum[:]) || said.Size != len(f.plain) {
			t.Errorf("%s is not what manifest.json says of it: run make assets", name)
		}
	}
	for name := range m.Files {
		if _, ok := files()[name]; !ok {
			t.Errorf("manifest.json has %s, which is not there", name)
		}
	}
	for _, name := range []string{"app.js", "app.css", "editor.js", "graph.js", "NOTICE.txt"} {
		if _, ok := m.Files[name]; !ok {
			t.Errorf("manifest.json lacks %s", name)
		}
	}
	if weight > most {
		t.Errorf("%d bytes gzipped, %d are allowed", weight, most)
	}
	t.Logf("%d bytes gzipped", weight)
}

// TestSources fails when src or the packages were changed without make assets.
func TestSources(t *testing.T) {
	names, err := filepath.Glob("src/*")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	h := sha256.New()
	for _, name := range append(names, "bundle/packages.json", "bundle/go.mod") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s %d\n", filepath.Base(name), len(b))
		h.Write(b)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != readManifest(t).Sources {
		t.Error("dist was made of other sources: run make assets")
	}
}

// TestNotice names every package that is shipped, with its licence.
func TestNotice(t *testing.T) {
	b, err := os.ReadFile("bundle/packages.json")
	if err != nil {
		t.Fatal(err)
	}
	var packages []struct {
		Name, Version, Licence string
		Tests                  bool
	}
	if err := json.Unmarshal(b, &packages); err != nil {
		t.Fatal(err)
	}
	if len(packages) < 20 {
		t.Fatalf("%d packages", len(packages))
	}
	notice, err := fs.ReadFile(dist, "NOTICE.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		head := fmt.Sprintf("\n%s %s (%s)\n\n", p.Name, p.Version, p.Licence)
		_, text, found := strings.Cut(string(notice), head)
		text, _, _ = strings.Cut(text, "\n"+strings.Repeat("=", 60)+"\n")
		switch {
		case p.Tests && found:
			t.Errorf("%s is for tests, and the notice has it", p.Name)
		case !p.Tests && !found:
			t.Errorf("the notice lacks %q", head)
		case !p.Tests && !strings.Contains(strings.ToLower(text), "permission"):
			t.Errorf("the notice has no licence of %s:\n%s", p.Name, text)
		}
		if licences := map[string]bool{"MIT": true, "0BSD": true}; !p.Tests && !licences[p.Licence] {
			t.Errorf("%s is under %s; whether that may be shipped is a decision", p.Name, p.Licence)
		}
	}
}

func TestHandler(t *testing.T) {
	server := httptest.NewServer(Handler())
	defer server.Close()
	want, err := fs.ReadFile(dist, "app.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, encoding := range []string{"identity", "gzip"} {
		r, err := http.NewRequest("GET", server.URL+URL("app.js"), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", encoding)
		reply, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		var body io.Reader = reply.Body
		if encoding == "gzip" {
			if body, err = gzip.NewReader(reply.Body); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(body)
		reply.Body.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, %v", encoding, len(got), len(want), err)
		}
		if h := reply.Header; h.Get("Content-Type") != "text/javascript; charset=utf-8" || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", encoding, h)
		}
	}
	for _, path := range []string{"/assets/", "/assets/older/app.js", URL("../assets.go"), URL("none.js"), "/assets/" + Version() + "/", URL("dist/app.js")} {
		reply, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, reply.Status)
		}
	}
}
