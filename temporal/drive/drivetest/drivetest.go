// Package drivetest is what tests of runs on Temporal share: the way to the server, and histories that are kept and replayed.
package drivetest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"pflow/temporal/drive"
)

// histories is the folder below a test's package in which histories are kept.
const histories = "testdata/histories"

// maxHistory bounds the histories that are kept, in bytes of their files.
const maxHistory = 100 << 10

// Dial connects to the server that make test-temporal started, once it answers, until the test ends. Options may leave out where it is.
func Dial(t testing.TB, o client.Options) client.Client {
	t.Helper()
	if os.Getenv("TEMPORAL_ADDRESS") == "" {
		t.Fatal("TEMPORAL_ADDRESS does not say where the server is: run these tests by make test-temporal")
	}
	c := Reach(o, func() bool { return t.Context().Err() == nil })
	if c == nil {
		t.Fatal("no server answers at TEMPORAL_ADDRESS, which is " + os.Getenv("TEMPORAL_ADDRESS"))
	}
	t.Cleanup(c.Close)
	return c
}

// Reach tries to connect to the server that make test-temporal started for as long as again says; nil: it never did.
func Reach(o client.Options, again func() bool) client.Client {
	o.HostPort, o.Identity, o.Logger = os.Getenv("TEMPORAL_ADDRESS"), "test", Quiet{}
	for {
		c, err := client.Dial(o)
		if err == nil {
			return c
		}
		if !again() {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// HistoryOf is the history of a run on a server. With PFLOW_RECORD set it is kept under the name, unless the test failed, or the history is
// large.
func HistoryOf(t testing.TB, c client.Client, run client.WorkflowRun, name string) *history.History {
	t.Helper()
	h := &history.History{}
	for it := c.GetWorkflowHistory(t.Context(), run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); it.HasNext(); {
		ev, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		h.Events = append(h.Events, ev)
	}
	if os.Getenv("PFLOW_RECORD") == "" || t.Failed() {
		return h
	}
	text, err := protojson.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); errors.Join(err, w.Close()) != nil {
		t.Fatal(err)
	}
	if packed.Len() > maxHistory {
		t.Logf("its history has %d bytes: it is not kept", packed.Len())
		return h
	}
	if err := errors.Join(os.MkdirAll(histories, 0o755), os.WriteFile(filepath.Join(histories, name+".json.gz"), packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	return h
}

// Histories are the files of the histories that are kept, at least so many. recorded is the RUN of make test-temporal that records them.
func Histories(t testing.TB, least int, recorded string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(histories, "*.json.gz"))
	if err != nil || len(files) < least {
		t.Fatalf("%d histories, %v: record them with PFLOW_RECORD=1 make test-temporal RUN='%s'", len(files), err, recorded)
	}
	return files
}

// Replay replays a history that is kept on a worker that has programs: there is no difference in what it commands. How the run ended then,
// which the SDK does not compare, is given.
func Replay(t testing.TB, file string, programs *drive.Programs) (*history.History, *drive.Ended) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	h, err := client.HistoryFromJSON(text, client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got *drive.Ended
	runs := &drive.Runs{Programs: programs}
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(func(ctx workflow.Context, s drive.Start) (*drive.Ended, error) {
		ended, err := runs.Run(ctx, s)
		if got = ended; err != nil {
			got = drive.EndedBy(err)
		}
		return ended, err
	}, workflow.RegisterOptions{Name: drive.WorkflowType})
	began := h.Events[0].GetWorkflowExecutionStartedEventAttributes()
	err = replayer.ReplayWorkflowHistoryWithOptions(Quiet{}, h, worker.ReplayWorkflowHistoryOptions{
		OriginalExecution: workflow.Execution{ID: began.WorkflowId, RunID: began.OriginalExecutionRunId},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, got
}

// Quiet is a logger that says nothing.
type Quiet struct{}

func (Quiet) Debug(string, ...any) {}
func (Quiet) Info(string, ...any)  {}
func (Quiet) Warn(string, ...any)  {}
func (Quiet) Error(string, ...any) {}
