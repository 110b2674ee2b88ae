package drive_test

import (
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/fault"
	"pflow/temporal/drive"
)

const historiesDir = "testdata/histories"

// otherRelease compiles documents with ops of which no instant one gives what it gave: what they were is the history's to say.
func otherRelease(t testing.TB) *drive.Programs {
	ops := enginetest.Ops()
	for i := range ops {
		if build := ops[i].New; ops[i].Instant && !ops[i].Tells {
			ops[i].New = func(s *engine.Setup) engine.Exec {
				build(s)
				return func(context.Context, engine.Input) (engine.Output, error) {
					return engine.Output{}, fault.New(fault.Failure, "it ran again")
				}
			}
		}
	}
	return &drive.Programs{Compile: func(documents []byte) (drive.Program, error) {
		flow, _ := enginetest.Load(t, txtar.Parse(documents), ops)
		return flowProgram{flow}, nil
	}}
}

// TestReplay replays the histories that the first release recorded of every test flow: there is no difference, though the ops of now
// give something else.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(historiesDir, "*.json.gz"))
	if err != nil || len(files) < len(enginetest.Files(t, engineDir)) {
		t.Fatalf("%d histories, %v: record them with PFLOW_RECORD=1 make test-temporal RUN=ServerFlows", len(files), err)
	}
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
			var got *drive.Ended // how it ended then, the SDK does not compare
			runs := &drive.Runs{Programs: otherRelease(t)}
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions(func(ctx workflow.Context, s drive.Start) (*drive.Ended, error) {
				ended, err := runs.Run(ctx, s)
				if got = ended; err != nil {
					got = drive.EndedBy(err)
				}
				return ended, err
			}, workflow.RegisterOptions{Name: drive.WorkflowType})
			if err := replayer.ReplayWorkflowHistory(quiet{}, history); err != nil {
				t.Fatal(err)
			}
			_, _, want := enginetest.Read(t, filepath.Join(engineDir, "testdata", "run", strings.TrimSuffix(filepath.Base(file), ".json.gz")+".txtar"))
			if diff := cmp.Diff(want, enginetest.Show(read(t, got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// quiet is a logger that says nothing.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
