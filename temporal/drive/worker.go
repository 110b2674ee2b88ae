package drive

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// WorkerOptions are what a worker of runs needs to differ in from others.
func WorkerOptions() worker.Options {
	return worker.Options{
		// A burst of instant ops and the compiling of a flow may take longer than the second that hand-written workflow code may.
		DeadlockDetectionTimeout: 10 * time.Second,
		// An attempt learns that it was cancelled by the answer to its heartbeat.
		MaxHeartbeatThrottleInterval: beat,
		// What is under way when a worker is stopped has this long to end by itself.
		WorkerStopTimeout: 10 * time.Second,
	}
}

// Register makes a worker one of runs and of their attempts.
func Register(w worker.Registry, programs *Programs, within func(ctx context.Context, run string) context.Context) {
	w.RegisterWorkflowWithOptions((&Runs{Programs: programs}).Run, workflow.RegisterOptions{Name: WorkflowType})
	RegisterAttempts(w, programs, within)
}

// RegisterAttempts makes a worker one of attempts alone: of a queue that runs send the steps of a place to.
func RegisterAttempts(w worker.Registry, programs *Programs, within func(ctx context.Context, run string) context.Context) {
	w.RegisterActivityWithOptions((&Attempts{Programs: programs, Within: within}).Attempt, activity.RegisterOptions{Name: AttemptType})
}
