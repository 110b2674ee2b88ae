package drive_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/internal/value"
	"pflow/temporal/drive"
)

const engineDir = "../../engine"

// flowProgram is a flow as a program.
type flowProgram struct{ flow *engine.Flow }

func (p flowProgram) Flow() *engine.Flow { return p.flow }
func (p flowProgram) Perform(ctx context.Context, c engine.Call) (engine.Event, []string, error) {
	ev, err := p.flow.Perform(ctx, c)
	return ev, nil, err
}
func (p flowProgram) Bind(given map[string]any) (map[string]any, []drive.Wait, error) {
	return given, nil, nil
}
func (p flowProgram) Result(res *engine.Result, _ []string) any { return res }

// programs compiles archives, whose text is the documents of a run.
func programs(t testing.TB) *drive.Programs {
	return &drive.Programs{Compile: func(documents []byte) (drive.Program, error) {
		flow, _ := enginetest.Load(t, txtar.Parse(documents), enginetest.Ops())
		return flowProgram{flow}, nil
	}}
}

// environment is a test environment in which runs have workers: the workflow's and the activities' have compiled for themselves.
func environment(t testing.TB) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions((&drive.Runs{Programs: programs(t)}).Run, workflow.RegisterOptions{Name: drive.WorkflowType})
	env.RegisterActivityWithOptions((&drive.Attempts{Programs: programs(t)}).Attempt, activity.RegisterOptions{Name: drive.AttemptType})
	return env
}

// start begins a run of an archive.
func start(ar *txtar.Archive, input map[string]any) drive.Start {
	documents := txtar.Format(ar)
	return drive.Start{Step: engine.StepVersion, Name: "test", Documents: documents, Hash: drive.HashOf(documents),
		Given: value.AppendJSON(nil, input), Bound: true}
}

// result reads how a run ended; one that failed tells it in its error.
func result(t testing.TB, env *testsuite.TestWorkflowEnvironment) *engine.Result {
	t.Helper()
	var ended drive.Ended
	err := env.GetWorkflowError()
	if ended := drive.EndedBy(err); ended != nil {
		return read(t, ended)
	}
	if err == nil {
		err = env.GetWorkflowResult(&ended)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read(t, &ended)
}

func read(t testing.TB, ended *drive.Ended) *engine.Result {
	t.Helper()
	var res engine.Result
	if err := json.Unmarshal(ended.Result, &res); err != nil {
		t.Fatal(err)
	}
	var raw struct{ Store json.RawMessage }
	if err := json.Unmarshal(ended.Result, &raw); err != nil {
		t.Fatal(err)
	}
	store, err := value.ParseJSON(raw.Store) // encoding/json makes a float of every number
	if err != nil {
		t.Fatal(err)
	}
	res.Store = store.(map[string]any)
	return &res
}

// TestEngineFlows runs the engine's test flows: each ends as its file says.
func TestEngineFlows(t *testing.T) {
	for _, file := range enginetest.Files(t, engineDir) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, input, want := enginetest.Read(t, file)
			env := environment(t)
			env.ExecuteWorkflow(drive.WorkflowType, start(ar, input))
			if diff := cmp.Diff(want, enginetest.Show(result(t, env))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCut runs them with histories that are cut as soon as an attempt has ended: they end as they do whole.
func TestCut(t *testing.T) {
	cuts := 0
	for _, file := range enginetest.Files(t, engineDir) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, input, want := enginetest.Read(t, file)
			s := start(ar, input)
			s.CutAfter = 1
			now := time.Now()
			for {
				env := environment(t)
				env.SetCurrentHistoryLength(2)
				env.SetStartTime(now)
				env.ExecuteWorkflow(drive.WorkflowType, s)
				var onward *workflow.ContinueAsNewError
				if !errors.As(env.GetWorkflowError(), &onward) {
					if diff := cmp.Diff(want, enginetest.Show(result(t, env))); diff != "" {
						t.Error(diff)
					}
					return
				}
				cuts++
				now = env.Now()
				if err := converter.GetDefaultDataConverter().FromPayloads(onward.Input, &s); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if cuts < 20 {
		t.Errorf("%d cuts", cuts)
	}
}
