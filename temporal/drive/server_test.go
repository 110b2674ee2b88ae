//go:build server

package drive_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/temporal/drive"
	"pflow/temporal/drive/drivetest"
)

// serve runs a worker of this process on a queue of its own.
func serve(t testing.TB, c client.Client, programs *drive.Programs) (queue string) {
	t.Helper()
	queue = fmt.Sprintf("test-%d", time.Now().UnixNano())
	w := worker.New(c, queue, drive.WorkerOptions())
	drive.Register(w, programs, nil)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return queue
}

// begin begins a run.
func begin(t testing.TB, c client.Client, queue string, s drive.Start) client.WorkflowRun {
	t.Helper()
	run, err := c.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{TaskQueue: queue}, drive.WorkflowType, s)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// await gives how a run ended.
func await(t testing.TB, run client.WorkflowRun) *engine.Result {
	t.Helper()
	var ended drive.Ended
	err := run.Get(context.Background(), &ended)
	if ended := drive.EndedBy(err); ended != nil {
		return read(t, ended)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read(t, &ended)
}

// histories gives how many events each history of a run has, from its first on.
func histories(t testing.TB, c client.Client, id, first string) (out []int) {
	t.Helper()
	for run := first; run != ""; {
		n, next := 0, ""
		for it := c.GetWorkflowHistory(context.Background(), id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); it.HasNext(); n++ {
			ev, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			if a := ev.GetWorkflowExecutionContinuedAsNewEventAttributes(); a != nil {
				next = a.NewExecutionRunId
			}
		}
		out, run = append(out, n), next
	}
	return out
}

// TestServerFlows is TestEngineFlows on a server, and each history replays.
func TestServerFlows(t *testing.T) {
	c := drivetest.Dial(t, client.Options{})
	queue := serve(t, c, programs(t))
	for _, file := range enginetest.Files(t, engineDir) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, input, want := enginetest.Read(t, file)
			run := begin(t, c, queue, start(ar, input))
			if diff := cmp.Diff(want, enginetest.Show(await(t, run))); diff != "" {
				t.Error(diff)
			}
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions((&drive.Runs{Programs: programs(t)}).Run, workflow.RegisterOptions{Name: drive.WorkflowType})
			err := replayer.ReplayWorkflowExecution(context.Background(), c.WorkflowService(), drivetest.Quiet{}, "default", workflow.Execution{ID: run.GetID(), RunID: run.GetRunID()})
			if err != nil {
				t.Errorf("replay: %v", err)
			}
			drivetest.HistoryOf(t, c, run, strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestServerFlows/"), "/", "-"))
		})
	}
}

// manyFlow maps an op over many items.
func manyFlow(items, concurrency int) drive.Start {
	return start(txtar.Parse(fmt.Appendf(nil, `-- flow.yaml --
flow: many
version: 1
description: An op over many items.
state:
  items: {type: array, default: []}
  out:   {type: array, default: []}
nodes:
  all:
    op: map
    prep: {items: 'map(1..%d, string(#) + " of many")'}
    with:
      op: probe
      prep: {text: item, n: index}
      with: {echo: true}
      concurrency: %d
    post: {out: result}
    next: end
`, items, concurrency)), nil)
}

// TestServerMany runs an op over 10,000 items: the order and the results are those of one machine, no history has more than
// 10,000 events, and no item is carried out twice.
func TestServerMany(t *testing.T) {
	c := drivetest.Dial(t, client.Options{})
	queue := serve(t, c, programs(t))
	items := 10_000
	if n, err := strconv.Atoi(os.Getenv("PFLOW_MANY_ITEMS")); err == nil {
		items = n
	}
	began := time.Now()
	run := begin(t, c, queue, manyFlow(items, 100))
	first := run.GetRunID()
	res := await(t, run)
	if res.Status != engine.Done || res.Usage["calls"] != float64(items) {
		t.Fatalf("%s: %v, %v", res.Status, res.Error, res.Usage)
	}
	for i, v := range res.Store["out"].([]any) {
		if got, want := v.(map[string]any)["text"], fmt.Sprintf("%d of many", i+1); got != want {
			t.Fatalf("item %d is %v", i, got)
		}
	}
	sizes := histories(t, c, run.GetID(), first)
	for _, n := range sizes {
		if n > 10_000 {
			t.Errorf("a history has %d events", n)
		}
	}
	t.Logf("%d items in %.1f s, histories of %v events", items, time.Since(began).Seconds(), sizes)
}

// tenSteps is a flow of ten steps, each an activity.
func tenSteps() drive.Start {
	var b strings.Builder
	b.WriteString("-- flow.yaml --\nflow: ten\nversion: 1\ndescription: Ten steps.\nstate:\n  n: {type: integer, default: 0}\nnodes:\n")
	for i := range 10 {
		next := fmt.Sprintf("s%d", i+1)
		if i == 9 {
			next = "end"
		}
		fmt.Fprintf(&b, "  s%d:\n    op: probe\n    prep: {n: store.n}\n    with: {result: %d}\n    post: {n: result}\n    next: {default: %s, left: end, right: end}\n", i, i, next)
	}
	return start(txtar.Parse([]byte(b.String())), nil)
}

// TestServerThroughput compares 1,000 runs of ten steps over two workers with a plain workflow that calls the same activity.
func TestServerThroughput(t *testing.T) {
	c := drivetest.Dial(t, client.Options{})
	const runs, atOnce = 1000, 100
	measure := func(name string, register func(w worker.Worker), begin func(queue string) (client.WorkflowRun, error)) float64 {
		queue := fmt.Sprintf("%s-%d", name, time.Now().UnixNano())
		for range 2 {
			w := worker.New(c, queue, drive.WorkerOptions())
			register(w)
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
		}
		began := time.Now()
		var wg sync.WaitGroup
		tokens := make(chan struct{}, atOnce)
		for range runs {
			tokens <- struct{}{}
			wg.Go(func() {
				defer func() { <-tokens }()
				run, err := begin(queue)
				if err == nil {
					err = run.Get(context.Background(), nil)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		rate := runs * 10 / time.Since(began).Seconds()
		t.Logf("%s: %.0f steps a second", name, rate)
		return rate
	}
	s := tenSteps()
	program, err := programs(t).Compile(s.Documents)
	if err != nil {
		t.Fatal(err)
	}
	ours := func() float64 {
		return measure("pflow", func(w worker.Worker) { drive.Register(w, programs(t), nil) }, func(queue string) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{TaskQueue: queue}, drive.WorkflowType, s)
		})
	}
	plain := func() float64 {
		return measure("plain", func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(plainTen, workflow.RegisterOptions{Name: "plain"})
			w.RegisterActivityWithOptions(func(ctx context.Context, c engine.Call) (any, error) {
				ev, _, err := program.Perform(ctx, c)
				return ev.Result, err
			}, activity.RegisterOptions{Name: "plain.step"})
		}, func(queue string) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{TaskQueue: queue}, "plain")
		})
	}
	a, b := plain(), ours()
	a, b = max(a, plain()), max(b, ours())
	t.Logf("pflow has %.2f of the steps a second of a plain workflow", b/a)
}

// plainTen is what one would write without pflow.
func plainTen(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: drive.DefaultHeartbeat, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	n := 0
	for i := range 10 {
		call := engine.Call{Path: []engine.CallNode{{Node: fmt.Sprintf("s%d", i)}}, Name: fmt.Sprintf("s%d", i), Visit: 1, Attempt: 1, Prep: map[string]any{"n": n}, Now: workflow.Now(ctx)}
		if err := workflow.ExecuteActivity(ctx, "plain.step", call).Get(ctx, &n); err != nil {
			return err
		}
	}
	return nil
}
