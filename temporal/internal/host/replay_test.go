package host

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"pflow/temporal/drive"
	"pflow/temporal/drive/drivetest"
)

// TestReplay replays the histories that a server recorded of the examples and the features on a worker of now that has nothing of the
// machine they were recorded on: neither its folders, nor its servers, nor its secrets.
func TestReplay(t *testing.T) {
	files := drivetest.Histories(t, len(examples)+len(features)+len(flowInputs), "Server.*(Example|Feature)")
	h := newBench(t).anew()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json.gz"), func(t *testing.T) {
			history, got := drivetest.Replay(t, file, &drive.Programs{Compile: h.Compile})
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
