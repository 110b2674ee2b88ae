package nodes

import (
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// downloadTarget is where a file goes. Into a folder it goes under the name that the server gives it, known once it answers.
type downloadTarget struct {
	dir, key string // the folder, which is there; what tells it from other targets
	path     string // of the file
	given    string // the same, as the params name it
	doing    string // `save "a.pdf"`
	folder   bool
	url      *url.URL
}

// newDownloadTarget checks what is known before the server is asked: what will not be kept is not fetched.
func newDownloadTarget(c nodetype.Call, u *url.URL) (*downloadTarget, error) {
	to, err := c.Path("dest_path")
	if err != nil {
		return nil, err
	}
	t := &downloadTarget{key: to, given: c.Text("dest_path"), url: u}
	t.doing = "save " + quote(t.given)
	if t.folder = isFolder(to); t.folder {
		t.dir = to
	} else {
		if err := t.settle(c, to); err != nil {
			return nil, err
		}
		t.dir = filepath.Dir(t.path)
	}
	if err := os.MkdirAll(t.dir, 0o777); err != nil {
		return nil, fileFault(t.doing, err)
	}
	return t, nil
}

// isFolder reports whether a path is a folder, or is written as one.
func isFolder(to string) bool {
	if strings.HasSuffix(to, "/") || strings.HasSuffix(to, string(filepath.Separator)) {
		return true
	}
	info, err := os.Stat(to)
	return err == nil && info.IsDir()
}

// named settles the name of a file that goes into a folder.
func (t *downloadTarget) named(c nodetype.Call, h http.Header) error {
	if !t.folder || t.path != "" {
		return nil
	}
	name := nameOf(t.url)
	if _, params, err := mime.ParseMediaType(h.Get("Content-Disposition")); err == nil {
		if given := fileName(params["filename"]); given != "" {
			name = given
		}
	}
	t.given = filepath.ToSlash(filepath.Join(t.given, name))
	t.doing = "save " + quote(t.given)
	return t.settle(c, filepath.Join(t.dir, name))
}

// settle refuses a file that is there and may not be replaced.
func (t *downloadTarget) settle(c nodetype.Call, to string) error {
	if link, err := os.Lstat(to); t.folder && err == nil && link.Mode()&fs.ModeSymlink != 0 {
		return fault.New(fault.InvalidRequest, "cannot %s: it is a symbolic link, and the name is the server's choice; give the path of the file", t.doing)
	}
	if err := c.Permit(to, false); err != nil {
		return err
	}
	real, old, err := target(to, t.doing, "give the path of a file in it")
	if err != nil {
		return err
	}
	if old != nil && !c.Flag("overwrite") && (c.Files == nil || !c.Files.May(realPath(real))) {
		return existsFault(t.doing, t.given, false)
	}
	t.path = real
	return nil
}

// nameOf is the file name in an address: the last part of its path.
func nameOf(u *url.URL) string {
	if name := fileName(path.Base(u.Path)); name != "" && name != "." {
		return name
	}
	return "index.html"
}

// maxFileName bounds a name from outside, in bytes; file systems take 255.
const maxFileName = 200

// fileName makes a name from outside safe: one that stays in its folder, is not hidden, and can be shown. "" if nothing of
// it is left.
func fileName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r == ':' || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, name)
	name = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), ". "))
	if len(name) > maxFileName {
		ext := path.Ext(name)
		if len(ext) > 20 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:maxFileName-len(ext)], "") + ext
	}
	return name
}

// foreseeDownload says which file would be replaced. The name of one that goes into a folder is taken from its address;
// the server may give it another.
func foreseeDownload(c nodetype.Call, pending []string) (seen nodetype.Foreseen) {
	to, err := c.Path("dest_path")
	if isPending(pending, "dest_path") || err != nil || !isFolder(to) {
		return foreseeFile(c, pending, "dest_path")
	}
	overwrite := c.Flag("overwrite") || isPending(pending, "overwrite")
	u, err := httpURL(c.Text("url"))
	if !isPending(pending, "url") && err == nil {
		name := nameOf(u)
		params := map[string]any{"dest_path": filepath.ToSlash(filepath.Join(c.Text("dest_path"), name)), "overwrite": c.Params["overwrite"]}
		inner := c
		inner.Params = params
		if seen = foreseeFile(inner, pending, "dest_path"); len(seen.Replaces) > 0 {
			return seen
		}
	}
	if entries, err := os.ReadDir(to); overwrite && err == nil && len(entries) > 0 {
		seen.Destroys = "it may replace a file in " + c.Text("dest_path") + ", under the name that the server gives"
	}
	return seen
}
