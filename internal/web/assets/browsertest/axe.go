package browsertest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Accessible fails the test if axe-core finds a serious or critical fault of the page. Where axe-core was not fetched, which make
// browser does, the test's log says so.
func (b *Browser) Accessible() {
	b.t.Helper()
	script, err := axe()
	if err != nil {
		b.t.Logf("axe-core did not look at the page: %v; make browser fetches it", err)
		return
	}
	JS[bool](b, script+"\ntrue")
	const run = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.impact + " " + v.id + ": " + v.help + "\n" + v.nodes.slice(0, 5).map(n => "    " + n.html.slice(0, 300) + "\n      " + n.failureSummary.replaceAll("\n", " ")).join("\n")))`
	faults := JS[[]string](b, run)
	for tries := 0; len(faults) > 0 && tries < 5; tries++ { // a browser whose look was just changed may show colours of both: its styles are made anew
		JS[bool](b, fmt.Sprintf(`new Promise(done => { document.documentElement.style.setProperty("--looked", %d); setTimeout(() => requestAnimationFrame(() => done(true)), 200) })`, tries))
		faults = JS[[]string](b, run)
	}
	for _, found := range faults {
		b.t.Errorf("axe-core: %s", found)
	}
}

// axe is the script of axe-core from the cache of the packages, if it is what packages.json says.
func axe() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	version, integrity, err := pinned("axe-core")
	if err != nil {
		return "", err
	}
	tarball, err := os.ReadFile(filepath.Join(cache, "pflow", "npm", "axe-core-"+version+".tgz"))
	if err != nil {
		return "", err
	}
	sum := sha512.Sum512(tarball)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != integrity {
		return "", fmt.Errorf("the tarball of axe-core %s has the hash %s, not %s", version, got, integrity)
	}
	z, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return "", err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return "", fmt.Errorf("axe.min.js: %w", err)
		}
		if strings.HasSuffix(h.Name, "/axe.min.js") {
			text, err := io.ReadAll(r)
			return string(text), err
		}
	}
}

// pinned says which version of a package the module wants. Tests run in the folder of their package.
func pinned(name string) (version, integrity string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	for {
		b, err := os.ReadFile(filepath.Join(dir, "internal", "web", "assets", "bundle", "packages.json"))
		if err == nil {
			var packages []struct{ Name, Version, Integrity string }
			if err := json.Unmarshal(b, &packages); err != nil {
				return "", "", err
			}
			for _, p := range packages {
				if p.Name == name {
					return p.Version, p.Integrity, nil
				}
			}
			return "", "", errors.New("packages.json has no " + name)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", "", errors.New("packages.json is in no folder above this one")
		}
		dir = up
	}
}
