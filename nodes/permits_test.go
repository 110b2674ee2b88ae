package nodes

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/settings"
	"pflow/internal/value"
	"pflow/ir"
)

const deniedText = "what nobody is to have"

// permitted makes a call in a folder where private and top/private are denied.
func permitted(t *testing.T, params map[string]any) nodetype.Call {
	c := newCall(t, params, nil)
	writeFiles(t, c.Dir, map[string]string{
		"private/key.txt": deniedText, "private/sub/more.txt": deniedText, "open/a.txt": "a", "b.txt": "b",
		"top/private/key.txt": deniedText, "top/free.txt": "free",
	})
	for link, to := range map[string]string{"link": "private", "open/deep": "../private/sub", "private/out.txt": "../b.txt"} {
		if err := os.Symlink(to, filepath.Join(c.Dir, link)); err != nil {
			t.Skip("there are no symbolic links here")
		}
	}
	deny(&c, "private", "top/private")
	return c
}

func deny(c *nodetype.Call, paths ...string) {
	s := &settings.Settings{}
	for _, p := range paths {
		s.Deny = append(s.Deny, settings.Rule{Path: p})
	}
	bounds := s.Bounds(c.Dir, c.Dir)
	c.Permits = func(path string, below bool) error {
		if why := bounds.Refuses(path, below); why != "" {
			return fault.New(fault.Refused, "%s is turned off by %s", path, why)
		}
		return nil
	}
}

// namesPath is what internal/workflow takes for a path; base and url are more that node types open.
func namesPath(t nodetype.Type, key string) bool {
	return (key == "cwd" || key == "path" || key == "paths" || strings.HasSuffix(key, "_path") || strings.HasSuffix(key, "_paths")) && !slices.Contains(t.Elsewhere, key)
}

// withPath is the params of an example with another path.
func withPath(typ nodetype.Type, port ir.Port, p string) map[string]any {
	params := maps.Clone(typ.Example.Params)
	if params == nil {
		params = map[string]any{}
	}
	for other, instead := range map[string][]string{"file_path": {"text", "rows"}, "paths": {"text", "all"}, "with_path": {"with_rows", "with_text", "with"}} {
		if port.Key == other {
			for _, key := range instead {
				delete(params, key)
			}
		}
	}
	params[port.Key] = p
	if port.Type == value.Array {
		params[port.Key] = []any{p}
	}
	return params
}

func eachPath(t *testing.T, do func(t *testing.T, typ nodetype.Type, port ir.Port)) {
	n := 0
	for _, typ := range Types(exampleDeps()) {
		for _, port := range slices.Concat(typ.Interface.Inputs, typ.Interface.Params) {
			if namesPath(typ, port.Key) {
				n++
				t.Run(typ.Interface.Name+"."+port.Key, func(t *testing.T) { do(t, typ, port) })
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d params name paths", n)
	}
}

// before makes the files of an example, nothing being denied.
func before(t *testing.T, c nodetype.Call, typ nodetype.Type) {
	writeFiles(t, c.Dir, typ.Example.Files)
	for _, use := range typ.Example.Before {
		one := c
		one.Params, one.Permits = use.Params, nil
		if _, err := runNode(t, use.Type, one); err != nil {
			t.Fatal(err)
		}
	}
}

// Every param of every node type that names a path refuses one that is denied, however it is written.
func TestDeniedPaths(t *testing.T) {
	t.Parallel()
	eachPath(t, func(t *testing.T, typ nodetype.Type, port ir.Port) {
		t.Parallel()
		c := permitted(t, nil)
		dir := c.Dir
		c.Env = func(name string) string { return map[string]string{"HOME": dir, "PATH": os.Getenv("PATH")}[name] }
		before(t, c, typ)
		for _, p := range []string{"private/key.txt", "private", "link/key.txt", "link", "open/../private/key.txt", "open/deep/../key.txt", "private/out.txt", "ABS/private/key.txt", "~/private/key.txt"} {
			c.Params = withPath(typ, port, strings.Replace(p, "ABS", c.Dir, 1))
			_, err := typ.Run(t.Context(), c)
			if err == nil || fault.Of(err).Kind != fault.Refused || !strings.Contains(err.Error(), "turned off by") {
				t.Errorf("%s=%s: %v", port.Key, p, err)
			}
			untouched(t, c.Dir, p)
		}
	})
}

func untouched(t *testing.T, dir, p string) {
	t.Helper()
	for _, name := range []string{"private/key.txt", "private/sub/more.txt", "top/private/key.txt"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != deniedText {
			t.Errorf("%s: %s holds %q, %v", p, name, data, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "private/out.txt")); err != nil {
		t.Errorf("%s: %v", p, err)
	}
}

// What lies below a folder is not touched by what walks it.
func TestDeniedBelow(t *testing.T) {
	t.Parallel()
	eachPath(t, func(t *testing.T, typ nodetype.Type, port ir.Port) {
		t.Parallel()
		c := permitted(t, nil)
		before(t, c, typ)
		c.Params = withPath(typ, port, "top")
		c.Params["recursive"], c.Params["kind"], c.Params["format"] = true, "all", "tar"
		for _, key := range []string{"recursive", "kind", "format"} {
			if !slices.ContainsFunc(typ.Interface.Params, func(p ir.Port) bool { return p.Key == key }) {
				delete(c.Params, key)
			}
		}
		out, err := typ.Run(t.Context(), c)
		untouched(t, c.Dir, "top")
		if shown := value.JSON(out.Outputs); strings.Contains(shown, deniedText) || strings.Contains(shown, "private") && !slices.Contains(namesOnly, typ.Interface.Name) {
			t.Errorf("it gives %s, %v", shown, err)
		}
		found := 0
		filepath.Walk(c.Dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				if data, _ := os.ReadFile(path); strings.Contains(string(data), deniedText) {
					found++
				}
			}
			return nil
		})
		if found != 3 {
			t.Errorf("the text is in %d files, want 3", found)
		}
	})
	for _, typ := range []string{"copy-folder", "delete-folder", "move-file", "archive"} {
		for _, at := range []string{"top", ".", "top/.", "open/../top"} {
			c := permitted(t, map[string]any{"path": at, "confirm_delete": true, "source_path": at, "dest_path": filepath.Join(t.TempDir(), "new.tar"), "paths": []any{at}})
			if typ == "move-file" && at == "." {
				continue // it is the working directory
			}
			if _, err := runNode(t, typ, c); err == nil || fault.Of(err).Kind != fault.Refused {
				t.Errorf("%s of %s: %v", typ, at, err)
			}
		}
	}
	c := permitted(t, map[string]any{"path": "top", "recursive": true})
	out, err := runNode(t, "list-files", c)
	if err != nil || value.JSON(out.Outputs["files"]) != `["top/free.txt"]` || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "turn off") {
		t.Errorf("list-files: %v %v %v", out.Outputs["files"], out.Warnings, err)
	}
}

// An archive's files, a download's and a clone's go where the names in them say.
func TestDeniedTargets(t *testing.T) {
	t.Parallel()
	c := permitted(t, nil)
	one := c
	one.Permits, one.Params = nil, map[string]any{"paths": []any{"top"}, "dest_path": "top.tar"}
	if _, err := runNode(t, "archive", one); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{".", "fresh"} {
		one := c
		deny(&one, "top/private", "fresh/top/private")
		one.Params = map[string]any{"source_path": "top.tar", "dest_path": to, "overwrite": true}
		if _, err := runNode(t, "unarchive", one); err == nil || fault.Of(err).Kind != fault.Refused {
			t.Errorf("unarchive into %s: %v", to, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(c.Dir, "fresh")); err == nil {
		t.Error("unarchive left a folder")
	}
	one = c
	deny(&one, "open/secret.txt")
	one.Params = map[string]any{"url": "https://a.example/secret.txt", "dest_path": "open/"}
	if _, err := runNode(t, "download", one); err == nil || fault.Of(err).Kind != fault.Refused {
		t.Errorf("download: %v", err)
	}
	for _, address := range []string{"private", "file://" + c.Dir + "/private", c.Dir + "/private:x", "."} {
		one := c
		one.Params = map[string]any{"url": address, "dest_path": "clone"}
		if address == c.Dir+"/private:x" {
			deny(&one, "private:x")
		}
		if _, err := runNode(t, "git-clone", one); err == nil || fault.Of(err).Kind != fault.Refused {
			t.Errorf("git-clone of %s: %v", address, err)
		}
	}
}

// Git's nodes touch what lies in the repository: none a file that is denied, and all go on where it is ignored.
func TestDeniedInRepository(t *testing.T) {
	t.Parallel()
	c := permitted(t, nil)
	free := c
	free.Permits = nil
	for _, use := range []nodetype.Use{{Type: "git-init"}, {Type: "git-commit", Params: map[string]any{"message": "First", "add_all": true}}} {
		one := free
		one.Params = use.Params
		if _, err := runNode(t, use.Type, one); err != nil {
			t.Fatal(err)
		}
	}
	writeFiles(t, c.Dir, map[string]string{"top/private/key.txt": "spoilt", "top/free.txt": "other"})
	for i, use := range []nodetype.Use{
		{Type: "git-add", Params: map[string]any{"all": true}}, {Type: "git-add", Params: map[string]any{"paths": []any{"top"}}},
		{Type: "git-add", Params: map[string]any{"cwd": "top", "paths": []any{"private"}}},
		{Type: "git-commit", Params: map[string]any{"message": "m", "add_all": true}}, {Type: "git-commit", Params: map[string]any{"message": "m", "all": true}},
		{Type: "git-commit", Params: map[string]any{"message": "m", "paths": []any{"."}}},
		{Type: "git-restore", Params: map[string]any{"paths": []any{"."}}}, {Type: "git-restore", Params: map[string]any{"paths": []any{"top"}}},
		{Type: "git-stash"}, {Type: "git-diff"}, {Type: "git-diff", Params: map[string]any{"paths": []any{"top"}}}, {Type: "git-checkout", Params: map[string]any{"branch": "other", "create": true}},
		{Type: "git-read", Params: map[string]any{"file_path": "top/private/key.txt"}}, {Type: "git-read", Params: map[string]any{"file_path": "private/key.txt", "cwd": "top"}},
		{Type: "git-merge", Params: map[string]any{"branch": "main"}}, {Type: "git-push"},
	} {
		one := c
		one.Params = use.Params
		if out, err := runNode(t, use.Type, one); err == nil || fault.Of(err).Kind != fault.Refused {
			t.Errorf("%s %s: %v %v", strconv.Itoa(i), use.Type, value.JSON(out.Outputs), err)
		}
	}
	for _, use := range []nodetype.Use{
		{Type: "git-status"}, {Type: "git-log"}, {Type: "git-diff", Params: map[string]any{"paths": []any{"top/free.txt"}}}, {Type: "git-add", Params: map[string]any{"paths": []any{"free.txt"}, "cwd": "top"}},
	} {
		one := c
		one.Params = use.Params
		if _, err := runNode(t, use.Type, one); err != nil {
			t.Errorf("%s: %v", use.Type, err)
		}
	}

	ignoring := newCall(t, nil, nil)
	writeFiles(t, ignoring.Dir, map[string]string{".gitignore": ".env\n", ".env": deniedText, "a.txt": "a"})
	deny(&ignoring, ".env")
	for _, use := range []nodetype.Use{{Type: "git-init"}, {Type: "git-commit", Params: map[string]any{"message": "First", "add_all": true}}, {Type: "git-diff"}} {
		one := ignoring
		one.Params = use.Params
		if _, err := runNode(t, use.Type, one); err != nil {
			t.Errorf("%s beside an ignored file: %v", use.Type, err)
		}
	}
}
