package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/nodetype"
)

// childHome tells the test binary that it is the process to be killed; childApproves that it approves what it is asked.
const (
	childHome     = "PFLOW_TEST_CHILD_HOME"
	childApproves = "PFLOW_TEST_CHILD_APPROVES"
)

func TestMain(m *testing.M) {
	if home := os.Getenv(childHome); home != "" {
		if err := child(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killed is a workflow with a batch over a workflow that branches, retries and asks for approval, with branches that ask on
// their own, with a node that repeats and retries, and with a batch of a workflow that repeats and asks.
func killed(t testing.TB) *Program {
	types := testTypes()
	flaky := types["echo"] // its first call in a process fails; it is not idempotent
	iface := *flaky.Interface
	iface.Name, iface.Effects = "flaky", nil
	first := make(chan bool, 1)
	first <- true
	run := flaky.Run
	flaky.Interface = &iface
	flaky.Run = func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
		time.Sleep(300 * time.Microsecond)
		select {
		case <-first:
			return nodetype.Outcome{}, errors.New("the first call fails")
		default:
			return run(ctx, c)
		}
	}
	types["flaky"] = flaky
	w := world{types: types, saved: map[string]string{
		"leaf": `{"ir_version": "0.1.0", "inputs": {"n": {"type": "integer", "required": true}}, "nodes": [
			{"id": "ask", "type": "echo", "approval": "required", "params": {"value": "asked $n"}},
			{"id": "act", "type": "flaky", "retry": {"attempts": 100, "wait": "2ms"}, "params": {"value": "acted $n"}}],
			"edges": [{"from": "ask", "to": "act"}], "outputs": {"out": {"source": "${act.out}", "type": "string"}}}`,
		"inner": `{"ir_version": "0.1.0", "inputs": {"n": {"type": "integer", "required": true}}, "nodes": [
			{"id": "pick", "type": "choose", "params": {"action": "left"}},
			{"id": "left", "type": "flaky", "retry": {"attempts": 100, "wait": "2ms"}, "params": {"value": "left $n"}},
			{"id": "right", "type": "echo", "params": {"value": "never"}},
			{"id": "leaf", "type": "leaf", "params": {"n": "$n"}}],
			"edges": [{"from": "pick", "to": "left", "action": "left"}, {"from": "pick", "to": "right", "action": "right"}, {"from": "left", "to": "leaf"}],
			"outputs": {"out": {"source": "${leaf.out}", "type": "string"}}}`}}
	return w.compile(t, `{"ir_version": "0.1.0", "nodes": [
		{"id": "a", "type": "echo", "params": {"value": {"n": [1, 2, 3, 4, 5], "at_once": 2, "tries": 100, "wait": "2ms"}}},
		{"id": "each", "type": "inner", "batch": {"items": "${a.out.n}", "as": "it", "concurrency": "${a.out.at_once}"}, "params": {"n": "${it}"}},
		{"id": "send", "type": "flaky", "approval": "required", "retry": {"attempts": "${a.out.tries}", "wait": "${a.out.wait}"}, "params": {"value": "sent"}},
		{"id": "beside", "type": "wait", "params": {"for": "5ms"}},
		{"id": "fails", "type": "fail"},
		{"id": "mend", "type": "echo", "params": {"value": "${fails.error.kind}"}},
		{"id": "poll", "type": "flaky", "retry": {"attempts": "${a.out.tries}", "wait": "2ms"}, "params": {"value": "${previous.out}${index}"},
			"repeat": {"until": "index == inputs.last", "max": 9, "wait": "${a.out.wait}"}},
		{"id": "items", "type": "leaf", "params": {"n": "${index}"}, "batch": {"items": [1, 2]}, "repeat": {"until": "result.out == \"acted 1\"", "max": 3}},
		{"id": "own", "type": "flaky", "retry": {"attempts": 100, "wait": "2ms"}, "params": {"value": "own"}},
		{"id": "end", "type": "echo", "params": {"value": "${send.out} ${mend.out ?? \"\"} ${each.results[4].out} ${each.count} ${poll.out} ${items.results[1].results[0].out}"}}],
		"inputs": {"last": {"type": "integer", "default": 4}},
		"edges": [{"from": "a", "to": "each"}, {"from": "a", "to": "send"}, {"from": "a", "to": "beside"}, {"from": "a", "to": "poll"}, {"from": "a", "to": "items"}, {"from": "poll", "to": "end"}, {"from": "items", "to": "end"}, {"from": "beside", "to": "fails"},
			{"from": "fails", "action": "error", "to": "mend"}, {"from": "each", "to": "end"}, {"from": "send", "to": "end"}, {"from": "mend", "to": "end"}],
		"start_node": ["own", "a"]}`)
}

// child begins the run of a home, or goes on with it, and writes how it ended.
func child(home string) error {
	p := killed(&testing.T{})
	o := Options{Options: engine.Options{RunID: "run", Seed: 7}}
	if os.Getenv(childApproves) != "" {
		o.Approve = yes
	}
	var store map[string]any
	_, err := os.Stat(filepath.Join(home, "runs", "run"))
	if errors.Is(err, fs.ErrNotExist) {
		w, err := journal.Create(home, "run", journal.About{}, []byte("{}"))
		if err != nil {
			return err
		}
		defer w.Close()
		o.Journal = w
		if store, _, err = p.Bind(Given{}); err != nil {
			return err
		}
	} else {
		past, _, w, err := journal.Resume(home, "run", time.Now())
		if errors.Is(err, journal.ErrEnded) { // it was killed between its end and its result
			return os.WriteFile(filepath.Join(home, "result"), []byte("ended"), 0o600)
		}
		if err != nil {
			return err
		}
		defer w.Close()
		past.History.Retry = true
		o.Journal, o.History = w, &past.History
	}
	res, err := p.Run(context.Background(), store, o)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, "result"), []byte(show(res)), 0o600)
}

// runChild runs a process and kills it after a while; it reports whether it came to its end before.
func runChild(t *testing.T, home string, approves bool, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childHome+"="+home, "GORACE=atexit_sleep_ms=0")
	if approves {
		cmd.Env = append(cmd.Env, childApproves+"=1")
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && (!ok || !status.Signaled()) {
		t.Fatalf("the process failed: %v\n%s", err, stderr.String())
	}
	return err == nil
}

// times is how often a test does what it does: a sample, or, by PFLOW_TORTURE, the full number.
func times(sample, full int) int {
	if os.Getenv("PFLOW_TORTURE") != "" {
		return full
	}
	return sample
}

// TestKill kills processes at random points of runs that are approved in every second process: each run ends as one that
// nobody killed, and no attempt that finished runs again.
func TestKill(t *testing.T) {
	whole, want := undisturbed(t)
	random := rand.New(rand.NewPCG(3, 4))
	kills, runs, waited := 0, 0, 0
	for n := times(12, 500); kills < n; runs++ {
		home := t.TempDir()
		for round := 0; ; round++ {
			if round > 300 {
				t.Fatalf("a run is stuck:\n%s", journalOf(t, home))
			}
			if !runChild(t, home, round%2 == 1, time.Duration(random.Float64()*1.5*float64(whole))) {
				kills++
				continue
			}
			if got := resultOf(t, home); !strings.HasPrefix(got, "waiting") {
				checkEnd(t, home, got, want)
				break
			}
			waited++
		}
	}
	t.Logf("%d kills over %d runs, which waited for approval %d times", kills, runs, waited)
}

// TestKillAtTheStart kills processes while they begin a run: the next process begins it or goes on with it.
func TestKillAtTheStart(t *testing.T) {
	whole, want := undisturbed(t)
	n, none := times(8, 60), 0
	for i := range n {
		home := t.TempDir()
		runChild(t, home, true, whole*time.Duration(i)/time.Duration(n))
		if _, err := os.Stat(filepath.Join(home, "runs", "run")); err != nil {
			none++
		}
		if !runChild(t, home, true, time.Hour) {
			t.Fatal("it was killed")
		}
		checkEnd(t, home, resultOf(t, home), want)
	}
	if none == 0 {
		t.Error("no kill fell before the first record")
	}
	t.Logf("%d of %d runs recovered, %d of them had not begun", n, n, none)
}

// undisturbed is how long a process takes that nobody kills, and how its run ends.
func undisturbed(t *testing.T) (time.Duration, string) {
	t.Helper()
	killed(t) // here its faults are shown
	home := t.TempDir()
	began := time.Now()
	if !runChild(t, home, true, time.Hour) {
		t.Fatal("a process that nobody killed was killed")
	}
	want := resultOf(t, home)
	if !strings.HasPrefix(want, `done {"out":"sent not_found acted 5 5 01234 acted 0"`) {
		t.Fatal(want)
	}
	return time.Since(began), want
}

func resultOf(t *testing.T, home string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, "result"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func journalOf(t *testing.T, home string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, "runs", "run", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func checkEnd(t *testing.T, home, got, want string) {
	t.Helper()
	text := journalOf(t, home)
	if got == "ended" {
		if past, err := journal.Fold(text); err != nil || past.Status != engine.Done {
			t.Fatalf("%v\n%s", err, text)
		}
	} else if got != want {
		t.Fatalf("after kills the run ended otherwise:\n%s\nwant:\n%s\n%s", got, want, text)
	}
	finished := map[int]bool{}
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var r struct {
			E     string
			ID    int
			Waits string
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if finished[r.ID] && (r.E == "started" || r.E == "finished") {
			t.Fatalf("attempt %d ran again after it had finished:\n%s", r.ID, text)
		}
		finished[r.ID] = finished[r.ID] || r.E == "finished"
	}
}
