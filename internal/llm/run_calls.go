package llm

import (
	"cmp"
	"context"
	"sync"
)

// RunCalls is what the calls of one run have in common.
type RunCalls struct {
	mu       sync.Mutex
	missed   error
	misfit   error          // of a reply that was carried over
	answered map[string]int // how often an equal call of the run was answered, by its key
}

type runCallsKey struct{}

// InRun gives a context for the calls of one run: a call that is equal to one that was answered before, such as the retry
// after a reply that was cut off, is another exchange of a recording.
func InRun(ctx context.Context) (context.Context, *RunCalls) {
	r := &RunCalls{answered: map[string]int{}}
	return context.WithValue(ctx, runCallsKey{}, r), r
}

// Missed is the first error of a call that a recording was to serve and did not; nil if every such call was served. Flows
// may go on after such an error as after any other; what came of them is then no replay.
func (r *RunCalls) Missed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.missed
}

func runCalls(ctx context.Context) *RunCalls {
	r, _ := ctx.Value(runCallsKey{}).(*RunCalls)
	return r
}

// before is how often an equal call was answered; 0 outside of a run.
func (r *RunCalls) before(key string) int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered[key]
}

// answer notes that a call was answered.
func (r *RunCalls) answer(key string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered[key]++
}

// unfit notes that a reply which was carried over does not fit the schema of today. What the model says when it is told so is
// in no recording: if it is asked for, that is missed because of this.
func (r *RunCalls) unfit(err error) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.misfit = cmp.Or(r.misfit, err)
	}
}

// miss notes an error of a recording, and gives it back, or what it comes of.
func (r *RunCalls) miss(err error) error {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		err = cmp.Or(r.misfit, err)
		if r.missed == nil {
			r.missed = err
		}
	}
	return err
}
