package drive

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"pflow/engine/journal"
	"pflow/internal/fault"
)

// Attempts carries attempts out: the activity.
type Attempts struct {
	Programs *Programs
	// Within gives the context of an attempt, with what the process offers it; nil: the activity's own.
	Within func(ctx context.Context, run string) context.Context
}

// Progress is what the heartbeats of an attempt tell.
type Progress struct {
	Step    string  `json:"step"`
	Attempt int     `json:"attempt"`
	Seconds float64 `json:"seconds"` // that it has taken so far
}

// beat is how often an attempt is heard of: it learns of a cancellation by the answer.
const beat = time.Second

// stoppedType marks the error of an attempt whose worker was stopped: like one whose worker was killed, nobody knows what it did.
const stoppedType = "pflow.worker-stopped"

// Attempt carries out one attempt of an op.
func (a *Attempts) Attempt(ctx context.Context, in Attempt) (*Answer, error) {
	program, err := a.Programs.Get(in.Hash, in.Documents)
	if err != nil {
		return nil, temporal.NewNonRetryableApplicationError(err.Error(), "pflow.documents", nil)
	}
	if program == nil {
		return &Answer{Documents: true}, nil
	}
	defer heartbeats(ctx, in)()
	within := ctx
	if a.Within != nil {
		within = a.Within(ctx, in.Run)
	}
	ev, warnings, err := program.Perform(within, in.Call)
	if err != nil {
		return nil, temporal.NewNonRetryableApplicationError(err.Error(), "pflow.call", nil)
	}
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		if ev.Err != nil {
			return nil, temporal.NewNonRetryableApplicationError("the worker was stopped", stoppedType, nil)
		}
	default:
	}
	return &Answer{Event: journal.AppendEvent(nil, ev), Warnings: warnings}, nil
}

// heartbeats has an attempt heard of until the function that it gives is called.
func heartbeats(ctx context.Context, in Attempt) func() {
	done, began := make(chan struct{}), time.Now()
	fault.Go(func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx, Progress{in.Call.Name, in.Call.Attempt, time.Since(began).Seconds()})
			}
		}
	}, func(error) {}) // then it is not heard of, and is taken for lost
	return func() { close(done) }
}
