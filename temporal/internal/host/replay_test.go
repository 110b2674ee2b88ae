package host

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	temporalworkflow "go.temporal.io/sdk/workflow"

	"pflow/temporal/drive"
)

const historiesDir = "testdata/histories"

// TestReplay replays the histories that a server recorded of the examples and the features on a worker of now that has nothing of the
// machine they were recorded on: neither its folders, nor its servers, nor its secrets.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(historiesDir, "*.json.gz"))
	if err != nil || len(files) < len(examples)+len(features)+len(flowInputs) {
		t.Fatalf("%d histories, %v: record them with PFLOW_RECORD=1 make test-temporal RUN='Server.*(Example|Feature)'", len(files), err)
	}
	h := newBench(t).anew()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json.gz"), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			text, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			history, err := client.HistoryFromJSON(text, client.HistoryJSONOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got *drive.Ended
			runs := &drive.Runs{Programs: &drive.Programs{Compile: h.Compile}}
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions(func(ctx temporalworkflow.Context, s drive.Start) (*drive.Ended, error) {
				ended, err := runs.Run(ctx, s)
				if got = ended; err != nil {
					got = drive.EndedBy(err)
				}
				return ended, err
			}, temporalworkflow.RegisterOptions{Name: drive.WorkflowType})
			began := history.Events[0].GetWorkflowExecutionStartedEventAttributes()
			err = replayer.ReplayWorkflowHistoryWithOptions(quiet{}, history, worker.ReplayWorkflowHistoryOptions{
				OriginalExecution: temporalworkflow.Execution{ID: began.WorkflowId, RunID: began.OriginalExecutionRunId},
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(recorded(t, history), got); diff != "" {
				t.Errorf("(-recorded +replayed):\n%s", diff)
			}
		})
	}
}

// recorded is how the run of a history ended, which the SDK does not compare.
func recorded(t *testing.T, h *history.History) *drive.Ended {
	t.Helper()
	last := h.Events[len(h.Events)-1]
	if failed := last.GetWorkflowExecutionFailedEventAttributes(); failed != nil {
		return drive.EndedBy(temporal.GetDefaultFailureConverter().FailureToError(failed.Failure))
	}
	ended := &drive.Ended{}
	if err := converter.GetDefaultDataConverter().FromPayloads(last.GetWorkflowExecutionCompletedEventAttributes().GetResult(), &ended); err != nil {
		t.Fatal(err)
	}
	return ended
}

// quiet is a logger that says nothing.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
