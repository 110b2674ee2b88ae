//go:build server

package drive_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/temporal/drive"
	"pflow/temporal/drive/drivetest"
)

// workerOf has this test program be a worker of a queue, whose steps count what they do in a folder.
const workerOf = "PFLOW_TEST_WORKER"

func TestMain(m *testing.M) {
	if queue := os.Getenv(workerOf); queue != "" {
		fmt.Fprintln(os.Stderr, work(queue))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func work(queue string) error {
	c := drivetest.Reach(client.Options{}, func() bool { return true })
	w := worker.New(c, queue, drive.WorkerOptions())
	drive.Register(w, &drive.Programs{Compile: func(documents []byte) (drive.Program, error) {
		flow, _, found := enginetest.TryLoad(txtar.Parse(documents), append(enginetest.Ops(), countOp("effect", false), countOp("effect-again", true)))
		if flow == nil {
			return nil, found.Err()
		}
		return flowProgram{flow}, nil
	}}, nil)
	return w.Run(worker.InterruptCh())
}

// countOp appends a line to the file of its step, then takes its time: what was begun is counted, whether it ended or not.
func countOp(name string, idempotent bool) engine.Op {
	return engine.Op{
		Name: name, Summary: "Counts.", OpenPrep: true, Idempotent: idempotent,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				dir, _ := in.Prep["dir"].(string)
				f, err := os.OpenFile(filepath.Join(dir, in.Step()), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err == nil {
					_, err = f.WriteString("x")
					f.Close()
				}
				if err != nil {
					return engine.Output{}, fault.New(fault.Failure, "%v", err)
				}
				return engine.Output{Result: in.Step()}, engine.Sleep(ctx, 20*time.Millisecond)
			}
		},
	}
}

// thirty is a flow of 30 steps: every third may run again.
func thirty() *txtar.Archive {
	var b strings.Builder
	b.WriteString("-- flow.yaml --\nflow: thirty\nversion: 1\ndescription: Thirty counted steps.\nstate:\n  dir: {type: string, default: \"\"}\n  last: {type: string, default: \"\"}\nnodes:\n")
	for i := range 30 {
		op, next := "effect", fmt.Sprintf("s%d", i+1)
		if i%3 == 0 {
			op = "effect-again"
		}
		if i == 29 {
			next = "end"
		}
		fmt.Fprintf(&b, "  s%d:\n    op: %s\n    prep: {dir: store.dir}\n    post: {last: result}\n    next: %s\n", i, op, next)
	}
	return txtar.Parse([]byte(b.String()))
}

// spawn begins a worker as a process.
func spawn(t *testing.T, queue string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerOf+"="+queue)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
}

// kills is how many points the kill tests choose.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("PFLOW_KILLS")); err == nil {
		return n
	}
	return 50
}

// finish waits for the end of a run, deciding as often as it asks to carry lost attempts out again. It tells the steps that
// were decided on.
func finish(t *testing.T, c client.Client, run client.WorkflowRun) (*engine.Result, map[string]bool) {
	t.Helper()
	decided := map[string]bool{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for { // whatever the server does meanwhile
			err := run.Get(context.Background(), nil)
			var ended *temporal.WorkflowExecutionError
			if err == nil || errors.As(err, &ended) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	for {
		select {
		case <-done:
			return await(t, c.GetWorkflow(context.Background(), run.GetID(), "")), decided
		case <-time.After(200 * time.Millisecond):
		}
		answer, err := c.QueryWorkflow(context.Background(), run.GetID(), "", drive.StateQuery)
		if err != nil {
			continue // there is no worker, or no server, now
		}
		var state drive.State
		if err := answer.Get(&state); err != nil {
			t.Fatal(err)
		}
		for _, w := range state.Waits {
			decided[w.Step] = true
			_ = c.SignalWorkflow(context.Background(), run.GetID(), "", drive.DecideSignal, drive.Decide{Step: w.Step, Again: true})
		}
	}
}

// counted holds each step to its effects: one, and more only of those that may run again or that it was decided to.
func counted(t *testing.T, dir string, decided map[string]bool) (again int) {
	t.Helper()
	for i := range 30 {
		step := fmt.Sprintf("s%d", i)
		data, err := os.ReadFile(filepath.Join(dir, step))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(data) > 1 {
			again++
			if i%3 != 0 && !decided[step] {
				t.Errorf("%s was carried out %d times, and nobody decided that", step, len(data))
			}
		}
	}
	return again
}

// TestKillWorker kills the worker at random points of a run of 30 steps, and starts another: all end, and no effect comes twice but
// where that was decided.
func TestKillWorker(t *testing.T) {
	c := drivetest.Dial(t, client.Options{})
	again, asked := 0, 0
	for n := range kills() {
		queue := fmt.Sprintf("kill-%d-%d", n, time.Now().UnixNano())
		dir := t.TempDir()
		w := spawn(t, queue)
		s := start(thirty(), map[string]any{"dir": dir})
		s.Heartbeat = 2 * time.Second
		run := begin(t, c, queue, s)
		time.Sleep(time.Duration(rand.IntN(1200)) * time.Millisecond)
		kill(w)
		w = spawn(t, queue)
		res, decided := finish(t, c, run)
		kill(w)
		if res.Status != engine.Done || !value.Equal(res.Store["last"], "s29") {
			t.Errorf("run %d: %s, %v", n, res.Status, res.Error)
		}
		again += counted(t, dir, decided)
		asked += len(decided)
	}
	t.Logf("%d kills: %d steps were carried out again, %d decisions were asked for", kills(), again, asked)
}

// server is a server of this test's own, which keeps what it knows in a file.
type server struct {
	t          *testing.T
	program    string
	port, file string
	cmd        *exec.Cmd
}

func newServer(t *testing.T) *server {
	t.Helper()
	program := os.Getenv("TEMPORAL_CLI")
	if program == "" {
		t.Fatal("TEMPORAL_CLI does not say where the program temporal is: run these tests by make test-temporal")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	s := &server{t: t, program: program, port: port, file: filepath.Join(t.TempDir(), "server.db")}
	s.begin()
	t.Cleanup(func() { kill(s.cmd) })
	return s
}

func (s *server) begin() {
	s.t.Helper()
	s.cmd = exec.Command(s.program, "server", "start-dev", "--headless", "--port", s.port, "--db-filename", s.file,
		"--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000", "--dynamic-config-value", "history.timerProcessorMaxPollRPS=2000")
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// TestKillServer kills the server instead: all runs end, and no effect comes twice but where that was decided.
func TestKillServer(t *testing.T) {
	s := newServer(t)
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:"+s.port)
	c := drivetest.Dial(t, client.Options{})
	again, asked := 0, 0
	for n := range kills() {
		queue := fmt.Sprintf("kill-%d-%d", n, time.Now().UnixNano())
		dir := t.TempDir()
		w := spawn(t, queue)
		from := start(thirty(), map[string]any{"dir": dir})
		from.Heartbeat = 2 * time.Second
		run := begin(t, c, queue, from)
		time.Sleep(time.Duration(rand.IntN(1200)) * time.Millisecond)
		kill(s.cmd)
		s.begin()
		res, decided := finish(t, c, run)
		kill(w)
		if res.Status != engine.Done || !value.Equal(res.Store["last"], "s29") {
			t.Errorf("run %d: %s, %v", n, res.Status, res.Error)
		}
		again += counted(t, dir, decided)
		asked += len(decided)
	}
	t.Logf("%d kills: %d steps were carried out again, %d decisions were asked for", kills(), again, asked)
}
