package workflow

import (
	"context"
	"slices"
	"sync"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// session is what the nodes of one run share beside the store. It reaches them through the context.
type session struct {
	approve Approve
	cancel  context.CancelFunc
	depth   int // how many runs this one is nested in

	mu       sync.Mutex
	busy     int // nodes at work, those that wait for approval apart
	started  int // nodes that ever began
	waiting  []string
	warnings []string
}

// Approve decides on a node that wants approval: true runs it, false leaves the run waiting. nil approves none.
type Approve func(ctx context.Context, a Approval) bool

type runKey struct{}

func running(ctx context.Context) *session {
	if r, ok := ctx.Value(runKey{}).(*session); ok {
		return r
	}
	return &session{}
}

// began counts a node at work until the function it gives is called.
func (r *session) began() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy++
	r.started++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.busy--
	}
}

func (r *session) warn(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// pause stops the run at a node that wants approval, once nothing else of it is at work: what is under way finishes, and
// what can run without the approval does.
func (r *session) pause(ctx context.Context, node string) error {
	const quiet = 50 * time.Millisecond // long enough for the engine to start what follows from the last outcome
	r.mu.Lock()
	r.waiting = append(r.waiting, node)
	r.mu.Unlock()
	before, since := -1, time.Time{}
	t := time.NewTicker(quiet / 10)
	defer t.Stop()
	for {
		r.mu.Lock()
		busy, started := r.busy, r.started
		r.mu.Unlock()
		switch now := time.Now(); {
		case busy > 0 || started != before:
			before, since = started, now
		case now.Sub(since) >= quiet:
			r.cancel()
			return fault.New(fault.Cancelled, "waiting for approval")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
}

// waits lists the nodes that the run stopped at, sorted.
func (r *session) waits() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.waiting)
	return slices.Compact(r.waiting)
}

// normal brings outputs to the forms of package value where that can be done; what cannot is the engine's to refuse.
func normal(outputs map[string]any) any {
	v, err := value.Normalize(outputs)
	if err != nil {
		return outputs
	}
	return v
}
