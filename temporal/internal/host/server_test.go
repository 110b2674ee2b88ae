//go:build server

package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	temporalworkflow "go.temporal.io/sdk/workflow"

	"pflow/temporal/drive"
	"pflow/temporal/drive/drivetest"
)

// onServer is the driver of the server that make test-temporal started. As in the test environment, another worker's programs have
// the workflow than the attempts.
func onServer(b *bench, s drive.Start) *drive.Ended {
	b.t.Helper()
	c := drivetest.Dial(b.t, client.Options{DataConverter: converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), b.sent)})
	queue := fmt.Sprintf("host-%d", time.Now().UnixNano())
	options := drive.WorkerOptions()
	options.Identity = "test"
	w := worker.New(c, queue, options)
	stepping, working := b.host(), b.host()
	runs := &drive.Runs{Programs: &drive.Programs{Compile: stepping.Compile}}
	attempts := &drive.Attempts{Programs: &drive.Programs{Compile: working.Compile}, Within: working.Within}
	w.RegisterWorkflowWithOptions(runs.Run, temporalworkflow.RegisterOptions{Name: drive.WorkflowType})
	w.RegisterActivityWithOptions(attempts.Attempt, activity.RegisterOptions{Name: drive.AttemptType})
	if err := w.Start(); err != nil {
		b.t.Fatal(err)
	}
	defer w.Stop()
	run, err := c.ExecuteWorkflow(b.t.Context(), client.StartWorkflowOptions{TaskQueue: queue}, drive.WorkflowType, identified(s))
	if err != nil {
		b.t.Fatal(err)
	}
	over := make(chan bool)
	answered := make(chan bool)
	go func() { defer close(answered); b.answer(c, run, over) }()
	ended := &drive.Ended{}
	err = run.Get(b.t.Context(), ended)
	close(over)
	<-answered
	if by := drive.EndedBy(err); by != nil {
		ended, err = by, nil
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.beganOn(c, run)
	return ended
}

// answer sends the line when the run waits for one, until it is over.
func (b *bench) answer(c client.Client, run client.WorkflowRun, over <-chan bool) {
	for b.line != "" {
		select {
		case <-over:
			return
		case <-time.After(50 * time.Millisecond):
		}
		var s drive.State
		got, err := c.QueryWorkflow(b.t.Context(), run.GetID(), run.GetRunID(), drive.StateQuery)
		if err != nil || got.Get(&s) != nil || len(s.Waits) == 0 || s.Waits[0].Kind != "line" {
			continue
		}
		if err := c.SignalWorkflow(b.t.Context(), run.GetID(), run.GetRunID(), drive.AnswerSignal, drive.Line{Step: s.Waits[0].Step, Line: b.line}); err != nil {
			b.t.Error(err)
		}
		return
	}
}

// beganOn reads when a run began off its history.
func (b *bench) beganOn(c client.Client, run client.WorkflowRun) {
	b.t.Helper()
	name := strings.NewReplacer("/", "-", ",", "").Replace(strings.TrimPrefix(b.t.Name(), "TestServer"))
	b.began = time.Time{}
	for _, ev := range drivetest.HistoryOf(b.t, c, run, name).Events {
		if ev.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_STARTED {
			b.began = ev.EventTime.AsTime()
			break
		}
	}
}

// The conformance of the test environment holds on a server, too.
func TestServerWorkflowExamples(t *testing.T) { workflowExamples(t, onServer) }
func TestServerFeatures(t *testing.T)         { allFeatures(t, onServer) }
func TestServerFlowExamples(t *testing.T)     { flowExamples(t, onServer) }
