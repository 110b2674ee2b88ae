package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/engine/journal"
)

// childHome tells the test binary that it is the process to be killed.
const childHome = "PFLOW_TEST_CHILD_HOME"

func TestMain(m *testing.M) {
	if home := os.Getenv(childHome); home != "" {
		os.Exit(child(home))
	}
	os.Exit(m.Run())
}

// child begins the run, or goes on with it, and writes how it ended. Each op leaves a line once its attempt is through.
func child(home string) int {
	effects, err := os.OpenFile(filepath.Join(home, "effects"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	ops := enginetest.Ops()
	for i := range ops {
		if ops[i].Name != "probe" {
			continue
		}
		build := ops[i].New
		ops[i].New = func(s *engine.Setup) engine.Exec {
			run := build(s)
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				time.Sleep(200 * time.Microsecond)
				out, err := run(ctx, in)
				mu.Lock()
				defer mu.Unlock()
				fmt.Fprintf(effects, "%d\n", os.Getpid())
				return out, err
			}
		}
	}
	var t testing.T
	flow := everything(&t, ops)
	o := engine.Options{RunID: "run", Seed: 7}
	if _, err := os.Stat(filepath.Join(home, "runs", "run")); err != nil {
		w, err := journal.Create(home, "run", journal.About{}, []byte("{}"))
		if err != nil {
			panic(err)
		}
		o.Journal = w
	} else {
		past, _, w, err := journal.Resume(home, "run", time.Now())
		if err != nil {
			if errors.Is(err, journal.ErrEnded) { // killed before it wrote its result: take the end back
				file := filepath.Join(home, "runs", "run", "journal.jsonl")
				text, _ := os.ReadFile(file)
				text = text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1]
				if err := os.WriteFile(file, text, 0o600); err != nil {
					panic(err)
				}
				return child(home)
			}
			panic(err)
		}
		o.Journal, o.History = w, &past.History
	}
	res, err := engine.Execute(context.Background(), flow, nil, o)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(home, "result"), []byte(enginetest.Show(res)), 0o600); err != nil {
		panic(err)
	}
	return 0
}

// times is how often a test does what it does: a sample, or, by PFLOW_TORTURE, the full number.
func times(sample, full int) int {
	if os.Getenv("PFLOW_TORTURE") != "" {
		return full
	}
	return sample
}

// TestKill kills real processes at random points: the run that goes on ends like one that was never killed, and no
// attempt that finished runs again.
func TestKill(t *testing.T) {
	flow := everything(t, enginetest.Ops())
	res, err := engine.Execute(context.Background(), flow, nil, engine.Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	want := enginetest.Show(res)
	began := time.Now()
	if !runChild(t, t.TempDir(), time.Hour) {
		t.Fatal("a process that nobody killed was killed")
	}
	whole := time.Since(began) // the kills fall anywhere in it, and now and then after it
	random := rand.New(rand.NewPCG(1, 2))
	kills, runs := 0, 0
	for n := times(15, 200); kills < n; {
		home := t.TempDir()
		runs++
		for !runChild(t, home, time.Duration(random.Float64()*1.3*float64(whole))) {
			kills++
		}
		got, err := os.ReadFile(filepath.Join(home, "result"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Fatalf("after kills the run ended otherwise:\n%s\nwant:\n%s", got, want)
		}
		text, err := os.ReadFile(filepath.Join(home, "runs", "run", "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if id := ranTwice(t, text); id != 0 {
			t.Fatalf("attempt %d ran again after it had finished", id)
		}
	}
	t.Logf("%d kills over %d runs", kills, runs)
}

// runChild starts the process and kills it after a while; it reports whether the process came to its end before.
func runChild(t *testing.T, home string, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childHome+"="+home, "GORACE=atexit_sleep_ms=0") // a race build sleeps as it ends
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if err == nil {
		return true
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Fatalf("the process failed: %v\n%s", err, stderr.String())
	}
	return false
}

// TestConcurrentRuns begins many runs of one home at the same time: each has a journal that is whole, and ends done.
func TestConcurrentRuns(t *testing.T) {
	flow := everything(t, enginetest.Ops())
	home := t.TempDir()
	n := times(100, 1000)
	var runs sync.WaitGroup
	for i := range n {
		runs.Go(func() {
			w, err := journal.Create(home, fmt.Sprintf("20260102-030405-%08x", i), journal.About{}, []byte("{}"))
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			if err := journal.List(home, time.Now(), func(string) {}); err != nil {
				t.Error(err)
			}
			res, err := engine.Execute(t.Context(), flow, nil, engine.Options{Seed: 7, Journal: w})
			if err != nil || res.Status != engine.Done || len(res.Warnings) > 0 {
				t.Errorf("run %d: %v, %v", i, err, res)
			}
		})
	}
	runs.Wait()
	for i := range n {
		text, err := os.ReadFile(filepath.Join(home, "runs", fmt.Sprintf("20260102-030405-%08x", i), "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if past, err := journal.Fold(text); err != nil || past.Status != engine.Done {
			t.Fatalf("run %d: %v", i, err)
		}
	}
}
