package drive_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/fault"
	"pflow/temporal/drive"
	"pflow/temporal/drive/drivetest"
)

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
	for _, file := range drivetest.Histories(t, len(enginetest.Files(t, engineDir)), "ServerFlows") {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		t.Run(name, func(t *testing.T) {
			_, got := drivetest.Replay(t, file, otherRelease(t))
			_, _, want := enginetest.Read(t, filepath.Join(engineDir, "testdata", "run", name+".txtar"))
			if diff := cmp.Diff(want, enginetest.Show(read(t, got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
