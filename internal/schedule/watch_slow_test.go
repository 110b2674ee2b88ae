//go:build unix

package schedule

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/internal/trigger"
)

// writer is a process that writes a file, a line whenever it is told to.
type writer struct {
	t    *testing.T
	in   io.WriteCloser
	done *bufio.Reader
}

func newWriter(t *testing.T, file string) *writer {
	t.Helper()
	c := exec.Command("sh", "-c", `exec 3>>"$1"; while read -r line; do printf '%s\n' "$line" >&3; echo written; done`, "sh", file)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &writer{t, in, bufio.NewReader(out)}
}

// write returns once the line is in the file.
func (w *writer) write(line string) {
	w.t.Helper()
	if _, err := fmt.Fprintln(w.in, line); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.done.ReadString('\n'); err != nil {
		w.t.Fatal(err)
	}
}

// TestWatchSlowWriters: files that other processes write slower than the folder is looked at fire once, when they are whole: one that
// grows over minutes, one that two processes write in turn, and one that is renamed into place. The clock is the test's.
func TestWatchSlowWriters(t *testing.T) {
	const lines = 60
	m := newMachine(t, noon)
	dir := t.TempDir()
	m.add(Schedule{Name: "w", Trigger: trigger.Trigger{Watch: &trigger.Watch{Path: dir, Pattern: "*.csv", Input: "file"}}})
	m.step(0)
	look := func(after time.Duration) []string {
		m.t.Helper()
		m.loop.plans["w"].watch.at = time.Time{}
		return m.step(after)
	}
	whole := func(name string, want int) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Count(string(data), "\n") != want {
			t.Errorf("%s was taken with %d lines of %d: %v", name, strings.Count(string(data), "\n"), want, err)
		}
	}
	grows, one, other := newWriter(t, filepath.Join(dir, "grows.csv")), newWriter(t, filepath.Join(dir, "two.csv")), newWriter(t, filepath.Join(dir, "two.csv"))
	hidden := newWriter(t, filepath.Join(dir, "moved.csv.part"))
	for k := range lines {
		line := fmt.Sprintf("%d,%s", k, strings.Repeat("x", k))
		grows.write(line)
		hidden.write(line)
		if k%2 == 0 {
			one.write(line)
		} else {
			other.write(line)
		}
		m.want("while it is written", look(time.Duration(k%2+1)*time.Second-time.Millisecond)) // less than they have to be still
	}
	if err := os.Rename(filepath.Join(dir, "moved.csv.part"), filepath.Join(dir, "moved.csv")); err != nil {
		t.Fatal(err)
	}
	other.write("the end")
	m.want("two.csv grew, moved.csv is new", look(time.Second))
	m.want("all are still", look(2*time.Second), "w grows.csv")
	whole("grows.csv", lines)
	m.end()
	m.want("one after the other", look(0), "w moved.csv")
	whole("moved.csv", lines)
	m.end()
	m.want("and the last", look(0), "w two.csv")
	whole("two.csv", lines+1)
	m.end()
	m.want("each once", look(time.Hour))
	grows.write("more")
	m.want("it grows again", look(time.Second))
	m.want("which is another arrival", look(2*time.Second), "w grows.csv")
	m.end()
}
