package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is pflow on a pseudo-terminal, as somebody sits before it.
type terminal struct {
	t     *testing.T
	cmd   *exec.Cmd
	pty   *os.File
	ended chan struct{} // closed when the program has ended, with err
	err   error

	mu    sync.Mutex
	text  bytes.Buffer
	seen  int // up to where expect has matched
	sizes []sized
}

// desk is where somebody works: a directory with two files and an empty home.
type desk struct {
	t         *testing.T
	dir, home string
	env       []string
	columns   uint16
	rows      uint16
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, dir: t.TempDir(), home: t.TempDir(), env: []string{"TERM=xterm"}, columns: 80, rows: 24}
	d.file("README.md", "read me\n")
	d.file("other.md", "other\n")
	return d
}

func (d *desk) file(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) has(name string) bool {
	_, err := os.Stat(filepath.Join(d.dir, name))
	return err == nil
}

// saved lists the saved workflows.
func (d *desk) saved() []string {
	files, err := filepath.Glob(filepath.Join(d.home, "workflows", "*.json"))
	if err != nil {
		d.t.Fatal(err)
	}
	return files
}

func (d *desk) command(args ...string) *exec.Cmd {
	c := exec.Command("pflow", args...)
	c.Dir = d.dir
	c.Env = append(append(os.Environ(), "PFLOW_HOME="+d.home, "NO_COLOR=1", "EDITOR=", "VISUAL="), d.env...)
	return c
}

// keep saves a workflow without a terminal.
func (d *desk) keep(name, document string) {
	d.t.Helper()
	d.file(name+".json", document)
	if printed, err := d.command("workflow", "save", "./"+name+".json").CombinedOutput(); err != nil {
		d.t.Fatalf("%v\n%s", err, printed)
	}
}

func (d *desk) start(args ...string) *terminal {
	d.t.Helper()
	tt := &terminal{t: d.t, cmd: d.command(args...), ended: make(chan struct{}), sizes: []sized{{0, int(d.columns), int(d.rows)}}}
	f, err := pty.StartWithSize(tt.cmd, &pty.Winsize{Rows: d.rows, Cols: d.columns})
	if err != nil {
		d.t.Fatal(err)
	}
	tt.pty = f
	d.t.Cleanup(func() {
		_ = tt.cmd.Process.Kill()
		<-tt.ended
	})
	read := make(chan struct{})
	go func() {
		tt.err = tt.cmd.Wait()
		select {
		case <-read:
		case <-time.After(settle):
		}
		close(tt.ended)
	}()
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := f.Read(buf)
			tt.mu.Lock()
			tt.text.Write(buf[:n])
			tt.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return tt
}

// printed is all that stood on the terminal so far.
func (tt *terminal) printed() string {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	return tt.text.String()
}

// settle is how long what a program printed may take to arrive once it has ended, where the system does not say that a
// pseudo-terminal has nothing more (Linux does), or a program that was left behind has it open.
const settle = 2 * time.Second

// expect waits for a text after what it waited for before.
func (tt *terminal) expect(text string) {
	tt.t.Helper()
	deadline := time.After(60 * time.Second)
	for {
		over := false
		select {
		case <-deadline:
			tt.t.Fatalf("no %q in:\n%s", text, tt.printed())
		case <-tt.ended:
			over = true
		case <-time.After(5 * time.Millisecond):
		}
		all := tt.printed()
		if i := strings.Index(all[tt.seen:], text); i >= 0 {
			tt.seen += i + len(text)
			return
		}
		if over {
			tt.t.Fatalf("it ended without %q:\n%s", text, all)
		}
	}
}

// send types what is expected to be typed.
func (tt *terminal) send(text string) {
	tt.t.Helper()
	if _, err := io.WriteString(tt.pty, text); err != nil {
		tt.t.Fatal(err)
	}
}

// answer types a line once it is asked for.
func (tt *terminal) answer(question, line string) {
	tt.t.Helper()
	tt.expect(question)
	tt.send(line + "\n")
}

// exits waits for the end and wants an exit status.
func (tt *terminal) exits(want int) {
	tt.t.Helper()
	select {
	case <-tt.ended:
	case <-time.After(90 * time.Second):
		tt.t.Fatalf("it does not end:\n%s", tt.printed())
	}
	got := 0
	var e *exec.ExitError
	if errors.As(tt.err, &e) {
		got = e.ExitCode()
	} else if tt.err != nil {
		tt.t.Fatal(tt.err)
	}
	if got != want {
		tt.t.Fatalf("exit status %d, want %d:\n%s", got, want, tt.printed())
	}
}

// The keys that end what is under way, and the input.
const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)
