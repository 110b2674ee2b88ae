//go:build linux && !race

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/internal/experiment"
)

// TestKillExperiment kills the process of an experiment of the shipped planners on recordings, with two plans at once, again and
// again: while it is made, while it plans and while the report is worked out. Gone on with to its end, its report is that of
// a run that nobody disturbed, byte for byte. PFLOW_TORTURE has it kill more.
func TestKillExperiment(t *testing.T) {
	t.Parallel()
	shipped, err := os.ReadFile(filepath.Join(filepath.Dir(shippedExperiment), "planners.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	cases, rounds := 8, 1
	if os.Getenv("PFLOW_TORTURE") != "" {
		cases, rounds = 88, 5
	}
	file := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(strings.Split(string(shipped), "\n")[:cases], "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	run := []string{"experiment", "run", absolute(t, shippedExperiment), "--cases", file, "--id", "killed", "--concurrency", "2", "--quiet", "--json"}
	resume := []string{"experiment", "run", "--resume", "killed", "--concurrency", "2", "--quiet", "--json"}
	whole := newDesk(t)
	began := time.Now()
	want, err := whole.command(run...).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	took := time.Since(began)
	kills := 0
	for range rounds {
		d := newDesk(t)
		kills += killedUntilDone(t, took, want, func() *exec.Cmd {
			if _, err := os.Stat(filepath.Join(d.home, "experiments", "killed", "results.db")); err != nil {
				return d.command(run...)
			}
			return d.command(resume...)
		})
		again, err := d.command("experiment", "report", "killed", "--format", "json").Output()
		if err != nil || !bytes.Equal(again, want) {
			t.Errorf("the report that is asked for again is another one: %v", err)
		}
	}
	t.Logf("%d kills", kills)
	if kills == 0 {
		t.Error("nothing was killed")
	}
}

// killedUntilDone begins a command again and again and kills its process at any time, until one comes to its end and has printed what
// is wanted. It gives how often it killed. took is how long an undisturbed one took.
func killedUntilDone(t *testing.T, took time.Duration, want []byte, next func() *exec.Cmd) (kills int) {
	t.Helper()
	for ; ; kills++ {
		var printed, told bytes.Buffer
		c := next()
		c.Stdout, c.Stderr = &printed, &told
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// Each may live longer than the one before, so that the last comes to its end on any machine.
		lives := time.Duration(rand.Float64() * float64(took) * float64(kills+1) / 4)
		kill := time.AfterFunc(lives, func() { c.Process.Kill() })
		err := c.Wait()
		kill.Stop()
		if err == nil {
			if got := printed.Bytes(); !bytes.Equal(got, want) {
				t.Fatalf("after %d kills it comes to something else:\n%s", kills, firstDifference(want, got))
			}
			return kills
		}
		if exit, ok := err.(*exec.ExitError); !ok || exit.Exited() {
			t.Fatalf("after %d kills: %v\n%s", kills, err, &told)
		}
	}
}

// firstDifference shows where two texts begin to differ.
func firstDifference(want, got []byte) string {
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	around := func(text []byte) string { return string(text[max(0, at-200):min(len(text), at+200)]) }
	return "-" + around(want) + "\n+" + around(got)
}

// TestResumeExperimentTwice: while one process works on an experiment, another that would go on with it is told, and does no harm.
func TestResumeExperimentTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	stopped, err := d.command("experiment", "run", absolute(t, shippedExperiment), "--id", "twice", "--quiet", "--max-calls", "20").CombinedOutput()
	if err == nil || !strings.Contains(string(stopped), "go on with a larger one") {
		t.Fatalf("%v\n%s", err, stopped)
	}
	store, err := experiment.OpenStore(filepath.Join(d.home, "experiments", "twice"))
	if err != nil {
		t.Fatal(err)
	}
	told, err := d.command("experiment", "run", "--resume", "twice").CombinedOutput()
	if err == nil || !strings.Contains(string(told), "another process works on the experiment") {
		t.Errorf("%v\n%s", err, told)
	}
	store.Close()
	printed, err := d.command("experiment", "run", "--resume", "twice", "--quiet", "--json", "--max-calls", "100000").Output()
	if err != nil || !strings.Contains(string(printed), `"missing": 0`) {
		t.Errorf("it does not go on to its end: %v", err)
	}
}
