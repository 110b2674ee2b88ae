//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pflow/internal/schedule"
)

// server is a home with a workflow that notes each run, and what carries its schedules out.
type server struct {
	t         testing.TB
	dir, home string
	process   *exec.Cmd
}

func newServer(t *testing.T) *server {
	s := &server{t: t, dir: t.TempDir(), home: t.TempDir()}
	if err := os.WriteFile(filepath.Join(s.dir, "note.json"), []byte(`{"ir_version": "0.1.0", "inputs": {"what": {"type": "string", "required": true}},
	 "nodes": [{"id": "note", "type": "shell", "params": {"command": "echo ${what} >> noted"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.pflow("workflow", "save", "./note.json", "--yes")
	return s
}

func (s *server) command(args ...string) *exec.Cmd {
	c := exec.Command("pflow", append(args, "--home", s.home)...)
	c.Dir = s.dir
	return c
}

func (s *server) pflow(args ...string) {
	s.t.Helper()
	if out, err := s.command(args...).CombinedOutput(); err != nil {
		s.t.Fatalf("pflow %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (s *server) start(args ...string) {
	s.t.Helper()
	s.process = s.command(append([]string{"serve"}, args...)...)
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { s.process.Process.Kill() })
}

func (s *server) end(signal syscall.Signal) error {
	if err := s.process.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	return s.process.Wait()
}

// noted are the lines of the runs.
func (s *server) noted() []string {
	data, _ := os.ReadFile(filepath.Join(s.dir, "noted"))
	return strings.Fields(string(data))
}

// until waits for what the machine will come to, however busy it is.
func (s *server) until(what string, is func() bool) {
	s.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("never: %s; noted: %q", what, s.noted())
		}
	}
}

// TestServeKilled kills pflow serve by SIGKILL again and again: every time that came is run once, or waits to be.
func TestServeKilled(t *testing.T) {
	s := newServer(t)
	s.pflow("schedule", "add", "note", "--every", "1s", "--missed", "all", "--overlap", "queue", "what=x", "--yes=schedule,destructive")
	for k := range 6 {
		began := len(s.noted())
		s.start()
		if k%2 == 0 { // in the midst of a run, or of the beginning of one
			s.until("a run", func() bool { return len(s.noted()) > began })
		} else {
			time.Sleep(time.Duration(k) * 300 * time.Millisecond)
		}
		s.end(syscall.SIGKILL)
	}
	s.start("--wait", "5m")
	began := len(s.noted())
	s.until("more runs", func() bool { return len(s.noted()) > began+1 })
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Errorf("ended by SIGTERM: %v", err)
	}
	one, err := schedule.NewStore(s.home).Get("note")
	if err != nil {
		t.Fatal(err)
	}
	st, err := schedule.NewStore(s.home).State(one)
	if err != nil {
		t.Fatal(err)
	}
	came := int(st.Due.Sub(one.Created) / time.Second)
	if got := len(s.noted()); got != came-len(st.Queue)-len(st.Open) || got < 5 {
		t.Errorf("%d times came, %d wait, %d are open, and %d were run", came, len(st.Queue), len(st.Open), got)
	}
}

// TestServeOne: two processes never carry the schedules of a home out, and the list says whether one does. A second one may serve the page.
func TestServeOne(t *testing.T) {
	s := newServer(t)
	s.start()
	store := schedule.NewStore(s.home)
	s.until("it serves", func() bool { return store.Server() != "" })
	if out, err := s.command("serve", "--listen", "off").CombinedOutput(); err == nil || !strings.Contains(string(out), "carried out already, by process ") {
		t.Errorf("a second: %v, %s", err, out)
	}
	out, err := s.command("schedule", "list", "--json").Output()
	var listed struct{ Server string }
	if err != nil || json.Unmarshal(out, &listed) != nil || listed.Server == "" {
		t.Errorf("%v, %s", err, out)
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if store.Server() != "" {
		t.Error("it serves still")
	}
}

// TestServeWatch: each file that arrives is run for once, what was there before is not, and a schedule that is added meanwhile
// is taken up.
func TestServeWatch(t *testing.T) {
	s := newServer(t)
	inbox := filepath.Join(s.dir, "inbox")
	put := func(name string) {
		temporary := filepath.Join(inbox, name+".part")
		if err := os.WriteFile(temporary, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temporary, filepath.Join(inbox, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(inbox, 0o700); err != nil {
		t.Fatal(err)
	}
	put("before.csv")
	s.start("--still", "50ms")
	s.pflow("schedule", "add", "note", "--watch", "inbox/*.csv", "--input", "what", "--yes=schedule,destructive")
	put("a.csv")
	s.until("a.csv", func() bool { return len(s.noted()) > 0 })
	put("b.csv")
	put("c.txt")
	s.until("b.csv", func() bool { return len(s.noted()) > 1 })
	s.end(syscall.SIGKILL)
	put("d.csv")
	s.start("--still", "50ms")
	s.until("d.csv", func() bool { return len(s.noted()) > 2 })
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	for k, name := range []string{"a.csv", "b.csv", "d.csv"} {
		if got := s.noted()[k]; got != filepath.Join(inbox, name) {
			t.Errorf("run %d is for %s, want %s", k, got, name)
		}
	}
}
