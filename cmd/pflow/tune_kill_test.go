//go:build linux && !race

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"pflow/internal/filelock"
)

// tuneDesk is a desk with the flow and the cases of the script.
func tuneDesk(t *testing.T) *desk {
	d := newDesk(t)
	script, err := txtar.ParseFile(filepath.Join("testdata", "script", "tune.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if f.Name == "keyword.yaml" {
			f.Data = bytes.Replace(f.Data, []byte("\nparams:\n"), []byte("\nparams:\n  n: 1\n"), 1)
		}
		d.file(f.Name, string(f.Data))
	}
	return d
}

// TestKillTune kills the process of a search again and again, at any of its stages. The same command, run to its end, finds and writes what it
// finds undisturbed, byte for byte.
func TestKillTune(t *testing.T) {
	t.Parallel()
	tune := []string{"tune", "./keyword.yaml", "--cases", "cases.jsonl", "--over", "params.careful=true,params.n=1:30:1", "--plans", "900", "--id", "killed", "--json", "--quiet", "-o", "best.yaml"}
	whole := tuneDesk(t)
	began := time.Now()
	want, err := whole.command(tune...).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	took := time.Since(began)
	wrote, err := os.ReadFile(filepath.Join(whole.dir, "best.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d := tuneDesk(t)
	kills := killedUntilDone(t, took, want, func() *exec.Cmd { return d.command(tune...) })
	if got, err := os.ReadFile(filepath.Join(d.dir, "best.yaml")); err != nil || !bytes.Equal(got, wrote) {
		t.Errorf("%s, %v", got, err)
	}
	t.Logf("%d kills", kills)
	if kills == 0 {
		t.Error("nothing was killed")
	}
}

// TestTuneTwice: of two processes that work on a search at once one is told, and does no harm.
func TestTuneTwice(t *testing.T) {
	t.Parallel()
	d := tuneDesk(t)
	dir := filepath.Join(d.home, "tune", "twice")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if free, err := filelock.Try(lock); !free || err != nil {
		t.Fatal(free, err)
	}
	tune := []string{"tune", "./keyword.yaml", "--cases", "cases.jsonl", "--id", "twice"}
	told, err := d.command(tune...).CombinedOutput()
	if err == nil || !strings.Contains(string(told), "another process works on the search twice: wait for it, or give another --id") {
		t.Errorf("%v\n%s", err, told)
	}
	lock.Close()
	if told, err := d.command(tune...).CombinedOutput(); err != nil || !strings.Contains(string(told), "PROMOTE") {
		t.Errorf("%v\n%s", err, told)
	}
}
