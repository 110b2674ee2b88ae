package workflow

import (
	"context"
	"slices"
	"sync"

	"pflow/internal/value"
	"pflow/internal/written"
)

// session is what the nodes of one run share beside the store. It reaches them through the context.
type session struct {
	approve Approve
	asking  chan struct{} // has room for the one who is asked
	depth   int           // how many runs this one is nested in
	written *written.Run  // what the run may replace; nil: that of the Env

	mu       sync.Mutex
	warnings []string
}

func newSession(approve Approve, depth int) *session {
	return &session{approve: approve, asking: make(chan struct{}, 1), depth: depth}
}

// Approve decides on a node that wants approval: true runs it, false leaves the run waiting. nil approves none.
type Approve func(ctx context.Context, a Approval) bool

type runKey struct{}

func running(ctx context.Context) *session {
	if r, ok := ctx.Value(runKey{}).(*session); ok {
		return r
	}
	return newSession(nil, 0)
}

// approves asks for an approval, one at a time; false where nobody is asked, or the run ends meanwhile.
func (r *session) approves(ctx context.Context, a Approval) bool {
	if r.approve == nil {
		return false
	}
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
		return r.approve(ctx, a)
	case <-ctx.Done():
		return false
	}
}

func (r *session) warn(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// normal brings outputs to the forms of package value where that can be done; what cannot is the engine's to refuse.
func normal(outputs map[string]any) any {
	v, err := value.Normalize(outputs)
	if err != nil {
		return outputs
	}
	return v
}
