package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// session is a directory in which the blocks of a page run.
type session struct {
	env  []string // what its commands have beside the usual
	t    *testing.T
	dir  string
	home string
	kept []string // YAML files to be checked once the page is read: a flow may name a later one
}

func newSession(t *testing.T) *session {
	return &session{t: t, dir: t.TempDir(), home: t.TempDir()}
}

func exitStatus(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// run runs a command of the shell and gives all it prints; the directories have short names in it.
func (s *session) run(command string) ([]byte, error) {
	c := exec.Command("sh", "-c", command)
	c.Dir = s.dir
	c.Env = append(append(os.Environ(), "HOME="+s.home, "PFLOW_HOME=", "CI=true"), s.env...)
	printed, err := c.CombinedOutput()
	printed = bytes.ReplaceAll(printed, []byte(s.home), []byte("/home/you"))
	return bytes.ReplaceAll(printed, []byte(s.dir), []byte(".")), err
}

func (s *session) keep(name, text string) {
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
