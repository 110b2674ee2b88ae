package home

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind has every way in which a home is named, and what there is at the path.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, flag string
		env        map[string]string
		dir        string // below the folder of the test
		source     string
		problem    string
	}{
		{name: "the flag wins", flag: "a", env: map[string]string{"PFLOW_HOME": "/b", "HOME": "/c"}, dir: "a", source: "--home"},
		{name: "then PFLOW_HOME", env: map[string]string{"PFLOW_HOME": "sub/b", "HOME": "/c"}, dir: "sub/b", source: "PFLOW_HOME"},
		{name: "then HOME", env: map[string]string{"HOME": dir}, dir: ".pflow", source: "default"},
		{name: "tilde", flag: "~/x", env: map[string]string{"HOME": dir}, dir: "x", source: "--home"},
		{name: "tilde alone", env: map[string]string{"PFLOW_HOME": "~", "HOME": dir}, dir: ".", source: "PFLOW_HOME"},
		{name: "tilde without HOME", flag: "~/x", source: "--home", problem: "HOME is not set"},
		{name: "a file", flag: "./file", source: "--home", problem: "is a file, not a folder"},
		{name: "nothing", source: "neither PFLOW_HOME nor HOME is set", problem: "there is no home folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := Find(c.flag, func(name string) string { return c.env[name] })
			want := ""
			if c.dir != "" {
				want = filepath.Join(dir, c.dir)
			}
			if h.Dir() != want || h.Source() != c.source {
				t.Errorf("%q by %s, want %q by %s", h.Dir(), h.Source(), want, c.source)
			}
			if (h.Err() == nil) != (c.problem == "") || h.Err() != nil && !strings.Contains(h.Err().Error(), c.problem) {
				t.Errorf("the error %v, want %q", h.Err(), c.problem)
			}
			if (h.Path("runs") == "") != (want == "") {
				t.Errorf("a file at %q of the home %q", h.Path("runs"), want)
			}
		})
	}
}
