package llm

import (
	"context"
	"sync"
)

// Unreplayed keeps the first error of a call, among all of a context, that a recording was to serve and did not. Flows may
// go on after such an error as after any other; what came of them is then no replay.
type Unreplayed struct {
	mu    sync.Mutex
	first error
}

type unreplayedKey struct{}

// WatchReplay gives a context whose calls tell what was not replayed.
func WatchReplay(ctx context.Context) (context.Context, *Unreplayed) {
	u := &Unreplayed{}
	return context.WithValue(ctx, unreplayedKey{}, u), u
}

// Err is nil if every call that was to be replayed was.
func (u *Unreplayed) Err() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.first
}

// unreplayed tells of an error, and gives it back.
func unreplayed(ctx context.Context, err error) error {
	if u, ok := ctx.Value(unreplayedKey{}).(*Unreplayed); ok {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.first == nil {
			u.first = err
		}
	}
	return err
}
